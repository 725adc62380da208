/**
 * Describes what is certain about the fields of a value: which ones are always or never there, and which ones are objects.
 * Conditions become much smaller where this is known.
 */
import { getMembers, getOwn, isObject, type Json, type JsonObject, listItems } from "../../json.js";
import { readSubschema, type Schema } from "../../schema/json-schema.js";
import { readListedValues } from "../../schema/listed-values.js";
import { getTargetName } from "../../schema/reference.js";

/** The names that lead from an event to a value. */
export type Path = readonly string[];

/** How often something is the case. */
type Frequency = "always" | "never" | "maybe";

/** What is certain about a value. */
export interface Facts {
  /** How often the value is there, if the object that may hold it is there. */
  readonly presence: Frequency;
  /** How often the value is an object, if it is there. */
  readonly isObject: Frequency;
  readonly members: ReadonlyMap<string, Facts>;
  /** True if the value may have other members than `members`. */
  readonly hasOthers: boolean;
  /** The items of the value if it is a list. Nothing is certain about them if this is absent. */
  readonly items?: Facts | undefined;
  /** The schemas that the value satisfies; absent if the value or a part of it was changed. */
  readonly schemas?: readonly JsonObject[] | undefined;
}

export const ANYTHING: Facts = { presence: "maybe", isObject: "maybe", members: new Map(), hasOthers: true };
export const NOTHING: Facts = { presence: "never", isObject: "never", members: new Map(), hasOthers: false };
const EMPTY_OBJECT: Facts = { ...NOTHING, presence: "always", isObject: "always" };
export const SCALAR: Facts = { presence: "always", isObject: "never", members: new Map(), hasOthers: false };

/** The definitions to which the references of a schema lead. */
export type Definitions = { readonly [name: string]: Schema };

/** Returns the shape of the values that a schema accepts. */
export function describeFacts(schema: Schema, definitions: Definitions): Facts {
  const describe = createDescriber(definitions);
  return { ...describe([schema], []), presence: "always" };
}

/** The most parts of a value that are described. About any others nothing is certain. */
const MAX_PARTS = 5_000;

/**
 * Returns a function that returns the shape of the values that all schemas accept. A schema among its own `ancestors` is not
 * entered again.
 */
function createDescriber(definitions: Definitions) {
  let partsLeft = MAX_PARTS;
  const describe = (schemas: readonly Schema[], ancestors: readonly JsonObject[]): Facts => {
    const parts = schemas.flatMap((schema) => listConjuncts(schema, definitions));
    partsLeft--;
    if (partsLeft < 0 || parts.some((part) => ancestors.includes(part)))
      return { ...ANYTHING, schemas: parts };
    return describeParts(parts, definitions, (below) => describe(below, [...ancestors, ...parts]));
  };
  return describe;
}

/** Returns the shape of the values that all of these conjuncts accept. `describe` describes the parts of the value. */
function describeParts(
  parts: readonly JsonObject[],
  definitions: Definitions,
  describe: (schemas: readonly Schema[]) => Facts,
): Facts {
  const closings = parts.flatMap((part) => {
    const names = listClosedNames(part, definitions);
    return names === undefined ? [] : [new Set(names)];
  });
  const properties = parts.map((part) => getMembers(part.properties));
  const names = [...closings.flatMap((each) => [...each]), ...properties.flatMap(Object.keys)];
  const required = new Set(parts.flatMap((part) => listItems(part.required).map(String)));
  const members = [...new Set(names)].map((name): [string, Facts] => {
    if (!closings.every((each) => each.has(name))) return [name, NOTHING];
    const declarations = properties.map((each) => readSubschema(getOwn(each, name)));
    const member = describe(declarations);
    return [name, { ...member, presence: required.has(name) ? "always" : "maybe" }];
  });
  const itemSchemas = parts
    .filter(({ items, prefixItems }) => items !== undefined && prefixItems === undefined)
    .map(({ items }) => readSubschema(items));
  return {
    presence: "maybe",
    isObject: decideObject(parts, definitions),
    members: new Map(members),
    hasOthers: closings.length === 0,
    schemas: parts,
    ...(itemSchemas.length > 0 && {
      items: describe(itemSchemas),
    }),
  };
}

function decideObject(parts: readonly JsonObject[], definitions: Definitions, depth = 0): Frequency {
  const types = parts.filter(({ type }) => type !== undefined).map(({ type }) => [type].flat());
  if (types.some((list) => !list.includes("object"))) return "never";
  const values = parts.flatMap((part) => readListedValues(part));
  if (values.some(({ values: list }) => !list.some((each) => isObject(each)))) return "never";
  if (types.some((list) => list.length === 1)) return "always";
  const unions =
    depth >= MAX_UNION_DEPTH ? [] : parts.flatMap(({ anyOf, oneOf }) => [listItems(anyOf), listItems(oneOf)]);
  for (const branches of unions) {
    const found = new Set(
      branches.map((branch) =>
        decideObject(listConjuncts(readSubschema(branch), definitions), definitions, depth + 1),
      ),
    );
    const [only, ...others] = found;
    if (only !== undefined && only !== "maybe" && others.length === 0) return only;
  }
  return "maybe";
}

/** How deep unions in unions are entered, which may be branches of themselves. */
const MAX_UNION_DEPTH = 3;

/** Returns the object schemas that certainly apply to a value of `schema`, each once. */
export function listConjuncts(
  schema: Schema,
  definitions: Definitions,
  found: Set<JsonObject> = new Set(),
): readonly JsonObject[] {
  if (typeof schema === "boolean" || found.has(schema)) return [...found];
  found.add(schema);
  const target = getTargetName(schema);
  if (target !== undefined) listConjuncts(definitions[target] ?? true, definitions, found);
  for (const part of listItems(schema.allOf).map(readSubschema)) listConjuncts(part, definitions, found);
  return [...found];
}

/** Returns the names of the fields that objects of a closed schema may have; undefined if the schema does not close them. */
function listClosedNames(schema: JsonObject, definitions: Definitions): readonly string[] | undefined {
  if (schema.additionalProperties === false)
    return schema.patternProperties === undefined ? Object.keys(getMembers(schema.properties)) : undefined;
  if (schema.unevaluatedProperties !== false) return undefined;
  const { unevaluatedProperties: _closing, ...family } = schema;
  return listFamilyNames(family, definitions);
}

/** Keywords that hold lists of schemas, and single ones, which apply to the same value. */
const LIST_KEYWORDS = ["allOf", "anyOf", "oneOf"] as const;
const CONDITION_KEYWORDS = ["if", "then", "else"] as const;

/** Returns the names of the fields that a schema and its parts declare; undefined if they accept others, too. */
export function listFamilyNames(
  schema: Json | undefined,
  definitions: Definitions,
): readonly string[] | undefined {
  if (!isObject(schema)) return [];
  if ([schema.patternProperties, schema.additionalProperties, schema.unevaluatedProperties].some(isDefined))
    return undefined;
  const target = getTargetName(schema);
  const parts = [
    target === undefined ? undefined : (definitions[target] ?? true),
    ...LIST_KEYWORDS.flatMap((keyword) => listItems(schema[keyword])),
    ...CONDITION_KEYWORDS.map((keyword) => schema[keyword]),
    ...Object.values(getMembers(schema.dependentSchemas)),
  ].map((part) => listFamilyNames(part, definitions));
  if (!parts.every(isDefined)) return undefined;
  return [...Object.keys(getMembers(schema.properties)), ...parts.flat()];
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Returns the shape of the value at a place, with its presence in the event. */
export function findShape(shape: Facts, [name, ...rest]: Path): Facts {
  if (name === undefined || shape.presence === "never" || shape.isObject === "never")
    return name === undefined ? shape : NOTHING;
  const member = findMember(shape, name);
  const isCertain = shape.presence === "always" && shape.isObject === "always";
  const presence = member.presence === "always" && !isCertain ? "maybe" : member.presence;
  return findShape({ ...member, presence }, rest);
}

function findMember(shape: Facts, name: string): Facts {
  return shape.members.get(name) ?? (shape.hasOthers ? ANYTHING : NOTHING);
}

/**
 * Returns the shape with another shape of the value at a place, which was removed or replaced by another value. The
 * presence of `value` is its presence in the event.
 */
export function replaceShape(shape: Facts, [name, ...rest]: Path, value: Facts): Facts {
  if (name === undefined) return value;
  const members = new Map(shape.members).set(name, replaceShape(findMember(shape, name), rest, value));
  return { ...shape, members, schemas: undefined };
}

/** Returns the shape with a value that was added at a place. Objects on the way are created where they are absent. */
export function addShape(shape: Facts, [name, ...rest]: Path, value: Facts): Facts {
  if (name === undefined) return value;
  const object = shape.presence === "always" ? shape : joinShapes(shape, EMPTY_OBJECT);
  const members = new Map(object.members).set(name, addShape(findMember(object, name), rest, value));
  return value.presence === "always"
    ? { ...object, members, presence: "always", isObject: "always", schemas: undefined }
    : { ...object, members, schemas: undefined };
}

/** Returns the shape of an object with an item of a list as its only member. */
export function wrapItem({ items = ANYTHING }: Facts, name: string): Facts {
  return { ...EMPTY_OBJECT, members: new Map([[name, { ...items, presence: "always" as const }]]) };
}

function joinFrequencies(a: Frequency, b: Frequency): Frequency {
  return a === b ? a : "maybe";
}

/** Returns the shape of values that have one of two shapes. */
export function joinShapes(a: Facts, b: Facts): Facts {
  const presence = joinFrequencies(a.presence, b.presence);
  if (a.presence === "never") return { ...b, presence };
  if (b.presence === "never") return { ...a, presence };
  const names = new Set([...a.members.keys(), ...b.members.keys()]);
  return {
    presence,
    isObject: joinFrequencies(a.isObject, b.isObject),
    members: new Map([...names].map((name) => [name, joinShapes(findMember(a, name), findMember(b, name))])),
    hasOthers: a.hasOthers || b.hasOthers,
    items: a.items && b.items && joinShapes(a.items, b.items),
  };
}
