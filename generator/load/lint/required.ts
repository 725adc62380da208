import { errorFinding, type Finding } from "../../finding.js";
import { isObject, type JsonObject } from "../../json.js";
import { envelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import { BRANCHES, below, type Part, type SchemaNode, statements } from "../../schema/describe.js";
import { keywordsWhere } from "../../schema/keywords.js";
import { declaredFields, describeFamily, takesOtherFields } from "../../schema/object-family.js";
import { subschemas } from "../../schema/walk.js";
import { type LintInput, locateIn } from "./input.js";

/** Keywords whose schemas describe values inside this one. */
const INNER_VALUES = keywordsWhere(
  ({ subject, monotone }, name) =>
    (subject === "property" || subject === "item") && monotone === true && !name.startsWith("unevaluated"),
);

/** Reports required fields that are not declared, in objects that are closed for writers: nobody could send them. */
export function lintRequired(input: LintInput): Finding[] {
  const { envelope, events, resources } = input.protocol;
  // The envelope is open for the fields of payloads, and still has to declare its own.
  const { additionalProperties: _open, ...closed } = envelope.schema;
  const beside = envelope.placement === "inline" ? Object.keys(envelopeFields(envelope)) : [];
  const found = new Map<string, SchemaNode>();
  const visited = new Set<string>();
  const visit = (schema: JsonObject, at: Place, others: readonly string[] = []): void => {
    const id = idOf(at);
    if (visited.has(id) || isLeaf(schema)) return;
    visited.add(id);
    const { parts, undeclared } = checkObject(schema, at, others, input.protocol);
    for (const spot of undeclared) found.set(idOf(spot), spot);
    for (const part of parts)
      for (const { keyword, schema: inner, pointer } of subschemas(part.schema, part.pointer))
        if (INNER_VALUES.has(keyword) && isObject(inner)) visit(inner, { file: part.file, pointer });
  };
  visit(closed, envelope.at);
  for (const { payload, at } of events) visit(payload, at, beside);
  for (const { schema, at } of resources) visit(schema, at);
  return [...found.values()].map((spot) =>
    errorFinding(
      "required-undeclared",
      `The field ${JSON.stringify(spot.schema)} is required but not declared.`,
      locateIn(input, spot),
      "Declare the field, or correct the spelling.",
    ),
  );
}

type Place = Pick<SchemaNode, "file" | "pointer">;

function idOf({ file, pointer }: Place): string {
  return `${file}#${pointer}`;
}

/** Returns whether `schema` neither requires fields nor holds or refers to another schema. Most schemas are of this kind. */
function isLeaf(schema: JsonObject): boolean {
  return schema.required === undefined && schema.$ref === undefined && subschemas(schema).length === 0;
}

/** Returns the schemas that apply to the object, and each required name that neither they nor `others` declare. */
function checkObject(
  schema: JsonObject,
  at: Place,
  others: readonly string[],
  { definitions }: Protocol,
): { readonly parts: readonly Part[]; readonly undeclared: readonly SchemaNode[] } {
  const members = describeFamily(schema, definitions, at, BRANCHES);
  // Anything that is not a name is another finding.
  const required = statements(members, "required").flatMap(({ value, spot }) =>
    Array.isArray(value) ? value.map((name, index) => below(spot, name, index)) : [],
  );
  if (required.length === 0) return { parts: members.parts, undeclared: [] };
  const family = describeFamily(schema, definitions, at);
  const declared = new Set<unknown>([...others, ...declaredFields(family)]);
  const isUndeclared = ({ schema: name }: SchemaNode): boolean =>
    typeof name === "string" && !declared.has(name);
  return { parts: members.parts, undeclared: takesOtherFields(family) ? [] : required.filter(isUndeclared) };
}
