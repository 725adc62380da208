/** What a value consists of: fields, items, alternatives; and the constraints that tie them together. */
import { canonical, isObject, type Json } from "../../json.js";
import { statements } from "../../schema/describe.js";
import type { KeywordName } from "../../schema/keywords.js";
import { annotation, BOUNDS, type Field, fieldsOf, requiredOf } from "../../schema/merge.js";
import type { Claim, Shows } from "../change.js";
import { below, mostStable, rankOf, type Spot, stabilityOf } from "../side.js";
import { branchFields, inlined, type View } from "./view.js";
import {
  type Aspect,
  alters,
  type Compare,
  fieldPlace,
  note,
  type Pair,
  pairOf,
  partPlace,
  same,
  type Walk,
} from "./walk.js";

/**
 * Compares fields: those that went, came, or are on both sides. One that the other side declares in an alternative of
 * the same object, or around this one, is there.
 */
export function compareFields(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [fieldsOf(pair.before), fieldsOf(pair.after)];
  const kept = [...branchFields(pair.after, walk.after.protocol), ...(pair.around?.after ?? [])];
  const known = [...branchFields(pair.before, walk.before.protocol), ...(pair.around?.before ?? [])];
  for (const field of before.values()) {
    noteLabel(walk, pair, field);
    const other = after.get(field.name);
    if (other) compareField(walk, pair, field, other, compare);
    else if (!kept.includes(field.name)) noteField(walk, pair, field, "removed");
  }
  for (const field of after.values())
    if (!before.has(field.name) && !known.includes(field.name)) noteField(walk, pair, field, "added");
  compareNeeds(walk, pair, [...before.keys(), ...after.keys()]);
}

/** Compares what is required of fields that are declared elsewhere, as alternatives do. */
function compareNeeds(walk: Walk, pair: Pair, declared: readonly string[]): void {
  const [old, now] = [pair.before, pair.after].map((view) => requiredOf(view));
  for (const [name, { spot }] of old ?? [])
    if (!declared.includes(name) && !now?.has(name))
      note(
        walk,
        pair,
        "field-became-optional",
        { right: { is: "absent", field: name } },
        { name, before: spot },
      );
  for (const [name, { spot }] of now ?? [])
    if (!declared.includes(name) && !old?.has(name))
      note(
        walk,
        pair,
        "field-became-required",
        { left: { is: "absent", field: name } },
        { name, after: spot },
      );
}

function noteField(walk: Walk, pair: Pair, field: Field, what: "removed" | "added"): void {
  const need = field.required ? "required" : "optional";
  const [spot] = field.spots;
  const open = restOf(what === "removed" ? pair.after : pair.before) !== undefined;
  const present = { is: "present", field: field.name, open } as const;
  const absent = { is: "absent", field: field.name } as const;
  // An object that takes undeclared fields has the name on both sides, with any value on one of them.
  const anywhere = open ? present : undefined;
  const claim =
    what === "removed"
      ? { left: present, ...claimed("right", field.required ? absent : anywhere) }
      : claimed("left", field.required ? absent : anywhere);
  const mine = what === "removed" ? { before: spot } : { after: spot };
  const { definitions } = (what === "removed" ? walk.before : walk.after).protocol;
  const content = field.spots.map(({ schema }) => inlined(schema, definitions));
  // A label of the baseline covers the field's values, not whether it is there: a required field binds the whole object,
  // and a new field inherits the stability of the object that it comes into.
  const labelled = what === "removed" && !field.required;
  const holder = labelled ? { ...pair, at: withStability(pair, field) } : pair;
  note(walk, holder, `field-${what}-${need}`, claim, { name: field.name, content, ...mine });
}

function claimed(half: "left" | "right", shows: Shows | undefined): Claim {
  return shows ? { [half]: shows } : {};
}

/** Notes a field whose label says that it is less stable than the object that holds it. */
function noteLabel(walk: Walk, pair: Pair, field: Field): void {
  const { stability } = withStability(pair, field);
  if (rankOf(stability) >= rankOf(pair.at.stability)) return;
  const { name } = field;
  const [before, after] = [pair.before, pair.after].map(({ parts }) => ({ parts, name }));
  if (before && after) walk.labelled.push({ stability, before, after });
}

/** The place of the object, with the stability of one of its fields. */
function withStability({ at }: Pair, { spots }: Field): Pair["at"] {
  const own = spots.map(({ schema }) => (isObject(schema) ? stabilityOf(schema["x-stability"]) : undefined));
  const stated = own.filter((each) => each !== undefined);
  return stated.length === 0 ? at : { ...at, stability: mostStable(stated) };
}

function compareField(walk: Walk, pair: Pair, before: Field, after: Field, compare: Compare): void {
  const { name } = before;
  const at = withStability(pair, before);
  const absent = { is: "absent", field: name } as const;
  const spots = { before: before.requiredAt ?? before.spots[0], after: after.requiredAt ?? after.spots[0] };
  if (!before.required && after.required)
    note(walk, pair, "field-became-required", { left: absent }, { name, ...spots });
  if (before.required && !after.required)
    note(walk, pair, "field-became-optional", { right: absent }, { name, ...spots });
  compare(walk, pairOf(walk, before.spots, after.spots, fieldPlace(at, name)));
}

/** Compares what undeclared fields may be, and fields that are known by a pattern. */
export function compareRest(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [restOf(pair.before), restOf(pair.after)];
  const [open, closed] = [
    (spot?: Spot) => spot?.schema === true,
    (spot?: Spot) => !spot || spot.schema === false,
  ];
  const spots = { before: before ?? undefined, after: after ?? undefined };
  if (closed(before) && closed(after)) return;
  // Readers are open in any case: what an object newly takes is nothing that they refuse.
  if (closed(before)) note(walk, pair, "content-opened", {}, { ...spots, whole: true });
  else if (closed(after)) {
    const declared = [...fieldsOf(pair.after).keys(), ...branchFields(pair.after, walk.after.protocol)];
    const fields = [...declared, ...(pair.around?.after ?? [])];
    note(walk, pair, "content-closed", { left: { is: "undeclared", fields } }, { ...spots, whole: true });
  } else if (before && after && !(open(before) && open(after))) {
    const step = { to: "other", except: declaredIn(walk, pair) } as const;
    compare(walk, pairOf(walk, [before], [after], partPlace(pair.at, "*", step)));
  }
}

/** Returns the fields and the patterns of fields that either side knows, here or around an alternative. */
function declaredIn(walk: Walk, { before, after, around }: Pair) {
  const sides = [
    { view: before, protocol: walk.before.protocol, around: around?.before },
    { view: after, protocol: walk.after.protocol, around: around?.after },
  ];
  const fields = sides.flatMap(({ view, protocol, around: outer = [] }) => [
    ...fieldsOf(view).keys(),
    ...branchFields(view, protocol),
    ...outer,
  ]);
  const patterns = sides.flatMap(({ view }) =>
    statements(view, "patternProperties").flatMap(({ value }) => Object.keys(value ?? {})),
  );
  return { fields: [...new Set(fields)], patterns: [...new Set(patterns)] };
}

function restOf(view: View): Spot | undefined {
  const found = [...statements(view, "additionalProperties"), ...statements(view, "unevaluatedProperties")];
  return found.find(({ value }) => value !== false)?.spot;
}

/** Compares the items of arrays, those at fixed places first. */
export function compareItems(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [tupleOf(pair.before), tupleOf(pair.after)];
  for (let index = 0; index < Math.min(before.length, after.length); index++) {
    const place = partPlace(pair.at, String(index), { to: "tuple", index });
    compare(walk, pairOf(walk, before[index] ?? [], after[index] ?? [], place));
  }
  const [old, now] = [statements(pair.before, "items"), statements(pair.after, "items")];
  const uneven = before.length !== after.length;
  if (uneven || (old.length === 0) !== (now.length === 0)) {
    const content = [pair.before, pair.after].map((view, side) =>
      inlineAll(side === 0 ? walk.before : walk.after, conditionsOf(view, LISTED)),
    );
    const details = { name: "items", content, before: old[0]?.spot, after: now[0]?.spot };
    note(walk, pair, "condition-changed", alters(...LISTED), details);
  }
  if (old.length === 0 || now.length === 0) return;
  const from = Math.max(before.length, after.length);
  const step = from === 0 ? ({ to: "item" } as const) : ({ to: "other", from } as const);
  const spots = [old, now].map((found) => found.map(({ spot }) => spot));
  compare(walk, pairOf(walk, spots[0] ?? [], spots[1] ?? [], partPlace(pair.at, "*", step)));
}

const LISTED = ["items", "prefixItems"] as const;

function tupleOf(view: View): Spot[][] {
  const [first] = statements(view, "prefixItems");
  if (!first || !Array.isArray(first.value)) return [];
  return first.value.map((schema, index) => [below(first.spot, schema, index)]);
}

const CONDITIONS: readonly KeywordName[] = [
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "contains",
  "propertyNames",
  "patternProperties",
  "unevaluatedItems",
];

/** Keywords that limit a value as a whole, and not a part of it. */
const LIMITS: readonly KeywordName[] = [
  "type",
  "enum",
  "const",
  "x-extensible-enum",
  "anyOf",
  "oneOf",
  "pattern",
  "format",
  "multipleOf",
  ...BOUNDS.flatMap(({ name, exclusive }) => (exclusive === undefined ? [name] : [name, exclusive])),
];

/** Compares constraints that are taken as they are: conditions, and what binds writers alone. */
export const compareConditions: Aspect = (walk, pair) => {
  const [before, after] = [pair.before, pair.after].map((view) => conditionsOf(view, CONDITIONS));
  const sides = [inlineAll(walk.before, before), inlineAll(walk.after, after)];
  const spots = { before: before?.[0]?.spot, after: after?.[0]?.spot };
  // Which values a condition that went refused depends on what else limits the value.
  const content = [
    inlineAll(walk.before, conditionsOf(pair.before, LIMITS)),
    inlineAll(walk.after, conditionsOf(pair.after, LIMITS)),
  ];
  if (!same(sides[0], sides[1]))
    note(walk, pair, "condition-changed", alters(...CONDITIONS), {
      ...{ name: after?.[0]?.keyword ?? before?.[0]?.keyword ?? "", from: sides[0], to: sides[1] },
      ...{ ...spots, content },
    });
  const [old, now] = [pair.before, pair.after].map((view) => conditionsOf(view, ["x-writer"]));
  const [from, to] = [inlineAll(walk.before, old), inlineAll(walk.after, now)];
  const details = { name: "x-writer", from, to, before: old?.[0]?.spot, after: now?.[0]?.spot };
  if (!same(from, to)) note(walk, pair, "writer-rule-changed", alters("x-writer"), details);
};

interface Condition {
  readonly keyword: string;
  readonly value: Json;
  readonly spot: Spot;
}

function conditionsOf(view: View, keywords: readonly KeywordName[]): Condition[] {
  return keywords.flatMap((keyword) => statements(view, keyword).map((found) => ({ keyword, ...found })));
}

/** Conditions without references, in an order of their own: where they stand makes no difference. */
function inlineAll({ protocol }: Walk["before"], found: readonly Condition[] = []): Json {
  const schemas = found.map(({ keyword, value }): [string, Json] => [
    keyword,
    inlined({ [keyword]: value }, protocol.definitions),
  ]);
  return schemas.map(([, schema]) => schema).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
}

/** Compares the stability that a field states for itself. */
export const compareStability: Aspect = (walk, pair) => {
  const [before, after] = [pair.before, pair.after].map((view) =>
    stabilityOf(annotation(view, "x-stability")),
  );
  if (before === after || !before || !after) return;
  const kind = rankOf(after) < rankOf(before) ? "stability-decreased" : "stability-increased";
  note(walk, pair, kind, {}, { name: pair.at.path, from: before, to: after });
};
