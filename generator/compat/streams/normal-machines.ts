/** Reduces machines to what decides whether they refuse a stream, so that equal machines refuse the same streams. */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { Clause, Condition, Machine, Statement, Value } from "../../conform/machine/language.js";
import { isEmpty, listNodes, mapStatements, runsAt } from "../../conform/machine/walk.js";
import { areEqual, formatCanonicalJson, type Json } from "../../json.js";
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

/** The operations of conditions: true if the operands alone decide the result, and nothing is remembered. */
const CONDITIONS: { readonly [operation in Condition["op"]]: boolean } = {
  not: true,
  all: true,
  any: true,
  equal: true,
  differ: true,
  less: true,
  atMost: true,
  present: true,
  exists: false,
  is: true,
  in: true,
  matches: true,
  related: true,
  current: false,
  seenFromStart: false,
  ended: false,
  sameText: false,
  endsWithText: false,
  hasReplacement: true,
  hasMember: false,
  hasPath: false,
};

/** The operations of values: true if an event and the operands alone decide the result. */
const VALUES: { readonly [operation in Value["op"]]: boolean } = {
  constant: true,
  payload: true,
  envelope: true,
  type: true,
  sequence: false,
  epoch: false,
  event: false,
  index: false,
  gap: false,
  item: false,
  path: false,
  counterpart: false,
  key: false,
  cell: false,
  first: true,
  add: true,
  multiply: true,
  subtract: true,
  divide: true,
  minimum: true,
  bytes: true,
  units: true,
  textUnits: false,
  join: true,
  covered: false,
  keys: false,
};

/** The operations of conditions. */
export const CONDITION_OPERATIONS: ReadonlySet<string> = new Set(Object.keys(CONDITIONS));

/** The operations of values and conditions whose results depend only on fields and operands. */
export const FIELD_OPERATIONS: ReadonlySet<string> = new Set(
  Object.entries({ ...VALUES, ...CONDITIONS }).flatMap(([operation, isDecided]) =>
    isDecided ? [operation] : [],
  ),
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
 * Returns whether `other` is `machine` without some of its reports and of the statements around them, for each of these
 * event types. Then it refuses no stream that `machine` accepts.
 */
export function reportsNoMore(
  other: Machine,
  machine: Machine,
  types: ReadonlyMap<string, unknown>,
): boolean {
  if (formatNode(other) === formatNode(machine)) return true;
  const [otherMemory, memory] = [other, machine].map(({ tables, relations = {}, shared = false }) =>
    JSON.stringify([formatNode(tables), formatNode(relations), shared]),
  );
  if (otherMemory !== memory) return false;
  const select = ({ clauses }: Machine, type: string): Statement[] =>
    clauses.flatMap(({ on, do: body }) => (on === type || runsAt(on, type) ? body : []));
  return [...types.keys(), "after-terminal", "refused", "end"].every((type) =>
    isReducedBody(select(other, type), select(machine, type)),
  );
}

/** Returns a text that is equal for equal parts of machines. */
export const formatNode = memoizeByObject((node: object): string =>
  formatCanonicalJson(JSON.parse(JSON.stringify(node))),
);

/** Returns whether `other` is `body` without some statements that only report. */
function isReducedBody(other: readonly Statement[], body: readonly Statement[]): boolean {
  const rest = [...other];
  for (const statement of body) {
    const [next] = rest;
    if (next !== undefined && isReducedStatement(next, statement)) rest.shift();
    else if (!onlyReports([statement])) return false;
  }
  return rest.length === 0;
}

function isReducedStatement(other: Statement, statement: Statement): boolean {
  if (formatNode(other) === formatNode(statement)) return true;
  if (!("do" in other) || !("do" in statement)) return false;
  const { do: otherBody, ...otherHead } = other;
  const { do: body, ...head } = statement;
  const [otherElse, elseBody] = [other, statement].map((each) => (each.op === "if" ? (each.else ?? []) : []));
  if (
    other.op === "if" &&
    statement.op === "if" &&
    other.else === undefined &&
    statement.else === undefined
  ) {
    // A report under a stronger condition reports no more.
    const conjuncts = listConjuncts(other.when).map(formatNode);
    const isStronger = listConjuncts(statement.when).every((each) => conjuncts.includes(formatNode(each)));
    if (isStronger && onlyReports(statement.do)) return isReducedBody(other.do, statement.do);
  }
  const isSameHead = formatNode({ ...otherHead, else: [] }) === formatNode({ ...head, else: [] });
  return isSameHead && isReducedBody(otherBody, body) && isReducedBody(otherElse ?? [], elseBody ?? []);
}

function listConjuncts(condition: Condition): readonly Condition[] {
  return condition.op === "all" ? condition.of.flatMap(listConjuncts) : [condition];
}

function onlyReports(body: readonly Statement[]): boolean {
  return body.every((statement) => {
    if ("do" in statement)
      return onlyReports(statement.do) && (statement.op !== "if" || onlyReports(statement.else ?? []));
    return statement.op === "report" || statement.op === "stop";
  });
}
