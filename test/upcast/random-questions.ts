/** Random questions about plans: what is sent, the steps, and what is accepted. */
import fc from "fast-check";
import { getJsonType, type Json, type JsonObject, splitPointer } from "../../generator/json.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { makeAjv } from "../../generator/validators/ajv.js";

/** The values that the fields of the events have. */
const VALUES: { readonly [name: string]: readonly Json[] } = {
  a: [true, 0, 0.5, 1, 2, 2.5, -1, "x", "x/y", "x/y/z", null, [1], { a: 1 }],
  b: [1, 1000, "x", "xx/1", {}],
  o: ["x", null, {}, { a: 1 }, { a: "x", b: 0 }, { a: { a: 1 } }, { b: "x/y", c: 1 }],
  c: [1, "x"],
  n: ["x", { a: 1 }],
};

/** Every event with these fields and values. */
export const EVENTS: readonly JsonObject[] = Object.entries(VALUES).reduce<JsonObject[]>(
  (events, [name, values]) =>
    events.flatMap((event) => [event, ...values.map((value) => ({ ...event, [name]: value }))]),
  [{}],
);

export const CONTEXT = { type: "t", discriminator: "type", streamTypes: new Set<string>() };

const scalarSchema = fc.constantFrom<JsonObject>(
  { type: "boolean" },
  { type: "integer" },
  { type: "number", minimum: 0, maximum: 5 },
  { type: "number", exclusiveMinimum: 0 },
  { type: "number", exclusiveMaximum: 1 },
  { minimum: 1 },
  { multipleOf: 2 },
  { enum: [1, 2, "x"] },
  { type: ["string", "integer"] },
  { type: ["object", "null"] },
  { type: "string" },
  { type: "string", enum: ["x", "x/y"] },
  { type: "string", pattern: "^[a-z]+$" },
  { maxLength: 1 },
  { minLength: 2 },
  { const: "x" },
  { const: 1 },
  { not: { type: "string" } },
  { not: { const: 1 } },
  { minItems: 2 },
  {},
);

const memberName = fc.constantFrom("a", "b", "c");

/** Schemas of objects inside of events, open and closed in several ways. */
const objectSchema = fc
  .record({
    properties: fc.dictionary(memberName, scalarSchema, { maxKeys: 2 }),
    required: fc.uniqueArray(memberName, { maxLength: 2 }),
    rest: fc.option(fc.constantFrom<Json>(false, { type: "integer" }, { type: "string" }), {
      nil: undefined,
    }),
    patterns: fc.option(fc.record({ "^[bc]$": scalarSchema }), { nil: undefined, freq: 4 }),
    type: fc.constantFrom<Json | undefined>("object", undefined, ["object", "null"]),
  })
  .map(
    ({ properties, required, rest, patterns, type }): JsonObject => ({
      ...(type !== undefined && { type }),
      properties,
      required,
      ...(patterns && { patternProperties: patterns }),
      ...(rest !== undefined && { additionalProperties: rest }),
    }),
  );

const valueSchema = fc.oneof({ arbitrary: scalarSchema, weight: 3 }, { arbitrary: objectSchema, weight: 2 });

const fieldName = fc.constantFrom("a", "b", "o", "c", "n");
const properties = fc.dictionary(fieldName, valueSchema, { maxKeys: 4 });
const names = fc.uniqueArray(fieldName, { maxLength: 2 });

const openSchema = fc
  .record({ properties, required: names })
  .map((schema): JsonObject => ({ type: "object", ...schema }));

const pair = fc.tuple(openSchema, openSchema);

/** The ways in which schemas of events are written. Only those that writers follow are closed. */
const sentSchema: fc.Arbitrary<JsonObject> = fc.oneof(
  openSchema.map((schema) => ({ ...schema, additionalProperties: false })),
  openSchema,
  pair.map(([a, b]) => ({ allOf: [a, b], unevaluatedProperties: false })),
  pair.map(([a, b]) => ({ ...a, anyOf: [b, { required: ["a"] }], unevaluatedProperties: false })),
  pair.map(([a, b]) => ({ $ref: "#/$defs/first", properties: { o: b }, $defs: { first: a } })),
);

const acceptedSchema: fc.Arbitrary<JsonObject> = fc.oneof(
  openSchema,
  openSchema.map((schema) => ({ ...schema, additionalProperties: false })),
  fc.tuple(openSchema, valueSchema).map(([schema, rest]) => ({ ...schema, additionalProperties: rest })),
  fc.tuple(openSchema, valueSchema).map(([schema, others]) => ({
    ...schema,
    patternProperties: { "^[bc]$": others },
    additionalProperties: false,
  })),
  pair.map(([a, b]) => ({ allOf: [a, { not: b }] })),
  fc
    .tuple(pair, openSchema)
    .map(([[a, b], c]) => ({ if: a, then: b, else: c, unevaluatedProperties: { type: "integer" } })),
  fc.tuple(pair, openSchema).map(([[a, b], c]) => ({ if: a, then: b, else: c })),
  pair.map(([a, b]) => ({ oneOf: [a, b] })),
  pair.map(([a, b]) => ({ oneOf: [a, b], unevaluatedProperties: false })),
  pair.map(([a, b]) => ({
    type: "object",
    $ref: "#/$defs/first",
    anyOf: [b, { required: ["c"] }],
    unevaluatedProperties: false,
    $defs: { first: a },
  })),
  pair.map(([a, b]) => ({ ...a, dependentSchemas: { o: b }, unevaluatedProperties: false })),
  fc.tuple(names, openSchema).map(([required, a]) => ({
    dependentRequired: { a: required },
    dependentSchemas: { o: a },
  })),
);

const place = fc.constantFrom("/a", "/b", "/c", "/o", "/o/a", "/o/b", "/n/a", "/a/a");
const condition = fc.record({
  at: fc.constantFrom("/a", "/b", "/o/a"),
  values: fc.constantFrom<readonly Json[]>([true, 1], ["x"], [1, "x"], [{ a: 1 }]),
});

/** Steps about which the condition on events is exact. */
const exactStep: fc.Arbitrary<UpcastStep> = fc
  .oneof(
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
      replaces: fc.constantFrom<Json>(1, "x/y", "x"),
    }),
    fc.record({
      step: fc.constant("default" as const),
      to: place,
      value: fc.constantFrom<Json>(1, "x", { a: 1 }),
    }),
    fc.record({
      step: fc.constant("map" as const),
      at: place,
      values: fc.constantFrom<JsonObject>({ x: "x/y" }, { x: 1, "x/y": "x" }, { x: { a: "x" } }),
    }),
    fc.record({ step: fc.constant("rename-type" as const), to: fc.constantFrom("u", "x") }),
  )
  .filter((step) => step.step !== "move" || step.from !== step.to);

const valuePlace = fc.oneof(
  { arbitrary: fc.constantFrom("/a", "/b"), weight: 3 },
  { arbitrary: place, weight: 1 },
);

/** Steps about which the condition may be stricter than necessary. */
const roundedStep = fc.oneof(
  fc.record({ step: fc.constant("scale" as const), at: valuePlace, by: fc.constantFrom(0.5, 2, 0.001, 60) }),
  fc.record({
    step: fc.constant("split" as const),
    from: valuePlace,
    separator: fc.constantFrom("/", "xx"),
    to: fc.constantFrom(["/a", "/b"], ["/c", "/o/b"], ["/b", "/c", "/a"]),
  }),
);

function addConditions(step: fc.Arbitrary<UpcastStep>): fc.Arbitrary<UpcastStep> {
  return fc
    .tuple(step, fc.option(condition, { nil: undefined, freq: 3 }))
    .map(
      ([plain, when]): UpcastStep =>
        when === undefined ? plain : { ...plain, when: { [when.at]: when.values } },
    );
}

/** A question about events of which the type is not a field. */
export interface RandomQuestion {
  readonly sent: JsonObject;
  readonly accepted: JsonObject;
  readonly steps: readonly UpcastStep[];
}

/** Questions to which the pulled back condition must be exact for each event. */
export const exactQuestion: fc.Arbitrary<RandomQuestion> = fc.record({
  sent: sentSchema,
  steps: fc.array(addConditions(exactStep), { minLength: 1, maxLength: 3 }),
  accepted: acceptedSchema,
});

const innerPlace = fc.constantFrom("/o/a", "/o/b", "/o/c");
const innerStep: fc.Arbitrary<UpcastStep> = fc.oneof(
  fc.record({
    step: fc.constant("move" as const),
    from: fc.constantFrom("/a", "/o/a", "/o/c"),
    to: innerPlace,
  }),
  fc.record({ step: fc.constant("default" as const), to: innerPlace, value: fc.constantFrom<Json>(1, "x") }),
  fc.record({ step: fc.constant("constant" as const), to: innerPlace, value: fc.constantFrom<Json>(1, "x") }),
);

/** The events with `a` and `o` only. */
export const OBJECT_EVENTS = EVENTS.filter((event) =>
  Object.keys(event).every((name) => "ao".includes(name)),
);

/** Questions about steps that write into one object, which they create where it is absent. */
export const createdObjectQuestion: fc.Arbitrary<RandomQuestion> = fc.record({
  sent: fc.record({ o: valueSchema, closed: fc.boolean() }).map(({ o, closed }): JsonObject => {
    const inner = closed && o.type === "object" ? { ...o, additionalProperties: false } : o;
    return { type: "object", properties: { a: {}, o: inner }, additionalProperties: false };
  }),
  steps: fc
    .array(innerStep, { minLength: 2, maxLength: 3 })
    .filter((steps) => steps.every((step) => step.step !== "move" || step.from !== step.to)),
  // A pattern of names cannot be pulled back through a step that writes such a name.
  accepted: objectSchema.map(({ patternProperties: _, ...o }): JsonObject => ({ properties: { o } })),
});

const ITEMS: readonly Json[] = [
  ...[{}, { a: 1 }, { a: "x" }, { b: 2 }, { a: 1, b: "x" }, { a: { b: 1 } }],
  ...["x", 1, null, [{ a: 1 }]],
];

/** Events with a list of up to two items, or with another value in its place. */
export const LIST_EVENTS: readonly JsonObject[] = [
  ...["x", { a: 1 }, { a: 1, c: 2 }, []],
  ...ITEMS.flatMap((first) => [[first], ...ITEMS.map((second) => [first, second])]),
].flatMap((l): JsonObject[] => [{ l }, { l, a: 1 }, { a: 1 }]);

const listSchema: fc.Arbitrary<JsonObject> = fc
  .tuple(valueSchema, valueSchema)
  .chain(([item, other]) =>
    fc.constantFrom<JsonObject>(
      { type: "array", items: item },
      { type: "array", items: { allOf: [item, other] } },
      { type: ["array", "string"], items: item, minItems: 1 },
      { items: item },
      { prefixItems: [item], items: other },
      { contains: item },
      { contains: item, maxContains: 1 },
      { contains: item, minContains: 2 },
      { not: { items: item } },
      { anyOf: [{ items: item }, { contains: other }] },
      { oneOf: [{ items: item }, { items: other }] },
      { if: { contains: item }, then: { maxItems: 1 }, else: { items: other } },
      { allOf: [{ properties: { a: item } }], items: other, unevaluatedProperties: false },
      { enum: ["x", { a: 1 }], items: item },
      { type: "array", items: { items: item } },
      { type: "array", items: item, uniqueItems: true },
    ),
  );

const itemPlace = fc.constantFrom("/l/*/a", "/l/*/b", "/l/*/c", "/l/*/a/b", "/l/*", "/l/*/*/a");
const itemValue = fc.constantFrom<Json>(1, "x", { b: 1 });
export const itemStep: fc.Arbitrary<UpcastStep> = fc
  .tuple(
    fc.oneof(
      fc.record({ step: fc.constant("move" as const), from: itemPlace, to: itemPlace }),
      fc.record({ step: fc.constant("default" as const), to: itemPlace, value: itemValue }),
      fc.record({ step: fc.constant("constant" as const), to: itemPlace, value: itemValue }),
      fc.record({
        step: fc.constant("map" as const),
        at: itemPlace,
        values: fc.constantFrom<JsonObject>({ x: 1 }, { x: { a: "x" } }),
      }),
    ),
    fc.option(fc.constantFrom({ "/a": [1] }, { "/l/*/a": [1, "x"] }, { "/a": [1], "/l/*/b": ["x"] }), {
      nil: undefined,
    }),
  )
  .map(([step, when]) => (when === undefined ? step : { ...step, when }));

const listsStep: fc.Arbitrary<UpcastStep> = fc.constantFrom(
  { step: "default", to: "/l", value: [{ a: 1 }, {}] },
  { step: "move", from: "/l", to: "/c" },
);

/** Questions about steps that change items of lists. */
export const listQuestion: fc.Arbitrary<RandomQuestion> = fc.record({
  sent: listSchema.map(
    (l): JsonObject => ({ type: "object", properties: { a: {}, l }, additionalProperties: false }),
  ),
  steps: fc
    .array(fc.oneof({ arbitrary: itemStep, weight: 5 }, { arbitrary: listsStep, weight: 1 }), {
      minLength: 1,
      maxLength: 3,
    })
    .filter((steps) => steps.every((step) => step.step !== "move" || !step.to.startsWith(step.from))),
  accepted: listSchema.map((l): JsonObject => ({ properties: { l, c: l } })),
});

/** Steps of all kinds. */
export const anyStep = addConditions(
  fc.oneof({ arbitrary: exactStep, weight: 3 }, { arbitrary: roundedStep, weight: 2 }),
);

const numberLimit = fc.constantFrom<JsonObject>(
  { exclusiveMaximum: 1 },
  { exclusiveMinimum: 0 },
  { minimum: 1 },
  { maximum: 2 },
  { type: "integer" },
  { multipleOf: 2 },
  { enum: [1, 2, "x"] },
  { not: { minimum: 2 } },
);
const textLimit = fc.constantFrom<JsonObject>(
  { const: "x/y" },
  { enum: ["x", "y/z"] },
  { pattern: "^[a-z]+$" },
  { pattern: "^.{3}$" },
  { maxLength: 1 },
  { minLength: 2 },
  { type: "string" },
);

/** A bound that is the product of one of the numbers of the events. */
const boundOfProduct = fc
  .tuple(
    fc.constantFrom("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "const"),
    fc.constantFrom(-1, 0, 0.5, 1, 2, 2.5, 1000),
  )
  .map(
    ([keyword, number]) =>
      (by: number): JsonObject => ({
        [keyword]: Number((number * by).toPrecision(15)),
      }),
  );

/** Events with a text of up to five of these letters. */
export const TEXT_EVENTS: readonly JsonObject[] = Array.from({ length: 5 })
  .reduce<readonly string[]>(
    (texts) => [
      ...new Set(
        ["", ...texts.flatMap((text) => ["x", "y", "z", "/"].map((letter) => text + letter))].concat(texts),
      ),
    ],
    [""],
  )
  .map((a): JsonObject => ({ a }));

/** Returns one limit on a value, or two that are combined. */
export function combineLimits(limit: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    { arbitrary: limit, weight: 2 },
    limit.map((each) => ({ not: each })),
    fc.array(limit, { minLength: 2, maxLength: 2 }).map((oneOf) => ({ oneOf })),
    fc.tuple(limit, limit).map(([condition, each]) => ({ if: condition, then: each })),
    fc.tuple(limit, limit).map(([condition, each]) => ({ if: condition, else: each })),
  );
}

const combinedLimit = combineLimits(textLimit);

/** Questions about a limit on one part of a text. */
export const partQuestion: fc.Arbitrary<RandomQuestion> = fc
  .record({
    separator: fc.constantFrom("/", "x", "yy"),
    to: fc.constantFrom(["c", "b"], ["a", "b", "c"]),
    limited: fc.nat(2),
    text: combinedLimit,
  })
  .map(({ separator, to, limited, text }) => ({
    sent: { properties: { b: false, c: false, o: false, n: false } },
    steps: [{ step: "split", from: "/a", separator, to: to.map((name) => `/${name}`) }],
    accepted: { properties: { [to[limited % to.length] ?? ""]: text } },
  }));

/** Questions about a limit on one part of a text with texts around its parts. */
export const parseQuestion: fc.Arbitrary<RandomQuestion> = fc
  .record({
    text: fc.constantFrom("{/c}/{/b}", "x{/c}", "{/c}y", "{/c}xy{/b}", "{/a}yy{/b}/", "/{/c}x{/b}y{/o}"),
    limited: fc.nat(2),
    limit: combinedLimit,
  })
  .map(({ text, limited, limit }) => {
    const names = [...text.matchAll(/\{\/(.)\}/g)].map(([, name = ""]) => name);
    return {
      sent: { properties: { b: false, c: false, o: false, n: false } },
      steps: [{ step: "parse", at: "/a", text }],
      accepted: { properties: { [names[limited % names.length] ?? ""]: limit } },
    };
  });

/** Events with up to two texts. */
export const TEXT_PAIRS: readonly JsonObject[] = [
  "",
  "x",
  "y",
  "/",
  "xy",
  "yz",
  "x/",
  "zzz",
  "x/y",
  1,
  undefined,
].flatMap((a, _, texts) =>
  texts.map((b): JsonObject => ({ ...(a !== undefined && { a }), ...(b !== undefined && { b }) })),
);

const joinedLimit = fc.oneof(
  textLimit,
  fc.constantFrom<JsonObject>(
    { enum: ["x/y", "xx/yz", "x/y/x", "/", "zzz/x", "xxy"] },
    { pattern: "^[a-z]*/[a-z]*$" },
    { pattern: "^[a-z/]+$" },
    { pattern: "^x*[yz]{0,2}[/]?[a-z/]*$" },
    { pattern: "/" },
    { pattern: "^.\\/.$" },
    { maxLength: 4 },
    { minLength: 5 },
  ),
);

/** Questions about a limit on a text that is made of others. */
export const joinedQuestion: fc.Arbitrary<RandomQuestion> = fc
  .record({
    at: fc.constantFrom("/c", "/a", "/o/a"),
    text: fc.constantFrom("{/a}/{/b}", "{/b}x{/a}", "x{/a}", "{/a}xy{/b}/", "{/b}/"),
    limit: combineLimits(joinedLimit),
  })
  .map(({ at, text, limit }) => ({
    sent: { properties: { c: false, o: false, n: false } },
    steps: [{ step: "template", at, text }],
    accepted: {
      properties: at === "/o/a" ? { o: { properties: { a: limit } } } : { [at.slice(1)]: limit },
    },
  }));

/** Questions with numbers that are rounded and texts that are split. Most constrain the results of that. */
export const roundedQuestion: fc.Arbitrary<RandomQuestion> = fc
  .record({
    sent: fc.oneof(fc.constant<JsonObject>({ properties: { c: false, n: false } }), sentSchema),
    first: roundedStep,
    when: fc.option(condition, { nil: undefined, freq: 3 }),
    more: fc.array(anyStep, { maxLength: 1 }),
    number: fc.oneof(numberLimit, boundOfProduct),
    text: textLimit,
    accepted: fc.oneof(fc.constant<JsonObject>({}), acceptedSchema),
  })
  .map(({ sent, first, when, more, number, text, accepted }) => {
    const [places, limit] =
      first.step === "scale"
        ? [[first.at], typeof number === "function" ? number(first.by) : number]
        : [first.to, text];
    const limits = places.map(
      (pointer): JsonObject =>
        splitPointer(pointer).reduceRight<JsonObject>(
          (inner, name) => ({ properties: { [name]: inner } }),
          limit,
        ),
    );
    const step = when === undefined ? first : { ...first, when: { [when.at]: when.values } };
    const parts = (accepted.allOf ?? []) as readonly Json[];
    return { sent, steps: [step, ...more], accepted: { ...accepted, allOf: [...parts, ...limits] } };
  });

/** Questions of which about a third is answered with a proof. */
export const provableQuestion: fc.Arbitrary<RandomQuestion> = fc
  .record({
    sent: openSchema.map((schema): JsonObject => ({ ...schema, additionalProperties: false })),
    steps: fc.array(anyStep, { maxLength: 3 }),
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

/** Returns a schema that describes the results of the steps by the types of their fields. */
function describeResults(sent: JsonObject, steps: readonly UpcastStep[], isClosed: boolean): JsonObject {
  const isSent = compile(sent);
  const results = EVENTS.filter((event) => isSent(event)).flatMap((event) => {
    const result = upcastEvent(event, steps, CONTEXT);
    return result.kind === "done" ? [result.event] : [];
  });
  const fields = [...new Set(results.flatMap((result) => Object.keys(result)))];
  const listTypes = (name: string) => [
    ...new Set(results.flatMap((result) => (name in result ? [getJsonType(result[name] as Json)] : []))),
  ];
  return {
    properties: Object.fromEntries(fields.map((name) => [name, { type: listTypes(name) }])),
    required: fields.filter((name) => results.every((result) => name in result)),
    ...(isClosed && { additionalProperties: false }),
  };
}

const payload = fc.record({
  properties: fc.dictionary(
    fc.constantFrom("x", "y"),
    fc.constantFrom<JsonObject>(
      { type: "integer" },
      { type: "string" },
      { const: "x" },
      { enum: ["x", 1] },
      {},
    ),
    { maxKeys: 2 },
  ),
  required: fc.uniqueArray(fc.constantFrom("x", "y"), { maxLength: 1 }),
});

const typeNames = fc.constantFrom<readonly string[]>(["tea.a"], ["tea.b"], ["tea.*"], ["tea.b", "tea.a"]);
const option = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });

const typedStep: fc.Arbitrary<UpcastStep> = fc
  .tuple(
    fc.oneof(
      fc.record({
        step: fc.constant("rename-type" as const),
        to: fc.constantFrom("tea.a", "tea.c", "tea.d"),
      }),
      fc.record({
        step: fc.constant("move" as const),
        from: fc.constant("/data/x"),
        to: fc.constant("/data/y"),
      }),
      fc.record({
        step: fc.constant("default" as const),
        to: fc.constant("/data/y"),
        value: fc.constantFrom(1, "x"),
      }),
      fc.record({
        step: fc.constant("map" as const),
        at: fc.constant("/data/x"),
        values: fc.constant({ x: 1 }),
      }),
    ),
    fc.record({
      types: option(typeNames),
      streamsWith: option(typeNames),
      streamsWithout: option(typeNames),
      when: option(fc.constantFrom({ "/data/x": ["x"] }, { "/data/y": [1, "x"] })),
    }),
  )
  .map(([step, conditions]): UpcastStep => JSON.parse(JSON.stringify({ ...step, ...conditions })));

/** Payloads of two types before, of two types afterwards, and steps that depend on types and streams. */
export const typedQuestion = fc.record({
  before: fc.record({ "tea.a": payload, "tea.b": payload }),
  after: fc.record({ "tea.a": payload, "tea.c": payload }),
  steps: fc.array(typedStep, { minLength: 1, maxLength: 3 }),
});

/** Returns a function that tells whether Ajv accepts a value. */
export function compile(schema: JsonObject): (value: Json) => boolean {
  const validate = makeAjv({ ownProperties: true, allErrors: false }).compile(schema);
  return (value) => validate(value);
}
