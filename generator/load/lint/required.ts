import { errorFinding, type Finding, type Location } from "../../finding.js";
import { isObject, type Json, type JsonObject, join } from "../../json.js";
import { IN_PLACE, keywordsWhere } from "../../schema/keywords.js";
import { declaredFields, describeFamily, takesOtherFields } from "../../schema/object-family.js";
import { type Definitions, targetOf } from "../../schema/reference.js";
import { subschemas } from "../../schema/walk.js";
import type { LintInput } from "./input.js";

/** What an object's family declares; any field at all if it is open or a map. */
type Fields = ReadonlySet<string> | "any";

interface Undeclared {
  readonly name: string;
  readonly file: string;
  readonly pointer: string;
}

/** Every required field of an object that gets closed for writers is declared; a misspelt one could never be sent. */
export function lintRequired({ protocol, files }: LintInput): Finding[] {
  const { envelope, events, resources, definitions } = protocol;
  const sources = new Map(files.map(({ source }) => [source.file, source]));
  const envelopeFields = Object.keys(propertiesOf(envelope.schema));
  const beside = envelope.placement === "inline" ? envelopeFields : [];
  const found = new Map<string, Undeclared>();
  const { visit } = visitor(definitions, (fault) => found.set(`${fault.file}#${fault.pointer}`, fault));
  visit(envelope.schema, envelope.at, () => new Set(envelopeFields));
  for (const { payload, at } of events)
    visit(
      payload,
      at,
      once(() => fieldsOf(payload, at, definitions, beside)),
    );
  for (const { schema, at } of resources) visit(schema, at);
  return [...found.values()].map(({ name, file, pointer }) =>
    errorFinding(
      "required-undeclared",
      `The field ${JSON.stringify(name)} is required but not declared.`,
      sources.get(file)?.locate(pointer) ?? { file, pointer },
      "Declare the field, or correct the spelling.",
    ),
  );
}

/** Walks values and, with the fields of the whole, their in-place parts; references are followed. */
function visitor(definitions: Definitions, report: (fault: Undeclared) => void) {
  const values = new Set<Json>();
  // `trail` holds the parts above in the same whole: a reference may lead back to one of them.
  const visit = (
    schema: Json,
    at: Pick<Location, "file" | "pointer">,
    whole?: () => Fields,
    trail: readonly Json[] = [],
  ): void => {
    if (!isObject(schema) || trail.includes(schema)) return;
    if (whole === undefined && values.has(schema)) return;
    if (whole === undefined) values.add(schema);
    const parts = [...trail, schema];
    const fields = whole ?? once(() => fieldsOf(schema, at, definitions));
    for (const [index, name] of namesIn(schema.required))
      if (!declares(fields(), name))
        report({ name, file: at.file, pointer: join(at.pointer, "required", index) });
    for (const { keyword, schema: below, pointer } of subschemas(schema, at.pointer))
      if (IN_PLACE.has(keyword)) visit(below, { file: at.file, pointer }, fields, parts);
      else if (VALUES.has(keyword)) visit(below, { file: at.file, pointer });
    const target = targetOf(schema, definitions);
    if (target) visit(target.schema, target.at, fields, parts);
  };
  return { visit };
}

/** Most values require nothing, and what they declare is never asked for. */
function once(make: () => Fields): () => Fields {
  let made: Fields | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function declares(fields: Fields, name: string): boolean {
  return fields === "any" || fields.has(name);
}

/** Keywords whose schemas describe values inside this one. */
const VALUES = keywordsWhere(
  ({ subject, monotone }, name) =>
    (subject === "property" || subject === "item") && monotone === true && !name.startsWith("unevaluated"),
);

function namesIn(required: Json | undefined): [number, string][] {
  // What is no name is another finding, and an object need not have a text.
  const entries = Array.isArray(required) ? [...required.entries()] : [];
  return entries.flatMap(([i, name]): [number, string][] => (typeof name === "string" ? [[i, name]] : []));
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

function fieldsOf(
  schema: JsonObject,
  at: Location,
  definitions: Definitions,
  beside: readonly string[] = [],
): Fields {
  const family = describeFamily(schema, definitions, at);
  return takesOtherFields(family) ? "any" : new Set([...beside, ...declaredFields(family)]);
}
