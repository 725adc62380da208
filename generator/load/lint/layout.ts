import { createErrorFinding, type Finding } from "../../finding.js";
import { getOwn, isObject, type JsonObject } from "../../json.js";
import { didYouMean } from "../../nearest.js";
import { findPayloadPlaceSchema, getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Placement, Protocol } from "../../protocol/protocol.js";
import { describesObjects } from "../../schema/close-objects.js";
import { BRANCHES, createSpot, describeSchema, EVERYTHING, listStatements } from "../../schema/describe.js";
import { readListedValues } from "../../schema/listed-values.js";
import { mergeFields } from "../../schema/merge.js";
import {
  collectDeclaredFields,
  collectDeclaredPatterns,
  describeFamily,
} from "../../schema/object-family.js";
import { locateEventType, readEventType, type SchemaFile } from "../folder.js";
import { type LintInput, locateInFiles } from "./input.js";

/** Checks that the envelope declares and requires the fields that protocol.json names. */
export function lintEnvelope(input: LintInput): Finding[] {
  const { protocol, manifest, manifestSource } = input;
  const { envelope, stream } = protocol;
  const { discriminator, payload } = manifest.envelope;
  const required = Array.isArray(envelope.schema.required) ? envelope.schema.required : [];
  const notObjectMessage = 'The envelope must be an object: say "type": "object".';
  const namedFields: readonly (readonly [name: string | undefined, pointer: string])[] = [
    [discriminator, "/envelope/discriminator"],
    [payload.property, "/envelope/payload/property"],
    ...(stream?.key ?? []).map((name, index) => [name, `/stream/key/${index}`] as const),
    ...(["sequence", "id", "time"] as const).map((role) => [stream?.[role], `/stream/${role}`] as const),
  ];
  const isScopeUnused = stream?.idScope !== undefined && stream.id === undefined;
  const noIdMessage =
    "stream.idScope says where an id occurs once, but stream.id does not name the field of ids.";
  return [
    ...(isScopeUnused
      ? [createErrorFinding("envelope-field-missing", noIdMessage, manifestSource.locate("/stream/idScope"))]
      : []),
    ...(envelope.schema.type === "object"
      ? []
      : [createErrorFinding("envelope-invalid", notObjectMessage, envelope.at)]),
    ...lintMisplacedFields(protocol),
    ...namedFields
      .filter(([name]) => name !== undefined && !Object.hasOwn(getEnvelopeFields(envelope), name))
      .map(([name, pointer]) =>
        createErrorFinding(
          "envelope-field-missing",
          `protocol.json names the envelope field ${JSON.stringify(name)}, which envelope.schema.json does not declare${didYouMean(name ?? "", Object.keys(getEnvelopeFields(envelope)))}`,
          manifestSource.locate(pointer),
        ),
      ),
    ...[discriminator, payload.property]
      .filter(
        (name) =>
          name !== undefined && Object.hasOwn(getEnvelopeFields(envelope), name) && !required.includes(name),
      )
      .map((name) =>
        createErrorFinding(
          "envelope-field-optional",
          `The envelope must require ${JSON.stringify(name)}: without it the ${name === discriminator ? "type" : "payload"} of an event is unknown.`,
          locateInFiles(input, { ...envelope.at, pointer: "/required" }),
          `Add ${JSON.stringify(name)} to "required".`,
        ),
      ),
  ];
}

/** Reports fields that the envelope declares outside of its `properties` or of those of the property for payloads. */
function lintMisplacedFields({ envelope, definitions }: Protocol): Finding[] {
  const misplaced = [envelope.schema, findPayloadPlaceSchema(envelope) ?? {}].flatMap((schema) => {
    const fields = Object.keys(isObject(schema.properties) ? schema.properties : {});
    const family = describeFamily(schema, definitions, envelope.at);
    return [...collectDeclaredFields(family), ...collectDeclaredPatterns(family)].filter(
      (name) => !fields.includes(name),
    );
  });
  return [...new Set(misplaced)].map((name) =>
    createErrorFinding(
      "envelope-invalid",
      `The envelope declares ${JSON.stringify(name)} in a branch, in a reference or by a pattern.`,
      envelope.at,
      "Declare the fields of the envelope in its own properties.",
    ),
  );
}

/** Checks that payloads fit the placement, and that the envelope's schema of the discriminator accepts each event type. */
export function lintPlacement({ protocol, files }: LintInput): Finding[] {
  const { envelope } = protocol;
  const accepts = createDiscriminatorTest(protocol);
  const findings: Finding[] = [];
  for (const file of files.filter(({ kind }) => kind === "event")) {
    const { source } = file;
    const type = readEventType(file);
    const event = isObject(source.document) ? source.document : {};
    if (!accepts(type))
      findings.push(
        createErrorFinding(
          "event-type-invalid",
          `The event type ${JSON.stringify(type)} is refused by the envelope's own schema of ${envelope.discriminator}.`,
          locateEventType(file),
          "The event type is the file name, or x-type.",
        ),
      );
    if (!type.isWellFormed())
      findings.push(
        createErrorFinding(
          "event-type-invalid",
          `The event type ${JSON.stringify(type)} has half of a surrogate pair, which no encoding of text can represent.`,
          locateEventType(file),
        ),
      );
    findings.push(...lintPayload(event, file, envelope.placement));
    const key = event["x-payload-property"];
    if (
      envelope.placement === "keyed" &&
      typeof key === "string" &&
      Object.hasOwn(getEnvelopeFields(envelope), key)
    )
      findings.push(
        createErrorFinding(
          "field-reserved",
          `The payload property ${JSON.stringify(key)} takes the name of an envelope field.`,
          source.locate("/x-payload-property"),
        ),
      );
  }
  return [...findings, ...lintReferredPayloads(protocol)];
}

/** Reports payload fields with the name of an envelope field under inline placement, in any branch or reference. */
export function lintReservedFields(input: LintInput): Finding[] {
  const { envelope, events, definitions } = input.protocol;
  if (envelope.placement !== "inline") return [];
  const reserved = Object.keys(getEnvelopeFields(envelope));
  const places = events.flatMap(({ payload, at }) => {
    const fields = mergeFields(describeFamily(payload, definitions, at, BRANCHES));
    return reserved.flatMap((name) => (fields.get(name)?.spots ?? []).map((spot) => ({ name, spot })));
  });
  const distinct = new Map(places.map((place) => [`${place.spot.file}#${place.spot.pointer}`, place]));
  return [...distinct.values()].map(({ name, spot }) =>
    createErrorFinding(
      "field-reserved",
      `The payload field ${JSON.stringify(name)} takes the name of an envelope field.`,
      locateInFiles(input, spot, "name"),
      "Payload and envelope fields lie in one object here; choose another name.",
    ),
  );
}

/** Reports payloads whose references do not lead to an object. */
function lintReferredPayloads({ events, definitions }: Protocol): Finding[] {
  return events.flatMap(({ type, payload, at }) => {
    const description = describeSchema(createSpot(payload, at), definitions, EVERYTHING, (edge) =>
      edge === "$ref" ? "certain" : "skip",
    );
    const [stated] = listStatements(description, "type");
    if (payload.$ref === undefined || stated?.value === "object") return [];
    const message = `The payload of ${type} must be an object; its reference leads to something else.`;
    return [createErrorFinding("payload-not-object", message, at)];
  });
}

/** Creates a function that tests whether the pattern and the values of the discriminator in the envelope allow an event type. */
function createDiscriminatorTest({ envelope }: Protocol): (type: string) => boolean {
  const field = getOwn(getEnvelopeFields(envelope), envelope.discriminator);
  if (!isObject(field)) return () => true;
  const pattern = typeof field.pattern === "string" ? compilePattern(field.pattern) : undefined;
  const isText = [field.type ?? "string"].flat().includes("string");
  return (type) =>
    isText &&
    (pattern === undefined || pattern.test(type)) &&
    readListedValues(field).every(({ values }) => values.includes(type));
}

function compilePattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    // The rule keyword-invalid reports the pattern.
    return undefined;
  }
}

/** Checks that a payload is an object, and that `x-payload-property` fits the placement. */
function lintPayload(event: JsonObject, { name, source }: SchemaFile, placement: Placement): Finding[] {
  const isKeyed = placement === "keyed";
  const hasCarrier = event["x-payload-property"] !== undefined;
  const hasPayload = !isKeyed || hasCarrier;
  if (!hasPayload && (describesObjects(event) || event.type !== undefined || event.$ref !== undefined))
    return [
      createErrorFinding(
        "payload-property-missing",
        `The event ${name} describes a payload but does not say which property holds it.`,
        source.locate(""),
        'Add "x-payload-property", or remove the payload if the event has none.',
      ),
    ];
  if (!isKeyed && hasCarrier)
    return [
      createErrorFinding(
        "payload-property-misplaced",
        `x-payload-property belongs to keyed placement; here the payload is ${placement}.`,
        source.locate("/x-payload-property"),
        "Remove it.",
      ),
    ];
  if (hasPayload && event.type !== "object" && event.$ref === undefined)
    return [
      createErrorFinding(
        "payload-not-object",
        `The payload of ${name} must be an object: say "type": "object".`,
        source.locate(event.type === undefined ? "" : "/type"),
      ),
    ];
  return [];
}
