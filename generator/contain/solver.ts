/**
 * Is there a value of which all of some formulas hold? The heart of the engine: B contains A exactly when there is
 * none for A and the complement of B.
 *
 * Each type is searched on its own. Literals are gathered, and while a choice is open, the theory of the type is asked
 * for a model of the literals alone: no model closes the branch, a model that satisfies all choices ends the search,
 * and any other shows which choice to split next.
 *
 * Recursion is a least fixpoint: a question met again below itself counts as empty, because a smallest value never
 * needs itself. What was found empty only under such an assumption is forgotten when the assumption turns out wrong.
 */
import type { Json } from "../json.js";
import { solveArrays } from "./arrays.js";
import type { Budget } from "./budget.js";
import { constant } from "./constants.js";
import { evaluate } from "./evaluate.js";
import { type Atom, bit, type Formula, type Formulas, TYPES, type TypeName } from "./formula.js";
import { solveNumbers } from "./numbers.js";
import { solveObjects } from "./objects.js";
import { EMPTY, firstValue, found, type Outcome, unknown } from "./outcome.js";
import type { Enumeration, Questions } from "./questions.js";
import { solveStrings } from "./strings.js";

/** An atom or its complement, in a conjunction about one type. */
export interface Literal {
  readonly id: number;
  readonly atom: Atom;
  readonly positive: boolean;
}

/** A branch of the search: what has been gathered, and the choices that are open. */
interface Branch {
  readonly literals: ReadonlyMap<number, Literal>;
  readonly choices: readonly Formula[];
  readonly expanded: ReadonlySet<number>;
}

interface Provisional {
  readonly key: string;
  readonly outcome: Outcome;
  readonly lowest: number;
}

const NO_BRANCH: Branch = { literals: new Map(), choices: [], expanded: new Set() };

/** Answers questions about the formulas of one `Formulas`. */
export class Solver implements Questions {
  private readonly known = new Map<string, Outcome>();
  private readonly open = new Map<string, number>();
  private readonly provisional = new Map<string, Provisional>();
  private readonly trail: string[] = [];
  private lowest = Number.POSITIVE_INFINITY;

  constructor(
    readonly formulas: Formulas,
    readonly budget: Budget,
  ) {}

  /** A value of which all the formulas hold. */
  solve(parts: readonly Formula[]): Outcome {
    const conjunction = this.formulas.and(...parts);
    if (conjunction === this.formulas.nothing) return EMPTY;
    return this.once(`${conjunction.id}`, () =>
      firstValue(TYPES, (type) => this.solveType(type, [conjunction])),
    );
  }

  /** A value of one type of which all the formulas hold. */
  solveType(type: TypeName, parts: readonly Formula[]): Outcome {
    const branch = this.absorb(type, NO_BRANCH, parts);
    return branch ? this.search(type, branch) : EMPTY;
  }

  /** Up to `count` distinct values of which all the formulas hold. */
  enumerate(parts: readonly Formula[], count: number): Enumeration {
    const values: Json[] = [];
    const excluded: Formula[] = [];
    while (values.length < count) {
      const outcome = this.solve([...parts, ...excluded]);
      if (outcome.is !== "value") return { values, complete: outcome.is === "empty" };
      values.push(outcome.value);
      excluded.push(this.formulas.not(constant(this.formulas, outcome.value)));
    }
    return { values, complete: false };
  }

  /** Whether a value satisfies a formula. */
  holds(formula: Formula, value: Json): boolean {
    return evaluate(formula, value, this.budget);
  }

  private search(type: TypeName, branch: Branch): Outcome {
    this.budget.spend(1 + branch.choices.length);
    const model = this.theory(type, [...branch.literals.values()]);
    if (model.is === "empty" || branch.choices.length === 0) return model;
    const choice = this.nextChoice(branch.choices, model);
    if (!choice) return model;
    const others = branch.choices.filter((each) => each !== choice);
    return firstValue(choice.kind === "or" ? choice.parts : [choice], (part) => {
      const next = this.absorb(type, { ...branch, choices: others }, [part]);
      return next ? this.search(type, next) : EMPTY;
    });
  }

  /** The smallest choice that the model does not satisfy; undefined when it satisfies all. */
  private nextChoice(choices: readonly Formula[], model: Outcome): Formula | undefined {
    const open =
      model.is === "value" ? choices.filter((choice) => !this.holds(choice, model.value)) : [...choices];
    return open.sort((a, b) => width(a) - width(b))[0];
  }

  /** Adds formulas to a branch; undefined when that leaves no value. */
  private absorb(type: TypeName, branch: Branch, parts: readonly Formula[]): Branch | undefined {
    const literals = new Map(branch.literals);
    const expanded = new Set(branch.expanded);
    let choices = [...branch.choices];
    const pending = [...parts];
    while (pending.length > 0) {
      for (let part = pending.pop(); part; part = pending.pop()) {
        this.budget.spend();
        const verdict = this.verdict(type, part, literals);
        if (verdict === true) continue;
        if (verdict === false) return undefined;
        if (part.kind === "and") pending.push(...part.parts);
        else if (part.kind === "literal") literals.set(part.id, part);
        else if (part.kind === "or") choices.push(part);
        else if (part.kind === "lazy" && !expanded.has(part.id)) {
          if (expanded.has(this.formulas.not(part).id)) return undefined;
          expanded.add(part.id);
          pending.push(part.expand());
        }
      }
      const reduced = this.reduce(type, choices, literals);
      if (!reduced) return undefined;
      choices = reduced.choices;
      pending.push(...reduced.forced);
    }
    return { literals, choices, expanded };
  }

  /** Drops from each choice what the literals rule out, and the choices that they satisfy. */
  private reduce(type: TypeName, choices: readonly Formula[], literals: ReadonlyMap<number, Literal>) {
    const kept = new Map<number, Formula>();
    const forced: Formula[] = [];
    for (const choice of choices) {
      const parts = choice.kind === "or" ? choice.parts : [choice];
      const verdicts = parts.map((part) => this.verdict(type, part, literals));
      if (verdicts.includes(true)) continue;
      const left = parts.filter((_, i) => verdicts[i] !== false);
      const [only] = left;
      if (!only) return undefined;
      if (left.length === 1) forced.push(only);
      else {
        const rest = left.length === parts.length ? choice : this.formulas.or(...left);
        kept.set(rest.id, rest);
      }
    }
    return { choices: [...kept.values()], forced };
  }

  /** Whether a formula is settled, for values of the type, by the literals alone; undefined when it is not. */
  private verdict(
    type: TypeName,
    part: Formula,
    literals: ReadonlyMap<number, Literal>,
  ): boolean | undefined {
    if (part.kind === "types") return (part.mask & bit(type)) !== 0;
    if (part.kind === "and") {
      const verdicts = part.parts.map((each) => this.verdict(type, each, literals));
      return verdicts.includes(false) ? false : verdicts.includes(undefined) ? undefined : true;
    }
    if (part.kind !== "literal") return undefined;
    if (part.atom.on !== type) return part.positive;
    if (literals.has(part.id)) return true;
    return literals.has(this.formulas.not(part).id) ? false : undefined;
  }

  private theory(type: TypeName, literals: readonly Literal[]): Outcome {
    if (type === "null") return found(null);
    if (type === "boolean") return found(literals[0]?.positive ?? true);
    const key = `${type} ${literals
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join(",")}`;
    return this.once(key, () => this.ask(type, literals));
  }

  private ask(type: "number" | "string" | "array" | "object", literals: readonly Literal[]): Outcome {
    switch (type) {
      case "number":
        return solveNumbers(about(type, literals), this.budget);
      case "string":
        return solveStrings(about(type, literals), this.budget);
      case "array":
        return solveArrays(about(type, literals), this);
      case "object":
        return solveObjects(about(type, literals), this);
    }
  }

  /** Computes an outcome once; below itself it counts as empty. */
  private once(key: string, compute: () => Outcome): Outcome {
    const known = this.known.get(key);
    if (known) return known;
    const conditional = this.provisional.get(key);
    if (conditional) {
      this.lowest = Math.min(this.lowest, conditional.lowest);
      return conditional.outcome;
    }
    const above = this.open.get(key);
    if (above !== undefined) {
      this.lowest = Math.min(this.lowest, above);
      return EMPTY;
    }
    if (this.open.size > this.budget.limits.maxDepth) return unknown("values nested too deep");
    return this.fresh(key, compute);
  }

  private fresh(key: string, compute: () => Outcome): Outcome {
    const depth = this.open.size;
    const outer = this.lowest;
    const mark = this.trail.length;
    this.lowest = Number.POSITIVE_INFINITY;
    this.open.set(key, depth);
    const outcome = compute();
    this.open.delete(key);
    const lowest = this.lowest < depth ? this.lowest : Number.POSITIVE_INFINITY;
    this.lowest = Math.min(outer, lowest);
    this.remember(key, outcome, lowest, mark);
    return outcome;
  }

  private remember(key: string, outcome: Outcome, lowest: number, mark: number): void {
    const settled = lowest === Number.POSITIVE_INFINITY;
    if (outcome.is !== "empty" || settled) {
      // What rested on this question alone is proven with it, or was wrong.
      for (const name of this.trail.splice(mark)) {
        const entry = this.provisional.get(name);
        this.provisional.delete(name);
        if (entry && settled && outcome.is === "empty") this.known.set(name, entry.outcome);
      }
    }
    if (outcome.is === "value" || settled) this.known.set(key, outcome);
    else if (outcome.is === "empty") {
      this.provisional.set(key, { key, outcome, lowest });
      this.trail.push(key);
    }
  }
}

function width(formula: Formula): number {
  return formula.kind === "or" ? formula.parts.length : 1;
}

function about<T extends TypeName>(type: T, literals: readonly Literal[]) {
  return literals.filter(
    (literal): literal is Literal & { atom: Atom & { on: T } } => literal.atom.on === type,
  );
}
