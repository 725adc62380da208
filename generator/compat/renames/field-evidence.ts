/** Scores what speaks for the rename of a field: its schema, name, description, place and neighbours. */
import { isObject, type Json } from "../../json.js";
import { memoizeByObject } from "../../sample/memoize.js";
import type { Spot } from "../../schema/describe.js";
import { mergeFields } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { digestMeaning, inlineReferences, type View } from "../diff/view.js";
import type { Side } from "../side.js";
import type { FieldPairCounts } from "./field-pairs.js";
import { listOwnWords, normalizeName, replacesWords, scoreNameLikeness, splitWords } from "./likeness.js";
import { isNearlyEmpty, isPlain, scoreShapeLikeness } from "./shape-likeness.js";
import { areContrasts } from "./synonyms.js";
import {
  mentionsWords,
  type NameAndText,
  readDescription,
  refersTo,
  SAME_TEXT,
  scoreMention,
  scoreTextLikeness,
  statesRename,
  tellsApart,
  UNLIKE_TEXT,
} from "./text-likeness.js";
import type { Translation } from "./word-replacements.js";

/** The contributions of the kinds of likeness to a score of 100. */
const SHAPE_WEIGHT = 45;
const REQUIRED_WEIGHT = 10;
const NEIGHBOUR_WEIGHT = 15;
const NAME_WEIGHT = 30;
/** The weight of shapes that many fields have by chance. */
const NEARLY_EMPTY_SHAPE_WEIGHT = 30;
/** The weight of schemas with nothing in common if several fields changed name and type in the same way. */
const CHANGED_TYPE_WEIGHT = 30;
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
/** Descriptions with fewer words are short. */
const MIN_WORDS_OF_LONG_TEXT = 5;
/** The least likeness of two names of which one occurs in the description of the other. */
const MIN_LIKENESS_IF_MENTIONED = 0.4;
/** The least number of removed fields in a block. */
const MIN_BLOCK = 2;
/** The score of a rename that a description states. */
const STATED_SCORE = 99;
/** The least likeness of a field and of an object that other fields moved into. */
const LIKE_SHAPE = 0.5;

/** Both versions of a comparison. */
export interface Sides {
  readonly before: Side;
  readonly after: Side;
  readonly pairs: FieldPairCounts;
  /** New objects that other fields moved into. */
  readonly filledObjects: ReadonlySet<Change>;
  readonly translation: Translation;
}

/** Returns whether a field was added to many objects that did not have the old one. */
export function isUnrelatedAddition(from: Change, to: Change, { pairs }: Sides): boolean {
  const isReplaced = pairs.isCommonEnd(from.name, to.name) || isReplacement(from, to, pairs);
  return pairs.isUnrelatedAddition(from.name, to.name) && !isReplaced;
}

/** Returns whether most objects that lost a field got another one with a similar name. */
function isReplacement({ name: from }: Change, { name: to }: Change, pairs: FieldPairCounts): boolean {
  return pairs.isUsuallyBeside(from, to) && scoreNameLikeness(from, to) >= LIKE_NAME;
}

/** A removed and an added field of one object, and how much they are alike. */
interface FieldPair {
  readonly from: Change;
  readonly to: Change;
  /** The old name, if many names of the protocol replaced a word: with the new word. */
  readonly oldName: string;
  readonly sides: Sides;
  /** The schema of the old field without references. */
  readonly old: Json;
  /** The schema of the new field without references. */
  readonly now: Json;
  readonly shape: number;
  readonly name: number;
  /** Whether the names follow the pattern of another rename. */
  readonly followsPattern: boolean;
  readonly texts: readonly [NameAndText, NameAndText];
  /** The likeness of the descriptions; undefined if one of them says too little. */
  readonly text: number | undefined;
  readonly isTextAlike: boolean;
  /** Whether many objects lost the old field and got the new one. */
  readonly isRepeated: boolean;
}

/** Returns the score of a suspected rename; 0 if it is unlikely. */
export function scoreFields(from: Change, to: Change, sides: Sides, minNameLikeness: number): number {
  const pair = compareFields(from, to, sides, minNameLikeness);
  if (statesRename(...pair.texts)) return STATED_SCORE;
  if (Object.values(OBJECTIONS).some((holds) => holds(pair))) return 0;
  const isSupported = Object.values(SUPPORT).some((holds) => holds(pair));
  if (needsSupport(pair) && !isSupported) return 0;
  const points = Object.values(POINTS).reduce((total, count) => total + count(pair), 0);
  return Math.min(99, Math.round(points));
}

function compareFields(from: Change, to: Change, sides: Sides, minNameLikeness: number): FieldPair {
  const { before, after, pairs, translation } = sides;
  const old = inlineShape(from.before, before);
  const now = inlineShape(to.after, after);
  const translated = translation.translateName(from.name);
  const isTranslated = scoreNameLikeness(translated, to.name) > scoreNameLikeness(from.name, to.name);
  const oldName = isTranslated ? translated : from.name;
  const oldText = translation.translateText(
    readDescription(from.before?.schema, before.protocol.definitions),
  );
  const newText = readDescription(to.after?.schema, after.protocol.definitions);
  // A text that both fields have from one definition says no more than their schema.
  const isInherited = oldText === newText && !ownsDescription(from.before) && !ownsDescription(to.after);
  const text = isInherited ? undefined : scoreTextLikeness(oldText, newText);
  return {
    from,
    to,
    oldName,
    sides,
    old,
    now,
    shape: scoreShapeLikeness(old, now),
    name: Math.max(minNameLikeness, scoreNameLikeness(oldName, to.name)),
    followsPattern: minNameLikeness > 0 || isTranslated,
    texts: [
      [oldName, oldText],
      [to.name, newText],
    ],
    text,
    isTextAlike: (text ?? 0) >= (sharesOwnWord(from, to) ? LIKE_TEXT : SAME_TEXT),
    isRepeated:
      normalizeName(translated) === normalizeName(to.name) ||
      pairs.isRepeated(from.name, to.name) ||
      pairs.isCommonEnd(from.name, to.name) ||
      isReplacement(from, to, pairs),
  };
}

/** Each of these rules a rename out. */
const OBJECTIONS: { readonly [objection: string]: (pair: FieldPair) => boolean } = {
  "the names have words that tell things apart": ({ oldName, to }) =>
    areContrasts(...listOwnWords(oldName, to.name)),
  // `servicePort` did not become `service` if `serviceName` became `service/name`.
  "other fields moved into the new one": ({ to, shape, sides }) =>
    sides.filledObjects.has(to) && shape < LIKE_SHAPE,
  // `wait_seconds` and `run_seconds` may be numbers, and `wait` and `run` texts such as "10s".
  "the schemas have nothing in common": (pair) => pair.shape === 0 && !mayChangeType(pair),
  "neither names nor descriptions are alike, and few objects changed": (pair) =>
    !pair.isTextAlike && !hasLikeName(pair) && !isSameChange(pair),
  "the descriptions tell the fields apart": (pair) =>
    (pair.text ?? 0) >= LIKE_TEXT && !isUsual(pair) && tellsApart(...pair.texts),
  "the old description refers to the new field, so that both existed": ({ to, texts: [[, oldText]] }) =>
    refersTo(oldText, to.name),
};

/** Each of these supports the rename of a field that many others are like by chance. */
const SUPPORT: { readonly [support: string]: (pair: FieldPair) => boolean } = {
  "the descriptions are alike": ({ isTextAlike }) => isTextAlike,
  "other objects or fields changed in the same way": isUsual,
  "one description has the words of the other name": ({ shape, name, texts }) =>
    shape === 1 && name >= MIN_LIKENESS_IF_MENTIONED && mentionsWords(...texts),
  "the names are at the same place of a block and share a word of their own": ({ shape, from, to }) =>
    shape === 1 && keepsDistinctWord(from, to),
};

/** The points that each likeness adds to a score. */
const POINTS: { readonly [likeness: string]: (pair: FieldPair) => number } = {
  "like schemas": ({ shape, old }) =>
    shape === 0
      ? CHANGED_TYPE_WEIGHT
      : shape * (isNearlyEmpty(old) ? NEARLY_EMPTY_SHAPE_WEIGHT : SHAPE_WEIGHT),
  "both required or both optional": ({ from, to }) => scoreRequired(from, to) * REQUIRED_WEIGHT,
  "the same neighbours": ({ from, to, sides }) => scoreNeighbours(from, to, sides.pairs) * NEIGHBOUR_WEIGHT,
  "like names": ({ name }) => name * NAME_WEIGHT,
  "like descriptions": scoreDescriptions,
  "the same change in many objects": ({ isRepeated }) => (isRepeated ? REPEATED_WEIGHT : 0),
};

/** Returns whether fields such as `run_id` and `session_id` have equal shapes and neighbours, whatever they mean. */
function needsSupport(pair: FieldPair): boolean {
  const { from, to, oldName, old, text, followsPattern, texts } = pair;
  if (followsPattern) return false;
  if (replacesWords(oldName, to.name)) return isPlain(old) || isObjectShape(old) || !keepsOwnSchema(pair);
  const [, [, newText]] = texts;
  if (refersTo(newText, from.name)) return true;
  if (!isPlain(old)) return false;
  const hasSameWords = listOwnWords(oldName, to.name).flat().length === 0;
  if (!hasSameWords && (text ?? 1) < UNLIKE_TEXT) return true;
  return !(sharesOwnWord(from, to) || namesHolder(from, to));
}

/** Returns whether names are alike; a schema that many fields have by chance demands more than another one. */
function hasLikeName({ old, name, shape }: FieldPair): boolean {
  return isNearlyEmpty(old) ? name >= MIN_NAME_LIKENESS : name > 0 || shape === 1;
}

/**
 * Returns whether many objects lost the old field and got a new one with its schema. No description says otherwise, and
 * each other field of this object with that schema is in both versions.
 */
function isSameChange(pair: FieldPair): boolean {
  const { from, to, sides, isRepeated, shape, text } = pair;
  if (!isRepeated || (text ?? 1) < UNLIKE_TEXT) return false;
  if (shape >= LIKE_SHAPE && sides.pairs.isExclusive(from.name, to.name)) return true;
  if (shape < 1) return false;
  const [old, now] = [from.views?.before, to.views?.after].map(
    (view) => new Set(view ? listNames(view) : []),
  );
  return listFieldsOfSchema(pair).every((name) => old?.has(name) && now?.has(name));
}

/** Returns whether a field may have another type: its name has the same words, or it changed like others. */
function mayChangeType(pair: FieldPair): boolean {
  const { from, to, oldName, old, now, name, isRepeated, isTextAlike } = pair;
  const hasSameWords = listOwnWords(oldName, to.name).flat().length === 0;
  if (hasSameWords && name >= LIKE_NAME) return true;
  // A value did not become an object that got one of its words: `deletionTimeout` and `deletion`.
  const isObjectOnce = isObjectShape(old) !== isObjectShape(now);
  const isLikeOthers = (isRepeated && !isObjectOnce) || isTextAlike;
  return isCommonSuffix(from, to, pair.sides.pairs) || (isLikeOthers && name >= LIKE_NAME);
}

/** Returns whether several fields lost or got the same words at their end. */
function isCommonSuffix(from: Change, to: Change, pairs: FieldPairCounts): boolean {
  const isLonger = from.name.startsWith(to.name) || to.name.startsWith(from.name);
  return isLonger && pairs.isCommonReplacement(from.name, to.name);
}

/** Returns whether both fields have equal schemas that no other field of either object has. */
function keepsOwnSchema(pair: FieldPair): boolean {
  return pair.shape === 1 && listFieldsOfSchema(pair).length === 0;
}

/** Returns the names of other fields of either object that have the schema of the old or the new field. */
function listFieldsOfSchema({ from, to, sides: { before, after } }: FieldPair): string[] {
  const list = (
    view: View | undefined,
    own: Spot | undefined,
    { protocol: { definitions } }: Side,
  ): string[] => {
    const schema = own && digestMeaning(own.schema, definitions);
    return [...(view ? mergeFields(view).values() : [])].flatMap(({ name, spots: [spot] }) =>
      spot && digestMeaning(spot.schema, definitions) === schema ? [name] : [],
    );
  };
  const names = [...list(from.views?.before, from.before, before), ...list(to.views?.after, to.after, after)];
  return names.filter((name) => name !== from.name && name !== to.name);
}

function ownsDescription(spot: Spot | undefined): boolean {
  return isObject(spot?.schema) && typeof spot.schema.description === "string";
}

/** Returns whether many objects or several fields changed in the same way. */
function isUsual({ from, to, sides: { pairs }, isRepeated }: FieldPair): boolean {
  return isRepeated || pairs.isCommonReplacement(from.name, to.name);
}

/** Returns the points of like descriptions or, if only one field has one, of the words of the other name in it. */
function scoreDescriptions({ text, texts }: FieldPair): number {
  if (text === undefined) return scoreMentions(...texts) * MENTION_WEIGHT;
  const [[, oldText], [, newText]] = texts;
  const isSameText = (scoreTextLikeness(oldText, newText, MIN_WORDS_OF_LONG_TEXT) ?? 0) >= SAME_TEXT;
  return text * (isSameText ? LONG_TEXT_WEIGHT : TEXT_WEIGHT);
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

/** Returns the schema of a field without references. */
export function inlineShape(spot: Spot | undefined, { protocol }: Side): Json {
  return inlineReferences(spot?.schema ?? true, protocol.definitions);
}

function scoreRequired(from: Change, to: Change): number {
  return from.rule.field?.required === to.rule.field?.required ? 1 : 0;
}

/** Returns the names of the fields of a value, in their order. */
const listNames = memoizeByObject((view: View) => [...mergeFields(view).keys()]);

/** Returns 1 if both fields have the same neighbour on one side, or the same index; otherwise 0. */
function scoreNeighbours(from: Change, to: Change, pairs: FieldPairCounts): number {
  if (!from.views || !to.views) return 0;
  const old = listNames(from.views.before);
  // A field that many objects got moves all others by one place.
  const now = listNames(to.views.after).filter((name) => name === to.name || !pairs.isCommonAddition(name));
  const oldIndex = old.indexOf(from.name);
  const newIndex = now.indexOf(to.name);
  const hasSamePredecessor = oldIndex > 0 && old[oldIndex - 1] === now[newIndex - 1];
  const hasSameSuccessor = oldIndex + 1 < old.length && old[oldIndex + 1] === now[newIndex + 1];
  return oldIndex === newIndex || hasSamePredecessor || hasSameSuccessor ? 1 : 0;
}

/**
 * Returns whether a block of several fields was replaced, and two names at the same place of it share a word that no
 * other name of either object has.
 */
function keepsDistinctWord(from: Change, to: Change): boolean {
  if (!from.views || !to.views) return false;
  const oldNames = listNames(from.views.before);
  const newNames = listNames(to.views.after);
  const old = locateInBlock(from.name, oldNames, newNames);
  const now = locateInBlock(to.name, newNames, oldNames);
  const isSameBlock = old.previous === now.previous && old.next === now.next;
  if (!isSameBlock || old.index !== now.index || old.size < MIN_BLOCK) return false;
  const others = [...oldNames, ...newNames].filter((name) => name !== from.name && name !== to.name);
  const common = new Set(others.flatMap(splitWords));
  const words = splitWords(to.name);
  return splitWords(from.name).some((word) => words.includes(word) && !common.has(word));
}

/** Returns the place of a field among the fields around it that only its own side has, and the fields beside these. */
function locateInBlock(name: string, names: readonly string[], others: readonly string[]) {
  const isKept = (each: string): boolean => others.includes(each);
  const index = names.indexOf(name);
  const first = names.slice(0, index).findLastIndex(isKept) + 1;
  const after = names.slice(index).findIndex(isKept);
  const end = after === -1 ? names.length : index + after;
  return { previous: names[first - 1], next: names[end], index: index - first, size: end - first };
}
