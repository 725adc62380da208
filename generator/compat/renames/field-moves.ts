/** Finds fields that were moved from one place of an event to another, also into new objects and out of old ones. */
import { join } from "../../json.js";
import { mergeFields } from "../../schema/merge.js";
import { type Change, getFirstSubject } from "../change.js";
import { createView, inlineReferences } from "../diff/view.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side, Spot } from "../side.js";
import { isAboutResource } from "../subjects.js";
import { scoreNameLikeness, scoreShapeLikeness } from "./likeness.js";
import { type Candidate, matchNames } from "./match.js";

/**
 * The least likeness of names if a field moved into or out of an object. The name may then contain the name of the object:
 * `pot_size` and `pot.size`.
 */
const MIN_NAME_LIKENESS = 0.7;
/** The greatest depth at which fields of new and old objects are compared. */
const MAX_LEVELS = 3;

/** A field that was removed or added, either itself or together with the object that holds it. */
interface MovableField {
  readonly change: Change;
  /** The names on the path from the place of the change to the field. */
  readonly names: readonly string[];
  readonly spot: Spot;
}

/** Combines removed and added fields where one looks like the other at another place of the event. */
export function combineFieldMoves(changes: readonly Change[], before: Side, after: Side): Change[] {
  const removed = changes.filter(({ rule }) => rule.field?.change === "removed");
  const added = changes.filter(({ rule }) => rule.field?.change === "added");
  const addedFields = new Map<string, MovableField[]>();
  for (const change of added)
    addedFields.set(getFirstSubject(change), [
      ...(addedFields.get(getFirstSubject(change)) ?? []),
      ...listLeaves(change, change.after, after),
    ]);
  const candidates = removed.flatMap((change) => {
    const others = addedFields.get(getFirstSubject(change)) ?? [];
    const old = others.length === 0 ? [] : listLeaves(change, change.before, before);
    return old.flatMap((from) => others.flatMap((to) => createCandidates(from, to, before, after)));
  });
  const moves = matchNames(candidates, getPath).map(({ from, to }) => ({ from, to }));
  const consumed = new Set(
    moves.flatMap(({ from, to }) => [
      ...findEmptiedFields(from, moves, before),
      ...findExplainedAdditions(to),
    ]),
  );
  const rest = changes.filter((change) => !consumed.has(change));
  return [...combineEnvelopeMoves(rest, before, after), ...moves.map(createMoveChange)];
}

/** Combines removed and added fields that moved between payloads and the envelope. */
function combineEnvelopeMoves(changes: readonly Change[], before: Side, after: Side): Change[] {
  const isInEnvelope = (change: Change): boolean => getFirstSubject(change) === "";
  const isInPayload = (change: Change): boolean => !isInEnvelope(change) && !isAboutResource(change);
  const removed = changes.filter(({ rule }) => rule.field?.change === "removed");
  const added = changes.filter(({ rule }) => rule.field?.change === "added");
  const findMoves = (olds: readonly Change[], news: readonly Change[]): Move[] =>
    olds.flatMap((old) =>
      news.flatMap((now) => {
        const from = createMovableField(old, old.before);
        const to = createMovableField(now, now.after);
        return from && to && createCandidates(from, to, before, after).length > 0 ? [{ from, to }] : [];
      }),
    );
  const intoEnvelope = findMoves(removed.filter(isInPayload), added.filter(isInEnvelope));
  const intoSomePayloads = findMoves(removed.filter(isInEnvelope), added.filter(isInPayload));
  const eventCount = before.protocol.events.length;
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
}

function createMovableField(change: Change, spot: Spot | undefined): MovableField | undefined {
  return spot && { change, names: [change.name], spot };
}

function isRequired({ change }: MovableField): boolean {
  return change.rule.field?.required === true;
}

/** Returns the field of the change, and the fields inside of it. */
function listLeaves(change: Change, spot: Spot | undefined, side: Side): MovableField[] {
  const listLeavesBelow = (at: Spot, names: readonly string[]): MovableField[] => [
    { change, names, spot: at },
    ...(names.length > MAX_LEVELS
      ? []
      : [...mergeFields(createView([at], side.protocol)).values()].flatMap(({ name, spots: [first] }) =>
          first ? listLeavesBelow(first, [...names, name]) : [],
        )),
  ];
  return spot ? listLeavesBelow(spot, [change.name]) : [];
}

/**
 * Returns a candidate if the shapes are equal and the names are alike. A field of a removed object and a field of an added
 * object are not candidates.
 */
function createCandidates(
  from: MovableField,
  to: MovableField,
  before: Side,
  after: Side,
): Candidate<MovableField>[] {
  if (getPath(from) === getPath(to) || (from.names.length > 1 && to.names.length > 1)) return [];
  const nameLikeness =
    from.names.at(-1) === to.names.at(-1) ? 1 : scoreNameLikeness(joinNames(from), joinNames(to));
  const old = inlineReferences(from.spot.schema, before.protocol.definitions);
  const now = inlineReferences(to.spot.schema, after.protocol.definitions);
  const isMovedWithObject = from.names.length > 1 || to.names.length > 1;
  const haveLikeNames = nameLikeness === 1 || (isMovedWithObject && nameLikeness >= MIN_NAME_LIKENESS);
  return haveLikeNames && scoreShapeLikeness(old, now) === 1
    ? [{ from, to, score: Math.round(nameLikeness * 100), declared: false }]
    : [];
}

function joinNames({ names }: MovableField): string {
  return names.join("_");
}

function getPath({ change: { places }, names }: MovableField): string {
  return join(places[0]?.path ?? "", ...names);
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
  const details = { from: getPath(from), to: getPath(to), before: from.spot, after: to.spot };
  const content = [from.change.content ?? null, to.change.content ?? null];
  return { ...from.change, rule: FIELD_RULES["field-moved"], ...details, content };
}
