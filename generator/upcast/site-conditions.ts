/** Decides which alternatives of events a site is about, and which values of fields tell them apart. */
import { areEqual, type Json, joinPointer } from "../json.js";
import { EVERY_DEPTH } from "../protocol/step-places.js";
import type { Branch, Site, Tag } from "./collect-sites.js";

/** Values of a field of the earlier version for which an alternative holds. */
export interface Condition {
  /** The place in the earlier version. */
  readonly place: string;
  readonly values: readonly Json[];
  /** True if the alternative holds for all other values. */
  readonly isExcluded: boolean;
}

/** Returns a place without the parts that stand for every depth. */
export function dropDepths(path: string): string {
  return path
    .split("/")
    .filter((token) => token !== EVERY_DEPTH)
    .join("/");
}

/** Returns the place of the object that has a field. */
export function findParent(place: string): string {
  return place.slice(0, place.lastIndexOf("/"));
}

/** Returns the conditions of the branches of a site. `convert` returns that of a tag, if there is one in the earlier version. */
export function listConditions(
  { branches }: Pick<Site, "branches">,
  convert: (tag: Tag) => Condition | undefined,
): Condition[] {
  return branches.flatMap(({ tag }) => {
    const condition = tag && convert(tag);
    return condition ? [condition] : [];
  });
}

/** Returns the conditions of a site of the earlier version. */
export function listOldConditions(site: Pick<Site, "branches">): Condition[] {
  return listConditions(site, ({ parent, name, values, isExcluded }) => ({
    place: joinPointer(parent, name),
    values,
    isExcluded,
  }));
}

/** Returns whether two conditions are about the same place and the same values, in the same order. */
export function isSameCondition(a: Condition, b: Condition): boolean {
  return a.place === b.place && a.isExcluded === b.isExcluded && areEqual(a.values, b.values);
}

/** Returns whether two alternatives can hold at once, as far as conditions tell. */
export function areCompatible(a: readonly Condition[], b: readonly Condition[]): boolean {
  return !a.some((first) => b.some((second) => contradict(first, second)));
}

/** Returns whether two conditions never hold at once, as far as they are about the same place. */
export function contradict(a: Condition, b: Condition): boolean {
  if (dropDepths(a.place) !== dropDepths(b.place)) return false;
  const has = ({ values }: Condition, value: Json) => values.some((each) => areEqual(each, value));
  if (!a.isExcluded && !b.isExcluded) return !a.values.some((value) => has(b, value));
  if (a.isExcluded && b.isExcluded) return false;
  const [wanted, excluded] = a.isExcluded ? [b, a] : [a, b];
  return wanted.values.every((value) => has(excluded, value));
}

/** Returns whether two sites of one version belong to different branches of a union. */
export function areExclusive(a: Pick<Site, "branches">, b: Pick<Site, "branches">): boolean {
  return a.branches.some((first) =>
    b.branches.some((second) => first.union === second.union && first.pointer !== second.pointer),
  );
}

/** Returns whether a site is the other one, or an alternative of it. */
export function belongsTo(site: Pick<Site, "branches">, other: Pick<Site, "branches">): boolean {
  return other.branches.every((branch) => site.branches.some((each) => isSameBranch(each, branch)));
}

function isSameBranch(a: Branch, b: Branch): boolean {
  return a.union === b.union && a.pointer === b.pointer;
}
