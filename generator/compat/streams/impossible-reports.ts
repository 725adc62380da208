/** Proves that the schemas leave no event for which a machine reports a finding. */

import type { ReportStatement } from "../../conform/machine/interpret.js";
import type { Condition, Machine, Statement, Value } from "../../conform/machine/language.js";
import {
  type Guard,
  isScope,
  listPaths,
  type PathPart,
  type Scope as ScopeStatement,
} from "../../conform/machine/paths.js";
import { getTable, nameCell } from "../../conform/machine/walk.js";
import { formatCanonicalJson, type Json, type JsonObject, toJson } from "../../json.js";
import type { EventFactory } from "./event-factory.js";

/** What must hold so that a statement runs. */
interface Requirements {
  /** Schemas of payload fields and of envelope fields of the event. */
  readonly payload: { readonly [field: string]: readonly Json[] };
  readonly envelope: { readonly [field: string]: readonly Json[] };
  /** Schemas of payload fields, where these are present. */
  readonly ifPresent: { readonly [field: string]: readonly Json[] };
  /** The cells that an earlier event must have set; `*` stands for any cell of a table. */
  readonly cells: readonly string[];
}

const NONE: Requirements = { payload: {}, envelope: {}, ifPresent: {}, cells: [] };
const TEXT: Json = { type: "string" };
const NUMBER: Json = { type: "number" };
const ID: Json = { type: ["string", "number"] };
const JSON_TYPES = { text: "string", number: "number", integer: "integer", safe: "integer", list: "array" };

/** Returns whether no stream of events of these types can lead to one of the reports of a machine. */
export function isImpossible(
  factory: EventFactory,
  machine: Machine,
  reports: readonly ReportStatement[],
  types: readonly string[],
): Promise<boolean> {
  const isWanted: IsWanted = (statement) => statement.op === "report" && reports.includes(statement);
  return isUnreachable({ factory, machine, types }, isWanted, new Set());
}

/** Selects statements of clauses. */
type IsWanted = (statement: Statement) => boolean;

interface Question {
  readonly factory: EventFactory;
  readonly machine: Machine;
  readonly types: readonly string[];
}

/** Returns whether nothing sets a cell. A cell that is set only after it has been set is never set. */
function isNeverSet(question: Question, cell: string, asked: ReadonlySet<string>): Promise<boolean> {
  const [table, name = "*"] = cell.split("\n");
  const isWanted: IsWanted = (statement) => {
    if (statement.op !== "set" && statement.op !== "append" && statement.op !== "cover") return false;
    if (getTable(question.machine, statement.row) !== table) return false;
    if (name === "*") return true;
    return statement.op === "set" ? name in statement.cells : statement.cell === name;
  };
  return isUnreachable(question, isWanted, new Set([...asked, cell]));
}

/** Returns whether the wanted statements never run. `asked` are the cells whose statements are being asked about. */
async function isUnreachable(
  question: Question,
  isWanted: IsWanted,
  asked: ReadonlySet<string>,
): Promise<boolean> {
  const { factory, machine, types } = question;
  for (const { on, do: body } of machine.clauses) {
    const scope = { machine, requirements: NONE, items: new Map() };
    const required = listPaths(body, isWanted).map(({ path }) => requirePath(scope, path).requirements);
    const different = new Map(required.map((each) => [formatCanonicalJson(toJson(each)), each]));
    const ownTypes = typeof on === "string" ? types : on.filter((type) => types.includes(type));
    for (const { payload, envelope, ifPresent, cells } of different.values()) {
      if (cells.some((cell) => asked.has(cell))) continue;
      let isDead = false;
      for (const cell of cells) isDead ||= await isNeverSet(question, cell, asked);
      if (isDead) continue;
      if (Object.keys(payload).length + Object.keys(envelope).length === 0) return false;
      for (const type of ownTypes)
        if (
          !(await factory.hasNoEvent(type, {
            payload: joinSchemas(payload, ifPresent),
            envelope: joinSchemas(envelope),
          }))
        )
          return false;
    }
  }
  return true;
}

function joinSchemas(fields: Requirements["payload"], ifPresent: Requirements["payload"] = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([field, schemas]) => [
      field,
      { allOf: [...schemas, ...(ifPresent[field] ?? [])] },
    ]),
  );
}

interface Scope {
  readonly machine: Machine;
  readonly requirements: Requirements;
  /** The values whose parts are items, with the schema of a value that has parts of a schema. */
  readonly items: ReadonlyMap<string, { readonly of: Value; readonly isList: boolean }>;
}

/** Returns what a path requires. Conditions that say nothing about single fields are left out. */
function requirePath(scope: Scope, path: readonly PathPart[]): Scope {
  return path.reduce(
    (inner, part) => (isScope(part) ? requireScope(inner, part) : requireGuard(inner, part)),
    scope,
  );
}

function requireScope(scope: Scope, statement: ScopeStatement): Scope {
  switch (statement.op) {
    case "find":
      return statement.key.reduce((inner, key) => requireValue(inner, key, ID), scope);
    case "rows":
      return requireCell(scope, statement.row, "*");
    case "each": {
      const { item, parts, of } = statement;
      const items = new Map(scope.items).set(item, { of, isList: parts !== "numbers" });
      const part = { ids: ID, items: true, numbers: NUMBER }[parts];
      return requireValue({ ...scope, items }, { op: "item", item }, part);
    }
    default:
      return scope;
  }
}

/** Requires that an earlier event has set a cell. */
function requireCell(scope: Scope, row: string, cell: string): Scope {
  const { requirements, machine } = scope;
  const key = nameCell(machine, row, cell);
  return { ...scope, requirements: { ...requirements, cells: [...requirements.cells, key] } };
}

/** Adds a schema of a field, where the field must be present or only if it is. */
function addSchema(
  scope: Scope,
  place: "payload" | "envelope" | "ifPresent",
  field: string,
  schema: Json,
): Scope {
  const { requirements } = scope;
  const part = requirements[place];
  const schemas = [...(part[field] ?? []), schema];
  return { ...scope, requirements: { ...requirements, [place]: { ...part, [field]: schemas } } };
}

function requireGuard(scope: Scope, { condition, wanted }: Guard): Scope {
  if (wanted) return requireCondition(scope, condition);
  const isTest = condition.op === "is" && condition.of.op === "payload" && condition.type !== "safe";
  if (!isTest || condition.of.op !== "payload") return scope;
  return addSchema(scope, "ifPresent", condition.of.field, { not: { type: JSON_TYPES[condition.type] } });
}

/** Schemas of the operands of conditions that are true. */
const OPERANDS: { readonly [operation in Condition["op"]]?: Json } = {
  less: NUMBER,
  atMost: NUMBER,
  differ: true,
  present: true,
  lists: { type: "array" },
  related: TEXT,
  hasReplacement: TEXT,
  sameText: TEXT,
  endsWithText: TEXT,
};

function requireCondition(scope: Scope, condition: Condition): Scope {
  if (condition.op === "equal") {
    const [a, b] = condition.of;
    const equalTo = (other: Value): Json => (other.op === "constant" ? { const: other.value } : true);
    return requireValue(requireValue(scope, a, equalTo(b)), b, equalTo(a));
  }
  const schema = getOperandSchema(condition);
  const operands = "of" in condition && schema !== undefined ? ([condition.of].flat() as Value[]) : [];
  const inner = operands.reduce((each, value) => requireValue(each, value, schema as Json), scope);
  if (!("row" in condition)) return inner;
  return requireCell(inner, condition.row, "cell" in condition ? condition.cell : "*");
}

function getOperandSchema(condition: Condition): Json | undefined {
  if (condition.op === "in") return { enum: [...condition.values] };
  if (condition.op === "is") return { type: JSON_TYPES[condition.type] };
  if (condition.op === "matches") return { type: "string", pattern: condition.pattern };
  return OPERANDS[condition.op];
}

/** Requires that a value is present and that a schema accepts it, if the value is a field of the event. */
function requireValue(scope: Scope, value: Value, schema: Json): Scope {
  switch (value.op) {
    case "payload":
    case "envelope":
      return addSchema(scope, value.op, value.field, schema);
    case "item": {
      const known = scope.items.get(value.item);
      if (known === undefined) return scope;
      const container: Json = known.isList
        ? { type: "array", contains: schema }
        : { type: "object", minProperties: 1 };
      return requireValue(scope, known.of, { anyOf: [schema, container] });
    }
    case "units":
    case "bytes":
    case "join":
      return [value.of].flat().reduce((inner, each) => requireValue(inner, each, TEXT), scope);
    case "cell":
      return requireCell(scope, value.row, value.cell);
    case "counterpart":
      return requireValue(scope, value.of, { anyOf: [schema, { type: "object", minProperties: 1 }] });
    case "first":
      // A value that is never there: no event has a field that no schema accepts.
      return value.of.length === 0 ? requireValue(scope, { op: "payload", field: "" }, false) : scope;
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "minimum":
      return value.of.reduce((inner, each) => requireValue(inner, each, NUMBER), scope);
    default:
      return scope;
  }
}
