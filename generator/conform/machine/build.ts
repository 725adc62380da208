/** Functions that build machines. Each returns one node of the language. */
import type { Json, JsonObject } from "../../json.js";
import type { StreamFindingKind } from "../stream-rule.js";
import type {
  CellKind,
  Clause,
  Condition,
  Machine,
  MessagePart,
  Place,
  Statement,
  Table,
  Value,
} from "./language.js";

type Body = readonly (Statement | readonly Statement[])[];

const flatten = (body: Body): Statement[] => body.flat() as Statement[];

/** Returns a machine without empty clauses. */
export function createMachine(
  tables: Machine["tables"],
  clauses: readonly Clause[],
  options: Pick<Machine, "shared" | "relations"> = {},
): Machine {
  return { ...options, tables, clauses: clauses.filter((clause) => clause.on.length > 0) };
}

/** Returns a table whose keys have `keys` ids. */
export function table(
  keys: number,
  cells: { readonly [cell: string]: CellKind },
  options: Pick<Table, "grouped" | "limit"> = {},
): Table {
  return { keys, ...options, cells };
}

/** Returns a clause. The order of event types has no meaning, so they are sorted. */
export function on(types: Clause["on"], ...body: Body): Clause {
  return { on: typeof types === "string" ? types : [...new Set(types)].sort(), do: flatten(body) };
}

// Statements

export function when(condition: Condition, ...body: Body): Statement {
  return { op: "if", when: condition, do: flatten(body) };
}

/** Runs the statements of the first condition that is true; `true` stands for all other events. */
export function choose(...cases: readonly (readonly [Condition | true, ...Body])[]): Statement[] {
  const [first, ...others] = cases;
  if (first === undefined) return [];
  const [condition, ...body] = first;
  if (condition === true) return flatten(body);
  const rest = choose(...others);
  return [
    { op: "if", when: condition, do: flatten(body), ...(rest.length > 0 && { else: rest }) } as Statement,
  ];
}

export function find(row: string, table: string, key: readonly Value[], ...body: Body): Statement {
  return { op: "find", row, table, key, do: flatten(body) };
}

/** Visits all rows of a table. */
export function eachRow(row: string, table: string, ...body: Body): Statement {
  return { op: "rows", row, table, do: flatten(body) };
}

/** Visits the rows of one group. */
export function eachRowOf(row: string, table: string, key: Value, ...body: Body): Statement {
  return { op: "rows", row, table, key, do: flatten(body) };
}

export function each(item: string, parts: "ids" | "items" | "numbers", of: Value, ...body: Body): Statement {
  return { op: "each", item, parts, of, do: flatten(body) };
}

export const STOP: Statement = { op: "stop" };

export function set(row: string, cells: { readonly [cell: string]: Value }): Statement {
  return { op: "set", row, cells };
}

export function append(row: string, name: string, text: Value): Statement {
  return { op: "append", row, cell: name, text };
}

export function drop(row: string): Statement {
  return { op: "drop", row };
}

export function clear(table: string, key?: Value): Statement {
  return { op: "clear", table, ...(key && { key }) };
}

export function report(
  { id }: StreamFindingKind,
  message: readonly MessagePart[],
  at?: Place,
  index?: Value,
): Statement {
  return { op: "report", finding: id, message, ...(at && { at }), ...(index && { index }) };
}

// Values

/** Returns a constant. */
export function literal(value: Json): Value {
  return { op: "constant", value };
}

export function payload(field: string): Value {
  return { op: "payload", field };
}

export function envelope(field: string): Value {
  return { op: "envelope", field };
}

export const TYPE: Value = { op: "type" };
export const SEQUENCE: Value = { op: "sequence" };
export const EPOCH: Value = { op: "epoch" };
/** The name of the event in messages: its type and its number. */
export const EVENT: Value = { op: "event" };
export const INDEX: Value = { op: "index" };
export const TRUE: Value = literal(true);
/** A value that is never present. It empties a cell. */
export const NOTHING: Value = { op: "first", of: [] };

export function item(name: string): Value {
  return { op: "item", item: name };
}

export function cell(row: string, name: string): Value {
  return { op: "cell", row, cell: name };
}

export function keyOf(row: string): Value {
  return { op: "key", row };
}

export function firstOf(...of: readonly Value[]): Value {
  return { op: "first", of };
}

export function add(...of: readonly Value[]): Value {
  return { op: "add", of };
}

export function multiply(...of: readonly Value[]): Value {
  return { op: "multiply", of };
}

export function subtract(from: Value, amount: Value): Value {
  return { op: "subtract", of: [from, amount] };
}

export function divide(amount: Value, by: Value): Value {
  return { op: "divide", of: [amount, by] };
}

/** The number of bytes of a text in UTF-8. */
export function bytes(of: Value): Value {
  return { op: "bytes", of };
}

/** The length of a text in UTF-16 units. */
export function units(of: Value): Value {
  return { op: "units", of };
}

/** The length of the texts in a cell. */
export function textUnits(row: string, name: string): Value {
  return { op: "textUnits", row, cell: name };
}

// Conditions

export function not(of: Condition): Condition {
  return { op: "not", of };
}

export function all(...of: readonly Condition[]): Condition {
  return of.length === 1 ? (of[0] as Condition) : { op: "all", of };
}

export function any(...of: readonly Condition[]): Condition {
  return of.length === 1 ? (of[0] as Condition) : { op: "any", of };
}

export function equal(a: Value, b: Value): Condition {
  return { op: "equal", of: [a, b] };
}

export function different(a: Value, b: Value): Condition {
  return { op: "differ", of: [a, b] };
}

export function less(a: Value, b: Value): Condition {
  return { op: "less", of: [a, b] };
}

export function atMost(a: Value, b: Value): Condition {
  return { op: "atMost", of: [a, b] };
}

export function present(of: Value): Condition {
  return { op: "present", of };
}

export function absent(of: Value): Condition {
  return not(present(of));
}

export function exists(row: string): Condition {
  return { op: "exists", row };
}

export function is(type: Extract<Condition, { op: "is" }>["type"], of: Value): Condition {
  return { op: "is", type, of };
}

export function isIn(of: Value, values: readonly Json[]): Condition {
  return { op: "in", of, values };
}

export function related(relation: string, from: Value, to: Value): Condition {
  return { op: "related", relation, of: [from, to] };
}

/** True if no event can be missing since the cell was set to the epoch. */
export function isCurrent(row: string, name: string): Condition {
  return { op: "current", row, cell: name };
}

export const SEEN_FROM_START: Condition = { op: "seenFromStart" };
export const HAS_ENDED: Condition = { op: "ended" };

/** Returns the condition that the event has all of these values in its payload, or in its envelope. */
export function hasValues(values: JsonObject, read: (field: string) => Value = payload): Condition {
  return all(
    ...Object.entries(values)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, value]) => equal(read(field), literal(value))),
  );
}

// Messages

/** Returns the parts of a message. Texts and fields stand as they are; values need a form. */
export function message(texts: TemplateStringsArray, ...parts: readonly MessagePart[]): MessagePart[] {
  const [first = "", ...rest] = texts;
  return [first, ...rest.flatMap((text, index) => [parts[index] ?? "", text])].filter((part) => part !== "");
}

/** Writes a number and its noun. */
export function count(value: Value, noun: string, plural = `${noun}s`): MessagePart {
  return { count: value, noun, plural };
}

export function quote(value: Value): MessagePart {
  return { quote: value };
}

export function plain(value: Value): MessagePart {
  return { plain: value };
}

/** The name of the event. */
export const NAME: MessagePart = plain(EVENT);

/** Returns the place of a payload field. */
export function inPayload(field: string, itemName?: string): Place {
  return { in: "payload", field, ...(itemName !== undefined && { item: itemName }) };
}

export function inEnvelope(field: string): Place {
  return { in: "envelope", field };
}
