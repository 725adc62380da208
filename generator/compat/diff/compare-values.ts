/** Types, lists of values, bounds, patterns, formats and defaults of one value. */
import type { Json } from "../../json.js";
import { statements } from "../../schema/describe.js";
import { ANNOTATION_FORMATS } from "../../schema/formats.js";
import {
  annotation,
  BOUNDS,
  boundOf,
  compareStrictness,
  hasValue,
  listOf,
  typesOf,
  type ValueList,
} from "../../schema/merge.js";
import { LEAST_SCORE, type Match, matchNames } from "../renames/match.js";
import { nameLikeness } from "../renames/similar.js";
import type { View } from "./view.js";
import { type Aspect, alters, narrows, note, type Pair, same, type Walk, widens } from "./walk.js";

const LISTS = ["enum", "const", "x-extensible-enum"];

/** Compares types; true if the two sides have no type in common, so that nothing else is comparable. */
export function compareTypes(walk: Walk, pair: Pair): boolean {
  const [before, after] = [typesOf(pair.before), typesOf(pair.after)];
  const details = {
    from: names(before.set),
    to: names(after.set),
    before: before.spot,
    after: after.spot,
  };
  /** What a value of a type that one side lacks may be is compared no further. */
  const whole = { ...details, whole: true };
  // Listed values state types, too.
  const keywords = isListed(pair.before) || isListed(pair.after) ? ["type", ...LISTS] : ["type"];
  if (pair.before.isNever || pair.after.isNever) {
    if (!pair.before.isNever) note(walk, pair, "type-narrowed", narrows(...keywords), { ...whole, to: [] });
    if (!pair.after.isNever) note(walk, pair, "type-widened", widens(...keywords), { ...whole, from: [] });
    return true;
  }
  if (!before.stated && !after.stated) return false;
  // That a list of values came or went says what it does to types; alternatives have their own.
  if ((!after.stated && isListed(pair.before)) || (!before.stated && isListed(pair.after))) return false;
  if ((!before.stated && hasBranches(pair.before)) || (!after.stated && hasBranches(pair.after)))
    return false;
  const nullable = [before, after].map(({ set }) => set.has("null"));
  const [old, now] = [before, after].map(({ set }) => [...set].filter((type) => type !== "null"));
  const gone = (old ?? []).filter((type) => !after.set.has(type));
  const come = (now ?? []).filter((type) => !before.set.has(type));
  const alone = (old ?? []).length === 0 || (now ?? []).length === 0;
  if (gone.length > 0 && come.length > 0) note(walk, pair, "type-changed", alters(...keywords), whole);
  else if (gone.length > 0) note(walk, pair, "type-narrowed", narrows(...keywords), whole);
  else if (come.length > 0) note(walk, pair, "type-widened", widens(...keywords), whole);
  else if (nullable[0] && !nullable[1]) note(walk, pair, "nullable-removed", narrows(...keywords), details);
  else if (!nullable[0] && nullable[1]) note(walk, pair, "nullable-added", widens(...keywords), details);
  return (gone.length > 0 && come.length > 0 && !(old ?? []).some((type) => after.set.has(type))) || alone;
}

function isListed(view: View): boolean {
  return (listOf(view, "closed") ?? listOf(view, "open")) !== undefined;
}

function hasBranches(view: View): boolean {
  return statements(view, "anyOf").length + statements(view, "oneOf").length > 0;
}

function names(set: ReadonlySet<string>): Json {
  const shown = [...set].filter((type) => type !== "integer" || !set.has("number")).sort();
  return shown.length === 1 ? (shown[0] ?? "") : shown;
}

/** Compares enum, const and x-extensible-enum. */
export const compareLists: Aspect = (walk, pair) => {
  const closed = { before: listOf(pair.before, "closed"), after: listOf(pair.after, "closed") };
  const open = { before: listOf(pair.before, "open"), after: listOf(pair.after, "open") };
  const [before, after] = [closed.before ?? open.before, closed.after ?? open.after];
  const spots = { before: before?.spot, after: after?.spot };
  const lists = { from: before?.values, to: after?.values, ...spots };
  if (!before || !after) {
    if (!before && !after) return;
    const all = { ...lists, whole: true };
    if (after) note(walk, pair, "value-list-added", narrows(...LISTS), all);
    else note(walk, pair, "value-list-removed", widens(...LISTS), all);
    return;
  }
  if (closed.before && closed.after && before.values.length === 1 && after.values.length === 1) {
    if (!same(before.values[0], after.values[0])) note(walk, pair, "const-changed", alters(...LISTS), lists);
    return;
  }
  compareMembers(walk, pair, before, after, closed.before !== undefined);
  if (closed.before && !closed.after) note(walk, pair, "enum-opened", {}, lists);
  if (!closed.before && closed.after) note(walk, pair, "enum-closed", {}, lists);
};

function compareMembers(walk: Walk, pair: Pair, before: ValueList, after: ValueList, closed: boolean): void {
  const spots = { before: before.spot, after: after.spot };
  const missing = before.values.filter((value) => !hasValue(after.values, value));
  const unknown = after.values.filter((value) => !hasValue(before.values, value));
  const renames = valueRenames(missing, unknown);
  for (const { from, to, score, ties } of renames) {
    const rename = { declared: false, score, ties: ties.map(String) };
    note(walk, pair, "enum-value-renamed", closed ? alters(...LISTS) : narrows(...LISTS), {
      name: from,
      from,
      to,
      ...spots,
      rename,
    });
  }
  const gone = missing.filter((value) => !renames.some(({ from }) => from === value));
  const come = unknown.filter((value) => !renames.some(({ to }) => to === value));
  if (gone.length > 0) note(walk, pair, "enum-value-removed", narrows(...LISTS), { from: gone, ...spots });
  if (come.length === 0) return;
  if (closed) note(walk, pair, "enum-value-added-closed", widens(...LISTS), { to: come, ...spots });
  else note(walk, pair, "enum-value-added", {}, { to: come, ...spots });
}

/** Values that went and came, read as renames: nothing but the names can tell. */
function valueRenames(gone: readonly Json[], come: readonly Json[]): Match<string>[] {
  const texts = (values: readonly Json[]) => values.filter((value) => typeof value === "string");
  const candidates = texts(gone).flatMap((from) =>
    texts(come).flatMap((to) => {
      const score = Math.round(100 * nameLikeness(from, to));
      return score >= LEAST_SCORE ? [{ from, to, score, declared: false }] : [];
    }),
  );
  return matchNames(candidates, (name) => name);
}

/** Compares bounds of every kind. */
export const compareBounds: Aspect = (walk, pair) => {
  for (const kind of BOUNDS) {
    const [before, after] = [boundOf(pair.before, kind), boundOf(pair.after, kind)];
    if (!before && !after) continue;
    const keywords = [kind.name, ...(kind.exclusive === undefined ? [] : [kind.exclusive])];
    const order = before && after ? compareStrictness(before, after, kind.upper) : before ? -1 : 1;
    const details = {
      name: kind.name,
      from: before?.value ?? null,
      to: after?.value ?? null,
      before: before?.spot,
      after: after?.spot,
    };
    if (order > 0) note(walk, pair, "bound-tightened", narrows(...keywords), details);
    if (order < 0) note(walk, pair, "bound-loosened", widens(...keywords), details);
  }
  compareSteps(walk, pair, "multipleOf");
  compareSteps(walk, pair, "uniqueItems");
};

/** A constraint that is there or not: it tightens when it comes, loosens when it goes, does both when it changes. */
function compareSteps(walk: Walk, pair: Pair, keyword: "multipleOf" | "uniqueItems"): void {
  const [before] = statements(pair.before, keyword).filter(({ value }) => value !== false);
  const [after] = statements(pair.after, keyword).filter(({ value }) => value !== false);
  if (same(before?.value, after?.value)) return;
  const details = {
    name: keyword,
    from: before?.value ?? null,
    to: after?.value ?? null,
    before: before?.spot,
    after: after?.spot,
  };
  if (after) note(walk, pair, "bound-tightened", before ? alters(keyword) : narrows(keyword), details);
  else note(walk, pair, "bound-loosened", widens(keyword), details);
}

/** Compares patterns and formats. */
export const compareTexts: Aspect = (walk, pair) => {
  for (const keyword of ["pattern", "format"] as const) {
    const [before, after] = [assertions(pair.before, keyword), assertions(pair.after, keyword)];
    const gone = before.filter(({ value }) => !after.some((other) => same(value, other.value)));
    const come = after.filter(({ value }) => !before.some((other) => same(value, other.value)));
    const details = {
      name: keyword,
      from: onlyOrAll(gone.map(({ value }) => value)),
      to: onlyOrAll(come.map(({ value }) => value)),
      before: gone[0]?.spot,
      after: come[0]?.spot,
    };
    if (gone.length > 0 && come.length > 0) note(walk, pair, `${keyword}-changed`, alters(keyword), details);
    else if (come.length > 0) note(walk, pair, `${keyword}-added`, narrows(keyword), details);
    else if (gone.length > 0) note(walk, pair, `${keyword}-removed`, widens(keyword), details);
  }
};

function onlyOrAll(values: readonly Json[]): Json {
  return values.length > 1 ? values : (values[0] ?? null);
}

function assertions(view: View, keyword: "pattern" | "format") {
  return statements(view, keyword).filter(
    ({ value }) => keyword !== "format" || !ANNOTATION_FORMATS.has(String(value)),
  );
}

/** Compares the default, which no validator looks at but readers may. */
export const compareDefaults: Aspect = (walk, pair) => {
  const [before, after] = [annotation(pair.before, "default"), annotation(pair.after, "default")];
  if (!same(before, after)) note(walk, pair, "default-changed", {}, { from: before, to: after });
};
