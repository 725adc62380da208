/**
 * Finds the fields that machines compare with each other. Two places are in one class if a value can flow from one to the
 * other, or if a condition compares them: fields of events, cells, ids of keys, constants. Events that differ in other
 * fields are the same to the machines.
 */
import type { Clause, Condition, Machine, Statement, Table, Value } from "../../conform/machine/language.js";
import type { Json } from "../../json.js";
import { listNodes, mentions } from "./normal-machines.js";

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

/** A set of places that are known to be in one class. */
interface Group {
  parent: Group | undefined;
  readonly fields: Map<string, ReadField>;
  /** The cells in the class, by machine and table. */
  readonly cells: Map<string, Set<string>>;
  readonly memory: Set<string>;
  readonly uses: Set<Use>;
  readonly constants: Map<string, Json>;
  readonly patterns: Set<string>;
  readonly computed: Value[];
  readonly pieces: Value[];
}

function createGroup(): Group {
  return {
    parent: undefined,
    fields: new Map(),
    cells: new Map(),
    memory: new Set(),
    uses: new Set(),
    constants: new Map(),
    patterns: new Set(),
    computed: [],
    pieces: [],
  };
}

function findRoot(group: Group): Group {
  let root = group;
  while (root.parent) root = root.parent;
  return root;
}

/** The places that the analysis has met, each with its group. */
type Places = Map<string, Group>;

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
  const places: Places = new Map();
  for (const [index, machine] of machines.entries())
    for (const clause of machine.clauses)
      for (const type of selectTypes(clause, types))
        visitBody(clause.do, {
          machine,
          index,
          type,
          places,
          rows: new Map(),
          items: new Map(),
          listed: new Set(),
        });
  const roots = new Set([...places.values()].map(findRoot));
  return [...roots].map((root) => describeGroup(root, machines, contextTypes));
}

function selectTypes({ on }: Clause, types: readonly string[]): readonly string[] {
  if (on === "end") return types.slice(0, 1);
  return typeof on === "string" ? types : types.filter((type) => on.includes(type));
}

function describeGroup(
  { fields, cells, memory, uses, constants, patterns, computed, pieces }: Group,
  machines: readonly Machine[],
  contextTypes: ReadonlySet<string>,
): ValueClass {
  // The cells of the table with the most cells of the class, for each machine.
  const cellCounts = new Map<string, number>();
  for (const [key, names] of cells) {
    const [machine = ""] = key.split("\n");
    cellCounts.set(machine, Math.max(cellCounts.get(machine) ?? 0, names.size));
  }
  const cellCount = [...cellCounts.values()].reduce((sum, count) => sum + count, 0);
  const fieldCounts = new Map<string | undefined, number>();
  for (const { type } of fields.values()) fieldCounts.set(type, (fieldCounts.get(type) ?? 0) + 1);
  const fieldCount = Math.max(0, ...fieldCounts.values());
  const types = [...fields.values()].map(({ type }) => type);
  const isIndependent =
    [...uses].every((use) => use === "id") &&
    cellCount === 0 &&
    fieldCount === 1 &&
    constants.size === 0 &&
    types.every((type) => type !== undefined && !contextTypes.has(type)) &&
    machines.every((machine, index) =>
      concernsOneId(machine, (table, position) => memory.has(createIdKey(index, table, position)), types),
    );
  // Ids that are not compared with each other only find rows: there is the row of an event, and another one.
  const maxSize = [...uses].every((use) => use === "id") ? MIN_SIZE : MAX_SIZE;
  return {
    fields: [...fields.values()],
    memory,
    uses,
    constants: [...constants.values()],
    patterns: [...patterns],
    computed,
    pieces,
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
  const tables = new Map<string, string>();
  const concernsOne = (body: readonly Statement[], isAbout: "one id" | "all ids" | "other"): boolean =>
    body.every((statement): boolean => {
      if (statement.op === "report") return true;
      if (statement.op === "find" || statement.op === "rows") tables.set(statement.row, statement.table);
      if (statement.op === "if" && readsRowsOfAllIds(statement.when, hasIds)) return false;
      if (statement.op === "rows" || statement.op === "clear") {
        const isOfAll = hasIds(statement.table) && !(statement.key && isIdOfClass(statement.table, 0));
        if (isAbout === "one id" && isOfAll) return false;
        if (statement.op === "rows") return concernsOne(statement.do, isOfAll ? "all ids" : isAbout);
      }
      if (isAbout !== "other" && changesTable(statement, tables, (table) => !hasIds(table))) return false;
      if (statement.op === "if" && !concernsOne(statement.else ?? [], isAbout)) return false;
      return !("do" in statement) || concernsOne(statement.do, isAbout);
    });
  return machine.clauses.every(({ on, do: body }) => {
    const namesIds = on !== "end" && types.some((type) => typeof on === "string" || on.includes(type ?? ""));
    return concernsOne(body, namesIds ? "one id" : "other");
  });
}

/** Returns whether a condition depends on all rows of a table with ids. */
function readsRowsOfAllIds(condition: Condition, hasIds: (table: string) => boolean): boolean {
  return listNodes(condition as unknown as Json).some((node) => node.op === "keys" && hasIds(node.table));
}

function changesTable(
  statement: Statement,
  tables: ReadonlyMap<string, string>,
  isSelected: (table: string) => boolean,
): boolean {
  switch (statement.op) {
    case "set":
    case "append":
    case "cover":
    case "drop":
      return isSelected(tables.get(statement.row) ?? "");
    case "clear":
      return isSelected(statement.table);
    default:
      return false;
  }
}

/** What names mean where a node stands. */
interface Scope {
  readonly machine: Machine;
  /** The index of the machine. */
  readonly index: number;
  readonly type: string;
  readonly places: Places;
  /** The tables of the rows. */
  readonly rows: ReadonlyMap<string, string>;
  /** The values whose parts are items. */
  readonly items: ReadonlyMap<string, Value>;
  /** The values, as JSON, that are known to be among listed constants. */
  readonly listed: ReadonlySet<string>;
}

/** Returns the scope of statements that run if a condition has this outcome. */
function withListed(scope: Scope, condition: Condition, outcome: boolean): Scope {
  if (condition.op === "not") return withListed(scope, condition.of, !outcome);
  if (outcome && condition.op === "all")
    return condition.of.reduce((inner, each) => withListed(inner, each, true), scope);
  if (!outcome || condition.op !== "in") return scope;
  return { ...scope, listed: new Set([...scope.listed, JSON.stringify(condition.of)]) };
}

function visitBody(body: readonly Statement[], scope: Scope): void {
  for (const statement of body) visitStatement(statement, scope);
}

function withRow(scope: Scope, row: string, table: string): Scope {
  return { ...scope, rows: new Map(scope.rows).set(row, table) };
}

function withItem(scope: Scope, item: string, of: Value): Scope {
  return { ...scope, items: new Map(scope.items).set(item, of) };
}

function visitStatement(statement: Statement, scope: Scope): void {
  switch (statement.op) {
    case "if":
      visitCondition(statement.when, scope);
      visitBody(statement.do, withListed(scope, statement.when, true));
      visitBody(statement.else ?? [], withListed(scope, statement.when, false));
      break;
    case "find":
      for (const [index, value] of statement.key.entries())
        relate(scope, [value], "id", [getKeyGroup(scope, statement.table, index)]);
      visitBody(statement.do, withRow(scope, statement.row, statement.table));
      break;
    case "rows":
    case "clear":
      if (statement.key) relate(scope, [statement.key], "id", [getKeyGroup(scope, statement.table, 0)]);
      if (statement.op === "rows") visitBody(statement.do, withRow(scope, statement.row, statement.table));
      break;
    case "each":
      relate(scope, [statement.of], statement.parts === "numbers" ? "order" : undefined);
      visitBody(statement.do, withItem(scope, statement.item, statement.of));
      break;
    case "uncovered":
    case "cover": {
      const cell = getCellGroup(scope, statement.row, statement.cell);
      relate(scope, [statement.first, statement.last], "order", [cell]);
      if (statement.op === "uncovered") visitBody(statement.do, scope);
      break;
    }
    case "set":
      for (const [cell, value] of Object.entries(statement.cells)) {
        relate(scope, [value], undefined, [getCellGroup(scope, statement.row, cell)]);
        const isListed = value.op === "constant" || scope.listed.has(JSON.stringify(value));
        if (!isListed) countCell(scope, statement.row, cell);
      }
      break;
    case "append": {
      const cell = getCellGroup(scope, statement.row, statement.cell);
      relate(scope, [statement.text], "text", [cell]);
      findRoot(cell).pieces.push(statement.text);
      break;
    }
    case "drop":
    case "stop":
    case "report":
      break;
  }
}

function visitCondition(condition: Condition, scope: Scope): void {
  switch (condition.op) {
    case "not":
      visitCondition(condition.of, scope);
      break;
    case "all":
    case "any":
      for (const each of condition.of) visitCondition(each, scope);
      break;
    case "equal":
    case "differ":
      relate(scope, condition.of, "equality");
      break;
    case "less":
    case "atMost":
      relate(scope, condition.of, "order");
      break;
    case "in":
      relate(scope, [condition.of, ...condition.values.map(createConstant)], "equality");
      break;
    case "related": {
      const relation = scope.machine.relations?.[condition.relation] ?? {};
      const names = [...new Set([...Object.keys(relation), ...Object.values(relation).flat()])];
      relate(scope, [...condition.of, ...names.map(createConstant)], "equality");
      break;
    }
    case "matches":
      addPattern(scope, condition.of, condition.pattern);
      break;
    case "hasReplacement":
      addPattern(scope, condition.of, "\ufffd");
      break;
    case "is":
      // A value of another type fails the test.
      relate(scope, [condition.of], "id");
      break;
    case "sameText":
    case "endsWithText":
      relate(scope, [condition.of], "text", [getCellGroup(scope, condition.row, condition.cell)]);
      break;
    case "hasMember":
    case "hasPath":
      relate(scope, [condition.of], "names");
      break;
    case "present":
      relate(scope, [condition.of], undefined);
      break;
    case "exists":
    case "current":
    case "seenFromStart":
    case "ended":
      break;
  }
}

function createConstant(value: Json): Value {
  return { op: "constant", value };
}

function addPattern(scope: Scope, value: Value, pattern: string): void {
  relate(scope, [value], "text")?.patterns.add(pattern);
}

/** Puts the places of values into one class with `groups`. Returns the class; undefined if there are no places. */
function relate(
  scope: Scope,
  values: readonly Value[],
  use: Use | undefined,
  groups: readonly Group[] = [],
): Group | undefined {
  const found: Found = { groups: [...groups], constants: [], computed: [], comparesSequence: false };
  for (const value of values) collectPlaces(scope, value, found);
  const [first, ...others] = found.groups;
  if (first === undefined) return undefined;
  for (const other of others) join(first, other);
  const root = findRoot(first);
  const { constants, computed, comparesSequence } = found;
  if (use !== undefined) root.uses.add(use);
  if (comparesSequence) root.uses.add("sequence");
  if (computed.some(({ op }) => op !== "join")) root.uses.add("order");
  if (computed.some(({ op }) => op === "join")) root.uses.add("text");
  for (const constant of constants) root.constants.set(JSON.stringify(constant), constant);
  root.computed.push(...computed.filter((each) => !root.computed.includes(each)));
  return root;
}

/** The places and constants that values come from. */
interface Found {
  readonly groups: Group[];
  readonly constants: Json[];
  readonly computed: Value[];
  comparesSequence: boolean;
}

/** Adds the places and constants that a value comes from. */
function collectPlaces(scope: Scope, value: Value, found: Found): void {
  const { groups } = found;
  switch (value.op) {
    case "constant":
      found.constants.push(value.value);
      break;
    case "payload":
      groups.push(getFieldGroup(scope, { type: scope.type, field: value.field }));
      break;
    case "envelope":
      groups.push(getFieldGroup(scope, { type: undefined, field: value.field }));
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
    case "counterpart":
      collectPlaces(scope, value.of, found);
      break;
    case "key":
      groups.push(getKeyGroup(scope, scope.rows.get(value.row) ?? "", -1));
      break;
    case "cell":
    case "textUnits":
      groups.push(getCellGroup(scope, value.row, value.cell));
      break;
    case "covered":
      groups.push(getCellGroup(scope, value.row, value.cell));
      for (const each of [value.first, value.last]) collectPlaces(scope, each, found);
      break;
    case "first":
      for (const each of value.of) collectPlaces(scope, each, found);
      break;
    case "bytes":
    case "units":
      found.computed.push(value);
      relate(scope, [value.of], "text");
      break;
    case "keys":
      visitCondition(value.when, withRow(scope, value.row, value.table));
      break;
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "minimum":
    case "join":
      found.computed.push(value);
      for (const each of value.of) collectPlaces(scope, each, found);
      break;
    case "type":
    case "epoch":
    case "event":
    case "index":
    case "path":
      break;
  }
}

function join(one: Group, other: Group): void {
  const [root, child] = [findRoot(one), findRoot(other)];
  if (root === child) return;
  child.parent = root;
  for (const [key, field] of child.fields) root.fields.set(key, field);
  for (const [key, cells] of child.cells)
    root.cells.set(key, new Set([...(root.cells.get(key) ?? []), ...cells]));
  for (const place of child.memory) root.memory.add(place);
  for (const use of child.uses) root.uses.add(use);
  for (const [key, constant] of child.constants) root.constants.set(key, constant);
  for (const pattern of child.patterns) root.patterns.add(pattern);
  root.computed.push(...child.computed);
  root.pieces.push(...child.pieces);
}

function getGroup(places: Places, key: string): Group {
  const group = places.get(key) ?? createGroup();
  places.set(key, group);
  return findRoot(group);
}

function getFieldGroup({ places }: Scope, field: ReadField): Group {
  const key = createFieldKey(field);
  const group = getGroup(places, `field\n${key}`);
  group.fields.set(key, field);
  return group;
}

function getCellGroup({ places, index, rows }: Scope, row: string, cell: string): Group {
  const table = rows.get(row) ?? "";
  const place = createCellKey(index, table, cell);
  const group = getGroup(places, place);
  group.memory.add(place);
  return group;
}

/** Counts a cell among the places that hold any value of their class. */
function countCell(scope: Scope, row: string, cell: string): void {
  const { cells } = getCellGroup(scope, row, cell);
  const key = `${scope.index}\n${scope.rows.get(row) ?? ""}`;
  cells.set(key, new Set([...(cells.get(key) ?? []), cell]));
}

/** Returns the group of an id of a key; -1 stands for the last one. */
function getKeyGroup({ places, index, machine }: Scope, name: string, id: number): Group {
  const table: Table | undefined = machine.tables[name];
  const place = createIdKey(index, name, id < 0 ? Math.max(0, (table?.keys ?? 1) - 1) : id);
  const group = getGroup(places, place);
  group.memory.add(place);
  return group;
}
