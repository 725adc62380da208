/** Runs machines: compiles each clause to a function, which then checks events. */
import type { Step, StreamFindingKind } from "../stream-rule.js";
import type { Clause, Machine } from "./language.js";
import { createClauseCode, type ReportStatement } from "./machine-code.js";
import { MACHINE_FUNCTIONS, type MachineState } from "./machine-functions.js";
import { findNeededTables } from "./needed-tables.js";

export { layOutCells, MAX_ROWS, type ReportStatement } from "./machine-code.js";
export { listIds, type MachineState, nameEvent, quoteValue, type Row, readId } from "./machine-functions.js";

/** A machine that can check events. */
export interface CompiledMachine {
  start(): MachineState;
  readonly handlers: readonly {
    readonly types: Exclude<Clause["on"], "end">;
    check(state: MachineState, step: Step): void;
  }[];
  /** Checks the end of a stream, or of the input. */
  end?(state: MachineState, step: Step): void;
}

type Check = (state: MachineState, step: Step) => void;

/** Compiles a machine. `kinds` are the findings by id. `observe` is called before each finding. */
export function compileMachine(
  machine: Machine,
  kinds: ReadonlyMap<string, StreamFindingKind>,
  observe?: (statement: ReportStatement) => void,
): CompiledMachine {
  const tables = Object.keys(machine.tables);
  const compiled = machine.clauses.map((clause) => ({
    types: clause.on,
    check: createLazyCheck(findNeededTable(clause, tables), () =>
      compileClause(clause, machine, kinds, observe),
    ),
  }));
  const ends = compiled.filter(({ types }) => types === "end");
  return {
    start: () => (tables.length === 0 ? NO_TABLES : new Array<undefined>(tables.length).fill(undefined)),
    handlers: compiled.flatMap(({ types, check }) => (types === "end" ? [] : [{ types, check }])),
    ...(ends.length > 0 && {
      end(state, step) {
        for (const { check } of ends) check(state, step);
      },
    }),
  };
}

/** The state of machines without tables. */
const NO_TABLES: MachineState = [];

/** Returns the index of a table without whose rows the clause does nothing; undefined if there is none. */
function findNeededTable({ do: body }: Clause, tables: readonly string[]): number | undefined {
  const [table] = findNeededTables(body);
  return table === undefined ? undefined : tables.indexOf(table);
}

/** Returns a check that is compiled on the first call for a state with the table that it needs. */
function createLazyCheck(neededTable: number | undefined, compile: () => Check): Check {
  let check: Check | undefined;
  return (state, step) => {
    // Most streams have nothing that a clause could be about, for example no block that is in force.
    if (neededTable !== undefined && state[neededTable] === undefined) return;
    check ??= compile();
    check(state, step);
  };
}

/** Stands for a value that has not been computed yet. */
const UNKNOWN = Symbol("unknown");

function compileClause(
  clause: Clause,
  machine: Machine,
  kinds: ReadonlyMap<string, StreamFindingKind>,
  observe: ((statement: ReportStatement) => void) | undefined,
): Check {
  const { expression, constants } = createClauseCode(clause, machine, {
    isObserved: observe !== undefined,
    getKind(finding) {
      const kind = kinds.get(finding);
      if (kind === undefined) throw new Error(`The rule has no finding ${finding}.`);
      return kind;
    },
  });
  const names = { ...MACHINE_FUNCTIONS, UNKNOWN, constants, observe };
  const createCheck = new Function(...Object.keys(names), `"use strict"; return ${expression};`);
  return createCheck(...Object.values(names));
}
