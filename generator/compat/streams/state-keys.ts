/**
 * Describes the memory of machines in texts that are equal only if the machines will refuse the same events of the samples.
 * Cells that no condition reads are left out. Numbers and texts beyond all samples count as equal, because they differ from
 * every value that may come.
 */
import { layOutCells, type MachineState, type Row } from "../../conform/machine/interpret.js";
import type { CellKind, Machine, Statement, Table, Value } from "../../conform/machine/language.js";
import { listUncovered, type Range } from "../../conform/machine/ranges.js";
import type { Json } from "../../json.js";
import { compareTexts } from "../../text.js";
import { CONDITION_OPERATIONS, listNodes } from "./normal-machines.js";

/** The stream that a memory belongs to. */
interface StateContext {
  readonly epoch: number;
  /** The number of the next event if none is missing. */
  readonly next: number;
}

/** What the samples say about the values of a place. */
export interface PlaceBounds {
  /** The greatest number, and the greatest length of a text, among the samples. */
  readonly maxNumber: number;
  readonly maxUnits: number;
  /** True if numbers are compared with sequence numbers. */
  readonly isRelative: boolean;
  /** Returns the token of a value that is treated like others; undefined for other values. */
  getToken(value: Json): string | undefined;
}

/** Matches the token of a value that is treated like others of its class. */
export const ALIKE_VALUE = /<(\d+)~\d+>/g;

/** Returns the token of a value by its class and its index. */
export function createAlikeToken(valueClass: number, index: number): string {
  return `<${valueClass}~${index}>`;
}

/** Describes the memory of a machine; undefined beyond the limits of a comparison. */
export type DescribeState = (state: MachineState, context: StateContext) => Json | undefined;

/** A sum that can also fall is followed up to this distance from zero. */
const MAX_BALANCE = 2;
/** Numbers that are compared with sequence numbers are followed up to this distance. */
const MAX_DISTANCE = 3;
const TOO_LARGE = "more";

/** Returns a function that describes the memory of a machine. `getBounds` returns those of a cell, or of an id of the key. */
export function createStateDescriber(
  machine: Machine,
  getBounds: (table: string, cell: string | number) => PlaceBounds,
): DescribeState {
  const liveness = findLiveCells(machine);
  const rangeUses = findRangeUses(machine);
  const falling = findFallingCells(machine);
  const tables = Object.entries(machine.tables).map(([name, table], index) => {
    const places = layOutCells(table);
    const cells = Object.entries(table.cells).flatMap(([cell, kind]) => {
      const use = liveness.get(`${name}\n${cell}`);
      return use === undefined || kind === "ranges"
        ? []
        : [
            {
              kind,
              use,
              place: places.get(cell) ?? 0,
              bounds: getBounds(name, cell),
              canFall: falling.has(`${name}\n${cell}`),
            },
          ];
    });
    const isRangeTable = rangeUses.some((use) => use.table === name);
    return {
      name,
      table,
      index,
      cells,
      isRangeTable,
      keyBounds: Array.from({ length: table.keys }, (_, position) => getBounds(name, position)),
    };
  });
  return (state, context) => {
    const parts = tables.map((table): Json | undefined => {
      const memory = state[table.index];
      return memory === undefined || table.isRangeTable ? null : describeTable(table, memory, context);
    });
    if (parts.includes(undefined)) return undefined;
    return [parts as Json[], rangeUses.map((use) => describeRanges(use, machine, state, context))];
  };
}

/** A cell that matters. */
interface LiveCell {
  readonly kind: CellKind;
  readonly use: "value" | "presence";
  /** Its index in a row. */
  readonly place: number;
  readonly bounds: PlaceBounds;
  readonly canFall: boolean;
}

/** A table whose rows are described. */
interface DescribedTable {
  readonly table: Table;
  readonly cells: readonly LiveCell[];
  /** The bounds of the ids of its keys. */
  readonly keyBounds: readonly PlaceBounds[];
}

function describeTable(
  { table, cells, keyBounds }: DescribedTable,
  memory: NonNullable<MachineState[number]>,
  context: StateContext,
): Json | undefined {
  if (table.keys === 0) return describeRow(cells, memory as Row, context);
  const describeKey = (key: string): Json => {
    if (keyBounds[0]?.isRelative) return clip(Number(key) - context.next);
    if (table.grouped) return getIdToken(keyBounds[1], key) ?? key;
    const ids = table.keys > 1 ? key.split("\n") : [key];
    return ids.map((id, position) => getIdToken(keyBounds[position], id) ?? id);
  };
  const describeRows = (rows: ReadonlyMap<string, Row>): Json | undefined => {
    const entries = [...rows].map(([key, row]): Json | undefined => {
      const described = describeRow(cells, row, context);
      return described === undefined ? undefined : [describeKey(key), described];
    });
    return entries.includes(undefined) ? undefined : (entries as Json[]);
  };
  if (!table.grouped) return sortEntries(describeRows(memory as Map<string, Row>));
  // The order of rows within a group may matter.
  const groups = [...(memory as Map<string, Map<string, Row>>)].map(([key, rows]): Json | undefined => {
    const described = describeRows(rows);
    return described === undefined ? undefined : [getIdToken(keyBounds[0], key) ?? key, described];
  });
  return groups.includes(undefined) ? undefined : sortEntries(groups as Json[]);
}

function describeRow(cells: readonly LiveCell[], row: Row, context: StateContext): Json | undefined {
  const described = cells.map((cell) => describeCell(cell, row, context));
  return described.includes(undefined) ? undefined : (described as Json[]);
}

function describeCell(
  { kind, use, place, bounds, canFall }: LiveCell,
  row: Row,
  context: StateContext,
): Json | undefined {
  const value = row[place] as Json | undefined;
  if (kind === "epoch") return value === context.epoch;
  if (use === "presence" || kind === "flag" || kind === "event" || kind === "index")
    return value !== undefined;
  if (kind === "text") {
    const units = (value as number | undefined) ?? 0;
    return units > bounds.maxUnits ? TOO_LARGE : [units, (row[place + 1] as number | undefined) ?? 0];
  }
  if (value === undefined) return null;
  const token = bounds.getToken(value);
  if (token !== undefined) return token;
  if (typeof value !== "number") return [value];
  if (bounds.isRelative) return clip(value - context.next);
  if (canFall) return Math.abs(value) > MAX_BALANCE ? undefined : value;
  return value > bounds.maxNumber ? TOO_LARGE : value;
}

/** Returns the token of an id, which is a text or a number. */
function getIdToken(bounds: PlaceBounds | undefined, id: string): string | undefined {
  return bounds?.getToken(id) ?? bounds?.getToken(Number(id));
}

/** Sorts entries by what they are without the names of values that are treated alike. */
function sortEntries(entries: Json | undefined): Json | undefined {
  if (!Array.isArray(entries)) return entries;
  return entries
    .map((entry) => {
      const text = JSON.stringify(entry);
      return { text, key: text.replace(ALIKE_VALUE, "<$1>") };
    })
    .sort((a, b) => compareTexts(a.key, b.key))
    .map(({ text }) => text);
}

function clip(distance: number): Json {
  return distance < -MAX_DISTANCE ? "past" : distance > MAX_DISTANCE ? TOO_LARGE : distance;
}

/** Rows of a table with ranges of numbers, of which only those matter that are not in a cell. */
interface RangeUse {
  readonly table: string;
  readonly first: string;
  readonly last: string;
  readonly ranges: { readonly table: string; readonly cell: string };
}

function findRangeUses(machine: Machine): RangeUse[] {
  const rowTables = new Map<string, string>();
  for (const node of listNodes(machine.clauses as unknown as Json))
    if (node.op === "find" || node.op === "rows") rowTables.set(node.row, node.table);
  return listNodes(machine.clauses as unknown as Json).flatMap((node) => {
    if (node.op !== "uncovered" || node.first.op !== "cell" || node.last.op !== "cell") return [];
    return [
      {
        table: rowTables.get(node.first.row) ?? "",
        first: node.first.cell,
        last: node.last.cell,
        ranges: { table: rowTables.get(node.row) ?? "", cell: node.cell },
      },
    ];
  });
}

/** Returns the ranges that are not covered so far, and the covered numbers that are still to come. */
function describeRanges(
  { table, first, last, ranges }: RangeUse,
  machine: Machine,
  state: MachineState,
  { next }: StateContext,
): Json {
  const names = Object.keys(machine.tables);
  const getPlace = (name: string, cell: string): number => {
    const layout = machine.tables[name];
    return (layout && layOutCells(layout).get(cell)) ?? 0;
  };
  const holder = state[names.indexOf(ranges.table)] as Row | undefined;
  const covered = (holder?.[getPlace(ranges.table, ranges.cell)] ?? []) as readonly Range[];
  const rows = (state[names.indexOf(table)] ?? new Map()) as ReadonlyMap<string, Row>;
  const [from, to] = [getPlace(table, first), getPlace(table, last)];
  const open = [...rows.values()].flatMap((row) =>
    listUncovered(covered, row[from] as number, row[to] as number).map(
      ([low, high]): Json => [clip(low - next), clip(high - next)],
    ),
  );
  const coming = covered
    .filter(([, high]) => high >= next)
    .map(([low, high]): Json => [clip(Math.max(low - next, 0)), clip(high - next)]);
  return [[...new Set(open.map((range) => JSON.stringify(range)))].sort(), coming];
}

/** The cells that conditions read, by table and cell: their values, or only whether they are present. */
export type LiveCells = ReadonlyMap<string, "value" | "presence">;

/** Returns the cells that the conditions of a machine read. */
export function findLiveCells(machine: Machine): LiveCells {
  const live = new Map<string, "value" | "presence">();
  const rowTables = new Map<string, string>();
  let changed = true;
  const mark = (row: string, cell: string, use: "value" | "presence"): void => {
    const key = `${rowTables.get(row) ?? ""}\n${cell}`;
    if (live.get(key) === "value" || live.get(key) === use) return;
    live.set(key, use);
    changed = true;
  };
  const markValue = (value: Value, use: "value" | "presence"): void => {
    if (value.op === "cell" || value.op === "textUnits" || value.op === "covered")
      mark(value.row, value.cell, use);
    if (value.op === "cell" || value.op === "textUnits") return;
    for (const node of listNodes(Object.values(value) as unknown as Json))
      if (node.op === "cell" || node.op === "textUnits" || node.op === "covered")
        mark(node.row, node.cell, "value");
  };
  const visit = (body: readonly Statement[]): void => {
    for (const statement of body) {
      if (statement.op === "find" || statement.op === "rows") {
        rowTables.set(statement.row, statement.table);
        const keys = statement.op === "find" ? statement.key : statement.key ? [statement.key] : [];
        for (const key of keys) markValue(key, "value");
      }
      if (statement.op === "if") {
        for (const node of listNodes(statement.when as unknown as Json)) {
          if (node.op === "keys") rowTables.set(node.row, node.table);
          if (node.op === "current" || node.op === "sameText" || node.op === "endsWithText")
            mark(node.row, node.cell, "value");
          else if (node.op === "present") markValue(node.of, "presence");
        }
        markConditionValues(statement.when, markValue);
        visit(statement.else ?? []);
      }
      if (statement.op === "each") markValue(statement.of, "value");
      if (statement.op === "uncovered") {
        markValue(statement.first, "value");
        markValue(statement.last, "value");
        mark(statement.row, statement.cell, "value");
      }
      if (statement.op === "set")
        for (const [cell, value] of Object.entries(statement.cells)) {
          const use = live.get(`${rowTables.get(statement.row) ?? ""}\n${cell}`);
          if (use !== undefined) markValue(value, use);
        }
      if ("do" in statement) visit(statement.do);
    }
  };
  while (changed) {
    changed = false;
    for (const { do: body } of machine.clauses) visit(body);
  }
  return live;
}

/** Marks the values of a condition, except those that are only tested for presence. */
function markConditionValues(
  condition: { readonly op: string } & object,
  markValue: (value: Value, use: "value") => void,
): void {
  if (condition.op === "present") return;
  for (const part of Object.values(condition).flat() as unknown[]) {
    if (typeof part !== "object" || part === null || !("op" in part)) continue;
    const node = part as { readonly op: string };
    if (CONDITION_OPERATIONS.has(node.op)) markConditionValues(node, markValue);
    else markValue(node as Value, "value");
  }
}

/** Returns the cells that a subtraction may lower. */
function findFallingCells(machine: Machine): ReadonlySet<string> {
  const rowTables = new Map<string, string>();
  const falling = new Set<string>();
  for (const node of listNodes(machine.clauses as unknown as Json)) {
    if (node.op === "find" || node.op === "rows") rowTables.set(node.row, node.table);
    if (node.op !== "set") continue;
    for (const [cell, value] of Object.entries(node.cells))
      if (listNodes(value as unknown as Json).some(({ op }) => op === "subtract"))
        falling.add(`${rowTables.get(node.row) ?? ""}\n${cell}`);
  }
  return falling;
}
