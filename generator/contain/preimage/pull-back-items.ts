/** Pulls a condition on a list back through a change of each of its items. */
import { type Json, type JsonObject, listItems } from "../../json.js";
import { readSubschema, type Schema } from "../../schema/json-schema.js";
import { and, implies, or } from "./predicate.js";
import { type Context, InexpressibleCondition, pullBackKeywords } from "./pull-back-keywords.js";

/** Returns the condition on an item before the change from the one after it; exactly that one if `isExact`. */
type PullBackItem = (schema: Schema, isExact: boolean) => Schema;

/**
 * Returns the condition that a value must meet so that it satisfies `schema` after its items were changed. A value that is not
 * a list does not change.
 */
export function pullBackItems(schema: Schema, context: Context, pullItem: PullBackItem): Schema {
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
