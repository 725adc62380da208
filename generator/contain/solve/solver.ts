/**
 * Searches for a value that satisfies several formulas. Schema B contains schema A exactly if no value satisfies both A and
 * the complement of B.
 *
 * Each type is searched separately. A branch of the search has literals and choices (disjunctions). In each step, the search
 * asks for a value that satisfies the literals alone, the model. Without a model, the branch is empty. A model that satisfies
 * all choices is the result. Otherwise the search continues with each alternative of a choice that the model does not
 * satisfy.
 */
import type { Json } from "../../json.js";
import type { Budget } from "../budget.js";
import { buildEnumFormula } from "../constants.js";
import { type Atom, type Formula, type Formulas, getTypeBit, TYPES, type TypeName } from "../formula.js";
import { solveArrays } from "./arrays.js";
import { evaluate } from "./evaluate.js";
import { Fixpoint } from "./fixpoint.js";
import { solveNumbers } from "./numbers.js";
import { solveObjects } from "./objects.js";
import {
  createValueOutcome,
  EMPTY,
  type Enumeration,
  findFirstValue,
  type Outcome,
  type ValueQueries,
} from "./outcome.js";
import { solveStrings } from "./strings.js";

/** An atom or its complement. */
interface Literal {
  readonly id: number;
  readonly atom: Atom;
  readonly positive: boolean;
}

/** A branch of the search. */
interface Branch {
  readonly literals: ReadonlyMap<number, Literal>;
  /** The choices of which no alternative was chosen yet. */
  readonly choices: readonly Formula[];
  /** The ids of the lazy formulas that were expanded. */
  readonly expanded: ReadonlySet<number>;
}

/** If more values than this are needed, plain values are tried before the search, because it is slower. */
const MAX_SEARCHED_VALUES = 8;
const NO_BRANCH: Branch = { literals: new Map(), choices: [], expanded: new Set() };

/** Answers questions about the formulas of one `Formulas`. */
export class Solver implements ValueQueries {
  private readonly fixpoint: Fixpoint;

  constructor(
    readonly formulas: Formulas,
    readonly budget: Budget,
    /** Strings of the schemas, as candidates for patterns that no automaton represents. */
    private readonly hints: readonly string[] = [],
  ) {
    this.fixpoint = new Fixpoint(budget.limits.maxDepth);
  }

  /** Searches for a value that satisfies all formulas. */
  solve(parts: readonly Formula[]): Outcome {
    const conjunction = this.formulas.and(...parts.map(followReference));
    if (conjunction === this.formulas.nothing) return EMPTY;
    return this.fixpoint.solveOnce(`${conjunction.id}`, () =>
      findFirstValue(TYPES, (type) => this.solveType(type, [conjunction])),
    );
  }

  /** Searches for a value of one type that satisfies all formulas. */
  solveType(type: TypeName, parts: readonly Formula[]): Outcome {
    const branch = this.addFormulas(type, NO_BRANCH, parts);
    return branch ? this.search(type, branch) : EMPTY;
  }

  /** Returns up to `count` distinct values that satisfy all formulas. */
  enumerate(parts: readonly Formula[], count: number): Enumeration {
    const { formulas } = this;
    const conjunction = formulas.and(...parts);
    const values = count > MAX_SEARCHED_VALUES ? this.collectPlainValues(conjunction, count) : [];
    while (values.length < count) {
      const others = formulas.not(buildEnumFormula(formulas, values));
      const outcome = this.solve([conjunction, others]);
      if (outcome.kind !== "value") return { values, isComplete: outcome.kind === "empty" };
      values.push(outcome.value);
    }
    return { values, isComplete: false };
  }

  private collectPlainValues(formula: Formula, count: number): Json[] {
    const values = new Map<string, Json>();
    for (const value of listPlainCandidates(count, this.hints)) {
      if (values.size >= count) break;
      if (this.holds(formula, value)) values.set(JSON.stringify(value), value);
    }
    return [...values.values()];
  }

  /** Returns whether a value satisfies a formula. */
  holds(formula: Formula, value: Json): boolean {
    return evaluate(formula, value, this.budget);
  }

  private search(type: TypeName, branch: Branch): Outcome {
    this.budget.spend(1 + branch.choices.length);
    const model = this.solveLiterals(type, [...branch.literals.values()]);
    if (model.kind === "empty" || branch.choices.length === 0) return model;
    const choice = this.selectChoice(branch.choices, model);
    if (!choice) return model;
    const others = branch.choices.filter((each) => each !== choice);
    return findFirstValue(choice.kind === "or" ? choice.parts : [choice], (part) => {
      const next = this.addFormulas(type, { ...branch, choices: others }, [part]);
      return next ? this.search(type, next) : EMPTY;
    });
  }

  /** Returns the smallest choice that the model does not satisfy; undefined if it satisfies all. */
  private selectChoice(choices: readonly Formula[], model: Outcome): Formula | undefined {
    const unsatisfiedChoices =
      model.kind === "value" ? choices.filter((choice) => !this.holds(choice, model.value)) : [...choices];
    return unsatisfiedChoices.sort((a, b) => countAlternatives(a) - countAlternatives(b))[0];
  }

  /** Returns the branch with more formulas; undefined if no value satisfies it then. */
  private addFormulas(type: TypeName, branch: Branch, parts: readonly Formula[]): Branch | undefined {
    const literals = new Map(branch.literals);
    const expandedFormulas = new Set(branch.expanded);
    let choices = [...branch.choices];
    const pendingParts = [...parts];
    while (pendingParts.length > 0) {
      for (let part = pendingParts.pop(); part; part = pendingParts.pop()) {
        this.budget.spend();
        const truth = this.deriveTruth(type, part, literals);
        if (truth === true) continue;
        if (truth === false) return undefined;
        if (part.kind === "and") pendingParts.push(...part.parts);
        else if (part.kind === "literal") literals.set(part.id, part);
        else if (part.kind === "or") choices.push(part);
        else if (part.kind === "lazy" && !expandedFormulas.has(part.id)) {
          if (expandedFormulas.has(this.formulas.not(part).id)) return undefined;
          expandedFormulas.add(part.id);
          pendingParts.push(part.expand());
        }
      }
      const reducedChoices = this.reduceChoices(type, choices, literals);
      if (!reducedChoices) return undefined;
      choices = reducedChoices.choices;
      pendingParts.push(...reducedChoices.forced);
    }
    return { literals, choices, expanded: expandedFormulas };
  }

  /**
   * Removes the alternatives that the literals rule out, and the choices that the literals satisfy. Returns undefined if a
   * choice has no alternative left.
   */
  private reduceChoices(type: TypeName, choices: readonly Formula[], literals: ReadonlyMap<number, Literal>) {
    const reducedChoices = new Map<number, Formula>();
    const forced: Formula[] = [];
    for (const choice of choices) {
      const parts = choice.kind === "or" ? choice.parts : [choice];
      this.budget.spend(parts.length >> 2);
      const verdicts = parts.map((part) => this.deriveTruth(type, part, literals));
      if (verdicts.includes(true)) continue;
      const remainingParts = parts.filter((_, i) => verdicts[i] !== false);
      const [only] = remainingParts;
      if (!only) return undefined;
      if (remainingParts.length === 1) forced.push(only);
      else {
        const reducedChoice =
          remainingParts.length === parts.length ? choice : this.formulas.or(...remainingParts);
        reducedChoices.set(reducedChoice.id, reducedChoice);
      }
    }
    return { choices: [...reducedChoices.values()], forced };
  }

  /** Returns whether the literals alone make a formula true or false for values of the type; undefined if they do neither. */
  private deriveTruth(
    type: TypeName,
    part: Formula,
    literals: ReadonlyMap<number, Literal>,
  ): boolean | undefined {
    if (part.kind === "types") return (part.mask & getTypeBit(type)) !== 0;
    if (part.kind === "and") {
      const verdicts = part.parts.map((each) => this.deriveTruth(type, each, literals));
      if (verdicts.includes(false)) return false;
      return verdicts.includes(undefined) ? undefined : true;
    }
    if (part.kind !== "literal") return undefined;
    if (part.atom.type !== type) return part.positive;
    if (literals.has(part.id)) return true;
    return literals.has(this.formulas.not(part).id) ? false : undefined;
  }

  private solveLiterals(type: TypeName, literals: readonly Literal[]): Outcome {
    if (type === "null") return createValueOutcome(null);
    if (type === "boolean") return createValueOutcome(literals[0]?.positive ?? true);
    const key = `${type} ${literals
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join(",")}`;
    return this.fixpoint.solveOnce(key, () => this.solveByType(type, literals));
  }

  /** Searches for a value of one type that satisfies the literals. */
  private solveByType(type: "number" | "string" | "array" | "object", literals: readonly Literal[]): Outcome {
    switch (type) {
      case "number":
        return solveNumbers(filterLiterals(type, literals), this.budget);
      case "string":
        return solveStrings(filterLiterals(type, literals), this.hints, this.budget);
      case "array":
        return solveArrays(filterLiterals(type, literals), this);
      case "object":
        return solveObjects(filterLiterals(type, literals), this);
    }
  }
}

/** Returns the target of a recursive reference, because both are one question. */
function followReference(formula: Formula): Formula {
  return formula.kind === "lazy" && formula.isReference ? followReference(formula.expand()) : formula;
}

function countAlternatives(formula: Formula): number {
  return formula.kind === "or" ? formula.parts.length : 1;
}

function filterLiterals<T extends TypeName>(type: T, literals: readonly Literal[]) {
  return literals.filter(
    (literal): literal is Literal & { atom: Atom & { type: T } } => literal.atom.type === type,
  );
}

/**
 * Yields plain values that are tried before a search: the `count` smallest integers, the `count` shortest words, `others`,
 * and values of other types.
 */
function* listPlainCandidates(count: number, others: Iterable<string>): Generator<Json> {
  for (let i = 0; i < count; i++) yield i;
  for (let i = 0; i < count; i++) yield buildWord(i);
  yield* others;
  yield* [null, false, true, [], {}];
}

/** Returns the word with this index in the list of words over a to z, shortest first: a, b, …, z, aa, ab, … */
function buildWord(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : buildWord(Math.floor(index / 26) - 1) + last;
}
