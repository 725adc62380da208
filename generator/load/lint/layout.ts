import { errorFinding, type Finding } from "../../finding.js";
import { isObject, type JsonObject, join, own } from "../../json.js";
import type { Protocol } from "../../model/protocol.js";
import { walk } from "../../model/walk.js";
import type { Source } from "../source.js";
import type { LintInput } from "./input.js";

/** The envelope declares and requires what protocol.json says about it. */
export function lintEnvelope({ protocol, manifest, manifestSource }: LintInput): Finding[] {
  const { envelope, stream } = protocol;
  const properties = isObject(envelope.schema.properties) ? envelope.schema.properties : {};
  const required = Array.isArray(envelope.schema.required) ? envelope.schema.required : [];
  const findings: Finding[] = [];
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

/** Payload fields fit the placement, and the event type fits the discriminator's own schema. */
export function lintPlacement({ protocol, files }: LintInput): Finding[] {
  const { envelope } = protocol;
  const findings: Finding[] = [];
  const envelopeFields = new Set(
    Object.keys(isObject(envelope.schema.properties) ? envelope.schema.properties : {}),
  );
  const pattern = discriminatorPattern(protocol);
  for (const { kind, name, source } of files) {
    if (kind !== "event" || !isObject(source.document)) continue;
    const event = source.document;
    if (pattern && !pattern.test(name))
      findings.push(
        errorFinding(
          "event-type-invalid",
          `The event type ${JSON.stringify(name)} is refused by the envelope's own pattern for ${envelope.discriminator}.`,
          source.locate(""),
          "The file name is the event type.",
        ),
      );
    findings.push(...lintShape(event, name, source, envelope.placement));
    if (envelope.placement === "inline")
      walk(event, (schema, pointer, keyword) => {
        if (
          (keyword !== undefined && !["allOf", "anyOf", "oneOf", "then", "else"].includes(keyword)) ||
          !isObject(schema.properties)
        )
          return;
        for (const field of Object.keys(schema.properties))
          if (envelopeFields.has(field))
            findings.push(
              errorFinding(
                "field-reserved",
                `The payload field ${JSON.stringify(field)} takes the name of an envelope field.`,
                source.locateKey(join(pointer, "properties", field)),
                "Payload and envelope fields lie in one object here; choose another name.",
              ),
            );
      });
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
  return findings;
}

function discriminatorPattern({ envelope }: Protocol): RegExp | undefined {
  const properties = isObject(envelope.schema.properties) ? envelope.schema.properties : {};
  const field = own(properties, envelope.discriminator);
  if (!isObject(field) || typeof field.pattern !== "string") return undefined;
  try {
    return new RegExp(field.pattern, "u");
  } catch {
    return undefined; // keyword-invalid has said so
  }
}

function lintShape(event: JsonObject, name: string, source: Source, placement: string): Finding[] {
  const keyed = placement === "keyed";
  const bodiless = keyed && event["x-payload-property"] === undefined;
  const fields =
    event.properties !== undefined ||
    event.type !== undefined ||
    event.$ref !== undefined ||
    event.required !== undefined;
  if (bodiless && fields)
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
