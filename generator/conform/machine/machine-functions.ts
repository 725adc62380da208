/** The functions that the code of machines calls, and the rows that it reads and writes. */
import {
  areEqual,
  formatCanonicalJson,
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  splitPointer,
} from "../../json.js";
import { compareTexts, formatCount } from "../../text.js";
import { isSeenFromStart, type Step } from "../stream-rule.js";
import { computeSum, joinSums, measureSize, measureSum, type TextSum } from "../text-measure.js";
import { addRange, countCovered, listUncovered, type Range } from "./ranges.js";

/** The cells of a row. A cell of texts has two values: the length, and the sum of the characters. */
export type Row = (Json | readonly Range[] | undefined)[];
type Rows = Map<string, Row>;
type Groups = Map<string, Rows>;

/** Rows that remember which one was looked up last. Texts arrive in many pieces, which mostly follow each other. */
class RowsByIds extends Map<string, Row> {
  first: string | number | undefined = undefined;
  second: string | number | undefined = undefined;
  last: Row | undefined = undefined;

  override set(key: string, row: Row): this {
    this.last = undefined;
    return super.set(key, row);
  }

  override delete(key: string): boolean {
    this.last = undefined;
    return super.delete(key);
  }
}

/** The memory of a machine, by the order of its tables: one row, rows by key, or groups of rows; undefined if it is empty. */
export type MachineState = (Row | Rows | Groups | undefined)[];

/** The functions by the names that the code has for them. */
export const MACHINE_FUNCTIONS = {
  RowsByIds,
  addRow,
  appendText,
  areSetsDifferent,
  areSetsEqual,
  computeSum,
  cover,
  dropGroup,
  dropRow,
  endsWithText,
  findByIds,
  findByTwoIds,
  formatCount,
  formatIds,
  formatItem,
  getCounterpart,
  getCovered,
  hasMember,
  hasPath,
  hasText,
  isDifferent,
  isEqual,
  isId,
  isRelated,
  isSeenFromStart,
  joinIds,
  joinPointer,
  listGap,
  listKeys,
  measureSize,
  measureSum,
  nameEvent,
  quoteValue,
  readId,
  selectRows,
};

// Values

/** Returns the ids in a value: one id, or a list of ids. */
export function listIds(value: Json | undefined): readonly string[] {
  const values: readonly (Json | undefined)[] = Array.isArray(value) ? value : [value];
  return values.map(readId).filter((id) => id !== undefined);
}

/** Returns an id as text. Undefined if it is neither a text nor a number. */
export function readId(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}

/** Returns the name of an event in messages: its type, and its number if it has one. */
export function nameEvent({ type, sequence }: Pick<Step, "type" | "sequence">): string {
  return sequence === undefined ? type : `${type} #${sequence}`;
}

function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return a !== undefined;
  return typeof a === "object" && areEqual(a, b);
}

function isDifferent(a: Json | undefined, b: Json | undefined): boolean {
  return a !== b && a !== undefined && b !== undefined && !(typeof a === "object" && areEqual(a, b));
}

function areSetsEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return a !== undefined;
  return a !== undefined && b !== undefined && areEqual(sortList(a), sortList(b));
}

function areSetsDifferent(a: Json | undefined, b: Json | undefined): boolean {
  return isDifferent(a, b) && !areSetsEqual(a, b);
}

/** Returns a list in a fixed order, and any other value as it is. */
function sortList(value: Json): Json {
  return Array.isArray(value)
    ? [...value].sort((a, b) => compareTexts(formatCanonicalJson(a), formatCanonicalJson(b)))
    : value;
}

/** Returns the part of a value that has the path of an item. */
function getCounterpart(value: Json | undefined, path: string): Json | undefined {
  return value === undefined || path === "" ? value : getValueAtPointer(value, path);
}

function isRelated(
  relation: ReadonlyMap<unknown, ReadonlySet<unknown>>,
  from: Json | undefined,
  to: Json | undefined,
): boolean {
  return relation.get(from)?.has(to) === true;
}

/** Returns whether the payload has a field, or an object with such a member in another field. */
function hasMember(
  payload: JsonObject,
  name: Json | undefined,
  except: readonly string[],
  fields: readonly string[],
): boolean {
  if (typeof name !== "string") return false;
  if (payload[name] !== undefined) return true;
  // The payload may be a view whose members cannot be listed, so declared fields are read by their names.
  const names = new Set([...fields, ...Object.keys(payload)]);
  return [...names].some((field) => !except.includes(field) && containsMember(payload[field], name));
}

/** Returns whether an object in a value, at any depth, has a member. */
function containsMember(value: Json | undefined, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => containsMember(item, name));
  if (!isObject(value)) return false;
  return Object.hasOwn(value, name) || Object.values(value).some((each) => containsMember(each, name));
}

/** Returns whether the payload has a value at a JSON pointer or at a path such as `$.input.headers[0].value`. */
function hasPath(payload: JsonObject, path: Json | undefined): boolean {
  if (typeof path !== "string") return false;
  if (payload[path] !== undefined) return true;
  const dotted = path.replace(/^\$\.?/, "").replace(/\[(\d+)\]/g, ".$1");
  const names = path.startsWith("/") ? splitPointer(path) : dotted.split(".").filter((name) => name !== "");
  const [first = "", ...rest] = names;
  const value = payload[first];
  return value !== undefined && getValueAtPointer(value, joinPointer("", ...rest)) !== undefined;
}

// Rows

/** Forgets the oldest row, or the oldest group, of a full table. */
function makeRoom(rows: Rows | Groups, key: string, limit: number, step: Step): void {
  if (rows.size < limit || rows.has(key)) return;
  const [oldest] = rows.keys();
  if (oldest !== undefined) rows.delete(oldest);
  step.reportLimit(`more than ${limit} ids that a rule has to remember`);
}

/** Adds a row to a table, or to one of its groups. */
function addRow(
  state: MachineState,
  table: number,
  limit: number,
  Rows: new () => Map<string, Row>,
  step: Step,
  row: Row,
  key: string,
  groupKey?: string,
): Row {
  const all = (state[table] ?? new Rows()) as Rows | Groups;
  state[table] = all;
  let rows = all as Rows;
  if (groupKey !== undefined) {
    makeRoom(all, groupKey, limit, step);
    rows = (all as Groups).get(groupKey) ?? new Map();
    (all as Groups).set(groupKey, rows);
  }
  makeRoom(rows, key, limit, step);
  rows.set(key, row);
  return row;
}

function dropRow(state: MachineState, table: number, key: string, groupKey?: string): void {
  const all = state[table] as Rows | Groups | undefined;
  const rows =
    groupKey === undefined ? (all as Rows | undefined) : (all as Groups | undefined)?.get(groupKey);
  rows?.delete(key);
  if (rows?.size !== 0) return;
  if (groupKey === undefined) state[table] = undefined;
  else dropGroup(state, table, groupKey);
}

function dropGroup(state: MachineState, table: number, groupKey: string | undefined): void {
  const groups = state[table] as Groups | undefined;
  if (groupKey !== undefined) groups?.delete(groupKey);
  if (groups?.size === 0) state[table] = undefined;
}

function isId(value: Json | undefined): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function joinIds(...ids: readonly (string | number)[]): string {
  return ids.join("\n");
}

function findByIds(rows: Rows | undefined, ...ids: readonly (string | number)[]): Row | undefined {
  return rows?.get(joinIds(...ids));
}

function findByTwoIds(
  rows: Rows | undefined,
  first: string | number,
  second: string | number,
): Row | undefined {
  // Copies of a memory remember no row.
  if (!(rows instanceof RowsByIds)) return findByIds(rows, first, second);
  if (rows.last !== undefined && rows.first === first && rows.second === second) return rows.last;
  rows.first = first;
  rows.second = second;
  rows.last = rows.get(`${first}\n${second}`);
  return rows.last;
}

const NO_ROWS: Rows = new Map();

/** Returns the rows of a table with one row, or of one that is not grouped. */
function selectRows(rows: Row | Rows | undefined): Rows {
  if (rows === undefined) return NO_ROWS;
  return Array.isArray(rows) ? new Map([["", rows]]) : rows;
}

/** Returns the ids of the rows that satisfy a condition; undefined if there are none. */
function listKeys(rows: Row | Rows | undefined, test: (row: Row) => boolean): string[] | undefined {
  const ids = [...selectRows(rows)].flatMap(([id, row]) => (test(row) ? [id] : []));
  return ids.length === 0 ? undefined : ids;
}

// Cells of texts and of ranges

function appendText(row: Row | undefined, index: number, text: TextSum | undefined): void {
  if (row === undefined || text === undefined) return;
  row[index] = ((row[index] as number | undefined) ?? 0) + text.units;
  row[index + 1] = joinSums((row[index + 1] as number | undefined) ?? 0, text);
}

/** Returns whether a text equals the texts in a cell. */
function hasText(row: Row | undefined, index: number, text: TextSum | undefined): boolean {
  return text !== undefined && text.units === (row?.[index] ?? 0) && text.sum === (row?.[index + 1] ?? 0);
}

/** Returns whether a text ends with the texts in a cell. */
function endsWithText(row: Row | undefined, index: number, text: Json | undefined): boolean {
  if (typeof text !== "string") return false;
  const excess = text.length - ((row?.[index] as number | undefined) ?? 0);
  return excess >= 0 && computeSum(text, excess, 0) === (row?.[index + 1] ?? 0);
}

function readRanges(row: Row | undefined, index: number): readonly Range[] {
  return (row?.[index] as readonly Range[] | undefined) ?? [];
}

function cover(row: Row | undefined, index: number, first: Json | undefined, last: Json | undefined): void {
  if (typeof first === "number" && typeof last === "number" && row !== undefined)
    row[index] = addRange(readRanges(row, index), first, last);
}

function getCovered(
  row: Row | undefined,
  index: number,
  first: Json | undefined,
  last: Json | undefined,
): number | undefined {
  if (typeof first !== "number" || typeof last !== "number") return undefined;
  return countCovered(readRanges(row, index), first, last);
}

/** Returns the ranges of numbers that are not in a cell. */
function listGap(
  row: Row | undefined,
  index: number,
  first: Json | undefined,
  last: Json | undefined,
): readonly Range[] {
  if (typeof first !== "number" || typeof last !== "number") return [];
  return listUncovered(readRanges(row, index), first, last);
}

// Messages

/** Returns a value of an event for messages, shortened if it is long. */
export function quoteValue(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** The number of ids that a list in a message names. */
const MAX_NAMED_IDS = 3;

function formatIds(ids: readonly string[] = []): string {
  const names = ids.slice(0, MAX_NAMED_IDS).map((id) => quoteValue(id));
  return `${names.join(", ")}${ids.length > MAX_NAMED_IDS ? ` and ${ids.length - MAX_NAMED_IDS} more` : ""}`;
}

/** Returns the name of a field and, after a dot, that of the member at a path. */
function formatItem(field: string, path: string): string {
  return [field, ...splitPointer(path)].join(".");
}
