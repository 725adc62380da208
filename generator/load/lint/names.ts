import { createErrorFinding, type Finding } from "../../finding.js";
import { isObject, joinPointer } from "../../json.js";
import {
  deriveEventName,
  derivePayloadName,
  deriveResourceName,
  deriveUnionName,
  LETTER_CASES,
} from "../../protocol/names.js";
import { listSchemas } from "../../schema/read-files.js";
import { locateEventType, readEventType, type SchemaFile } from "../folder.js";
import type { LintInput } from "./input.js";

/** Reports event types and fields with another letter case than protocol.json documents. */
export function lintCases({ manifest, files }: LintInput): Finding[] {
  const findings: Finding[] = [];
  const checkCase = (kind: "event" | "field", name: string, at: () => Finding["at"]): void => {
    const style = manifest.naming?.[kind];
    if (style === undefined || LETTER_CASES[style]?.test(name)) return;
    findings.push(
      createErrorFinding(
        "name-case",
        `The ${kind === "event" ? "event type" : "field"} ${JSON.stringify(name)} is not in ${style}.`,
        at(),
        `protocol.json documents ${style} for ${kind}s.`,
      ),
    );
  };
  for (const file of files) {
    const { kind, source } = file;
    if (kind === "event") checkCase("event", readEventType(file), () => locateEventType(file));
    const key = isObject(source.document) ? source.document["x-payload-property"] : undefined;
    if (typeof key === "string") checkCase("field", key, () => source.locate("/x-payload-property"));
    for (const { schema, pointer } of listSchemas(source))
      if (isObject(schema.properties))
        for (const field of Object.keys(schema.properties))
          checkCase("field", field, () => source.locateKey(joinPointer(pointer, "properties", field)));
  }
  return findings;
}

/** Reports event types that two files define. */
export function lintDuplicates({ files }: Pick<LintInput, "files">): Finding[] {
  const first = new Map<string, SchemaFile>();
  const findings: Finding[] = [];
  for (const file of files.filter(({ kind }) => kind === "event")) {
    const type = readEventType(file);
    const other = first.get(type);
    if (other)
      findings.push(
        createErrorFinding(
          "event-duplicate",
          `The event type ${JSON.stringify(type)} is defined twice; the other file is ${other.source.file}.`,
          locateEventType(file),
          "Keep one of them.",
        ),
      );
    else first.set(type, file);
  }
  return findings;
}

/** Names that generated modules declare or take from TypeScript, so that no definition can have them. */
export const GENERATED_NAMES = [
  "EventType",
  "EventOf",
  "EventMap",
  "PayloadOf",
  "PayloadMap",
  "PayloadFields",
  "UnknownEvent",
  "Envelope",
  "Required",
  "Pick",
  "DecodeEvent",
  "DecodeResult",
  "EventMetadata",
  "Issue",
  "Profile",
  "Validator",
];

/** Reports definitions that get the same name in TypeScript. */
export function lintTypeNames({ protocol }: LintInput): Finding[] {
  const owners = new Map(GENERATED_NAMES.map((name) => [name, "the generated types"]));
  const findings: Finding[] = [];
  const claim = (name: string, owner: string, at: Finding["at"]): void => {
    const taken = owners.get(name);
    if (taken === undefined) owners.set(name, owner);
    else if (taken !== owner)
      findings.push(
        createErrorFinding(
          "type-name-collision",
          `${owner} and ${taken} both get the TypeScript name ${name}.`,
          at,
          "Rename one of them.",
        ),
      );
  };
  claim(
    deriveUnionName(protocol.name),
    `the protocol ${JSON.stringify(protocol.name)}`,
    protocol.envelope.at,
  );
  const wholeFiles = new Map([["Envelope", protocol.envelope.at.file]]);
  for (const event of protocol.events) {
    const { type, at } = event;
    const owner = `the event ${JSON.stringify(type)}`;
    const payloadName = derivePayloadName(event);
    claim(deriveEventName(event), owner, at);
    claim(payloadName, owner, at);
    owners.set(`${payloadName}Fields`, owner);
    wholeFiles.set(payloadName, at.file);
  }
  for (const { name, at } of protocol.resources) {
    claim(deriveResourceName(name), `the resource ${JSON.stringify(name)}`, at);
    wholeFiles.set(deriveResourceName(name), at.file);
  }
  for (const [name, { at }] of Object.entries(protocol.definitions))
    if (wholeFiles.get(name) !== at.file || at.pointer !== "")
      claim(name, `the definition at ${at.file}#${at.pointer}`, at);
  return findings;
}
