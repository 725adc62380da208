/**
 * Validates with @hyperjump/json-schema, one of the two validators that confirm a witness. Only patterns, and schemas with
 * definitions beside a `$ref`, are rewritten for it.
 */
import {
  buildSchemaDocument,
  compile,
  getSchema,
  interpret,
  type SchemaDocument,
} from "@hyperjump/json-schema/experimental";
import { fromJs } from "@hyperjump/json-schema/instance/experimental";
import type { Json } from "../../json.js";
import { type Dialect, hidesSiblings, SCHEMA_URI } from "../../schema/dialects.js";
// This import registers all dialects.
import "../schema/read-metaschema.js";
import { type ReplaceSchema, rewriteSchemas } from "../schema/rewrite-schemas.js";
import {
  matchNatively,
  type PatternMatcher,
  PatternTester,
  rewritePatterns,
  type Validate,
} from "./validator-patterns.js";

type Cache = NonNullable<SchemaDocument["embedded"]>;
type Browser = Parameters<typeof getSchema>[1];

/** Compiles a schema with hyperjump. `matches` decides about patterns. Rejects if hyperjump cannot compile the schema. */
export async function compileWithHyperjump(
  schema: Json,
  uri: string,
  dialect: Dialect,
  matches = matchNatively,
): Promise<Validate> {
  const rewrittenSchema = rewriteSchemas(schema, dialect, (each, eachDialect) =>
    rewritePatterns(keepDefinitions(each, eachDialect), eachDialect),
  );
  const document = buildSchemaDocument(
    rewrittenSchema as Parameters<typeof buildSchemaDocument>[0],
    uri,
    SCHEMA_URI[dialect],
  );
  const compiledSchema = await compile(await getSchema(uri, createOfflineBrowser(document, uri)));
  replaceRegExps(compiledSchema.ast, matches);
  return (value) => interpret(compiledSchema, fromJs(value as Parameters<typeof fromJs>[0])).valid;
}

/**
 * Moves a `$ref` into `allOf`, because hyperjump drops `definitions` beside it up to draft-07. Other siblings have no
 * meaning there.
 */
const keepDefinitions: ReplaceSchema = (schema, dialect) => {
  const { $ref, definitions, $schema } = schema;
  if ($ref === undefined || definitions === undefined || !hidesSiblings(schema, dialect)) return schema;
  return { ...($schema !== undefined && { $schema }), allOf: [{ $ref }], definitions };
};

/** Replaces every RegExp of a compiled schema by a `PatternTester`. */
function replaceRegExps(node: unknown, matches: PatternMatcher, seen = new Set<unknown>()): void {
  if (typeof node !== "object" || node === null || seen.has(node)) return;
  seen.add(node);
  const members = node as Record<string, unknown>;
  for (const [key, value] of Object.entries(members)) {
    if (value instanceof RegExp) members[key] = new PatternTester(value.source, matches);
    else replaceRegExps(value, matches, seen);
  }
}

/** Creates a browser that knows this document and the metaschemas. It throws for any other document and fetches nothing. */
function createOfflineBrowser(document: SchemaDocument, uri: string): Browser {
  const embeddedDocuments = document.embedded ?? {};
  const cache = new Proxy<Cache>(
    { [uri]: document },
    {
      get(target, name) {
        const id = String(name);
        const knownDocument = [target, embeddedDocuments].find((documents) => Object.hasOwn(documents, id))?.[
          id
        ];
        if (!knownDocument) throw new Error(`${id} is not in the document`);
        return knownDocument;
      },
    },
  );
  // The type of hyperjump does not declare the cache.
  const browser = { uri, document, cursor: "", _cache: cache };
  return browser;
}
