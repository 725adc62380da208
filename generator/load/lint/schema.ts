import { createErrorFinding, type Finding, type Location } from "../../finding.js";
import { getOwn, isObject, type Json, type JsonObject, joinPointer } from "../../json.js";
import { didYouMean, findNearest } from "../../nearest.js";
import { isProtocolDialect, SCHEMA_URI } from "../../schema/dialects.js";
import { ANNOTATION_FORMATS, FORMATS } from "../../schema/formats.js";
import { EVERY_TYPE } from "../../schema/json-schema.js";
import { getKeywords, getSubschemaLayout, type ValueKind } from "../../schema/keywords.js";
import { listSchemas } from "../../schema/read-files.js";
import type { Subschema } from "../../schema/walk.js";
import { lintNumbers, mayRound } from "../../source/numbers.js";
import type { Source } from "../../source/source.js";
import { getErrorMessage } from "../../text.js";

const KEYWORDS = getKeywords();
const STABILITIES = ["experimental", "candidate", "stable"];

/** Checks one schema file by itself: its keywords, and the forms of their values. */
export function lintSchema(source: Source): Finding[] {
  const { document } = source;
  if (typeof document === "boolean") return [];
  if (!isObject(document)) return [createNoSchemaFinding(source, "")];
  const mayHoldRoundedNumber = mayRound(source);
  const findings: Finding[] = [];
  for (const { schema, pointer, parts } of listSchemas(source)) {
    for (const name of Object.keys(schema)) {
      const found = lintKeyword(source, pointer, name, schema[name] ?? null, mayHoldRoundedNumber);
      if (found.length > 0) findings.push(...found);
    }
    findings.push(...lintNames(source, pointer, schema, parts), ...lintPatterns(source, pointer, schema));
    for (const part of parts)
      if (isInvalidPart(part)) findings.push(createNoSchemaFinding(source, part.pointer, part.schema));
  }
  return findings;
}

/** Returns whether an item of a list or map is not a schema. `lintKeyword` reports single values that are not schemas. */
function isInvalidPart({ keyword, schema }: Subschema): boolean {
  if (isObject(schema) || typeof schema === "boolean") return false;
  return getSubschemaLayout("protocol", keyword) !== "schema";
}

function createNoSchemaFinding(source: Source, pointer: string, value: Json = null): Finding {
  const isType = typeof value === "string" && EVERY_TYPE.has(value);
  const hint = isType ? `Write {"type": ${JSON.stringify(value)}}.` : undefined;
  return createInvalidFinding(source, pointer, "A schema is an object, true or false.", hint);
}

function createInvalidFinding(source: Source, pointer: string, message: string, hint?: string): Finding {
  return createErrorFinding("keyword-invalid", message, source.locate(pointer), hint);
}

function lintKeyword(
  source: Source,
  pointer: string,
  name: string,
  value: Json,
  mayHoldRoundedNumber: boolean,
): Finding[] {
  const keyword = KEYWORDS.get(name);
  if (!keyword) return lintUnknownKeyword(source, joinPointer(pointer, name), name);
  if (keyword.unsupported !== undefined) {
    const message = `The keyword ${name} cannot be used in a protocol schema: ${keyword.unsupported}.`;
    return [createErrorFinding("keyword-unsupported", message, source.locateKey(joinPointer(pointer, name)))];
  }
  const reason = VALUE_CHECKS[keyword.value](value);
  if (reason !== undefined)
    return [
      createInvalidFinding(
        source,
        joinPointer(pointer, name),
        `The value of ${JSON.stringify(name)} ${reason}.`,
        adviseOnValue(name, value),
      ),
    ];
  if (!mayHoldRoundedNumber || keyword.facet === "annotations" || keyword.holds) return [];
  return lintNumbers(source, joinPointer(pointer, name), value);
}

const ACCRETE_KEYWORDS = [...KEYWORDS.keys()].filter((name) => name.startsWith("x-"));
const STANDARD_KEYWORDS = [...KEYWORDS].flatMap(([name, { unsupported }]) =>
  name.startsWith("x-") || unsupported !== undefined ? [] : [name],
);

/** What to write in place of keywords of other dialects, languages and tools. */
const FOREIGN_KEYWORDS: { readonly [name: string]: string } = {
  definitions: 'Write "$defs", and refer to "#/$defs/…": that is its name since draft 2019-09.',
  nullable: 'Write "type": ["string", "null"], with the type of the value.',
  optional: 'Leave the name of the field out of "required" of its object.',
  min: 'Write "minimum" for numbers, "minLength" for texts or "minItems" for lists.',
  max: 'Write "maximum" for numbers, "maxLength" for texts or "maxItems" for lists.',
  example: 'Write "examples" with a list.',
  stability: 'Write "x-stability".',
  since: 'Write "x-since".',
  discriminator:
    'Give each alternative a field with "const"; the one of events is envelope.discriminator in protocol.json.',
  values: 'Write "enum".',
  fields: 'Write "properties".',
  extends: 'Write "allOf" with a reference.',
  comment: 'Write "$comment".',
  ref: 'Write "$ref".',
};

/** What to write in place of types of other languages. */
const FOREIGN_TYPES: { readonly [type: string]: string } = {
  int: '"integer"',
  int32: '"integer"',
  int64: '"integer"',
  long: '"integer"',
  float: '"number"',
  double: '"number"',
  decimal: '"number"',
  bool: '"boolean"',
  str: '"string"',
  text: '"string"',
  uuid: '"string", and "format": "uuid"',
  date: '"string", and "format": "date"',
  datetime: '"string", and "format": "date-time"',
  "date-time": '"string", and "format": "date-time"',
  timestamp: '"string", and "format": "date-time"',
  list: '"array"',
  map: '"object", and "additionalProperties" with the schema of the values',
  dict: '"object", and "additionalProperties" with the schema of the values',
  enum: 'no type but "enum": […]',
  any: "no type at all: without it, every value is allowed",
};

/** Returns what to write in place of the value of a keyword; undefined if that is unknown. */
function adviseOnValue(name: string, value: Json): string | undefined {
  if (name === "type" && typeof value === "string") {
    const lower = value.toLowerCase();
    const advice = EVERY_TYPE.has(lower) ? JSON.stringify(lower) : getOwn(FOREIGN_TYPES, lower);
    return advice && `Write ${advice}.`;
  }
  if (name === "items" && Array.isArray(value))
    return 'Write "prefixItems" for a list whose places have different schemas.';
  if (name === "required" && typeof value === "boolean")
    return 'Write the name of the field into "required" of the object that holds it, which is a list of names.';
  if (name === "required" && typeof value === "string") return `Write ${JSON.stringify([value])}.`;
  return undefined;
}

/** Reports an unknown keyword. An `x-` annotation that is not similar to one of accrete belongs to another tool. */
function lintUnknownKeyword(source: Source, pointer: string, name: string): Finding[] {
  const advice = getOwn(FOREIGN_KEYWORDS, name);
  if (advice !== undefined) {
    const foreign = `The keyword ${JSON.stringify(name)} is unknown.`;
    return [createErrorFinding("keyword-unknown", foreign, source.locateKey(pointer), advice)];
  }
  const knownKeywords = name.startsWith("x-") ? ACCRETE_KEYWORDS : STANDARD_KEYWORDS;
  const near = findNearest(name, knownKeywords);
  if (name.startsWith("x-") && near === undefined) return [];
  const message = `The keyword ${JSON.stringify(name)} is unknown${didYouMean(name, knownKeywords)}`;
  const hint =
    near === undefined ? "Annotations of other tools begin with x-." : `Write ${JSON.stringify(near)}.`;
  return [createErrorFinding("keyword-unknown", message, source.locateKey(pointer), hint)];
}

/** Reports names of fields that generated code cannot hold. */
function lintNames(
  source: Source,
  pointer: string,
  schema: JsonObject,
  parts: readonly Subschema[],
): Finding[] {
  const malformedPart = parts.find((part) => !part.pointer.slice(pointer.length).isWellFormed());
  if (malformedPart)
    return [
      createErrorFinding(
        "field-unsafe",
        "A name cannot hold half of a surrogate pair: no encoding of text can represent it.",
        source.locateKey(malformedPart.pointer),
        "Write the whole character.",
      ),
    ];
  const places: Location[] = [];
  if (isObject(schema.properties) && Object.hasOwn(schema.properties, "__proto__"))
    places.push(source.locateKey(joinPointer(pointer, "properties", "__proto__")));
  if (schema["x-payload-property"] === "__proto__")
    places.push(source.locate(joinPointer(pointer, "x-payload-property")));
  return places.map((at) =>
    createErrorFinding(
      "field-unsafe",
      'A field cannot be named "__proto__": in JavaScript it is not a field but the prototype of its object.',
      at,
      "Choose another name.",
    ),
  );
}

/** Reports names in `patternProperties` that are not regular expressions. */
function lintPatterns(source: Source, pointer: string, { patternProperties }: JsonObject): Finding[] {
  if (!isObject(patternProperties)) return [];
  return Object.keys(patternProperties).flatMap((pattern) => {
    const reason = explainRegexError(pattern);
    if (reason === undefined) return [];
    const at = source.locateKey(joinPointer(pointer, "patternProperties", pattern));
    return [createErrorFinding("keyword-invalid", `The name ${JSON.stringify(pattern)} ${reason}.`, at)];
  });
}

/** Returns why a pattern is refused, as a predicate; undefined if it is a regular expression. */
function explainRegexError(pattern: string): string | undefined {
  if (/^\/\^.*\$\/[a-z]*$/.test(pattern))
    return "stands between slashes, which would have to be in the text; write it without them";
  try {
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    return `is not a regular expression (ECMA-262, u flag): ${getErrorMessage(error)}`;
  }
}

/** Returns why a keyword value is refused, as a predicate: "must be a string". Returns undefined if it is accepted. */
type ValueCheck = (value: Json) => string | undefined;

const createCheck =
  (test: (value: Json) => boolean, message: string): ValueCheck =>
  (value) =>
    test(value) ? undefined : message;
const isString = (value: Json): value is string => typeof value === "string";
const isNameList = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every(isString) && new Set(value).size === value.length;

const FILLED_LIST_CHECK = createCheck(
  (value) => Array.isArray(value) && value.length > 0,
  "must be a list that is not empty",
);
const SCHEMA_CHECK = createCheck(
  (value) => isObject(value) || typeof value === "boolean",
  "must be a schema",
);
const MAP_CHECK = createCheck(isObject, "must map names to schemas");

/** The check of each kind of keyword value. */
const VALUE_CHECKS: { readonly [K in ValueKind]: ValueCheck } = {
  any: () => undefined,
  boolean: createCheck((value) => typeof value === "boolean", "must be true or false"),
  string: createCheck(isString, "must be a string"),
  text: createCheck((value) => isString(value) && value !== "", "must be a string that is not empty"),
  "text or null": createCheck(
    (value) => value === null || (isString(value) && value !== ""),
    "must be a string that is not empty, or null if nothing replaces it",
  ),
  anchor: createCheck(isString, "must be a string"),
  identifier: createCheck(isString, "must be a string"),
  number: createCheck((value) => typeof value === "number", "must be a number"),
  limit: createCheck((value) => typeof value === "number", "must be a number"),
  positive: createCheck((value) => typeof value === "number" && value > 0, "must be a number above 0"),
  count: createCheck(
    (value) => Number.isInteger(value) && (value as number) >= 0,
    "must be a whole number from 0",
  ),
  names: createCheck(isNameList, "must be a list of different names"),
  "name map": createCheck(
    (value) => isObject(value) && Object.values(value).every(isNameList),
    "must map names to lists of names",
  ),
  type: createCheck(
    (value) =>
      isString(value)
        ? EVERY_TYPE.has(value)
        : isNameList(value) && value.length > 0 && value.every((type) => EVERY_TYPE.has(type)),
    `must be one or several of ${[...EVERY_TYPE].sort().join(", ")}`,
  ),
  regex: (value) => (isString(value) ? explainRegexError(value) : "must be a string"),
  format: (value) => {
    if (!isString(value)) return "must be a string";
    if (FORMATS.has(value) || ANNOTATION_FORMATS.has(value)) return undefined;
    return `is not a known format; the formats are ${[...FORMATS.keys(), ...ANNOTATION_FORMATS].join(", ")}`;
  },
  dialect: createCheck(
    (value) => typeof value === "string" && isProtocolDialect(value),
    `must be ${SCHEMA_URI["2020-12"]}, or the path of accrete-cli's event.schema.json, because accrete reads schemas of no other dialect`,
  ),
  "flag map": createCheck(isObject, "must map names to true or false"),
  array: FILLED_LIST_CHECK,
  values: FILLED_LIST_CHECK,
  schema: SCHEMA_CHECK,
  "schema or list": SCHEMA_CHECK,
  list: createCheck(
    (value) => Array.isArray(value) && value.length > 0,
    "must be a list of schemas that is not empty",
  ),
  map: MAP_CHECK,
  "map of schema or list": MAP_CHECK,
  stability: createCheck(
    (value) => STABILITIES.includes(value as string),
    `must be one of ${STABILITIES.join(", ")}`,
  ),
};
