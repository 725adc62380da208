import type { Finding } from "../finding.js";
import { isObject, type Json, type JsonObject, join, own } from "../json.js";
import { CASES, eventName, pascalCase, payloadName, resourceName } from "../model/names.js";
import type { Protocol, Tombstone } from "../model/protocol.js";
import { walk } from "../model/walk.js";
import { lintExamples } from "./lint-examples.js";
import { lintRequired } from "./lint-required.js";
import type { Manifest, SchemaFile } from "./protocol.js";
import type { Source } from "./source.js";

/** A loaded protocol with the files it came from, for checks that need both. */
export interface LintInput {
  readonly manifest: Manifest;
  readonly manifestSource: Source;
  readonly files: readonly SchemaFile[];
  readonly protocol: Protocol;
}

/** Checks a protocol as a whole: names, texts, placement, tombstones, examples. */
export function lintProtocol(input: LintInput): Finding[] {
  return [
    ...lintTexts(input),
    ...lintCases(input),
    ...lintDuplicates(input),
    ...lintTypeNames(input),
    ...lintEnvelope(input),
    ...lintPlacement(input),
    ...lintTombstones(input),
    ...lintRequired(input),
    ...lintExamples(input),
  ];
}

function finding(rule: string, message: string, at: Finding["at"], hint?: string): Finding {
  return { rule, severity: "error", message, at, ...(hint !== undefined && { hint }) };
}

const isText = (value: Json | undefined): boolean => typeof value === "string" && value.trim() !== "";

/** Every event, the envelope and every resource has title and description, an event its stability, a field its description. */
function lintTexts({ files }: LintInput): Finding[] {
  const findings: Finding[] = [];
  for (const { kind, name, source } of files) {
    if (!isObject(source.document)) continue;
    const what = kind === "event" ? `The event ${name}` : `The ${kind} schema`;
    const wanted =
      kind === "shared" ? [] : ["title", "description", ...(kind === "event" ? ["x-stability"] : [])];
    for (const keyword of wanted)
      if (!isText(source.document[keyword]))
        findings.push(
          finding(`${keyword.replace("x-", "")}-missing`, `${what} has no ${keyword}.`, source.locate("")),
        );
    findings.push(...undescribed(source));
  }
  return findings;
}

function undescribed(source: Source): Finding[] {
  const findings: Finding[] = [];
  walk(source.document, (schema, pointer, keyword) => {
    if (
      keyword === "x-writer" ||
      !isObject(schema.properties) ||
      /\/(if|not|then|else|anyOf|allOf|oneOf)\//.test(`${pointer}/`)
    )
      return;
    for (const [name, field] of Object.entries(schema.properties)) {
      if (isObject(field) && (isText(field.description) || typeof field.$ref === "string")) continue;
      findings.push({
        ...finding(
          "description-missing",
          `The field ${JSON.stringify(name)} has no description.`,
          source.locateKey(join(pointer, "properties", name)),
        ),
        severity: "warning",
      });
    }
  });
  return findings;
}

/** Event types and field names are in the case that protocol.json documents. */
function lintCases({ manifest, files }: LintInput): Finding[] {
  const findings: Finding[] = [];
  const check = (kind: "event" | "field", name: string, at: Finding["at"]): void => {
    const style = manifest.naming?.[kind];
    if (style === undefined || CASES[style]?.test(name)) return;
    findings.push(
      finding(
        "name-case",
        `The ${kind === "event" ? "event type" : "field"} ${JSON.stringify(name)} is not in ${style}.`,
        at,
        `protocol.json documents ${style} for ${kind}s.`,
      ),
    );
  };
  for (const { kind, name, source } of files) {
    if (kind === "event") check("event", name, source.locate(""));
    walk(source.document, (schema, pointer) => {
      if (isObject(schema.properties))
        for (const field of Object.keys(schema.properties))
          check("field", field, source.locateKey(join(pointer, "properties", field)));
    });
  }
  return findings;
}

function lintDuplicates({ files }: LintInput): Finding[] {
  const first = new Map<string, SchemaFile>();
  const findings: Finding[] = [];
  for (const file of files.filter(({ kind }) => kind === "event")) {
    const other = first.get(file.name);
    if (other)
      findings.push(
        finding(
          "event-duplicate",
          `The event type ${JSON.stringify(file.name)} is defined twice; the other file is ${other.source.file}.`,
          file.source.locate(""),
          "Keep one of them.",
        ),
      );
    else first.set(file.name, file);
  }
  return findings;
}

/** Names that every types.ts declares for itself. */
const GENERATED_NAMES = [
  "EventType",
  "EventOf",
  "EventMap",
  "PayloadOf",
  "PayloadMap",
  "PayloadFields",
  "UnknownEvent",
  "Envelope",
];

/** No two things get the same TypeScript name. */
function lintTypeNames({ protocol }: LintInput): Finding[] {
  const owners = new Map(
    [...GENERATED_NAMES, `${pascalCase(protocol.name)}Event`].map((name) => [name, "the generated types"]),
  );
  const findings: Finding[] = [];
  const claim = (name: string, owner: string, at: Finding["at"]): void => {
    const taken = owners.get(name);
    if (taken === undefined) owners.set(name, owner);
    else if (taken !== owner)
      findings.push(
        finding(
          "type-name-collision",
          `${owner} and ${taken} both get the TypeScript name ${name}.`,
          at,
          "Rename one of them.",
        ),
      );
  };
  for (const { type, at } of protocol.events)
    for (const name of [eventName(type), payloadName(type)])
      claim(name, `the event ${JSON.stringify(type)}`, at);
  for (const { name, at } of protocol.resources)
    claim(resourceName(name), `the resource ${JSON.stringify(name)}`, at);
  const whole = new Set([
    "Envelope",
    ...protocol.events.map(({ type }) => payloadName(type)),
    ...protocol.resources.map(({ name }) => resourceName(name)),
  ]);
  for (const [name, { at }] of Object.entries(protocol.definitions))
    if (!whole.has(name) || at.pointer !== "") claim(name, `the definition at ${at.file}#${at.pointer}`, at);
  return findings;
}

/** The envelope declares and requires what protocol.json says about it. */
function lintEnvelope({ protocol, manifest, manifestSource }: LintInput): Finding[] {
  const { envelope, stream } = protocol;
  const properties = isObject(envelope.schema.properties) ? envelope.schema.properties : {};
  const required = Array.isArray(envelope.schema.required) ? envelope.schema.required : [];
  const findings: Finding[] = [];
  const declared = (name: string | undefined, pointer: string): void => {
    if (name !== undefined && !Object.hasOwn(properties, name))
      findings.push(
        finding(
          "envelope-field-missing",
          `protocol.json names the envelope field ${JSON.stringify(name)}, which envelope.schema.json does not declare.`,
          manifestSource.locate(pointer),
        ),
      );
  };
  declared(manifest.envelope.discriminator, "/envelope/discriminator");
  declared(manifest.envelope.payload.property, "/envelope/payload/property");
  stream?.key.forEach((name, i) => declared(name, `/stream/key/${i}`));
  for (const role of ["sequence", "id", "time"] as const) declared(stream?.[role], `/stream/${role}`);
  for (const name of [envelope.discriminator, envelope.property])
    if (name !== undefined && !required.includes(name))
      findings.push(
        finding(
          "envelope-field-optional",
          `The envelope must require ${JSON.stringify(name)}: without it no event can be told from another.`,
          envelope.at,
        ),
      );
  return findings;
}

/** Payload fields fit the placement, and the event type fits the discriminator's own schema. */
function lintPlacement({ protocol, files }: LintInput): Finding[] {
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
        finding(
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
              finding(
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
        finding(
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
  return isObject(field) && typeof field.pattern === "string" ? new RegExp(field.pattern, "u") : undefined;
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
      finding(
        "payload-property-missing",
        `The event ${name} describes a payload but does not say which property carries it.`,
        source.locate(""),
        'Add "x-payload-property", or leave out the payload for a kind that has none.',
      ),
    ];
  if (!keyed && event["x-payload-property"] !== undefined)
    return [
      finding(
        "payload-property-misplaced",
        `x-payload-property belongs to keyed placement; here the payload is ${placement}.`,
        source.locate("/x-payload-property"),
        "Remove it.",
      ),
    ];
  if (!bodiless && event.type !== "object" && event.$ref === undefined)
    return [
      finding(
        "payload-not-object",
        `The payload of ${name} must be an object: say "type": "object".`,
        source.locate(event.type === undefined ? "" : "/type"),
      ),
    ];
  return [];
}

/** No tombstoned name is in use. */
function lintTombstones({ protocol }: LintInput): Finding[] {
  return protocol.tombstones.flatMap((tombstone) =>
    protocol.events
      .filter((event) => isBuried(tombstone, event.type, event.payload))
      .map(({ type, at }) =>
        finding(
          "tombstone-reused",
          `${type} uses the ${tombstone.kind} name ${JSON.stringify(tombstone.name)}, which was withdrawn in ${tombstone.removedIn}: ${tombstone.reason}`,
          at,
          "Choose a new name; a withdrawn one must never mean anything else.",
        ),
      ),
  );
}

function isBuried({ kind, name, in: where }: Tombstone, type: string, payload: JsonObject): boolean {
  if (kind === "event") return name.endsWith(".*") ? type.startsWith(name.slice(0, -1)) : type === name;
  if (kind === "field" && (where === undefined || where === type))
    return isObject(payload.properties) && Object.hasOwn(payload.properties, name);
  return false;
}
