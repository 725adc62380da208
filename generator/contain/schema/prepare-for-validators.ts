/**
 * Rewrites a document so that both validators can read it, without a change of meaning. It writes the URI of the dialect in
 * its usual form, and asserted formats as patterns. It removes definitions to which no reference leads and, up to draft-07,
 * keywords beside a `$ref` to which no reference leads.
 */
import { createObject, getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { type Dialect, hidesSiblings, isAtLeast, SCHEMA_URI } from "../../schema/dialects.js";
import { getFormatPattern } from "../../schema/formats.js";
import { isKeywordOf } from "../../schema/keywords.js";
import {
  decodeFragment,
  type Library,
  listDirectSubschemas,
  type SchemaPlace,
} from "../../schema/resolve.js";
import { rewriteSchemas } from "./rewrite-schemas.js";

/** The library that holds the document, and how the document was compiled. */
export interface DocumentContext {
  readonly library: Library;
  readonly dialect: Dialect;
  readonly assertFormats: boolean;
  /** Returns whether the meaning of the document depends on this schema. */
  readonly isReached: (schema: JsonObject) => boolean;
  /** The schemas of properties that no value has; absent if values may have any property. */
  readonly ignored?: ReadonlySet<Json>;
}

const NONE: ReadonlySet<Json> = new Set();

/** Returns the document for the validators. `root` is its place in the library. */
export function prepareForValidators(document: Json, root: SchemaPlace, context: DocumentContext): Json {
  const unused = new Set<Json>(listUnusedDefinitions(root, context));
  const { ignored = NONE } = context;
  const usedDocument =
    unused.size + ignored.size === 0 ? document : removeSchemas(document, { unused, ignored });
  return rewriteSchemas(usedDocument, context.dialect, (schema, dialect) => {
    const plain = addMissingBranches(
      removeHiddenSiblings(normalizeSpelling(schema, dialect), dialect),
      dialect,
    );
    return context.assertFormats ? addFormatPattern(plain) : plain;
  });
}

/** Writes the URI of the dialect, and references, in the forms that validators know. */
function normalizeSpelling(schema: JsonObject, dialect: Dialect): JsonObject {
  const { $schema, $ref } = schema;
  return {
    ...schema,
    ...(typeof $schema === "string" && {
      $schema: SCHEMA_URI[dialect] + (isAtLeast(dialect, "2019-09") ? "" : "#"),
    }),
    ...(typeof $ref === "string" && { $ref: encodeReference($ref) }),
  };
}

/** Decodes the characters of a reference outside of ASCII, and encodes the ASCII characters that a URI cannot contain. */
function encodeReference(reference: string): string {
  const decodedReference = reference.replace(/(?:%[89a-f][0-9a-f])+/gi, decodeFragment);
  return decodedReference.replace(/[ "<>^`{|}]/g, encodeURIComponent);
}

/**
 * Removes the keywords that a `$ref` hides up to draft-07. Keeps definitions and undefined keywords, because references may
 * lead to schemas in them.
 */
function removeHiddenSiblings(schema: JsonObject, dialect: Dialect): JsonObject {
  const { $ref, $schema } = schema;
  if ($ref === undefined || !hidesSiblings(schema, dialect)) return schema;
  const remainingEntries = Object.entries(schema).filter(
    ([keyword]) => keyword === "definitions" || !isKeywordOf(dialect, keyword),
  );
  const statedDialect = $schema !== undefined && { $schema };
  if (remainingEntries.length === 0) return { ...statedDialect, $ref };
  return { ...createObject(remainingEntries), ...statedDialect, allOf: [{ $ref }] };
}

/** Adds missing branches to an `if`. An `if` evaluates locations, but Ajv ignores it unless a branch has a keyword. */
function addMissingBranches(schema: JsonObject, dialect: Dialect): JsonObject {
  if (schema.if === undefined || !isAtLeast(dialect, "2019-09")) return schema;
  const anySchema = { not: false };
  return { ...schema, then: schema.then ?? anySchema, else: schema.else ?? anySchema };
}

/** Adds the pattern of the format, so that the validators assert the same. */
function addFormatPattern(schema: JsonObject): JsonObject {
  const format = getOwn(schema, "format");
  const pattern = typeof format === "string" ? getFormatPattern(format) : undefined;
  if (pattern === undefined) return schema;
  const all = getOwn(schema, "allOf");
  return { ...schema, allOf: [...(Array.isArray(all) ? all : []), { pattern }] };
}

/** Yields the definitions to which no reference leads. Validators would refuse them if they hold an unresolved reference. */
function* listUnusedDefinitions(place: SchemaPlace, context: DocumentContext): Generator<JsonObject> {
  const { schema, resource } = place;
  if (!isObject(schema)) return;
  const definitions = new Set(
    [schema.$defs, schema.definitions].flatMap((map) => (isObject(map) ? Object.values(map) : [])),
  );
  for (const child of listDirectSubschemas(schema, resource.dialect)) {
    if (!isObject(child)) continue;
    if (definitions.has(child) && !isReachedInside(child, context)) yield child;
    else yield* listUnusedDefinitions(context.library.getPlace(child, place), context);
  }
}

/** Returns whether a reference leads to this value or into it. A dynamic reference may lead to any dynamic anchor. */
export function isReachedInside(value: Json, context: DocumentContext): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isObject(value) && (context.isReached(value) || Object.hasOwn(value, "$dynamicAnchor"))) return true;
  return Object.values(value).some((each) => isReachedInside(each, context));
}

/** Removes unused schemas, and writes `true` in place of ignored ones. */
function removeSchemas(
  value: Json,
  dropped: { readonly unused: ReadonlySet<Json>; readonly ignored: ReadonlySet<Json> },
): Json {
  if (dropped.ignored.has(value)) return true;
  if (Array.isArray(value)) return value.map((item) => removeSchemas(item, dropped));
  if (!isObject(value)) return value;
  const remainingEntries = Object.entries(value).filter(([, child]) => !dropped.unused.has(child));
  return createObject(remainingEntries.map(([key, child]) => [key, removeSchemas(child, dropped)]));
}
