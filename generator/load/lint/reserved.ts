import { errorFinding, type Finding, type Location } from "../../finding.js";
import { isObject, type Json, join } from "../../json.js";
import { IN_PLACE } from "../../schema/keywords.js";
import { targetOf } from "../../schema/reference.js";
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
      if (IN_PLACE.has(keyword)) visit(below, at, there);
    const target = targetOf(schema, definitions);
    if (target) visit(target.schema, target.at, target.at.pointer);
  };
  if (envelope.placement === "inline") for (const { payload, at } of events) visit(payload, at, "");
  return findings;
}

function reservedField(field: string, at: Location): Finding {
  return errorFinding(
    "field-reserved",
    `The payload field ${JSON.stringify(field)} takes the name of an envelope field.`,
    at,
    "Payload and envelope fields lie in one object here; choose another name.",
  );
}
