/**
 * Creates views of schemas for comparisons. A view follows references and merges `allOf`, so that inlining, extracting,
 * splitting and reordering make no difference. Every part of a view keeps its spot: its file and its pointer.
 */
import { getOwn, isObject, type Json } from "../../json.js";
import { digest } from "../../protocol/digest.js";
import type { Protocol } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import {
  BRANCHES,
  CONJUNCTION,
  type Description,
  describeSchema,
  EVERYTHING,
  type Spot,
} from "../../schema/describe.js";
import { type Field, mergeFields } from "../../schema/merge.js";
import { type Definitions, getTargetName } from "../../schema/reference.js";
import { collectDefinitionsBelow, mapSubschemas } from "../../schema/walk.js";
/** All object schemas that apply to one value. */
export type View = Description<typeof EVERYTHING>;

/** Returns the view of several schemas that all apply to one value. */
export function createView(spots: readonly Spot[], { definitions }: Pick<Protocol, "definitions">): View {
  return describeSchema(spots, definitions, EVERYTHING, CONJUNCTION);
}

/** Returns the names of fields that only alternatives of the value declare, at any depth of alternatives. */
export function listBranchFields({ spots }: View, protocol: Protocol): Set<string> {
  const fields = mergeFieldsOfBranches(spots, protocol);
  return new Set(
    [...fields.values()].flatMap(({ name, isCertain: isDeclaredUnconditionally }) =>
      isDeclaredUnconditionally ? [] : [name],
    ),
  );
}

/** Returns the fields of a value by name, with those that only alternatives of the value declare. */
export function mergeFieldsOfBranches(
  spots: readonly Spot[],
  { definitions }: Protocol,
): ReadonlyMap<string, Field> {
  return mergeFields(describeSchema(spots, definitions, EVERYTHING, BRANCHES));
}

/** A subschema with more schemas than this is replaced by its digest. */
const MAX_SCHEMAS = 1_000;

/** The greatest number of definitions that refer to each other and are inlined. */
const MAX_CYCLE = 16;

/**
 * Returns `schema` without texts, with its references replaced by what they refer to. Equal contracts give equal JSON.
 * Each definition is inlined only once, so that definitions that refer to each other repeatedly cost no more.
 */
export function inlineReferences(schema: Json, definitions: Definitions): Json {
  return inlineSchema(schema, definitions, []).schema;
}

/**
 * Returns a digest of `schema` without texts, with its references replaced by what they refer to. It is computed once for
 * each schema object, because alternatives are compared at every place that refers to their union.
 */
export function digestMeaning(schema: Json, definitions: Definitions): string {
  const computeDigest = () => digest(inlineReferences(schema, definitions));
  if (!isObject(schema)) return computeDigest();
  const digests = meaningDigests(definitions);
  const cachedDigest = digests.get(schema) ?? computeDigest();
  digests.set(schema, cachedDigest);
  return cachedDigest;
}

const meaningDigests = memoizeByObject((_definitions: Definitions) => new WeakMap<object, string>());

/** An inlined schema and how many schemas it holds. */
interface InlinedSchema {
  readonly schema: Json;
  readonly size: number;
}

/** Inlines a schema that is part of the definitions `ancestors`. A reference back to one of them stays a name. */
function inlineSchema(schema: Json, definitions: Definitions, ancestors: readonly string[]): InlinedSchema {
  if (!isObject(schema)) return { schema, size: 1 };
  const { $ref: _r, title: _t, description: _d, examples: _e, $comment: _c, ...rest } = schema;
  let size = 1;
  const plain = mapSubschemas(rest, (sub) => {
    const part = shortenPart(inlineSchema(sub, definitions, ancestors));
    size += part.size;
    return part.schema;
  });
  const name = getTargetName(schema);
  if (name === undefined) return { schema: plain, size };
  if (ancestors.includes(name)) return { schema: { ...plain, $ref: name }, size };
  const target = inlineDefinition(name, definitions, ancestors);
  if (!isObject(target.schema)) return target.schema === true ? { schema: plain, size } : target;
  if (Object.keys(plain).length === 0) return target;
  const first = shortenPart({ schema: plain, size });
  const second = shortenPart(target);
  return { schema: { allOf: [first.schema, second.schema] }, size: 1 + first.size + second.size };
}

/** Returns a part, or a reference to its digest if it is large. */
function shortenPart(part: InlinedSchema): InlinedSchema {
  return part.size > MAX_SCHEMAS ? { schema: { $ref: digest(part.schema) }, size: 1 } : part;
}

const inlinedDefinitions = memoizeByObject((_definitions: Definitions) => new Map<string, InlinedSchema>());

function inlineDefinition(
  name: string,
  definitions: Definitions,
  ancestors: readonly string[],
): InlinedSchema {
  const cycleDigest = digestLargeCycle(name, definitions);
  if (cycleDigest !== undefined) return { schema: { $ref: cycleDigest }, size: 1 };
  const inlinedSchemas = inlinedDefinitions(definitions);
  // An ancestor changes the result only if this definition refers back to it.
  const below = ancestors.length === 0 ? undefined : collectDefinitionsBelow(name, definitions);
  const key = [name, ...ancestors.filter((each) => below?.has(each))].join("\0");
  const cachedSchema = inlinedSchemas.get(key);
  if (cachedSchema) return cachedSchema;
  const schema = getOwn(definitions, name)?.schema ?? true;
  const inlinedSchema = inlineSchema(schema, definitions, [...ancestors, name]);
  inlinedSchemas.set(key, inlinedSchema);
  return inlinedSchema;
}

const cycleDigests = memoizeByObject((_definitions: Definitions) => new Map<string, string | undefined>());

/**
 * Returns a digest that stands for a definition if too many definitions refer to each other, because the number of ways
 * through them is exponential. It is a digest of all definitions below, without texts. Returns undefined for every other
 * definition.
 */
function digestLargeCycle(name: string, definitions: Definitions): string | undefined {
  const digests = cycleDigests(definitions);
  if (digests.has(name)) return digests.get(name);
  const below = collectDefinitionsBelow(name, definitions);
  const cycle = below.has(name)
    ? [...below].filter((each) => collectDefinitionsBelow(each, definitions).has(name))
    : [];
  const content =
    cycle.length > MAX_CYCLE
      ? [...below].sort().map((each) => [each, dropTexts(getOwn(definitions, each)?.schema ?? true)])
      : undefined;
  const contentDigest = content && digest(content);
  for (const each of [name, ...cycle]) digests.set(each, contentDigest && digest([each, contentDigest]));
  return digests.get(name);
}

/** Returns a schema without titles and descriptions. */
export function dropTexts(schema: Json | undefined): Json {
  if (!isObject(schema)) return schema ?? null;
  const { title: _t, description: _d, ...rest } = mapSubschemas(schema, dropTexts);
  return rest;
}
