import type { Spot } from "../../schema/describe.js";
import { filterKeywords } from "../../schema/keywords.js";
import { collectRequired, type Field, mergeFields } from "../../schema/merge.js";
import type { Claim, Rule, WitnessCondition } from "../change.js";
import {
  type ComparisonContext,
  createPair,
  listFieldsElsewhere,
  locateField,
  recordChange,
  type ValueComparer,
  type ViewPair,
} from "../diff/record-changes.js";
import { inlineReferences, type View } from "../diff/view.js";
import { describeDeclaration, describePlaces, describeRename, quoteField, quoteList } from "../phrases.js";
import { findStatedStability, rankStability } from "../side.js";
import { findUndeclaredFieldSchema } from "./content.js";
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
    field: { change: "removed", required: false },
    removedNames: listRemovedFields,
    summary: "an optional field was removed",
    explanation:
      "Writers of the baseline may send the field, and readers may show it. The current contract does not declare it.",
    hint: KEEP,
    reverse: { rule: "field-added-optional" },
    example: createPayloadExample({ cups, sort }, { cups }),
    describe: (change) => `${describePlaces(change)}: the optional field ${quoteField(change)} was removed.`,
  },
  "field-removed-required": {
    effect: "withdraws",
    field: { change: "removed", required: true },
    removedNames: listRemovedFields,
    summary: "a required field was removed",
    explanation: "Readers of the baseline refuse every event without it.",
    hint: KEEP,
    reverse: { rule: "field-added-required" },
    example: createPayloadExample({ cups, sort }, { cups }, { before: ["sort"] }),
    describe: (change) => `${describePlaces(change)}: the required field ${quoteField(change)} was removed.`,
  },
  "field-added-optional": {
    effect: "adds",
    field: { change: "added", required: false },
    isReportedUnbroken: true,
    summary: "an optional field was added",
    explanation:
      "Old readers ignore it, and old events are still valid without it. Only an object that accepted undeclared fields may have had another value under that name.",
    hint: "No action is needed, unless the finding shows an event: then choose a name that no writer sends yet, or let the field have any value.",
    reverse: { rule: "field-removed-optional" },
    example: createPayloadExample({ cups }, { cups, sort }),
    describe: (change) =>
      `${describePlaces(change)}: the optional field ${quoteField(change)} is new${change.proof?.backward === undefined ? "" : ", and undeclared fields could have any value"}.`,
  },
  "field-added-required": {
    effect: "narrows",
    field: { change: "added", required: true },
    summary: "a required field was added",
    explanation:
      "Earlier events do not have the field, so stored events are refused, and writers must change.",
    hint: "Make the field optional.",
    reverse: { rule: "field-removed-required" },
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
      "Readers expect the old field and do not know the new one. The rename is declared by x-renamed-from, or suspected from shape, neighbours, name and description; if it is only suspected, the finding says so and has the same severity.",
    hint: "Rename in three steps: add the new field, optional and with x-renamed-from; keep the old one, deprecated with x-deprecated-since and x-replaced-by, and send both; remove the old one with the next major version and leave a tombstone.",
    reverse: { description: "a rename, reported by the same rule" },
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
    explanation:
      "Readers look for the field in its old place. The move is suspected, because the event lost a field and has one like it at another place; the finding has the same severity as a removal.",
    hint: "Keep the field in its old place, deprecated, and add the new one.",
    reverse: { description: "a move, reported by the same rule" },
    example: createPayloadExample(
      { pot: { type: "object", properties: { size: cups } }, sort },
      { pot: { type: "object", properties: { size: cups, sort } } },
    ),
    describe: (change) => {
      const members = change.rename?.members?.map(([from, to]) => `${from} → ${to}`) ?? [];
      const family = members.length > 0 ? ` (${members.length} fields: ${members.join(", ")})` : "";
      const side = change.movedTo === undefined ? "" : ` in the ${change.movedTo}`;
      return `${describePlaces(change)}: the field ${quoteList(change.from)} was moved to ${quoteList(change.to)}${side}${family} (suspected).`;
    },
  },
  "field-became-required": {
    effect: "narrows",
    summary: "an optional field is required now",
    explanation: "Events that were sent without it are no longer valid.",
    hint: "Leave the field optional; x-writer can require it of writers once every writer sends it.",
    reverse: { rule: "field-became-optional" },
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
    reverse: { rule: "field-became-required" },
    example: createPayloadExample({ cups, sort }, { cups, sort }, { before: ["sort"] }),
    describe: (change) =>
      `${describePlaces(change)}: the field ${quoteField(change)} is optional now and was required.`,
  },
});

/**
 * Compares fields: removed ones, added ones and those on both sides. A field that the other side declares in an
 * alternative of the same object, or around this alternative, counts as declared there.
 */
function compareFields(context: ComparisonContext, pair: ViewPair, compareValue: ValueComparer): void {
  const before = mergeFields(pair.before);
  const after = mergeFields(pair.after);
  const oldElsewhere = listFieldsElsewhere(context, pair, "before");
  const newElsewhere = listFieldsElsewhere(context, pair, "after");
  const mayHaveAnyField = allowsAnyValue(pair.after);
  for (const field of before.values()) {
    recordLessStableField(context, pair, field);
    const other = after.get(field.name);
    if (other) compareField(context, pair, field, other, compareValue);
    else if (!mayHaveAnyField && !newElsewhere.includes(field.name))
      recordField(context, pair, field, "removed");
  }
  for (const field of after.values())
    if (!before.has(field.name) && !oldElsewhere.includes(field.name))
      recordField(context, pair, field, "added");
  compareRequiredElsewhere(context, pair, [...before.keys(), ...after.keys()]);
}

/** Keywords that limit a value, and do not only lead to other schemas of it. */
const LIMITING_KEYWORDS = filterKeywords(
  ({ facet }, name) => facet !== "annotations" && facet !== "references" && name !== "allOf",
);

/** Returns whether no schema limits the value, so that it may still be an object with any field. */
function allowsAnyValue({ parts, isNever }: View): boolean {
  return (
    !isNever && parts.every(({ schema }) => !Object.keys(schema).some((name) => LIMITING_KEYWORDS.has(name)))
  );
}

/** Compares the required fields among those that are not declared here. Alternatives often require such fields. */
function compareRequiredElsewhere(
  context: ComparisonContext,
  pair: ViewPair,
  declared: readonly string[],
): void {
  const old = collectRequired(pair.before);
  const now = collectRequired(pair.after);
  for (const [name, { spot: before }] of old)
    if (!declared.includes(name) && !now.has(name))
      recordRequired(context, pair, "optional", { name, before });
  for (const [name, { spot: after }] of now)
    if (!declared.includes(name) && !old.has(name))
      recordRequired(context, pair, "required", { name, after });
}

/** Records that a field became required or optional. */
function recordRequired(
  context: ComparisonContext,
  pair: ViewPair,
  became: "required" | "optional",
  details: { readonly name: string; readonly before?: Spot | undefined; readonly after?: Spot | undefined },
): void {
  const absent = { kind: "absent", field: details.name } as const;
  const claim = became === "required" ? { backward: absent } : { forward: absent };
  recordChange(context, pair, FIELD_RULES[`field-became-${became}`], claim, details);
}

/** Records a field that only one side declares. */
function recordField(
  context: ComparisonContext,
  pair: ViewPair,
  field: Field,
  change: "removed" | "added",
): void {
  const isRemoved = change === "removed";
  const rule: Rule = FIELD_RULES[`field-${change}-${field.isRequired ? "required" : "optional"}`];
  const [spot] = field.spots;
  const { definitions } = (isRemoved ? context.before : context.after).protocol;
  const content = field.spots.map(({ schema }) => inlineReferences(schema, definitions));
  // The stability of the field itself counts only for a removed optional field. A required field binds the whole object,
  // and a new field inherits the stability of its object.
  const hasOwnStability = isRemoved && !field.isRequired;
  const place = hasOwnStability ? locateWithStability(pair, field) : pair.place;
  recordChange(context, { ...pair, place }, rule, createFieldClaim(pair, field, change), {
    name: field.name,
    content,
    ...(isRemoved ? { before: spot } : { after: spot }),
  });
}

/** Returns the claim of a field that only one side declares. */
function createFieldClaim(
  pair: ViewPair,
  { name, isRequired }: Pick<Field, "name" | "isRequired">,
  change: "removed" | "added",
): Claim {
  const otherSide = change === "removed" ? pair.after : pair.before;
  const isAcceptedUndeclared = findUndeclaredFieldSchema(otherSide) !== undefined;
  const present: WitnessCondition = { kind: "present", field: name, isAcceptedUndeclared };
  // If the other side accepts undeclared fields, it accepts the name with other values.
  const conflict = isAcceptedUndeclared ? present : undefined;
  const newCondition: WitnessCondition | undefined = isRequired ? { kind: "absent", field: name } : conflict;
  if (change === "added") return newCondition ? { backward: newCondition } : {};
  return newCondition ? { backward: present, forward: newCondition } : { backward: present };
}

/** Records a field whose stated stability is lower than that of its object. */
function recordLessStableField(context: ComparisonContext, pair: ViewPair, field: Field): void {
  const { stability } = locateWithStability(pair, field);
  if (rankStability(stability) >= rankStability(pair.place.stability)) return;
  const { name } = field;
  context.lessStableFields.push({
    stability,
    before: { parts: pair.before.parts, name },
    after: { parts: pair.after.parts, name },
  });
}

/** Returns the place of the object, with the stability of one of its fields. */
function locateWithStability({ place }: ViewPair, { spots }: Field): ViewPair["place"] {
  const stability = findStatedStability(spots);
  return stability === undefined ? place : { ...place, stability };
}

function compareField(
  context: ComparisonContext,
  pair: ViewPair,
  before: Field,
  after: Field,
  compareValue: ValueComparer,
): void {
  const { name } = before;
  const place = locateWithStability(pair, before);
  const spots = { before: before.requiredAt ?? before.spots[0], after: after.requiredAt ?? after.spots[0] };
  if (before.isRequired !== after.isRequired)
    recordRequired(context, pair, after.isRequired ? "required" : "optional", { name, ...spots });
  compareValue(context, createPair(context, before.spots, after.spots, locateField(place, name)));
}
