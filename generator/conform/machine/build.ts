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

export type { CellKind, Clause, Condition, Machine, MessagePart, Place, Statement, Value };

type Body = readonly (Statement | readonly Statement[])[];

const flatten = (body: Body): Statement[] => body.flat() as Statement[];

/** A table of a machine, which gives names to its rows. */
export interface NamedTable<Cell extends string = string> {
  readonly name: string;
  readonly table: Table;
  /** Removes all rows, or those of the group of `key`. */
  clear(key?: Value): Statement;
  /** Returns the row with these ids. */
  row(name: string, ...key: readonly Value[]): Row<Cell>;
  /** Returns the last ids of the keys of all rows for which `when` returns a condition that is true. */
  keysWhere(name: string, when: (row: Row<Cell>) => Condition): Value;
  /** Returns the rows with the ids in a payload field; without a field, the only row of the table. */
  rowsOf(name: string, field: string | undefined): Row<Cell>;
}

/** A row that has a name while the statements in `find`, `each` or `eachOf` run. */
export interface Row<Cell extends string = string> {
  readonly cells: { readonly [cell in Cell]: Value };
  /** Returns the value of a cell whose name is computed. */
  cell(name: Cell): Value;
  /** Returns the names of the row and of a cell, for operations on it. */
  readonly place: (cell: Cell) => { readonly row: string; readonly cell: Cell };
  readonly exists: Condition;
  /** True if no event can be missing since the cell `epoch` was set to the epoch. */
  readonly isCurrent: Condition;
  /** The last id of its key. */
  readonly key: Value;
  readonly drop: Statement;
  /** Looks up the row by its ids. */
  find(...body: Body): Statement;
  /** Visits all rows of the table. */
  each(...body: Body): Statement;
  /** Visits the rows of one group. */
  eachOf(group: Value, ...body: Body): Statement;
  /** Sets cells, and creates the row if it does not exist. */
  set(cells: { readonly [cell in Cell]?: Value }): Statement;
}

/** Returns a machine without empty clauses. */
export function createMachine(
  tables: readonly Pick<NamedTable, "name" | "table">[],
  ...clauses: readonly Clause[]
): Machine {
  return {
    tables: Object.fromEntries(tables.map(({ name, table }) => [name, table])),
    clauses: clauses.filter((clause) => clause.on.length > 0),
  };
}

/** Returns a machine that checks each event by itself. */
export function createEventMachine(types: Clause["on"], ...body: Body): Machine {
  return createMachine([], on(types, ...body));
}

/** The cells that remember an event. `THIS_EVENT` has their values for the current one. */
export const EVENT_CELLS = { event: "event", epoch: "epoch" } as const;

/** Returns a table whose keys have `keys` ids. */
export function table<Cell extends string>(
  name: string,
  keys: number,
  cells: { readonly [cell in Cell]: CellKind },
  options: Pick<Table, "grouped" | "limit"> = {},
): NamedTable<Cell> {
  const createRow = (row: string, ...key: readonly Value[]): Row<Cell> => {
    const cell = (each: string): Value => ({ op: "cell", row, cell: each });
    return {
      cells: Object.fromEntries(Object.keys(cells).map((each) => [each, cell(each)])) as Row<Cell>["cells"],
      cell,
      place: (each) => ({ row, cell: each }),
      exists: { op: "exists", row },
      isCurrent: isCurrent({ row, cell: "epoch" }),
      key: { op: "key", row },
      drop: { op: "drop", row },
      find: (...body) => ({ op: "find", row, table: name, key, do: flatten(body) }),
      each: (...body) => ({ op: "rows", row, table: name, do: flatten(body) }),
      eachOf: (group, ...body) => ({ op: "rows", row, table: name, key: group, do: flatten(body) }),
      set: (values) => ({ op: "set", row, cells: values as { readonly [cell: string]: Value } }),
    };
  };
  return {
    name,
    table: { keys, ...options, cells },
    clear: (key) => ({ op: "clear", table: name, ...(key && { key }) }),
    row: createRow,
    keysWhere: (row, when) => ({ op: "keys", row, table: name, when: when(createRow(row)) }),
    rowsOf(row, field) {
      if (field === undefined) return createRow(row);
      const one = createRow(row, item("id"));
      return { ...one, find: (...body) => eachId("id", payload(field), one.find(...body)) };
    },
  };
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

/** Visits the parts of a value; see the language. */
export function each(item: string, parts: "ids" | "items" | "numbers", of: Value, ...body: Body): Statement {
  return { op: "each", item, parts, of, do: flatten(body) };
}

/** Visits the ids in a value. */
export function eachId(item: string, of: Value, ...body: Body): Statement {
  return each(item, "ids", of, ...body);
}

export const STOP: Statement = { op: "stop" };

/** Reports a finding about the event, or about its payload field if the place is a name. */
export function report(
  { id }: StreamFindingKind,
  message: readonly MessagePart[],
  at?: Place | string,
  index?: Value,
): Statement {
  const place = typeof at === "string" ? inPayload(at) : at;
  return { op: "report", finding: id, message, ...(place && { at: place }), ...(index && { index }) };
}

/** Reports a finding if a condition is true. */
export function reportIf(condition: Condition, ...finding: Parameters<typeof report>): Statement {
  return when(condition, report(...finding));
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
/** The values of EVENT_CELLS. */
export const THIS_EVENT = { event: EVENT, epoch: EPOCH } as const;
/** A value that is never present. It empties a cell. */
export const NOTHING: Value = { op: "first", of: [] };

export function item(name: string): Value {
  return { op: "item", item: name };
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

export function is(type: Extract<Condition, { op: "is" }>["type"], of: Value): Condition {
  return { op: "is", type, of };
}

export function isIn(of: Value, values: readonly Json[]): Condition {
  return { op: "in", of, values };
}

export function lists(of: Value, values: readonly string[]): Condition {
  return { op: "lists", of, values };
}

export function related(relation: string, from: Value, to: Value): Condition {
  return { op: "related", relation, of: [from, to] };
}

/** True if no event can be missing since the cell was set to the epoch. */
export function isCurrent(place: { readonly row: string; readonly cell: string }): Condition {
  return { op: "current", ...place };
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

/** Returns the parts of a message. Texts and fields stand as they are, and so do values without another form. */
export function message(
  texts: TemplateStringsArray,
  ...parts: readonly (MessagePart | Value | readonly MessagePart[])[]
): MessagePart[] {
  const [first = "", ...rest] = texts;
  const toParts = (part: (typeof parts)[number] = ""): readonly MessagePart[] => {
    if (Array.isArray(part)) return part;
    return [typeof part === "object" && "op" in part ? { plain: part } : (part as MessagePart)];
  };
  const all = [first, ...rest.flatMap((text, index) => [...toParts(parts[index]), text])];
  return all.filter((part) => part !== "");
}

/** Writes a number and its noun. */
export function count(value: Value, noun: string, plural = `${noun}s`): MessagePart {
  return { count: value, noun, plural };
}

export function quote(value: Value): MessagePart {
  return { quote: value };
}

/** The name of the event. */
export const NAME: MessagePart = { plain: EVENT };

/** Returns the place of a payload field. */
export function inPayload(field: string, itemName?: string): Place {
  return { in: "payload", field, ...(itemName !== undefined && { item: itemName }) };
}

export function inEnvelope(field: string): Place {
  return { in: "envelope", field };
}
