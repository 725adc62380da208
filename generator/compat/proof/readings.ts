/** Readings of whole messages as self-contained schemas, and cached questions about them. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Containment } from "../../contain/contain.js";
import { getOwn, isObject, type Json, type JsonObject, joinPointer } from "../../json.js";
import { digest } from "../../protocol/digest.js";
import { createBodyReading, createEnvelopeReading } from "../../protocol/message-readings.js";
import type { Protocol } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { getFormatPattern } from "../../schema/formats.js";
import { readSubschema, type Schema } from "../../schema/json-schema.js";
import { buildDocument, type Form, type Profile, type Reading, readAs } from "../../schema/readings.js";
import { formatReference, getDefinitionName } from "../../schema/reference.js";
import { mapReferences, mapSubschemas } from "../../schema/walk.js";
import { makeAjv } from "../../validators/ajv.js";
import type { View } from "../diff/view.js";
import type { Subject } from "../subjects.js";
import { createAddress, editDefinitions, editSchema, type SchemaEdits } from "./edit-schemas.js";
import { prettifyWitness } from "./prettify-witness.js";
import { splitQuestion } from "./split-question.js";
import { getQuestionTimeout, type TimeLimit, UNLIMITED } from "./time-limit.js";

/**
 * Returns the schema of complete messages under a profile: envelope, body and event type, or a resource. Returns the same
 * object for the same arguments.
 */
export function createMessageSchema(profile: Profile, protocol: Protocol, event: Subject): JsonObject {
  return messageSchemas[profile](protocol)(event);
}

const messageSchemas = { reader: createMessageSchemas("reader"), writer: createMessageSchemas("writer") };

function createMessageSchemas(profile: Profile): (protocol: Protocol) => (event: Subject) => JsonObject {
  return memoizeByObject((protocol) =>
    memoizeByObject((event) => buildMessageSchema(profile, protocol, event)),
  );
}

function buildMessageSchema(profile: Profile, protocol: Protocol, event: Subject): JsonObject {
  if (event.resource !== undefined) {
    const { schema, $defs } = readAs(profile, event.payload, listResourceDefinitions(protocol));
    return { allOf: [assertFormats(schema)], $defs: assertFormatsInDefs({ schema, $defs }) };
  }
  const envelope = createEnvelopeReading(profile, protocol);
  const body = createBodyReading(profile, protocol, event);
  const { discriminator } = protocol.envelope;
  const hasEventType = { properties: { [discriminator]: { const: event.type } }, required: [discriminator] };
  return {
    allOf: [assertFormats(envelope.schema), assertFormats(body.schema), hasEventType],
    $defs: { ...assertFormatsInDefs(envelope), ...assertFormatsInDefs(body) },
  };
}

/**
 * Returns the definitions that resources may refer to. If the envelope is one of them, it is closed. In an open envelope
 * every new field would be a break, because an undeclared field could have any value before. The comparison of events
 * reports such fields.
 */
function listResourceDefinitions({ definitions, envelope }: Protocol): Protocol["definitions"] {
  const { schema, placement, property = "" } = envelope;
  const { properties } = schema;
  const carrier = isObject(properties) ? getOwn(properties, property) : undefined;
  const envelopeSchema =
    placement === "nested" && isObject(properties) && isObject(carrier)
      ? { ...schema, properties: { ...properties, [property]: closeObject(carrier) } }
      : closeObject(schema);
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) =>
      createAddress(definition.at) === createAddress(envelope.at)
        ? [name, { ...definition, schema: envelopeSchema }]
        : [name, definition],
    ),
  );
}

function closeObject(schema: JsonObject): JsonObject {
  const { additionalProperties, ...rest } = schema;
  return additionalProperties === true ? rest : schema;
}

/** Returns whether readers accept `type` as the name of an event type. */
export function acceptsEventTypeName(protocol: Protocol, type: string): boolean {
  const { schema, $defs } = createEnvelopeReading("reader", protocol);
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const discriminatorSchema = getOwn(properties, protocol.envelope.discriminator);
  return !isObject(discriminatorSchema) || compileValidator({ ...discriminatorSchema, $defs })(type);
}

/** Returns the schema of messages of an unknown event type, which is the schema of the envelope. */
export function createUnknownMessageSchema(profile: Profile, protocol: Protocol): Json {
  return buildWholeDocument(createEnvelopeReading(profile, protocol));
}

/** Returns the schema of the body: the part of a message that the event type adds to the envelope. */
export function createBodySchema(profile: Profile, protocol: Protocol, event: Subject): Json {
  return buildWholeDocument(createBodyReading(profile, protocol, event));
}

/**
 * Returns the schema of one value after `edits`. The names of its definitions get a prefix, so that they differ from
 * those of the message schema.
 */
export function createValueSchema(
  profile: Profile,
  { spots }: View,
  { definitions }: Protocol,
  form: Form,
  edits: SchemaEdits,
): { schema: Json; $defs: JsonObject } {
  const [first = true, ...others] = spots.map((spot) => editSchema(spot.schema, spot, edits));
  const schema = others.length === 0 ? first : { allOf: [first, ...others] };
  const reading = readAs(profile, schema as JsonObject, editDefinitions(definitions, edits), form);
  return renameDefinitions(
    { schema: assertFormats(reading.schema), $defs: assertFormatsInDefs(reading) },
    "other.",
  );
}

/** Returns a schema whose definitions, and the references to them, have `prefix` before their names. */
export function renameDefinitions(
  { schema, $defs }: { readonly schema: Json; readonly $defs: JsonObject },
  prefix: string,
): { schema: Json; $defs: JsonObject } {
  const redirect = (each: Json): Json =>
    mapReferences(each, (reference) => formatReference(prefix + getDefinitionName(reference)));
  const renamedDefinitions = Object.entries($defs).map(([name, each]): [string, Json] => [
    prefix + name,
    redirect(each),
  ]);
  return { schema: redirect(schema), $defs: Object.fromEntries(renamedDefinitions) };
}

function buildWholeDocument(reading: Reading): Json {
  return assertFormats(buildDocument(reading));
}

function assertFormatsInDefs({ $defs }: Reading): JsonObject {
  return Object.fromEntries(Object.entries($defs).map(([name, schema]) => [name, assertFormats(schema)]));
}

/** Replaces formats by the patterns that validators assert, and removes formats that only inform. */
function assertFormats(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { format, ...rest } = mapSubschemas(schema, assertFormats);
  const pattern = format === undefined ? undefined : getFormatPattern(String(format));
  if (pattern === undefined) return rest;
  if (rest.pattern === undefined) return { ...rest, pattern };
  return { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { pattern }] };
}

/** Decides whether schemas are subsets of others, and keeps the answers. */
export interface ContainmentCache {
  /** The end of the time for questions. Later ones are undecided. */
  readonly timeLimit: TimeLimit;
  /** Decides whether `b` accepts every value that `a` accepts. The validators of applications confirm each witness. */
  checkSubset(a: Json, b: Json): Promise<Containment>;
  /** Returns the known answer for `key`. If there is none, calls `decide` and remembers its answer. */
  memoize(key: string, decide: () => Promise<Containment>): Promise<Containment>;
}

/** Creates an empty cache. */
export function createContainmentCache(timeLimit = UNLIMITED): ContainmentCache {
  const answers = new Map<string, Promise<Containment>>();
  const memoize: ContainmentCache["memoize"] = (key, decide) => {
    const answer = answers.get(key) ?? decide();
    answers.set(key, answer);
    return answer;
  };
  const checkSubset: ContainmentCache["checkSubset"] = (a, b) =>
    memoize(`${digest(a)}${digest(b)}`, () => decideByParts(a, b));
  // Thousands of events share their parts. If all parts are contained, so are the events.
  const decideByParts = async (a: Json, b: Json): Promise<Containment> => {
    // A signal that ends the time is noticed between two questions.
    await nextTurn();
    timeLimit.beginQuestion();
    if (timeLimit.getRemaining() === 0) return { verdict: "undecided", reason: timeLimit.describeEnd() };
    const parts = splitQuestion(a, b);
    if (!parts) return decideSubset(a, b, timeLimit);
    for (const [partOfA, partOfB] of parts)
      if ((await checkSubset(partOfA, partOfB)).verdict !== "contained") return decideSubset(a, b, timeLimit);
    return { verdict: "contained" };
  };
  return { timeLimit, checkSubset, memoize };
}

/** Decides a question without the cache. */
async function decideSubset(a: Json, b: Json, timeLimit: TimeLimit): Promise<Containment> {
  // The proof engine is loaded only when it is needed, because loading takes longer than comparing equal contracts.
  const { checkContainment } = await import("../../contain/contain.js");
  return checkContainment(a, b, {
    timeoutMs: getQuestionTimeout(timeLimit),
    polish: prettifyWitness,
    confirm: (witness, a, b) =>
      compileValidator(readSubschema(a))(witness) && !compileValidator(readSubschema(b))(witness),
  });
}

/** Returns whether a schema accepts a value. Only own fields count, as in generated validators. */
export function acceptsMessage(schema: JsonObject, value: Json): boolean {
  return compileValidator(schema)(value);
}

/** Returns the place and the first reason for which a schema refuses a value. */
export function explainRefusal(schema: JsonObject, value: Json): string {
  const validate = makeAjv({ ownProperties: true, allErrors: false }).compile(schema);
  validate(value);
  const { instancePath = "", message = "", params = {} } = validate.errors?.at(-1) ?? {};
  const name = params.additionalProperty ?? params.unevaluatedProperty;
  const place = name === undefined ? instancePath : joinPointer(instancePath, name);
  return `${place === "" ? "it" : place} ${message}`;
}

/** Compiles a validator that checks own fields only, as generated code does. */
function compileValidator(schema: Schema): (value: Json) => boolean {
  return typeof schema === "boolean" ? () => schema : compileObjectSchema(schema);
}

const compileObjectSchema = memoizeByObject((schema: JsonObject): ((value: Json) => boolean) =>
  makeAjv({ ownProperties: true, code: { optimize: false } }).compile(schema),
);
