/** Reduces machines to what decides whether they refuse a stream, so that equal machines refuse the same streams. */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { Clause, Machine, Statement } from "../../conform/machine/language.js";
import { isEmpty, listNodes, mapStatements, runsAt } from "../../conform/machine/walk.js";
import { areEqual, formatCanonicalJson, type Json, toJson } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import type { Profile } from "../../schema/readings.js";

/**
 * Returns a machine that reports only what is an error in all of these profiles, without texts and places, for events of
 * these types. Returns undefined if it reports nothing.
 */
export function reduceMachine(
  { machine, findings }: PlannedMachine,
  profiles: readonly Profile[],
  types: ReadonlyMap<string, unknown>,
): Machine | undefined {
  const errors = new Set(
    findings
      .filter(({ severity }) => profiles.every((profile) => severity[profile] === "error"))
      .map(({ id }) => id),
  );
  const clauses = machine.clauses.flatMap((clause): Clause[] => {
    const on = typeof clause.on === "string" ? clause.on : clause.on.filter((type) => types.has(type));
    const body = mapStatements(clause.do, (statement): Statement[] => {
      if (statement.op !== "report") return isEmpty(statement) ? [] : [statement];
      const { op, finding } = statement;
      return errors.has(finding) ? [{ op, finding, message: [] }] : [];
    });
    return on.length === 0 || body.length === 0 ? [] : [{ on, do: body }];
  });
  return mentions({ tables: {}, clauses }, ["report"]) ? { ...machine, clauses } : undefined;
}

/** Returns whether a machine depends on where events may be missing. */
export function usesEpochs(machine: Machine): boolean {
  return mentions(machine, ["current", "seenFromStart", "gap"]);
}

/** Returns whether a machine depends on where its streams end. */
export function usesEnd(machine: Machine): boolean {
  return mentions(machine, ["ended"]) || machine.clauses.some(({ on }) => on === "after-terminal");
}

/** Returns whether a machine compares event types with each other. */
export function remembersTypes(machine: Machine): boolean {
  return mentions(machine, ["type"]);
}

/** Returns whether a machine has a node with one of these operations. */
export function mentions(machine: Machine, operations: readonly string[]): boolean {
  const used = listOperations(machine);
  return operations.some((operation) => used.has(operation));
}

const listOperations = memoizeByObject(
  (machine: Machine): ReadonlySet<string> => new Set(listNodes(machine.clauses).map(({ op }) => op)),
);

/** Returns a text that is equal for machines of two contracts if they refuse the same streams. */
export function identifyMachine(machine: Machine, protocol: Protocol): string {
  return `${formatNode(machine)} ${JSON.stringify(describeContext(machine, protocol))}`;
}

/** Returns whether two contracts agree in everything that a machine depends on besides its events. */
export function isSameContext(machine: Machine, one: Protocol, other: Protocol): boolean {
  return areEqual(describeContext(machine, one), describeContext(machine, other));
}

function describeContext(machine: Machine, protocol: Protocol): Json {
  return [
    usesEpochs(machine) ? listEpochMembers(protocol) : null,
    usesEnd(machine) ? listEndMembers(protocol) : null,
  ];
}

/** Returns the parts of a contract that decide where events may be missing. */
function listEpochMembers({ stream }: Protocol): Json {
  const isNumbered = stream?.sequence !== undefined;
  return [isNumbered, stream?.first ?? null, listEpochTypes(stream)];
}

/** Returns the event types that report a gap and, if events have no numbers, those that open a stream. */
function listEpochTypes(stream: Protocol["stream"]): string[] {
  const { gaps = [], terminal } = stream?.rules ?? {};
  const opens = stream?.sequence === undefined ? (terminal?.opens ?? []) : [];
  return [...new Set([...gaps.map(({ type }) => type), ...opens])].sort();
}

function listEndMembers({ stream }: Protocol): Json {
  const { opens = [], types = [] } = stream?.rules?.terminal ?? {};
  return [[...new Set(opens)].sort(), [...new Set(types)].sort()];
}

/** Returns the event types whose events matter to a machine, besides those of its clauses. */
export function listContextTypes(machine: Machine, { stream }: Protocol): readonly string[] {
  const { opens = [], types = [] } = stream?.rules?.terminal ?? {};
  return [
    ...(usesEpochs(machine) ? listEpochTypes(stream) : []),
    ...(usesEnd(machine) ? [...opens, ...types] : []),
  ];
}

/**
 * Returns whether `other` is `machine` without some statements that only report, for each of these event types. Then it
 * refuses no stream that `machine` accepts.
 */
export function reportsNoMore(
  other: Machine,
  machine: Machine,
  types: ReadonlyMap<string, unknown>,
): boolean {
  if (formatMemory(other) !== formatMemory(machine)) return false;
  const select = ({ clauses }: Machine, type: string): Statement[] =>
    clauses.flatMap(({ on, do: body }) => (on === type || runsAt(on, type) ? body : []));
  return [...types.keys(), "after-terminal", "refused", "end"].every((type) => {
    const rest = select(other, type).map(formatNode);
    const lacksReportsOnly = select(machine, type).every((statement) =>
      formatNode(statement) === rest[0] ? rest.shift() !== undefined : onlyReports(statement),
    );
    return lacksReportsOnly && rest.length === 0;
  });
}

/** Returns whether a statement does nothing but report. Outside of a loop, `stop` would end the clause. */
function onlyReports(statement: Statement, isInLoop = false): boolean {
  if (statement.op === "report") return true;
  if (statement.op === "stop") return isInLoop;
  if (!("do" in statement)) return false;
  const otherwise = statement.op === "if" ? (statement.else ?? []) : [];
  const isLoop = statement.op === "rows" || statement.op === "each";
  return [...statement.do, ...otherwise].every((each) => onlyReports(each, isInLoop || isLoop));
}

const NO_RELATIONS = {};

function formatMemory({ tables, relations = NO_RELATIONS, shared }: Machine): string {
  return `${formatNode(tables)} ${formatNode(relations)} ${shared === true}`;
}

/** Returns a text that is equal for equal parts of machines. */
export const formatNode = memoizeByObject((node: object): string => formatCanonicalJson(toJson(node)));
