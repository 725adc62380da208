/**
 * Finds out from a machine in which order its event types come. The machine runs with events that have only the values
 * that it reads; what it reports after which event shows what begins a thing, what ends it, and what blocks a stream.
 */
import type { Machine, Statement, Value } from "../conform/machine/language.js";
import { type Guard, isScope, listGuards } from "../conform/machine/paths.js";
import { listValues, type ReportSite } from "../conform/machine/probe.js";
import { listStatements } from "../conform/machine/walk.js";
import { getItem } from "../get-item.js";
import { createObject, type Json, type JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { createRuleStates, type ProbedRules, selectRule } from "./rule-states.js";
import { listErrors } from "./solve-event.js";

/** Event types that come at the same time in the course of a thing. */
interface Phase {
  readonly types: readonly string[];
  /** True if the types may come several times. */
  readonly isRepeatable: boolean;
}

/** What a machine says about the order of its event types. */
export interface EventOrder {
  /** The course of one thing, if the machine describes one. */
  readonly phases: readonly Phase[];
  /** The types that occur only in the course of a thing. */
  readonly boundTypes: readonly string[];
  /** The types after which others must not come, with those that lift the block. */
  readonly blockers: ReadonlyMap<string, readonly string[]>;
  /** The types that come before all others. */
  readonly firstTypes: readonly string[];
  /** The payload fields with the ids of the thing, by type. Fields at the same position have the same value. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** The fields whose texts are appended to each other, by type. */
  readonly textFields: ReadonlyMap<string, readonly string[]>;
  /** For each type, the values that its fields need to have an effect. */
  readonly effectiveValues: ReadonlyMap<string, JsonObject>;
}

/** A type that no machine names. */
const OTHER = "";

/** Returns the order of the types of the machine with this index. */
export function findEventOrder(protocol: Protocol, probedRules: ProbedRules, slot: number): EventOrder {
  const rules = selectRule(protocol, probedRules, slot);
  const { original: machine, probed } = getItem(rules.rules, 0);
  const types = listExplicitTypes(machine);
  const isAboutEvery = machine.clauses.some(({ on }) => on === "every");
  const keys = new Map(types.map((type) => [type, listKeyFields(machine, type)] as const));
  const payloads = new Map(types.map((type) => [type, createPayload(machine, type)] as const));
  const stateSites = new Set(probed.sites.flatMap((site, index) => (dependsOnState(site) ? [index] : [])));
  const isRefused = createRefusalTest(protocol, rules, payloads, stateSites);
  // Types of one class are alike for the machine, so one of them stands for all. Values decide in all other machines.
  const classes = new Map(types.map((type) => [type, describeClass(machine, type, keys)] as const));
  const typical = new Map([...types].reverse().map((type) => [classes.get(type), type] as const));
  const compared = stateSites.size > 0 ? [...typical.values()] : [];
  const isRefusedAfter = (type: string, next: string): boolean =>
    [[], ...compared.map((start) => [start])].some(
      (start) => !isRefused(...start, type) && !isRefused(...start, next) && isRefused(...start, type, next),
    );
  const startlessClasses = new Set(compared.filter((type) => isRefused(type)));
  const refusedClasses = new Map(
    compared.map((type) => [type, new Set(compared.filter((next) => isRefusedAfter(type, next)))] as const),
  );
  const getTypical = (type: string): string => typical.get(classes.get(type)) ?? type;
  const isStartless = (type: string): boolean => startlessClasses.has(getTypical(type));
  const refuses = (type: string, next: string): boolean =>
    refusedClasses.get(getTypical(type))?.has(getTypical(next)) === true;
  const countRefused = (type: string): number =>
    compared.filter((next) => next !== getTypical(type) && refuses(type, next)).length;
  const isOnce = (type: string): boolean => refuses(type, type);
  const textFields = new Map(types.map((type) => [type, listAppendedFields(machine, type)] as const));
  const hasTexts = [...textFields.values()].some((fields) => fields.length > 0);
  const keyedTypes = types.filter((type) => keys.get(type)?.length !== 0);
  // A thing is a row with a key, or the whole stream.
  const courseTypes = keyedTypes.length > 0 ? keyedTypes : types;
  const isOrdered = courseTypes.some((type) => isStartless(type));
  const hasStates = stateSites.size > 0 && machine.relations !== undefined;
  const hasCourse =
    courseTypes.length > 1 &&
    (isOrdered || (keyedTypes.length > 0 && (courseTypes.some(isOnce) || hasTexts || hasStates)));
  const rank = (type: string): number =>
    (isStartless(type) ? 1e6 : 0) + countRefused(type) * 2 + (isOnce(type) ? 0 : 1);
  const ranks = [...new Set(courseTypes.map(rank))].sort((a, b) => a - b);
  const listBlocked = (type: string): string[] =>
    compared.filter((next) => keys.get(next)?.length === 0 && refuses(type, next) && !refuses(next, type));
  const blockers = compared.flatMap((type) => {
    const blocked = listBlocked(type);
    if (hasCourse || blocked.length === 0) return [];
    const lifts = (lifter: string): boolean =>
      !refuses(type, lifter) && !blocked.every((next) => isRefused(type, getTypical(lifter), next));
    return types
      .filter((other) => getTypical(other) === type)
      .map((other) => [other, types.filter(lifts)] as const);
  });
  return {
    phases: hasCourse
      ? ranks.map((value) => {
          const phaseTypes = courseTypes.filter((type) => rank(type) === value);
          const isRepeatable = phaseTypes.every((type) => !isOnce(type) && countRefused(type) === 0);
          return { types: phaseTypes, isRepeatable };
        })
      : [],
    boundTypes:
      hasCourse && !hasStates
        ? courseTypes.filter(
            (type) => isStartless(type) || isOnce(type) || countRefused(type) > 0 || hasTexts,
          )
        : [],
    blockers: new Map(blockers),
    firstTypes: isAboutEvery ? types.filter((type) => isRefused(OTHER, type)) : [],
    keys,
    textFields,
    effectiveValues: new Map(types.map((type) => [type, listEffectiveValues(machine, type)] as const)),
  };
}

/** Returns whether a machine refuses the last of some events because of the others. */
type RefusalTest = (...sequence: readonly string[]) => boolean;

/** Returns a test of sequences of types, which remembers its results. */
function createRefusalTest(
  protocol: Protocol,
  rules: ProbedRules,
  payloads: ReadonlyMap<string, JsonObject>,
  stateSites: ReadonlySet<number>,
): RefusalTest {
  const first = protocol.stream?.first ?? 0;
  const results = new Map<string, boolean>();
  return (...sequence) => {
    const known = results.get(sequence.join("\n"));
    if (known !== undefined) return known;
    const states = createRuleStates(protocol, rules);
    let isLastRefused = false;
    for (const [index, type] of sequence.entries()) {
      const payload = payloads.get(type) ?? {};
      const number = protocol.stream?.sequence === undefined ? undefined : first + index;
      const tried = states.try({ type, event: payload, payload, key: "", sequence: number, gap: undefined });
      isLastRefused = listErrors(tried).some((report) => stateSites.has(report.index));
      tried.commit();
    }
    results.set(sequence.join("\n"), isLastRefused);
    return isLastRefused;
  };
}

/** Returns the same text for types that a machine does not distinguish, except by their names in cells. */
function describeClass(machine: Machine, type: string, keys: EventOrder["keys"]): string {
  const clauses = machine.clauses.flatMap(({ on }, index) =>
    typeof on !== "string" && on.includes(type) ? [index] : [],
  );
  const lists = listStatements(machine.clauses, type).flatMap((each) =>
    each.op === "if" ? listGuards(each.when, true) : [],
  );
  const listed = lists.map(
    ({ condition }) => condition.op === "in" && condition.of.op === "type" && condition.values.includes(type),
  );
  return JSON.stringify([clauses, keys.get(type), listed]);
}

function listExplicitTypes({ clauses }: Machine): readonly string[] {
  return [...new Set(clauses.flatMap(({ on }) => (typeof on === "string" ? [] : on)))];
}

/** Returns whether a report depends on earlier events, but on no value of its event except ids. */
function dependsOnState({ path }: ReportSite): boolean {
  const guards = path.flatMap((part) => (isScope(part) ? [] : [part.condition]));
  if (path.length === 0) return false;
  return guards.every(
    (condition) =>
      condition.op === "present" ||
      condition.op === "is" ||
      !listValues(condition).some(
        ({ op }) => op === "payload" || op === "envelope" || op === "item" || op === "gap",
      ),
  );
}

/** Returns the payload fields with which a machine looks up rows at events of a type. */
function listKeyFields(machine: Machine, type: string): string[] {
  const statements = listStatements(machine.clauses, type);
  const items = new Map(
    statements.flatMap((each) => (each.op === "each" ? [[each.item, each.of] as const] : [])),
  );
  const fields = statements.flatMap((statement) => {
    if (statement.op !== "find" && statement.op !== "rows" && statement.op !== "clear") return [];
    return [statement.key ?? []].flat().flatMap((value) => {
      const source = value.op === "item" ? items.get(value.item) : value;
      return source?.op === "payload" ? [source.field] : [];
    });
  });
  return [...new Set(fields)];
}

function listAppendedFields(machine: Machine, type: string): string[] {
  return listStatements(machine.clauses, type).flatMap((each) =>
    each.op === "append" && each.text.op === "payload" ? [each.text.field] : [],
  );
}

/** Returns a payload with the values that a machine reads at events of a type. */
function createPayload(machine: Machine, type: string): JsonObject {
  const statements = listStatements(machine.clauses, type);
  const fields = [...listKeyFields(machine, type), ...listAppendedFields(machine, type)];
  const read = statements.flatMap((each) => (each.op === "if" ? listValues(each.when) : []));
  const names = [...fields, ...read.flatMap((value) => (value.op === "payload" ? [value.field] : []))];
  const payload: { [name: string]: Json } = createObject(names.map((name) => [name, "x"] as const));
  for (const [name, value] of Object.entries(listEffectiveValues(machine, type))) payload[name] = value;
  for (const name of listAbsentFields(statements)) if (!fields.includes(name)) delete payload[name];
  return payload;
}

/** Returns the values that the fields of a type must have so that a machine remembers something. */
function listEffectiveValues(machine: Machine, type: string): JsonObject {
  const entries = listStatements(machine.clauses, type).flatMap((statement) => {
    if (statement.op !== "if" || !changesRows(statement.do)) return [];
    return listGuards(statement.when, true).flatMap(({ condition, wanted }) => {
      if (condition.op !== "equal" || !wanted) return [];
      const [a, b] = condition.of;
      return a.op === "payload" && b.op === "constant" ? [[a.field, b.value] as const] : [];
    });
  });
  return createObject(entries);
}

function listAbsentFields(statements: readonly Statement[]): string[] {
  return statements.flatMap((statement) =>
    (statement.op === "if" && changesRows(statement.do) ? listGuards(statement.when, true) : []).flatMap(
      ({ condition, wanted }) =>
        condition.op === "present" && !wanted && condition.of.op === "payload" ? [condition.of.field] : [],
    ),
  );
}

function changesRows(body: readonly Statement[]): boolean {
  return body.some(
    (statement) =>
      ["set", "drop", "clear"].includes(statement.op) || ("do" in statement && changesRows(statement.do)),
  );
}

/** Values that a field should often have, because later events are refused otherwise. */
export interface PreferredValues {
  readonly type: string;
  readonly field: string;
  readonly values: readonly Json[];
  /** True if each event must have one of these values, also if it may leave out the field. */
  readonly isNeeded?: true;
}

/** Returns the values that the fields of events should often have. */
export function listPreferredValues(machine: Machine, sites: readonly ReportSite[]): PreferredValues[] {
  const isCell = (value: Value, cell: string): boolean => value.op === "cell" && value.cell === cell;
  /** Returns the values without which a cell leads to a report. */
  const listRequired = ({ condition, wanted }: Guard, cell: string): readonly Json[] => {
    if (condition.op === "any" && wanted)
      return condition.of.flatMap((part) => {
        const [guard, ...others] = listGuards(part, true);
        return guard && others.length === 0 ? listRequired(guard, cell) : [];
      });
    return condition.op === "in" && !wanted && isCell(condition.of, cell) ? condition.values : [];
  };
  return machine.clauses.flatMap(({ on }) =>
    (typeof on === "string" ? [] : on).flatMap((type) =>
      listStatements(machine.clauses, type).flatMap((statement) =>
        statement.op !== "set"
          ? []
          : Object.entries(statement.cells).flatMap(([cell, value]) => {
              const values = sites.flatMap(({ path }) =>
                path.flatMap((part) => (isScope(part) ? [] : listRequired(part, cell))),
              );
              return value.op === "payload" && values.length > 0
                ? [{ type, field: value.field, values }]
                : [];
            }),
      ),
    ),
  );
}
