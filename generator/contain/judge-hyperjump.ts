/** @hyperjump/json-schema as a judge. It sees each schema as it was written, but for what `keepDefinitions` says. */
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
import type { Json } from "../json.js";
import { type Dialect, SCHEMA_URI, since } from "./dialect.js";
import { type Replace, rewriteSchemas } from "./rewrite.js";

/** Whether a value is valid; throws where the validator does. */
export type Judge = (value: Json) => boolean;

type Cache = Record<string, SchemaDocument>;
type Start = Parameters<typeof getSchema>[1];

/** A judge for a schema; rejects where the validator cannot compile it. Nothing is fetched. */
export async function hyperjumpJudge(schema: Json, uri: string, dialect: Dialect): Promise<Judge> {
  const written = rewriteSchemas(schema, dialect, keepDefinitions);
  const document = buildSchemaDocument(
    written as Parameters<typeof buildSchemaDocument>[0],
    uri,
    SCHEMA_URI[dialect],
  );
  const compiled = await compile(await getSchema(uri, offline(document, uri)));
  return (value) => interpret(compiled, fromJs(value as Parameters<typeof fromJs>[0])).valid;
}

/** Up to draft-07 hyperjump loses `definitions` that stand beside a `$ref`; all other siblings mean nothing there. */
const keepDefinitions: Replace = (schema, dialect) => {
  const { $ref, definitions, $schema } = schema;
  if (since(dialect, "2019-09") || typeof $ref !== "string" || definitions === undefined) return schema;
  return { ...($schema !== undefined && { $schema }), allOf: [{ $ref }], definitions };
};

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
