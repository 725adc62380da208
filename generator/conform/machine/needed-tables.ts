/** Finds tables whose rows are needed for a statement to do anything, so that it can be skipped while they are empty. */
import type { Condition, Statement, Value } from "./language.js";

/** The tables of the rows that have names. */
type RowTables = ReadonlyMap<string, string>;
type Tables = ReadonlySet<string>;

const NONE: Tables = new Set();

/** Returns tables without whose rows the statements do nothing. */
export function findNeededTables(body: readonly Statement[], rows: RowTables = new Map()): Tables {
  return intersectAll(body.map((statement) => findTablesOfStatement(statement, rows)));
}

function findTablesOfStatement(statement: Statement, rows: RowTables): Tables {
  switch (statement.op) {
    case "if": {
      const tables = unite(findTablesOfCondition(statement.when, rows), findNeededTables(statement.do, rows));
      return statement.else === undefined
        ? tables
        : intersect(tables, findNeededTables(statement.else, rows));
    }
    case "find":
      return findNeededTables(statement.do, new Map([...rows, [statement.row, statement.table]]));
    case "rows":
    case "clear":
      return new Set([statement.table]);
    case "each":
      return findNeededTables(statement.do, rows);
    case "append":
    case "cover":
    case "drop":
      return listTable(statement.row, rows);
    default:
      return NONE;
  }
}

/** Returns tables without whose rows a condition is false. */
function findTablesOfCondition(condition: Condition, rows: RowTables): Tables {
  switch (condition.op) {
    case "all":
      return condition.of.map((each) => findTablesOfCondition(each, rows)).reduce(unite, NONE);
    case "any":
      return intersectAll(condition.of.map((each) => findTablesOfCondition(each, rows)));
    case "equal":
    case "differ":
    case "less":
    case "atMost":
      return unite(findTablesOfValue(condition.of[0], rows), findTablesOfValue(condition.of[1], rows));
    case "present":
    case "is":
      return findTablesOfValue(condition.of, rows);
    case "exists":
    case "current":
      return listTable(condition.row, rows);
    default:
      return NONE;
  }
}

/** Returns tables without whose rows a value is absent. */
function findTablesOfValue(value: Value, rows: RowTables): Tables {
  return value.op === "cell" ? listTable(value.row, rows) : NONE;
}

function listTable(row: string, rows: RowTables): Tables {
  const table = rows.get(row);
  return table === undefined ? NONE : new Set([table]);
}

function unite(a: Tables, b: Tables): Tables {
  return new Set([...a, ...b]);
}

function intersectAll([first = NONE, ...others]: readonly Tables[]): Tables {
  return others.reduce(intersect, first);
}

function intersect(a: Tables, b: Tables): Tables {
  return new Set([...a].filter((table) => b.has(table)));
}
