/** Finds fields that were moved from one place of an event to another, also into new objects and out of old ones. */
import { groupBy } from "../../group-by.js";
import { getOwn, isObject, type Json, joinPointer } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import type { Spot } from "../../schema/describe.js";
import { mergeFields } from "../../schema/merge.js";
import { getTargetName } from "../../schema/reference.js";
import { walk } from "../../schema/walk.js";
import { type Change, getFirstSubject } from "../change.js";
import { mergeFieldsOfBranches } from "../diff/view.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side } from "../side.js";
import { isAboutResource } from "../subjects.js";
import { inlineShape } from "./field-evidence.js";
import { createHolderKey, type FieldPairCounts } from "./field-pairs.js";
import { scoreNameLikeness, splitWords } from "./likeness.js";
import { type Candidate, matchNames } from "./match.js";
import { isNearlyEmpty, scoreShapeLikeness } from "./shape-likeness.js";
import { areSynonyms } from "./synonyms.js";
import { readDescription, scoreTextLikeness, UNLIKE_TEXT } from "./text-likeness.js";

/**
 * The least likeness of names if a field moved into or out of an object. The name may then contain the name of the object:
 * `pot_size` and `pot.size`.
 */
const MIN_NAME_LIKENESS = 0.7;
/** The least likeness of fields that kept their name: in a new object beside the old place, and at another place. */
const LIKE_SHAPE = 0.5;
const VERY_LIKE_SHAPE = 0.7;
/** Schemas of which only one may be null. */
const NEARLY_SAME_SHAPE = 0.9;
/**
 * The scores of the kinds of moves: with the same words, with the same name, a repeated rename, a similar name, a shorter
 * name, and with the same name from an object that was removed to one that was added.
 */
const SAME_WORDS_SCORE = 97;
const SAME_NAME_SCORE = 85;
const REPEATED_SCORE = 85;
const RENAMED_SCORE = 80;
const SHORTENED_NAME_SCORE = 50;
const KEPT_NAME_SCORE = 50;
/** A shape with this likeness may be that of a field that also changed its type. */
const CHANGED_SHAPE = 0.5;
/** So many words of a path are no coincidence, whatever the shape is. */
const MANY_WORDS = 3;
/** A field that left its object scores less, by this and by the number of steps. */
const OTHER_OBJECT_PENALTY = 5;
const MAX_STEP_PENALTY = 5;
/** Added for each other field with the same name that moved between the same two objects. */
const COMPANION_SCORE = 2;
const MAX_COMPANION_SCORE = 6;
/** A definition with fewer references belongs to one event type. */
const MIN_REFERENCES = 3;
/** The greatest depth at which fields of new and old objects are compared. */
const MAX_LEVELS = 3;

/** The number of fields of a new or old object from which on no further objects in it are read. */
const MAX_LEAVES = 200;

/** A field that was removed or added, either itself or together with the object that holds it. */
interface MovableField {
  readonly change: Change;
  /** The names on the path from the place of the change to the field. */
  readonly names: readonly string[];
  /** The path of the field in its event. */
  readonly path: string;
  readonly spot: Spot;
  /** The schema of the object that holds the field, if it was removed or added together with the object. */
  readonly holder?: Spot;
}

/** Both versions, and the counts of removed and added names in the whole comparison. */
interface MoveContext {
  readonly before: Side;
  readonly after: Side;
  readonly pairs: FieldPairCounts;
}

/** Combines removed and added fields where one looks like the other at another place of the event. */
export function combineFieldMoves(
  changes: readonly Change[],
  namedMoves: readonly Move[],
  context: MoveContext,
): Change[] {
  const others = changes.filter((change) => !namedMoves.some((move) => move.from.change === change));
  const moves = [
    ...namedMoves,
    ...findMoves(others, context).filter(({ to }) => !namedMoves.some((move) => isSameField(move.to, to))),
  ];
  const consumed = new Set(
    moves.flatMap(({ from, to }) => [
      ...findEmptiedFields(from, moves, context.before),
      ...findExplainedAdditions(to),
    ]),
  );
  const rest = changes.filter((change) => !consumed.has(change));
  return [...combineEnvelopeMoves(rest, context), ...moves.map(createMoveChange)];
}

/** Finds moves that are more certain than any rename: most of them kept the name of the field. */
export function findCertainMoves(changes: readonly Change[], context: MoveContext): Move[] {
  return findMoves(changes, context).filter(({ score }) => score > SHORTENED_NAME_SCORE);
}

function findMoves(changes: readonly Change[], context: MoveContext): Move[] {
  const removed = changes.filter(({ rule }) => rule.field?.change === "removed");
  const added = changes.filter(({ rule }) => rule.field?.change === "added");
  const addedFields = new Map<string, MovableField[]>();
  for (const change of added)
    addedFields.set(getFirstSubject(change), [
      ...(addedFields.get(getFirstSubject(change)) ?? []),
      ...listLeaves(change, change.after, context.after).filter(
        // Nothing moves into an object that many other objects got as well.
        ({ names }) => names.length === 1 || !context.pairs.isCommonAddition(change.name),
      ),
    ]);
  const removedBySubject = groupBy(
    removed.filter((change) => addedFields.has(getFirstSubject(change))),
    getFirstSubject,
  );
  const candidates = [...removedBySubject].flatMap(([subject, changes]) => {
    const old = changes.flatMap((change) => listLeaves(change, change.before, context.before));
    const now = addedFields.get(subject) ?? [];
    return [
      ...old.flatMap((from) => now.flatMap((to) => createCandidates(from, to, context))),
      ...findKeptNames(old, now, context),
    ].filter((candidate) => !haveUnlikeTexts(candidate, context));
  });
  const matches = matchNames(preferNearest(candidates), ({ path }) => path).filter(
    ({ isAmbiguous }) => !isAmbiguous,
  );
  const moves = matches.map(({ from, to, score }) => ({ from, to, score }));
  return moves.filter((move) => !isCoincidence(move, moves, context.before));
}

/**
 * Returns whether a field only seems to have moved. The identifier of an object is not the one of a new object in it, if no
 * other field moved there. Many fields look like a plain field of a removed object, if most fields of it did not move.
 */
function isCoincidence({ from, to }: Move, moves: readonly Move[], side: Side): boolean {
  const hasCompanion = moves.some((other) => other.to !== to && other.to.change === to.change);
  const isIdentifier = getName(from) === "id" || areSynonyms(getName(from), "id");
  if (isIdentifier && to.names.length > 1 && !hasCompanion) return true;
  if (from.names.length === 1 || !isNearlyEmpty(inlineShape(from.spot, side))) return false;
  if (to.names.length > 1) return false;
  const all = listLeaves(from.change, from.change.before, side).filter(
    ({ names }) => names.length === from.names.length,
  );
  const moved = moves.filter(
    (other) => other.from.change === from.change && other.from.names.length === from.names.length,
  );
  return moved.length * 2 < all.length;
}

/**
 * Returns the fields of removed objects that are fields of added objects now: their names have several words and are
 * nowhere else in either version. If most fields of the old object are in the new one, the object itself was renamed.
 */
function findKeptNames(
  old: readonly MovableField[],
  now: readonly MovableField[],
  { before, after }: MoveContext,
): Candidate<MovableField>[] {
  const isOnly = (name: string): boolean =>
    splitWords(name).length > 1 &&
    [before, after].every(({ protocol }) => countFields(protocol).get(name) === 1);
  const newFields = new Map(now.filter(({ names }) => names.length === 2).map((to) => [getName(to), to]));
  const listFieldNames = (fields: readonly MovableField[], { change }: MovableField): string[] =>
    fields.flatMap((field) => (field.change === change && field.names.length === 2 ? [getName(field)] : []));
  const areRenamedObjects = (from: MovableField, to: MovableField): boolean => {
    const names = listFieldNames(old, from);
    const common = listFieldNames(now, to).filter((name) => names.includes(name));
    return common.length * 2 > names.length;
  };
  return old.flatMap((from) => {
    const to = newFields.get(getName(from));
    if (from.names.length !== 2 || !to || !isOnly(getName(from))) return [];
    const shape = scoreShapeLikeness(inlineShape(from.spot, before), inlineShape(to.spot, after));
    return shape >= NEARLY_SAME_SHAPE &&
      !areRenamedObjects(from, to) &&
      countItemSteps(from) === countItemSteps(to)
      ? [{ from, to, score: KEPT_NAME_SCORE, declared: false }]
      : [];
  });
}

function getName({ names }: MovableField): string {
  return names.at(-1) ?? "";
}

/** Returns whether the descriptions of two plain fields say that these are different fields. */
function haveUnlikeTexts({ from, to }: Candidate<MovableField>, { before, after }: MoveContext): boolean {
  const old = readDescription(from.spot.schema, before.protocol.definitions);
  const now = readDescription(to.spot.schema, after.protocol.definitions);
  return (scoreTextLikeness(old, now) ?? 1) < UNLIKE_TEXT && isNearlyEmpty(inlineShape(from.spot, before));
}

/** Combines removed and added fields that moved between payloads and the envelope. */
function combineEnvelopeMoves(changes: readonly Change[], context: MoveContext): Change[] {
  const isInEnvelope = (change: Change): boolean => getFirstSubject(change) === "";
  const isInPayload = (change: Change): boolean => !isInEnvelope(change) && !isAboutResource(change);
  const removed = changes.filter(({ rule }) => rule.field?.change === "removed");
  const added = changes.filter(({ rule }) => rule.field?.change === "added");
  const findMoves = (olds: readonly Change[], news: readonly Change[]): Move[] =>
    olds.flatMap((old) =>
      news.flatMap((now) => {
        const from = createMovableField(old, old.before);
        const to = createMovableField(now, now.after);
        if (from === undefined || to === undefined) return [];
        return createCandidates(from, to, context).map(({ score }) => ({ from, to, score }));
      }),
    );
  const intoEnvelope = findMoves(removed.filter(isInPayload), added.filter(isInEnvelope));
  const intoSomePayloads = findMoves(removed.filter(isInEnvelope), added.filter(isInPayload));
  const eventCount = context.before.protocol.events.length;
  // A field that only some payloads have now was removed from the others.
  const intoAllPayloads = intoSomePayloads.filter(
    ({ from }) => intoSomePayloads.filter((other) => other.from.change === from.change).length >= eventCount,
  );
  const consumed = new Set(
    [...intoEnvelope, ...intoAllPayloads].flatMap(({ from, to }) => {
      const movesToField = intoEnvelope.filter((other) => other.to.change === to.change);
      const hasMovedInAllMessages = isInPayload(to.change) || movesToField.length >= eventCount;
      const wasRequired = [...movesToField, { from }].every((move) => isRequired(move.from));
      // A required field that some old messages lack is a separate break.
      const isSeparateBreak = isRequired(to) && !(hasMovedInAllMessages && wasRequired);
      return isSeparateBreak ? [from.change] : [from.change, to.change];
    }),
  );
  const firstMoves = new Map(intoAllPayloads.map((move) => [move.from.change, move]));
  return [
    ...changes.filter((change) => !consumed.has(change)),
    ...intoEnvelope.map((move): Change => ({ ...createMoveChange(move), movedTo: "envelope" })),
    ...[...firstMoves.values()].map((move): Change => ({ ...createMoveChange(move), movedTo: "payload" })),
  ];
}

/** A field that was moved. */
interface Move {
  readonly from: MovableField;
  readonly to: MovableField;
  readonly score: number;
}

function createMovableField(change: Change, spot: Spot | undefined): MovableField | undefined {
  const path = joinPointer(change.places[0]?.path ?? "", change.name);
  return spot && { change, names: [change.name], path, spot };
}

function isRequired({ change }: MovableField): boolean {
  return change.rule.field?.required === true;
}

/** Returns the field of the change and the fields inside of it, the outer ones first; of a large object not all. */
function listLeaves(change: Change, spot: Spot | undefined, side: Side): MovableField[] {
  const field = createMovableField(change, spot);
  const leaves = field ? [field] : [];
  for (const { names, path, spot: holder } of leaves) {
    if (names.length > MAX_LEVELS || leaves.length > MAX_LEAVES) break;
    for (const { name, spots } of mergeFieldsOfBranches([holder], side.protocol).values())
      if (spots[0])
        leaves.push({
          change,
          names: [...names, name],
          path: joinPointer(path, name),
          spot: spots[0],
          holder,
        });
  }
  return leaves;
}

/**
 * Returns a candidate if shapes and names are alike. A field of a removed object and a field of an added object are not
 * candidates.
 */
function createCandidates(
  from: MovableField,
  to: MovableField,
  { before, after, pairs }: MoveContext,
): Candidate<MovableField>[] {
  if (from.path === to.path || (from.names.length > 1 && to.names.length > 1)) return [];
  // An object may hold another of its kind. The outer one is at the place that changed.
  if ([from, to].some(({ names }) => names.length > 1 && names[0] === names.at(-1))) return [];
  // A field of the items of a list or map does not become a field of one object.
  if (countItemSteps(from) !== countItemSteps(to)) return [];
  if ([from, to].some((field) => isOfKeptDefinition(field, before, after))) return [];
  // Schemas are compared last, because that takes the longest.
  const scoreShape = (): number =>
    scoreShapeLikeness(inlineShape(from.spot, before), inlineShape(to.spot, after));
  const isMovedWithObject = from.names.length > 1 || to.names.length > 1;
  const oldName = getName(from);
  const newName = getName(to);
  const paths = findRelativePaths(from, to);
  const penalty =
    paths.distance === 0 ? 0 : OTHER_OBJECT_PENALTY + Math.min(MAX_STEP_PENALTY, paths.distance);
  const createCandidate = (score: number): Candidate<MovableField>[] => [
    { from, to, score, declared: false },
  ];
  if (oldName === newName) {
    const shape = scoreShape();
    const isLike =
      shape === 1 || (isMovedIntoNewObject(from, to) ? shape >= LIKE_SHAPE : shape >= VERY_LIKE_SHAPE);
    return isLike ? createCandidate(Math.round(SAME_NAME_SCORE + shape * 10) - penalty) : [];
  }
  if (haveSameWords(paths, scoreShape)) return createCandidate(SAME_WORDS_SCORE);
  // A shorter name alone says little: `serialNumber` may stand for many longer ones.
  const isShorter = isPartOfName(newName, oldName);
  const joinedLikeness = scoreNameLikeness(joinNames(from), joinNames(to));
  const name = isShorter ? joinedLikeness : Math.max(joinedLikeness, scoreNameLikeness(oldName, newName));
  const isRepeated =
    isMovedIntoNewObject(from, to) &&
    pairs.isRepeated(oldName, newName) &&
    !pairs.isAddedBeside(from.change, newName) &&
    scoreShape() >= LIKE_SHAPE;
  if (isRepeated) return createCandidate(REPEATED_SCORE);
  if (isMovedWithObject && name >= MIN_NAME_LIKENESS && scoreShape() === 1)
    return createCandidate(Math.round(name * RENAMED_SCORE));
  // The shorter name is that of a field beside the old one, which the new object has as well.
  if (!isShorter || !isMovedIntoNewObject(from, to) || scoreShape() < 1) return [];
  const isNameKept = from.change.views && mergeFields(from.change.views.before).has(newName);
  return isNameKept ? [] : createCandidate(SHORTENED_NAME_SCORE);
}

/** Returns whether both versions have the definition of the object that holds a field, with the field, and refer to it often. */
function isOfKeptDefinition({ names, holder }: MovableField, before: Side, after: Side): boolean {
  const name = isObject(holder?.schema) ? getTargetName(holder.schema) : undefined;
  if (name === undefined) return false;
  return [before, after].every(({ protocol }) => {
    const target = getOwn(protocol.definitions, name)?.schema;
    if ((countReferences(protocol).get(name) ?? 0) < MIN_REFERENCES) return false;
    return isObject(target) && isObject(target.properties) && (names.at(-1) ?? "") in target.properties;
  });
}

/** Counts the references to each definition. */
const countReferences = memoizeByObject((protocol: Protocol) => {
  const counts = new Map<string, number>();
  for (const schema of listSchemas(protocol))
    walk(schema, (part) => {
      const name = getTargetName(part);
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    });
  return counts;
});

/** The paths of a field on both sides, below the last object that both paths have in common. */
interface RelativePaths {
  readonly old: readonly string[];
  readonly now: readonly string[];
  /** The number of steps from the common object to the objects that a field was removed from and added to. */
  readonly distance: number;
}

function findRelativePaths(from: MovableField, to: MovableField): RelativePaths {
  const old = listTokens(from);
  const now = listTokens(to);
  const oldHolder = old.length - from.names.length;
  const newHolder = now.length - to.names.length;
  let common = 0;
  while (common < Math.min(oldHolder, newHolder) && old[common] === now[common]) common++;
  const distance = oldHolder + newHolder - 2 * common;
  return { old: old.slice(common), now: now.slice(common), distance };
}

/** Returns whether two paths have the same words: `targetValue` and `target/value`, `input_format` and `audio/input/format`. */
function haveSameWords({ old, now }: RelativePaths, scoreShape: () => number): boolean {
  if (
    Math.min(old.length, now.length) !== 1 ||
    old.length === now.length ||
    old.includes("*") ||
    now.includes("*")
  )
    return false;
  const words = splitWords(old.join("_"));
  const isSame = words.toSorted().join(" ") === splitWords(now.join("_")).toSorted().join(" ");
  return isSame && (words.length >= MANY_WORDS || scoreShape() >= CHANGED_SHAPE);
}

/**
 * Chooses among the places that a field may have moved to under its name: only the nearest ones count. Raises the scores
 * of fields that moved together from one object to another.
 */
function preferNearest(candidates: readonly Candidate<MovableField>[]): Candidate<MovableField>[] {
  const isSameName = ({ from, to }: Candidate<MovableField>): boolean =>
    from.names.at(-1) === to.names.at(-1);
  const nearest = new Map<MovableField, number>();
  const getDistance = ({ from, to }: Candidate<MovableField>): number => findRelativePaths(from, to).distance;
  for (const each of candidates.filter(isSameName))
    nearest.set(each.from, Math.min(getDistance(each), nearest.get(each.from) ?? Number.POSITIVE_INFINITY));
  const createKey = ({ from, to }: Candidate<MovableField>): string =>
    JSON.stringify([from, to].map((field) => field.path.replace(/\/[^/]*$/, "")));
  const near = candidates.filter((each) => !isSameName(each) || getDistance(each) === nearest.get(each.from));
  const groups = groupBy(near.filter(isSameName), createKey);
  return near.map((candidate) => {
    const companions = isSameName(candidate) ? (groups.get(createKey(candidate))?.length ?? 1) - 1 : 0;
    const score = candidate.score + Math.min(companions * COMPANION_SCORE, MAX_COMPANION_SCORE);
    return { ...candidate, score };
  });
}

/** Returns whether all words of a name are in a longer name. */
function isPartOfName(part: string, name: string): boolean {
  const words = splitWords(name);
  return splitWords(part).every((word) => words.includes(word));
}

/** Returns whether a field moved into a new object beside it. */
function isMovedIntoNewObject(from: MovableField, to: MovableField): boolean {
  return (
    from.names.length === 1 &&
    to.names.length > 1 &&
    createHolderKey(from.change) === createHolderKey(to.change)
  );
}

function isSameField(a: MovableField, b: MovableField): boolean {
  return a.change === b.change && a.path === b.path;
}

const listTokens = memoizeByObject(({ path }: MovableField): readonly string[] => path.split("/"));

function countItemSteps(field: MovableField): number {
  return listTokens(field).filter((token) => token === "*").length;
}

function joinNames({ names }: MovableField): string {
  return names.join("_");
}

/** Returns the removal of the moved field, or of the object that held it if all fields of the object were moved. */
function findEmptiedFields(
  { change, names }: MovableField,
  moves: readonly { readonly from: MovableField }[],
  side: Side,
): Change[] {
  if (names.length === 1) return [change];
  const all = listLeaves(change, change.before, side).filter((leaf) => leaf.names.length === 2);
  const removed = moves.filter(({ from }) => from.change === change && from.names.length === 2);
  return all.length === removed.length ? [change] : [];
}

/** Returns the additions that a move explains: the new field, and the new object that holds it. */
function findExplainedAdditions({ change, names }: MovableField): Change[] {
  return names.length === 1 || change.rule.field?.required ? [change] : [];
}

/** Returns the change of a moved field, at the place of the removed field. */
function createMoveChange({ from, to }: Move): Change {
  const details = { from: from.path, to: to.path, before: from.spot, after: to.spot };
  const content = [from.change.content ?? null, to.change.content ?? null];
  return { ...from.change, rule: FIELD_RULES["field-moved"], ...details, content };
}

/** Counts the objects of a protocol that have a field, by the name of the field. */
const countFields = memoizeByObject((protocol: Protocol) => {
  const counts = new Map<string, number>();
  for (const schema of listSchemas(protocol))
    walk(schema, ({ properties }) => {
      for (const name of Object.keys(isObject(properties) ? properties : {}))
        counts.set(name, (counts.get(name) ?? 0) + 1);
    });
  return counts;
});

/** Returns the schemas of the event types and of the definitions. */
function listSchemas({ events, definitions }: Protocol): Json[] {
  return [...events.map(({ payload }) => payload), ...Object.values(definitions).map(({ schema }) => schema)];
}
