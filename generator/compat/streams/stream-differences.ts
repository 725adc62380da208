/** Finds the differences between two sets of stream rules, each as small as possible. */
import type { AnyStreamRule } from "../../conform/stream-rule.js";
import { STREAM_RULES } from "../../conform/stream-rules.js";
import { canonical, equal, isObject, type Json, type JsonObject, own } from "../../json.js";

/** One difference: a declaration, a member of one, or an element of a list in one. */
export interface StreamDifference {
  /** The member of `stream.rules`. */
  readonly member: string;
  /** What the declaration is about; never its place in a list. */
  readonly identity: Json;
  /** The names inside of the declaration; empty for the declaration itself. */
  readonly path: readonly string[];
  readonly isElement: boolean;
  readonly from?: Json;
  readonly to?: Json;
  /** The declaration on the side that has it, the baseline's if both do. */
  readonly declaration: Json;
  /** Pointer tokens below `stream.rules` on both sides, as far as they lead. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The baseline's rules with this difference alone. */
  apply(): JsonObject;
}

/** A declaration and its place. */
interface Declaration {
  readonly member: string;
  readonly identity: Json;
  readonly value: JsonObject;
  readonly tokens: readonly string[];
}

const RULES: ReadonlyMap<string, AnyStreamRule> = new Map(STREAM_RULES.map((rule) => [rule.member, rule]));

/** The members of the rules that no stream rule follows. */
export function unknownMembers(rules: JsonObject): string[] {
  return Object.keys(rules).filter((member) => !RULES.has(member));
}

/** Every difference between two sets of rules; none for reordered lists, split declarations and stated defaults. */
export function findStreamDifferences(before: JsonObject, after: JsonObject): StreamDifference[] {
  const [old, now] = [declarationsIn(before), declarationsIn(after)];
  const pairs = matchDeclarations(old, now);
  const rules = old.filter(({ member }) => member !== "");
  return [
    ...pairs.flatMap(([one, other]) => diffDeclarations(rules, one, other)),
    ...old
      .filter((each) => !pairs.some(([one]) => one === each))
      .map((each) => createDeclarationDifference(rules, each, "removed")),
    ...now
      .filter((each) => !pairs.some(([, other]) => other === each))
      .map((each) => createDeclarationDifference(rules, each, "added")),
  ];
}

function declarationsIn(rules: JsonObject): Declaration[] {
  return Object.entries(rules).flatMap(([member, declared]) => {
    const rule = RULES.get(member);
    if (!rule) return [];
    const list = Array.isArray(declared) ? declared : [declared];
    return list.filter(isObject).flatMap((value, index) => {
      const tokens = Array.isArray(declared) ? [member, String(index)] : [member];
      return splitDeclaration(rule, withoutDefaults(rule, value)).map((part) => ({
        ...{ member, value: part, tokens },
        identity: rule.comparison.identify(part),
      }));
    });
  });
}

function splitDeclaration({ comparison: { split } }: AnyStreamRule, value: JsonObject): JsonObject[] {
  const list = split === undefined ? undefined : value[split];
  return split === undefined || !Array.isArray(list)
    ? [value]
    : list.map((each) => ({ ...value, [split]: [each] }));
}

/** Removes flags that are off and empty optional lists that mean the same as absent ones. */
function withoutDefaults({ declaration, comparison }: AnyStreamRule, value: JsonObject): JsonObject {
  const { closed = [] } = comparison;
  const isDefault = (name: string, each: Json): boolean =>
    each === false ||
    (Array.isArray(each) &&
      each.length === 0 &&
      !declaration.required.includes(name) &&
      !closed.includes(name));
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => !isDefault(name, each)));
}

/** Whether the order of the list at `path` in a declaration has a meaning. */
function isOrdered(member: string, path: readonly string[]): boolean {
  return RULES.get(member)?.comparison.ordered?.includes(path.join("/")) === true;
}

/** Whether an empty list at `path` has another meaning than an absent one. */
function isClosed(member: string, path: readonly string[]): boolean {
  return RULES.get(member)?.comparison.closed?.includes(path.join("/")) === true;
}

/** Equal declarations first, then those about the same thing, then those that have most in common. */
function matchDeclarations(
  old: readonly Declaration[],
  now: readonly Declaration[],
): [Declaration, Declaration][] {
  const pairs: [Declaration, Declaration][] = [];
  const [leftOld, leftNow] = [new Set(old), new Set(now)];
  const match = (fits: (one: Declaration, other: Declaration) => number): void => {
    for (const one of leftOld) {
      const scored = [...leftNow]
        .filter(({ member }) => member === one.member)
        .map((other) => ({ other, score: fits(one, other) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      const [best] = scored;
      if (!best) continue;
      pairs.push([one, best.other]);
      leftOld.delete(one);
      leftNow.delete(best.other);
    }
  };
  match((one, other) =>
    Number(canonical(sortLists(one.member, one.value)) === canonical(sortLists(other.member, other.value))),
  );
  match((one, other) =>
    equal(one.identity, other.identity) ? 1 + scoreLikeness(one.value, other.value) : 0,
  );
  match((one, other) => {
    const score = scoreLikeness(one.value, other.value);
    return score >= 0.5 ? score : 0;
  });
  return pairs;
}

/** The declaration with lists in order where order means nothing. */
function sortLists(member: string, value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      Array.isArray(each) && !isOrdered(member, [name])
        ? [...each].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
        : each,
    ]),
  );
}

/** The share of values that two declarations have in common. */
function scoreLikeness(one: JsonObject, other: JsonObject): number {
  const [a, b] = [collectLeaves(one), new Set(collectLeaves(other))];
  return a.filter((leaf) => b.has(leaf)).length / Math.max(1, Math.min(a.length, b.size));
}

function collectLeaves(value: Json, at = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => collectLeaves(each, at));
  if (!isObject(value)) return [`${at} ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, each]) => collectLeaves(each, `${at}/${name}`));
}

type MutableRules = { [member: string]: Json };

/** Rules out of declarations; `change` replaces one, or removes it. */
function rulesOf(
  declarations: readonly Declaration[],
  change?: readonly [Declaration, JsonObject | undefined],
): JsonObject {
  const rules: MutableRules = {};
  const lists = new Map<string, Json[]>();
  for (const each of declarations) {
    const value = change?.[0] === each ? change[1] : each.value;
    if (value === undefined) continue;
    if (each.tokens.length === 1) rules[each.member] = value;
    else lists.set(each.member, [...(lists.get(each.member) ?? []), value]);
  }
  return { ...rules, ...Object.fromEntries(lists) };
}

function createDeclarationDifference(
  rules: readonly Declaration[],
  declared: Declaration,
  what: "removed" | "added",
): StreamDifference {
  const { member, identity, value, tokens } = declared;
  const isRemoved = what === "removed";
  return {
    ...{ member, identity, path: [], isElement: false, declaration: value },
    ...(isRemoved ? { from: value } : { to: value }),
    before: isRemoved ? tokens : [],
    after: isRemoved ? [] : tokens,
    apply: () => (isRemoved ? rulesOf(rules, [declared, undefined]) : rulesOf([...rules, declared])),
  };
}

interface Difference {
  readonly path: readonly string[];
  readonly isElement: boolean;
  readonly from?: Json;
  readonly to?: Json;
  /** The old value with this difference alone. */
  readonly changed: Json | undefined;
}

function diffDeclarations(
  rules: readonly Declaration[],
  old: Declaration,
  now: Declaration,
): StreamDifference[] {
  return diffValues(old.member, old.value, now.value, []).map(({ changed, path, ...rest }) => ({
    ...{ member: old.member, identity: old.identity, path, declaration: old.value, ...rest },
    before: [...old.tokens, ...path.slice(0, 1)],
    after: [...now.tokens, ...path.slice(0, 1)],
    apply: () => rulesOf(rules, [old, isObject(changed) ? changed : undefined]),
  }));
}

function diffValues(
  member: string,
  old: Json | undefined,
  now: Json | undefined,
  path: readonly string[],
): Difference[] {
  if (old !== undefined && now !== undefined && equal(old, now)) return [];
  if (isObject(old) && isObject(now)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name) =>
      diffValues(member, own(old, name), own(now, name), [...path, name]).map((each) => {
        const { [name]: _old, ...rest } = old;
        return { ...each, changed: each.changed === undefined ? rest : { ...old, [name]: each.changed } };
      }),
    );
  }
  const isEmptyByDefault = !isClosed(member, path);
  const [olds, news] = [old, now].map((value) => {
    if (value === undefined && isEmptyByDefault) return [];
    return Array.isArray(value) ? (value as readonly Json[]) : undefined;
  });
  if (olds && news && !isOrdered(member, path)) return findDifferingElements(olds, news, path);
  return [
    {
      path,
      isElement: false,
      ...(old !== undefined && { from: old }),
      ...(now !== undefined && { to: now }),
      changed: now,
    },
  ];
}

function findDifferingElements(
  old: readonly Json[],
  now: readonly Json[],
  path: readonly string[],
): Difference[] {
  const lacks = (list: readonly Json[], value: Json): boolean => !list.some((each) => equal(each, value));
  const removed = old.filter((each) => lacks(now, each));
  const added = now.filter((each) => lacks(old, each));
  return [
    ...removed.map((from) => ({ path, isElement: true, from, changed: old.filter((each) => each !== from) })),
    ...added.map((to) => ({ path, isElement: true, to, changed: [...old, to] })),
  ];
}
