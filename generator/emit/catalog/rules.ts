/** Formats the rules between the fields of an object as a list: alternatives, conditions, dependencies. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { concernsFields, formatPhrase, listConstraints } from "./constraints.js";
import { ANY_VALUE, formatType } from "./format-type.js";
import { createDefinitionId, listBranches, listMembers, listNames, type Renderer } from "./renderer.js";

/** A condition that must hold. A clause that combines others has branches, which are lists of clauses that hold together. */
export interface Clause {
  /** The whole clause, or the introduction of its branches: "When `kind` is `"mcp"`", "Exactly one of". */
  readonly words: string;
  readonly branches?: readonly (readonly Clause[])[];
  /** The words that join the branches on one line. */
  readonly joint?: "or" | "exactly one of" | "not";
}

/** Lists the clauses by which `schema` itself combines fields, without those of its `allOf` parts and references. */
export function listFieldRules(schema: JsonObject, renderer: Renderer): Clause[] {
  const { if: condition, then, else: otherwise, not, "x-writer": writer } = schema;
  const createRule = (words: string, demanded: Json): Clause => ({
    words,
    branches: [listClauses(demanded, renderer, "demand")],
  });
  const conditionText =
    condition === undefined ? "" : joinOnOneLine(listClauses(condition, renderer, "condition"));
  return [
    ...listAlternatives(schema, "anyOf", renderer),
    ...listAlternatives(schema, "oneOf", renderer),
    ...(condition === undefined || then === undefined ? [] : [createRule(`When ${conditionText}`, then)]),
    ...(condition === undefined || otherwise === undefined
      ? []
      : [createRule(then === undefined ? `Unless ${conditionText}` : "Otherwise", otherwise)]),
    ...listMembers(schema, "dependentRequired").map(([name, needed]) =>
      createRule(`With ${renderer.code(name)}`, { required: needed }),
    ),
    ...listMembers(schema, "dependentSchemas").map(([name, demanded]) =>
      createRule(`With ${renderer.code(name)}`, demanded),
    ),
    ...(not !== undefined && concernsFields(not, renderer)
      ? [{ words: "Never", branches: [listClauses(not, renderer, "condition")], joint: "not" as const }]
      : []),
    ...(writer !== undefined && concernsFields(writer, renderer) ? [createRule("Writers", writer)] : []),
  ];
}

/** Formats a clause as items of a Markdown list, with an item below it for each alternative. */
export function formatClause({ words, branches = [] }: Clause, indent = ""): string[] {
  const [only = [], ...others] = branches;
  if (branches.length === 0) return [`${indent}- ${words}`];
  if (others.length === 0 && only.every(isSimple))
    return [`${indent}- ${words}: ${only.map((clause) => clause.words).join("; ")}`];
  const childIndent = `${indent}  `;
  const items =
    others.length === 0
      ? only.flatMap((clause) => formatClause(clause, childIndent))
      : branches.flatMap((branch) => formatBranch(branch, childIndent));
  return [`${indent}- ${words}:`, ...items];
}

function formatBranch(branch: readonly Clause[], indent: string): string[] {
  const simple = branch.filter(isSimple).map(({ words }) => words);
  const combinedClauses = branch.filter((clause) => !isSimple(clause));
  if (simple.length > 0 && combinedClauses.length === 0) return [`${indent}- ${simple.join("; ")}`];
  return formatClause({ words: simple.join("; ") || "All of", branches: [combinedClauses] }, indent);
}

function isSimple({ branches = [] }: Clause): boolean {
  return branches.length === 0;
}

/** Formats clauses on one line, as a condition: "`kind` is `"mcp"` and (`a` is present or `b` is present)". */
function joinOnOneLine(clauses: readonly Clause[]): string {
  return clauses
    .map(({ words, branches = [], joint }) => {
      const parts = branches.map(joinOnOneLine);
      if (parts.length === 0) return words;
      if (joint === "or") return `(${parts.join(" or ")})`;
      if (joint === "exactly one of") return `exactly one of (${parts.join("; ")})`;
      return joint === "not" ? `not (${parts.join()})` : `(${lowerFirst(words)}: ${parts.join()})`;
    })
    .join(" and ");
}

/** Returns `words` with a lower-case first letter. */
export function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** Lists the clause of an `anyOf` or `oneOf` over fields. A branch that only requires fields is the list of their names. */
function listAlternatives(schema: JsonObject, keyword: "anyOf" | "oneOf", renderer: Renderer): Clause[] {
  const branches = listBranches(schema, keyword);
  if (!branches.some((branch) => concernsFields(branch, renderer))) return [];
  const parts = branches.map((branch) =>
    Object.keys(branch).join() === "required"
      ? [{ words: renderer.list(listNames(branch.required).map(renderer.code), "and") }]
      : listClauses(branch, renderer, "condition"),
  );
  return keyword === "anyOf"
    ? [{ words: "At least one of", branches: parts, joint: "or" }]
    : [{ words: "Exactly one of", branches: parts, joint: "exactly one of" }];
}

/** A condition is a schema against which a value is tested. A demand is a schema that a value has to meet. */
type Mode = "condition" | "demand";

/** Lists the clauses of `schema`, which hold together: "`kind` is `"mcp"`", "`server` and `tool` required". */
function listClauses(schema: Json, renderer: Renderer, mode: Mode): Clause[] {
  if (!isObject(schema)) return [{ words: schema === false ? "nothing is valid" : "anything is valid" }];
  const requiredNames = listNames(schema.required);
  const fields = listMembers(schema, "properties").map(([name, sub]) => ({
    name,
    clauses: listFieldClauses(name, sub, mode === "demand" || requiredNames.includes(name), renderer, mode),
  }));
  // A condition on a required field implies that the field is present.
  const impliedFields = mode === "condition" ? fields.filter(({ clauses }) => clauses.length > 0) : [];
  const presentFields = requiredNames.filter((name) => !impliedFields.some((field) => field.name === name));
  const target = renderer.findDefinition(schema);
  const { $ref: _ref, allOf: _allOf, ...ownSchema } = schema;
  const type = formatType(ownSchema, renderer);
  const words = [
    ...(type === ANY_VALUE || type === "object" ? [] : [`it is ${type}`]),
    ...(presentFields.length === 0
      ? []
      : [
          `${renderer.list(presentFields.map(renderer.code), "and")} ${mode === "demand" ? "required" : "present"}`,
        ]),
  ];
  const clauses = [
    ...words.map((each) => ({ words: each })),
    ...fields.flatMap((field) => field.clauses),
    ...(target ? [{ words: `it is ${renderer.link(createDefinitionId(target.name), target.name)}` }] : []),
    ...listConstraints(ownSchema, renderer).map((each) => ({ words: each })),
    ...listBranches(schema, "allOf").flatMap((part) => listClauses(part, renderer, mode)),
    ...listFieldRules(schema, renderer),
  ];
  return clauses.length > 0 ? clauses : [{ words: "anything is valid" }];
}

/** Returns the clauses on one field. A condition on an optional field also holds without the field. */
function listFieldClauses(
  name: string,
  schema: Json,
  isPresent: boolean,
  renderer: Renderer,
  mode: Mode,
): Clause[] {
  const field = renderer.code(name);
  const absentClause = { words: `${field} absent` };
  if (schema === false) return [absentClause];
  if (!isObject(schema) || Object.keys(schema).length === 0) return [];
  if (concernsFields(schema, renderer) && renderer.findDefinition(schema) === undefined) {
    const nestedClause: Clause = { words: `In ${field}`, branches: [listClauses(schema, renderer, mode)] };
    if (isPresent) return [nestedClause];
    return [{ words: "At least one of", branches: [[nestedClause], [absentClause]], joint: "or" }];
  }
  const words = formatPhrase(schema, renderer);
  const isExact = schema.const !== undefined || formatType(schema, renderer) !== ANY_VALUE;
  const constraint = isExact ? `is ${words}` : `fits “${words}”`;
  return [{ words: `${field} ${constraint}${isPresent ? "" : " (or absent)"}` }];
}
