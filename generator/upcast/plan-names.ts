/** Plans the steps for declared renames and replacements of the fields and values of one event type. */
import { joinPointer } from "../json.js";
import { isSelector } from "../protocol/step-places.js";
import type { UpcastStep } from "../protocol/upcast.js";
import type { SiteField } from "./collect-sites.js";
import { addMovedField, findMovedFields } from "./moved-fields.js";
import {
  createRenameGap,
  findObject,
  findObjectRenames,
  listNewPlaces,
  listRenamedFields,
} from "./object-renames.js";
import { countTokens, PlacePairs } from "./place-pairs.js";
import { type EventPair, type Gap, listDistinct, type PlannedStep } from "./planned-step.js";
import type { ObjectPair } from "./rename-conditions.js";
import { addRenames } from "./rename-steps.js";
import { dropDepths, findParent } from "./site-conditions.js";
import { StepList } from "./step-list.js";
import { planValues } from "./value-steps.js";

/** The steps for the names of one event type, and the statements that they do not carry out at all their places. */
interface NamePlan {
  readonly steps: readonly PlannedStep[];
  readonly gaps: readonly Gap[];
}

/** Plans the steps for declared renames and replacements of fields and values, which come after the steps `declared`. */
export function planNames(
  pair: EventPair,
  isReversible = false,
  declared: readonly UpcastStep[] = [],
): NamePlan {
  const places = new PlacePairs(pair, isReversible, declared);
  const steps = new StepList(places);
  const gaps: Gap[] = [];
  const moved = findMovedFields(places);
  for (const { site, field, to } of moved)
    if (!places.has(to)) places.add(to, { path: joinPointer(dropDepths(site.path), field.name) });
  const renamed = new Set<SiteField>();
  for (const path of listObjects(places)) {
    const object = findObject(places, path);
    const found = findObjectRenames(places, object, moved);
    gaps.push(...findLostContainers(places, object), ...found.gaps);
    for (const each of listNewPlaces(places, object, found.renames)) places.add(each.path, each.old);
    gaps.push(...addRenames(places, steps, object, found.renames));
    for (const field of listRenamedFields(places, object, found.renames)) renamed.add(field);
    for (const each of moved)
      if (findParent(each.to) === path && !renamed.has(each.field))
        gaps.push(...addMovedField(places, steps, each));
  }
  const values = planValues(places, steps);
  return {
    steps: [...steps.planned, ...values.planned],
    gaps: listDistinct([...gaps, ...values.gaps], (gap) => JSON.stringify(gap)),
  };
}

/** Returns the places of the later version that objects may have. The names of an object change before those in its members. */
function listObjects(places: PlacePairs): string[] {
  const paths = new Set([
    ...places.after.list.map(({ path }) => dropDepths(path)),
    ...places.before.list.map((site) => places.findNewPath(site)),
  ]);
  return [...paths].sort((a, b) => countTokens(a) - countTokens(b));
}

/** Names statements below lists and maps that the two versions divide in different ways. */
function findLostContainers(places: PlacePairs, object: ObjectPair): Gap[] {
  return object.news.flatMap((site) => {
    const oldPath = places.findOldPath(object.path, site);
    if (oldPath === undefined || !isDividedOtherwise(places, oldPath)) return [];
    return site.fields.flatMap(({ name, renamedFrom }) => {
      if (renamedFrom === undefined) return [];
      const statement = { to: name, reason: `x-renamed-from of ${name}` };
      const reason = "the earlier version divides the values of the list or map in another way.";
      return [createRenameGap(places, object, statement, reason)];
    });
  });
}

/** Returns whether the earlier version selects values of a list or a map, but not the way that a place does. */
function isDividedOtherwise(places: PlacePairs, oldPath: string): boolean {
  const hasSites = (path: string): boolean => places.listOldSites(path).length > 0;
  const tokens = oldPath.split("/");
  const length = tokens.findLastIndex((_, index) => hasSites(tokens.slice(0, index + 1).join("/"))) + 1;
  const token = tokens[length];
  if (length === 0 || token === undefined || !isSelector(token)) return false;
  const parent = tokens.slice(0, length).join("/");
  return places.before.list.some(({ path }) => {
    const place = dropDepths(path);
    return place.startsWith(`${parent}/`) && isSelector(place.slice(parent.length + 1).split("/")[0] ?? "");
  });
}
