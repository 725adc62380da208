import { getOwn, type Json } from "../../json.js";
import { digest } from "../../protocol/digest.js";
import type { Protocol } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { dropDialect } from "../../schema/json-schema.js";
import { getDefinitionName } from "../../schema/reference.js";
import { listReferences } from "../../schema/walk.js";
import type { Subject } from "../subjects.js";

/**
 * A function that returns a key of a schema of one protocol. Keys are equal only if the schemas and the definitions that
 * they refer to are literally the same; another order of members gives another key.
 */
export type SchemaKeyFunction = (schema: Json) => string;

/** Returns the function for the schemas of a protocol. It is created once for each protocol object. */
export const getSchemaKeyFunction = memoizeByObject(createSchemaKeyFunction);

/** Returns a key of a subject that is equal only if all of its contract is literally the same. */
export function createSubjectKey(protocol: Protocol, subject: Subject): string {
  return getSubjectKeys(protocol)(subject);
}

const getSubjectKeys = memoizeByObject((protocol: Protocol) =>
  memoizeByObject(({ payload, payloadProperty, stability }: Subject) =>
    digest([getSchemaKeyFunction(protocol)(dropDialect(payload)), payloadProperty ?? null, stability]),
  ),
);

/** Returns a key of the envelope and of how it carries payloads, which is equal only if these are literally the same. */
export function createEnvelopeKey(protocol: Protocol): string {
  const { schema, discriminator, placement, property = null, payloadFields, message } = protocol.envelope;
  const layout = [discriminator, placement, property, payloadFields, message?.event ?? null];
  return digest([getSchemaKeyFunction(protocol)(schema), ...layout]);
}

function createSchemaKeyFunction({ definitions }: Protocol): SchemaKeyFunction {
  const definitionKeys = new Map<string, string>();
  // A definition that is a whole file states its dialect, but releases state the dialect only once.
  // Each definition is read and digested once, although thousands of others may lead to it.
  const known = new Map<string, { readonly digest: string; readonly references: readonly string[] }>();
  const readDefinition = (name: string) => {
    const cached = known.get(name);
    if (cached) return cached;
    const schema = dropDialect(getOwn(definitions, name)?.schema ?? true);
    const read = { digest: digest([name, schema]), references: listTargetNames(schema) };
    known.set(name, read);
    return read;
  };
  const getDefinitionKey = (name: string): string => {
    const cachedKey = definitionKeys.get(name);
    if (cachedKey !== undefined) return cachedKey;
    const reachedNames = [...collectReachedDefinitions(name)].sort();
    const key = digest(reachedNames.map((each) => readDefinition(each).digest));
    definitionKeys.set(name, key);
    return key;
  };
  const collectReachedDefinitions = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found;
    found.add(name);
    for (const next of readDefinition(name).references) collectReachedDefinitions(next, found);
    return found;
  };
  return (schema) => [JSON.stringify(schema), ...listTargetNames(schema).map(getDefinitionKey)].join("\n");
}

/** Returns the names of the definitions that a schema refers to, in order. */
function listTargetNames(schema: Json): string[] {
  return listReferences(schema).map(getDefinitionName);
}
