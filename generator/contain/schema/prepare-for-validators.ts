/**
 * Rewrites a document so that both validators can read it, without a change of meaning: the dialect in its usual spelling,
 * asserted formats as patterns, keywords beside a `$ref` (up to draft-07) only where references may lead to them, and
 * without unused definitions whose references lead nowhere.
 */
import { isObject, type Json, type JsonObject, objectFrom, own } from "../../json.js";
import { type Dialect, hidesSiblings, SCHEMA_URI, since } from "../../schema/dialects.js";
import { formatPattern } from "../../schema/formats.js";
import { defines } from "../../schema/keywords.js";
import { decode, directSubschemas, type Library, type Place } from "../../schema/resolve.js";
import { Unsupported } from "../budget.js";
import { rewriteSchemas } from "./rewrite-schemas.js";

interface DocumentContext {
  readonly library: Library;
  readonly dialect: Dialect;
  readonly assertFormats: boolean;
  /** Whether the meaning of the document depends on this schema. */
  readonly isReached: (schema: JsonObject) => boolean;
}

/** The document for the validators. `root` is its place in the library. */
export function prepareForValidators(document: Json, root: Place, context: DocumentContext): Json {
  const unusable = new Set(deadDefinitions(root, context));
  const used = unusable.size === 0 ? document : without(document, unusable);
  return rewriteSchemas(used, context.dialect, (schema, dialect) => {
    const plain = withBranches(withoutSiblings(withUsualSpelling(schema, dialect), dialect), dialect);
    return context.assertFormats ? spellFormat(plain) : plain;
  });
}

/** Validators know one spelling of a dialect only, and want references percent-encoded in ASCII only. */
function withUsualSpelling(schema: JsonObject, dialect: Dialect): JsonObject {
  const { $schema, $ref } = schema;
  return {
    ...schema,
    ...(typeof $schema === "string" && {
      $schema: SCHEMA_URI[dialect] + (since(dialect, "2019-09") ? "" : "#"),
    }),
    ...(typeof $ref === "string" && { $ref: encodeReference($ref) }),
  };
}

function encodeReference(reference: string): string {
  const plain = reference.replace(/(?:%[89a-f][0-9a-f])+/gi, decode);
  return plain.replace(/[ "<>^`{|}]/g, encodeURIComponent);
}

/** Up to draft-07 a `$ref` hides its siblings; definitions, and keywords that are not defined, may hold its target. */
function withoutSiblings(schema: JsonObject, dialect: Dialect): JsonObject {
  const { $ref, $schema } = schema;
  if ($ref === undefined || !hidesSiblings(schema, dialect)) return schema;
  const kept = Object.entries(schema).filter(
    ([keyword]) => keyword === "definitions" || !defines(dialect, keyword),
  );
  const dialectOnly = $schema !== undefined && { $schema };
  if (kept.length === 0) return { ...dialectOnly, $ref };
  return { ...objectFrom(kept), ...dialectOnly, allOf: [{ $ref }] };
}

/** An `if` evaluates locations even where no branch follows; Ajv does so only where a branch has a keyword. */
function withBranches(schema: JsonObject, dialect: Dialect): JsonObject {
  if (schema.if === undefined || !since(dialect, "2019-09")) return schema;
  const anything = { not: false };
  return { ...schema, then: schema.then ?? anything, else: schema.else ?? anything };
}

/** A format as the pattern that it stands for, so that the validators assert the same. */
function spellFormat(schema: JsonObject): JsonObject {
  const format = own(schema, "format");
  const pattern = typeof format === "string" ? formatPattern(format) : undefined;
  if (pattern === undefined) return schema;
  const all = own(schema, "allOf");
  return { ...schema, allOf: [...(Array.isArray(all) ? all : []), { pattern }] };
}

/** Unused definitions that hold a reference to nothing; validators refuse them. */
function* deadDefinitions(place: Place, context: DocumentContext): Generator<JsonObject> {
  if (!isObject(place.schema)) return;
  const definitions = [place.schema.$defs, place.schema.definitions].flatMap((map) =>
    isObject(map) ? Object.values(map) : [],
  );
  for (const child of directSubschemas(place.schema, place.resource.dialect)) {
    if (!isObject(child)) continue;
    const at = context.library.place(child, place);
    const isDead =
      definitions.includes(child) && !anyWithin(at, context, isUsed) && anyWithin(at, context, isDangling);
    if (isDead) yield child;
    else yield* deadDefinitions(at, context);
  }
}

function anyWithin(
  place: Place,
  context: DocumentContext,
  test: (place: Place, context: DocumentContext) => boolean,
): boolean {
  if (test(place, context)) return true;
  if (!isObject(place.schema)) return false;
  const children = [...directSubschemas(place.schema, place.resource.dialect)];
  return children.some((child) => anyWithin(context.library.place(child, place), context, test));
}

function isUsed({ schema }: Place, { isReached }: DocumentContext): boolean {
  return isObject(schema) && isReached(schema);
}

/** Whether a chain of references starts here that leads to nothing or back to itself. */
function isDangling(place: Place, { library }: DocumentContext): boolean {
  const passed = new Set<Json>();
  try {
    for (let at = place; isObject(at.schema); ) {
      const reference = at.schema.$ref;
      if (typeof reference !== "string") return false;
      if (passed.has(at.schema)) return true;
      passed.add(at.schema);
      at = library.resolve(reference, at);
    }
    return false;
  } catch (error) {
    if (error instanceof Unsupported) return true;
    throw error;
  }
}

function without(value: Json, dropped: ReadonlySet<Json>): Json {
  if (Array.isArray(value)) return value.map((item) => without(item, dropped));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => !dropped.has(child));
  return objectFrom(kept.map(([key, child]) => [key, without(child, dropped)]));
}
