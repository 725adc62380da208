/**
 * Describes what an event with given field values does to machines: their clauses with these values in place of the fields,
 * as far as conditions are decided by them. Events with the same effect lead to the same states and to the same findings, so
 * one of them stands for all.
 */
import { NOTHING, TRUE } from "../../conform/machine/build.js";
import { compileMachine } from "../../conform/machine/interpret.js";
import type { Condition, Machine, Statement, Value } from "../../conform/machine/language.js";
import { isCondition, readsFields } from "../../conform/machine/operations.js";
import { isAbout, nameCell } from "../../conform/machine/walk.js";
import { createStep } from "../../conform/shared-step.js";
import { defineFinding } from "../../conform/stream-rule.js";
import { formatCanonicalJson, type Json, type JsonObject } from "../../json.js";
import { mentions } from "./normal-machines.js";
import { findLiveCells, type LiveCells } from "./state-keys.js";

/** The fields of an event that machines read. */
export interface EventFields {
  readonly type: string;
  readonly payload: JsonObject;
  readonly envelope: JsonObject;
  /** The fields, such as `payload first`, whose value is the number of the event and this offset. */
  readonly offsets: ReadonlyMap<string, number>;
}

/** Returns a text that is equal for events that have the same effect on the machines. */
export type DescribeEffect = (fields: EventFields) => string;

/** Returns a function that describes the effect of events on machines. */
export function createEffectDescriber(machines: readonly Machine[]): DescribeEffect {
  const describers = machines.map(createMachineDescriber);
  return (fields) => describers.map((describe) => JSON.stringify(describe(fields))).join("\n");
}

function createMachineDescriber(machine: Machine): (fields: EventFields) => Json {
  const evaluate = createEvaluator(machine);
  const liveCells = findLiveCells(machine);
  // These conditions read fields that have no values here.
  const readsAllFields = mentions(machine, ["hasMember", "hasPath"]);
  return (fields) => {
    const { type, payload, envelope } = fields;
    const results = evaluate(fields);
    const clauses = machine.clauses.filter((clause) =>
      typeof clause.on === "string" ? clause.on !== "end" : isAbout(clause, type),
    );
    const bodies = clauses.map(({ on, do: body }): Json => {
      const context = { machine, results, fields, liveCells };
      const residual = reduceBody(body, context) as Json[];
      return residual.length === 0 ? null : [typeof on === "string" ? on : "", residual];
    });
    const parts = bodies.filter((body) => body !== null);
    if (!readsAllFields || parts.length === 0) return parts;
    return [...parts, formatCanonicalJson([type, payload, envelope, [...fields.offsets]])];
  };
}

// Evaluation of what the fields decide

/** The values of nodes and the results of conditions, by the nodes. A value that is absent is undefined. */
type Results = ReadonlyMap<Value | Condition, Json | undefined>;

const RESULT = defineFinding({ id: "result", summary: "", explanation: "", hint: "" });

/**
 * Returns a function that evaluates all nodes of a machine that read nothing but fields. They are evaluated by a machine of
 * their own, which reports them.
 */
function createEvaluator(machine: Machine): (fields: EventFields) => Results {
  const nodes = listFieldNodes(machine.clauses);
  const statements = nodes.map((node, index): Statement => {
    const report = { op: "report", finding: RESULT.id, message: [String(index)] } as const;
    if (!isCondition(node)) return { ...report, index: node };
    return { op: "if", when: node, do: [{ ...report, index: { op: "constant", value: true } }] };
  });
  const { handlers } = compileMachine(
    { ...machine, tables: {}, clauses: [{ on: "every", do: statements }] },
    new Map([[RESULT.id, RESULT]]),
  );
  return ({ type, payload, envelope, offsets }) => {
    const results = new Map<Value | Condition, Json | undefined>();
    for (const node of nodes)
      if (!readsAny(node, offsets)) results.set(node, isCondition(node) ? false : undefined);
    const step = createStep((_kind, message, _pointer, value) => {
      const node = nodes[Number(message)];
      if (node !== undefined && results.has(node)) results.set(node, value as Json | undefined);
    });
    Object.assign(step, { type, payload, event: envelope });
    for (const { check } of handlers) check([], step);
    return results;
  };
}

/** Returns the largest nodes that read nothing but fields. */
function listFieldNodes(value: unknown): (Value | Condition)[] {
  if (Array.isArray(value)) return value.flatMap(listFieldNodes);
  if (typeof value !== "object" || value === null) return [];
  if ("op" in value && value.op === "report") return [];
  if (readsOnlyFields(value)) return value.op === "constant" ? [] : [value as Value | Condition];
  return Object.values(value).flatMap(listFieldNodes);
}

function readsOnlyFields(value: object): value is { readonly op: string } {
  if (!isNode(value) || !readsFields(value)) return false;
  if (!("of" in value)) return true;
  return [value.of]
    .flat()
    .every((part) => typeof part === "object" && part !== null && readsOnlyFields(part));
}

function readsAny(node: object, fields: ReadonlyMap<string, number>): boolean {
  if ("op" in node && "field" in node && fields.has(`${node.op} ${node.field}`)) return true;
  return "of" in node && [node.of].flat().some((part) => readsAny(part as object, fields));
}

// The clauses with the results in place of the nodes

interface Reduction {
  readonly machine: Machine;
  readonly results: Results;
  readonly fields: EventFields;
  readonly liveCells: LiveCells;
}

function reduceBody(body: readonly Statement[], context: Reduction): Statement[] {
  const reduced: Statement[] = [];
  for (const statement of body) {
    reduced.push(...reduceStatement(statement, context));
    if (reduced.at(-1)?.op === "stop") break;
  }
  return reduced;
}

function reduceStatement(statement: Statement, context: Reduction): Statement[] {
  if (statement.op === "report") return [{ op: "report", finding: statement.finding, message: [] }];
  if (statement.op === "if") {
    const when = reduceCondition(statement.when, context);
    if (typeof when === "boolean") return reduceBody(when ? statement.do : (statement.else ?? []), context);
    const then = reduceBody(statement.do, context);
    const otherwise = reduceBody(statement.else ?? [], context);
    return then.length + otherwise.length === 0 ? [] : [{ op: "if", when, do: then, else: otherwise }];
  }
  if (statement.op === "set") {
    const cells = Object.entries(statement.cells).flatMap(([cell, value]): [string, Value][] => {
      const use = context.liveCells.get(nameCell(context.machine, statement.row, cell));
      if (use === undefined) return [];
      const reduced = reduceParts(value, context) as Value;
      const isPresent = use === "presence" && reduced.op === "constant" && !isNothing(reduced);
      return [[cell, isPresent ? TRUE : reduced]];
    });
    return [{ ...statement, cells: Object.fromEntries(cells) }];
  }
  if (!("do" in statement)) return [reduceParts(statement, context) as Statement];
  const { do: body, ...head } = statement;
  const needed = statement.op === "each" ? [statement.of] : statement.op === "find" ? statement.key : [];
  if (needed.some((value) => isNothing(reduceParts(value, context) as Value))) return [];
  const reduced = reduceBody(body, context);
  return reduced.length === 0 ? [] : [{ ...(reduceParts(head, context) as typeof head), do: reduced }];
}

function isNothing(value: Value): boolean {
  return value.op === "first" && value.of.length === 0;
}

/** Returns a condition with the known results, or its result. */
function reduceCondition(condition: Condition, context: Reduction): Condition | boolean {
  const known = context.results.get(condition);
  if (typeof known === "boolean") return known;
  if (condition.op === "not") {
    const of = reduceCondition(condition.of, context);
    return typeof of === "boolean" ? !of : { op: "not", of };
  }
  if (condition.op === "all" || condition.op === "any") {
    const decisive = condition.op === "any";
    const parts = condition.of.map((part) => reduceCondition(part, context));
    if (parts.includes(decisive)) return decisive;
    const open = parts.filter((part): part is Condition => typeof part !== "boolean");
    return open.length === 0 ? !decisive : { op: condition.op, of: open };
  }
  return reduceParts(condition, context) as Condition;
}

/** Returns a node with the known values in place of its parts. */
function reduceParts(node: object, context: Reduction): object {
  const { results, fields } = context;
  if (results.has(node as Value)) {
    const value = results.get(node as Value);
    return value === undefined ? NOTHING : { op: "constant", value };
  }
  if ("op" in node && "field" in node) {
    const offset = fields.offsets.get(`${node.op} ${node.field}`);
    if (offset !== undefined)
      return { op: "add", of: [{ op: "sequence" }, { op: "constant", value: offset }] };
  }
  if ("op" in node && node.op === "constant") return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, part]): [string, unknown] => {
      if (Array.isArray(part))
        return [name, part.map((each) => (isNode(each) ? reduceParts(each, context) : each))];
      return [name, isNode(part) ? reduceParts(part, context) : part];
    }),
  );
}

function isNode(value: unknown): value is { readonly op: string } {
  return typeof value === "object" && value !== null && "op" in value;
}
