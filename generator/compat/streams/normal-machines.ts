/** Reduces machines to what decides whether they refuse a stream, so that equal machines refuse the same streams. */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { Clause, Condition, Machine, Statement, Value } from "../../conform/machine/language.js";
import { areEqual, formatCanonicalJson, isObject, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
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
  let reports = 0;
  const reduceBody = (body: readonly Statement[]): Statement[] =>
    body.flatMap((statement): Statement[] => {
      if (statement.op === "report") {
        if (!errors.has(statement.finding)) return [];
        reports++;
        return [{ op: "report", finding: statement.finding, message: [] }];
      }
      if (statement.op === "if") {
        const reduced = reduceBody(statement.do);
        const otherwise = reduceBody(statement.else ?? []);
        if (reduced.length + otherwise.length === 0) return [];
        return [{ ...statement, do: reduced, ...(otherwise.length > 0 && { else: otherwise }) }];
      }
      if (!("do" in statement)) return [statement];
      const reduced = reduceBody(statement.do);
      return reduced.length === 0 ? [] : [{ ...statement, do: reduced }];
    });
  const clauses = machine.clauses.flatMap((clause): Clause[] => {
    const on = typeof clause.on === "string" ? clause.on : clause.on.filter((type) => types.has(type));
    const body = reduceBody(clause.do);
    return on.length === 0 || body.length === 0 ? [] : [{ on, do: body }];
  });
  return reports === 0 ? undefined : { ...machine, clauses };
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
  return listNodes(machine.clauses as unknown as Json).some(({ op }) => operations.includes(op));
}

/** Returns the nodes of a machine that have an operation. */
export function listNodes(value: Json): (Statement | Value | Condition)[] {
  if (Array.isArray(value)) return value.flatMap(listNodes);
  if (!isObject(value)) return [];
  const nested = Object.values(value).flatMap(listNodes);
  return typeof value.op === "string" ? [value as unknown as Statement, ...nested] : nested;
}

/** The operations of conditions. */
export const CONDITION_OPERATIONS: ReadonlySet<string> = new Set([
  "not",
  "all",
  "any",
  "present",
  "equal",
  "differ",
  "less",
  "atMost",
  "exists",
  "is",
  "in",
  "matches",
  "related",
  "current",
  "seenFromStart",
  "ended",
  "sameText",
  "endsWithText",
  "hasReplacement",
  "hasMember",
  "hasPath",
]);

/** Returns a text that is equal for machines of two contracts if they refuse the same streams. */
export function identifyMachine(machine: Machine, protocol: Protocol): string {
  return formatCanonicalJson([machine as unknown as Json, describeContext(machine, protocol)]);
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
  if (
    !areEqual(
      asJson([other.tables, other.relations, other.shared]),
      asJson([machine.tables, machine.relations, machine.shared]),
    )
  )
    return false;
  const select = ({ clauses }: Machine, type: string): Statement[] =>
    clauses.flatMap(({ on, do: body }) => (on === type || on === "every" || on.includes(type) ? body : []));
  return [...types.keys(), "after-terminal", "end"].every((type) =>
    isReducedBody(select(other, type), select(machine, type)),
  );
}

function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

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
  if (areEqual(asJson(other), asJson(statement))) return true;
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
    const conjuncts = listConjuncts(other.when).map((each) => formatCanonicalJson(asJson(each)));
    const isStronger = listConjuncts(statement.when).every((each) =>
      conjuncts.includes(formatCanonicalJson(asJson(each))),
    );
    if (isStronger && onlyReports(statement.do)) return isReducedBody(other.do, statement.do);
  }
  const isSameHead = areEqual(asJson({ ...otherHead, else: [] }), asJson({ ...head, else: [] }));
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
