/** What a schema asks of an object's fields together, as sentences: alternatives, conditions, dependencies. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { constraints, inWords, speaksOfFields } from "./constraints.js";
import { branches, definitionId, members, names, type Pen } from "./renderer.js";
import { ANY_VALUE, typeWords } from "./type-names.js";

/** The rules that `schema` itself sets, Markdown; those of its `allOf` parts and references are theirs. */
export function rules(schema: JsonObject, pen: Pen): string[] {
  const { if: condition, then, else: otherwise, not, "x-writer": writer } = schema;
  return [
    ...alternatives(schema, "anyOf", "At least one of", pen),
    ...alternatives(schema, "oneOf", "Exactly one of", pen),
    ...(condition === undefined ? [] : conditional(condition, then, otherwise, pen)),
    ...members(schema, "dependentRequired").map(
      ([name, needed]) => `With ${pen.code(name)}: ${presence(names(needed), pen, "demand")}.`,
    ),
    ...members(schema, "dependentSchemas").map(
      ([name, demand]) => `With ${pen.code(name)}: ${statement(demand, pen, "demand")}.`,
    ),
    ...(isObject(not) && speaksOfFields(not, pen) ? [`Never: ${statement(not, pen, "condition")}.`] : []),
    ...(isObject(writer) && speaksOfFields(writer, pen)
      ? [`writer: ${statement(writer, pen, "demand")}.`]
      : []),
  ];
}

/** `anyOf` or `oneOf` over fields: "At least one of: `a`; `b` and `c`." Bare references stand in the type. */
function alternatives(schema: JsonObject, keyword: string, words: string, pen: Pen): string[] {
  const all = branches(schema, keyword);
  if (!all.some((branch) => speaksOfFields(branch, pen))) return [];
  const items = all.map((branch) =>
    Object.keys(branch).join() === "required"
      ? pen.list(names(branch.required).map(pen.code), "and")
      : statement(branch, pen, "condition"),
  );
  return [`${words}: ${items.join("; ")}.`];
}

function conditional(condition: Json, then: Json | undefined, otherwise: Json | undefined, pen: Pen) {
  const when = statement(condition, pen, "condition");
  const other = then === undefined ? `Unless ${when}` : "Otherwise";
  return [
    ...(then === undefined ? [] : [`When ${when}: ${statement(then, pen, "demand")}.`]),
    ...(otherwise === undefined ? [] : [`${other}: ${statement(otherwise, pen, "demand")}.`]),
  ];
}

/** Whether a schema is looked at to find out if it fits, or has to fit. */
type Mode = "condition" | "demand";

/** `schema` in words: "`kind` is `"mcp"` and `server` is present" or "`server` and `tool` are required". */
function statement(schema: Json, pen: Pen, mode: Mode, seen: ReadonlySet<Json> = new Set()): string {
  if (!isObject(schema)) return schema === false ? "nothing is valid" : "anything is valid";
  if (seen.has(schema)) return "as above";
  const within = new Set([...seen, schema]);
  const required = names(schema.required);
  const fields = members(schema, "properties")
    .map(([name, sub]) => ({ name, words: field(name, sub, required, pen, mode, within) }))
    .filter(({ words }) => words !== "");
  const told = mode === "condition" ? fields.map(({ name }) => name) : [];
  const target = pen.definition(schema);
  const { $ref: _ref, anyOf: _any, oneOf: _one, allOf: _all, not: _not, ...plain } = schema;
  const type = schema.type === undefined ? "" : `it is ${typeWords(schema, pen)}`;
  const said = [
    schema.type === "object" ? "" : type,
    presence(
      required.filter((name) => !told.includes(name)),
      pen,
      mode,
    ),
    ...fields.map(({ words }) => words),
    ...(target ? [`it is ${pen.link(definitionId(target.name), target.name)}`] : []),
    ...constraints(plain, pen),
    ...branches(schema, "allOf").map((part) => statement(part, pen, mode, within)),
    ...["anyOf", "oneOf"].map((keyword) =>
      branches(schema, keyword)
        .map((branch) => `(${statement(branch, pen, "condition", within)})`)
        .join(" or "),
    ),
    ...(schema.not === undefined ? [] : [`not (${statement(schema.not, pen, "condition", within)})`]),
    ...rules(onlyDependencies(schema), pen).map((rule) => `(${rule.replace(/\.$/, "")})`),
  ];
  return said.filter((words) => words !== "").join(" and ") || type || "anything is valid";
}

function onlyDependencies(schema: JsonObject): JsonObject {
  const kept = ["if", "then", "else", "dependentRequired", "dependentSchemas", "x-writer"];
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.includes(keyword)));
}

function presence(fields: readonly string[], pen: Pen, mode: Mode): string {
  if (fields.length === 0) return "";
  const verb = fields.length === 1 ? "is" : "are";
  return `${pen.list(fields.map(pen.code), "and")} ${verb} ${mode === "demand" ? "required" : "present"}`;
}

/** What a statement says of one field; a condition on an absent field holds unless the field is required. */
function field(
  name: string,
  schema: Json,
  required: readonly string[],
  pen: Pen,
  mode: Mode,
  seen: ReadonlySet<Json>,
): string {
  const absent = mode === "condition" && !required.includes(name) ? " or absent" : "";
  const shown = pen.code(name);
  if (schema === false) return `${shown} is absent`;
  if (!isObject(schema) || Object.keys(schema).length === 0) return "";
  if (schema.const !== undefined) return `${shown} is ${pen.json(schema.const)}${absent}`;
  if (speaksOfFields(schema, pen) && pen.definition(schema) === undefined)
    return `in ${shown}, ${statement(schema, pen, mode, seen)}${absent}`;
  const words = inWords(schema, pen);
  const isType = typeWords(schema, pen) !== ANY_VALUE;
  return `${shown} ${isType ? `is ${words}` : `fits “${words}”`}${absent}`;
}
