/** Finds the differences between two sets of stream rules, each as small as possible. */
import type { AnyStreamRule } from "../../conform/stream-rule.js";
import { STREAM_RULES } from "../../conform/stream-rules.js";
import { areEqual, formatCanonicalJson, getOwn, isObject, type Json, type JsonObject } from "../../json.js";

/** One difference: a declaration, a member of a declaration, or an element of a list in a declaration. */
export interface StreamDifference {
  /** The member of `stream.rules`. */
  readonly member: string;
  /** Identifies the declaration by its content, because its index in a list may change. */
  readonly identity: Json;
  /** The path of member names inside of the declaration; empty for the declaration itself. */
  readonly path: readonly string[];
  readonly isElement: boolean;
  /** The index of an element that stands in the current list instead of a similar one of the baseline. */
  readonly index?: number;
  readonly from?: Json;
  readonly to?: Json;
  /** The declaration of the baseline; the current one if it was added. */
  readonly declaration: Json;
  /** The pointer tokens of the declaration and its member below `stream.rules`; empty on a side without it. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Returns the baseline's rules with this difference alone. */
  apply(): JsonObject;
}

/** A declaration and its place. */
interface Declaration {
  readonly member: string;
  readonly identity: Json;
  readonly value: JsonObject;
  readonly tokens: readonly string[];
}

const RULES_BY_MEMBER: ReadonlyMap<string, AnyStreamRule> = new Map(
  STREAM_RULES.map((rule) => [rule.member, rule]),
);

/** Returns the members of the rules that belong to no stream rule. */
export function listUnknownMembers(rules: JsonObject): string[] {
  return Object.keys(rules).filter((member) => !RULES_BY_MEMBER.has(member));
}

/** Returns all differences between two sets of rules. Reordered lists, split declarations and stated defaults do not count. */
export function findStreamDifferences(before: JsonObject, after: JsonObject): StreamDifference[] {
  const old = listDeclarations(before);
  const now = listDeclarations(after);
  const pairs = matchDeclarations(old, now);
  const whole = { path: [], isElement: false, changed: undefined } as const;
  return [
    ...pairs.flatMap(([one, other]) =>
      diffValues(one.member, one.value, other.value, []).map((change) =>
        createDifference(old, [one, other], change),
      ),
    ),
    ...old
      .filter((each) => !pairs.some(([one]) => one === each))
      .map((each) => createDifference(old, [each, undefined], { ...whole, from: each.value })),
    ...now
      .filter((each) => !pairs.some(([, other]) => other === each))
      .map((each) => createDifference(old, [undefined, each], { ...whole, to: each.value })),
  ];
}

/** Returns the declarations in stream rules, without defaults and split into parts that may differ independently. */
function listDeclarations(rules: JsonObject): Declaration[] {
  return Object.entries(rules).flatMap(([member, declared]) => {
    const rule = RULES_BY_MEMBER.get(member);
    if (!rule) return [];
    const list = Array.isArray(declared) ? declared : [declared];
    return list.filter(isObject).flatMap((value, index) => {
      const tokens = Array.isArray(declared) ? [member, String(index)] : [member];
      return splitDeclaration(rule, dropDefaults(rule, value)).map((part) => ({
        member,
        value: part,
        tokens,
        identity: rule.comparison.identify(part),
      }));
    });
  });
}

/** Splits a declaration into one for each element of the list that its rule names. */
function splitDeclaration({ comparison: { split } }: AnyStreamRule, value: JsonObject): JsonObject[] {
  const list = split === undefined ? undefined : value[split];
  return split === undefined || !Array.isArray(list)
    ? [value]
    : list.map((each) => ({ ...value, [split]: [each] }));
}

/** Removes flags that are off and empty optional lists that mean the same as absent ones. */
function dropDefaults({ declaration, comparison }: AnyStreamRule, value: JsonObject): JsonObject {
  const { closed = [] } = comparison;
  const isDefault = (name: string, each: Json): boolean =>
    each === false ||
    (Array.isArray(each) &&
      each.length === 0 &&
      !declaration.required.includes(name) &&
      !closed.includes(name));
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => !isDefault(name, each)));
}

/**
 * Returns whether the list at `path` in a declaration is `ordered`, so that its order has a meaning, or `closed`, so
 * that an empty list means something else than an absent one.
 */
function hasListTrait(trait: "ordered" | "closed", member: string, path: readonly string[]): boolean {
  return RULES_BY_MEMBER.get(member)?.comparison[trait]?.includes(path.join("/")) === true;
}

/** Pairs old and new declarations: equal ones first, then those of the same identity, then those that have most in common. */
function matchDeclarations(
  old: readonly Declaration[],
  now: readonly Declaration[],
): [Declaration, Declaration][] {
  const pairs: [Declaration, Declaration][] = [];
  const unmatchedOld = new Set(old);
  const unmatchedNew = new Set(now);
  const matchByScore = (scorePair: (one: Declaration, other: Declaration) => number): void => {
    for (const one of unmatchedOld) {
      const scoredPairs = [...unmatchedNew]
        .filter(({ member }) => member === one.member)
        .map((other) => ({ other, score: scorePair(one, other) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      const [best] = scoredPairs;
      if (!best) continue;
      pairs.push([one, best.other]);
      unmatchedOld.delete(one);
      unmatchedNew.delete(best.other);
    }
  };
  matchByScore((one, other) =>
    Number(
      formatCanonicalJson(sortLists(one.member, one.value)) ===
        formatCanonicalJson(sortLists(other.member, other.value)),
    ),
  );
  matchByScore((one, other) =>
    areEqual(one.identity, other.identity) ? 1 + scoreLikeness(one.value, other.value) : 0,
  );
  matchByScore((one, other) => {
    const score = scoreLikeness(one.value, other.value);
    return score >= MIN_LIKENESS ? score : 0;
  });
  return pairs;
}

/** Sorts the lists of a declaration whose order has no meaning. */
function sortLists(member: string, value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      Array.isArray(each) && !hasListTrait("ordered", member, [name])
        ? [...each].sort((a, b) => (formatCanonicalJson(a) < formatCanonicalJson(b) ? -1 : 1))
        : each,
    ]),
  );
}

/** The least share of common values of two declarations, or parts of them, that are versions of one. */
const MIN_LIKENESS = 0.5;

/** Returns the share of values that two declarations have in common. */
function scoreLikeness(one: JsonObject, other: JsonObject): number {
  const leaves = collectLeaves(one);
  const otherLeaves = new Set(collectLeaves(other));
  const commonLeaves = leaves.filter((leaf) => otherLeaves.has(leaf)).length;
  return commonLeaves / Math.max(1, Math.min(leaves.length, otherLeaves.size));
}

/** Returns a text for each value that is neither a list nor an object, with its path without list indexes. */
function collectLeaves(value: Json, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => collectLeaves(each, path));
  if (!isObject(value)) return [`${path} ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, each]) => collectLeaves(each, `${path}/${name}`));
}

/** Builds stream rules from declarations. */
function buildRules(declarations: readonly Declaration[]): JsonObject {
  const rules: { [member: string]: Json } = {};
  const lists = new Map<string, Json[]>();
  for (const { member, tokens, value } of declarations) {
    if (tokens.length === 1) rules[member] = value;
    else lists.set(member, [...(lists.get(member) ?? []), value]);
  }
  return { ...rules, ...Object.fromEntries(lists) };
}

/** A difference inside of a declaration. */
interface DeclarationChange extends Pick<StreamDifference, "path" | "isElement" | "index" | "from" | "to"> {
  /** The old value with this difference alone; undefined if the declaration is gone. */
  readonly changed: Json | undefined;
}

/** Creates the difference between two versions of a declaration, one of which may be absent. */
function createDifference(
  declarations: readonly Declaration[],
  [old, now]: readonly [Declaration, Declaration | undefined] | readonly [undefined, Declaration],
  { changed, path, ...change }: DeclarationChange,
): StreamDifference {
  const { member, identity, value } = old ?? now;
  const locate = (declared: Declaration | undefined): readonly string[] =>
    declared === undefined ? [] : [...declared.tokens, ...path.slice(0, 1)];
  return {
    member,
    identity,
    path,
    declaration: value,
    ...change,
    before: locate(old),
    after: locate(now),
    apply() {
      if (old === undefined) return buildRules([...declarations, now]);
      const others = declarations.filter((each) => each !== old || isObject(changed));
      return buildRules(
        others.map((each) => (each === old && isObject(changed) ? { ...old, value: changed } : each)),
      );
    },
  };
}

function diffValues(
  member: string,
  old: Json | undefined,
  now: Json | undefined,
  path: readonly string[],
): DeclarationChange[] {
  if (old !== undefined && now !== undefined && areEqual(old, now)) return [];
  if (isObject(old) && isObject(now)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name) =>
      diffValues(member, getOwn(old, name), getOwn(now, name), [...path, name]).map((each) => {
        const { [name]: _old, ...rest } = old;
        return { ...each, changed: each.changed === undefined ? rest : { ...old, [name]: each.changed } };
      }),
    );
  }
  const isEmptyByDefault = !hasListTrait("closed", member, path);
  const readList = (value: Json | undefined): readonly Json[] | undefined => {
    if (value === undefined && isEmptyByDefault) return [];
    return Array.isArray(value) ? value : undefined;
  };
  const oldList = readList(old);
  const newList = readList(now);
  if (oldList && newList && !hasListTrait("ordered", member, path))
    return findDifferingElements(oldList, newList, path);
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
): DeclarationChange[] {
  const { lost, gained, altered } = matchElements(old, now);
  return [
    ...altered.map(
      ([from, to]): DeclarationChange => ({
        path,
        isElement: true,
        index: now.indexOf(to),
        from,
        to,
        changed: old.map((each) => (each === from ? to : each)),
      }),
    ),
    ...lost.map((from) => ({ path, isElement: true, from, changed: old.filter((each) => each !== from) })),
    ...gained.map((to) => ({ path, isElement: true, to, changed: [...old, to] })),
  ];
}

/** Pairs the objects that only one of two lists has with those of the other list that have most in common. */
function matchElements(old: readonly Json[], now: readonly Json[]) {
  const listMissing = (from: readonly Json[], others: readonly Json[]): Json[] =>
    from.filter((value) => !others.some((other) => areEqual(other, value)));
  const gained = listMissing(now, old);
  const altered: [from: Json, to: Json][] = [];
  const lost = listMissing(old, now).filter((from) => {
    const score = (to: Json): number => (isObject(from) && isObject(to) ? scoreLikeness(from, to) : 0);
    const [best] = [...gained].sort((a, b) => score(b) - score(a));
    if (best === undefined || score(best) < MIN_LIKENESS) return true;
    gained.splice(gained.indexOf(best), 1);
    altered.push([from, best]);
    return false;
  });
  return { lost, gained, altered };
}

/** Returns a clause for each difference between two values; `place` is their place, such as `changes[1].to`. */
export function describeDifferences(place: string, from: Json | undefined, to: Json | undefined): string[] {
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) =>
      describeDifferences(place === "" ? name : `${place}.${name}`, getOwn(from, name), getOwn(to, name)),
    );
  }
  if (from !== undefined && to !== undefined && areEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to)) {
    const { lost, gained, altered } = matchElements(from, to);
    const clauses = [
      ...altered.flatMap(([one, other]) => describeDifferences(`${place}[${to.indexOf(other)}]`, one, other)),
      ...lost.map((each) => `${place} lost ${JSON.stringify(each)}`),
      ...gained.map((each) => `${place} gained ${JSON.stringify(each)}`),
    ];
    return clauses.length > 0 ? clauses : [`the order of ${place} differs`];
  }
  const [old, now] = [JSON.stringify(from), JSON.stringify(to)];
  if (to === undefined) return [`${place} ${old} was removed`];
  return [from === undefined ? `${place} is ${now} now` : `${place} is ${now} now and was ${old}`];
}
