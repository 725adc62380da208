/** Makes the steps for the renames of the fields of one object. */
import { joinPointer } from "../json.js";
import { EVERY_DEPTH, isSelector } from "../protocol/step-places.js";
import { hasField } from "./collect-sites.js";
import { orderRenames } from "./member-renames.js";
import { createRenameGap } from "./object-renames.js";
import type { PlacePairs } from "./place-pairs.js";
import type { Gap } from "./planned-step.js";
import { type ConditionalRename, listHolders, type ObjectPair } from "./rename-conditions.js";
import { findReplacement } from "./replacements.js";
import { findBlockedPlace, type StepList } from "./step-list.js";

/** Adds the steps for the renames of the fields of an object. Returns the statements that no step carries out. */
export function addRenames(
  places: PlacePairs,
  steps: StepList,
  object: ObjectPair,
  renames: readonly ConditionalRename[],
): Gap[] {
  const { path, olds, news } = object;
  const isTaken = (name: string): boolean => [...olds, ...news].some((site) => hasField(site, name));
  return orderRenames(renames, isTaken).flatMap((rename) => {
    const isAlias = isAliasOf(places, object, rename, renames);
    return rename.conditions.flatMap((conditions) => {
      const oldObject = listHolders(olds, rename.old.name, conditions)[0]?.path ?? path;
      const locate = (name: string): string => insertDepths(joinPointer(path, name), oldObject);
      const move = { from: locate(rename.from), to: locate(rename.to), isAlias, oldObject, conditions };
      const reason =
        findSign(rename) ??
        findBlockedPlace(places, oldObject, news[0]?.path ?? path) ??
        steps.addMove({ ...move, reason: rename.reason });
      return reason === undefined ? [] : [createRenameGap(places, object, rename, reason)];
    });
  });
}

/** Returns why no step can name a field; undefined if one can. */
function findSign({ from, to }: ConditionalRename): string | undefined {
  const sign = [from, to].find(isSelector);
  return sign && `in the places of steps, ${sign} is a sign for several values and not the name of a field.`;
}

/** Returns whether the earlier version has a field under both names, and a statement that both hold the same thing. */
function isAliasOf(
  { pair }: PlacePairs,
  { olds }: ObjectPair,
  rename: ConditionalRename,
  renames: readonly ConditionalRename[],
): boolean {
  const isRenamed = renames.some(({ from }) => from === rename.to);
  const fields = olds.flatMap((site) => site.fields.map((field) => ({ site, field })));
  const other = fields.find(({ field }) => field.name === rename.to);
  if (other === undefined || isRenamed) return false;
  if (rename.isReplacement || other.field.renamedFrom === rename.old.name) return true;
  const { name, replacedBy } = rename.old;
  const holder = fields.find(({ field }) => field.name === name);
  if (holder === undefined) return false;
  return findReplacement(pair, { kind: "field", name, site: holder.site }, replacedBy)?.text === rename.to;
}

/** Returns a place of the later version with the parts for every depth that the object has in the earlier version. */
function insertDepths(place: string, oldObject: string): string {
  const names = place.split("/");
  const result: string[] = [];
  for (const token of [...oldObject.split("/"), ""].reverse())
    if (token === EVERY_DEPTH) result.unshift(token);
    else result.unshift(...names.splice(-1));
  return [...names, ...result].join("/");
}
