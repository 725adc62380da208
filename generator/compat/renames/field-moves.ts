/** Finds fields that were moved from one place of an event to another, also into new objects and out of old ones. */
import { join } from "../../json.js";
import { mergeFields } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { createView, inlineReferences } from "../diff/view.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side, Spot } from "../side.js";
import { parseResourceKey } from "../subjects.js";
import { scoreNameLikeness, scoreShapeLikeness } from "./likeness.js";
import { type Candidate, matchNames } from "./match.js";

/** The least likeness of names if a field took a part of its name from the object that contains it. */
const LEAST_NAME = 0.7;
/** The greatest depth at which fields of new and old objects are compared. */
const MAX_LEVELS = 3;

/** A removed or added field, by itself or with the object that holds it. */
interface Leaf {
  readonly change: Change;
  /** The names that lead to it from where the change is. */
  readonly names: readonly string[];
  readonly spot: Spot;
}

/** Combines removed and added fields where one looks like the other at another place of the event. */
export function combineFieldMoves(changes: readonly Change[], before: Side, after: Side): Change[] {
  const removed = changes.filter(({ rule }) => rule.field?.change === "removed");
  const added = changes.filter(({ rule }) => rule.field?.change === "added");
  const news = new Map<string, Leaf[]>();
  for (const change of added)
    news.set(getEvent(change), [
      ...(news.get(getEvent(change)) ?? []),
      ...listLeaves(change, change.after, after),
    ]);
  const candidates = removed.flatMap((change) => {
    const others = news.get(getEvent(change)) ?? [];
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
  return [...combineEnvelopeMoves(rest, before, after), ...moves.map(createMove)];
}

/** Combines removed and added fields that moved between payloads and the envelope. */
function combineEnvelopeMoves(changes: readonly Change[], before: Side, after: Side): Change[] {
  const isEvent = (change: Change): boolean =>
    getEvent(change) !== "" && parseResourceKey(getEvent(change)) === undefined;
  const isEnvelope = (change: Change): boolean => getEvent(change) === "";
  const [removed, added] = ["removed", "added"].map((side) =>
    changes.filter(({ rule }) => rule.field?.change === side),
  );
  const findPairs = (olds: readonly Change[] = [], news: readonly Change[] = []) =>
    olds.flatMap((old) =>
      news.flatMap((now) => {
        const [from, to] = [createLeaf(old, old.before), createLeaf(now, now.after)];
        return from && to && createCandidates(from, to, before, after).length > 0 ? [{ from, to }] : [];
      }),
    );
  const into = findPairs(removed?.filter(isEvent), added?.filter(isEnvelope));
  const found = findPairs(removed?.filter(isEnvelope), added?.filter(isEvent));
  const events = before.protocol.events.length;
  // A field that only some payloads have now was removed from the others.
  const out = found.filter(
    ({ from }) => found.filter((other) => other.from.change === from.change).length >= events,
  );
  const consumed = new Set(
    [...into, ...out].flatMap(({ from, to }) => {
      const all = into.filter((other) => other.to.change === to.change);
      const everywhere = isEvent(to.change) || all.length >= events;
      // A required field that some old messages lack is a separate break.
      const isOwn =
        isRequired(to) && !(everywhere && [...all, { from }].every((each) => isRequired(each.from)));
      return isOwn ? [from.change] : [from.change, to.change];
    }),
  );
  const first = new Map(out.map((move) => [move.from.change, move]));
  return [
    ...changes.filter((change) => !consumed.has(change)),
    ...into.map((move): Change => ({ ...createMove(move), movedTo: "envelope" })),
    ...[...first.values()].map((move): Change => ({ ...createMove(move), movedTo: "payload" })),
  ];
}

function createLeaf(change: Change, spot: Spot | undefined): Leaf | undefined {
  return spot && { change, names: [change.name], spot };
}

function isRequired({ change }: Leaf): boolean {
  return change.rule.field?.required === true;
}

function getEvent({ places: [first] }: Change): string {
  return first?.event ?? "";
}

/** Returns the field of the change, and those inside of it. */
function listLeaves(change: Change, spot: Spot | undefined, side: Side): Leaf[] {
  const listLeavesBelow = (at: Spot, names: readonly string[]): Leaf[] => [
    { change, names, spot: at },
    ...(names.length > MAX_LEVELS
      ? []
      : [...mergeFields(createView([at], side.protocol)).values()].flatMap(({ name, spots: [first] }) =>
          first ? listLeavesBelow(first, [...names, name]) : [],
        )),
  ];
  return spot ? listLeavesBelow(spot, [change.name]) : [];
}

/** Returns a candidate if the shapes are equal. Fields that moved together with their object are not candidates. */
function createCandidates(from: Leaf, to: Leaf, before: Side, after: Side): Candidate<Leaf>[] {
  if (getPath(from) === getPath(to) || (from.names.length > 1 && to.names.length > 1)) return [];
  const names = from.names.at(-1) === to.names.at(-1) ? 1 : scoreNameLikeness(joinNames(from), joinNames(to));
  const [old, now] = [
    inlineReferences(from.spot.schema, before.protocol.definitions),
    inlineReferences(to.spot.schema, after.protocol.definitions),
  ];
  const inside = from.names.length + to.names.length > 2;
  const fits = names === 1 || (inside && names >= LEAST_NAME);
  return fits && scoreShapeLikeness(old, now) === 1
    ? [{ from, to, score: Math.round(names * 100), declared: false }]
    : [];
}

function joinNames({ names }: Leaf): string {
  return names.join("_");
}

function getPath({ change: { places }, names }: Leaf): string {
  return join(places[0]?.path ?? "", ...names);
}

/** Returns the removal of the moved field, or of the object that held it if all fields of the object were moved. */
function findEmptiedFields(
  { change, names }: Leaf,
  moves: readonly { readonly from: Leaf }[],
  side: Side,
): Change[] {
  if (names.length === 1) return [change];
  const all = listLeaves(change, change.before, side).filter((leaf) => leaf.names.length === 2);
  const removed = moves.filter(({ from }) => from.change === change && from.names.length === 2);
  return all.length === removed.length ? [change] : [];
}

/** Returns the additions that a move explains: the new field, and the new object that holds it. */
function findExplainedAdditions({ change, names }: Leaf): Change[] {
  return names.length === 1 || change.rule.field?.required ? [change] : [];
}

/** Returns the change of a moved field, at the place of the removed field. */
function createMove({ from, to }: { readonly from: Leaf; readonly to: Leaf }): Change {
  const places = { from: getPath(from), to: getPath(to), before: from.spot, after: to.spot };
  const content = [from.change.content ?? null, to.change.content ?? null];
  return { ...from.change, rule: FIELD_RULES["field-moved"], ...places, content };
}
