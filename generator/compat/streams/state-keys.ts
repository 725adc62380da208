/**
 * Describes the memory of machines in texts that are equal only if the machines will refuse the same events of the samples.
 * Cells that no condition reads are left out. Numbers and texts beyond all samples and all constants of the machine count as
 * equal, because they differ from every value that may come.
 */
import { layOutCells, type MachineState, type Row } from "../../conform/machine/interpret.js";
import type { CellKind, Machine, Table } from "../../conform/machine/language.js";
import { listUncovered, type Range } from "../../conform/machine/ranges.js";
import { getTable, listStatements, nameCell, selectNodes } from "../../conform/machine/walk.js";
import type { Json } from "../../json.js";
import { compareTexts } from "../../text.js";

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
}

/** Stands for a value beyond the limits of a comparison. States with it are never equal. */
export const UNBOUNDED = "<unbounded>";

/** Describes the memory of a machine. */
export type DescribeState = (state: MachineState, context: StateContext) => Json;

/** A sum that can also fall is followed up to this distance from zero. */
const MAX_BALANCE = 2;
/**
 * The samples have numbers at most one away from the number of their event. So a number that is further from the next one, and
 * greater than all others of the samples, differs from every number that may come.
 */
export const MAX_DISTANCE = 3;
const TOO_LARGE = "more";

/** Returns a function that describes the memory of a machine. `getBounds` returns those of a cell, or of an id of the key. */
export function createStateDescriber(
  machine: Machine,
  getBounds: (table: string, cell: string | number) => PlaceBounds,
): DescribeState {
  const live = findLiveCells(machine);
  const falling = findFallingCells(machine);
  const constants = selectNodes(machine.clauses, "constant").map(({ value }) => value);
  const getAllBounds = (table: string, cell: string | number): PlaceBounds => {
    const { maxNumber, maxUnits, isRelative } = getBounds(table, cell);
    const numbers = constants.filter((value) => typeof value === "number");
    const units = constants.map((value) => (typeof value === "string" ? value.length : 0));
    return {
      maxNumber: Math.max(maxNumber, ...numbers),
      maxUnits: Math.max(maxUnits, ...units),
      isRelative,
    };
  };
  const rangeUses = findRangeUses(machine).map((use) => ({
    use,
    maxNumber: Math.max(...[use.first, use.last].map((cell) => getAllBounds(use.table, cell).maxNumber)),
  }));
  const tables = Object.entries(machine.tables).map(([name, table], index) => {
    const places = layOutCells(table);
    const cells = Object.entries(table.cells).flatMap(([cell, kind]): LiveCell[] => {
      const use = live.get(`${name}\n${cell}`);
      if (use === undefined || kind === "ranges") return [];
      const canFall = falling.has(`${name}\n${cell}`);
      return [{ kind, use, place: places.get(cell) ?? 0, bounds: getAllBounds(name, cell), canFall }];
    });
    const { isRelative, maxNumber } = getAllBounds(name, 0);
    const maxKey = table.keys === 1 && isRelative ? maxNumber : undefined;
    return { index, table, cells, maxKey, isOfRanges: rangeUses.some(({ use }) => use.table === name) };
  });
  return (state, context) => [
    tables.map((table) => {
      const memory = state[table.index];
      return memory === undefined || table.isOfRanges ? null : describeTable(table, memory, context);
    }),
    rangeUses.map(({ use, maxNumber }) => describeRanges(use, machine, state, { ...context, maxNumber })),
  ];
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
  /** The greatest number that its keys are compared with; undefined if they are not compared with sequence numbers. */
  readonly maxKey: number | undefined;
}

function describeTable(
  { table, cells, maxKey }: DescribedTable,
  memory: NonNullable<MachineState[number]>,
  context: StateContext,
): Json {
  const describeRow = (row: Row): Json => cells.map((cell) => describeCell(cell, row, context));
  if (table.keys === 0) return describeRow(memory as Row);
  const describeKey = (key: string): Json => {
    const number = maxKey === undefined ? Number.NaN : Number(key);
    return maxKey === undefined || Number.isNaN(number) ? key : describeNumber(number, maxKey, context);
  };
  const describeRows = (rows: ReadonlyMap<string, Row>): Json[] =>
    [...rows].map(([key, row]) => [describeKey(key), describeRow(row)]);
  if (!table.grouped) return sortEntries(describeRows(memory as Map<string, Row>));
  // The order of rows within a group may matter.
  const groups = [...(memory as Map<string, Map<string, Row>>)];
  return sortEntries(groups.map(([key, rows]) => [key, describeRows(rows)]));
}

function describeCell(
  { kind, use, place, bounds, canFall }: LiveCell,
  row: Row,
  context: StateContext,
): Json {
  const value = row[place] as Json | undefined;
  if (kind === "epoch") return value === context.epoch;
  if (use === "presence" || kind === "flag" || kind === "event" || kind === "index")
    return value !== undefined;
  if (kind === "text") {
    const units = (value as number | undefined) ?? 0;
    return units > bounds.maxUnits ? TOO_LARGE : [units, (row[place + 1] as number | undefined) ?? 0];
  }
  if (value === undefined) return null;
  if (typeof value !== "number") return [value];
  if (bounds.isRelative) return describeNumber(value, bounds.maxNumber, context);
  if (canFall) return Math.abs(value) > MAX_BALANCE ? UNBOUNDED : value;
  return value > bounds.maxNumber ? TOO_LARGE : value;
}

/** Sorts entries, whose order has no meaning. */
function sortEntries(entries: readonly Json[]): Json {
  return entries.map((entry) => JSON.stringify(entry)).sort(compareTexts);
}

/** Describes a number that is compared with numbers of events. Beyond the samples, only its distance from the next one matters. */
function describeNumber(value: number, max: number, { next }: StateContext): Json {
  if (value <= max) return value;
  const distance = value - next;
  return Math.abs(distance) > MAX_DISTANCE ? [distance < 0 ? "past" : TOO_LARGE] : [distance];
}

/** Rows of a table with ranges of numbers, of which only those matter that are not in a cell. */
interface RangeUse {
  readonly table: string;
  readonly first: string;
  readonly last: string;
  readonly ranges: { readonly table: string; readonly cell: string };
}

function findRangeUses(machine: Machine): RangeUse[] {
  return selectNodes(machine.clauses, "uncovered").flatMap(({ first, last, row, cell }) => {
    if (first.op !== "cell" || last.op !== "cell") return [];
    const ranges = { table: getTable(machine, row), cell };
    return [{ table: getTable(machine, first.row), first: first.cell, last: last.cell, ranges }];
  });
}

/** Returns the ranges that are not covered so far, and the covered numbers that are still to come. */
function describeRanges(
  { table, first, last, ranges }: RangeUse,
  machine: Machine,
  state: MachineState,
  { epoch, next, maxNumber }: StateContext & Pick<PlaceBounds, "maxNumber">,
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
      ([low, high]): Json => [
        describeNumber(low, maxNumber, { epoch, next }),
        describeNumber(high, maxNumber, { epoch, next }),
      ],
    ),
  );
  const coming = covered
    .filter(([, high]) => high >= next)
    .map(([low, high]): Json => [Math.max(low - next, 0), high - next]);
  return [[...new Set(open.map((range) => JSON.stringify(range)))].sort(), coming];
}

/** The cells that conditions read, by table and cell: their values, or only whether they are present. */
export type LiveCells = ReadonlyMap<string, "value" | "presence">;

/** Returns the cells that the conditions of a machine read. */
export function findLiveCells(machine: Machine): LiveCells {
  const live = new Map<string, "value" | "presence">();
  const mark = (part: unknown, use: "value" | "presence" = "value"): void => {
    if (typeof part !== "object" || part === null) return;
    const { op, row, cell } = part as { readonly [name: string]: unknown };
    if (op === "constant") return;
    if (typeof row === "string" && typeof cell === "string") {
      const name = nameCell(machine, row, cell);
      if (live.get(name) !== "value") live.set(name, use);
    }
    // A value within another one is not only tested for presence.
    for (const inner of Object.values(part)) mark(inner, op === "present" ? "presence" : "value");
  };
  const statements = listStatements(machine.clauses);
  let known: string;
  do {
    known = JSON.stringify([...live]);
    for (const statement of statements)
      if (statement.op === "set") {
        for (const [cell, value] of Object.entries(statement.cells)) {
          const use = live.get(nameCell(machine, statement.row, cell));
          if (use !== undefined) mark(value, use);
        }
      } else if ("do" in statement || statement.op === "clear") mark({ ...statement, do: [], else: [] });
  } while (known !== JSON.stringify([...live]));
  return live;
}

/** Returns the cells that a subtraction may lower. */
function findFallingCells(machine: Machine): ReadonlySet<string> {
  const entries = selectNodes(machine.clauses, "set").flatMap(({ row, cells }) =>
    Object.entries(cells).map(([cell, value]) => [nameCell(machine, row, cell), value] as const),
  );
  return new Set(
    entries.flatMap(([name, value]) => (selectNodes(value, "subtract").length > 0 ? [name] : [])),
  );
}
