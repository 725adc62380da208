/** Runs machines: compiles each clause to a function, which then checks events. */
import type { Step, StreamFindingKind } from "../stream-rule.js";
import type { Clause, Machine } from "./language.js";
import { createClauseCode, type ReportStatement } from "./machine-code.js";
import { MACHINE_FUNCTIONS, type MachineState } from "./machine-functions.js";
import { findNeededTables } from "./paths.js";

export { layOutCells, MAX_ROWS, type ReportStatement } from "./machine-code.js";
export { listIds, type MachineState, nameEvent, quoteValue, type Row, readId } from "./machine-functions.js";

/** A machine that can check events. */
export interface CompiledMachine {
  start(): MachineState;
  readonly handlers: readonly CompiledClause[];
  /** Checks the end of a stream, or of the input. */
  end?(state: MachineState, step: Step): void;
}

/** A clause whose code is written when it is needed first. */
export interface CompiledClause {
  readonly types: Exclude<Clause["on"], "end">;
  /** The index of a table without whose rows the clause does nothing; undefined if there is none. */
  readonly neededTable: number | undefined;
  /** Checks an event. The first call replaces this function, so callers must not keep it. */
  check: Check;
}

type Check = (state: MachineState, step: Step) => void;

/** Compiles a machine. `kinds` are the findings by id. `observe` is called before each finding. */
export function compileMachine(
  machine: Machine,
  kinds: ReadonlyMap<string, StreamFindingKind>,
  observe?: (statement: ReportStatement) => void,
): CompiledMachine {
  const tables = Object.keys(machine.tables);
  const compiled = machine.clauses.map((clause) => {
    const [neededTable] = findNeededTables(machine, clause.do);
    const handler = {
      types: clause.on,
      neededTable: neededTable === undefined ? undefined : tables.indexOf(neededTable),
      check(state: MachineState, step: Step) {
        handler.check = compileClause(clause, machine, kinds, observe);
        handler.check(state, step);
      },
    };
    return handler;
  });
  const ends = compiled.filter(({ types }) => types === "end");
  return {
    start: () => (tables.length === 0 ? NO_TABLES : new Array<undefined>(tables.length).fill(undefined)),
    handlers: compiled.filter((handler): handler is CompiledClause => handler.types !== "end"),
    ...(ends.length > 0 && {
      end(state, step) {
        for (const each of ends) each.check(state, step);
      },
    }),
  };
}

/** The state of machines without tables. */
const NO_TABLES: MachineState = [];

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
  const scope = Object.entries({ ...MACHINE_FUNCTIONS, UNKNOWN, constants, observe });
  const used = scope.filter(([name]) => expression.includes(name));
  const createCheck = new Function(...used.map(([name]) => name), `"use strict"; return (${expression});`);
  return createCheck(...used.map(([, value]) => value));
}
