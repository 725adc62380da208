/** Decides under which conditions the rename of a field holds, if an object is one of several. */
import { joinPointer, splitPointer } from "../json.js";
import { hasField, type Site, type SiteField, type Sites } from "./collect-sites.js";
import { areOverlapping } from "./match-place.js";
import type { PlacePairs } from "./place-pairs.js";
import { listDistinct } from "./planned-step.js";
import {
  areCompatible,
  areExclusive,
  belongsTo,
  type Condition,
  dropDepths,
  findParent,
  listOldConditions,
} from "./site-conditions.js";

/** An object in both versions. */
export interface ObjectPair {
  /** The place in the later version, without the parts that stand for every depth. */
  readonly path: string;
  readonly olds: readonly Site[];
  readonly news: readonly Site[];
}

/** A rename or a replacement of a field by another one of the same object. */
export interface FieldRename {
  readonly old: SiteField;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  /** The sites that declare it: of the later version for a rename, of the earlier one for a replacement. */
  readonly declaredBy: readonly Site[];
  readonly isReplacement: boolean;
  /** True if the field moves on to another object. */
  readonly isDisplaced?: boolean;
}

/** A rename with the conditions under which it holds; one step for each. */
export interface ConditionalRename extends FieldRename {
  readonly conditions: readonly (readonly Condition[])[];
}

/**
 * Returns the conditions under which a rename holds, one list for each alternative; an empty list if it always holds. Undefined
 * if no condition tells the alternatives apart.
 */
export function decideConditions(
  places: PlacePairs,
  object: ObjectPair,
  rename: FieldRename,
): readonly (readonly Condition[])[] | undefined {
  const isReversible = !places.isReversible || isExactBack(places, object, rename);
  if (isExact(places, object, rename, []) && isReversible) return [[]];
  const alternatives = rename.declaredBy.map((site) =>
    rename.isReplacement ? listOldConditions(site) : places.listNewConditions(site),
  );
  const distinct = listDistinct(alternatives, (each) => JSON.stringify(each));
  const canTell = distinct.every(
    (each) => canTellApart(places, each) && isExact(places, object, rename, each),
  );
  return canTell ? distinct : undefined;
}

/** Returns whether each condition is about a field that the earlier version requires in all alternatives of its object. */
export function canTellApart(places: PlacePairs, conditions: readonly Condition[]): boolean {
  return (
    conditions.length > 0 &&
    conditions.every(({ place, isExcluded }) => !isExcluded && isAlwaysThere(places, place))
  );
}

/** Returns whether two renames never concern one object. */
export function isExclusive(a: ConditionalRename, b: ConditionalRename): boolean {
  if (a.isReplacement === b.isReplacement)
    return a.declaredBy.every((first) => b.declaredBy.every((second) => areExclusive(first, second)));
  return a.conditions.every((first) => b.conditions.every((second) => !areCompatible(first, second)));
}

/** Returns whether every old object with these conditions that has the field is one for which the rename is declared. */
function isExact(
  places: PlacePairs,
  { path, olds, news }: ObjectPair,
  { old, declaredBy, isReplacement }: FieldRename,
  conditions: readonly Condition[],
): boolean {
  const holders = listHolders(olds, old.name, conditions);
  // The objects around it have their new names before the field gets its own.
  const isAlsoOther = listAllSites(places.before).some(
    (site) =>
      areCompatible(listOldConditions(site), conditions) &&
      areOverlapping(places.findNewPath(site), joinPointer(path, old.name)),
  );
  if (isAlsoOther) return false;
  if (isReplacement) return holders.every((site) => declaredBy.some((each) => belongsTo(site, each)));
  const unions = new Set(declaredBy.flatMap(({ branches }) => branches.map(({ union }) => union)));
  // Alternatives of the same unions for which the rename is not declared.
  const others = news.filter(
    (site) =>
      isLeaf(site, news) &&
      site.branches.some(({ union }) => unions.has(union)) &&
      !declaredBy.some((each) => belongsTo(site, each)),
  );
  return holders.every((holder) => {
    const holds = (site: Site): boolean =>
      areCompatible(places.listNewConditions(site), conditions) && places.areLinked(holder, site);
    return declaredBy.some(holds) && !others.some(holds);
  });
}

/** Returns whether every new object with the new name is one for which the rename is declared. */
function isExactBack(
  places: PlacePairs,
  { path, olds, news }: ObjectPair,
  { to, declaredBy, isReplacement }: FieldRename,
): boolean {
  const isDeclared = (site: Site): boolean => declaredBy.some((each) => belongsTo(site, each));
  const place = joinPointer(path, to);
  if (listAllSites(places.after).some((site) => areOverlapping(dropDepths(site.path), place))) return false;
  return news
    .filter((site) => hasField(site, to))
    .every((site) =>
      isReplacement
        ? olds.filter((old) => isLeaf(old, olds) && places.areLinked(old, site)).every(isDeclared)
        : isDeclared(site),
    );
}

/** Returns the sites of a version, and those at which definitions that hold themselves begin again. */
function listAllSites({ list, loops }: Sites): Site[] {
  const again = [...loops].flatMap(([place, ways]) =>
    list
      .filter(({ path }) => path === place)
      .flatMap((site) => ways.map((way) => ({ ...site, path: place + way }))),
  );
  return [...list, ...again];
}

/** Returns whether a site may be an object, and has no alternatives of its own among others. */
function isLeaf(site: Site, others: readonly Site[]): boolean {
  return (
    site.mayBeObject &&
    !others.some((other) => other.branches.length > site.branches.length && belongsTo(other, site))
  );
}

/** Returns the sites of the earlier version that have a field under these conditions. */
export function listHolders(olds: readonly Site[], name: string, conditions: readonly Condition[]): Site[] {
  return olds.filter((site) => hasField(site, name) && areCompatible(listOldConditions(site), conditions));
}

function isAlwaysThere(places: PlacePairs, place: string): boolean {
  const name = splitPointer(place).at(-1) ?? "";
  const sites = places.listOldSites(dropDepths(findParent(place))).filter(({ mayBeObject }) => mayBeObject);
  const requires = (site: Site): boolean =>
    site.fields.some((field) => field.name === name && field.isRequired);
  const leaves = sites.filter((site) => !sites.some((other) => other !== site && belongsTo(other, site)));
  return leaves.every((leaf) => sites.some((site) => belongsTo(leaf, site) && requires(site)));
}
