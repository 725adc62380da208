/** Finds renames among removed and added event types and resources, and groups those that follow one pattern. */

import { formatCanonicalJson } from "../../json.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { type Change, getFirstSubject, type Rule } from "../change.js";
import { type AlignedProtocols, compareEventPairs } from "../diff/align.js";
import { inlineReferences } from "../diff/view.js";
import type { SubjectPair } from "../proof/inclusion-checks.js";
import { EVENT_RULES } from "../rules/events.js";
import { FIELD_RULES } from "../rules/fields.js";
import { RESOURCE_RULES } from "../rules/resources.js";
import type { Side } from "../side.js";
import type { Subject } from "../subjects.js";
import {
  compareEvents,
  compareWords,
  createEventShapes,
  type EventLikeness,
  type ProtocolWithRenames,
} from "./event-likeness.js";
import { findMergedContrasts, findRegrouping, type Regrouping, type VersionShapes } from "./event-splits.js";
import { findFamilies } from "./families.js";
import { combineFieldRenames } from "./field-renames.js";
import { listOwnWords, replacesWords } from "./likeness.js";
import { type Candidate, LEAST_SCORE, type Match, matchNames, matchWithFollowers } from "./match.js";
import { findCommonPatterns, findFollowers } from "./patterns.js";
import { areContrasts } from "./synonyms.js";
import { SAME_TEXT, scoreTextLikeness, tellsApart } from "./text-likeness.js";
import { createTranslation } from "./word-replacements.js";

/** An event type or resource under a new name, a family of event types, or event types that were split or merged. */
export interface SubjectRename {
  readonly rule: Rule;
  /** The old name; the pattern `approval.*` for a family, or several names if event types were merged. */
  readonly from: string | readonly string[];
  /** The new name; a pattern for a family, or several names if an event type was split. */
  readonly to: string | readonly string[];
  readonly members: readonly (readonly [from: Subject, to: Subject])[];
  readonly declared: boolean;
  readonly score: number;
  readonly ties: readonly string[];
}

/** The contributions of the fields, the names and an equal stability to a score of 100. */
const SHAPE_WEIGHT = 60;
const NAME_WEIGHT = 30;
const STABILITY_WEIGHT = 10;

/** Two events with at least this many equal fields, and hardly any others, may be a rename, whatever their names are. */
const MANY_FIELDS = 3;
const LIKE_SHAPE = 0.8;
/** The least likeness of the names of other events. */
const LIKE_NAME = 0.5;
/** The least likeness of the names of events without fields of their own. */
const LIKE_NAME_WITHOUT_FIELDS = 0.75;
/** Names that differ in so little are a rename, whatever the fields are. */
const SAME_NAME = 0.85;
/** The score of events whose names alone are nearly the same, and of those that follow the pattern of other renames. */
const SAME_NAME_SCORE = 75;
const PATTERN_SCORE = 85;
/** Descriptions with fewer significant words are short. */
const MIN_WORDS_OF_LONG_TEXT = 8;
const SAME_TEXT_SCORE = 75;
/**
 * Two types without a common word in their names are a rename if they have so many fields that no other type has, and the
 * old type has not many more of them.
 */
const MIN_RARE_FIELDS = 2.5;
const RARE_SHARE = 0.4;
const OWN_FIELDS_SCORE = 75;
/** The same for types of which one has all words of the other's name, by the words of their fields at every depth. */
const MIN_OWN_WORDS = 2.5;
const OWN_WORDS_SHARE = 0.6;
/** The score of types whose names tell two things apart, merged into one. */
const MERGE_SCORE = 75;
/** A score that differs by so much is clearly better. */
const CLEAR_DIFFERENCE = 5;
/** The least likeness of the fields of an event that follows the pattern of a single rename. */
const CONSISTENT_SHAPE = 0.3;

/** Returns the renames among event types that only one side has. */
function findEventRenames(
  removed: readonly EventType[],
  added: readonly EventType[],
  before: ProtocolWithRenames,
  after: Protocol,
): SubjectRename[] {
  if (removed.length === 0 || added.length === 0) return [];
  const { old, now } = createEventShapes(before, after);
  const evidence = createEvidence(removed, { before: before.protocol, after }, { old, now });
  const { compareTypes, haveOwnWords } = evidence;
  const oldTypes = new Set(before.protocol.events.map(getType));
  const kept = after.events.filter(({ type }) => oldTypes.has(type));
  const candidates = removed
    .flatMap((from) => {
      const translated = before.translateName(from.type);
      return added.flatMap((to) => createCandidate(from, to, translated, evidence) ?? []);
    })
    .filter((candidate) => candidate.declared || !isAbsorbed(candidate, kept, compareTypes));
  const free = {
    from: removed,
    to: added.filter(({ renamedFrom }) => renamedFrom === undefined),
    getName: getType,
  };
  const isConsistent = (from: EventType, to: EventType): boolean =>
    isConsistentShape(compareTypes(from, to)) || haveOwnWords(from, to);
  const findFollowing = (found: readonly Match<EventType>[]): Candidate<EventType>[] =>
    [
      ...findFollowers(found, free, isConsistent),
      ...findCommonPatterns(free, {
        isConsistent,
        isProven: haveOwnWords,
        oldWords: old.wordCounts,
        newWords: now.wordCounts,
      }),
    ].map(([from, to, support]) => ({
      from,
      to,
      score: PATTERN_SCORE + Math.min(support, 10),
      declared: false,
    }));
  const matches = matchWithFollowers(candidates, findFollowing, getType).filter(
    (match) => match.score >= PATTERN_SCORE || !hasBetterCandidate(match, candidates),
  );
  const shapes = { getOld: old.getFields, getNew: now.getFields };
  const matched = new Set(matches.flatMap(({ from, to }) => [from, to]));
  const isFree = (event: EventType): boolean => !matched.has(event);
  const remaining = { from: removed.filter(isFree), to: free.to.filter(isFree) };
  const merges = findMergedContrasts(remaining.from, remaining.to, shapes);
  const merged = new Set(merges.flatMap(({ from, to }) => [...from, ...to]));
  const likeMatches = matchLikeTypes(remaining, compareTypes).filter(
    ({ from, to }) => !merged.has(from) && !merged.has(to),
  );
  const isApart = (event: EventType): boolean => !merged.has(event);
  const { regrouped, renamed } = separateRegroupings(
    [...matches, ...likeMatches],
    removed.filter(isApart),
    added.filter(isApart),
    shapes,
  );
  return [
    ...merges.map((merge) => describeRegrouping(merge, MERGE_SCORE)),
    ...regrouped,
    ...groupFamilies(renamed),
  ];
}

function getType({ type }: Subject): string {
  return type;
}

/**
 * Matches the remaining event types by their fields, whatever their names say. These matches are marked as ambiguous:
 * they may belong to a split or a merge, which the fields of all its types prove, and are no renames.
 */
function matchLikeTypes(
  free: { readonly from: readonly EventType[]; readonly to: readonly EventType[] },
  compareTypes: (from: EventType, to: EventType) => EventLikeness,
): Match<EventType>[] {
  const candidates = free.from.flatMap((from) =>
    free.to.flatMap((to) => {
      const score = scoreLikeness(compareTypes(from, to), from.stability === to.stability);
      return score >= LEAST_SCORE ? [{ from, to, score, declared: false }] : [];
    }),
  );
  return matchNames(candidates, getType).map((match) => ({ ...match, isAmbiguous: true }));
}

/** What decides whether two event types may be a rename. */
interface EventEvidence {
  readonly compareTypes: (from: EventType, to: EventType) => EventLikeness;
  readonly isDistinctive: (from: EventType, to: EventType) => boolean;
  /** Returns whether the types have several fields in common that no other type has, and either type fewer with another. */
  readonly haveOwnFields: (from: EventType, to: EventType) => boolean;
  /** Returns whether the types have several words in common that no other type has, at any depth. */
  readonly haveOwnWords: (from: EventType, to: EventType) => boolean;
}

function createEvidence(
  removed: readonly EventType[],
  { before, after }: { readonly before: Protocol; readonly after: Protocol },
  { old, now }: ReturnType<typeof createEventShapes>,
): EventEvidence {
  const compareTypes = (from: EventType, to: EventType) => compareEvents(from, to, old, now);
  const haveLikeFields = (from: EventType, to: EventType): boolean =>
    (compareTypes(from, to).shape ?? 1) >= LIKE_SHAPE;
  const isDistinctive = (from: EventType, to: EventType): boolean =>
    !after.events.some((other) => other !== to && haveLikeFields(from, other)) &&
    !removed.some((other) => other !== from && haveLikeFields(other, to));
  /** Returns whether neither type has more than half as much in common with another type of the other version. */
  const areClosest = (
    from: EventType,
    to: EventType,
    countCommon: (from: EventType, to: EventType) => number,
  ): boolean => {
    const common = countCommon(from, to);
    return (
      !after.events.some((other) => other !== to && countCommon(from, other) * 2 > common) &&
      !before.events.some((other) => other !== from && countCommon(other, to) * 2 > common)
    );
  };
  const haveOwnFields = (from: EventType, to: EventType): boolean => {
    const { rareFields, rareOldFields } = compareTypes(from, to);
    const hasMany = rareFields >= MIN_RARE_FIELDS && rareFields >= rareOldFields * RARE_SHARE;
    return hasMany && areClosest(from, to, (old, now) => compareTypes(old, now).rareFields);
  };
  const haveOwnWords = (from: EventType, to: EventType): boolean => {
    const { common, share } = compareWords(from, to, old, now);
    const hasMany = common >= MIN_OWN_WORDS && share >= OWN_WORDS_SHARE;
    return hasMany && areClosest(from, to, (a, b) => compareWords(a, b, old, now).common);
  };
  return { compareTypes, isDistinctive, haveOwnFields, haveOwnWords };
}

function createCandidate(
  from: EventType,
  to: EventType,
  /** The old name with the words that replaced its own in many names. */
  translated: string,
  { compareTypes, isDistinctive, haveOwnFields, haveOwnWords }: EventEvidence,
): Candidate<EventType> | undefined {
  if (to.renamedFrom === from.type) return { from, to, score: 100, declared: true };
  if (to.renamedFrom !== undefined) return undefined;
  const names = [from.type, translated];
  if (names.every((name) => areContrasts(...listOwnWords(name, to.type)))) return undefined;
  const likeness = compareTypes(from, to);
  // `order.paid` and `order.voided` have equal fields, whatever they mean.
  const needsEvidence = names.every((name) => replacesWords(name, to.type));
  const isCredible = !needsEvidence || (likeness.name === 0 && isDistinctive(from, to));
  const score = Math.max(
    isCredible ? scoreLikeness(likeness, from.stability === to.stability) : 0,
    likeness.name >= LIKE_NAME ? scoreDescriptions(from, to) : 0,
    likeness.name === 0 && haveOwnFields(from, to) ? OWN_FIELDS_SCORE : 0,
    !needsEvidence && haveOwnWords(from, to) ? OWN_FIELDS_SCORE : 0,
  );
  return score >= LEAST_SCORE ? { from, to, score, declared: false } : undefined;
}

/** Returns the score of event types whose long descriptions are nearly equal; 0 for all others. */
function scoreDescriptions(from: EventType, to: EventType): number {
  const [old, now] = [from, to].map(({ payload: { description } }) => String(description ?? ""));
  const text = scoreTextLikeness(old ?? "", now ?? "", MIN_WORDS_OF_LONG_TEXT) ?? 0;
  const isSame = text >= SAME_TEXT && !tellsApart([from.type, old ?? ""], [to.type, now ?? ""]);
  return isSame ? Math.round(text * SAME_TEXT_SCORE) : 0;
}

/** Returns whether the old type looks more like another new type, which is the new name of another old type. */
function hasBetterCandidate(
  { from, score }: Match<EventType>,
  candidates: readonly Candidate<EventType>[],
): boolean {
  return candidates.some((other) => other.from === from && other.score >= score + CLEAR_DIFFERENCE);
}

/** Returns whether the old type looks more like a type that both versions have, so that this one absorbed it. */
function isAbsorbed(
  { from, to, score }: Candidate<EventType>,
  kept: readonly EventType[],
  compareTypes: (from: EventType, to: EventType) => EventLikeness,
): boolean {
  const { name } = compareTypes(from, to);
  return kept.some((other) => {
    const likeness = compareTypes(from, other);
    return likeness.name > name && scoreLikeness(likeness, from.stability === other.stability) > score;
  });
}

/** Returns the score of a suspected rename; 0 if it is unlikely. */
function scoreLikeness(
  { shape, name, equalFields, ownFields }: EventLikeness,
  sameStability: boolean,
): number {
  const score = Math.round(
    (shape ?? LIKE_SHAPE) * SHAPE_WEIGHT + name * NAME_WEIGHT + (sameStability ? STABILITY_WEIGHT : 0),
  );
  if (name >= SAME_NAME) return Math.max(score, SAME_NAME_SCORE);
  if (shape === undefined) return name >= LIKE_NAME_WITHOUT_FIELDS ? score : 0;
  // The names of two events of one group (tool.a, tool.b) already score 0.5, so events with few fields must score more.
  const hasLikeNames = ownFields < 2 ? name > LIKE_NAME : name >= LIKE_NAME;
  return hasLikeNames || (equalFields >= MANY_FIELDS && shape >= LIKE_SHAPE) ? score : 0;
}

/** Returns whether the fields do not contradict a rename that the names suggest. */
function isConsistentShape({ shape }: EventLikeness): boolean {
  return shape === undefined || shape >= CONSISTENT_SHAPE;
}

/** Separates renames from event types that were split or merged. A declared rename is always a rename. */
function separateRegroupings(
  matches: readonly Match<EventType>[],
  removed: readonly EventType[],
  added: readonly EventType[],
  shapes: VersionShapes,
): { readonly regrouped: readonly SubjectRename[]; readonly renamed: readonly Match<EventType>[] } {
  const matched = new Set(matches.flatMap(({ from, to }) => [from, to]));
  const isFree = (event: EventType): boolean => !matched.has(event);
  const regrouped: SubjectRename[] = [];
  const renamed: Match<EventType>[] = [];
  for (const match of matches) {
    const free = { removed: removed.filter(isFree), added: added.filter(isFree) };
    const found = match.declared ? undefined : findRegrouping(match.from, match.to, free, shapes);
    if (found === undefined) {
      if (!match.isAmbiguous) renamed.push(match);
      continue;
    }
    for (const event of [...found.from, ...found.to]) matched.add(event);
    regrouped.push(describeRegrouping(found, match.score));
  }
  return { regrouped, renamed };
}

function describeRegrouping({ rule, from, to }: Regrouping, score: number): SubjectRename {
  const listSortedNames = (events: readonly EventType[]): string[] => events.map(({ type }) => type).sort();
  return {
    rule,
    from: listSortedNames(from),
    to: listSortedNames(to),
    declared: false,
    score,
    ties: [],
    members: from.flatMap((old) => to.map((now) => [old, now] as const)),
  };
}

/** Groups renames that follow one pattern. Declared and suspected renames are not in one family. */
function groupFamilies(matches: readonly Match<EventType>[]): SubjectRename[] {
  return [true, false].flatMap((declared) => {
    const members = matches.filter((match) => match.declared === declared);
    const getNames = ({ from, to }: Match<EventType>) => ({ from: from.type, to: to.type });
    const { families, single } = findFamilies(members, getNames, 2);
    return [
      ...families.map((family) => createRename(family.from, family.to, family.members)),
      ...single.map((match) => createRename(match.from.type, match.to.type, [match])),
    ];
  });
}

function createRename(from: string, to: string, members: readonly Match<EventType>[]): SubjectRename {
  return {
    rule: EVENT_RULES["event-renamed"],
    from,
    to,
    declared: members.every(({ declared }) => declared),
    members: members
      .map((each) => [each.from, each.to] as const)
      .sort(([a], [b]) => (a.type < b.type ? -1 : 1)),
    score: Math.min(...members.map(({ score }) => score)),
    ties: members.flatMap(({ ties }) => ties.map(({ type }) => type)),
  };
}

/** Returns the renames of resources that `x-renamed-from` declares, and new resources that are equal to removed ones. */
export function findResourceRenames(
  { removed, added }: { readonly removed: readonly Subject[]; readonly added: readonly Subject[] },
  { before, after }: { readonly before: Protocol; readonly after: Protocol },
): SubjectRename[] {
  const candidates = removed.flatMap((from) =>
    added.flatMap((to) => {
      const declared = to.renamedFrom === from.resource;
      const isSame =
        to.renamedFrom === undefined && inlineResource(from, before) === inlineResource(to, after);
      return declared || isSame ? [{ from, to, declared, score: 100 }] : [];
    }),
  );
  const matches = matchNames(candidates, getType).filter(({ isAmbiguous }) => !isAmbiguous);
  return matches.map(({ from, to, declared, score, ties }) => ({
    rule: RESOURCE_RULES["resource-renamed"],
    from: from.resource ?? "",
    to: to.resource ?? "",
    members: [[from, to]],
    declared,
    score,
    ties: ties.map(({ resource = "" }) => resource),
  }));
}

/** Returns the schema of a resource as a text, with references resolved, without texts, stability and x-since. */
function inlineResource({ payload }: Subject, { definitions }: Protocol): string {
  const { "x-stability": _stability, "x-since": _since, $schema: _dialect, ...rest } = payload;
  return formatCanonicalJson(inlineReferences(rest, definitions));
}

/** The renames between two versions. */
interface Renames {
  /** All changes of messages. Those of renamed and moved fields are combined. */
  readonly changes: readonly Change[];
  readonly events: readonly SubjectRename[];
  /** The renamed event types. The current ones have their old names, so that their fields alone differ. */
  readonly renamedPairs: readonly SubjectPair[];
}

/**
 * Finds the renames of fields and event types. Fields that were renamed count as equal in the event types. Then the fields
 * of renamed event types are compared, too, and their renames and moves are added.
 */
export function findRenames(
  { changes, removed, added: addedTypes }: AlignedProtocols,
  before: Side,
  after: Side,
): Renames {
  const combined = combineFieldRenames(changes, before, after);
  const fields = combined.filter(({ rule }) => rule === FIELD_RULES["field-renamed"]);
  const { translateName } = createTranslation(before.protocol, after.protocol);
  const renamed = new Map(fields.map(({ from, to }) => [String(from), String(to)]));
  const events = findEventRenames(
    removed,
    addedTypes,
    { protocol: before.protocol, renamed, translateName },
    after.protocol,
  );
  const renamedPairs = events
    .filter(({ rule }) => rule === EVENT_RULES["event-renamed"])
    .flatMap(({ members }) =>
      members.map(([old, now]) => ({ before: old, after: { ...now, type: old.type } })),
    );
  if (renamedPairs.length === 0) return { changes: combined, events, renamedPairs };
  const renamedEventChanges = compareEventPairs(before, after, renamedPairs);
  const oldTypes = new Set(renamedPairs.map((pair) => pair.before.type));
  // The changes of all event types are evidence for the renames in those that were renamed.
  const added = combineFieldRenames([...changes, ...renamedEventChanges], before, after)
    .filter((change) => oldTypes.has(getFirstSubject(change)))
    .flatMap(keepRename);
  return { changes: [...combined, ...added], events, renamedPairs };
}

/**
 * Returns a change of a renamed event type if it is a rename or a move of a field. The finding about the event type covers
 * the others. No event that can be sent now has the old type, so that only the loss of the old field is claimed.
 */
function keepRename(change: Change): Change[] {
  const { backward } = change.claim;
  const isRename = change.rule === FIELD_RULES["field-renamed"] || change.rule === FIELD_RULES["field-moved"];
  return isRename && backward ? [{ ...change, claim: { backward } }] : [];
}
