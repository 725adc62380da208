/**
 * Searches for an object that satisfies all literals about its properties, its keys and its size.
 *
 * Keys are divided into classes. No constraint distinguishes the keys of a class: each key that a constraint names is a
 * class of its own, and the others are divided by the patterns that match them. Each demanded property is assigned to a
 * key of some class, and may share a key with another demand. Free keys are then added up to the least size. "Empty" is
 * proven once all assignments have failed.
 */
import { createObject, type Json } from "../../json.js";
import { type Atom, type Formula, type KeySet, serializeKeySet } from "../formula.js";
import { isInKeySet } from "./evaluate.js";
import {
  createUnknownOutcome,
  createValueOutcome,
  EMPTY,
  findFirstValue,
  type Outcome,
  type ValueQueries,
} from "./outcome.js";
import { computeSizeRange } from "./strings.js";

/** An atom about objects, or its complement. */
interface ObjectLiteral {
  readonly atom: Atom & { readonly type: "object" };
  readonly positive: boolean;
}

/** The demand that a property has a key in `keys` that satisfies `name`, and a value that satisfies `value`. */
interface PropertyDemand {
  readonly keys: KeySet;
  readonly name: Formula;
  readonly value: Formula;
}

/** The keys that were chosen so far, with the formulas that their values must satisfy in addition to the rules. */
type Assignment = ReadonlyMap<string, readonly Formula[]>;

const MAX_KEYS = 2_000;
const ANY_KEY: KeySet = { names: [], patterns: [], complement: true };

/** Returns an object for which all literals hold. */
export function solveObjects(literals: readonly ObjectLiteral[], queries: ValueQueries): Outcome {
  return new ObjectSearch(literals, queries).solve();
}

class ObjectSearch {
  private readonly size: { readonly min: number; readonly max: number };
  private readonly requiredKeys: string[] = [];
  private readonly forbiddenKeys = new Set<string>();
  /** The formulas that the value of a single key must satisfy. */
  private readonly rulesByKey = new Map<string, Formula[]>();
  /** The formulas that the values of a set of keys must satisfy. */
  private readonly rules: { readonly keys: KeySet; readonly value: Formula }[] = [];
  /** The formulas that every key must satisfy. */
  private readonly nameRules: Formula[] = [];
  private readonly demands: PropertyDemand[] = [];
  /** The keys that a constraint names. */
  private readonly namedKeys = new Set<string>();
  /** The conditions by which keys that no constraint names differ. */
  private distinctions: readonly Formula[] = [];
  /** The reason why "empty" would be no proof. */
  private uncertainty: string | undefined;

  constructor(
    literals: readonly ObjectLiteral[],
    private readonly queries: ValueQueries,
  ) {
    this.size = computeSizeRange(literals);
    for (const literal of literals) this.addLiteral(literal);
    this.distinctions = this.findDistinctions();
  }

  solve(): Outcome {
    const { requiredKeys, size } = this;
    if (size.min > size.max || requiredKeys.length > size.max) return EMPTY;
    const assignment = new Map<string, readonly Formula[]>();
    for (const key of requiredKeys) {
      if (!this.isAllowed(key)) return EMPTY;
      assignment.set(key, []);
      if (this.solveValue(key, assignment).kind === "empty") return EMPTY;
    }
    const outcome = this.assignDemands(0, assignment);
    return outcome.kind === "empty" && this.uncertainty !== undefined
      ? createUnknownOutcome(this.uncertainty)
      : outcome;
  }

  private addLiteral({ atom, positive }: ObjectLiteral): void {
    const f = this.queries.formulas;
    switch (atom.kind) {
      case "has":
        this.namedKeys.add(atom.key);
        if (positive) this.requiredKeys.push(atom.key);
        else this.forbiddenKeys.add(atom.key);
        break;
      case "each":
        for (const name of atom.keys.names) this.namedKeys.add(name);
        if (positive) this.addRule(atom.keys, atom.value);
        else this.demands.push({ keys: atom.keys, name: f.anything, value: f.not(atom.value) });
        break;
      case "names":
        if (positive) this.nameRules.push(atom.value);
        else this.demands.push({ keys: ANY_KEY, name: f.not(atom.value), value: f.anything });
        break;
    }
  }

  private addRule(keys: KeySet, value: Formula): void {
    const [name] = keys.names;
    if (name !== undefined && keys.names.length === 1 && !keys.complement && keys.patterns.length === 0) {
      this.rulesByKey.set(name, [...(this.rulesByKey.get(name) ?? []), value]);
    } else this.rules.push({ keys, value });
  }

  /** Returns the conditions by which keys that no constraint names differ. */
  private findDistinctions(): readonly Formula[] {
    const f = this.queries.formulas;
    const sets = new Map([...this.rules, ...this.demands].map(({ keys }) => [serializeKeySet(keys), keys]));
    const conditions = [
      ...[...sets.values()].map((keys) => this.buildMembership(keys)),
      ...this.demands.map((demand) => demand.name),
    ];
    return [...new Set(conditions)].filter((each) => each !== f.anything && each !== f.nothing);
  }

  /** Returns the condition for a key that no constraint names to be in the set. */
  private buildMembership({ patterns, complement }: KeySet): Formula {
    const f = this.queries.formulas;
    const matchedNames = f.or(
      ...patterns.map((source) => f.literal({ type: "string", kind: "pattern", source })),
    );
    const strings = f.only("string");
    return complement ? f.or(f.except("string"), f.not(matchedNames)) : f.and(strings, matchedNames);
  }

  private isAllowed(key: string): boolean {
    return !this.forbiddenKeys.has(key) && this.nameRules.every((name) => this.queries.holds(name, key));
  }

  private canFulfil(key: string, { keys, name }: PropertyDemand): boolean {
    return isInKeySet(keys, key, this.queries.budget) && this.queries.holds(name, key);
  }

  private solveValue(key: string, assignment: Assignment): Outcome {
    const rules = this.rules
      .filter(({ keys }) => isInKeySet(keys, key, this.queries.budget))
      .map(({ value }) => value);
    return this.queries.solve([
      ...rules,
      ...(this.rulesByKey.get(key) ?? []),
      ...(assignment.get(key) ?? []),
    ]);
  }

  private assignDemands(index: number, assignment: Assignment): Outcome {
    const demand = this.demands[index];
    this.queries.budget.spend(1 + assignment.size);
    if (assignment.size > this.size.max) return EMPTY;
    if (!demand) return this.completeObject(assignment);
    return findFirstValue(this.listCandidates(demand, assignment), (key) => {
      const next = new Map(assignment).set(key, [...(assignment.get(key) ?? []), demand.value]);
      return this.solveValue(key, next).kind === "empty" ? EMPTY : this.assignDemands(index + 1, next);
    });
  }

  /**
   * Yields keys that may fulfil a demand: those that are chosen already, those that a constraint names, and one of each
   * other class.
   */
  private *listCandidates(demand: PropertyDemand, assignment: Assignment): Generator<string> {
    for (const key of assignment.keys()) if (this.canFulfil(key, demand)) yield key;
    if (assignment.size >= this.size.max) return;
    for (const key of this.namedKeys) {
      if (!assignment.has(key) && this.isAllowed(key) && this.canFulfil(key, demand)) yield key;
    }
    for (const conditions of this.listKeyClasses(
      [this.buildMembership(demand.keys), demand.name],
      assignment,
    )) {
      const outcome = this.queries.solve(conditions);
      if (outcome.kind === "value") yield outcome.value as string;
    }
  }

  /** Yields the conditions of each class of keys that no constraint names; the classes with the fewest rules come first. */
  private *listKeyClasses(
    conditions: readonly Formula[],
    assignment: Assignment,
  ): Generator<readonly Formula[]> {
    const f = this.queries.formulas;
    const otherKeys = [...new Set([...this.namedKeys, ...assignment.keys()])].sort();
    const isOther = f.not(f.literal({ type: "string", kind: "enum", values: otherKeys }));
    const exclusions = otherKeys.length > 0 ? [isOther] : [];
    yield* this.splitClasses([f.only("string"), ...exclusions, ...this.nameRules, ...conditions], 0);
  }

  private *splitClasses(conditions: readonly Formula[], index: number): Generator<readonly Formula[]> {
    const outcome = this.queries.solve(conditions);
    if (outcome.kind === "unknown") this.uncertainty = outcome.reason;
    if (outcome.kind !== "value") return;
    const distinction = this.distinctions[index];
    if (!distinction) {
      yield conditions;
      return;
    }
    yield* this.splitClasses([...conditions, this.queries.formulas.not(distinction)], index + 1);
    yield* this.splitClasses([...conditions, distinction], index + 1);
  }

  /** Adds free keys up to the least size and takes a value for every key. */
  private completeObject(assignment: Assignment): Outcome {
    const missingCount = this.size.min - assignment.size;
    if (missingCount > MAX_KEYS) return createUnknownOutcome(`an object of ${this.size.min} properties`);
    const complete = new Map(assignment);
    if (missingCount > 0) this.addFreeKeys(complete, missingCount);
    if (complete.size < this.size.min) return EMPTY;
    const members: [string, Json][] = [];
    let unknown: Outcome | undefined;
    for (const key of [...complete.keys()].sort()) {
      const outcome = this.solveValue(key, complete);
      if (outcome.kind === "empty") return EMPTY;
      if (outcome.kind === "value") members.push([key, outcome.value]);
      else unknown = outcome;
    }
    return unknown ?? createValueOutcome(createObject(members));
  }

  private addFreeKeys(assignment: Map<string, readonly Formula[]>, missingCount: number): void {
    const size = assignment.size + missingCount;
    const addKey = (key: string) => {
      if (assignment.size >= size || assignment.has(key)) return;
      const outcome = this.solveValue(key, assignment);
      if (outcome.kind === "unknown") this.uncertainty = outcome.reason;
      if (outcome.kind === "value") assignment.set(key, []);
    };
    for (const key of this.namedKeys) if (this.isAllowed(key)) addKey(key);
    if (assignment.size >= size) return;
    for (const conditions of this.listKeyClasses([], new Map(assignment))) {
      const count = size - assignment.size;
      const { values, isComplete } = this.queries.enumerate(conditions, count);
      for (const key of values) addKey(key as string);
      if (assignment.size >= size) return;
      if (!isComplete && values.length < count) this.uncertainty = "not all property names could be listed";
    }
  }
}
