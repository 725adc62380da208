/** Rules about undeclared fields of an object. */

import { statements } from "../../schema/describe.js";
import { fieldsOf } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { branchFields, type View } from "../diff/view.js";
import { type Compare, note, type Pair, pairOf, partPlace, type Walk } from "../diff/walk.js";
import { describePlaces, quoteList } from "../phrases.js";
import type { Spot } from "../side.js";
import { defineRules, payloads } from "./rule.js";

const cups = { type: "integer" };

/** Rules about undeclared fields. */
export const CONTENT_RULES = defineRules(
  { compareValues: compareRest },
  {
    "content-opened": {
      effect: "annotates",
      isReportedUnbroken: true,
      summary: "an object accepts undeclared fields now",
      explanation:
        "Tolerant readers ignore such fields, so no event breaks. A field that is declared later may conflict with one that was sent under its name before.",
      repair: "Declare the fields by name.",
      mirror: { rule: "content-closed" },
      example: payloads(
        { pot: { type: "object", properties: { size: cups } } },
        { pot: { type: "object", properties: { size: cups }, additionalProperties: true } },
      ),
      describe: (change) =>
        `${describePlaces(change)}: the object at ${place(change)} accepts undeclared fields now.`,
    },
    "content-closed": {
      effect: "narrows",
      summary: "an object no longer accepts undeclared fields",
      explanation: "Emitters of the baseline may have sent any field there.",
      repair: "Leave the object open.",
      mirror: { rule: "content-opened" },
      example: payloads(
        { pot: { type: "object", properties: { size: cups }, additionalProperties: true } },
        { pot: { type: "object", properties: { size: cups } } },
      ),
      describe: (change) =>
        `${describePlaces(change)}: the object at ${place(change)} no longer accepts undeclared fields.`,
    },
  },
);

function place({ occurrences: [first] }: Change): string {
  return quoteList(first?.path ?? "");
}

/** Compares what undeclared fields may be, and fields that are known by a pattern. */
function compareRest(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [restOf(pair.before), restOf(pair.after)];
  const [open, closed] = [
    (spot?: Spot) => spot?.schema === true,
    (spot?: Spot) => !spot || spot.schema === false,
  ];
  const spots = { before: before ?? undefined, after: after ?? undefined };
  if (closed(before) && closed(after)) return;
  // Readers accept undeclared fields in any case.
  if (closed(before)) note(walk, pair, CONTENT_RULES["content-opened"], {}, { ...spots, whole: true });
  else if (closed(after)) {
    const declared = [...fieldsOf(pair.after).keys(), ...branchFields(pair.after, walk.after.protocol)];
    const fields = [...declared, ...(pair.around?.after ?? [])];
    note(
      walk,
      pair,
      CONTENT_RULES["content-closed"],
      { backward: { is: "undeclared", fields } },
      { ...spots, whole: true },
    );
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

/** Returns the schema of undeclared fields; undefined where there may be none. */
export function restOf(view: View): Spot | undefined {
  const found = [...statements(view, "additionalProperties"), ...statements(view, "unevaluatedProperties")];
  return found.find(({ value }) => value !== false)?.spot;
}
