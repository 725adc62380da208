/**
 * Compiles machines of stream rules to SQL. Each event gives steps: the values that a clause reads from it, and the key of
 * the rows that the clause finds. The steps of one key are folded in their order: the result so far holds the rows of the
 * tables and the findings. Statements that depend on no row give findings at once.
 */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { Condition, Statement, Value } from "../../conform/machine/language.js";
import { isCondition } from "../../conform/machine/operations.js";
import { listNodes, runsAt, selectNodes } from "../../conform/machine/walk.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { EventType } from "../../protocol/protocol.js";
import type { FoldingContext } from "./event-views.js";
import {
  choose,
  compileCondition,
  compileValue,
  getId,
  getString,
  getText,
  holds,
  joinConditions,
  type Scope,
} from "./machine-expressions.js";
import { compileFold } from "./machine-fold.js";
import {
  CHANGES,
  type Each,
  type EventNode,
  type Part,
  readsRows,
  refuse,
  type SimpleMachine,
  type Step,
  simplifyMachine,
  splitMachine,
  UnsupportedMachine,
} from "./machine-parts.js";

/** The SQL of a machine. */
export interface MachineSql {
  /** True if some steps have no key, and belong to every key of their stream. */
  readonly hasCommonSteps: boolean;
  /** Returns lists of steps of events of a type, of undeclared types, or of refused events. Steps without a machine are findings; their key is the rule. */
  listSteps(event: EventType | undefined | "refused", reader: FieldReader): readonly string[];
  /** The findings of a list of steps, as structs of an event and a rule. */
  readonly fold: string | undefined;
}

/** Returns expressions of a field of the event, by its path. */
export interface FieldReader {
  readRaw(path: readonly string[]): string;
  readTagged(path: readonly string[]): string;
  /** Returns the list of the parts of a field as structs of a raw value `v`, a tagged value `t` and the name of a member `p`. */
  listParts(path: readonly string[], parts: Parts): string;
}

export type Parts = Each["parts"];

/** Returns the list of the parts of a raw value; see `FieldReader`. */
export function listParts(raw: string, parts: Parts, { machines }: FoldingContext["dialect"]): string {
  const isMember = parts === "numbers";
  const value = isMember ? "part.v" : "part";
  const tagged = machines.tag(value);
  const named = machines.struct({
    v: value,
    t: parts === "ids" ? `('s' || ${getId({ text: tagged })})` : tagged,
    p: isMember ? "part.p" : "CAST(NULL AS STRING)",
  });
  const items = isMember ? machines.listMembers(raw) : machines.listItems(raw);
  return machines.transform(items, machines.lambda(["part"], named));
}

/** The order of steps without a key, which belong to all keys of their stream. */
export const COMMON_STEP = -1;

/** Compiles a machine, whose independent parts become separate folds. Undefined if a part cannot be compiled. */
export function compileMachine(
  planned: PlannedMachine,
  firstIndex: number,
  context: FoldingContext,
): readonly MachineSql[] | undefined {
  try {
    return splitMachine(simplifyMachine(planned)).map((machine, part) =>
      compilePart(machine, firstIndex + part, context),
    );
  } catch (error) {
    if (error instanceof UnsupportedMachine) return undefined;
    throw error;
  }
}

/** The machine of a step, its key, its index, the index of its item, and its values, as expressions. */
type StepParts = [m: string, k: string, c: number, i: string, values: readonly string[]];

/** Returns the expression of a step. */
function createStepStruct(
  { dialect: { machines } }: FoldingContext,
  ...[m, k, c, i, values]: StepParts
): string {
  const none = `CAST(${machines.list([])} AS ${machines.listType("STRING")})`;
  return machines.struct({ m, k, c: String(c), i, a: values.length === 0 ? none : machines.list(values) });
}

/** Compiles a machine. The more ids the keys of all tables begin with, the fewer steps are folded together. */
function compilePart(machine: SimpleMachine, index: number, context: FoldingContext): MachineSql {
  const widths = machine.tables.flatMap(({ keys }) => (keys > 0 ? [keys] : []));
  for (let width = widths.length === 0 ? 0 : Math.min(...widths); width > 0; width--)
    try {
      return compileWithKey(machine, width, index, context);
    } catch (error) {
      if (!(error instanceof UnsupportedMachine)) throw error;
    }
  return compileWithKey(machine, 0, index, context);
}

function compileWithKey(
  machine: SimpleMachine,
  width: number,
  index: number,
  context: FoldingContext,
): MachineSql {
  const { machines, quoteText } = context.dialect;
  const steps = machine.parts.flatMap((part): Step[] =>
    part.types === "end" || part.statement.op === "report"
      ? []
      : [{ ...part, key: findKey(part.statement, machine, width), values: [] }],
  );
  const findings = machine.parts.filter(
    ({ types, statement }) => types !== "end" && statement.op === "report",
  );
  const ends = machine.parts.filter(({ types }) => types === "end").map(({ statement }) => statement);
  if (ends.length > 0 && width > 0) refuse("the end of all rows");
  const hasOwnFindings = steps.some(
    ({ key, statement }) =>
      key === undefined && !asksRowsOneByOne(statement) && selectNodes(statement, "report").length > 0,
  );
  if (hasOwnFindings) refuse("findings of common rows");
  const fold = steps.length === 0 ? undefined : compileFold(machine, width, steps, ends, context);
  const listEventSteps = (
    { types, guards, each }: Part,
    of: EventType | undefined | "refused",
    reader: FieldReader,
    createStruct: (scope: Scope) => string,
  ): readonly string[] => {
    if (!isTakenAt(types, of)) return [];
    const scope = createEventScope(machine, of === "refused" ? undefined : of, reader, context, each);
    const conditions = guards.map((guard) => compileCondition(guard, scope));
    const condition = joinConditions(
      [...(types === "after-terminal" ? ["has_ended"] : []), ...conditions],
      "AND",
    );
    if (condition === "FALSE") return [];
    const struct = choose(condition, createStruct(scope), "NULL");
    if (each === undefined) return [machines.list([struct])];
    const path = scope.findPath?.(each.of) ?? refuse("parts of a computed value");
    return [machines.transform(reader.listParts(path, each.parts), machines.lambda(["item", "idx"], struct))];
  };
  const createStruct = (...parts: StepParts): string => createStepStruct(context, ...parts);
  const compiled: MachineSql = {
    hasCommonSteps: steps.some(({ key }) => key === undefined),
    fold,
    listSteps: (event, reader) => [
      ...findings.flatMap((finding) =>
        listEventSteps(finding, event, reader, () =>
          createStruct(
            "CAST(NULL AS INT)",
            quoteText((finding.statement as Extract<Statement, { op: "report" }>).finding),
            0,
            "0",
            [],
          ),
        ),
      ),
      ...steps.flatMap((step, order) =>
        listEventSteps(step, event, reader, (scope) => {
          const ids = step.key?.map((each) => getId(compileValue(each, scope))) ?? [];
          const item = step.each === undefined ? "0" : "CAST(idx AS INT)";
          return createStruct(
            String(index),
            ids.length === 0 ? "''" : ids.join(" || chr(10) || "),
            order,
            step.key === undefined ? String(COMMON_STEP) : item,
            step.values.map((node) => compileNode(node, scope)),
          );
        }),
      ),
    ],
  };
  // A step that cannot be compiled is known now.
  for (const event of [undefined, "refused" as const, ...context.protocol.events])
    compiled.listSteps(event, NO_FIELDS);
  return compiled;
}

/** Returns whether an event takes the steps of a clause. It takes those of `after-terminal` if its stream has ended. */
function isTakenAt(types: Part["types"], of: EventType | undefined | "refused"): boolean {
  if (of === "refused") return types === "refused";
  return types === "after-terminal" || runsAt(types, of?.type ?? "");
}

const NO_FIELDS: FieldReader = { readRaw: () => "", readTagged: () => "", listParts: () => "" };

function compileNode(node: EventNode, scope: Scope): string {
  if (node.op === "id") return getId(compileValue(node.of, scope));
  if (isCondition(node)) return `CAST(${compileCondition(node, scope)} AS STRING)`;
  return getText(compileValue(node, scope));
}

/** Returns the first ids of the key of the rows that a statement finds; undefined if it belongs to all rows. */
function findKey(statement: Statement, machine: SimpleMachine, width: number): readonly Value[] | undefined {
  if (width === 0) return [];
  const keys = new Map<string, readonly Value[]>();
  let changesCommonRows = false;
  for (const node of selectNodes(statement, "find", "rows", "clear", "keys")) {
    const table = machine.tables.find(({ name }) => name === node.table);
    const given = "key" in node ? node.key : undefined;
    if (table === undefined) continue;
    if (given !== undefined && table.keys > 0) {
      const key = ([given].flat() as Value[]).slice(0, width);
      if (key.length < width || readsRows(key)) refuse("keys from rows");
      keys.set(JSON.stringify(key), key);
    } else if (node.op === "clear") changesCommonRows = true;
    else if (table.keys > 0 && !(node.op === "keys" && asksRowsOneByOne(statement)))
      refuse("all rows of a table");
    else
      changesCommonRows ||= listNodes(node).some(
        (each) => CHANGES.has(each.op) && "row" in each && each.row === node.row,
      );
  }
  if (keys.size > 1 || (keys.size === 1 && changesCommonRows)) refuse("rows of several keys");
  return [...keys.values()][0];
}

/** Returns whether a statement reports a finding if one of all rows satisfies a condition, so that each row can be asked alone. */
function asksRowsOneByOne(statement: Statement): boolean {
  const isPositive = (condition: Condition): boolean => {
    if (condition.op === "all" || condition.op === "any") return condition.of.every(isPositive);
    return (condition.op === "present" && condition.of.op === "keys") || !readsRows(condition);
  };
  return (
    statement.op === "if" &&
    statement.else === undefined &&
    isPositive(statement.when) &&
    statement.do.every(({ op }) => op === "report")
  );
}

/** Creates the scope of a step of one event. */
function createEventScope(
  machine: SimpleMachine,
  event: EventType | undefined,
  reader: FieldReader,
  context: FoldingContext,
  each: Each | undefined,
): Scope {
  const { protocol, dialect } = context;
  const { machines, quoteText } = dialect;
  const carrier = event && findPayloadCarrier(protocol.envelope, event);
  const isMember = each?.parts === "numbers";
  const scope: Scope = {
    context,
    relations: machine.relations,
    findPath(value) {
      if (value.op === "payload") return carrier === undefined ? [value.field] : [carrier, value.field];
      return value.op === "envelope" ? [value.field] : undefined;
    },
    readValue(value) {
      const path = scope.findPath?.(value);
      if (path !== undefined) return { text: reader.readTagged(path) };
      switch (value.op) {
        case "item":
          return each ? { text: "item.t" } : refuse("an item");
        case "type":
          return { text: "('s' || type)" };
        case "sequence":
          return { text: "CAST(sequence AS STRING)", number: "CAST(sequence AS DOUBLE)" };
        case "index":
          return { text: "CAST(place AS STRING)", number: "CAST(place AS DOUBLE)" };
        case "epoch":
          return { text: "CAST(epoch AS STRING)" };
        case "event":
          return { text: "'j'" };
        case "gap":
          return { text: `CAST(gap_${value.side} AS STRING)`, number: `CAST(gap_${value.side} AS DOUBLE)` };
        case "path":
          return isMember ? { text: "coalesce('s/' || item.p, 's')" } : refuse("a path");
        case "counterpart": {
          const whole = scope.findPath?.(value.of);
          if (whole === undefined || !isMember) return refuse("a counterpart");
          const member = machines.tag(machines.readMember(reader.readRaw(whole), "item.p"));
          return { text: `CASE WHEN item.p IS NULL THEN ${reader.readTagged(whole)} ELSE ${member} END` };
        }
        default:
          return refuse(value.op);
      }
    },
    readCondition(condition) {
      if (condition.op === "seenFromStart") return "is_seen_from_start";
      if (condition.op === "ended") return "has_ended";
      if ((condition.op !== "hasMember" && condition.op !== "hasPath") || carrier === undefined)
        return refuse(condition.op);
      if (condition.of.op !== "item" || !each) return refuse(condition.op);
      const name = getString({ text: "item.t" });
      if (condition.op === "hasPath")
        return holds(`${findPath(reader.readRaw([carrier]), name, dialect)} IS NOT NULL`);
      // In the text of an object, only a name stands between a brace or a comma and a colon.
      const text = dialect.omitFields(dialect.readObject("object", carrier), condition.except);
      const isField = condition.except.map(
        (field) => `(${name} = ${quoteText(field)} AND ${reader.readRaw([carrier, field])} IS NOT NULL)`,
      );
      const isMember = ["{", ","].map(
        (before) => `contains(${text}, '${before}' || ${machines.formatJson("item.v")} || ':')`,
      );
      return holds(joinConditions([...isField, ...isMember], "OR"));
    },
  };
  return scope;
}

/** Returns the raw value at a JSON pointer or a path such as `$.input.headers[0].value`; null if there is none. */
function findPath(raw: string, path: string, { machines, quoteText }: FoldingContext["dialect"]): string {
  const { transform, filter, lambda, struct } = machines;
  const unescaped = "replace(replace(part, '~1', '/'), '~0', '~')";
  const pointer = transform(machines.split(`substr(${path}, 2)`, "/"), lambda(["part"], unescaped));
  const dotted = `translate(${machines.replaceAll(path, quoteText("^\\$\\.?"), "''")}, '[]', '.')`;
  const names = filter(machines.split(dotted, "[.]"), lambda(["part"], "part <> ''"));
  const parts = `CASE WHEN left(${path}, 1) = '/' THEN ${pointer} ELSE ${names} END`;
  const member = struct({ v: machines.readMember("whole.v", "part.n") });
  const named = transform(parts, lambda(["part"], struct({ n: "part" })));
  const found = `${machines.fold(named, struct({ v: raw }), lambda(["whole", "part"], member))}.v`;
  return `coalesce(${machines.readMember(raw, path)}, ${found})`;
}
