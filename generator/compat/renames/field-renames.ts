/** Finds renames and moves among removed and added fields. A suspicion changes the sentence, never the verdict. */
import { isObject, type Json, own } from "../../json.js";
import { fieldsOf } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { inlined } from "../diff/view.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side, Spot } from "../side.js";
import { combineFieldMoves } from "./field-moves.js";
import { BY_PATTERN, type Candidate, followers, LEAST_SCORE, type Match, matchTwice } from "./match.js";
import { nameLikeness, nearEmpty, shapeLikeness } from "./similar.js";

/** Combines removed and added fields where one looks like the other under a new name or at a new place. */
export function combineFieldRenames(changes: readonly Change[], before: Side, after: Side): Change[] {
  const removed = changes.filter(({ rule }) => rule.field?.is === "removed");
  const added = changes.filter(({ rule }) => rule.field?.is === "added");
  const renames = renamesAmong(removed, added, { before, after });
  const used = new Set<Change>(renames.flatMap(({ from, to }) => [from, to]));
  const renamed = renames.map(({ from, to, score, declared, ties }) => ({
    ...{
      ...from,
      rule: FIELD_RULES["field-renamed"],
      from: from.name,
      to: to.name,
      ...(to.after && { after: to.after }),
    },
    content: [from.content ?? null, to.content ?? null],
    rename: { score, declared, ties: ties.map(({ name }) => name) },
  }));
  const rest = changes.filter((change) => !used.has(change));
  return [...combineFieldMoves(rest, before, after), ...renamed];
}

interface Sides {
  readonly before: Side;
  readonly after: Side;
}

function renamesAmong(removed: readonly Change[], added: readonly Change[], sides: Sides): Match<Change>[] {
  const byHolder = new Map<string, Change[]>();
  for (const to of added) byHolder.set(holder(to), [...(byHolder.get(holder(to)) ?? []), to]);
  const first = removed.flatMap((from) =>
    (byHolder.get(holder(from)) ?? []).flatMap((to) => candidate(from, to, sides)),
  );
  const following = (found: readonly Match<Change>[]) =>
    followers(found, removed, added, ({ name }) => name).flatMap(([from, to]) =>
      holder(from) === holder(to) ? candidate(from, to, sides, BY_PATTERN) : [],
    );
  return matchTwice(first, following, placed);
}

/** Returns a key of the object that a field was removed from or added to. */
function holder({ occurrences: [first] }: Change): string {
  return `${first?.event} ${first?.path} ${first?.steps.length}`;
}

function placed(change: Change): string {
  return `${change.name} ${holder(change)}`;
}

function candidate(from: Change, to: Change, sides: Sides, least = 0): Candidate<Change>[] {
  if (declaredBy(to) === from.name) return [{ from, to, score: 100, declared: true }];
  if (declaredBy(to) !== undefined) return [];
  const [old, now] = [shape(from.before, sides.before), shape(to.after, sides.after)];
  const likeness = shapeLikeness(old, now);
  const names = Math.max(least, nameLikeness(from.name, to.name));
  if (likeness === 0 || (nearEmpty(old) && names < 0.3)) return [];
  const score = Math.round(
    likeness * (nearEmpty(old) ? 30 : 45) + sameNeed(from, to) * 10 + neighbours(from, to) * 15 + names * 30,
  );
  return score >= LEAST_SCORE ? [{ from, to, score, declared: false }] : [];
}

/** Returns the name that a new field declares to replace. */
function declaredBy({ after }: Change): string | undefined {
  const stated = isObject(after?.schema) ? own(after.schema, "x-renamed-from") : undefined;
  return typeof stated === "string" ? stated : undefined;
}

function shape(spot: Spot | undefined, { protocol }: Side): Json {
  return inlined(spot?.schema ?? true, protocol.definitions);
}

function sameNeed(from: Change, to: Change): number {
  return from.rule.field?.required === to.rule.field?.required ? 1 : 0;
}

/** Whether the two stand between the same fields, on one side at least. */
function neighbours(from: Change, to: Change): number {
  if (!from.views || !to.views) return 0;
  const [old, now] = [[...fieldsOf(from.views.before).keys()], [...fieldsOf(to.views.after).keys()]];
  const [i, j] = [old.indexOf(from.name), now.indexOf(to.name)];
  return i === j ||
    (i > 0 && old[i - 1] === now[j - 1]) ||
    (old[i + 1] !== undefined && old[i + 1] === now[j + 1])
    ? 1
    : 0;
}
