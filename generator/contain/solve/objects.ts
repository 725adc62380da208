/**
 * Is there an object that satisfies all literals: about all its properties, about some property, and about its size?
 *
 * Keys form classes that no constraint distinguishes: each key that a constraint names is a class of its own, and the
 * others are divided by the patterns that match them. Each demanded property is assigned to a key of some class, and may
 * share a key with another demand. Free keys are then added up to the least size. Trying all assignments makes "empty" a
 * proof.
 */
import { type Json, objectFrom } from "../../json.js";
import { type Atom, type Formula, type KeySet, keySetKey } from "../formula.js";
import { keySetHas } from "./evaluate.js";
import { EMPTY, firstValue, found, type Outcome, unknown, type ValueQueries } from "./outcome.js";
import { sizeRange } from "./strings.js";

/** An atom about objects, or its complement. */
interface ObjectLiteral {
  readonly atom: Atom & { readonly on: "object" };
  readonly positive: boolean;
}

/** Some property must have a key in `keys` that satisfies `name`, and a value that satisfies `value`. */
interface Demand {
  readonly keys: KeySet;
  readonly name: Formula;
  readonly value: Formula;
}

/** The keys that were chosen so far, with the formulas that their values must satisfy in addition to the rules. */
type Chosen = ReadonlyMap<string, readonly Formula[]>;

const MOST_KEYS = 2_000;
const ANY_KEY: KeySet = { names: [], patterns: [], complement: true };

/** Returns an object of which all the literals hold. */
export function solveObjects(literals: readonly ObjectLiteral[], queries: ValueQueries): Outcome {
  return new ObjectSearch(literals, queries).run();
}

class ObjectSearch {
  private readonly size: { readonly min: number; readonly max: number };
  private readonly required: string[] = [];
  private readonly forbidden = new Set<string>();
  private readonly named = new Map<string, Formula[]>();
  private readonly rules: { readonly keys: KeySet; readonly value: Formula }[] = [];
  private readonly names: Formula[] = [];
  private readonly demands: Demand[] = [];
  private readonly mentioned = new Set<string>();
  private distinctions: readonly Formula[] = [];
  private uncertainty: string | undefined;

  constructor(
    literals: readonly ObjectLiteral[],
    private readonly queries: ValueQueries,
  ) {
    this.size = sizeRange(literals);
    for (const literal of literals) this.addLiteral(literal);
    this.distinctions = this.findDistinctions();
  }

  run(): Outcome {
    const { required, size } = this;
    if (size.min > size.max || required.length > size.max) return EMPTY;
    const chosen = new Map<string, readonly Formula[]>();
    for (const key of required) {
      if (!this.isAllowed(key)) return EMPTY;
      chosen.set(key, []);
      if (this.valueOf(key, chosen).is === "empty") return EMPTY;
    }
    const outcome = this.assign(0, chosen);
    return outcome.is === "empty" && this.uncertainty !== undefined ? unknown(this.uncertainty) : outcome;
  }

  private addLiteral({ atom, positive }: ObjectLiteral): void {
    const f = this.queries.formulas;
    switch (atom.is) {
      case "has":
        this.mentioned.add(atom.key);
        if (positive) this.required.push(atom.key);
        else this.forbidden.add(atom.key);
        break;
      case "each":
        for (const name of atom.keys.names) this.mentioned.add(name);
        if (positive) this.addRule(atom.keys, atom.value);
        else this.demands.push({ keys: atom.keys, name: f.anything, value: f.not(atom.value) });
        break;
      case "names":
        if (positive) this.names.push(atom.value);
        else this.demands.push({ keys: ANY_KEY, name: f.not(atom.value), value: f.anything });
        break;
    }
  }

  private addRule(keys: KeySet, value: Formula): void {
    const [name] = keys.names;
    if (name !== undefined && keys.names.length === 1 && !keys.complement && keys.patterns.length === 0) {
      this.named.set(name, [...(this.named.get(name) ?? []), value]);
    } else this.rules.push({ keys, value });
  }

  /** Returns the conditions by which keys that no constraint names differ. */
  private findDistinctions(): readonly Formula[] {
    const f = this.queries.formulas;
    const sets = new Map([...this.rules, ...this.demands].map(({ keys }) => [keySetKey(keys), keys]));
    const conditions = [
      ...[...sets.values()].map((keys) => this.membership(keys)),
      ...this.demands.map((d) => d.name),
    ];
    return [...new Set(conditions)].filter((each) => each !== f.anything && each !== f.nothing);
  }

  /** Returns the condition for a key that no constraint names to be in the set. */
  private membership({ patterns, complement }: KeySet): Formula {
    const f = this.queries.formulas;
    const matched = f.or(...patterns.map((source) => f.literal({ on: "string", is: "pattern", source })));
    const strings = f.only("string");
    return complement ? f.or(f.except("string"), f.not(matched)) : f.and(strings, matched);
  }

  private isAllowed(key: string): boolean {
    return !this.forbidden.has(key) && this.names.every((name) => this.queries.holds(name, key));
  }

  private canMeet(key: string, { keys, name }: Demand): boolean {
    return keySetHas(keys, key, this.queries.budget) && this.queries.holds(name, key);
  }

  private valueOf(key: string, chosen: Chosen): Outcome {
    const rules = this.rules
      .filter(({ keys }) => keySetHas(keys, key, this.queries.budget))
      .map(({ value }) => value);
    return this.queries.solve([...rules, ...(this.named.get(key) ?? []), ...(chosen.get(key) ?? [])]);
  }

  private assign(index: number, chosen: Chosen): Outcome {
    const demand = this.demands[index];
    this.queries.budget.spend(1 + chosen.size);
    if (chosen.size > this.size.max) return EMPTY;
    if (!demand) return this.complete(chosen);
    return firstValue(this.candidates(demand, chosen), (key) => {
      const next = new Map(chosen).set(key, [...(chosen.get(key) ?? []), demand.value]);
      return this.valueOf(key, next).is === "empty" ? EMPTY : this.assign(index + 1, next);
    });
  }

  /** Yields keys that may meet a demand: one that is chosen already, one that a constraint names, one of each other class. */
  private *candidates(demand: Demand, chosen: Chosen): Generator<string> {
    for (const key of chosen.keys()) if (this.canMeet(key, demand)) yield key;
    if (chosen.size >= this.size.max) return;
    for (const key of this.mentioned) {
      if (!chosen.has(key) && this.isAllowed(key) && this.canMeet(key, demand)) yield key;
    }
    for (const conditions of this.classes([this.membership(demand.keys), demand.name], chosen)) {
      const outcome = this.queries.solve(conditions);
      if (outcome.is === "value") yield outcome.value as string;
    }
  }

  /** Yields the classes of keys that no constraint names, as conditions; those with the fewest rules come first. */
  private *classes(conditions: readonly Formula[], chosen: Chosen): Generator<readonly Formula[]> {
    const f = this.queries.formulas;
    const taken = [...new Set([...this.mentioned, ...chosen.keys()])].sort();
    const fresh = f.not(f.literal({ on: "string", is: "enum", values: taken }));
    const free = taken.length > 0 ? [fresh] : [];
    yield* this.splitClasses([f.only("string"), ...free, ...this.names, ...conditions], 0);
  }

  private *splitClasses(conditions: readonly Formula[], index: number): Generator<readonly Formula[]> {
    const outcome = this.queries.solve(conditions);
    if (outcome.is === "unknown") this.uncertainty = outcome.reason;
    if (outcome.is !== "value") return;
    const distinction = this.distinctions[index];
    if (!distinction) {
      yield conditions;
      return;
    }
    yield* this.splitClasses([...conditions, this.queries.formulas.not(distinction)], index + 1);
    yield* this.splitClasses([...conditions, distinction], index + 1);
  }

  /** Adds free keys up to the least size and takes a value for every key. */
  private complete(chosen: Chosen): Outcome {
    const need = this.size.min - chosen.size;
    if (need > MOST_KEYS) return unknown(`an object of ${this.size.min} properties`);
    const all = new Map(chosen);
    if (need > 0) this.addFreeKeys(all, need);
    if (all.size < this.size.min) return EMPTY;
    const members: [string, Json][] = [];
    let missing: Outcome | undefined;
    for (const key of [...all.keys()].sort()) {
      const value = this.valueOf(key, all);
      if (value.is === "empty") return EMPTY;
      if (value.is === "value") members.push([key, value.value]);
      else missing = value;
    }
    return missing ?? found(objectFrom(members));
  }

  private addFreeKeys(all: Map<string, readonly Formula[]>, need: number): void {
    const target = all.size + need;
    const add = (key: string) => {
      if (all.size >= target || all.has(key)) return;
      const outcome = this.valueOf(key, all);
      if (outcome.is === "unknown") this.uncertainty = outcome.reason;
      if (outcome.is === "value") all.set(key, []);
    };
    for (const key of this.mentioned) if (this.isAllowed(key)) add(key);
    if (all.size >= target) return;
    const start: Chosen = new Map(all);
    for (const conditions of this.classes([], start)) {
      const wanted = target - all.size;
      const { values, complete } = this.queries.enumerate(conditions, wanted);
      for (const key of values) add(key as string);
      if (all.size >= target) return;
      if (!complete && values.length < wanted) this.uncertainty = "not all property names could be listed";
    }
  }
}
