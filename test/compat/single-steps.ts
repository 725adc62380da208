import type { Document } from "./project.js";

/** A change of one schema; false where it does not apply. */
export type Step = (schema: Document) => boolean;

const names = (schema: Document): string[] =>
  typeof schema.properties === "object" ? Object.keys(schema.properties) : [];
const optional = (schema: Document): string[] =>
  names(schema).filter((name) => !(schema.required ?? []).includes(name));
const isText = (schema: Document): boolean =>
  schema.type === "string" && !schema.enum && schema.const === undefined;
const list = (schema: Document): Document[] | undefined => schema.enum ?? schema["x-extensible-enum"];
const branches = (schema: Document): Document[] | undefined => schema.anyOf ?? schema.oneOf;

/** A step where `wanted` says something, changed by `change`. */
const step =
  <T>(
    wanted: (schema: Document) => T | undefined | false,
    change: (schema: Document, found: T) => void,
  ): Step =>
  (schema) => {
    const found = wanted(schema);
    if (found === undefined || found === false) return false;
    change(schema, found);
    return true;
  };
const stated = (keyword: string) => (schema: Document) => schema[keyword];
const drop = (keyword: string): Step =>
  step(stated(keyword), (schema) => {
    delete schema[keyword];
  });

function renameField(schema: Document, from: string, to: string): void {
  const renamed = (name: string): string => (name === from ? to : name);
  schema.properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, value]) => [renamed(name), value]),
  );
  schema.required = schema.required?.map(renamed);
}

/** Single edits of every kind that a schema can meet, each of which breaks in most places. */
export const STEPS: { readonly [name: string]: Step } = {
  "field dropped": step(
    (schema) => names(schema)[0],
    (schema, name) => {
      delete schema.properties[name];
      schema.required = (schema.required ?? []).filter((each: string) => each !== name);
    },
  ),
  "field renamed": step(
    (schema) => names(schema)[0],
    (schema, name) => renameField(schema, name, `${name}_now`),
  ),
  "required field added": step(
    (schema) => names(schema).length > 0,
    (schema) => {
      schema.properties.brand_new = { type: "string", description: "New." };
      schema.required = [...(schema.required ?? []), "brand_new"];
    },
  ),
  "requirement added": step(
    (schema) => optional(schema)[0],
    (schema, name) => {
      schema.required = [...(schema.required ?? []), name];
    },
  ),
  "requirement dropped": step(
    (schema) => schema.required?.length > 0,
    (schema) => void schema.required.pop(),
  ),
  retyped: step(isText, (schema) => {
    for (const keyword of Object.keys(schema)) if (keyword !== "description") delete schema[keyword];
    schema.type = "boolean";
  }),
  "null allowed": step(isText, (schema) => {
    schema.type = ["string", "null"];
  }),
  shortened: step(isText, (schema) => {
    schema.maxLength = 1;
  }),
  "minimum raised": step(stated("minimum"), (schema) => {
    schema.minimum += 5;
  }),
  "minimum dropped": drop("minimum"),
  "minLength dropped": drop("minLength"),
  "pattern dropped": drop("pattern"),
  "pattern added": step(
    (schema) => isText(schema) && !schema.pattern,
    (schema) => {
      schema.pattern = "^Q";
    },
  ),
  "pattern changed": step(stated("pattern"), (schema) => {
    schema.pattern = "^Q";
  }),
  "format dropped": drop("format"),
  "value dropped": step(
    (schema) => (list(schema) ?? []).length > 1 && list(schema),
    (_schema, values) => void values.pop(),
  ),
  "value added": step(list, (_schema, values) => void values.push("one_more")),
  "value renamed": step(list, (_schema, values) => void values.push(`${values.pop()}_x`)),
  "list dropped": step(stated("enum"), (schema) => {
    delete schema.enum;
  }),
  "constant changed": step(stated("const"), (schema) => {
    schema.const = "another";
  }),
  "items retyped": step(
    (schema) => typeof schema.items === "object",
    (schema) => {
      schema.items = { type: "boolean" };
    },
  ),
  "items dropped": step(
    (schema) => typeof schema.items === "object",
    (schema) => {
      delete schema.items;
    },
  ),
  lengthened: step(
    (schema) => schema.type === "array",
    (schema) => {
      schema.minItems = 3;
    },
  ),
  closed: step(
    (schema) => schema.additionalProperties === true,
    (schema) => {
      delete schema.additionalProperties;
    },
  ),
  "alternative dropped": step(
    (schema) => (branches(schema) ?? []).length > 1 && branches(schema),
    (_schema, all) => void all.pop(),
  ),
  "alternative added": step(branches, (_schema, all) => {
    all.push({ type: "object", properties: { fresh: { const: "fresh" } }, required: ["fresh"] });
  }),
  "condition dropped": step(stated("if"), (schema) => {
    for (const keyword of ["if", "then", "else"]) delete schema[keyword];
  }),
  "condition added": step(
    (schema) => optional(schema).length > 1 && optional(schema),
    (schema, [first = "", second = ""]) => {
      schema.dependentRequired = { ...schema.dependentRequired, [first]: [second] };
    },
  ),
  "writer rule added": step(isText, (schema) => {
    schema["x-writer"] = { minLength: 4 };
  }),
};
