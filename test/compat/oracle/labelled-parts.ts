/**
 * Finds the parts of a message that have their own stability: `x-stability` of a field, of items, or of the definition
 * that these refer to. Checks whether a message has such a part, and creates a schema that accepts any value for it.
 */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { getList, getObject } from "./protocol-files.js";
import { IN_PLACE_LISTS, IN_PLACE_SINGLES, mapSubschemas } from "./read-messages.js";

/** One step into a message. */
export type Step =
  | { readonly to: "field"; readonly name: string }
  | { readonly to: "item" }
  | { readonly to: "tuple"; readonly index: number }
  | { readonly to: "values" };

/** Collects the parts of a message schema that have one of these labels. Parts inside of a labelled part are not listed. */
export function collectLabelledParts(
  schema: Json,
  labels: readonly string[],
  steps: readonly Step[] = [],
): (readonly Step[])[] {
  if (!isObject(schema)) return [];
  const found: (readonly Step[])[] = [];
  const enter = (step: Step, below: Json): void => {
    const path = [...steps, step];
    if (isObject(below) && labels.includes(String(below["x-stability"]))) found.push(path);
    else found.push(...collectLabelledParts(below, labels, path));
  };
  for (const [name, below] of Object.entries(getObject(schema, "properties")))
    enter({ to: "field", name }, below);
  if (schema.items !== undefined) enter({ to: "item" }, schema.items);
  if (schema.additionalProperties !== undefined) enter({ to: "values" }, schema.additionalProperties);
  for (const [index, below] of getList(schema, "prefixItems").entries()) enter({ to: "tuple", index }, below);
  const inPlace = [
    ...IN_PLACE_LISTS.flatMap((keyword) => getList(schema, keyword)),
    ...IN_PLACE_SINGLES.flatMap((keyword) => schema[keyword] ?? []),
    ...Object.values(getObject(schema, "dependentSchemas")),
  ];
  for (const below of inPlace) found.push(...collectLabelledParts(below, labels, steps));
  return found;
}

/** Returns true if a message has a value at the end of `steps`. */
export function hasValueAt(message: Json | undefined, [step, ...rest]: readonly Step[]): boolean {
  if (message === undefined) return false;
  if (!step) return true;
  switch (step.to) {
    case "field":
      return isObject(message) && Object.hasOwn(message, step.name) && hasValueAt(message[step.name], rest);
    case "item":
      return Array.isArray(message) && message.some((item) => hasValueAt(item, rest));
    case "tuple":
      return Array.isArray(message) && hasValueAt(message[step.index], rest);
    case "values":
      return isObject(message) && Object.values(message).some((value) => hasValueAt(value, rest));
  }
}

/** Returns a message schema in which the value at the end of `steps` may be absent or anything. */
export function relaxPart(schema: Json, steps: readonly Step[], isWhole = true): Json {
  const [step, ...rest] = steps;
  if (!isObject(schema) || !step) return schema;
  const { oneOf, ...inner } = mapSubschemas(schema, (below, keyword) =>
    RELAXED_IN_PLACE.has(keyword) ? relaxPart(below, steps, false) : below,
  );
  // If an alternative of oneOf accepts more values, oneOf could accept fewer. Therefore anyOf replaces it.
  const relaxed: JsonObject =
    oneOf === undefined ? inner : { ...inner, allOf: [...getList(inner, "allOf"), { anyOf: oneOf }] };
  const next = (below: Json): Json => (rest.length === 0 ? {} : relaxPart(below, rest));
  switch (step.to) {
    case "field":
      return relaxField(relaxed, step.name, next, rest.length === 0, isWhole);
    case "item":
      return relaxed.items === undefined ? relaxed : { ...relaxed, items: next(relaxed.items) };
    case "tuple": {
      const items = getList(relaxed, "prefixItems");
      if (items.length <= step.index) return relaxed;
      return {
        ...relaxed,
        prefixItems: items.map((item, index) => (index === step.index ? next(item) : item)),
      };
    }
    case "values":
      return relaxed.additionalProperties === undefined
        ? relaxed
        : { ...relaxed, additionalProperties: next(relaxed.additionalProperties) };
  }
}

function relaxField(
  schema: JsonObject,
  name: string,
  next: (below: Json) => Json,
  isLast: boolean,
  isWhole: boolean,
): JsonObject {
  const properties = getObject(schema, "properties");
  const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const below = declared === undefined ? (isLast && isWhole ? {} : undefined) : next(declared);
  const dependent = Object.entries(getObject(schema, "dependentRequired"));
  return {
    ...schema,
    ...(below !== undefined && { properties: { ...properties, [name]: below } }),
    ...(isLast && Array.isArray(schema.required) && { required: omitName(schema.required, name) }),
    ...(isLast &&
      dependent.length > 0 && {
        dependentRequired: Object.fromEntries(dependent.map(([key, names]) => [key, omitName(names, name)])),
      }),
  };
}

const RELAXED_IN_PLACE = new Set<string>([
  ...IN_PLACE_LISTS,
  ...IN_PLACE_SINGLES,
  "dependentSchemas",
  "x-writer",
]);

function omitName(names: Json, name: string): Json {
  return Array.isArray(names) ? names.filter((each) => each !== name) : names;
}
