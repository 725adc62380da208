import { formatCanonicalJson, type Json } from "../json.js";
import type { Spot } from "../schema/describe.js";
import { type Change, identifyPlace, type Place } from "./change.js";
import { dropTexts } from "./diff/view.js";
import { parseResourceKey } from "./subjects.js";

/**
 * Groups changes that have one cause: changes of one spot that several subjects share, renames of one name to another, and
 * equal changes of equal schemas at one path of several equally stable events.
 */
export function groupChanges(changes: readonly Change[]): Change[] {
  const groups: [Change, ...Change[]][] = [];
  const byKey = new Map<string, (typeof groups)[number]>();
  for (const change of changes) {
    const keys = createGroupKeys(change);
    const knownGroup = keys.map((key) => byKey.get(key)).find((group) => group !== undefined);
    const group: (typeof groups)[number] = knownGroup ?? [change];
    if (knownGroup) knownGroup.push(change);
    else groups.push(group);
    for (const key of keys) byKey.set(key, group);
  }
  return groups.map(mergeChanges);
}

function mergeChanges(members: readonly [Change, ...Change[]]): Change {
  return {
    ...members[0],
    claim: Object.assign({}, ...members.map(({ claim }) => claim)),
    places: sortPlaces(members.flatMap(({ places }) => places)),
    ...mergeContents(members),
  };
}

/** Returns the common content of the changes. If their contents differ, returns all of them with their places. */
function mergeContents(members: readonly Change[]): Pick<Change, "content"> {
  const [first, ...others] = members.map(({ content }) => content);
  if (first === undefined) return {};
  if (others.every((content) => formatCanonicalJson(content ?? null) === formatCanonicalJson(first)))
    return { content: first };
  const byPlace = members.map(
    ({ content = null, places: [place] }): Json => [place?.event ?? "", place?.path ?? "", content],
  );
  return { content: byPlace.sort((a, b) => (formatCanonicalJson(a) < formatCanonicalJson(b) ? -1 : 1)) };
}

/** Returns keys of a change. Two changes with a common key have one cause. */
function createGroupKeys(change: Change): string[] {
  const { rule, name, from, to, before, after, claim } = change;
  const contentKey = formatCanonicalJson([rule.id, name, from ?? null, to ?? null]);
  if (rule.isGroupedByNames) return [contentKey];
  const keys: string[] = [];
  if (before) keys.push(`${contentKey} before ${createAddress(before)}`);
  if (after) keys.push(`${contentKey} after ${createAddress(after)}`);
  // Additions of the same field to several events are listed one by one.
  const mayBreak = claim.backward !== undefined || claim.forward !== undefined;
  if (mayBreak) keys.push(`${contentKey} ${formatCanonicalJson(createCopyKey(change))}`);
  return keys;
}

/** Returns a key that is equal for copies of one change in several events: path, stability and schemas. */
function createCopyKey({ rule, before, after, views, places: [first] }: Change): Json {
  const isAboutFieldAlone = rule.field?.change === "removed" || rule.field?.required;
  const schemas = isAboutFieldAlone
    ? [(before ?? after)?.schema]
    : [views?.before, views?.after].flatMap((view) => view?.spots.map(({ schema }) => schema) ?? []);
  return [first?.event === "", first?.path ?? "", first?.stability ?? "", ...schemas.map(dropTexts)];
}

function createAddress({ file, pointer }: Spot): string {
  return `${file}#${pointer}`;
}

/** Returns every place once, sorted. Places in resources come last, so that a shared change is reported in the events. */
export function sortPlaces(places: readonly Place[]): Place[] {
  const byKey = new Map(places.map((place) => [identifyPlace(place).join(" "), place]));
  const sortedPlaces = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
  const isInResource = ({ event }: Place) => parseResourceKey(event) !== undefined;
  return [...sortedPlaces.filter((place) => !isInResource(place)), ...sortedPlaces.filter(isInResource)];
}
