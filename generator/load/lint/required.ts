import { createErrorFinding, type Finding } from "../../finding.js";
import { isObject, type JsonObject } from "../../json.js";
import { didYouMean } from "../../nearest.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import { BRANCHES, createSpotBelow, listStatements, type Part, type Spot } from "../../schema/describe.js";
import { filterKeywords } from "../../schema/keywords.js";
import { acceptsOtherFields, collectDeclaredFields, describeFamily } from "../../schema/object-family.js";
import { findTarget } from "../../schema/reference.js";
import { listSubschemas } from "../../schema/walk.js";
import { type LintInput, locateInFiles } from "./input.js";

/** Keywords whose schemas describe properties or items of a value. */
const CHILD_KEYWORDS = filterKeywords(
  ({ subject, monotone }, name) =>
    (subject === "property" || subject === "item") && monotone === true && !name.startsWith("unevaluated"),
);

/** Reports required fields that are not declared, in objects that are closed for writers: nobody could send them. */
export function lintRequired(input: LintInput): Finding[] {
  const { envelope, events, resources } = input.protocol;
  // The envelope is open for the fields of payloads, but must declare its own fields.
  const { additionalProperties: _open, ...envelopeSchema } = envelope.schema;
  const envelopeNames = envelope.placement === "inline" ? Object.keys(getEnvelopeFields(envelope)) : [];
  const found = new Map<string, Spot>();
  /** The names that are declared beside each undeclared one. */
  const declared = new Map<Spot, readonly string[]>();
  const visited = new Set<string>();
  const visit = (schema: JsonObject, at: PlaceInFile, otherNames: readonly string[] = []): void => {
    if (isLeaf(schema)) return;
    const id = createPlaceId(at);
    if (visited.has(id)) return;
    visited.add(id);
    if (otherNames.length === 0 && isOnlyReference(schema)) {
      const target = findTarget(schema, input.protocol.definitions);
      if (isObject(target?.schema)) visit(target.schema, target.at);
      return;
    }
    const { parts, undeclared } = checkObject(schema, at, otherNames, input.protocol);
    for (const spot of undeclared) {
      found.set(createPlaceId(spot), spot);
      declared.set(spot, isObject(schema.properties) ? Object.keys(schema.properties) : []);
    }
    for (const part of parts)
      for (const { keyword, schema: child, pointer } of listSubschemas(part.schema, part.pointer))
        if (CHILD_KEYWORDS.has(keyword) && isObject(child)) visit(child, { file: part.file, pointer });
  };
  visit(envelopeSchema, envelope.at);
  for (const { payload, at } of events) visit(payload, at, envelopeNames);
  for (const { schema, at } of resources) visit(schema, at);
  return [...found.values()].map((spot) =>
    createErrorFinding(
      "required-undeclared",
      `The field ${JSON.stringify(spot.schema)} is required but not declared${didYouMean(String(spot.schema), declared.get(spot) ?? [])}`,
      locateInFiles(input, spot),
      "Declare the field, or correct the spelling.",
    ),
  );
}

type PlaceInFile = Pick<Spot, "file" | "pointer">;

function createPlaceId({ file, pointer }: PlaceInFile): string {
  return `${file}#${pointer}`;
}

/** Keywords that require fields, or that hold or refer to another schema. */
const INNER_KEYWORDS = filterKeywords(
  ({ holds }, name) => holds !== undefined || name === "required" || name === "$ref",
);

/** Returns whether `schema` neither requires fields nor holds or refers to another schema. Most schemas are of this kind. */
function isLeaf(schema: JsonObject): boolean {
  return !Object.keys(schema).some((keyword) => INNER_KEYWORDS.has(keyword));
}

const ANNOTATIONS = filterKeywords(({ facet, holds }) => facet === "annotations" && holds === undefined);

/** Returns whether `schema` consists of a reference and of annotations only. */
function isOnlyReference(schema: JsonObject): boolean {
  return Object.keys(schema).every((keyword) => keyword === "$ref" || ANNOTATIONS.has(keyword));
}

/** Returns the schemas that apply to the object, and each required name that is not in `otherNames` and that none of them declares. */
function checkObject(
  schema: JsonObject,
  at: PlaceInFile,
  otherNames: readonly string[],
  { definitions }: Protocol,
): { readonly parts: readonly Part[]; readonly undeclared: readonly Spot[] } {
  const members = describeFamily(schema, definitions, at, BRANCHES);
  // The rule keyword-invalid reports everything that is not a name.
  const required = listStatements(members, "required").flatMap(({ value, spot }) =>
    Array.isArray(value) ? value.map((name, index) => createSpotBelow(spot, name, index)) : [],
  );
  const missing = required.filter(
    ({ schema: name }) => typeof name === "string" && !otherNames.includes(name),
  );
  const undeclared = removeDeclared(missing, members);
  if (undeclared.length === 0) return { parts: members.parts, undeclared };
  // Conditions may declare fields, too.
  const family = describeFamily(schema, definitions, at);
  return {
    parts: members.parts,
    undeclared: acceptsOtherFields(family) ? [] : removeDeclared(undeclared, family),
  };
}

function removeDeclared(names: readonly Spot[], family: ReturnType<typeof describeFamily>): readonly Spot[] {
  if (names.length === 0) return names;
  const declared: ReadonlySet<unknown> = collectDeclaredFields(family);
  return names.filter(({ schema: name }) => !declared.has(name));
}
