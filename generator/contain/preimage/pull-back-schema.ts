/**
 * Pulls a condition on a changed value back: returns the condition that the value before the change must meet so that the
 * value after it meets the given one.
 */
import { createObject, getMembers, isObject, type Json, type JsonObject, listItems } from "../../json.js";
import { readSubschema, type Schema } from "../../schema/json-schema.js";
import { filterKeywords } from "../../schema/keywords.js";
import { getDefinitionName } from "../../schema/reference.js";
import { and, implies, not, or, type Places } from "./predicate.js";
import { listFamilyNames, type Path } from "./presence.js";
import { type Context, InexpressibleCondition, pullBackKeywords } from "./pull-back-keywords.js";

/** The value at a place after a change, in terms of the value before it. */
export type Source =
  | { readonly kind: "same"; readonly path: Path }
  | { readonly kind: "absent" }
  | { readonly kind: "constant"; readonly value: Json }
  /** The value of `path`, of which a condition holds if the value before satisfies the schema that `pull` returns. */
  | {
      readonly kind: "computed";
      readonly path: Path;
      readonly pull: (schema: Schema, context: Context) => Schema;
    }
  /** A value that several ones make, which are all there or all absent. `pull` returns the condition on all of them. */
  | {
      readonly kind: "joined";
      readonly paths: readonly Path[];
      readonly pull: (schema: Schema, context: Context) => Schema;
    }
  | { readonly kind: "choice"; readonly if: Schema; readonly then: Source; readonly else: Source }
  /** The object at `path` with some members replaced. Without `path`, an object that has these members only. */
  | {
      readonly kind: "object";
      readonly path: Path | undefined;
      readonly members: ReadonlyMap<string, Source>;
    };

/** Returns the condition that there is a value. */
export function isPresent(source: Source, places: Places): Schema {
  switch (source.kind) {
    case "same":
    case "computed":
      return places.isPresentAt(source.path);
    case "joined":
      return and(...source.paths.map((path) => places.isPresentAt(path)));
    case "absent":
      return false;
    case "constant":
      return true;
    case "choice":
      return or(
        and(source.if, isPresent(source.then, places)),
        and(not(source.if), isPresent(source.else, places)),
      );
    case "object": {
      const base = source.path === undefined ? false : places.isPresentAt(source.path);
      return or(base, ...[...source.members.values()].map((each) => isPresent(each, places)));
    }
  }
}

/** Returns the condition that the value satisfies `schema` if there is one. */
function pullBackIfPresent(schema: Schema, source: Source, context: Context): Schema {
  if (schema === true) return true;
  switch (source.kind) {
    case "same":
      return context.places.holdsAt(source.path, schema);
    case "absent":
      return true;
    case "choice":
      return and(
        implies(source.if, pullBackIfPresent(schema, source.then, context)),
        implies(not(source.if), pullBackIfPresent(schema, source.else, context)),
      );
    case "computed":
    case "constant":
      return pullBackValue(schema, source, context);
    case "joined":
    case "object":
      return implies(isPresent(source, context.places), pullBackValue(schema, source, context));
  }
}

/** Returns the condition that the value satisfies `schema`. It need not be right where there is no value. */
export function pullBackValue(schema: Schema, source: Source, context: Context): Schema {
  if (typeof schema === "boolean") return schema;
  switch (source.kind) {
    case "constant":
      return context.accepts(schema, source.value);
    case "computed":
      return context.places.holdsAt(source.path, source.pull(schema, context));
    case "joined":
      return source.pull(schema, context);
    case "object": {
      const { path = [] } = source;
      const rebuilt = pullBackKeywords(
        schema,
        context,
        (part, inner) => pullBackValue(part, source, inner),
        (keyword, value, siblings) => pullBackKeyword(keyword, value, siblings, source, context),
      );
      // A value that is not an object stays as it is.
      if (path.length === 0) return rebuilt;
      const isKept = context.places.isNonObjectAt(path);
      if (schema.type === "object") return and(not(isKept), rebuilt);
      return and(implies(isKept, context.places.holdsAt(path, schema)), implies(not(isKept), rebuilt));
    }
    default:
      return pullBackIfPresent(schema, source, context);
  }
}

type ObjectSource = Source & { readonly kind: "object" };

/** Keywords about values that are not objects. */
const OTHER_KEYWORDS = filterKeywords(
  ({ facet }, name) =>
    (facet === "bounds" && !name.endsWith("Properties")) ||
    facet === "texts" ||
    facet === "items" ||
    facet === "contains",
);

/** Returns the condition that a keyword states about an object. */
function pullBackKeyword(
  keyword: string,
  value: Json,
  schema: JsonObject,
  source: ObjectSource,
  context: Context,
): Schema {
  const list = (): readonly Json[] => value as readonly Json[];
  const has = (name: string): Schema => isPresent(getMember(source, name), context.places);
  if (OTHER_KEYWORDS.has(keyword)) return true;
  switch (keyword) {
    case "type":
      return [value].flat().includes("object");
    case "const":
    case "enum":
      if ((keyword === "const" ? [value] : list()).some(isObject))
        throw new InexpressibleCondition(`a changed object is compared by ${keyword}`);
      return false;
    case "required":
      return and(...list().map((name) => has(String(name))));
    case "properties":
      return and(
        ...Object.entries(getMembers(value)).map(([name, sub]) =>
          pullBackIfPresent(readSubschema(sub), getMember(source, name), context),
        ),
      );
    case "dependentRequired":
      return and(
        ...Object.entries(getMembers(value)).map(([name, names]) =>
          implies(has(name), and(...listItems(names).map(String).map(has))),
        ),
      );
    case "dependentSchemas":
      return and(
        ...Object.entries(getMembers(value)).map(([name, sub]) =>
          implies(has(name), pullBackValue(readSubschema(sub), source, context)),
        ),
      );
    case "patternProperties":
    case "additionalProperties":
      return pullBackOtherMembers(schema, keyword, source, context);
    case "unevaluatedProperties":
      return pullBackUnevaluated(schema, source, context);
    default:
      throw new InexpressibleCondition(`${keyword} constrains a changed object`);
  }
}

function getMember({ path, members }: ObjectSource, name: string): Source {
  return (
    members.get(name) ?? (path === undefined ? { kind: "absent" } : { kind: "same", path: [...path, name] })
  );
}

/** Returns the condition of `patternProperties` or `additionalProperties`. */
function pullBackOtherMembers(
  schema: JsonObject,
  keyword: "patternProperties" | "additionalProperties",
  source: ObjectSource,
  context: Context,
): Schema {
  const { path, members } = source;
  const declared = Object.keys(getMembers(schema.properties));
  const patterns = getMembers(schema.patternProperties);
  const isMatched = (name: string) => Object.keys(patterns).some((each) => new RegExp(each, "u").test(name));
  if ([...members.keys()].some(isMatched))
    throw new InexpressibleCondition("patternProperties describe a changed field");
  if (keyword === "patternProperties")
    return path === undefined ? true : context.places.holdsAt(path, { patternProperties: patterns });
  const rest = readSubschema(schema.additionalProperties);
  const others = [...members].filter(([name]) => !declared.includes(name));
  const changed = others.map(([, member]) => limitMember(rest, member, context));
  return and(keepOthers(context, path, [...declared, ...members.keys()], patterns, rest), ...changed);
}

/** Returns the condition that a member satisfies the schema of other members. */
function limitMember(rest: Schema, member: Source, context: Context): Schema {
  return rest === false ? not(isPresent(member, context.places)) : pullBackIfPresent(rest, member, context);
}

/** Returns the condition that the members that a step leaves alone satisfy `rest`, except those with these names. */
function keepOthers(
  context: Context,
  path: Path | undefined,
  names: readonly string[],
  patterns: JsonObject,
  rest: Schema,
): Schema {
  if (path === undefined) return true;
  const accepted = (list: readonly string[]) => createObject(list.map((name) => [name, true] as const));
  return context.places.holdsAt(path, {
    properties: accepted([...new Set(names)]),
    ...(Object.keys(patterns).length > 0 && { patternProperties: accepted(Object.keys(patterns)) }),
    additionalProperties: rest,
  });
}

/** Returns the condition of `unevaluatedProperties`: every other member belongs to a part of the schema that holds. */
function pullBackUnevaluated(schema: JsonObject, source: ObjectSource, context: Context): Schema {
  const { unevaluatedProperties: rest, ...family } = schema;
  const declared = listFamilyNames(family, context.definitions);
  if (declared === undefined)
    throw new InexpressibleCondition("unevaluatedProperties stand beside patterns of names");
  const names = new Set([...declared, ...source.members.keys()]);
  const conditions = [...names].map((name) => {
    const member = getMember(source, name);
    const isEvaluated = pullBackEvaluation(family, name, source, { ...context, isExact: true });
    return isEvaluated === true ? true : or(isEvaluated, limitMember(readSubschema(rest), member, context));
  });
  return and(keepOthers(context, source.path, [...names], {}, readSubschema(rest)), ...conditions);
}

/** Returns the condition that a schema, which holds, evaluates the member `name`. */
function pullBackEvaluation(
  schema: Json | undefined,
  name: string,
  source: ObjectSource,
  context: Context,
): Schema {
  if (!isObject(schema)) return false;
  if (Object.hasOwn(getMembers(schema.properties), name)) return true;
  if (schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined) return true;
  const evaluates = (part: Json | undefined) => pullBackEvaluation(part, name, source, context);
  const evaluatesIfValid = (part: Json | undefined): Schema => {
    const evaluated = evaluates(part);
    return evaluated === false ? false : and(pullBackValue(readSubschema(part), source, context), evaluated);
  };
  const evaluatesByCondition = (): Schema[] => {
    if (schema.if === undefined) return [];
    const condition = pullBackValue(readSubschema(schema.if), source, context);
    return [
      and(condition, or(evaluates(schema.if), evaluates(schema.then))),
      and(not(condition), evaluates(schema.else)),
    ];
  };
  const list = (keyword: string) => listItems(schema[keyword]);
  const target =
    typeof schema.$ref === "string" ? context.definitions[getDefinitionName(schema.$ref)] : undefined;
  return or(
    evaluates(target),
    ...list("allOf").map(evaluates),
    ...[...list("anyOf"), ...list("oneOf")].map(evaluatesIfValid),
    ...evaluatesByCondition(),
    ...Object.entries(getMembers(schema.dependentSchemas)).map(([key, part]) =>
      and(isPresent(getMember(source, key), context.places), evaluates(part)),
    ),
  );
}
