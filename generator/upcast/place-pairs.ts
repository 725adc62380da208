/** Finds the place of a value in the other version, as far as statements about the objects around it say. */
import { groupBy } from "../group-by.js";
import { joinPointer } from "../json.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { collectSites, hasField, type Site, type Sites, type Tag } from "./collect-sites.js";
import { collectDeclaredSites } from "./declared-sites.js";
import { findPayloadPath } from "./payload-path.js";
import type { EventPair } from "./planned-step.js";
import { findReplacement } from "./replacements.js";
import {
  areCompatible,
  belongsTo,
  type Condition,
  dropDepths,
  listConditions,
  listOldConditions,
} from "./site-conditions.js";

/** A place of the earlier version, and the sites of the later version for which it holds; all of them by default. */
export interface OldPlace {
  /** Undefined for a field of the later version that the earlier one has under no name. */
  readonly path: string | undefined;
  readonly sites?: readonly Site[];
}

/** The places of one event type in both versions. Paths of places have no parts that stand for every depth. */
export class PlacePairs {
  readonly before: Sites;
  readonly after: Sites;
  private readonly oldSites: ReadonlyMap<string, readonly Site[]>;
  private readonly newSites: ReadonlyMap<string, readonly Site[]>;
  /** Places of the earlier version by those of the later one, where they differ. */
  private readonly oldPlaces = new Map<string, OldPlace[]>();

  /**
   * `isReversible` is true if the steps are to be undone, so that each one must have the conditions of its branches. The places of
   * the earlier version are those after the steps `declared`.
   */
  constructor(
    readonly pair: EventPair,
    readonly isReversible = false,
    declared: readonly UpcastStep[] = [],
  ) {
    const { from, to, event, target } = pair;
    this.before = collectDeclaredSites(pair, declared);
    this.after = collectSites(to, target);
    this.oldSites = groupBy(this.before.list, ({ path }) => dropDepths(path));
    this.newSites = groupBy(this.after.list, ({ path }) => dropDepths(path));
    this.add(findPayloadPath(to, target), { path: findPayloadPath(from, event) });
  }

  /** Adds the place of the earlier version for one of the later version. */
  add(path: string, place: OldPlace): void {
    this.oldPlaces.set(path, [...(this.oldPlaces.get(path) ?? []), place]);
  }

  /** Returns whether a place of the later version has been added. */
  has(path: string): boolean {
    return this.oldPlaces.has(path);
  }

  /** Returns the sites of the earlier version at a place. */
  listOldSites(path: string): readonly Site[] {
    return this.oldSites.get(path) ?? [];
  }

  /** Returns the sites of the later version at a place. */
  listNewSites(path: string): readonly Site[] {
    return this.newSites.get(path) ?? [];
  }

  /** Returns the place of the later version for a site of the earlier one. */
  findNewPath(site: Site): string {
    const old = dropDepths(site.path);
    const conditions = listOldConditions(site);
    let [best, length] = [old, -1];
    for (const [now, places] of this.oldPlaces)
      for (const { path: was, sites } of places)
        if (
          was !== undefined &&
          `${old}/`.startsWith(`${was}/`) &&
          was.length > length &&
          (was !== "" || site.owner !== "") &&
          (sites?.some((each) => areCompatible(conditions, this.listNewConditions(each))) ?? true)
        )
          [best, length] = [now + old.slice(was.length), was.length];
    return best;
  }

  /** Returns the place of the earlier version for one of the later version in a site; undefined if there is none. */
  findOldPath(path: string, site: Pick<Site, "branches">): string | undefined {
    const known = this.oldPlaces
      .get(path)
      ?.find(({ sites }) => sites?.some((each) => belongsTo(site, each)) ?? true);
    if (known !== undefined) return known.path;
    if (path === "") return path;
    const slash = path.lastIndexOf("/");
    const parent = this.findOldPath(path.slice(0, slash), site);
    return parent === undefined ? undefined : parent + path.slice(slash);
  }

  /** Returns whether a value of the earlier version may become one of the later version. */
  areLinked(old: Site, now: Site): boolean {
    return (
      this.findOldPath(dropDepths(now.path), now) === dropDepths(old.path) &&
      areCompatible(listOldConditions(old), this.listNewConditions(now))
    );
  }

  /** Returns the conditions of a site of the later version in terms of the earlier one. */
  listNewConditions(site: Pick<Site, "branches">): Condition[] {
    return listConditions(site, (tag) => this.convertNewTag(tag, site));
  }

  private convertNewTag(
    { parent, name, renamedFrom, values, isExcluded }: Tag,
    holder: Pick<Site, "branches">,
  ): Condition | undefined {
    const path = this.findOldPath(dropDepths(parent), holder);
    if (path === undefined) return undefined;
    const oldName = renamedFrom ?? name;
    const site = this.listOldSites(path).find((each) => hasField(each, oldName));
    if (site === undefined) return undefined;
    const place = joinPointer(site.path, oldName);
    const replaced = this.listOldSites(dropDepths(place)).flatMap((each) =>
      each.values.flatMap(({ value }) => {
        const replacement = findReplacement(this.pair, { kind: "value", name: String(value), site: each });
        return values.some((now) => String(now) === replacement?.text) ? [value] : [];
      }),
    );
    return { place, values: [...values, ...replaced], isExcluded };
  }
}

/** Returns the number of parts of a place. */
export function countTokens(place: string): number {
  return place.split("/").length;
}
