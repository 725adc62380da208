import { canonical, isObject, type Json } from "../json.js";
import { mapSubschemas } from "../schema/walk.js";
import { type Change, identifyPlace, type Occurrence } from "./change.js";
import type { Spot } from "./side.js";
import { parseResourceKey } from "./subjects.js";

/**
 * Groups changes that have one cause: changes that several events show at one place of a file, renames of one name to
 * another, and equal changes of equal schemas at one path of several equally stable events.
 */
export function groupChanges(changes: readonly Change[]): Change[] {
  const groups: { change: Change; claim: Change["claim"]; occurrences: Occurrence[]; members: Change[] }[] =
    [];
  const byKey = new Map<string, (typeof groups)[number]>();
  for (const change of changes) {
    const keys = createKeys(change);
    const known = keys.map((key) => byKey.get(key)).find((group) => group !== undefined);
    const group = known ?? { change, claim: {}, occurrences: [], members: [] };
    if (!known) groups.push(group);
    group.claim = { ...group.claim, ...change.claim };
    group.occurrences.push(...change.occurrences);
    group.members.push(change);
    for (const key of keys) byKey.set(key, group);
  }
  return groups.map(({ change, claim, occurrences, members }) => ({
    ...change,
    claim,
    occurrences: sortByPlace(occurrences),
    ...mergeContents(members),
  }));
}

/** Returns the content of one change, or the contents of all by their places if they differ. */
function mergeContents(members: readonly Change[]): Pick<Change, "content"> {
  const [first, ...others] = members.map(({ content }) => content);
  if (first === undefined) return {};
  if (others.every((content) => canonical(content ?? null) === canonical(first))) return { content: first };
  const byPlace = members.map(
    ({ content = null, occurrences: [at] }): Json => [at?.event ?? "", at?.path ?? "", content],
  );
  return { content: byPlace.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)) };
}

function createKeys(change: Change): string[] {
  const { rule, name, from, to, before, after } = change;
  const what = canonical([rule.id, name, from ?? null, to ?? null]);
  if (rule.isGroupedByNames) return [what];
  const places = [before && `before ${createAddress(before)}`, after && `after ${createAddress(after)}`];
  // Each addition is listed for itself.
  const mayBreak = change.claim.backward !== undefined || change.claim.forward !== undefined;
  return [...places, mayBreak && canonical(createCopyKey(change))].flatMap((each) =>
    each ? [`${what} ${each}`] : [],
  );
}

/** Returns a key that is equal for copies of one change in several events: path, stability and schemas. */
function createCopyKey({ rule, before, after, views, occurrences: [first] }: Change): Json {
  const isLostField = rule.field?.is === "removed" || rule.field?.required;
  const schemas = isLostField
    ? [(before ?? after)?.schema]
    : [views?.before, views?.after].flatMap((view) => view?.nodes.map(({ schema }) => schema) ?? []);
  return [first?.event === "", first?.path ?? "", first?.stability ?? "", ...schemas.map(dropProse)];
}

/** Returns the schema of a field without prose. */
function dropProse(schema: Json | undefined): Json {
  if (!isObject(schema)) return schema ?? null;
  const { title: _t, description: _d, ...rest } = mapSubschemas(schema, dropProse);
  return rest;
}

function createAddress({ file, pointer }: Spot): string {
  return `${file}#${pointer}`;
}

/** Returns every place once, sorted, those in resources last. */
export function sortByPlace(occurrences: readonly Occurrence[]): Occurrence[] {
  const byPlace = new Map(occurrences.map((each) => [identifyPlace(each).join(" "), each]));
  const inOrder = [...byPlace].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  // A change that events share with resources is reported at its place in the events.
  const [events, resources] = [false, true].map((wanted) =>
    inOrder.filter(({ event }) => (parseResourceKey(event) !== undefined) === wanted),
  );
  return [...(events ?? []), ...(resources ?? [])];
}
