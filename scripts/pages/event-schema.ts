/** Writes the metaschema of the schema files of a protocol, with which editors complete, explain and check keywords. */
import type { JsonObject } from "../../generator/json.js";
import { SCHEMA_URI } from "../../generator/schema/dialects.js";
import { FORMATS } from "../../generator/schema/formats.js";
import { EVERY_TYPE } from "../../generator/schema/json-schema.js";
import { getKeywords, type ValueKind } from "../../generator/schema/keywords.js";

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const names = { type: "array", items: text, uniqueItems: true };
const schema = { $ref: "#/$defs/schema" };
const typeName = { enum: [...EVERY_TYPE] };

/** The schema of each kind of value that a keyword has. Kinds of older dialects have the form of 2020-12. */
const VALUES: { readonly [K in ValueKind]: JsonObject } = {
  any: {},
  boolean: { type: "boolean" },
  string: text,
  text: { type: "string", minLength: 1 },
  "text or null": { type: ["string", "null"], minLength: 1 },
  regex: { type: "string", format: "regex" },
  format: { type: "string", examples: [...FORMATS.keys()] },
  dialect: text,
  stability: { enum: ["experimental", "candidate", "stable"] },
  number: { type: "number" },
  limit: { type: "number" },
  positive: { type: "number", exclusiveMinimum: 0 },
  count,
  array: { type: "array" },
  names,
  "name map": { type: "object", additionalProperties: names },
  "flag map": { type: "object", additionalProperties: { type: "boolean" } },
  type: { anyOf: [typeName, { type: "array", items: typeName, minItems: 1, uniqueItems: true }] },
  values: { type: "array" },
  identifier: text,
  anchor: { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" },
  schema,
  list: { type: "array", items: schema, minItems: 1 },
  map: { type: "object", additionalProperties: schema },
  "schema or list": schema,
  "map of schema or list": { type: "object", additionalProperties: { anyOf: [schema, names] } },
};

const DESCRIPTIONS: { readonly [keyword: string]: string } = {
  $schema: "This metaschema, or JSON Schema 2020-12.",
  $comment: "A note for authors. Nothing reads it.",
  $ref: "The schema that applies here, too: `#/$defs/NAME` or a relative path such as `../shared/ids.schema.json#/$defs/RunId`.",
  $defs: "Schemas by name, to which `$ref` refers.",
  $anchor: "A name by which `$ref` refers to this schema: `#NAME`.",
  title: "One line. The title of an event says what happened.",
  description:
    "When the event is sent, or what the field says. The catalogue and the generated types show it.",
  default: "The value that a reader may assume if the field is absent. It is not filled in.",
  examples: "Events that a writer may send. The catalogue shows them, and `accrete lint` checks them.",
  deprecated: "True if it is still valid and will be removed.",
  readOnly: "True if only the sender sets the value.",
  writeOnly: "True if the value is never sent back.",
  contentEncoding: "The encoding of a string, such as `base64`.",
  contentMediaType: "The media type of the content of a string.",
  contentSchema: "The schema of the content of a string. It is not checked.",
  type: "The types of the value. A payload is an object.",
  const: "The only value.",
  enum: "All values. To add one is a breaking change for readers; `x-extensible-enum` lists values that may be added to.",
  multipleOf: "The number of which the value is a multiple.",
  minimum: "The least number.",
  maximum: "The greatest number.",
  exclusiveMinimum: "The value is greater than this number.",
  exclusiveMaximum: "The value is less than this number.",
  minLength: "The least number of characters.",
  maxLength: "The greatest number of characters.",
  pattern: "A regular expression (with the flag u) that matches somewhere in the string.",
  format: "The format of the string. Both readings check it.",
  minItems: "The least number of items.",
  maxItems: "The greatest number of items.",
  uniqueItems: "True if no two items are equal.",
  minContains: "The least number of items that match `contains`.",
  maxContains: "The greatest number of items that match `contains`.",
  contains: "A schema that at least one item matches.",
  prefixItems: "The schemas of the first items.",
  items: "The schema of all items after those of `prefixItems`.",
  unevaluatedItems: "The schema of the items that no other keyword describes.",
  minProperties: "The least number of fields.",
  maxProperties: "The greatest number of fields.",
  required: "The fields that are always there.",
  properties: "The schemas of fields, by name.",
  patternProperties: "The schemas of fields whose names match a regular expression.",
  additionalProperties:
    "The schema of all other fields. `true` lets writers send fields that are not listed. By default, writers may send listed fields only, and readers accept others.",
  unevaluatedProperties: "The schema of the fields that no other keyword describes.",
  propertyNames: "The schema of all names of fields.",
  allOf: "Schemas that all match.",
  anyOf: "Schemas of which at least one matches.",
  oneOf: "Schemas of which exactly one matches. Readers read it as `anyOf`.",
  then: "The schema that applies if the schema in `if` matches.",
  else: "The schema that applies if the schema in `if` does not match.",
  if: "The condition for `then` and `else`.",
  not: "A schema that does not match.",
  dependentRequired: "The fields that must be there if a field is there.",
  dependentSchemas: "The schema that applies if a field is there.",
  "x-stability": "experimental, candidate or stable. A stable part is never broken within a major version.",
  "x-since": "The release that introduced it.",
  "x-deprecated-since": "The release that deprecated it.",
  "x-replaced-by": "What to use instead; null if nothing replaces it.",
  "x-renamed-from": "The old name.",
  "x-requires": "Something outside of the protocol that must exist before the event is sent.",
  "x-emitted-by": "The runtimes that are known to send the event.",
  "x-source":
    "Where the statements of the schema come from: documents with their sections, or a repository with its revision.",
  "x-group": "The group of the event in the catalogue.",
  "x-type": "The event type, if no file can have its name.",
  "x-payload-property": "The property that holds the payload, in a protocol with keyed payloads.",
  "x-sensitive": "True if `accrete redact` removes the value.",
  "x-replaces": "True if the list is complete, so that it replaces the one before it.",
  "x-known-values": "Values that are known, while a writer may send others.",
  "x-extensible-enum":
    "The known values of an open list. Values may be added later, so readers accept others.",
  "x-writer": "A schema that applies to writers only.",
};

/** Returns the metaschema. Throws an error if a keyword has no description. */
export function createEventSchema(): JsonObject {
  const supported = [...getKeywords()].filter(([, { unsupported }]) => unsupported === undefined);
  const properties = supported.map(([keyword, { value }]) => {
    const description = DESCRIPTIONS[keyword];
    if (description === undefined)
      throw new Error(`scripts/pages/event-schema.ts does not describe ${keyword}`);
    return [keyword, { ...VALUES[value], description }];
  });
  return {
    $schema: SCHEMA_URI["2020-12"],
    title: "A schema of a protocol: of an event, an envelope, a resource or shared definitions",
    ...schema,
    $defs: {
      schema: {
        type: ["object", "boolean"],
        properties: Object.fromEntries(properties),
        patternProperties: { "^x-": {} },
        additionalProperties: false,
      },
    },
  };
}
