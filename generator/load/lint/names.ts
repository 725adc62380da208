import { errorFinding, type Finding } from "../../finding.js";
import { isObject, join } from "../../json.js";
import { CASES, eventName, pascalCase, payloadName, resourceName } from "../../model/names.js";
import { walk } from "../../model/walk.js";
import type { SchemaFile } from "../folder.js";
import type { LintInput } from "./input.js";

/** Event types and field names are in the case that protocol.json documents. */
export function lintCases({ manifest, files }: LintInput): Finding[] {
  const findings: Finding[] = [];
  const check = (kind: "event" | "field", name: string, at: Finding["at"]): void => {
    const style = manifest.naming?.[kind];
    if (style === undefined || CASES[style]?.test(name)) return;
    findings.push(
      errorFinding(
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

export function lintDuplicates({ files }: LintInput): Finding[] {
  const first = new Map<string, SchemaFile>();
  const findings: Finding[] = [];
  for (const file of files.filter(({ kind }) => kind === "event")) {
    const other = first.get(file.name);
    if (other)
      findings.push(
        errorFinding(
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
export function lintTypeNames({ protocol }: LintInput): Finding[] {
  const owners = new Map(
    [...GENERATED_NAMES, `${pascalCase(protocol.name)}Event`].map((name) => [name, "the generated types"]),
  );
  const findings: Finding[] = [];
  const claim = (name: string, owner: string, at: Finding["at"]): void => {
    const taken = owners.get(name);
    if (taken === undefined) owners.set(name, owner);
    else if (taken !== owner)
      findings.push(
        errorFinding(
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
