/** Finds renames and moves among removed and added fields. A suspected rename changes the message, never the verdict. */
import { getOwn, isObject, type Json } from "../../json.js";
import type { Spot } from "../../schema/describe.js";
import { mergeFields } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { inlineReferences, mergeFieldsOfBranches } from "../diff/view.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side } from "../side.js";
import { combineFieldMoves, findCertainMoves } from "./field-moves.js";
import { countFieldPairs, createHolderKey, type FieldPairCounts } from "./field-pairs.js";
import { listOwnWords, replacesWords, scoreNameLikeness, splitWords } from "./likeness.js";
import { type Candidate, groupBy, LEAST_SCORE, type Match, matchWithFollowers } from "./match.js";
import { findFollowers } from "./patterns.js";
import { isNearlyEmpty, isPlain, scoreShapeLikeness } from "./shape-likeness.js";
import {
  type NameAndText,
  readDescription,
  scoreMention,
  scoreTextLikeness,
  tellsApart,
} from "./text-likeness.js";

/** The contributions of the kinds of likeness to a score of 100. */
const SHAPE_WEIGHT = 45;
const REQUIRED_WEIGHT = 10;
const NEIGHBOUR_WEIGHT = 15;
const NAME_WEIGHT = 30;
/** The weight of shapes that many fields have by chance. */
const NEARLY_EMPTY_SHAPE_WEIGHT = 30;
/** Added for equal descriptions, and for long ones that are nearly equal; one that only names the other field adds less. */
const TEXT_WEIGHT = 15;
const LONG_TEXT_WEIGHT = 25;
const MENTION_WEIGHT = 10;
/** Added if many objects lost the old field and got the new one. */
const REPEATED_WEIGHT = 20;
/** The least likeness of the names of fields that many others have by chance, unless the descriptions are alike. */
const MIN_NAME_LIKENESS = 0.3;
const LIKE_TEXT = 0.6;
const LIKE_NAME = 0.5;
/** Descriptions with at least so many words that have this likeness are nearly equal. */
const MIN_WORDS_OF_LONG_TEXT = 5;
const SAME_TEXT = 0.8;
/** The least likeness of a field and of an object that other fields moved into. */
const LIKE_SHAPE = 0.5;
/** The likeness of names that follow the pattern of another rename. */
const PATTERN_LIKENESS = 0.9;

/** Combines removed and added fields where one looks like the other under a new name or at a new place. */
export function combineFieldRenames(changes: readonly Change[], before: Side, after: Side): Change[] {
  const removed = changes.filter(({ rule }) => rule.field?.change === "removed");
  const declared = changes.filter(({ rule }) => rule.field?.change === "added");
  const added = [...declared, ...listAdditionsInAlternatives(removed, declared, before, after)];
  if (removed.length === 0 || added.length === 0) return [...changes];
  const pairs = countFieldPairs(removed, added);
  // A field that kept its name at another place was not renamed.
  const moved = findCertainMoves([...removed, ...added], { before, after, pairs });
  const movedFields = new Set(
    moved.flatMap(({ from, to }) => [from.change, ...(to.names.length === 1 ? [to.change] : [])]),
  );
  const isFree = (change: Change): boolean => !movedFields.has(change);
  const filledObjects = new Set(moved.map(({ to }) => to.change));
  const renames = findRenames(removed.filter(isFree), added.filter(isFree), {
    before,
    after,
    pairs,
    filledObjects,
  });
  const matched = new Set<Change>(renames.flatMap(({ from, to }) => [from, to]));
  const renamed = renames.map(({ from, to, score, declared, ties }) => ({
    ...from,
    rule: FIELD_RULES["field-renamed"],
    from: from.name,
    to: to.name,
    ...(to.after && { after: to.after }),
    content: [from.content ?? null, to.content ?? null],
    rename: { score, declared, ties: ties.map(({ name }) => name) },
  }));
  const rest = changes.filter((change) => !matched.has(change));
  return [...combineFieldMoves(rest, moved, { before, after, pairs }), ...renamed];
}

/**
 * Returns the fields that only alternatives of an object declare now, where fields of the object were removed. The
 * comparison reports them as changes of the alternatives.
 */
function listAdditionsInAlternatives(
  removed: readonly Change[],
  added: readonly Change[],
  before: Side,
  after: Side,
): Change[] {
  const known = new Set(added.map(createPlaceKey));
  const holders = groupBy(removed, createHolderKey);
  return [...holders.values()].flatMap(([first]) => {
    if (!first?.views) return [];
    const oldFields = mergeFieldsOfBranches(first.views.before.spots, before.protocol);
    const newFields = mergeFieldsOfBranches(first.views.after.spots, after.protocol);
    return [...newFields.values()].flatMap(({ name, spots: [spot] }): Change[] => {
      if (spot === undefined || oldFields.has(name)) return [];
      const { views, places, claim } = first;
      const rule = FIELD_RULES["field-added-optional"];
      const change: Change = { rule, name, claim, places, after: spot, ...(views && { views }) };
      return known.has(createPlaceKey(change)) ? [] : [change];
    });
  });
}

/** Both versions of a comparison. */
interface Sides {
  readonly before: Side;
  readonly after: Side;
  readonly pairs: FieldPairCounts;
  /** New objects that other fields moved into. */
  readonly filledObjects: ReadonlySet<Change>;
}

function findRenames(removed: readonly Change[], added: readonly Change[], sides: Sides): Match<Change>[] {
  const addedByHolder = groupBy(added, createHolderKey);
  const removedByHolder = groupBy(removed, createHolderKey);
  const findInHolders = (find: (from: readonly Change[], to: readonly Change[]) => Candidate<Change>[]) =>
    [...removedByHolder].flatMap(([holder, from]) => find(from, addedByHolder.get(holder) ?? []));
  const candidates = findInHolders((from, to) =>
    from.flatMap((old) => to.flatMap((now) => createCandidates(old, now, sides))),
  );
  const findFollowing = (found: readonly Match<Change>[]) =>
    findInHolders((from, to) => {
      const free = { from, to, getName: ({ name }: Change) => name };
      return findFollowers(found, free, () => true).flatMap(([old, now]) =>
        createCandidates(old, now, sides, PATTERN_LIKENESS),
      );
    });
  const matches = matchWithFollowers(candidates, findFollowing, createPlaceKey);
  return matches.filter(({ isAmbiguous }) => !isAmbiguous);
}

function createPlaceKey(change: Change): string {
  return `${change.name} ${createHolderKey(change)}`;
}

function createCandidates(from: Change, to: Change, sides: Sides, minNameLikeness = 0): Candidate<Change>[] {
  const declaredOldName = readDeclaredOldName(to);
  if (declaredOldName === from.name) return [{ from, to, score: 100, declared: true }];
  if (declaredOldName !== undefined) return [];
  if (isUnrelatedAddition(from, to, sides)) return [];
  const score = scoreFields(from, to, sides, minNameLikeness);
  return score >= LEAST_SCORE ? [{ from, to, score, declared: false }] : [];
}

/** Returns whether a field was added to many objects that did not have the old one. */
function isUnrelatedAddition(from: Change, to: Change, { pairs }: Sides): boolean {
  return pairs.isUnrelatedAddition(from.name, to.name) && !isReplacement(from, to, pairs);
}

/** Returns whether most objects that lost a field got another one with a similar name. */
function isReplacement({ name: from }: Change, { name: to }: Change, pairs: FieldPairCounts): boolean {
  return pairs.isUsuallyBeside(from, to) && scoreNameLikeness(from, to) >= LIKE_NAME;
}

/** Returns the score of a suspected rename; 0 if it is unlikely. */
function scoreFields(from: Change, to: Change, sides: Sides, minNameLikeness: number): number {
  const old = inlineShape(from.before, sides.before);
  const now = inlineShape(to.after, sides.after);
  const shape = scoreShapeLikeness(old, now);
  const name = Math.max(minNameLikeness, scoreNameLikeness(from.name, to.name));
  const oldText = readDescription(from.before?.schema, sides.before.protocol.definitions);
  const newText = readDescription(to.after?.schema, sides.after.protocol.definitions);
  const text = scoreTextLikeness(oldText, newText);
  const isSameText = (scoreTextLikeness(oldText, newText, MIN_WORDS_OF_LONG_TEXT) ?? 0) >= SAME_TEXT;
  const { pairs } = sides;
  const isRepeated = pairs.isRepeated(from.name, to.name) || isReplacement(from, to, pairs);
  const isEmpty = isNearlyEmpty(old);
  const hasLikeNames = isEmpty ? name >= MIN_NAME_LIKENESS : name > 0 || shape === 1;
  // `servicePort` did not become `service` if `serviceName` became `service/name`.
  if (sides.filledObjects.has(to) && shape < LIKE_SHAPE) return 0;
  if (shape === 0 || !(hasLikeNames || (text ?? 0) >= LIKE_TEXT)) return 0;
  const isTextAlike = (text ?? 0) >= LIKE_TEXT && !tellsApart([from.name, oldText], [to.name, newText]);
  // Fields such as `run_id` and `session_id` have equal shapes and neighbours, whatever they mean.
  const needsEvidence =
    minNameLikeness === 0 &&
    (replacesWords(from.name, to.name)
      ? isPlain(old) || isObjectShape(old)
      : isPlain(old) && !sharesOwnWord(from, to) && !namesHolder(from, to));
  const isUsual = isRepeated || pairs.isCommonReplacement(from.name, to.name);
  if (needsEvidence && !isTextAlike && !isUsual) return 0;
  const mention = scoreMentions([from.name, oldText], [to.name, newText]) * MENTION_WEIGHT;
  const score =
    shape * (isEmpty ? NEARLY_EMPTY_SHAPE_WEIGHT : SHAPE_WEIGHT) +
    scoreRequired(from, to) * REQUIRED_WEIGHT +
    scoreNeighbours(from, to, sides.pairs) * NEIGHBOUR_WEIGHT +
    name * NAME_WEIGHT +
    (text === undefined ? mention : text * (isSameText ? LONG_TEXT_WEIGHT : TEXT_WEIGHT)) +
    (isRepeated ? REPEATED_WEIGHT : 0);
  return Math.min(99, Math.round(score));
}

/** Returns whether two names share a word that no field beside both has. Among many URLs, `url` and `html_url` share none. */
function sharesOwnWord(from: Change, to: Change): boolean {
  const [gone] = listOwnWords(from.name, to.name);
  const siblings = listSiblings(from, to);
  return splitWords(from.name).some((word) => !gone.includes(word) && !siblings.has(word));
}

/** Returns whether one name adds only words of the object that has the field: `messageId` and `id` of a message. */
function namesHolder({ name, places: [place] }: Change, to: Change): boolean {
  const holder = splitWords(`${place?.event} ${place?.path}`);
  return listOwnWords(name, to.name)
    .flat()
    .every((word) => holder.includes(word));
}

/** Returns the words of the names of the fields that the objects of both sides have. */
function listSiblings(from: Change, to: Change): Set<string> {
  if (!from.views || !to.views) return new Set();
  const now = mergeFields(to.views.after);
  const kept = [...mergeFields(from.views.before).keys()].filter((name) => now.has(name));
  return new Set(kept.flatMap(splitWords));
}

function isObjectShape(schema: Json): boolean {
  return isObject(schema) && (isObject(schema.properties) || schema.type === "object");
}

/** Returns the share of the words of a name that the description of the other field has, if only this one has a description. */
function scoreMentions([oldName, oldText]: NameAndText, [newName, newText]: NameAndText): number {
  if (oldText === "") return scoreMention(oldName, newText);
  return newText === "" ? scoreMention(newName, oldText) : 0;
}

/** Returns the name that a new field declares to replace. */
function readDeclaredOldName({ after }: Change): string | undefined {
  const stated = isObject(after?.schema) ? getOwn(after.schema, "x-renamed-from") : undefined;
  return typeof stated === "string" ? stated : undefined;
}

function inlineShape(spot: Spot | undefined, { protocol }: Side) {
  return inlineReferences(spot?.schema ?? true, protocol.definitions);
}

function scoreRequired(from: Change, to: Change): number {
  return from.rule.field?.required === to.rule.field?.required ? 1 : 0;
}

/** Returns 1 if both fields have the same neighbour on one side, or the same index; otherwise 0. */
function scoreNeighbours(from: Change, to: Change, pairs: FieldPairCounts): number {
  if (!from.views || !to.views) return 0;
  const old = [...mergeFields(from.views.before).keys()];
  // A field that many objects got moves all others by one place.
  const now = [...mergeFields(to.views.after).keys()].filter(
    (name) => name === to.name || !pairs.isCommonAddition(name),
  );
  const oldIndex = old.indexOf(from.name);
  const newIndex = now.indexOf(to.name);
  const hasSamePredecessor = oldIndex > 0 && old[oldIndex - 1] === now[newIndex - 1];
  const hasSameSuccessor = oldIndex + 1 < old.length && old[oldIndex + 1] === now[newIndex + 1];
  return oldIndex === newIndex || hasSamePredecessor || hasSameSuccessor ? 1 : 0;
}
