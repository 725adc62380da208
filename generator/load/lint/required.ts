import type { Finding } from "../../finding.js";
import { isObject, type Json, type JsonObject, join, own } from "../../json.js";
import { family } from "../../model/close.js";
import type { Schema } from "../../model/protocol.js";
import { subschemas } from "../../model/walk.js";
import type { LintInput } from "./input.js";

/** Every required field of an object that gets closed for writers is declared; a misspelt one could never be sent. */
export function lintRequired({ protocol, files }: LintInput): Finding[] {
  const findings: Finding[] = [];
  const find = (reference: string): Schema =>
    own(protocol.definitions, reference.replace("#/$defs/", ""))?.schema ?? true;
  const roots = new Map(files.map(({ kind, name, source }) => [`${kind}:${name}`, source]));
  for (const { type, payload } of protocol.events) {
    const source = roots.get(`event:${type}`);
    const reserved = new Set(
      protocol.envelope.placement === "inline" ? Object.keys(propertiesOf(protocol.envelope.schema)) : [],
    );
    for (const { name, pointer } of undeclared(payload, find))
      if (source && !reserved.has(name))
        findings.push({
          rule: "required-undeclared",
          severity: "error",
          message: `${type} requires ${JSON.stringify(name)} but declares no such field.`,
          at: source.locate(pointer),
          hint: "Declare the field, or mend the spelling.",
        });
  }
  return findings;
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

function undeclared(
  root: JsonObject,
  find: (reference: string) => Schema,
): { name: string; pointer: string }[] {
  const found: { name: string; pointer: string }[] = [];
  const visit = (schema: Json, pointer: string, declared: ReadonlySet<string> | undefined): void => {
    if (!isObject(schema)) return;
    const names = declared ?? declaredBy(schema, find);
    if (names && Array.isArray(schema.required))
      for (const [index, name] of schema.required.entries())
        if (!names.has(String(name)))
          found.push({ name: String(name), pointer: join(pointer, "required", index) });
    for (const sub of subschemas(schema, pointer)) {
      const inPlace = ["allOf", "anyOf", "oneOf", "then", "else"].includes(sub.keyword);
      if (
        inPlace ? names : ["properties", "items", "prefixItems", "additionalProperties"].includes(sub.keyword)
      )
        visit(sub.schema, sub.pointer, inPlace ? names : undefined);
    }
  };
  visit(root, "", undefined);
  return found;
}

/** The field names that an object's family declares, or undefined if it is open or a map. */
function declaredBy(schema: JsonObject, find: (reference: string) => Schema): Set<string> | undefined {
  const members = family(schema, find);
  const open = ["additionalProperties", "unevaluatedProperties", "patternProperties"];
  if (
    members.some((member) =>
      open.some((keyword) => member[keyword] !== undefined && member[keyword] !== false),
    )
  )
    return undefined;
  return new Set(members.flatMap((member) => Object.keys(propertiesOf(member))));
}
