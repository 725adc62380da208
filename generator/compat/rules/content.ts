import { isObject, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { describesObjects } from "../../schema/close-objects.js";
import { listStatements, type Spot } from "../../schema/describe.js";
import { listAlternatives, mergeFields } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { isCatchAll } from "../diff/match-alternatives.js";
import {
  type ComparisonContext,
  createPair,
  listFieldsElsewhere,
  locatePart,
  recordChange,
  type ValueComparer,
  type ViewPair,
} from "../diff/record-changes.js";
import type { View } from "../diff/view.js";
import { describePlaces, quoteList } from "../phrases.js";
import {
  dropKeywords,
  editProtocol,
  forbidFields,
  forbidValues,
  type ObjectField,
} from "../proof/edit-schemas.js";
import { createPayloadExample, cups, defineRulesWith } from "./rule.js";

const TRAITS = { compareValues: compareUndeclaredFields } as const;

/** Rules about undeclared fields of an object. */
export const CONTENT_RULES = defineRulesWith(TRAITS, {
  "content-opened": {
    effect: "annotates",
    isReportedUnbroken: true,
    summary: "an object accepts undeclared fields now",
    explanation:
      "Tolerant readers ignore such fields, so no event breaks. A field that is declared later may conflict with one that was sent under its name before.",
    hint: "Declare the fields by name.",
    reverse: { rule: "content-closed" },
    example: createPayloadExample(
      { pot: { type: "object", properties: { size: cups } } },
      { pot: { type: "object", properties: { size: cups }, additionalProperties: true } },
    ),
    describe: (change) =>
      `${describePlaces(change)}: the object at ${formatPlace(change)} accepts undeclared fields now.`,
  },
  "content-closed": {
    effect: "narrows",
    summary: "an object no longer accepts undeclared fields",
    explanation: "Writers of the baseline may have sent any field in the object.",
    hint: "Leave the object open.",
    reverse: { rule: "content-opened" },
    example: createPayloadExample(
      { pot: { type: "object", properties: { size: cups }, additionalProperties: true } },
      { pot: { type: "object", properties: { size: cups } } },
    ),
    describe: (change) =>
      `${describePlaces(change)}: the object at ${formatPlace(change)} no longer accepts undeclared fields.`,
  },
});

function formatPlace({ places: [first] }: Change): string {
  return quoteList(first?.path ?? "");
}

/** Compares the schemas of undeclared fields. */
function compareUndeclaredFields(
  context: ComparisonContext,
  pair: ViewPair,
  compareValue: ValueComparer,
): void {
  const before = findUndeclaredFieldSchema(pair.before);
  const after = findUndeclaredFieldSchema(pair.after);
  const isOpen = (spot?: Spot) => spot?.schema === true;
  const isClosed = (spot?: Spot) => !spot || spot.schema === false;
  const spots = { before, after };
  if (isClosed(before) && isClosed(after)) return;
  // Writers may send any object as a value that no keyword describes as an object.
  const isAfterUndescribed = !after && !pair.after.parts.some(({ schema }) => limitsFields(schema));
  if (isAfterUndescribed) return;
  // Opening an object claims nothing, because readers accept undeclared fields in any case.
  if (isClosed(before))
    recordChange(context, pair, CONTENT_RULES["content-opened"], {}, { ...spots, hasWholeContent: true });
  else if (isClosed(after)) {
    const fields = [...mergeFields(pair.after).keys(), ...listFieldsElsewhere(context, pair, "after")];
    const claim = { backward: { kind: "undeclared", fields } } as const;
    recordChange(context, pair, CONTENT_RULES["content-closed"], claim, { ...spots, hasWholeContent: true });
  } else if (before && after && !(isOpen(before) && isOpen(after))) {
    const step = { kind: "undeclared field", ...listDeclaredFields(context, pair) } as const;
    compareValue(context, createPair(context, [before], [after], locatePart(pair.place, "*", step)));
  }
}

function limitsFields(schema: Json): boolean {
  return isObject(schema) && (schema.type !== undefined || describesObjects(schema));
}

/** Returns the fields and the patterns of fields that one of the sides declares, here or around an alternative. */
function listDeclaredFields(context: ComparisonContext, pair: ViewPair) {
  const sides = ["before", "after"] as const;
  const fields = sides.flatMap((side) => [
    ...mergeFields(pair[side]).keys(),
    ...listFieldsElsewhere(context, pair, side),
  ]);
  const patterns = sides.flatMap((side) =>
    listStatements(pair[side], "patternProperties").flatMap(({ value }) => Object.keys(value ?? {})),
  );
  return { fields: [...new Set(fields)], patterns: [...new Set(patterns)] };
}

/** Returns the schema of undeclared fields; undefined if the object may have none. */
export function findUndeclaredFieldSchema(view: View): Spot | undefined {
  const constraints = UNDECLARED_FIELD_KEYWORDS.flatMap((keyword) => listStatements(view, keyword));
  return constraints.find(({ value }) => value !== false)?.spot;
}

/**
 * Returns an imported baseline as its writers use it. Tools state by default that objects are open, so that readers ignore
 * new fields. A writer of the baseline sends no field that only the current version declares. If the current version does
 * not close any object by a statement, a writer of the baseline sends no undeclared fields in objects whose fields are listed
 * now. An alternative for unknown kinds of objects is for readers, like the unknown values of an extensible enum.
 */
export function limitWriters(
  changes: readonly Change[],
  before: Protocol,
  isClosingStated: boolean,
): Protocol {
  const newFields = changes.flatMap(({ rule, name, views }): ObjectField[] => {
    const [spot] = views?.before.spots ?? [];
    if (rule.field?.change !== "added" || !views || !spot) return [];
    // The fields are forbidden at the place of the value, because other values may share its definitions.
    return findUndeclaredFieldSchema(views.before) === undefined ? [] : [{ parts: [spot], name }];
  });
  const openedParts = changes.flatMap(({ rule, views }) =>
    rule === CONTENT_RULES["content-closed"] && views && !isClosingStated ? views.before.parts : [],
  );
  const catchAlls = changes.flatMap(({ rule, before: spot, views }) =>
    rule.removesAlternatives && spot && views && isCatchAll(spot, listAlternatives(views.before), before)
      ? [spot]
      : [],
  );
  const edits = [
    dropKeywords(openedParts, UNDECLARED_FIELD_KEYWORDS),
    forbidFields(newFields),
    forbidValues(catchAlls),
  ];
  return edits.reduce(editProtocol, before);
}

const UNDECLARED_FIELD_KEYWORDS = ["additionalProperties", "unevaluatedProperties"] as const;
