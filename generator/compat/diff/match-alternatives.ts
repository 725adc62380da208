/** Decides which alternatives of a union are versions of which alternatives of another union. */
import { formatCanonicalJson, isObject, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Spot } from "../../schema/describe.js";
import { deriveTypes, findFixedValue, mergeFields } from "../../schema/merge.js";
import { getTargetName } from "../../schema/reference.js";
import { createView, digestMeaning } from "./view.js";

/** The alternatives of a value in one version. */
interface Union {
  readonly protocol: Pick<Protocol, "definitions">;
  readonly spots: readonly Spot[];
}

/** The alternatives that differ. Equal alternatives of both unions are left out. */
interface MatchedAlternatives {
  readonly pairs: readonly (readonly [old: Spot, now: Spot])[];
  readonly onlyBefore: readonly Spot[];
  readonly onlyAfter: readonly Spot[];
}

/** An alternative, with everything that may identify it. */
interface Alternative {
  readonly spot: Spot;
  /** The constant fields with their values as texts, and the value itself under the name "" if it is constant. */
  readonly constantFields: ReadonlyMap<string, string>;
  /** The entries of `constantFields` as texts. */
  readonly constants: ReadonlySet<string>;
  /** Those of `constants` that no other alternative of the union has. */
  readonly ownConstants: ReadonlySet<string>;
  /** The names of the definitions that the alternative consists of; empty if there are none. */
  readonly names: ReadonlySet<string>;
  /** The names of the fields that are not constant. */
  readonly freeFields: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
}

type Evidence = (old: Alternative, now: Alternative) => boolean;

/**
 * What shows that two alternatives are versions of one alternative, the strongest evidence first. Constants tell apart
 * alternatives by intention, so an alternative with constants and one without are versions of each other only if nothing
 * else distinguishes them.
 */
const EVIDENCE: readonly Evidence[] = [
  (old, now) => haveEqualConstants(old, now) && haveEqualNames(old, now),
  haveEqualConstants,
  (old, now) => countCommon(old.ownConstants, now.ownConstants) > 0,
  haveEqualNames,
  (old, now) =>
    mayBeVersions(old, now) && old.freeFields.size > 0 && areEqualSets(old.freeFields, now.freeFields),
];

/** Alternatives with less in common are not compared. */
const MIN_LIKENESS = 0.5;

/**
 * Matches the alternatives that differ by the strongest evidence that singles out one alternative on each side, whatever
 * their order is. The others are matched if no other alternative is as like, and they have enough in common.
 */
export function matchAlternatives(before: Union, after: Union): MatchedAlternatives {
  const oldAlternatives = listDiffering(before, after);
  const newAlternatives = listDiffering(after, before);
  const pairs: [old: Alternative, now: Alternative][] = [];
  const listUnmatched = () => ({
    olds: oldAlternatives.filter((each) => !pairs.some(([old]) => old === each)),
    news: newAlternatives.filter((each) => !pairs.some(([, now]) => now === each)),
  });
  for (const isEvident of EVIDENCE) {
    const { olds, news } = listUnmatched();
    pairs.push(...pairUnique(olds, news, isEvident));
  }
  const { olds, news } = listUnmatched();
  pairs.push(...pairUnique(olds, news, createMutualPreference(olds, news)));
  const rest = listUnmatched();
  return {
    pairs: pairs.map(([old, now]) => [old.spot, now.spot]),
    onlyBefore: rest.olds.map(({ spot }) => spot),
    onlyAfter: rest.news.map(({ spot }) => spot),
  };
}

/** Returns the alternatives that the other union does not have. */
function listDiffering(union: Union, other: Union): Alternative[] {
  const digestSpot = ({ protocol }: Union, { schema }: Spot) => digestMeaning(schema, protocol.definitions);
  const otherDigests = new Set(other.spots.map((spot) => digestSpot(other, spot)));
  const isDiffering = (spot: Spot) => !otherDigests.has(digestSpot(union, spot));
  if (!union.spots.some(isDiffering)) return [];
  const described = union.spots.map((spot) => describeAlternative(spot, union.protocol));
  const counts = new Map<string, number>();
  for (const { constants } of described)
    for (const each of constants) counts.set(each, (counts.get(each) ?? 0) + 1);
  return described
    .filter(({ spot }) => isDiffering(spot))
    .map((each) => ({
      ...each,
      ownConstants: new Set([...each.constants].filter((constant) => counts.get(constant) === 1)),
    }));
}

function describeAlternative(spot: Spot, protocol: Union["protocol"]): Omit<Alternative, "ownConstants"> {
  const view = createView([spot], protocol);
  const fields = [...mergeFields(view).keys()];
  const ownValue = findFixedValue(view);
  const constants = collectConstantFields(protocol, spot);
  if (ownValue !== undefined) constants.set("", ownValue);
  const entries = [...constants].map(([name, value]) => [name, formatCanonicalJson(value)] as const);
  return {
    spot,
    constantFields: new Map(entries),
    constants: new Set(entries.map((entry) => formatCanonicalJson(entry))),
    names: new Set(listReferredNames(spot)),
    freeFields: new Set(fields.filter((name) => !constants.has(name))),
    types: fields.length > 0 ? new Set(["object"]) : deriveTypes(view).set,
  };
}

/**
 * Returns the fields of an alternative that have only one value, with this value. If it has none, returns those of its
 * fields' fields, such as `vital/type`.
 */
function collectConstantFields(protocol: Union["protocol"], spot: Spot): Map<string, Json> {
  const fields = [...mergeFields(createView([spot], protocol)).values()];
  const collect = (list: typeof fields, prefix = ""): [string, Json][] =>
    list.flatMap(({ name, spots }) => {
      const value = findFixedValue(createView(spots, protocol));
      return value === undefined ? [] : [[prefix + name, value]];
    });
  const constants = collect(fields);
  if (constants.length > 0) return new Map(constants);
  return new Map(
    fields.flatMap(({ name, spots }) =>
      collect([...mergeFields(createView(spots, protocol)).values()], `${name}/`),
    ),
  );
}

/**
 * Returns whether an alternative stands for kinds of objects that are not known yet: it declares a field that each of the
 * others fixes to a value, and has no constant fields itself.
 */
export function isCatchAll(spot: Spot, union: readonly Spot[], protocol: Union["protocol"]): boolean {
  const others = union.filter(({ file, pointer }) => file !== spot.file || pointer !== spot.pointer);
  const constants = others.map((each) => collectConstantFields(protocol, each));
  const { constantFields, freeFields } = describeAlternative(spot, protocol);
  if (constantFields.size > 0) return false;
  return others.length > 0 && [...freeFields].some((name) => constants.every((each) => each.has(name)));
}

/** Returns the constant fields of an alternative as a text that identifies it; undefined if there are none. */
export function findTag(protocol: Protocol, spot: Spot): string | undefined {
  const constants = collectConstantFields(protocol, spot);
  return constants.size === 0 ? undefined : formatCanonicalJson(Object.fromEntries(constants));
}

/** Returns the names of the definitions that an alternative consists of. */
function listReferredNames({ schema }: Spot): string[] {
  if (!isObject(schema)) return [];
  const parts = [schema, ...(Array.isArray(schema.allOf) ? schema.allOf : [])];
  return parts.flatMap((part) => (isObject(part) ? (getTargetName(part) ?? []) : []));
}

/** Returns the pairs for which `isEvident` is true, and false for every other pair with one of the two. */
function pairUnique(
  olds: readonly Alternative[],
  news: readonly Alternative[],
  isEvident: Evidence,
): [old: Alternative, now: Alternative][] {
  return olds.flatMap((old): [old: Alternative, now: Alternative][] => {
    const [now, ...otherNews] = news.filter((each) => isEvident(old, each));
    if (now === undefined || otherNews.length > 0) return [];
    return olds.some((other) => other !== old && isEvident(other, now)) ? [] : [[old, now]];
  });
}

/** Returns evidence that is true if the two are more like each other than like every other alternative. */
function createMutualPreference(olds: readonly Alternative[], news: readonly Alternative[]): Evidence {
  const findHighest = (scores: readonly number[]) => Math.max(MIN_LIKENESS, ...scores);
  return (old, now) => {
    const likeness = scoreLikeness(old, now);
    return (
      likeness >= findHighest(news.map((other) => scoreLikeness(old, other))) &&
      likeness >= findHighest(olds.map((other) => scoreLikeness(other, now)))
    );
  };
}

/** Returns the share of the fields, or of the types, that both have; 0 if the two cannot be versions of each other. */
function scoreLikeness(old: Alternative, now: Alternative): number {
  if (!mayBeVersions(old, now) || (old.constants.size === 0) !== (now.constants.size === 0)) return 0;
  const haveFields = old.freeFields.size + now.freeFields.size > 0;
  const [a, b] = haveFields ? [old.freeFields, now.freeFields] : [old.types, now.types];
  return countCommon(a, b) / Math.max(a.size, b.size);
}

/** Returns whether the two have a type in common, and no constant field with different values. */
function mayBeVersions(old: Alternative, now: Alternative): boolean {
  const areExclusive = [...old.constantFields].some(
    ([name, value]) => (now.constantFields.get(name) ?? value) !== value,
  );
  return !areExclusive && countCommon(old.types, now.types) > 0;
}

function haveEqualConstants({ constants }: Alternative, other: Alternative): boolean {
  return constants.size > 0 && areEqualSets(constants, other.constants);
}

function haveEqualNames({ names }: Alternative, other: Alternative): boolean {
  return names.size > 0 && areEqualSets(names, other.names);
}

function areEqualSets(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && countCommon(a, b) === a.size;
}

function countCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((each) => b.has(each)).length;
}
