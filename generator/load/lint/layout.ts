import { errorFinding, type Finding } from "../../finding.js";
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { describesObjects } from "../../schema/close-objects.js";
import { listedValues } from "../../schema/listed-values.js";
import { declaredFields, declaredPatterns, describeFamily } from "../../schema/object-family.js";
import { targetOf } from "../../schema/reference.js";
import type { Source } from "../../source/source.js";
import type { LintInput } from "./input.js";

/** The envelope declares and requires what protocol.json says about it. */
export function lintEnvelope({ protocol, manifest, manifestSource }: LintInput): Finding[] {
  const { envelope, stream } = protocol;
  const properties = isObject(envelope.schema.properties) ? envelope.schema.properties : {};
  const required = Array.isArray(envelope.schema.required) ? envelope.schema.required : [];
  const findings: Finding[] = [];
  if (envelope.schema.type !== "object")
    findings.push(
      errorFinding("envelope-invalid", 'The envelope must be an object: say "type": "object".', envelope.at),
    );
  findings.push(...lintElsewhere(protocol));
  const declared = (name: string | undefined, pointer: string): void => {
    if (name !== undefined && !Object.hasOwn(properties, name))
      findings.push(
        errorFinding(
          "envelope-field-missing",
          `protocol.json names the envelope field ${JSON.stringify(name)}, which envelope.schema.json does not declare.`,
          manifestSource.locate(pointer),
        ),
      );
  };
  declared(manifest.envelope.discriminator, "/envelope/discriminator");
  declared(manifest.envelope.payload.property, "/envelope/payload/property");
  for (const [i, name] of (stream?.key ?? []).entries()) declared(name, `/stream/key/${i}`);
  for (const role of ["sequence", "id", "time"] as const) declared(stream?.[role], `/stream/${role}`);
  for (const name of [envelope.discriminator, envelope.property])
    if (name !== undefined && !required.includes(name))
      findings.push(
        errorFinding(
          "envelope-field-optional",
          `The envelope must require ${JSON.stringify(name)}: without it no event can be told from another.`,
          envelope.at,
        ),
      );
  return findings;
}

/** The envelope declares its fields, and those of every payload, in its own `properties`, where everyone looks for them. */
function lintElsewhere({ envelope, definitions }: Protocol): Finding[] {
  const payload =
    envelope.property === undefined ? undefined : propertiesOf(envelope.schema)[envelope.property];
  const elsewhere = [envelope.schema, ...(isObject(payload) ? [payload] : [])].flatMap((schema) => {
    const fields = new Set(Object.keys(propertiesOf(schema)));
    const family = describeFamily(schema, definitions, envelope.at);
    return [...declaredFields(family), ...declaredPatterns(family)].filter((name) => !fields.has(name));
  });
  return [...new Set(elsewhere)].map((name) =>
    errorFinding(
      "envelope-invalid",
      `The envelope declares ${JSON.stringify(name)} in a branch, in a reference or by a pattern.`,
      envelope.at,
      "Declare the fields of the envelope in its own properties.",
    ),
  );
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

/** Payload fields fit the placement, and the event type fits the discriminator's own schema. */
export function lintPlacement({ protocol, files }: LintInput): Finding[] {
  const { envelope } = protocol;
  const findings: Finding[] = [];
  const envelopeFields = new Set(
    Object.keys(isObject(envelope.schema.properties) ? envelope.schema.properties : {}),
  );
  const accepts = discriminatorTest(protocol);
  for (const { kind, name, source } of files) {
    if (kind !== "event") continue;
    const event = isObject(source.document) ? source.document : {};
    if (!accepts(name))
      findings.push(
        errorFinding(
          "event-type-invalid",
          `The event type ${JSON.stringify(name)} is refused by the envelope's own schema of ${envelope.discriminator}.`,
          source.locate(""),
          "The file name is the event type.",
        ),
      );
    findings.push(...lintShape(event, name, source, envelope.placement));
    const key = event["x-payload-property"];
    if (envelope.placement === "keyed" && typeof key === "string" && envelopeFields.has(key))
      findings.push(
        errorFinding(
          "field-reserved",
          `The payload property ${JSON.stringify(key)} takes the name of an envelope field.`,
          source.locate("/x-payload-property"),
        ),
      );
  }
  for (const { type, payload, at } of protocol.events)
    if (payload.$ref !== undefined && !isObjects(payload, protocol))
      findings.push(
        errorFinding(
          "payload-not-object",
          `The payload of ${type} must be an object; its reference leads to something else.`,
          at,
        ),
      );
  return findings;
}

/** Whether `schema` or what it refers to says that it is an object. */
function isObjects(
  schema: Json | undefined,
  protocol: Protocol,
  seen: ReadonlySet<Json> = new Set(),
): boolean {
  if (!isObject(schema) || seen.has(schema)) return false;
  if (schema.type !== undefined || typeof schema.$ref !== "string") return schema.type === "object";
  const target = targetOf(schema, protocol.definitions)?.schema;
  return isObjects(target, protocol, new Set([...seen, schema]));
}

/** Whether the pattern and the list of values that the envelope gives its discriminator, if any, let a type pass. */
function discriminatorTest({ envelope }: Protocol): (type: string) => boolean {
  const properties = isObject(envelope.schema.properties) ? envelope.schema.properties : {};
  const field = own(properties, envelope.discriminator);
  if (!isObject(field)) return () => true;
  const pattern = typeof field.pattern === "string" ? regex(field.pattern) : undefined;
  const text = [field.type ?? "string"].flat().includes("string");
  return (type) =>
    text &&
    (pattern === undefined || pattern.test(type)) &&
    listedValues(field).every(({ values }) => values.includes(type));
}

function regex(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined; // keyword-invalid has said so
  }
}

function lintShape(event: JsonObject, name: string, source: Source, placement: string): Finding[] {
  const keyed = placement === "keyed";
  const bodiless = keyed && event["x-payload-property"] === undefined;
  const describes = describesObjects(event) || event.type !== undefined || event.$ref !== undefined;
  if (bodiless && describes)
    return [
      errorFinding(
        "payload-property-missing",
        `The event ${name} describes a payload but does not say which property carries it.`,
        source.locate(""),
        'Add "x-payload-property", or leave out the payload for a kind that has none.',
      ),
    ];
  if (!keyed && event["x-payload-property"] !== undefined)
    return [
      errorFinding(
        "payload-property-misplaced",
        `x-payload-property belongs to keyed placement; here the payload is ${placement}.`,
        source.locate("/x-payload-property"),
        "Remove it.",
      ),
    ];
  if (!bodiless && event.type !== "object" && event.$ref === undefined)
    return [
      errorFinding(
        "payload-not-object",
        `The payload of ${name} must be an object: say "type": "object".`,
        source.locate(event.type === undefined ? "" : "/type"),
      ),
    ];
  return [];
}
