/** If this fails, the proof about a plan is wrong: an event is refused although all are proven, or the other way round. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import { getJsonType, type Json, type JsonObject } from "../../generator/json.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import { checkSteps } from "../../generator/upcast/check-steps.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { makeAjv } from "../../generator/validators/ajv.js";

const VALUES: readonly Json[] = [true, 0, 1, 2.5, "x", "x/y", { a: 1 }, { a: "x", b: 0 }];
const NAMES = ["a", "b", "o"] as const;

/** Every event with these names and values. */
const EVENTS: readonly JsonObject[] = NAMES.reduce<JsonObject[]>(
  (events, name) =>
    events.flatMap((event) => [event, ...VALUES.map((value) => ({ ...event, [name]: value }))]),
  [{}],
);

const valueSchema = fc.oneof(
  fc.constantFrom<JsonObject>(
    { type: "boolean" },
    { type: "integer" },
    { type: "number", minimum: 0, maximum: 5 },
    { type: "number", exclusiveMinimum: 0 },
    { type: "string" },
    { type: "string", enum: ["x", "x/y"] },
    { type: "string", pattern: "^[a-z]+$" },
    { type: "string", maxLength: 1 },
    { const: "x" },
    { not: { type: "string" } },
    {},
  ),
  fc.record({ a: fc.constantFrom({ type: "integer" }, { type: "string" }, {}), isClosed: fc.boolean() }).map(
    ({ a, isClosed }): JsonObject => ({
      type: "object",
      properties: isClosed ? { a, b: {} } : { a },
      ...(isClosed && { additionalProperties: false }),
    }),
  ),
);

const properties = fc.record(
  { a: valueSchema, b: valueSchema, o: valueSchema, c: valueSchema },
  { requiredKeys: [] },
);
const names = fc.uniqueArray(fc.constantFrom("a", "b", "o", "c"), { maxLength: 2 });

/** Closed objects, as writers send them. */
const sentSchema = fc.record({ properties, required: names }).map(
  ({ properties, required }): JsonObject => ({
    type: "object",
    properties,
    required: required.filter((name) => Object.hasOwn(properties, name)),
    additionalProperties: false,
  }),
);

const openSchema = fc
  .record({ properties, required: names })
  .map((schema): JsonObject => ({ type: "object", ...schema }));

const acceptedSchema: fc.Arbitrary<JsonObject> = fc.oneof(
  openSchema,
  sentSchema,
  fc.tuple(openSchema, openSchema).map(([a, b]): JsonObject => ({ allOf: [a, { not: b }] })),
  fc.tuple(openSchema, openSchema, openSchema).map(([a, b, c]): JsonObject => ({ if: a, then: b, else: c })),
  fc.tuple(openSchema, openSchema).map(([a, b]): JsonObject => ({ oneOf: [a, b] })),
  fc.tuple(openSchema, openSchema).map(
    ([a, b]): JsonObject => ({
      type: "object",
      $ref: "#/$defs/first",
      anyOf: [b, { required: ["c"] }],
      unevaluatedProperties: false,
      $defs: { first: a },
    }),
  ),
  fc.tuple(names, openSchema).map(
    ([required, a]): JsonObject => ({
      dependentRequired: { a: required },
      dependentSchemas: { o: a },
    }),
  ),
);

const place = fc.constantFrom("/a", "/b", "/c", "/o", "/o/a", "/o/b", "/n/a");
const when = fc.option(
  fc.record({ at: fc.constantFrom("/a", "/b", "/o/a"), value: fc.constantFrom<Json>(true, 1, "x") }),
  { nil: undefined, freq: 4 },
);
const step: fc.Arbitrary<UpcastStep> = fc
  .tuple(
    fc.oneof(
      fc.record({ step: fc.constant("move" as const), from: place, to: place, alias: fc.boolean() }),
      fc.record({
        step: fc.constant("constant" as const),
        to: place,
        value: fc.constantFrom<Json>(1, "x", {}),
      }),
      fc.record({
        step: fc.constant("constant" as const),
        to: place,
        value: fc.constantFrom<Json>(0, "x"),
        replaces: fc.constantFrom<Json>(1, "x/y"),
      }),
      fc.record({ step: fc.constant("default" as const), to: place, value: fc.constantFrom<Json>(1, "x") }),
      fc.record({
        step: fc.constant("map" as const),
        at: place,
        values: fc.constantFrom<JsonObject>({ x: "x/y" }, { x: 1, "x/y": "x" }),
      }),
      fc.record({ step: fc.constant("scale" as const), at: place, by: fc.constantFrom(0.5, 2, 0.001, 60) }),
      fc.record({
        step: fc.constant("split" as const),
        from: place,
        separator: fc.constantFrom("/", "xx"),
        to: fc.constantFrom(["/a", "/b"], ["/c", "/o/b"]),
      }),
    ),
    when,
  )
  .filter(([plain]) => plain.step !== "move" || plain.from !== plain.to)
  .map(
    ([plain, condition]): UpcastStep =>
      condition === undefined ? plain : { ...plain, when: { [condition.at]: [condition.value] } },
  );

/** Returns a schema that describes the results of the steps by the types of their fields. */
function describeResults(sent: JsonObject, steps: readonly UpcastStep[], isClosed: boolean): JsonObject {
  const isSent = makeAjv({ ownProperties: true }).compile(sent);
  const results = EVENTS.filter((event) => isSent(event)).flatMap((event) => {
    const result = upcastEvent(event, steps, CONTEXT);
    return result.kind === "done" ? [result.event] : [];
  });
  const names = [...new Set(results.flatMap((result) => Object.keys(result)))];
  const listTypes = (name: string) => [
    ...new Set(results.flatMap((result) => (name in result ? [getJsonType(result[name] as Json)] : []))),
  ];
  return {
    properties: Object.fromEntries(names.map((name) => [name, { type: listTypes(name) }])),
    required: names.filter((name) => results.every((result) => name in result)),
    ...(isClosed && { additionalProperties: false }),
  };
}

/** Returns the events that a schema allows and that the steps change to one that another schema refuses. */
function findRefusedEvents(
  sent: JsonObject,
  accepted: JsonObject,
  steps: readonly UpcastStep[],
): JsonObject[] {
  const [isSent, isAccepted] = [sent, accepted].map((schema) =>
    makeAjv({ ownProperties: true }).compile(schema),
  );
  return EVENTS.filter((event) => {
    if (!isSent?.(event)) return false;
    const result = upcastEvent(event, steps, CONTEXT);
    return result.kind === "failed" || !isAccepted?.(result.event);
  });
}

/** Questions of which about a third is answered with a proof. */
const questions = fc
  .record({
    sent: sentSchema,
    steps: fc.array(step, { maxLength: 3 }),
    random: acceptedSchema,
    choice: fc.constantFrom("random", "open", "closed", "either", "strict"),
  })
  .map(({ sent, steps, random, choice }) => {
    const described = describeResults(sent, steps, choice === "closed");
    // Requires what some results have, so that the answer often depends on a single field.
    const strict = { ...described, required: Object.keys(described.properties as JsonObject) };
    const either = random.$ref === undefined ? { anyOf: [random, described] } : described;
    const accepted = { random, open: described, closed: described, either, strict }[choice];
    return { sent, steps, accepted };
  });

const CONTEXT = { type: "t", discriminator: "type", streamTypes: new Set<string>() };

it("agrees with trying all events", { timeout: 300_000 }, async () => {
  const counts = { proven: 0, impossible: 0, undecided: 0 };
  const reasons = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(questions, async ({ sent, accepted, steps }) => {
      const answer = await checkSteps({ sent, accepted, steps, context: CONTEXT }, createContainmentCache());
      counts[answer.kind]++;
      const refused = findRefusedEvents(sent, accepted, steps);
      if (answer.kind === "undecided") reasons.set(answer.reason, (reasons.get(answer.reason) ?? 0) + 1);
      if (answer.kind === "proven") expect(refused.slice(0, 1)).toEqual([]);
      if (answer.kind !== "impossible") return;
      const [isSent, isAccepted] = [sent, accepted].map((schema) =>
        makeAjv({ ownProperties: true }).compile(schema),
      );
      expect(isSent?.(answer.event)).toBe(true);
      const result = upcastEvent(answer.event, steps, CONTEXT);
      expect(result.kind === "done" && isAccepted?.(result.event)).toBe(false);
    }),
    { numRuns: Number(process.env.RUNS ?? 120), seed: Number(process.env.SEED ?? 1) },
  );
  if (process.env.RUNS) console.log(counts, reasons);
  const total = counts.proven + counts.impossible + counts.undecided;
  // Most answers must be certain, and both kinds must occur.
  expect(counts.undecided).toBeLessThan(total / 5);
  expect(counts.proven).toBeGreaterThan(total / 20);
});
