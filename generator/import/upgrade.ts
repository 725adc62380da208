/** Rewrites schemas of every dialect as JSON Schema 2020-12. The result accepts the same values, except for noted losses. */
import type { Location } from "../finding.js";
import {
  createObject,
  getJsonType,
  getMembers,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
  listItems,
} from "../json.js";
import { findNearest } from "../nearest.js";
import { type Dialect, isAtLeast } from "../schema/dialects.js";
import { ANNOTATION_FORMATS, FORMATS } from "../schema/formats.js";
import type { Schema } from "../schema/json-schema.js";
import { getKeywords, isKeywordOf } from "../schema/keywords.js";
import { OPEN_LIST } from "../schema/listed-values.js";
import { addIntegers } from "../schema/merge.js";
import type { Definitions } from "../schema/reference.js";
import { mapSubschemas, walk } from "../schema/walk.js";
import { joinFirst } from "../text.js";
import type { Bundle } from "./bundle.js";
import type { ImportNotes } from "./notes.js";
import { removeIneffectiveLists } from "./open-lists.js";

/** A schema of 2020-12 with its definitions. */
export interface UpgradedSchema {
  readonly schema: Json;
  readonly definitions: Definitions;
}

type MutableSchema = { [keyword: string]: Json };

/**
 * Rewrites a bundle as 2020-12. Adds notes about what cannot be kept. In schemas that are only compared, a required field that
 * is not declared may have any value, because the comparison is about the other fields.
 */
export function upgradeBundle(
  { dialect, schema, definitions }: Bundle,
  notes: ImportNotes,
  isCompared: boolean,
): UpgradedSchema {
  const steps = isCompared ? STEPS : [...STEPS, declareForbiddenFields];
  const upgrade = (node: Json): Json =>
    isObject(node) ? upgradeNode(node, dialect, notes, { steps, upgrade }) : node;
  const upgradedDefinitions = Object.entries(definitions).map(
    ([name, { schema, at }]) => [name, { schema: upgrade(schema) as Schema, at }] as const,
  );
  const upgraded = removeIneffectiveLists(
    { schema: upgrade(schema), definitions: Object.fromEntries(upgradedDefinitions) },
    notes,
  );
  for (const [format, places] of listFormats(
    [{ schema, at: ROOT }, ...Object.values(definitions)],
    dialect,
  )) {
    const list = joinFirst(places, MAX_PLACES);
    if (format !== "int64" && format !== "uint64")
      notes.addLoss(`the format ${JSON.stringify(format)} is unknown to accrete and was left out: ${list}`);
    else
      notes.add(
        `the format ${format} allows integers beyond 2^53, which JavaScript rounds; state bounds, or send them as texts: ${list}`,
      );
  }
  return upgraded;
}

/** The place of the root, which need not be in a file. */
const ROOT: Location = { file: "", pointer: "" };

/** The maximum number of places that a note lists. */
const MAX_PLACES = 5;

/** Returns the formats that cannot be kept, and those of integers that JavaScript cannot hold, each with its places. */
function listFormats(
  schemas: readonly { readonly schema: Json; readonly at: Location }[],
  dialect: Dialect,
): ReadonlyMap<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { schema: definition, at } of schemas)
    walk(
      definition,
      (part, pointer) => {
        const { format } = part;
        if (typeof format !== "string" || isKept(format, part)) return;
        const listed = places.get(format) ?? [];
        places.set(format, listed);
        listed.push(`${at.file}#${at.pointer}${pointer}`);
      },
      dialect,
    );
  return places;
}

/** Returns whether a format keeps its meaning. Those of integers do if bounds exclude what JavaScript rounds. */
function isKept(format: string, { minimum, maximum }: JsonObject): boolean {
  if (format !== "int64" && format !== "uint64") return FORMATS.has(format) || ANNOTATION_FORMATS.has(format);
  const isExact = (bound: Json | undefined): boolean => Number.isSafeInteger(bound);
  return isExact(maximum) && (format === "uint64" || isExact(minimum));
}

function upgradeNode(
  node: JsonObject,
  dialect: Dialect,
  notes: ImportNotes,
  { steps, upgrade }: { readonly steps: readonly Step[]; readonly upgrade: (node: Json) => Json },
): Json {
  const definedKeywords = dropIgnoredKeywords(node, dialect, notes);
  let next: MutableSchema = mapSubschemas(definedKeywords, upgrade, dialect);
  for (const step of steps) next = step(next, dialect, notes);
  return next;
}

/** The keywords of accrete that JSON Schema does not define. */
const EXTENSION_KEYWORDS = [...getKeywords().keys()].filter((name) => name.startsWith("x-"));

/** Drops keywords that the old dialect does not define, or ignores beside `$ref`. In 2020-12 they could have a meaning. */
function dropIgnoredKeywords(node: JsonObject, dialect: Dialect, notes: ImportNotes): JsonObject {
  const isReferenceOnly = typeof node.$ref === "string" && !isAtLeast(dialect, "2019-09");
  return dropKeywords(node, notes, (name) => {
    const isKnownAnnotation = getKeywords().get(name)?.facet === "annotations" && !name.startsWith("x-");
    if (isKnownAnnotation || name === "$ref") return undefined;
    if (isReferenceOnly) return `${name} beside $ref was left out: ${dialect} ignores it`;
    // Open enumerations mean the same wherever they are written.
    if (isKeywordOf(dialect, name) || name === OPEN_LIST) return undefined;
    if (name.startsWith("x-") && !getKeywords().has(name)) {
      const similar = findNearest(name, EXTENSION_KEYWORDS);
      return similar && `the keyword ${name} was left out: it could be mistaken for ${similar} of accrete`;
    }
    return `the keyword ${name} was left out: ${dialect} does not define it`;
  });
}

/** Drops the keywords for which `findReason` returns a note, and adds these notes. */
function dropKeywords(
  node: JsonObject,
  notes: ImportNotes,
  findReason: (name: string, value: Json) => string | undefined,
): MutableSchema {
  const remainingEntries = Object.entries(node).filter(([name, value]) => {
    const reason = findReason(name, value);
    if (reason !== undefined) notes.add(reason);
    return reason === undefined;
  });
  return Object.fromEntries(remainingEntries);
}

type Step = (node: MutableSchema, dialect: Dialect, notes: ImportNotes) => MutableSchema;

/** The steps of an upgrade. Each removes one difference between the dialects. */
const STEPS: readonly Step[] = [
  // Moves the reference to the front, and drops one that is not a text.
  ({ $ref, ...rest }) => (typeof $ref === "string" ? { $ref, ...rest } : rest),
  (node, dialect) => (dialect === "draft4" ? convertNumericBounds(node) : node),
  (node, dialect, notes) => (dialect === "2020-12" ? node : convertTuples(node, notes)),
  ({ dependencies, ...rest }, _dialect, notes) =>
    isObject(dependencies) ? splitDependencies(dependencies, rest, notes) : rest,
  (node, _dialect, notes) => dropInvalidAnnotations(node, notes),
  dropUnknownFormat,
  dropExcludedValues,
  (node, _dialect, notes) => {
    if (typeof node.pattern !== "string" || isUnicodePattern(node.pattern)) return node;
    notes.addLoss(
      `the pattern ${JSON.stringify(node.pattern)} is not a regular expression with the u flag; it was left out, so more values are accepted`,
    );
    const { pattern: _pattern, ...rest } = node;
    return rest;
  },
];

function convertNumericBounds(node: MutableSchema): MutableSchema {
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
      next[exclusive] = limit;
    }
  }
  return next;
}

function convertTuples(
  { items, additionalItems, ...rest }: MutableSchema,
  notes: ImportNotes,
): MutableSchema {
  if (!Array.isArray(items)) {
    if (additionalItems !== undefined)
      notes.add("additionalItems without a tuple was left out: it has no effect");
    return items === undefined ? rest : { ...rest, items };
  }
  const prefix = items.length === 0 ? {} : { prefixItems: items };
  notes.add("a tuple in items became prefixItems");
  return { ...rest, ...prefix, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
}

function splitDependencies(dependencies: JsonObject, rest: MutableSchema, notes: ImportNotes): MutableSchema {
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

/** Checks of the values of annotations. */
const ANNOTATION_CHECKS: { readonly [keyword: string]: (value: Json) => boolean } = {
  examples: (value) => Array.isArray(value) && value.length > 0,
  title: (value) => typeof value === "string",
  description: (value) => typeof value === "string",
  $comment: (value) => typeof value === "string",
  deprecated: (value) => typeof value === "boolean",
  readOnly: (value) => typeof value === "boolean",
  writeOnly: (value) => typeof value === "boolean",
};

function dropInvalidAnnotations(node: MutableSchema, notes: ImportNotes): MutableSchema {
  return dropKeywords(node, notes, (name, value) =>
    getOwn(ANNOTATION_CHECKS, name)?.(value) === false
      ? `${name} was left out where its value does not fit the annotation`
      : undefined,
  );
}

function dropUnknownFormat(node: MutableSchema, _dialect: Dialect, notes: ImportNotes): MutableSchema {
  const { format, ...rest } = node;
  if (format === undefined) return node;
  if (FORMATS.has(String(format))) notes.add(`the format ${String(format)} is now asserted`);
  // `upgradeBundle` reports the others.
  return FORMATS.has(String(format)) || ANNOTATION_FORMATS.has(String(format)) ? node : rest;
}

/** Drops the values of an `enum` that the type beside it excludes, if other values are left. */
function dropExcludedValues(node: MutableSchema, _dialect: Dialect, notes: ImportNotes): MutableSchema {
  if (!Array.isArray(node.enum) || node.type === undefined) return node;
  const types = new Set(addIntegers([node.type].flat().map(String)));
  const values = (node.enum as readonly Json[]).filter((value) => types.has(getJsonType(value)));
  if (values.length === 0 || values.length === node.enum.length) return node;
  notes.add("values of an enum were left out that the type beside it excludes");
  return { ...node, enum: values };
}

/** Declares the required fields that a closed object forbids because it does not list them: no value satisfies it. */
function declareForbiddenFields(node: MutableSchema, _dialect: Dialect, notes: ImportNotes): MutableSchema {
  const { additionalProperties, patternProperties, properties, required } = node;
  if (additionalProperties !== false || patternProperties !== undefined) return node;
  const declared = getMembers(properties);
  const names = listItems(required).filter(
    (name): name is string => typeof name === "string" && !Object.hasOwn(declared, name),
  );
  if (names.length === 0) return node;
  notes.add(`an object requires a field that it forbids, so no value satisfies it: ${names.join(", ")}`);
  return {
    ...node,
    properties: createObject([...Object.entries(declared), ...names.map((name) => [name, false] as const)]),
  };
}

function isUnicodePattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
