/** Finds the renames of the fields of one object, and the places that they give to what is below the fields. */

import { groupBy } from "../group-by.js";
import { joinPointer } from "../json.js";
import { hasField, type Site, type SiteField } from "./collect-sites.js";
import { findMemberRenames, type MemberRename } from "./member-renames.js";
import { findFieldReplacement, type MovedField } from "./moved-fields.js";
import type { OldPlace, PlacePairs } from "./place-pairs.js";
import { GAP_REASONS, type Gap } from "./planned-step.js";
import {
  type ConditionalRename,
  decideConditions,
  type FieldRename,
  isExclusive,
  type ObjectPair,
} from "./rename-conditions.js";
import { belongsTo, dropDepths } from "./site-conditions.js";

/** The renames that hold, and the statements that do not. */
interface ObjectRenames<R extends FieldRename> {
  readonly renames: readonly R[];
  readonly gaps: readonly Gap[];
}

/** Returns the sites of both versions at a place of the later version. */
export function findObject(places: PlacePairs, path: string): ObjectPair {
  const news = places.listNewSites(path);
  const oldPaths = new Set(news.map((site) => places.findOldPath(path, site)));
  const olds = places.before.list.filter(
    (site) => oldPaths.has(dropDepths(site.path)) || places.findNewPath(site) === path,
  );
  return { path, olds, news };
}

/** Returns the renames of the fields of an object. Fields that move to other objects make way for a field that gets their name. */
export function findObjectRenames(
  places: PlacePairs,
  object: ObjectPair,
  moved: readonly MovedField[],
): ObjectRenames<ConditionalRename> {
  const declared = findDeclaredRenames(places, object);
  const replacing = findReplacements(places, object, declared.renames);
  const renames = mergeRenames([...declared.renames, ...replacing.renames]);
  const gaps = [...declared.gaps, ...replacing.gaps];
  const refuse = (rename: FieldRename, reason: string): void => {
    gaps.push(createRenameGap(places, object, rename, reason));
  };
  const conditional = [...renames, ...displaceFields(object, renames, moved)].flatMap(
    (rename): ConditionalRename[] => {
      const conditions = decideConditions(places, object, rename);
      if (conditions !== undefined) return [{ ...rename, conditions }];
      refuse(rename, GAP_REASONS.sameBranches);
      return [];
    },
  );
  const isRepeated = (rename: ConditionalRename, index: number): boolean =>
    conditional
      .slice(0, index)
      .some((other) => other.from === rename.from && other.to !== rename.to && !isExclusive(other, rename));
  for (const rename of conditional.filter(isRepeated))
    refuse(rename, GAP_REASONS.describeRenamedField(rename.from));
  return { renames: conditional.filter((rename, index) => !isRepeated(rename, index)), gaps };
}

/** Returns a gap about a field of an object. */
export function createRenameGap(
  { pair }: PlacePairs,
  { path }: ObjectPair,
  { to, reason: statement }: Pick<FieldRename, "to" | "reason">,
  reason: string,
): Gap {
  return { type: pair.event.type, place: joinPointer(path, to), statement, reason };
}

function createRename(
  site: Site,
  old: SiteField,
  to: string,
  rest: Pick<FieldRename, "reason" | "isReplacement" | "isDisplaced">,
): FieldRename {
  return { old, from: old.name, to, declaredBy: [site], ...rest };
}

/** Returns the renames that the later version declares. */
function findDeclaredRenames(places: PlacePairs, object: ObjectPair): ObjectRenames<FieldRename> {
  const { olds, news } = object;
  const gaps: Gap[] = [];
  const renames = news.flatMap((site) => {
    const members = olds.filter((old) => places.areLinked(old, site)).flatMap(({ fields }) => fields);
    const all = news.filter((each) => belongsTo(site, each)).flatMap(({ fields }) => fields);
    const found = findMemberRenames(members, site.fields, all);
    const create = ({ old, now }: MemberRename<SiteField>): FieldRename =>
      createRename(site, old, now.name, { reason: `x-renamed-from of ${now.name}`, isReplacement: false });
    for (const each of found.repeated) {
      const reason = GAP_REASONS.describeRenamedField(each.old.name);
      gaps.push(createRenameGap(places, object, create(each), reason));
    }
    return found.renames.filter(({ old, now }) => old.name !== now.name).map(create);
  });
  return { renames, gaps };
}

/** Returns the replacements of fields by another one of the same object, unless the later version declares a rename. */
function findReplacements(
  places: PlacePairs,
  object: ObjectPair,
  declared: readonly FieldRename[],
): ObjectRenames<FieldRename> {
  const { olds, news } = object;
  const gaps: Gap[] = [];
  const renames: FieldRename[] = [];
  for (const site of olds)
    for (const field of site.fields) {
      const replacement = findFieldReplacement(places, site, field, news);
      if (replacement === undefined || replacement.text.startsWith("/")) continue;
      const { text, reason } = replacement;
      const others = declared.filter(
        ({ from, declaredBy }) =>
          from === field.name && declaredBy.some((now) => places.areLinked(site, now)),
      );
      if (others.some(({ to }) => to === text)) continue;
      if (others.length > 0) {
        const repeated = GAP_REASONS.describeRenamedField(field.name);
        gaps.push(createRenameGap(places, object, { to: text, reason }, repeated));
        continue;
      }
      if (news.some((now) => hasField(now, text)))
        renames.push(createRename(site, field, text, { reason, isReplacement: true }));
      else
        gaps.push(
          createRenameGap(places, object, { to: field.name, reason }, GAP_REASONS.describeMissingField(text)),
        );
    }
  return { renames, gaps };
}

/** Merges the same rename of several sites into one. */
function mergeRenames(renames: readonly FieldRename[]): FieldRename[] {
  const groups = groupBy(renames, ({ from, to }) => JSON.stringify([from, to]));
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, declaredBy: [first, ...others].flatMap(({ declaredBy }) => declaredBy) }] : [],
  );
}

/** Returns renames to free names of the fields that move to other objects, if another field gets the name of one of them. */
function displaceFields(
  { olds, news }: ObjectPair,
  renames: readonly FieldRename[],
  moved: readonly MovedField[],
): FieldRename[] {
  const leaving = moved.filter(({ site }) => olds.includes(site));
  if (!renames.some(({ to }) => leaving.some(({ field }) => field.name === to))) return [];
  return leaving.map(({ site, field, reason }) => {
    const to = findFreeName(field.name, [...olds, ...news]);
    return createRename(site, field, to, { reason, isReplacement: true, isDisplaced: true });
  });
}

function findFreeName(name: string, sites: readonly Site[]): string {
  let place = `old_${name}`;
  while (sites.some((site) => hasField(site, place))) place += "_";
  return place;
}

/** Returns the fields of the earlier version that stay in an object under another name. */
export function listRenamedFields(
  places: PlacePairs,
  { olds }: ObjectPair,
  renames: readonly ConditionalRename[],
): SiteField[] {
  return renames.flatMap(({ old, declaredBy, isReplacement, isDisplaced }) => {
    const isAbout = (site: Site): boolean =>
      isReplacement ? declaredBy.includes(site) : declaredBy.some((now) => places.areLinked(site, now));
    const sites = isDisplaced ? [] : olds.filter(isAbout);
    return sites.flatMap(({ fields }) => fields.filter(({ name }) => name === old.name));
  });
}

/** Returns the places of the later version that hold something else than the same place of the earlier one, after renames. */
export function listNewPlaces(
  places: PlacePairs,
  { path, olds, news }: ObjectPair,
  renames: readonly ConditionalRename[],
): { readonly path: string; readonly old: OldPlace }[] {
  const takesOver = (site: Site, field: SiteField): boolean =>
    field.renamedFrom === undefined &&
    !field.deprecated &&
    renames.some(
      ({ from, declaredBy, isReplacement }) =>
        from === field.name &&
        !isReplacement &&
        declaredBy.some((each) => belongsTo(site, each) || belongsTo(each, site)),
    );
  const added = news.flatMap((site) =>
    site.fields
      .filter((field) => takesOver(site, field))
      .map(({ name }) => ({ path: joinPointer(path, name), old: { path: undefined, sites: [site] } })),
  );
  const renamed = renames.flatMap(({ from, to, declaredBy, isReplacement }) => {
    const oldPlaces = isReplacement
      ? olds
          .filter((old) => declaredBy.includes(old))
          .map((old) => ({
            path: joinPointer(dropDepths(old.path), from),
            sites: news.filter((now) => places.areLinked(old, now)),
          }))
      : declaredBy.map((now) => ({
          path: joinPointer(places.findOldPath(path, now) ?? "", from),
          sites: [now],
        }));
    return oldPlaces.map((old) => ({ path: joinPointer(path, to), old }));
  });
  return [...added, ...renamed];
}
