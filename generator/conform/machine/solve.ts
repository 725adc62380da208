/**
 * Proposes changes of an event after which a condition on the way to a report has another result. The same proposals lead
 * away from a report, for streams that keep all rules, and towards it, for streams that break one.
 */
import { areEqual, getValueAtPointer, isObject, type Json, joinPointer, splitPointer } from "../../json.js";
import type { Random } from "../../random.js";
import type { Condition, Machine, Value } from "./language.js";
import { isScope, listGuards, type Scope } from "./paths.js";
import { listValues, type ReportSite, readTextCopy, type Values } from "./probe.js";
import { listStatements, runsAt, selectNodes } from "./walk.js";

/** A new value of a field, or of the part of it at a JSON pointer. Without a value, the field is removed. */
export interface Edit {
  readonly in: "payload" | "envelope";
  readonly field: string;
  readonly pointer?: string;
  readonly value: Json | undefined;
}

/** What the solver knows about an event and its stream. */
export interface SolverContext {
  readonly machine: Machine;
  readonly site: ReportSite;
  readonly type: string;
  /** The values that decide about the report. */
  readonly values: Values;
  readonly payload: { readonly [field: string]: Json };
  readonly random: Random;
  /** Returns another value that the schemas allow for a field; undefined if there is none. */
  sampleValue(place: Edit["in"], field: string): Json | undefined;
  /** Returns a text that matches a pattern. */
  sampleText(pattern: string): Json | undefined;
  /** Returns the ids at a position in the keys of a table: those of its rows, then one that no row has. */
  listIds(table: string, position: number, field: string): Iterable<Json>;
}

/** Returns changes after which a site probably does not report; the best ones first. */
export function* avoidReport(context: SolverContext): Generator<readonly Edit[]> {
  const { path } = context.site;
  for (const part of [...path].reverse())
    if (!isScope(part)) yield* satisfy(part.condition, !part.wanted, context);
    else if (part.op === "uncovered") yield* coverNumbers(part, context);
  for (const part of [...path].reverse()) if (isScope(part)) yield* chooseRow(part, context);
  for (const part of [...path].reverse())
    if (!isScope(part))
      for (const value of listValues(part.condition)) yield* changeField(value, context, true);
    else if (part.op === "each") yield* changeField(part.of, context, true);
}

/** Returns changes after which a part of the way to a site is probably passed. */
export function* reachPart(passed: number, context: SolverContext): Generator<readonly Edit[]> {
  const { path } = context.site;
  const part = path[passed];
  if (part !== undefined && !isScope(part)) yield* satisfy(part.condition, part.wanted, context);
  for (const outer of path.slice(0, passed + 1).reverse())
    if (isScope(outer)) yield* chooseRow(outer, context);
}

/** Returns changes after which a condition has the wanted result. */
function* satisfy(condition: Condition, wanted: boolean, context: SolverContext): Generator<readonly Edit[]> {
  const read = (value: Value): Json | undefined => readValue(value, context);
  switch (condition.op) {
    case "not":
      yield* satisfy(condition.of, !wanted, context);
      return;
    case "all":
    case "any":
      for (const part of condition.of)
        for (const guard of listGuards(part, wanted)) yield* satisfy(guard.condition, guard.wanted, context);
      return;
    case "equal":
    case "differ":
      yield* satisfyEquality(condition, wanted, context);
      return;
    case "less":
    case "atMost":
      yield* satisfyOrder(condition, wanted, context);
      return;
    case "present":
    case "is":
      yield* changeField(condition.of, context, !wanted);
      return;
    case "in": {
      const others = condition.values.filter((value) => !areEqual(value, read(condition.of)));
      if (wanted)
        for (const value of shuffle(others, context.random)) yield* assign(condition.of, value, context);
      else yield* changeField(condition.of, context, false);
      return;
    }
    case "lists":
      yield* assign(condition.of, wanted ? condition.values.slice(0, 1) : [], context);
      return;
    case "related":
      yield* satisfyRelation(condition, wanted, context);
      return;
    case "matches": {
      const text = read(condition.of);
      if (typeof text !== "string") return;
      const rest = removeMatches(text, condition.pattern);
      yield* assign(condition.of, wanted ? context.sampleText(condition.pattern) : rest, context);
      return;
    }
    case "sameText":
    case "endsWithText": {
      const text = read(readTextCopy(condition)) ?? "";
      yield* assign(condition.of, wanted ? text : `${String(text)}.`, context);
      return;
    }
    case "hasMember":
    case "hasPath":
      yield* satisfyMember(condition, wanted, context);
      return;
    default:
      // The others depend on earlier events alone.
      return;
  }
}

/** Returns the value that the solver knows; undefined if it knows none. */
function readValue(value: Value, context: SolverContext): Json | undefined {
  return context.values.get(JSON.stringify(value));
}

/** Returns changes after which two values are equal, or differ, as wanted. */
function* satisfyEquality(
  condition: Extract<Condition, { op: "equal" | "differ" }>,
  wanted: boolean,
  context: SolverContext,
): Generator<readonly Edit[]> {
  const [a, b] = condition.of;
  if ((condition.op === "equal") !== wanted) {
    yield* changeField(a, context, false);
    yield* changeField(b, context, false);
    return;
  }
  // The schemas may allow the value of one field in the other one, but not the reverse.
  const isEither = a.op === "payload" && b.op === "payload";
  const sides = isEither ? shuffle([a, b], context.random) : [a, b];
  for (const side of sides) yield* assign(side, readValue(side === a ? b : a, context), context);
}

/** Returns changes after which the order of two numbers is as wanted. */
function* satisfyOrder(
  condition: Extract<Condition, { op: "less" | "atMost" }>,
  wanted: boolean,
  context: SolverContext,
): Generator<readonly Edit[]> {
  const [a, b] = condition.of;
  const [low, high] = [readValue(a, context), readValue(b, context)];
  if (typeof low !== "number" || typeof high !== "number") return;
  // The step after which the order is the other one.
  const step = condition.op === "less" ? (wanted ? 1 : 0) : wanted ? 0 : 1;
  yield* assign(a, wanted ? high - step : high + step, context);
  yield* assign(b, wanted ? low + step : low - step, context);
}

/** Returns changes after which a relation between two states holds as wanted. */
function* satisfyRelation(
  condition: Extract<Condition, { op: "related" }>,
  wanted: boolean,
  context: SolverContext,
): Generator<readonly Edit[]> {
  const [from, to] = condition.of;
  const relation = context.machine.relations?.[condition.relation] ?? {};
  const states = Object.keys(relation);
  const isRelated = (a: Json | undefined, b: string): boolean => relation[String(a)]?.includes(b) === true;
  const next = states.filter(
    (state) => isRelated(readValue(from, context), state) === wanted && state !== readValue(from, context),
  );
  for (const state of shuffle(next, context.random)) yield* assign(to, state, context);
  const previous = states.filter((state) => isRelated(state, String(readValue(to, context))) === wanted);
  for (const state of shuffle(previous, context.random)) yield* assign(from, state, context);
}

/** Returns changes after which a list names a member of the payload, or does not, as wanted. */
function* satisfyMember(
  condition: Extract<Condition, { op: "hasMember" | "hasPath" }>,
  wanted: boolean,
  context: SolverContext,
): Generator<readonly Edit[]> {
  const list = findItemSource(condition.of, context);
  if (list?.op !== "payload") return;
  const except = condition.op === "hasMember" ? condition.except : [];
  const fields = Object.keys(context.payload).filter((name) => name !== list.field && !except.includes(name));
  const names = wanted ? shuffle(fields, context.random) : ["absent-field"];
  for (const name of names)
    yield [
      {
        in: "payload",
        field: list.field,
        value: [condition.op === "hasPath" ? joinPointer("", name) : name],
      },
    ];
}

/** Returns changes after which a value is `target`. */
function* assign(value: Value, target: Json | undefined, context: SolverContext): Generator<readonly Edit[]> {
  const read = (part: Value): Json | undefined => readValue(part, context);
  if (target === undefined) return;
  switch (value.op) {
    case "payload":
    case "envelope":
      yield [{ in: value.op, field: value.field, value: target }];
      return;
    case "item":
      yield* assignPart(findItemSource(value, context), read({ op: "path", item: value.item }), target);
      return;
    case "counterpart":
      yield* assignPart(value.of, read({ op: "path", item: value.item }), target);
      return;
    case "first":
      for (const part of value.of) yield* assign(part, target, context);
      return;
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
      for (const [index, part] of value.of.entries()) {
        const operands = value.of.map((each) => read(each));
        const number = solveOperand(value.op, operands, index, target);
        if (part.op !== "constant" && number !== undefined) yield* assign(part, number, context);
      }
      return;
    case "minimum":
      for (const part of value.of) yield* assign(part, target, context);
      return;
    case "join":
      yield* assignParts(value.of, target);
      return;
    default:
      return;
  }
}

/** Returns the value of an operand with which the result is `target`. Whole numbers stay whole. */
function solveOperand(
  op: "add" | "subtract" | "multiply" | "divide",
  operands: readonly (Json | undefined)[],
  index: number,
  target: Json,
): number | undefined {
  const others = operands.filter((_, each) => each !== index);
  if (typeof target !== "number" || !others.every((each) => typeof each === "number")) return undefined;
  const [first = 0] = others;
  if (op === "add") return others.reduce((rest, each) => rest - each, target);
  if (op === "subtract") return index === 0 ? target + first : first - target;
  if (op === "multiply") return Math.ceil(others.reduce((rest, each) => rest / each, target));
  return index === 0 ? Math.ceil(target * first) : first / target;
}

/** Returns changes of the parts of a joined text. */
function* assignParts(parts: readonly Value[], target: Json): Generator<readonly Edit[]> {
  const form = parts.map((part) =>
    part.op === "constant" ? String(part.value).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : "(.+?)",
  );
  const match = new RegExp(`^${form.join("")}$`, "s").exec(String(target));
  const fields = parts.filter(({ op }) => op !== "constant");
  if (match && fields.every(({ op }) => op === "payload"))
    yield fields.map(
      (value, index): Edit => ({
        in: "payload",
        field: "field" in value ? value.field : "",
        value: match[index + 1] as string,
      }),
    );
}

function* assignPart(
  source: Value | undefined,
  pointer: Json | undefined,
  value: Json,
): Generator<readonly Edit[]> {
  if (source?.op === "payload" || source?.op === "envelope")
    yield [{ in: source.op, field: source.field, pointer: String(pointer ?? ""), value }];
}

/** Returns the value of which an item is a part, and any other value as it is. */
function findItemSource(value: Value | undefined, { site }: SolverContext): Value | undefined {
  if (value?.op !== "item") return value;
  return site.path.flatMap((part) =>
    isScope(part) && part.op === "each" && part.item === value.item ? [part.of] : [],
  )[0];
}

/** Returns changes that give the field of a value another value, or that remove it. */
function* changeField(value: Value, context: SolverContext, isRemoved: boolean): Generator<readonly Edit[]> {
  const source = findItemSource(value, context);
  if (source?.op !== "payload" && source?.op !== "envelope") return;
  const { op: place, field } = source;
  if (isRemoved) yield [{ in: place, field, value: undefined }];
  for (let attempt = 0; attempt < SAMPLES; attempt++) {
    const sampled = context.sampleValue(place, field);
    if (sampled !== undefined) yield [{ in: place, field, value: sampled }];
  }
}

/** The number of other values that are tried for one field. */
const SAMPLES = 3;

/** Returns changes of the ids with which a row is looked up. */
function* chooseRow(scope: Scope, context: SolverContext): Generator<readonly Edit[]> {
  if (scope.op !== "find" && scope.op !== "rows") return;
  const keys = scope.op === "find" ? scope.key : [scope.key];
  for (const [position, key] of keys.entries()) {
    const source = findItemSource(key, context);
    if (source?.op !== "payload" && source?.op !== "envelope") continue;
    for (const id of context.listIds(scope.table, position, source.field))
      yield [{ in: source.op, field: source.field, value: toForm(id, context.payload[source.field]) }];
  }
}

/** Returns an id in the form of another one: a number, or a list with one element. */
function toForm(id: Json, model: Json | undefined): Json {
  if (Array.isArray(model)) return [toForm(id, model[0])];
  return typeof model === "number" && Number.isFinite(Number(id)) ? Number(id) : id;
}

/** Returns the numbers of a marker that explain a gap: those with which the event would fill the cell of the scope. */
function* coverNumbers(
  scope: Extract<Scope, { op: "uncovered" }>,
  context: SolverContext,
): Generator<readonly Edit[]> {
  const [first, last] = [scope.item, scope.end].map((item) =>
    context.values.get(JSON.stringify({ op: "item", item })),
  );
  for (const statement of listStatements(context.machine.clauses, context.type))
    if (statement.op === "cover" && statement.cell === scope.cell)
      for (const [low = []] of [[...assign(statement.first, first, context)]])
        for (const high of assign(statement.last, last, context)) yield [...low, ...high];
}

/** Returns the constants with which the statements for a type compare an envelope field. */
export function listComparedConstants(machine: Machine, type: string, field: string): Json[] {
  const clauses = machine.clauses.filter(({ on }) => runsAt(on, type));
  return selectNodes(clauses, "equal", "differ").flatMap(({ of: [a, b] }) =>
    a.op === "envelope" && a.field === field && b.op === "constant" ? [b.value] : [],
  );
}

/** Returns a text without its parts that match a pattern. */
function removeMatches(text: string, pattern: string): string {
  const expression = new RegExp(pattern, "u");
  let rest = text;
  while (rest !== "" && expression.test(rest)) rest = rest.replace(expression, "");
  return rest === "" ? "text" : rest;
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

/** Returns an object with the changes; undefined if a pointer leads nowhere. */
export function applyEdits(
  fields: { readonly [name: string]: Json },
  edits: readonly Edit[],
): { [name: string]: Json } {
  const result: { [name: string]: Json } = { ...fields };
  for (const { field, pointer = "", value } of edits)
    if (value === undefined) delete result[field];
    else result[field] = replaceAt(result[field] ?? null, splitPointer(pointer), value);
  return result;
}

function replaceAt(value: Json, [token, ...rest]: readonly string[], replacement: Json): Json {
  if (token === undefined) return replacement;
  const inner = replaceAt(getValueAtPointer(value, `/${token}`) ?? null, rest, replacement);
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === token ? inner : item));
  return isObject(value) ? { ...value, [token]: inner } : value;
}
