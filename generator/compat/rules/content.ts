import { listStatements } from "../../schema/describe.js";
import { mergeFields } from "../../schema/merge.js";
import type { Change } from "../change.js";
import type { View } from "../diff/view.js";
import {
  type Compare,
  createPair,
  listFieldsElsewhere,
  locatePart,
  type Pair,
  recordChange,
  type Walk,
} from "../diff/walk.js";
import { describePlaces, quoteList } from "../phrases.js";
import type { Spot } from "../side.js";
import { createPayloadExample, cups, defineRulesWith } from "./rule.js";

const TRAITS = { compareValues: compareRest } as const;

/** Rules about undeclared fields of an object. */
export const CONTENT_RULES = defineRulesWith(TRAITS, {
  "content-opened": {
    effect: "annotates",
    isReportedUnbroken: true,
    summary: "an object accepts undeclared fields now",
    explanation:
      "Tolerant readers ignore such fields, so no event breaks. A field that is declared later may conflict with one that was sent under its name before.",
    hint: "Declare the fields by name.",
    mirror: { rule: "content-closed" },
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
    mirror: { rule: "content-opened" },
    example: createPayloadExample(
      { pot: { type: "object", properties: { size: cups }, additionalProperties: true } },
      { pot: { type: "object", properties: { size: cups } } },
    ),
    describe: (change) =>
      `${describePlaces(change)}: the object at ${formatPlace(change)} no longer accepts undeclared fields.`,
  },
});

function formatPlace({ occurrences: [first] }: Change): string {
  return quoteList(first?.path ?? "");
}

/** Compares what undeclared fields may be, and fields that are known by a pattern. */
function compareRest(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [findRest(pair.before), findRest(pair.after)];
  const isOpen = (spot?: Spot) => spot?.schema === true;
  const isClosed = (spot?: Spot) => !spot || spot.schema === false;
  const spots = { before, after };
  if (isClosed(before) && isClosed(after)) return;
  // Readers accept undeclared fields in any case.
  if (isClosed(before))
    recordChange(walk, pair, CONTENT_RULES["content-opened"], {}, { ...spots, whole: true });
  else if (isClosed(after)) {
    const fields = [...mergeFields(pair.after).keys(), ...listFieldsElsewhere(walk, pair, "after")];
    const claim = { backward: { is: "undeclared", fields } } as const;
    recordChange(walk, pair, CONTENT_RULES["content-closed"], claim, { ...spots, whole: true });
  } else if (before && after && !(isOpen(before) && isOpen(after))) {
    const step = { to: "other", except: listDeclared(walk, pair) } as const;
    compare(walk, createPair(walk, [before], [after], locatePart(pair.at, "*", step)));
  }
}

/** Returns the fields and the patterns of fields that either side knows, here or around an alternative. */
function listDeclared(walk: Walk, pair: Pair) {
  const sides = ["before", "after"] as const;
  const fields = sides.flatMap((side) => [
    ...mergeFields(pair[side]).keys(),
    ...listFieldsElsewhere(walk, pair, side),
  ]);
  const patterns = sides.flatMap((side) =>
    listStatements(pair[side], "patternProperties").flatMap(({ value }) => Object.keys(value ?? {})),
  );
  return { fields: [...new Set(fields)], patterns: [...new Set(patterns)] };
}

/** Returns the schema of undeclared fields; undefined where there may be none. */
export function findRest(view: View): Spot | undefined {
  const found = [
    ...listStatements(view, "additionalProperties"),
    ...listStatements(view, "unevaluatedProperties"),
  ];
  return found.find(({ value }) => value !== false)?.spot;
}
