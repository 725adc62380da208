/**
 * If this fails, compat calls a change of a stream rule harmless because it tried too few values, such as numbers and texts:
 * no stream that was tried breaks, but another one does.
 */
import { expect, it } from "vitest";
import { decideStreams, STREAM_TRIES } from "../../../generator/compat/streams/decide-streams.js";
import { makeSides } from "../../../generator/compat/streams/stream-sides.js";
import type { JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { createSharedFolder } from "../../folders.js";
import { loadOnlyProtocol } from "../examples.js";
import { writeTea } from "../tea.js";
import { replaceStreamRules } from "./stream-mutations.js";
import { findFirstError } from "./stream-oracle.js";

const root = createSharedFolder();
const properties = {
  cup: { enum: ["red", "green"] },
  pot: { type: "string", pattern: "^[a-f]{4}$" },
  label: { type: "string" },
  text: { type: "string", pattern: "^[a-f]{8}$" },
  other: { type: "string", pattern: "^[a-f]{8}$" },
  few: { type: "integer", minimum: 0, maximum: 5 },
  many: { type: "integer", minimum: 40 },
  sum: { type: "number" },
  total: { type: "number" },
  long: { type: "string", minLength: 5 },
  most: { type: "integer", minimum: 7 },
  count: { type: "integer", minimum: 100 },
  fixed: { const: "x" },
  start: { type: "string", pattern: "^q" },
  end: { type: "string", pattern: "7$" },
  totals: {
    anyOf: [
      { enum: [{ k0: 3 }, { k0: 5 }] },
      { type: "object", minProperties: 2, additionalProperties: { type: "number" } },
    ],
  },
};
const plain: JsonObject = {
  cup: "red",
  pot: "abcd",
  label: "",
  text: "abcdabcd",
  other: "ffffffff",
  few: 1,
  many: 41,
  sum: 42,
  total: 0,
  fixed: "x",
  start: "qa",
  end: "a7",
};
// The other fields are optional.
const required = Object.keys(plain);
writeTea(root, {
  "protocol.json": { stream: { key: ["id"] } },
  "envelope.schema.json": {
    properties: {
      type: { type: "string", description: "What happened." },
      id: { type: "string", description: "Identifier." },
      number: { type: "integer", minimum: 0, description: "The number." },
      data: { type: "object", description: "The payload." },
    },
  },
  "events/tea.brewed.schema.json": { properties, required },
  "events/tea.poured.schema.json": { properties, required },
});
const base = await loadOnlyProtocol(root);
const brewed = "tea.brewed";
const poured = "tea.poured";
const TERMINAL = { opens: [brewed], types: [poured] };
const OFFSETS = { type: brewed, key: ["pot", "cup"], offset: "few", data: "text", end: poured };

/** As many totals as a rule remembers. */
const MANY_TOTALS = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 5]));

interface Case {
  readonly small: JsonObject;
  readonly large: JsonObject;
  readonly events: readonly (readonly [type: string, fields: JsonObject])[];
  readonly isNumbered?: true;
}

const CASES: { readonly [name: string]: Case } = {
  "texts that a template makes of fields with different values": {
    small: { templates: [{ field: "label", template: "p_{cup}_{pot}" }] },
    large: { templates: [{ field: "label", template: "q_{cup}_{pot}" }] },
    events: [[brewed, { label: "p_red_abcd" }]],
  },
  "sums of numbers from different ranges": {
    small: { sums: [{ type: brewed, sum: "sum", of: ["few", "many"] }] },
    large: { sums: [{ type: brewed, sum: "total", of: ["few", "many"] }] },
    events: [[brewed, {}]],
  },
  "sizes of texts": {
    small: { terminal: TERMINAL, offsets: [{ ...OFFSETS, totals: { red: "sum" } }] },
    large: { terminal: TERMINAL, offsets: [{ ...OFFSETS, totals: { red: "total" } }] },
    events: [
      [brewed, { few: 0 }],
      [poured, { sum: 8, total: 3 }],
    ],
  },
  "texts of several pieces": {
    small: { texts: [{ delta: brewed, part: "pot", whole: poured, text: "text", key: ["cup"] }] },
    large: { texts: [{ delta: brewed, part: "pot", whole: poured, text: "other", key: ["cup"] }] },
    events: [
      [brewed, {}],
      [brewed, {}],
      [poured, {}],
    ],
  },
  "the stream that is named by an event, for other events": {
    small: {},
    large: { dedicatedStreams: [{ types: [brewed], key: "fixed", stream: "id", excluded: [poured] }] },
    events: [
      [poured, {}],
      [brewed, {}],
    ],
  },
  "numbers of later events": {
    small: { gaps: [{ type: brewed, first: "few", last: "sum" }] },
    large: { gaps: [{ type: brewed, first: "many", last: "many" }] },
    events: [
      [poured, {}],
      [brewed, { few: 0, many: 40, sum: 0 }],
    ],
    isNumbered: true,
  },
  "numbers beyond a constant": {
    small: {
      ordered: [{ type: brewed, fields: ["total", "sum"] }],
      sums: [{ type: brewed, sum: "sum", of: ["many"] }],
    },
    large: { thresholds: [{ type: brewed, value: "sum", of: "many", percent: "total" }] },
    events: [[brewed, { many: 110, sum: 110, total: 109 }]],
  },
  "values of a field that has values in common with two others, which have none": {
    small: { differ: [{ type: brewed, field: "pot", from: "long", fromEnvelope: "id" }] },
    large: { differ: [{ type: brewed, field: "pot", from: "label", fromEnvelope: "id" }] },
    events: [[brewed, { label: "abcd" }]],
  },
  "values that two patterns have in common": {
    small: {},
    large: { differ: [{ type: brewed, field: "start", from: "end" }] },
    events: [[brewed, { start: "q7", end: "q7" }]],
  },
  "later stages, which only constants of the machine tell apart": {
    small: { stages: [{ key: "pot", stages: [["tea.a"], ["tea.b"], [poured], [brewed]] }] },
    large: { stages: [{ key: "pot", stages: [["tea.a"], ["tea.b"], [brewed], [poured]] }] },
    events: [
      [poured, {}],
      [brewed, {}],
    ],
  },
  "a comparison that both sides make of other fields": {
    small: { ordered: [{ type: brewed, fields: ["most", "count", "sum"] }] },
    large: { ordered: [{ type: brewed, fields: ["few", "count", "sum"] }] },
    events: [[brewed, { few: 5, sum: 1 }]],
  },
  "totals that are forgotten because there are too many, where another side has forgotten all before": {
    small: { rising: [{ type: brewed, fields: ["totals"] }] },
    large: { rising: [{ type: brewed, fields: ["totals"], restart: [poured] }] },
    events: [
      [brewed, { totals: MANY_TOTALS }],
      [poured, {}],
      [brewed, { totals: { k0: 5 } }],
      [brewed, { totals: { new1: 1, new2: 1 } }],
      [brewed, { totals: { k0: 3 } }],
    ],
  },
};

function createContract(rules: JsonObject, isNumbered?: true): Protocol {
  const protocol = replaceStreamRules(base, rules);
  const stream = { ...protocol.stream, key: ["id"], ...(isNumbered && { sequence: "number", first: 0 }) };
  return { ...protocol, stream };
}

it.each(Object.entries(CASES))(
  "tries %s, or does not answer",
  async (_name, { small, large, events, isNumbered }) => {
    const [before, after] = [createContract(small, isNumbered), createContract(large, isNumbered)];
    const stream = events.map(([type, fields], number) => ({
      type,
      id: "x",
      ...(isNumbered && { number }),
      data: { ...plain, ...fields },
    }));
    expect(findFirstError(before, "writer", stream)).toBeUndefined();
    expect(findFirstError(after, "writer", stream)).toBeDefined();
    const answer = await decideStreams(makeSides(before, after, "backward"), {
      remainingTries: STREAM_TRIES,
    });
    expect(answer.verdict).not.toBe("contained");
  },
);

const RISING = { type: brewed, fields: ["few"] };
const SUM = { type: brewed, sum: "sum", of: ["few"] };
const PLUS = { type: brewed, field: "sum" };

it.each<readonly [strict: JsonObject, lenient: JsonObject]>([
  [{ rising: [RISING] }, { rising: [{ ...RISING, restart: [poured] }] }],
  [{ rising: [{ ...RISING, step: 1 }] }, { rising: [{ ...RISING, step: 1, restart: [poured] }] }],
  [{ sums: [{ ...SUM, plus: PLUS }] }, { sums: [{ ...SUM, plus: { ...PLUS, until: [poured] } }] }],
])("a rule that only forgets more refuses nothing else: %j", async (strict, lenient) => {
  const [before, after] = [createContract(strict), createContract(lenient)];
  const decide = async (one: Protocol, other: Protocol): Promise<string> => {
    const sides = makeSides(one, other, "backward");
    return (await decideStreams(sides, { remainingTries: STREAM_TRIES })).verdict;
  };
  expect([await decide(before, after), await decide(after, before)]).toEqual(["contained", "broken"]);
});
