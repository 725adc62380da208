/** Pulls a condition on a list or a map back through a change of some or all of its values. */
import {
  createObject,
  getMembers,
  isObject,
  type Json,
  type JsonObject,
  listItems,
  mapValues,
} from "../../json.js";
import { readSubschema, type Schema } from "../../schema/json-schema.js";
import { and, implies, or } from "./predicate.js";
import { type Context, InexpressibleCondition, pullBackKeywords } from "./pull-back-keywords.js";

/** Returns the condition on a value before the change from the one after it; exactly that one if `isExact`. */
type PullBackItem = (schema: Schema, isExact: boolean) => Schema;

/**
 * Returns the condition that a value must meet so that it satisfies `schema` after its items were changed. A value that is not
 * a list does not change.
 */
function pullBackItems(schema: Schema, context: Context, pullItem: PullBackItem): Schema {
  if (typeof schema === "boolean") return schema;
  const changed = pullBackList(schema, context, pullItem);
  return schema.type === "array"
    ? and(IS_LIST, changed)
    : and(implies(IS_LIST, changed), or(IS_LIST, schema));
}

const IS_LIST: JsonObject = { type: "array" };

/** Returns the condition that a list must meet. */
function pullBackList(schema: Schema, context: Context, pullItem: PullBackItem): Schema {
  return pullBackKeywords(
    schema,
    context,
    (part, inner) => pullBackList(part, inner, pullItem),
    (keyword, value, siblings) => pullBackKeyword(keyword, value, siblings, context, pullItem),
  );
}

function pullBackKeyword(
  keyword: string,
  value: Json,
  schema: JsonObject,
  context: Context,
  pullItem: PullBackItem,
): Schema {
  const pull = (sub: Json, isExact = context.isExact): Json => pullItem(readSubschema(sub), isExact);
  switch (keyword) {
    case "type":
      return [value].flat().includes("array");
    case "minItems":
    case "maxItems":
      return { [keyword]: value };
    case "prefixItems":
      return { prefixItems: listItems(value).map((each) => pull(each)) };
    case "items": {
      const others = listItems(schema.prefixItems).map(() => true);
      return { ...(others.length > 0 && { prefixItems: others }), items: pull(value) };
    }
    case "contains": {
      const { minContains, maxContains } = schema;
      return {
        contains: pull(value, context.isExact || maxContains !== undefined),
        ...(minContains !== undefined && { minContains }),
        ...(maxContains !== undefined && { maxContains }),
      };
    }
    case "uniqueItems":
      if (value === false) return true;
      break;
    case "unevaluatedItems":
      break;
    case "const":
    case "enum":
      if (!(keyword === "const" ? [value] : listItems(value)).some(Array.isArray)) return false;
      break;
    default:
      return true;
  }
  throw new InexpressibleCondition(`${keyword} constrains a list whose items change`);
}

/** The items of a list that change: the one at `start`, or all from there on. */
interface Positions {
  readonly start: number;
  readonly isOpen: boolean;
}

/** Returns the condition on items from the one that each item must meet, by its position. Items at the end have the position `count`. */
function placeItems(count: number, pull: (index: number) => Schema): JsonObject {
  const prefixItems = Array.from({ length: count }, (_, index) => pull(index));
  return { ...(count > 0 && { prefixItems }), items: pull(count) };
}

/** Returns the condition that each item that changes meets a condition. */
export function holdsAtPositions({ start, isOpen }: Positions, condition: Schema): JsonObject {
  return placeItems(isOpen ? start : start + 1, (index) => (index === start ? condition : true));
}

/** Returns the condition that a value must meet so that it satisfies `schema` after some of its items were changed. */
export function pullBackPositions(
  schema: Schema,
  positions: Positions,
  context: Context,
  pullItem: PullBackItem,
): Schema {
  const { start, isOpen } = positions;
  if (typeof schema === "boolean") return schema;
  if (start === 0 && isOpen) return pullBackItems(schema, context, pullItem);
  const pullKeyword = (keyword: string, value: Json, siblings: JsonObject): Schema => {
    if (keyword === "contains" || keyword === "unevaluatedItems")
      throw new InexpressibleCondition(`${keyword} constrains a list of which some items change`);
    if (keyword !== "prefixItems" && keyword !== "items")
      return pullBackKeyword(keyword, value, siblings, context, pullItem);
    if (keyword === "prefixItems" && siblings.items !== undefined) return true;
    const prefix = listItems(siblings.prefixItems);
    const count = Math.max(prefix.length, isOpen ? start : start + 1);
    return placeItems(count, (index) => {
      const item = readSubschema(prefix[index] ?? siblings.items ?? true);
      const isChanged = isOpen ? index >= start : index === start;
      return isChanged ? pullItem(item, context.isExact) : item;
    });
  };
  const pullList = (part: Schema, inner: Context): Schema =>
    pullBackKeywords(part, inner, pullList, pullKeyword);
  const changed = pullList(schema, context);
  return and(implies(IS_LIST, changed), or(IS_LIST, schema));
}

const IS_MAP: JsonObject = { type: "object" };

/** Returns the condition that a value must meet so that it satisfies `schema` after the values of the map were changed. */
export function pullBackMembers(schema: Schema, context: Context, pullValue: PullBackItem): Schema {
  if (typeof schema === "boolean") return schema;
  const pull = (sub: Json): Json => pullValue(readSubschema(sub), context.isExact);
  const pullKeyword = (keyword: string, value: Json): Schema => {
    switch (keyword) {
      case "type":
        return [value].flat().includes("object");
      case "properties":
      case "patternProperties":
        return { [keyword]: mapValues(getMembers(value), pull) };
      case "required":
      case "minProperties":
      case "maxProperties":
      case "propertyNames":
      case "dependentRequired":
        return { [keyword]: value };
      case "additionalProperties":
        return true;
      case "const":
      case "enum":
        if (!(keyword === "const" ? [value] : listItems(value)).some(isObject)) return false;
        break;
      case "dependentSchemas":
      case "unevaluatedProperties":
        break;
      default:
        return true;
    }
    throw new InexpressibleCondition(`${keyword} constrains a map whose values change`);
  };
  const pullMap = (part: Schema, inner: Context): Schema => {
    const others = typeof part === "boolean" ? undefined : part.additionalProperties;
    const pulled = pullBackKeywords(part, inner, pullMap, pullKeyword);
    if (typeof part === "boolean" || others === undefined) return pulled;
    const accepted = (members: Json | undefined) =>
      createObject(Object.keys(getMembers(members)).map((name) => [name, true] as const));
    return and(pulled, {
      properties: accepted(part.properties),
      patternProperties: accepted(part.patternProperties),
      additionalProperties: pullValue(readSubschema(others), inner.isExact),
    });
  };
  return and(implies(IS_MAP, pullMap(schema, context)), or(IS_MAP, schema));
}
