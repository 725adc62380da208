/** Finds renames and moves among removed and added fields. A suspected rename changes the message, never the verdict. */
import { getOwn, isObject, type Json } from "../../json.js";
import { mergeFields } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { inlineReferences } from "../diff/view.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side, Spot } from "../side.js";
import { combineFieldMoves } from "./field-moves.js";
import { isNearlyEmpty, scoreNameLikeness, scoreShapeLikeness } from "./likeness.js";
import {
  type Candidate,
  findFollowers,
  LEAST_SCORE,
  type Match,
  matchWithFollowers,
  PATTERN_LIKENESS,
} from "./match.js";

/** The contributions of the kinds of likeness to a score of 100. */
const SHAPE_WEIGHT = 45;
const REQUIRED_WEIGHT = 10;
const NEIGHBOUR_WEIGHT = 15;
const NAME_WEIGHT = 30;
/** The weight of shapes that many fields have by chance. */
const NEARLY_EMPTY_SHAPE_WEIGHT = 30;
/** The least likeness of the names of fields with such shapes. */
const MIN_NAME_LIKENESS = 0.3;

/** Combines removed and added fields where one looks like the other under a new name or at a new place. */
export function combineFieldRenames(changes: readonly Change[], before: Side, after: Side): Change[] {
  const removed = changes.filter(({ rule }) => rule.field?.change === "removed");
  const added = changes.filter(({ rule }) => rule.field?.change === "added");
  const renames = findRenames(removed, added, { before, after });
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
  return [...combineFieldMoves(rest, before, after), ...renamed];
}

/** Both versions of a comparison. */
interface Sides {
  readonly before: Side;
  readonly after: Side;
}

function findRenames(removed: readonly Change[], added: readonly Change[], sides: Sides): Match<Change>[] {
  const byHolder = new Map<string, Change[]>();
  for (const to of added)
    byHolder.set(createHolderKey(to), [...(byHolder.get(createHolderKey(to)) ?? []), to]);
  const candidates = removed.flatMap((from) =>
    (byHolder.get(createHolderKey(from)) ?? []).flatMap((to) => createCandidates(from, to, sides)),
  );
  const findFollowingCandidates = (found: readonly Match<Change>[]) =>
    findFollowers(found, removed, added, ({ name }) => name).flatMap(([from, to]) =>
      createHolderKey(from) === createHolderKey(to)
        ? createCandidates(from, to, sides, PATTERN_LIKENESS)
        : [],
    );
  return matchWithFollowers(candidates, findFollowingCandidates, createPlaceKey);
}

/** Returns a key of the object that a field was removed from or added to. */
function createHolderKey({ places: [first] }: Change): string {
  return `${first?.event} ${first?.path} ${first?.steps.length}`;
}

function createPlaceKey(change: Change): string {
  return `${change.name} ${createHolderKey(change)}`;
}

function createCandidates(from: Change, to: Change, sides: Sides, minNameLikeness = 0): Candidate<Change>[] {
  const declaredOldName = readDeclaredOldName(to);
  if (declaredOldName === from.name) return [{ from, to, score: 100, declared: true }];
  if (declaredOldName !== undefined) return [];
  const old = inlineShape(from.before, sides.before);
  const now = inlineShape(to.after, sides.after);
  const shapeLikeness = scoreShapeLikeness(old, now);
  const nameLikeness = Math.max(minNameLikeness, scoreNameLikeness(from.name, to.name));
  if (shapeLikeness === 0 || (isNearlyEmpty(old) && nameLikeness < MIN_NAME_LIKENESS)) return [];
  const score = Math.round(
    shapeLikeness * (isNearlyEmpty(old) ? NEARLY_EMPTY_SHAPE_WEIGHT : SHAPE_WEIGHT) +
      scoreRequired(from, to) * REQUIRED_WEIGHT +
      scoreNeighbours(from, to) * NEIGHBOUR_WEIGHT +
      nameLikeness * NAME_WEIGHT,
  );
  return score >= LEAST_SCORE ? [{ from, to, score, declared: false }] : [];
}

/** Returns the name that a new field declares to replace. */
function readDeclaredOldName({ after }: Change): string | undefined {
  const stated = isObject(after?.schema) ? getOwn(after.schema, "x-renamed-from") : undefined;
  return typeof stated === "string" ? stated : undefined;
}

function inlineShape(spot: Spot | undefined, { protocol }: Side): Json {
  return inlineReferences(spot?.schema ?? true, protocol.definitions);
}

function scoreRequired(from: Change, to: Change): number {
  return from.rule.field?.required === to.rule.field?.required ? 1 : 0;
}

/** Returns 1 if both fields have the same neighbour on one side, or the same index; otherwise 0. */
function scoreNeighbours(from: Change, to: Change): number {
  if (!from.views || !to.views) return 0;
  const old = [...mergeFields(from.views.before).keys()];
  const now = [...mergeFields(to.views.after).keys()];
  const oldIndex = old.indexOf(from.name);
  const newIndex = now.indexOf(to.name);
  const hasSamePredecessor = oldIndex > 0 && old[oldIndex - 1] === now[newIndex - 1];
  const hasSameSuccessor = oldIndex + 1 < old.length && old[oldIndex + 1] === now[newIndex + 1];
  return oldIndex === newIndex || hasSamePredecessor || hasSameSuccessor ? 1 : 0;
}
