/**
 * Finds the fields that machines compare with each other. Two places are in one class if a value can flow from one to the
 * other, or if a condition compares them: fields of events, cells, ids of keys, constants. Events that differ in other
 * fields are the same to the machines.
 */
import type { Condition, Machine, Statement, Value } from "../../conform/machine/language.js";
import { listGuards } from "../../conform/machine/paths.js";
import { findChangedTable, getTable, listLeaves, selectNodes } from "../../conform/machine/walk.js";
import { groupBy } from "../../group-by.js";
import type { Json } from "../../json.js";
import { mentions } from "./normal-machines.js";

/** A field of an event type, or of the envelope of all events. */
export interface ReadField {
  /** Undefined for a field of the envelope. */
  readonly type: string | undefined;
  readonly field: string;
}

/** How machines use the values of a class. A class without uses is only tested for presence. */
type Use =
  /** Values are compared for equality, or name rows. */
  | "equality"
  | "id"
  /** Values are compared by size, or counted. */
  | "order"
  /** Texts are joined, measured or compared with joined texts. */
  | "text"
  /** Texts name fields of the payload. */
  | "names"
  /** Numbers are compared with the sequence number of the event. */
  | "sequence";

/** Places whose values are compared with each other. */
export interface ValueClass {
  readonly fields: readonly ReadField[];
  /** The cells and the ids of keys in the class; see `createCellKey`. */
  readonly memory: ReadonlySet<string>;
  readonly uses: ReadonlySet<Use>;
  readonly constants: readonly Json[];
  /** Patterns that values are matched with. */
  readonly patterns: readonly string[];
  /** Computed values that are compared with values of the class. */
  readonly computed: readonly Value[];
  /** The texts that are appended to each other in cells of the class. */
  readonly pieces: readonly Value[];
  /** The number of different values that the places can hold at once: the cells of a row, and the fields of an event. */
  readonly size: number;
  /** True if the places can hold more different values than are tried. */
  readonly isCut: boolean;
}

/** Returns the key of a field in maps. */
export function createFieldKey({ type, field }: ReadField): string {
  return type === undefined ? `\n${field}` : `${type}\n${field}`;
}

/** Returns the key of a cell of the machine with this index. */
export function createCellKey(machine: number, table: string, cell: string): string {
  return `cell\n${machine}\n${table}\n${cell}`;
}

/** Returns the key of an id in the keys of a table. */
export function createIdKey(machine: number, table: string, position: number): string {
  return `key\n${machine}\n${table}\n${position}`;
}

/** What machines do with the values of a place and of those that are in its class. */
interface Fact {
  readonly place: string;
  readonly use?: Use | undefined;
  readonly constants?: readonly Json[];
  readonly pattern?: string;
  readonly computed?: readonly Value[];
  readonly piece?: Value;
}

/** What the analysis knows so far. */
interface Analysis {
  /** For each place, another one of its class that was met before it, or itself. */
  readonly parents: Map<string, string>;
  readonly fields: Map<string, ReadField>;
  /** The cells that hold any value of their class, each with its machine and table. */
  readonly cells: Map<string, string>;
  readonly facts: Fact[];
}

/** The least and the greatest number of different values that are tried for a class. */
export const MIN_SIZE = 2;
const MAX_SIZE = 4;

/**
 * Returns the classes of the fields that machines read in events of these types. `contextTypes` are the types that change
 * what the machines do with all later events.
 */
export function findValueClasses(
  machines: readonly Machine[],
  types: readonly string[],
  contextTypes: ReadonlySet<string> = new Set(),
): ValueClass[] {
  const analysis: Analysis = { parents: new Map(), fields: new Map(), cells: new Map(), facts: [] };
  for (const [index, machine] of machines.entries())
    for (const { on, do: body } of machine.clauses) {
      const ownTypes = typeof on === "string" ? types : types.filter((type) => on.includes(type));
      for (const type of on === "end" ? types.slice(0, 1) : ownTypes)
        visitBody(body, { machine, index, type, analysis, items: new Map(), listed: new Set() });
    }
  const classes = groupBy([...analysis.parents.keys()], (place) => findRoot(analysis, place));
  const facts = groupBy(analysis.facts, ({ place }) => findRoot(analysis, place));
  return [...classes].map(([root, places]) =>
    describeClass(places, facts.get(root) ?? [], analysis, machines, contextTypes),
  );
}

function describeClass(
  places: readonly string[],
  facts: readonly Fact[],
  analysis: Analysis,
  machines: readonly Machine[],
  contextTypes: ReadonlySet<string>,
): ValueClass {
  const fields = places.flatMap((place) => analysis.fields.get(place) ?? []);
  const memory = new Set(places.filter((place) => !analysis.fields.has(place)));
  const uses = new Set(facts.flatMap(({ use }) => use ?? []));
  const constants = new Map(
    facts.flatMap((fact) => (fact.constants ?? []).map((value) => [JSON.stringify(value), value] as const)),
  );
  // The cells of the table with the most cells of the class, for each machine.
  const cellCounts = new Map<string, number>();
  for (const [table, { length }] of groupBy(
    places.filter((place) => analysis.cells.has(place)),
    (place) => analysis.cells.get(place) ?? "",
  )) {
    const [machine = ""] = table.split("\n");
    cellCounts.set(machine, Math.max(cellCounts.get(machine) ?? 0, length));
  }
  const cellCount = [...cellCounts.values()].reduce((sum, count) => sum + count, 0);
  const types = fields.map(({ type }) => type);
  const fieldCount = Math.max(0, ...types.map((type) => types.filter((each) => each === type).length));
  const isId = [...uses].every((use) => use === "id");
  const isIndependent =
    isId &&
    cellCount === 0 &&
    fieldCount === 1 &&
    constants.size === 0 &&
    types.every((type) => type !== undefined && !contextTypes.has(type)) &&
    machines.every((machine, index) =>
      concernsOneId(machine, (table, position) => memory.has(createIdKey(index, table, position)), types),
    );
  // Ids that are not compared with each other only find rows: there is the row of an event, and another one.
  const maxSize = isId ? MIN_SIZE : MAX_SIZE;
  return {
    fields,
    memory,
    uses,
    constants: [...constants.values()],
    patterns: [...new Set(facts.flatMap(({ pattern }) => pattern ?? []))],
    computed: [...new Set(facts.flatMap(({ computed }) => computed ?? []))],
    pieces: facts.flatMap(({ piece }) => piece ?? []),
    isCut: maxSize === MAX_SIZE && cellCount + fieldCount > maxSize,
    size:
      uses.size === 0 || isIndependent ? 1 : Math.max(MIN_SIZE, Math.min(cellCount + fieldCount, maxSize)),
  };
}

/**
 * Returns whether events about one id change nothing for events about another one. `types` are those of the events that name
 * an id. They change only rows of their id. At other events, the rows of all ids are only visited one by one.
 */
function concernsOneId(
  machine: Machine,
  isIdOfClass: (table: string, position: number) => boolean,
  types: readonly (string | undefined)[],
): boolean {
  if (mentions(machine, ["sequence", "gap"])) return false;
  const hasIds = (table: string): boolean =>
    Array.from({ length: machine.tables[table]?.keys ?? 0 }, (_, position) => position).some((position) =>
      isIdOfClass(table, position),
    );
  const concernsOne = (body: readonly Statement[], isAbout: "one id" | "all ids" | "other"): boolean =>
    body.every((statement): boolean => {
      if (statement.op === "if" && selectNodes(statement.when, "keys").some(({ table }) => hasIds(table)))
        return false;
      if (statement.op === "rows" || statement.op === "clear") {
        const isOfAll = hasIds(statement.table) && !(statement.key && isIdOfClass(statement.table, 0));
        if (isAbout === "one id" && isOfAll) return false;
        if (statement.op === "rows") return concernsOne(statement.do, isOfAll ? "all ids" : isAbout);
      }
      if (isAbout !== "other") {
        const table = findChangedTable(machine, statement);
        if (table !== undefined && !hasIds(table)) return false;
      }
      if (statement.op === "if" && !concernsOne(statement.else ?? [], isAbout)) return false;
      return !("do" in statement) || concernsOne(statement.do, isAbout);
    });
  return machine.clauses.every(({ on, do: body }) => {
    const namesIds = on !== "end" && types.some((type) => typeof on === "string" || on.includes(type ?? ""));
    return concernsOne(body, namesIds ? "one id" : "other");
  });
}

/** What names mean where a node stands. */
interface Scope {
  readonly machine: Machine;
  /** The index of the machine. */
  readonly index: number;
  readonly type: string;
  readonly analysis: Analysis;
  /** The values whose parts are items. */
  readonly items: ReadonlyMap<string, Value>;
  /** The values, as JSON, that are known to be among listed constants. */
  readonly listed: ReadonlySet<string>;
}

/** Returns the scope of statements that run if a condition has this outcome. */
function withListed(scope: Scope, condition: Condition, outcome: boolean): Scope {
  const listed = listGuards(condition, outcome).flatMap(({ condition: each, wanted }) =>
    wanted && each.op === "in" ? [JSON.stringify(each.of)] : [],
  );
  return { ...scope, listed: new Set([...scope.listed, ...listed]) };
}

function visitBody(body: readonly Statement[], scope: Scope): void {
  for (const statement of body) visitStatement(statement, scope);
}

function visitStatement(statement: Statement, scope: Scope): void {
  switch (statement.op) {
    case "if":
      visitCondition(statement.when, scope);
      visitBody(statement.do, withListed(scope, statement.when, true));
      visitBody(statement.else ?? [], withListed(scope, statement.when, false));
      return;
    case "find":
      for (const [index, value] of statement.key.entries())
        relate(scope, [value], { use: "id" }, [getIdPlace(scope, statement.table, index)]);
      break;
    case "rows":
    case "clear":
      if (statement.key)
        relate(scope, [statement.key], { use: "id" }, [getIdPlace(scope, statement.table, 0)]);
      break;
    case "each": {
      const { item, of, parts } = statement;
      relate(scope, [of], parts === "numbers" ? { use: "order" } : {});
      visitBody(statement.do, { ...scope, items: new Map(scope.items).set(item, of) });
      return;
    }
    case "uncovered":
    case "cover":
      relate(scope, [statement.first, statement.last], { use: "order" }, [getCellPlace(scope, statement)]);
      break;
    case "set":
      for (const [cell, value] of Object.entries(statement.cells)) {
        const place = getCellPlace(scope, { row: statement.row, cell });
        relate(scope, [value], {}, [place]);
        const isListed = value.op === "constant" || scope.listed.has(JSON.stringify(value));
        const table = `${scope.index}\n${getTable(scope.machine, statement.row)}`;
        if (!isListed) scope.analysis.cells.set(place, table);
      }
      break;
    case "append":
      relate(scope, [statement.text], { use: "text", piece: statement.text }, [
        getCellPlace(scope, statement),
      ]);
      break;
    default:
      break;
  }
  if ("do" in statement) visitBody(statement.do, scope);
}

/** How conditions use their operands. A value of another type than `is` names fails the test. */
const USES: { readonly [operation in Condition["op"]]?: Use } = {
  equal: "equality",
  differ: "equality",
  in: "equality",
  lists: "equality",
  related: "equality",
  less: "order",
  atMost: "order",
  is: "id",
  matches: "text",
  hasReplacement: "text",
  sameText: "text",
  endsWithText: "text",
  hasMember: "names",
  hasPath: "names",
};

function visitCondition(condition: Condition, scope: Scope): void {
  for (const leaf of listLeaves(condition)) {
    if (!("of" in leaf)) continue;
    const places = "cell" in leaf ? [getCellPlace(scope, leaf)] : [];
    relate(scope, [leaf.of].flat(), describeUse(leaf, scope.machine), places);
  }
}

/** Returns what a condition does with its operands. */
function describeUse(condition: Condition, { relations }: Machine): Omit<Fact, "place"> {
  const use = USES[condition.op];
  if (condition.op === "in") return { use, constants: condition.values };
  if (condition.op === "lists") return { use, constants: condition.values.map((value) => [value]) };
  if (condition.op === "matches") return { use, pattern: condition.pattern };
  if (condition.op === "hasReplacement") return { use, pattern: "\ufffd" };
  if (condition.op !== "related") return { use };
  const relation = relations?.[condition.relation] ?? {};
  return { use, constants: [...Object.keys(relation), ...Object.values(relation).flat()] };
}

/** Puts the places of values into one class with `places`, and states a fact about the class. */
function relate(
  scope: Scope,
  values: readonly Value[],
  { constants = [], ...fact }: Omit<Fact, "place">,
  places: readonly string[] = [],
): void {
  const found: Found = { places: [...places], constants: [], computed: [], comparesSequence: false };
  for (const value of values) collectPlaces(scope, value, found);
  const { computed, comparesSequence } = found;
  const [place, ...others] = found.places;
  if (place === undefined) return;
  const { facts } = scope.analysis;
  for (const other of others) join(scope.analysis, place, other);
  facts.push({ ...fact, place, computed, constants: [...found.constants, ...constants] });
  if (comparesSequence) facts.push({ place, use: "sequence" });
  for (const { op } of computed) facts.push({ place, use: op === "join" ? "text" : "order" });
}

/** The places and constants that values come from. */
interface Found {
  readonly places: string[];
  readonly constants: Json[];
  readonly computed: Value[];
  comparesSequence: boolean;
}

/** Adds the places and constants that a value comes from. */
function collectPlaces(scope: Scope, value: Value, found: Found): void {
  const { places } = found;
  switch (value.op) {
    case "constant":
      found.constants.push(value.value);
      break;
    case "payload":
    case "envelope":
      places.push(getFieldPlace(scope, value));
      break;
    case "sequence":
    case "gap":
      found.comparesSequence = true;
      break;
    case "item": {
      const of = scope.items.get(value.item);
      if (of) collectPlaces(scope, of, found);
      break;
    }
    case "key": {
      const table = getTable(scope.machine, value.row);
      places.push(getIdPlace(scope, table, Math.max(0, (scope.machine.tables[table]?.keys ?? 1) - 1)));
      break;
    }
    case "cell":
    case "textUnits":
    case "covered":
      places.push(getCellPlace(scope, value));
      if (value.op === "covered")
        for (const each of [value.first, value.last]) collectPlaces(scope, each, found);
      break;
    case "bytes":
    case "units":
      found.computed.push(value);
      relate(scope, [value.of], { use: "text" });
      break;
    case "keys":
      visitCondition(value.when, scope);
      break;
    default: {
      if (!("of" in value)) break;
      if (value.op !== "first" && value.op !== "counterpart") found.computed.push(value);
      for (const each of [value.of].flat()) collectPlaces(scope, each, found);
    }
  }
}

/** Returns the place that stands for the class of a place. */
function findRoot({ parents }: Analysis, place: string): string {
  let root = place;
  for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
    root = parent;
  return root;
}

function join(analysis: Analysis, one: string, other: string): void {
  analysis.parents.set(findRoot(analysis, other), findRoot(analysis, one));
}

function getPlace({ parents }: Analysis, place: string): string {
  if (!parents.has(place)) parents.set(place, place);
  return place;
}

function getFieldPlace(
  { analysis, type }: Scope,
  { op, field }: { readonly op: string; readonly field: string },
) {
  const read = { type: op === "payload" ? type : undefined, field };
  const place = `field\n${createFieldKey(read)}`;
  analysis.fields.set(place, read);
  return getPlace(analysis, place);
}

function getCellPlace(
  { analysis, index, machine }: Scope,
  { row, cell }: { readonly row: string; readonly cell: string },
): string {
  return getPlace(analysis, createCellKey(index, getTable(machine, row), cell));
}

function getIdPlace({ analysis, index }: Scope, table: string, position: number): string {
  return getPlace(analysis, createIdKey(index, table, position));
}
