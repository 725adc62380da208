import { isObject } from "../../json.js";
import { collectRequired, type Field, mergeFields } from "../../schema/merge.js";
import type { Claim, Rule, Shows } from "../change.js";
import { inlineReferences } from "../diff/view.js";
import {
  type Compare,
  createPair,
  listFieldsElsewhere,
  locateField,
  type Pair,
  recordChange,
  type Walk,
} from "../diff/walk.js";
import { describeDeclaration, describePlaces, describeRename, quoteField, quoteList } from "../phrases.js";
import { findMostStable, parseStability, rankStability, type Spot } from "../side.js";
import { findRest } from "./content.js";
import {
  combineNamesAndPlaces,
  createPayloadExample,
  cups,
  defineRulesWith,
  listRemovedFields,
  sort,
} from "./rule.js";

const KEEP = "Keep the field, deprecated and with x-replaced-by, and remove it with the next major version.";

const TRAITS = { compareValues: compareFields } as const;

/** Rules about fields of the envelope, payloads and resources, at any depth. */
export const FIELD_RULES = defineRulesWith(TRAITS, {
  "field-removed-optional": {
    effect: "withdraws",
    field: { is: "removed", required: false },
    removedNames: listRemovedFields,
    summary: "an optional field was removed",
    explanation:
      "Writers of the baseline may send the field, and readers may show it. The current contract does not declare it.",
    hint: KEEP,
    mirror: { rule: "field-added-optional" },
    example: createPayloadExample({ cups, sort }, { cups }),
    describe: (change) => `${describePlaces(change)}: the optional field ${quoteField(change)} was removed.`,
  },
  "field-removed-required": {
    effect: "withdraws",
    field: { is: "removed", required: true },
    removedNames: listRemovedFields,
    summary: "a required field was removed",
    explanation: "Readers of the baseline refuse every event without it.",
    hint: KEEP,
    mirror: { rule: "field-added-required" },
    example: createPayloadExample({ cups, sort }, { cups }, { before: ["sort"] }),
    describe: (change) => `${describePlaces(change)}: the required field ${quoteField(change)} was removed.`,
  },
  "field-added-optional": {
    effect: "adds",
    field: { is: "added", required: false },
    isReportedUnbroken: true,
    summary: "an optional field was added",
    explanation:
      "Old readers ignore it, and old events are still valid without it. Only an object that accepted undeclared fields may have had another value under that name.",
    hint: "No action is needed, unless the finding shows an event: then choose a name that no writer sends yet, or let the field have any value.",
    mirror: { rule: "field-removed-optional" },
    example: createPayloadExample({ cups }, { cups, sort }),
    describe: (change) =>
      `${describePlaces(change)}: the optional field ${quoteField(change)} is new${change.proof?.backward === undefined ? "" : ", and undeclared fields could have any value"}.`,
  },
  "field-added-required": {
    effect: "narrows",
    field: { is: "added", required: true },
    summary: "a required field was added",
    explanation:
      "Earlier events do not have the field, so stored events are refused, and writers must change.",
    hint: "Make the field optional.",
    mirror: { rule: "field-removed-required" },
    example: createPayloadExample({ cups }, { cups, sort }, { after: ["sort"] }),
    describe: (change) =>
      `${describePlaces(change)}: the required field ${quoteField(change)} is new, and older events lack it.`,
  },
  "field-renamed": {
    effect: "withdraws",
    isGroupedByNames: true,
    removedNames: listRemovedFields,
    summary: "a field was renamed",
    explanation:
      "Readers expect the old field and do not know the new one. The rename is declared by x-renamed-from, or suspected from shape, neighbours and name; if it is only suspected, the finding says so and has the same severity.",
    hint: "Rename in three steps: add the new field, optional and with x-renamed-from; keep the old one, deprecated with x-deprecated-since and x-replaced-by, and send both; remove the old one with the next major version and leave a tombstone.",
    mirror: { none: "a rename, reported by the same rule" },
    example: createPayloadExample({ tea_sort: sort, cups }, { sort, cups }),
    describe: (change) =>
      `${describePlaces(change)}: ${change.rename?.members ? "the name pattern" : "the field"} ${describeRename(change, "fields")}${describeDeclaration(change)}`,
  },
  "field-moved": {
    effect: "withdraws",
    isGroupedByNames: true,
    removedNames: (change) =>
      combineNamesAndPlaces(change, ({ event }, path) => {
        const end = path.lastIndexOf("/");
        return { kind: "field", event, path: path.slice(0, end), name: path.slice(end + 1) };
      }),
    summary: "a field was moved to another place",
    explanation: "Readers look for the field in its old place.",
    hint: "Keep the field in its old place, deprecated, and add the new one.",
    mirror: { none: "a move, reported by the same rule" },
    example: createPayloadExample(
      { pot: { type: "object", properties: { size: cups } }, sort },
      { pot: { type: "object", properties: { size: cups, sort } } },
    ),
    describe: (change) => {
      const members = change.rename?.members?.map(([from, to]) => `${from} → ${to}`) ?? [];
      const family = members.length > 0 ? ` (${members.length} fields: ${members.join(", ")})` : "";
      const side = change.movedTo === undefined ? "" : ` in the ${change.movedTo}`;
      return `${describePlaces(change)}: the field ${quoteList(change.from)} has moved to ${quoteList(change.to)}${side}${family}.`;
    },
  },
  "field-became-required": {
    effect: "narrows",
    summary: "an optional field is required now",
    explanation: "Events that were sent without it are no longer valid.",
    hint: "Leave the field optional; x-writer can require it of writers once every writer sends it.",
    mirror: { rule: "field-became-optional" },
    example: createPayloadExample({ cups, sort }, { cups, sort }, { after: ["sort"] }),
    describe: (change) =>
      `${describePlaces(change)}: the field ${quoteField(change)} is required now and was optional.`,
  },
  "field-became-optional": {
    effect: "widens",
    summary: "a required field is optional now",
    explanation:
      "Readers of the baseline refuse events without the field, and writers may send such events now.",
    hint: "Leave the field required.",
    mirror: { rule: "field-became-required" },
    example: createPayloadExample({ cups, sort }, { cups, sort }, { before: ["sort"] }),
    describe: (change) =>
      `${describePlaces(change)}: the field ${quoteField(change)} is optional now and was required.`,
  },
});

/**
 * Compares fields: removed ones, added ones and those on both sides. A field that the other side declares in an
 * alternative of the same object, or around this alternative, counts as declared there.
 */
function compareFields(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [mergeFields(pair.before), mergeFields(pair.after)];
  const oldElsewhere = listFieldsElsewhere(walk, pair, "before");
  const elsewhere = listFieldsElsewhere(walk, pair, "after");
  for (const field of before.values()) {
    recordLabel(walk, pair, field);
    const other = after.get(field.name);
    if (other) compareField(walk, pair, field, other, compare);
    else if (!elsewhere.includes(field.name)) recordField(walk, pair, field, "removed");
  }
  for (const field of after.values())
    if (!before.has(field.name) && !oldElsewhere.includes(field.name))
      recordField(walk, pair, field, "added");
  compareRequiredElsewhere(walk, pair, [...before.keys(), ...after.keys()]);
}

/** Compares what is required of fields that are declared elsewhere, as alternatives do. */
function compareRequiredElsewhere(walk: Walk, pair: Pair, declared: readonly string[]): void {
  const [old, now] = [collectRequired(pair.before), collectRequired(pair.after)];
  for (const [name, { spot: before }] of old)
    if (!declared.includes(name) && !now.has(name)) recordRequired(walk, pair, "optional", { name, before });
  for (const [name, { spot: after }] of now)
    if (!declared.includes(name) && !old.has(name)) recordRequired(walk, pair, "required", { name, after });
}

/** Notes that a field became required or optional. */
function recordRequired(
  walk: Walk,
  pair: Pair,
  became: "required" | "optional",
  details: { readonly name: string; readonly before?: Spot | undefined; readonly after?: Spot | undefined },
): void {
  const absent = { is: "absent", field: details.name } as const;
  const claim = became === "required" ? { backward: absent } : { forward: absent };
  recordChange(walk, pair, FIELD_RULES[`field-became-${became}`], claim, details);
}

function recordField(walk: Walk, pair: Pair, field: Field, what: "removed" | "added"): void {
  const rule: Rule = FIELD_RULES[`field-${what}-${field.required ? "required" : "optional"}`];
  const [spot] = field.spots;
  const open = findRest(what === "removed" ? pair.after : pair.before) !== undefined;
  const present = { is: "present", field: field.name, open } as const;
  const absent = { is: "absent", field: field.name } as const;
  // An object that accepts undeclared fields has the name on both sides, with any value on one of them.
  const anywhere = open ? present : undefined;
  const claim =
    what === "removed"
      ? { backward: present, ...createClaim("forward", field.required ? absent : anywhere) }
      : createClaim("backward", field.required ? absent : anywhere);
  const mine = what === "removed" ? { before: spot } : { after: spot };
  const { definitions } = (what === "removed" ? walk.before : walk.after).protocol;
  const content = field.spots.map(({ schema }) => inlineReferences(schema, definitions));
  // A label of the baseline covers the field's values, not whether it is there: a required field binds the whole object,
  // and a new field inherits the stability of the object that it comes into.
  const labelled = what === "removed" && !field.required;
  const holder = labelled ? { ...pair, at: locateWithStability(pair, field) } : pair;
  recordChange(walk, holder, rule, claim, { name: field.name, content, ...mine });
}

function createClaim(direction: "backward" | "forward", shows: Shows | undefined): Claim {
  return shows ? { [direction]: shows } : {};
}

/** Notes a field that is labelled less stable than its object. */
function recordLabel(walk: Walk, pair: Pair, field: Field): void {
  const { stability } = locateWithStability(pair, field);
  if (rankStability(stability) >= rankStability(pair.at.stability)) return;
  const { name } = field;
  const [before, after] = [pair.before, pair.after].map(({ parts }) => ({ parts, name }));
  if (before && after) walk.labelledFields.push({ stability, before, after });
}

/** Returns the place of the object, with the stability of one of its fields. */
function locateWithStability({ at }: Pair, { spots }: Field): Pair["at"] {
  const own = spots.map(({ schema }) =>
    isObject(schema) ? parseStability(schema["x-stability"]) : undefined,
  );
  const stated = own.filter((each) => each !== undefined);
  return stated.length === 0 ? at : { ...at, stability: findMostStable(stated) };
}

function compareField(walk: Walk, pair: Pair, before: Field, after: Field, compare: Compare): void {
  const { name } = before;
  const at = locateWithStability(pair, before);
  const spots = { before: before.requiredAt ?? before.spots[0], after: after.requiredAt ?? after.spots[0] };
  if (before.required !== after.required)
    recordRequired(walk, pair, after.required ? "required" : "optional", { name, ...spots });
  compare(walk, createPair(walk, before.spots, after.spots, locateField(at, name)));
}
