/** @hyperjump/json-schema as a judge. It sees each schema as it was written, but for patterns and `keepDefinitions`. */
import "@hyperjump/json-schema/draft-04";
import "@hyperjump/json-schema/draft-06";
import "@hyperjump/json-schema/draft-07";
import "@hyperjump/json-schema/draft-2019-09";
import "@hyperjump/json-schema/draft-2020-12";
import {
  buildSchemaDocument,
  compile,
  getSchema,
  interpret,
  type SchemaDocument,
  toSchema,
} from "@hyperjump/json-schema/experimental";
import { fromJs } from "@hyperjump/json-schema/instance/experimental";
import type { Json } from "../../json.js";
import { type Dialect, SCHEMA_URI, since } from "../../schema/dialects.js";
import { type Replace, rewriteSchemas } from "../schema/rewrite.js";
import { type Judge, type Matcher, natively, Tester } from "./tester.js";
import { inUnicodeMode } from "./unicode-patterns.js";

type Cache = Record<string, SchemaDocument>;
type Start = Parameters<typeof getSchema>[1];

/** A judge for a schema, which asks `matches` about patterns; rejects where it cannot compile it. Nothing is fetched. */
export async function hyperjumpJudge(
  schema: Json,
  uri: string,
  dialect: Dialect,
  matches = natively,
): Promise<Judge> {
  const written = rewriteSchemas(schema, dialect, (each, its) =>
    inUnicodeMode(keepDefinitions(each, its), its),
  );
  const document = buildSchemaDocument(
    written as Parameters<typeof buildSchemaDocument>[0],
    uri,
    SCHEMA_URI[dialect],
  );
  const compiled = await compile(await getSchema(uri, offline(document, uri)));
  useMatcher(compiled.ast, matches);
  return (value) => interpret(compiled, fromJs(value as Parameters<typeof fromJs>[0])).valid;
}

/** Up to draft-07 hyperjump loses `definitions` that stand beside a `$ref`; all other siblings mean nothing there. */
const keepDefinitions: Replace = (schema, dialect) => {
  const { $ref, definitions, $schema } = schema;
  if (since(dialect, "2019-09") || typeof $ref !== "string" || definitions === undefined) return schema;
  return { ...($schema !== undefined && { $schema }), allOf: [{ $ref }], definitions };
};

/** Puts a `Tester` in the place of every RegExp of a compiled schema. */
function useMatcher(node: unknown, matches: Matcher, seen = new Set<unknown>()): void {
  if (typeof node !== "object" || node === null || seen.has(node)) return;
  seen.add(node);
  const members = node as Record<string, unknown>;
  for (const [key, value] of Object.entries(members)) {
    if (value instanceof RegExp) members[key] = new Tester(value.source, matches);
    else useMatcher(value, matches, seen);
  }
}

/** A known metaschema as JSON. */
export async function metaschema(uri: string): Promise<Json> {
  return toSchema(await getSchema(uri)) as unknown as Json;
}

/** A browser whose documents are this one and those already known; asking for any other is an error, not a fetch. */
function offline(document: SchemaDocument, uri: string): Start {
  const embedded = (document as unknown as { embedded: Cache }).embedded;
  const known: Cache = { [uri]: document };
  const cache = new Proxy(known, {
    get(target, name) {
      const id = String(name);
      const found = Object.hasOwn(target, id)
        ? target[id]
        : Object.hasOwn(embedded, id)
          ? embedded[id]
          : undefined;
      if (!found) throw new Error(`${id} is not in the document`);
      return found;
    },
  });
  return { _cache: cache } as unknown as Start;
}
