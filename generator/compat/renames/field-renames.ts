/** Finds renames and moves among removed and added fields. A suspected rename changes the message, never the verdict. */
import { groupBy } from "../../group-by.js";
import { getOwn, isObject } from "../../json.js";
import type { Change } from "../change.js";
import { mergeFieldsOfBranches } from "../diff/view.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side } from "../side.js";
import { isUnrelatedAddition, type Sides, scoreFields } from "./field-evidence.js";
import { combineFieldMoves, findCertainMoves } from "./field-moves.js";
import { countFieldPairs, createHolderKey } from "./field-pairs.js";
import { type Candidate, LEAST_SCORE, type Match, matchWithFollowers } from "./match.js";
import { findFollowers } from "./patterns.js";
import { createTranslation } from "./word-replacements.js";

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
    translation: createTranslation(before.protocol, after.protocol),
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

/** Returns the name that a new field declares to replace. */
function readDeclaredOldName({ after }: Change): string | undefined {
  const stated = isObject(after?.schema) ? getOwn(after.schema, "x-renamed-from") : undefined;
  return typeof stated === "string" ? stated : undefined;
}
