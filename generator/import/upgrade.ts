/** Rewrites schemas of every dialect in JSON Schema 2020-12, without a change of what they accept. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { type Dialect, since } from "../schema/dialects.js";
import { ANNOTATION_FORMATS, FORMATS } from "../schema/formats.js";
import type { Schema } from "../schema/json-schema.js";
import { defines, keywordsOf } from "../schema/keywords.js";
import type { Definitions } from "../schema/reference.js";
import { mapSubschemas } from "../schema/walk.js";
import type { Bundle } from "./bundle.js";
import { ImportError } from "./import-error.js";
import type { Notes } from "./notes.js";

/** A schema of 2020-12 with the definitions that it needs. */
export interface Upgraded {
  readonly schema: Json;
  readonly definitions: Definitions;
}

type Mutable = { [keyword: string]: Json };

/** Rewrites a bundle in 2020-12. What cannot be kept is noted; what would certainly change the meaning is an ImportError. */
export function upgrade({ dialect, schema, definitions }: Bundle, notes: Notes): Upgraded {
  const read = (node: Json): Json => (isObject(node) ? upgradeNode(node, dialect, notes, read) : node);
  const upgraded = Object.entries(definitions).map(
    ([name, { schema, at }]) => [name, { schema: read(schema) as Schema, at }] as const,
  );
  return { schema: read(schema), definitions: Object.fromEntries(upgraded) };
}

function upgradeNode(node: JsonObject, dialect: Dialect, notes: Notes, read: (node: Json) => Json): Json {
  const known = withoutIgnored(node, dialect, notes);
  let next: Mutable = mapSubschemas(known, read, dialect);
  for (const step of STEPS) next = step(next, dialect, notes);
  return next;
}

/** Removes keywords that the old dialect does not define, or ignores beside `$ref`. They could have a meaning in the new one. */
function withoutIgnored(node: JsonObject, dialect: Dialect, notes: Notes): JsonObject {
  const alone = typeof node.$ref === "string" && !since(dialect, "2019-09");
  const keeps = (name: string): boolean => {
    const annotation = keywordsOf().get(name)?.facet === "annotations" && !name.startsWith("x-");
    if (annotation || name === "$ref") return true;
    if (alone) return dropped(notes, `${name} beside $ref was left out: ${dialect} ignores it`);
    if (defines(dialect, name)) return true;
    if (name.startsWith("x-") && !keywordsOf().has(name)) return true;
    return dropped(notes, `the keyword ${name} was left out: ${dialect} does not define it`);
  };
  return Object.fromEntries(Object.entries(node).filter(([name]) => keeps(name)));
}

function dropped(notes: Notes, sentence: string): false {
  notes.add(sentence);
  return false;
}

type Step = (node: Mutable, dialect: Dialect, notes: Notes) => Mutable;

/** Each removes one difference between the dialects. */
const STEPS: readonly Step[] = [
  // A reference comes first, and one that is not a text is nothing.
  ({ $ref, ...rest }) => (typeof $ref === "string" ? { $ref, ...rest } : rest),
  (node) => {
    const dynamic = ["$dynamicRef", "$recursiveRef"].find((name) => Object.hasOwn(node, name));
    if (dynamic)
      throw new ImportError(`The schema uses ${dynamic}, whose target is known only during validation.`);
    return node;
  },
  (node, dialect) => (dialect === "draft4" ? numericBounds(node) : node),
  (node, dialect, notes) => (dialect === "2020-12" ? node : tuples(node, notes)),
  ({ dependencies, ...rest }, _dialect, notes) =>
    isObject(dependencies) ? dependencyKinds(dependencies, rest, notes) : rest,
  (node, _dialect, notes) => withoutBadAnnotations(node, notes),
  withKnownFormat,
  (node, _dialect, notes) => {
    if (typeof node.pattern !== "string" || compiles(node.pattern)) return node;
    notes.add(
      `LOST: the pattern ${JSON.stringify(node.pattern)} is not a regular expression with the u flag; it was left out, so more values are accepted`,
    );
    const { pattern: _pattern, ...rest } = node;
    return rest;
  },
];

function numericBounds(node: Mutable): Mutable {
  const next = { ...node };
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (next[exclusive] === undefined) continue;
    const limit = next[bound];
    const strict = next[exclusive] === true && limit !== undefined;
    delete next[exclusive];
    if (strict) {
      delete next[bound];
      next[exclusive] = limit as Json;
    }
  }
  return next;
}

function tuples({ items, additionalItems, ...rest }: Mutable, notes: Notes): Mutable {
  if (!Array.isArray(items)) {
    if (additionalItems !== undefined)
      notes.add("additionalItems without a tuple was left out: it has no effect");
    return items === undefined ? rest : { ...rest, items };
  }
  const prefix = items.length === 0 ? {} : { prefixItems: items };
  notes.add("a tuple in items became prefixItems");
  return { ...rest, ...prefix, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
}

function dependencyKinds(dependencies: JsonObject, rest: Mutable, notes: Notes): Mutable {
  const entries = Object.entries(dependencies);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  notes.add("dependencies became dependentRequired and dependentSchemas");
  return {
    ...rest,
    ...(names.length > 0 && { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
  };
}

const ANNOTATION_SHAPES: { readonly [keyword: string]: (value: Json) => boolean } = {
  examples: (value) => Array.isArray(value) && value.length > 0,
  title: (value) => typeof value === "string",
  description: (value) => typeof value === "string",
  $comment: (value) => typeof value === "string",
  deprecated: (value) => typeof value === "boolean",
  readOnly: (value) => typeof value === "boolean",
  writeOnly: (value) => typeof value === "boolean",
};

function withoutBadAnnotations(node: Mutable, notes: Notes): Mutable {
  const isValid = ([name, value]: [string, Json]): boolean =>
    !Object.hasOwn(ANNOTATION_SHAPES, name) ||
    ANNOTATION_SHAPES[name]?.(value) === true ||
    dropped(notes, `${name} was left out where its value does not fit the annotation`);
  return Object.fromEntries(Object.entries(node).filter(isValid));
}

function withKnownFormat(node: Mutable, _dialect: Dialect, notes: Notes): Mutable {
  const { format, ...rest } = node;
  if (format === undefined) return node;
  if (FORMATS.has(String(format))) notes.add(`the format ${String(format)} is now asserted`);
  else if (!ANNOTATION_FORMATS.has(String(format))) {
    notes.add(`LOST: the format ${JSON.stringify(format)} is unknown to accrete and was left out`);
    return rest;
  }
  return node;
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
