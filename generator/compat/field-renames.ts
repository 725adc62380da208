/** Fields that went and fields that came, read as renames and moves. A suspicion changes words, never a verdict. */
import { isObject, type Json, own } from "../json.js";
import type { Change } from "./change.js";
import { type Candidate, matchNames } from "./match.js";
import type { Side, Spot } from "./side.js";
import { nameLikeness, nearEmpty, shapeLikeness } from "./similar.js";
import { fieldsOf, inlined } from "./view.js";

/** The least score, of 100, that makes a suspicion. */
export const LEAST_SCORE = 50;

/** `changes` with removed and added fields put together where one looks like the other under a new name or place. */
export function withFieldRenames(changes: readonly Change[], before: Side, after: Side): Change[] {
  const gone = changes.filter(({ kind }) => kind.startsWith("field-removed-"));
  const come = changes.filter(({ kind }) => kind.startsWith("field-added-"));
  const likes = { before, after };
  const renames = matchNames(
    gone.flatMap((from) =>
      come.flatMap((to) => (holder(from) === holder(to) ? candidate(from, to, likes) : [])),
    ),
    ({ name }) => name,
  );
  const used = new Set<Change>(renames.flatMap(({ from, to }) => [from, to]));
  const moves = matchNames(
    gone.flatMap((from) =>
      come.flatMap((to) => (!used.has(from) && !used.has(to) ? moved(from, to, likes) : [])),
    ),
    (change) => `${holder(change)} ${change.name}`,
  );
  for (const { from, to } of moves) used.add(from).add(to);
  return [
    ...changes.filter((change) => !used.has(change)),
    ...renames.map(({ from, to, score, declared, ties }) => ({
      ...replaced(from, to, "field-renamed"),
      rename: { score, declared, ties: ties.map(({ name }) => name) },
    })),
    ...moves.map(({ from, to }) => replaced(from, to, "field-moved")),
  ];
}

interface Sides {
  readonly before: Side;
  readonly after: Side;
}

function holder({ occurrences: [first] }: Change): string {
  return `${first?.event} ${first?.path} ${first?.steps.length}`;
}

function replaced(from: Change, to: Change, kind: string): Change {
  const [old, now] = kind === "field-renamed" ? [from.name, to.name] : [pathOf(from), pathOf(to)];
  return { ...from, kind, from: old, to: now, ...(to.after && { after: to.after }) };
}

function pathOf({ occurrences: [first], name }: Change): string {
  return `${first?.path}/${name}`;
}

function candidate(from: Change, to: Change, sides: Sides): Candidate<Change>[] {
  if (declaredBy(to) === from.name) return [{ from, to, score: 100, declared: true }];
  if (declaredBy(to) !== undefined) return [];
  const [old, now] = [shape(from.before, sides.before), shape(to.after, sides.after)];
  const likeness = shapeLikeness(old, now);
  const names = nameLikeness(from.name, to.name);
  if (likeness === 0 || (nearEmpty(old) && names < 0.3)) return [];
  const score = Math.round(
    likeness * (nearEmpty(old) ? 30 : 45) + sameNeed(from, to) * 10 + neighbours(from, to) * 15 + names * 30,
  );
  return score >= LEAST_SCORE ? [{ from, to, score, declared: false }] : [];
}

function moved(from: Change, to: Change, sides: Sides): Candidate<Change>[] {
  const same =
    from.name === to.name &&
    from.occurrences[0]?.event === to.occurrences[0]?.event &&
    holder(from) !== holder(to) &&
    shapeLikeness(shape(from.before, sides.before), shape(to.after, sides.after)) === 1;
  return same ? [{ from, to, score: 100, declared: false }] : [];
}

/** The name that a new field says it replaces. */
function declaredBy({ after }: Change): string | undefined {
  const said = isObject(after?.schema) ? own(after.schema, "x-renamed-from") : undefined;
  return typeof said === "string" ? said : undefined;
}

function shape(spot: Spot | undefined, { protocol }: Side): Json {
  return inlined(spot?.schema ?? true, protocol.definitions);
}

function sameNeed(from: Change, to: Change): number {
  return from.kind.endsWith("-required") === to.kind.endsWith("-required") ? 1 : 0;
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
