import { errorFinding, type Finding, type Location } from "../../finding.js";
import { isObject, type Json, join, own } from "../../json.js";
import { KEYWORDS } from "../../schema/keywords.js";
import { subschemas } from "../../schema/walk.js";
import type { LintInput } from "./input.js";

/** Under inline placement no payload field takes an envelope field's name, in no branch and through no reference. */
export function lintReserved({ protocol, files }: LintInput): Finding[] {
  const { envelope, events, definitions } = protocol;
  const reserved = isObject(envelope.schema.properties) ? envelope.schema.properties : {};
  const sources = new Map(files.map(({ source }) => [source.file, source]));
  const findings: Finding[] = [];
  const seen = new Set<Json>();
  const visit = (schema: Json | undefined, at: Location, pointer: string): void => {
    if (!isObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    for (const field of Object.keys(isObject(schema.properties) ? schema.properties : {}))
      if (Object.hasOwn(reserved, field)) {
        const place = join(pointer, "properties", field);
        findings.push(reservedField(field, sources.get(at.file)?.locateKey(place) ?? at));
      }
    for (const { keyword, schema: below, pointer: there } of subschemas(schema, pointer))
      if (DECLARING.has(keyword)) visit(below, at, there);
    const target = definitionOf(schema.$ref);
    if (target) visit(target.schema, target.at, target.at.pointer);
  };
  const definitionOf = (reference: Json | undefined) =>
    typeof reference === "string" ? own(definitions, reference.replace("#/$defs/", "")) : undefined;
  if (envelope.placement === "inline") for (const { payload, at } of events) visit(payload, at, "");
  return findings;
}

/** Keywords whose subschemas say more about the same object; `if` and `not` only ask. */
const DECLARING = new Set(
  [...KEYWORDS].flatMap(([name, { inPlace }]) =>
    inPlace && !["if", "not", "x-writer"].includes(name) ? [name] : [],
  ),
);

function reservedField(field: string, at: Location): Finding {
  return errorFinding(
    "field-reserved",
    `The payload field ${JSON.stringify(field)} takes the name of an envelope field.`,
    at,
    "Payload and envelope fields lie in one object here; choose another name.",
  );
}
