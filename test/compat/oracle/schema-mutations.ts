/** Mutations of one schema. */
import { isObject, type Json } from "../../../generator/json.js";
import type { Random } from "../../../generator/random.js";
import { type Draft, ENVELOPE, MANIFEST, type ProtocolFiles, readLayout, SHARED } from "./protocol-files.js";
import {
  addRandomLabel,
  createRandomObject,
  createRandomScalar,
  createRandomSchema,
  DEFINITIONS,
  STABILITIES,
} from "./random-protocol.js";
import type { Editable, Place } from "./schema-places.js";

/** The draft that a mutation edits, and the source of its random choices. */
export type MutationContext = { readonly random: Random; readonly draft: Draft };

/** The result of a mutation; false if it does not apply. */
// biome-ignore lint/suspicious/noConfusingVoidType: most mutations always apply and return nothing
export type MutationResult = boolean | void;

/** A mutation of one schema. */
export type SchemaMutation = (place: Place, context: MutationContext) => MutationResult;

/** Returns true if a schema declares fields itself. */
export const hasFields = ({ schema }: Place): boolean => isObject(schema.properties);
const EXPERIMENTAL = { "x-stability": "experimental" };

function listFields({ schema }: Place): string[] {
  return Object.keys(schema.properties ?? {});
}

/** Requires a field of an object. */
export function requireField(schema: Editable, name: string): void {
  schema.required = [...new Set([...(schema.required ?? []), name])];
}

/** Makes a field of an object optional. */
export function makeFieldOptional(schema: Editable, name: string): void {
  schema.required = (schema.required ?? []).filter((each: string) => each !== name);
  if (schema.required.length === 0) delete schema.required;
}

/** Picks a field that a mutation may change, but none that the layout of messages names. */
function pickField(place: Place, { random, draft }: MutationContext): string | undefined {
  const { discriminator, property } = readLayout(draft as ProtocolFiles);
  const fixed = place.file === ENVELOPE ? [discriminator, property] : [];
  const free = listFields(place).filter((name) => !fixed.includes(name));
  return free.length > 0 ? random.pick(free) : undefined;
}

const NEW_FIELDS = ["fresh", "added", "tenant"];

/** Adds a field to an object that has none of its name. */
export function addField(
  place: Place,
  { random }: MutationContext,
  isRequired: boolean,
  label: object,
): boolean {
  const name = random.pick(NEW_FIELDS);
  if (!hasFields(place) || listFields(place).includes(name)) return false;
  place.schema.properties[name] = { ...createRandomSchema(random, 1), description: "New.", ...label };
  if (isRequired) requireField(place.schema, name);
  return true;
}

/** Creates a mutation that changes a random field of an object. */
function createFieldMutation(
  change: (schema: Editable, name: string, context: MutationContext, place: Place) => MutationResult,
): SchemaMutation {
  return (place, context) => {
    const name = hasFields(place) ? pickField(place, context) : undefined;
    return name === undefined ? false : change(place.schema, name, context, place);
  };
}

const BOUNDS = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "multipleOf",
  "minProperties",
  "maxProperties",
  "exclusiveMinimum",
  "exclusiveMaximum",
];
const NEW_BOUNDS: { readonly [type: string]: readonly string[] } = {
  string: ["minLength", "maxLength"],
  integer: ["minimum", "maximum", "multipleOf", "exclusiveMinimum"],
  number: ["minimum", "maximum", "multipleOf"],
  array: ["minItems", "maxItems", "uniqueItems"],
  object: ["minProperties", "maxProperties"],
};

/** The mutations of one schema, by name. */
export const SCHEMA_MUTATIONS: { readonly [name: string]: SchemaMutation } = {
  "add an optional field": (place, context) => addField(place, context, false, {}),
  "add an optional experimental field": (place, context) => addField(place, context, false, EXPERIMENTAL),
  "add a required field": (place, context) => addField(place, context, true, {}),
  "add a required experimental field": (place, context) => addField(place, context, true, EXPERIMENTAL),
  "remove a field": createFieldMutation((schema, name) => {
    delete schema.properties[name];
    makeFieldOptional(schema, name);
  }),
  "remove a field with a tombstone": createFieldMutation((schema, name, { draft }, { file }) => {
    delete schema.properties[name];
    makeFieldOptional(schema, name);
    addTombstone(draft, {
      kind: "field",
      name,
      ...(file.startsWith("events/") && { in: parseEventType(file) }),
    });
  }),
  "rename a field": createFieldMutation((schema, name, { random }) => {
    const to = random.pick(NEW_FIELDS);
    if (schema.properties[to] !== undefined) return false;
    const declared = random.chance(0.5) ? { "x-renamed-from": name } : {};
    schema.properties[to] = { ...schema.properties[name], ...declared };
    delete schema.properties[name];
    if (schema.required?.includes(name)) requireField(schema, to);
    makeFieldOptional(schema, name);
  }),
  "require a field": createFieldMutation((schema, name) => {
    if (schema.required?.includes(name)) return false;
    requireField(schema, name);
  }),
  "make a field optional": createFieldMutation((schema, name) => {
    if (!schema.required?.includes(name)) return false;
    makeFieldOptional(schema, name);
  }),
  "replace a field": createFieldMutation((schema, name, { random }) => {
    const label = schema.properties[name]?.["x-stability"];
    schema.properties[name] = {
      ...createRandomSchema(random, 1),
      description: "Other.",
      ...(label !== undefined && random.chance(0.7) && { "x-stability": label }),
    };
  }),
  "set the stability of a field": createFieldMutation((schema, name, { random }) => {
    schema.properties[name]["x-stability"] = random.pick(STABILITIES);
  }),
  "make one field depend on another": createFieldMutation((schema, name, { random }) => {
    const other = random.pick(Object.keys(schema.properties));
    if (other === name) return false;
    schema.dependentRequired = { ...schema.dependentRequired, [name]: [other] };
  }),
  "add a condition": createFieldMutation((schema, name, { random }, { file }) => {
    if (schema.if !== undefined || file === ENVELOPE) return false;
    const other = random.pick(Object.keys(schema.properties));
    schema.if = random.chance(0.5) ? { required: [name] } : { properties: { [name]: { const: "x" } } };
    schema[random.pick(["then", "else"])] = random.chance(0.5)
      ? { required: [other] }
      : { properties: { [other]: createRandomScalar(random) } };
  }),
  "remove the conditions": ({ schema }) => {
    const condition = ["if", "dependentRequired", "not", "propertyNames", "contains"].filter(
      (k) => k in schema,
    );
    if (condition.length === 0) return false;
    for (const keyword of [...condition, "then", "else"]) delete schema[keyword];
  },
  "forbid a field": createFieldMutation((schema, name, { random }, { file }) => {
    if (schema.not !== undefined || file === ENVELOPE) return false;
    schema.not = random.chance(0.5)
      ? { required: [name] }
      : { properties: { [name]: { const: "x" } }, required: [name] };
  }),
  "limit the names of fields": (place, { random }) => {
    if (!hasFields(place) || place.kind === "root") return false;
    place.schema.propertyNames = random.chance(0.5) ? { maxLength: 4 } : { pattern: "^[a-z]" };
  },
  "open or close an object": ({ schema, kind, file }, { random }) => {
    if (!isObject(schema.properties) || (kind === "root" && file === ENVELOPE)) return false;
    if (schema.additionalProperties !== undefined) delete schema.additionalProperties;
    else schema.additionalProperties = random.chance(0.6) ? true : createRandomScalar(random);
  },
  "wrap the fields in allOf": ({ schema, file }) => {
    if (!isObject(schema.properties) || file === ENVELOPE || schema.additionalProperties !== undefined)
      return false;
    const { properties, required } = schema;
    schema.allOf = [...(schema.allOf ?? []), { properties, ...(required && { required }) }];
    delete schema.properties;
    delete schema.required;
  },
  "move a bound": ({ schema }, { random }) => {
    const present = BOUNDS.filter((keyword) => typeof schema[keyword] === "number");
    if (present.length === 0) return false;
    const keyword = random.pick(present);
    schema[keyword] = Math.max(keyword === "multipleOf" ? 1 : 0, schema[keyword] + random.pick([-1, 1]));
  },
  "remove a bound": ({ schema }, { random }) => {
    const present = [...BOUNDS, "pattern", "uniqueItems"].filter((keyword) => schema[keyword] !== undefined);
    if (present.length === 0) return false;
    delete schema[random.pick(present)];
  },
  "add a bound": ({ schema, kind, file }, { random }) => {
    const type = [schema.type].flat().find((each) => NEW_BOUNDS[String(each)]);
    if (type === undefined || (kind === "root" && file === ENVELOPE)) return false;
    const keyword = random.pick(NEW_BOUNDS[type] ?? []);
    if (schema[keyword] !== undefined) return false;
    schema[keyword] = keyword === "uniqueItems" ? true : 1 + random.below(3);
  },
  "change the type": (place, { random }) => {
    const { schema } = place;
    if (schema.type === undefined || place.kind === "root") return false;
    schema.type = random.pick(["string", "integer", "number", "boolean", "array", "object"]);
  },
  "widen the type": ({ schema, kind }, { random }) => {
    if (schema.type === undefined || kind === "root") return false;
    const more = random.pick(["null", "null", "integer", "number", "boolean", "string", "object"]);
    schema.type = [...new Set([schema.type, more].flat())];
  },
  "narrow the type": ({ schema }, { random }) => {
    if (!Array.isArray(schema.type) || schema.type.length < 2) return false;
    schema.type = random.pick(schema.type);
  },
  "remove the type": ({ schema, kind }) => {
    if (kind === "root" || schema.type === undefined) return false;
    delete schema.type;
  },
  "change the values": ({ schema }, { random }) => {
    const keyword = ["enum", "x-extensible-enum"].find((each) => Array.isArray(schema[each]));
    if (keyword === undefined) {
      if (schema.const === undefined) return false;
      if (random.chance(0.5)) schema.const = random.pick(["x", "y", "ab", 1]);
      else {
        schema.enum = [schema.const, "new"];
        delete schema.const;
      }
      return true;
    }
    const values: Json[] = schema[keyword];
    const kept = random.chance(0.5) ? values : values.slice(1);
    schema[keyword] = kept.length === 0 || random.chance(0.6) ? [...kept, random.pick(["new", "ab1"])] : kept;
    return JSON.stringify(values) !== JSON.stringify(schema[keyword]);
  },
  "open or close an enum": ({ schema }) => {
    const [from, to] = Array.isArray(schema.enum)
      ? ["enum", "x-extensible-enum"]
      : ["x-extensible-enum", "enum"];
    if (!Array.isArray(schema[from])) return false;
    schema[to] = schema[from];
    delete schema[from];
    schema.type ??= "string";
  },
  "change the writer's rule": ({ schema, kind }, { random }) => {
    if (schema["x-writer"] !== undefined) {
      if (random.chance(0.5)) delete schema["x-writer"];
      else schema["x-writer"] = { maxLength: 1 };
    } else if (kind !== "root")
      schema["x-writer"] = random.pick([{ maxLength: 2 }, { minimum: 2 }, { not: { const: "x" } }]);
    else return false;
  },
  "set or remove the stability": ({ schema, kind }, { random }) => {
    if (kind === "branch") return false;
    if (schema["x-stability"] !== undefined && kind !== "root" && random.chance(0.5))
      delete schema["x-stability"];
    else schema["x-stability"] = random.pick(STABILITIES);
  },
  "add an alternative": ({ schema }, { random }) => {
    const keyword = ["anyOf", "oneOf"].find((each) => Array.isArray(schema[each]));
    if (keyword === undefined) return false;
    schema[keyword].push(random.pick([{ type: "null" }, { type: "boolean" }, createRandomObject(random, 0)]));
  },
  "remove an alternative": ({ schema }) => {
    const keyword = ["anyOf", "oneOf", "allOf"].find((each) => schema[each]?.length > 1);
    if (keyword === undefined) return false;
    schema[keyword].pop();
  },
  "exchange anyOf and oneOf": ({ schema }) => {
    const [from, to] = Array.isArray(schema.anyOf) ? ["anyOf", "oneOf"] : ["oneOf", "anyOf"];
    if (!Array.isArray(schema[from])) return false;
    schema[to] = schema[from];
    delete schema[from];
  },
  "wrap the schema in an alternative": ({ schema, kind, replace }, { random }) => {
    if (kind !== "field" && kind !== "item") return false;
    const { description, "x-stability": label, ...rest } = schema;
    replace({
      [random.pick(["anyOf", "oneOf"])]: [rest, createRandomScalar(random)],
      description,
      ...(label !== undefined && { "x-stability": label }),
    });
  },
  "change the items": ({ schema }, { random }) => {
    if (schema.items === undefined && schema.prefixItems === undefined) return false;
    const choice = random.below(4);
    if (choice === 0 && isObject(schema.items)) {
      schema.prefixItems = [schema.items];
      delete schema.items;
    } else if (choice === 1) schema.contains = createRandomScalar(random);
    else if (schema.items !== undefined) schema.items = addRandomLabel(random, createRandomSchema(random, 0));
    else schema.prefixItems[0] = addRandomLabel(random, createRandomSchema(random, 0));
  },
  "describe the fields of any value": ({ schema, kind }, { random }) => {
    const isFree = ["type", "properties", "$ref", "const", "enum", "items"].every(
      (each) => schema[each] === undefined,
    );
    if (!isFree || (kind !== "field" && kind !== "item")) return false;
    schema.properties = createRandomObject(random, 0).properties;
  },
  "add a rule to allOf": ({ schema, kind }, { random }) => {
    if (kind === "root" || kind === "branch") return false;
    const rule = random.pick([
      { maxLength: 2 },
      { multipleOf: 2 },
      { pattern: "^x" },
      { minProperties: 1 },
      { minItems: 1 },
    ]);
    const list: Json[] = schema.allOf ?? [];
    schema.allOf = random.chance(0.5) ? [...list, rule] : [...list, { not: rule }];
  },
  "refer to a definition": ({ kind, replace, schema }, { random }) => {
    if (kind !== "field" && kind !== "item") return false;
    const label = schema["x-stability"];
    replace({
      $ref: `definition:${random.pick(DEFINITIONS)}`,
      description: "Shared.",
      ...(label !== undefined && random.chance(0.5) && { "x-stability": label }),
    });
  },
  "extract a definition": ({ kind, schema, replace }, { random, draft }) => {
    if (kind !== "field" || schema.$ref !== undefined || JSON.stringify(schema).includes("$ref"))
      return false;
    const { description, ...rest } = schema;
    draft[SHARED].$defs.Extracted = rest;
    replace({ $ref: "definition:Extracted", ...(random.chance(0.5) && { description }) });
  },
};

/** Adds a tombstone of the current version. */
export function addTombstone(draft: Draft, tombstone: object): void {
  const manifest = draft[MANIFEST];
  manifest.tombstones = [
    ...(manifest.tombstones ?? []),
    { ...tombstone, removedIn: manifest.version, reason: "Nobody drinks it." },
  ];
}

/** Returns the event type whose payload a file holds. */
function parseEventType(file: string): string {
  return file.slice("events/".length, -".schema.json".length);
}
