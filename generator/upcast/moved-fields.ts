/** Plans the moves of fields to other objects: replacements that name a place of the later version. */
import { joinPointer } from "../json.js";
import { findSelectedPlace } from "../protocol/step-places.js";
import { hasField, type Site, type SiteField } from "./collect-sites.js";
import type { PlacePairs } from "./place-pairs.js";
import { GAP_REASONS, type Gap } from "./planned-step.js";
import { canTellApart } from "./rename-conditions.js";
import { findReplacement, type Replacement } from "./replacements.js";
import { dropDepths, findParent, listOldConditions } from "./site-conditions.js";
import type { StepList } from "./step-list.js";

/** A field of the earlier version that moves to another object. */
export interface MovedField {
  readonly site: Site;
  readonly field: SiteField;
  /** The place of the later version. */
  readonly to: string;
  readonly reason: string;
}

/** Returns the fields that a statement moves to another object. */
export function findMovedFields(places: PlacePairs): MovedField[] {
  return places.before.list.flatMap((site) => {
    const news = places.listNewSites(places.findNewPath(site));
    return site.fields.flatMap((field): MovedField[] => {
      const replacement = findFieldReplacement(places, site, field, news);
      return replacement?.text.startsWith("/")
        ? [{ site, field, to: replacement.text, reason: replacement.reason }]
        : [];
    });
  });
}

/** Adds the step for a field that moves to another object. Returns the statement if there can be no step. */
export function addMovedField(places: PlacePairs, steps: StepList, moved: MovedField): Gap[] {
  const { site, field, reason: statement } = moved;
  const reason = addMove(places, steps, moved);
  const place = joinPointer(site.path, field.name);
  return reason === undefined ? [] : [{ type: places.pair.event.type, place, statement, reason }];
}

/** Adds the step of a move. Returns the reason if there can be none. */
function addMove(
  places: PlacePairs,
  steps: StepList,
  { site, field, to, reason }: MovedField,
): string | undefined {
  const oldConditions = listOldConditions(site);
  const [from = "", ...others] = steps.locate(joinPointer(site.path, field.name), oldConditions);
  const isUnconditional = movesEverywhere(places, { site, field, to, reason });
  if (!hasFieldAt(places.listNewSites(findParent(to)), to)) return GAP_REASONS.describeMissingField(to);
  if (others.length > 0 || !(isUnconditional || canTellApart(places, oldConditions)))
    return GAP_REASONS.sameBranches;
  if (findSelectedPlace(from) !== findSelectedPlace(to))
    return "leads out of a list or into one, which no step does.";
  const oldParent = places.findOldPath(findParent(to), { branches: [] }) ?? "";
  const oldPlace = oldParent + to.slice(to.lastIndexOf("/"));
  const isAlias = hasFieldAt(places.listOldSites(oldParent), oldPlace);
  const conditions = isUnconditional ? [] : oldConditions;
  return steps.addMove({ from, to, isAlias, oldObject: site.path, conditions, reason });
}

/** Returns whether a field moves to the same place in all alternatives of its object. */
function movesEverywhere(places: PlacePairs, { site, field, to }: MovedField): boolean {
  return places
    .listOldSites(dropDepths(site.path))
    .filter((other) => hasField(other, field.name))
    .every((other) => {
      const news = places.listNewSites(places.findNewPath(other));
      return other === site || findFieldReplacement(places, other, field, news)?.text === to;
    });
}

/** Returns whether one of the sites around a place has a field there. */
function hasFieldAt(sites: readonly Site[], place: string): boolean {
  return sites.some(({ fields }) =>
    fields.some(({ name }) => joinPointer(findParent(place), name) === place),
  );
}

/** Returns what is to be used instead of a field that the later version does not have in the sites `news`. */
export function findFieldReplacement(
  places: PlacePairs,
  site: Site,
  { name, replacedBy }: SiteField,
  news: readonly Site[],
): Replacement | undefined {
  const isKept = (): boolean =>
    news.some(
      (now) =>
        places.areLinked(site, now) &&
        now.fields.some((field) => field.name === name && field.renamedFrom === undefined),
    );
  const replacement = findReplacement(places.pair, { kind: "field", name, site }, replacedBy);
  return replacement === undefined || isKept() ? undefined : replacement;
}
