import type { Document } from "./project.js";

/** Changes one schema. Returns false if the change does not apply. */
export type Step = (schema: Document) => boolean;

const listFields = (schema: Document): string[] =>
  typeof schema.properties === "object" ? Object.keys(schema.properties) : [];
const listOptionalFields = (schema: Document): string[] =>
  listFields(schema).filter((name) => !(schema.required ?? []).includes(name));
const isText = (schema: Document): boolean =>
  schema.type === "string" && !schema.enum && schema.const === undefined;
const getValues = (schema: Document): Document[] | undefined => schema.enum ?? schema["x-extensible-enum"];
const getBranches = (schema: Document): Document[] | undefined => schema.anyOf ?? schema.oneOf;

/** Creates a step that calls `change` with the result of `select`. It does not apply if that is undefined or false. */
const createStep =
  <T>(
    select: (schema: Document) => T | undefined | false,
    change: (schema: Document, found: T) => void,
  ): Step =>
  (schema) => {
    const found = select(schema);
    if (found === undefined || found === false) return false;
    change(schema, found);
    return true;
  };
const getKeyword = (keyword: string) => (schema: Document) => schema[keyword];
const removeKeyword = (keyword: string): Step =>
  createStep(getKeyword(keyword), (schema) => {
    delete schema[keyword];
  });

function renameField(schema: Document, from: string, to: string): void {
  const renamed = (name: string): string => (name === from ? to : name);
  schema.properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, value]) => [renamed(name), value]),
  );
  schema.required = schema.required?.map(renamed);
}

/** Single edits of schemas. Each of them is a break in most places. */
export const STEPS: { readonly [name: string]: Step } = {
  "field dropped": createStep(
    (schema) => listFields(schema)[0],
    (schema, name) => {
      delete schema.properties[name];
      schema.required = (schema.required ?? []).filter((each: string) => each !== name);
    },
  ),
  "field renamed": createStep(
    (schema) => listFields(schema)[0],
    (schema, name) => renameField(schema, name, `${name}_now`),
  ),
  "required field added": createStep(
    (schema) => listFields(schema).length > 0,
    (schema) => {
      schema.properties.brand_new = { type: "string", description: "New." };
      schema.required = [...(schema.required ?? []), "brand_new"];
    },
  ),
  "requirement added": createStep(
    (schema) => listOptionalFields(schema)[0],
    (schema, name) => {
      schema.required = [...(schema.required ?? []), name];
    },
  ),
  "requirement dropped": createStep(
    (schema) => schema.required?.length > 0,
    (schema) => void schema.required.pop(),
  ),
  retyped: createStep(isText, (schema) => {
    for (const keyword of Object.keys(schema)) if (keyword !== "description") delete schema[keyword];
    schema.type = "boolean";
  }),
  "null allowed": createStep(isText, (schema) => {
    schema.type = ["string", "null"];
  }),
  shortened: createStep(isText, (schema) => {
    schema.maxLength = 1;
  }),
  "minimum raised": createStep(getKeyword("minimum"), (schema) => {
    schema.minimum += 5;
  }),
  "minimum dropped": removeKeyword("minimum"),
  "minLength dropped": removeKeyword("minLength"),
  "pattern dropped": removeKeyword("pattern"),
  "pattern added": createStep(
    (schema) => isText(schema) && !schema.pattern,
    (schema) => {
      schema.pattern = "^Q";
    },
  ),
  "pattern changed": createStep(getKeyword("pattern"), (schema) => {
    schema.pattern = "^Q";
  }),
  "format dropped": removeKeyword("format"),
  "value dropped": createStep(
    (schema) => (getValues(schema) ?? []).length > 1 && getValues(schema),
    (_schema, values) => void values.pop(),
  ),
  "value added": createStep(getValues, (_schema, values) => void values.push("one_more")),
  "value renamed": createStep(getValues, (_schema, values) => void values.push(`${values.pop()}_x`)),
  "list dropped": createStep(getKeyword("enum"), (schema) => {
    delete schema.enum;
  }),
  "constant changed": createStep(getKeyword("const"), (schema) => {
    schema.const = "another";
  }),
  "items retyped": createStep(
    (schema) => typeof schema.items === "object",
    (schema) => {
      schema.items = { type: "boolean" };
    },
  ),
  "items dropped": createStep(
    (schema) => typeof schema.items === "object",
    (schema) => {
      delete schema.items;
    },
  ),
  lengthened: createStep(
    (schema) => schema.type === "array",
    (schema) => {
      schema.minItems = 3;
    },
  ),
  closed: createStep(
    (schema) => schema.additionalProperties === true,
    (schema) => {
      delete schema.additionalProperties;
    },
  ),
  "alternative dropped": createStep(
    (schema) => (getBranches(schema) ?? []).length > 1 && getBranches(schema),
    (_schema, all) => void all.pop(),
  ),
  "alternative added": createStep(getBranches, (_schema, all) => {
    all.push({ type: "object", properties: { fresh: { const: "fresh" } }, required: ["fresh"] });
  }),
  "condition dropped": createStep(getKeyword("if"), (schema) => {
    for (const keyword of ["if", "then", "else"]) delete schema[keyword];
  }),
  "condition added": createStep(
    (schema) => listOptionalFields(schema).length > 1 && listOptionalFields(schema),
    (schema, [first = "", second = ""]) => {
      schema.dependentRequired = { ...schema.dependentRequired, [first]: [second] };
    },
  ),
  "writer rule added": createStep(isText, (schema) => {
    schema["x-writer"] = { minLength: 4 };
  }),
};
