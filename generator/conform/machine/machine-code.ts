/**
 * Writes the code of machines in JavaScript: one function for each clause, with the variables `state` and `step`. The code of
 * a field, a row or a comparison costs no more than if it were written by hand.
 */
import { getOwn } from "../../json.js";
import type { Clause, Condition, Machine, MessagePart, Place, Statement, Table, Value } from "./language.js";

/** The greatest number of rows of a table of one stream. Beyond it, the oldest one is forgotten. */
export const MAX_ROWS = 10_000;

export type ReportStatement = Extract<Statement, { op: "report" }>;

/** The code of a clause. */
interface ClauseCode {
  /** The expression of a function. */
  readonly expression: string;
  /** The values that the code names `constants[0]` and so on. */
  readonly constants: readonly unknown[];
}

/** Values that the code refers to. */
interface CodeContext {
  /** Returns the kind of a finding; throws if the rule has no such finding. */
  getKind(finding: string): unknown;
  /** True if the code calls `observe` before each finding. */
  readonly isObserved: boolean;
}

/** Returns the index of each cell in a row. A text takes two places. */
export function layOutCells({ cells }: Table): ReadonlyMap<string, number> {
  let next = 0;
  return new Map(
    Object.entries(cells).map(([cell, kind]) => {
      const index = next;
      next += kind === "text" ? 2 : 1;
      return [cell, index];
    }),
  );
}

/** Writes the function of one clause. */
export function createClauseCode({ do: body }: Clause, machine: Machine, context: CodeContext): ClauseCode {
  const writer = new ClauseWriter(machine, context, countReads(body));
  const code = writer.body(body);
  const variables = writer.variables.map((name) => `let ${name};\n`).join("");
  const remembered = [...writer.remembered.values()].map((name) => `let ${name} = UNKNOWN;\n`).join("");
  const expression = `function (state, step) {\nconst { payload, event, stream } = step;\n${variables}${remembered}${code}}`;
  return { expression, constants: writer.constants };
}

/** Counts how often statements read each field, without messages. */
function countReads(node: unknown, reads = new Map<string, number>()): ReadonlyMap<string, number> {
  if (typeof node !== "object" || node === null) return reads;
  if ("op" in node && (node.op === "payload" || node.op === "envelope")) {
    const key = writeRead(node as FieldValue);
    reads.set(key, (reads.get(key) ?? 0) + 1);
  } else if (!("op" in node && node.op === "report"))
    for (const part of Object.values(node)) countReads(part, reads);
  return reads;
}

/** How a table is stored. */
interface TableCode {
  readonly table: Table;
  /** The expression of the table. */
  readonly rows: string;
  /** The index of the table in the state. */
  readonly index: number;
  /** The indexes of the cells in a row. */
  readonly cells: ReadonlyMap<string, number>;
}

/** The names of the variables of a row. */
interface RowCode {
  readonly row: string;
  readonly key: string;
  readonly group: string;
  readonly table: TableCode;
}

/** The code of a clause so far. Statements, values and conditions are written by the tables below. */
class ClauseWriter {
  readonly constants: unknown[] = [];
  /** The variables of the function. */
  readonly variables: string[] = [];
  /** The variables of remembered expressions. */
  readonly remembered = new Map<string, string>();
  /** The label of the innermost loop. */
  loop: string | undefined;
  /** The number of names so far. Each row, item and loop has a number of its own, which is a part of its name. */
  private count = 0;
  private readonly tables: ReadonlyMap<string, TableCode>;
  private readonly rows = new Map<string, RowCode>();
  private readonly items = new Map<string, number>();

  constructor(
    readonly machine: Machine,
    readonly context: CodeContext,
    private readonly reads: ReadonlyMap<string, number>,
  ) {
    this.tables = new Map(
      Object.entries(machine.tables).map(([name, table], index) => [
        name,
        { table, index, rows: `state[${index}]`, cells: layOutCells(table) },
      ]),
    );
  }

  body(body: readonly Statement[]): string {
    return body.map((statement) => this.write(STATEMENTS, statement)).join("");
  }

  value(value: Value): string {
    return this.write(VALUES, value);
  }

  /** Writes several values with commas between them. */
  values(...values: readonly Value[]): string {
    return values.map((value) => this.value(value)).join(", ");
  }

  condition(condition: Condition): string {
    return this.write(CONDITIONS, condition);
  }

  private write<N extends { readonly op: string }>(writers: object, node: N): string {
    const write = (writers as { readonly [op: string]: (node: N, writer: ClauseWriter) => string })[node.op];
    if (write === undefined) throw new Error(`The language has no operation ${node.op}.`);
    return write(node, this);
  }

  constant(value: unknown): string {
    return `constants[${this.constants.push(value) - 1}]`;
  }

  variable(): string {
    const name = `value${this.variables.length}`;
    this.variables.push(name);
    return name;
  }

  number(): number {
    return this.count++;
  }

  /** Returns an expression of a field, which is computed once if the clause reads it more than once. */
  field(value: FieldValue): string {
    const read = writeRead(value);
    if ((this.reads.get(read) ?? 0) <= 1) return read;
    const name = this.remembered.get(read) ?? `known${this.remembered.size}`;
    this.remembered.set(read, name);
    return `(${name} === UNKNOWN ? (${name} = ${read}) : ${name})`;
  }

  table(name: string): TableCode {
    return this.tables.get(name) ?? fail(`The machine has no table ${name}.`);
  }

  row(name: string): RowCode {
    return this.rows.get(name) ?? fail(`The machine has no row ${name} here.`);
  }

  cell({ row: name, cell }: CellPlace): { readonly row: string; readonly index: number } {
    const { row, table } = this.row(name);
    return { row, index: table.cells.get(cell) ?? fail(`The row ${name} has no cell ${cell}.`) };
  }

  /** Returns an expression of the content of a cell. */
  content(place: CellPlace): string {
    const { row, index } = this.cell(place);
    return `${row}?.[${index}]`;
  }

  /** Writes the call of a function about a cell. */
  callOnCell(name: string, place: CellPlace, ...others: readonly string[]): string {
    const { row, index } = this.cell(place);
    return `${name}(${[row, index, ...others].join(", ")})`;
  }

  item(name: string): { readonly item: string; readonly path: string } {
    const number = this.items.get(name) ?? fail(`The machine has no item ${name} here.`);
    return { item: `item${number}`, path: `path${number}` };
  }

  addItem(name: string, number = this.number()): string {
    this.items.set(name, number);
    return this.item(name).item;
  }

  /** Writes code in which a row has a name. `key` is the expression of its key; by default, a variable has the key. */
  withRow<T>(name: string, table: TableCode, write: (row: RowCode) => T, key?: string): T {
    const outer = this.rows.get(name);
    const number = this.number();
    const row = { row: `row${number}`, key: key ?? `key${number}`, group: `group${number}`, table };
    this.rows.set(name, row);
    const result = write(row);
    if (outer) this.rows.set(name, outer);
    else this.rows.delete(name);
    return result;
  }

  /** Writes a loop. */
  withLoop(head: string, body: readonly Statement[], first = ""): string {
    const outer = this.loop;
    this.loop = `loop${this.number()}`;
    const code = `${this.loop}: for (${head}) {\n${first}${this.body(body)}}\n`;
    this.loop = outer;
    return code;
  }
}

interface CellPlace {
  readonly row: string;
  readonly cell: string;
}

function fail(message: string): never {
  throw new Error(message);
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** The nodes of a union whose `op` may be `Op`. */
type NodeOf<U extends { readonly op: string }, Op> = U extends unknown
  ? Op extends U["op"]
    ? U
    : never
  : never;

/** A function for each operation, which writes its code. */
type Writers<N extends { readonly op: string }> = {
  readonly [Op in N["op"]]: (node: NodeOf<N, Op>, writer: ClauseWriter) => string;
};

const STATEMENTS: Writers<Statement> = {
  if({ when, do: body, else: otherwise }, w) {
    const code = `if (${w.condition(when)}) {\n${w.body(body)}}\n`;
    return otherwise === undefined ? code : `${code}else {\n${w.body(otherwise)}}\n`;
  },
  find: writeFind,
  rows({ row: name, table: tableName, key, do: body }, w) {
    const table = w.table(tableName);
    const groupId = key && `readId(${w.value(key)})`;
    return w.withRow(name, table, ({ row, key: id, group }) => {
      const rows = groupId === undefined ? `selectRows(${table.rows})` : `${table.rows}?.get(${group}) ?? []`;
      const loop = w.withLoop(`let [${id}, ${row}] of ${rows}`, body);
      if (groupId === undefined) return loop;
      return `if (${table.rows} !== undefined) {\nconst ${group} = ${groupId};\n${loop}}\n`;
    });
  },
  each: writeEach,
  uncovered({ first, last, row, cell, item, end, do: body }, w) {
    const ranges = w.callOnCell("listGap", { row, cell }, w.values(first, last));
    return w.withLoop(`const [${w.addItem(item)}, ${w.addItem(end)}] of ${ranges}`, body);
  },
  stop: (_statement, { loop }) => (loop === undefined ? "return;\n" : `break ${loop};\n`),
  set: writeSet,
  append: (node, w) => `${w.callOnCell("appendText", node, writeMeasure("Sum", node.text, w))};\n`,
  cover: (node, w) => `${w.callOnCell("cover", node, w.values(node.first, node.last))};\n`,
  drop({ row: name }, w) {
    const { row, key, group, table } = w.row(name);
    const { keys, grouped } = table.table;
    const drop = `dropRow(state, ${table.index}, ${grouped ? `${key}, ${group}` : key})`;
    return `${row} = undefined;\n${keys === 0 ? `${table.rows} = undefined` : drop};\n`;
  },
  clear({ table: name, key }, w) {
    const { rows, index } = w.table(name);
    return key === undefined
      ? `${rows} = undefined;\n`
      : `dropGroup(state, ${index}, readId(${w.value(key)}));\n`;
  },
  report(statement, w) {
    const { finding, message, at, index } = statement;
    const observe = w.context.isObserved ? `observe(${w.constant(statement)});\n` : "";
    const parts = [
      w.constant(w.context.getKind(finding)),
      message.length === 0 ? '""' : message.map((part) => writeMessagePart(part, w)).join(" + "),
      writePlace(at, w),
      ...(index === undefined ? [] : [w.value(index)]),
    ];
    return `${observe}step.report(${parts.join(", ")});\n`;
  },
};

function writeFind(
  { row: name, table: tableName, key: ids, do: body }: NodeOf<Statement, "find">,
  w: ClauseWriter,
) {
  const table = w.table(tableName);
  if (ids.length > 1 && !table.table.grouped) return writeFindByIds(name, table, ids, body, w);
  const [first, second] = ids.map((id) => w.value(id));
  return w.withRow(name, table, ({ row, key, group }) => {
    const code = w.body(body);
    if (first === undefined) return `{\nlet ${row} = ${table.rows};\n${code}}\n`;
    if (second === undefined)
      return `const ${key} = readId(${first});\nif (${key} !== undefined) {\nlet ${row} = ${table.rows}?.get(${key});\n${code}}\n`;
    return `const ${group} = readId(${first}), ${key} = readId(${second});
if (${group} !== undefined && ${key} !== undefined) {\nlet ${row} = ${table.rows}?.get(${group})?.get(${key});\n${code}}\n`;
  });
}

/** Writes a look-up by several ids, which are joined to a key only if it is needed. */
function writeFindByIds(
  name: string,
  table: TableCode,
  ids: readonly Value[],
  body: readonly Statement[],
  w: ClauseWriter,
): string {
  const number = w.number();
  const variables = ids.map((_, index) => `id${number}_${index}`);
  const definitions = ids.map((id, index) => `${variables[index]} = ${w.value(id)}`);
  const list = variables.join(", ");
  const find = ids.length === 2 ? "findByTwoIds" : "findByIds";
  const write = ({ row }: RowCode): string => `const ${definitions.join(", ")};
if (${variables.map((id) => `isId(${id})`).join(" && ")}) {
let ${row} = ${find}(${table.rows}, ${list});\n${w.body(body)}}\n`;
  return w.withRow(name, table, write, `joinIds(${list})`);
}

/** Writes a loop over the parts of a value, which runs once for a value that is no list. */
function writeEach({ item: name, parts, of, do: body }: NodeOf<Statement, "each">, w: ClauseWriter): string {
  const value = w.value(of);
  const number = w.number();
  w.addItem(name, number);
  const { item, path } = w.item(name);
  const [list, names, index, part] = [`list${number}`, `names${number}`, `index${number}`, `part${number}`];
  const isList =
    parts === "numbers"
      ? `typeof ${list} === "object" && ${list} !== null && !Array.isArray(${list})`
      : `Array.isArray(${list})`;
  const isPart = {
    items: `${part} !== undefined`,
    numbers: `typeof ${part} === "number"`,
    ids: `typeof ${part} === "string" || typeof ${part} === "number"`,
  };
  const head = `let ${index} = 0; ${index} < (${names} === undefined ? 1 : ${names}.length); ${index}++`;
  const first = `const ${part} = ${names} === undefined ? ${list} : ${list}[${names}[${index}]];
if (!(${isPart[parts]})) continue;
const ${item} = ${parts === "ids" ? `String(${part})` : part};
const ${path} = ${names} === undefined ? "" : joinPointer("", ${names}[${index}]);
`;
  return `const ${list} = ${value};
const ${names} = ${isList} ? Object.keys(${list}) : undefined;
${w.withLoop(head, body, first)}`;
}

function writeSet({ row: name, cells }: NodeOf<Statement, "set">, w: ClauseWriter): string {
  const { row, key, group, table } = w.row(name);
  const { keys, grouped, limit = MAX_ROWS, cells: kinds } = table.table;
  const places = Object.values(kinds).map((kind) => (kind === "text" ? "undefined, undefined" : "undefined"));
  const empty = `[${places.join(", ")}]`;
  const rows = keys > 1 && !grouped ? "RowsByIds" : "Map";
  const ids = grouped ? `${key}, ${group}` : key;
  const added =
    keys === 0
      ? `${table.rows} = ${empty}`
      : `addRow(state, ${table.index}, ${limit}, ${rows}, step, ${empty}, ${ids})`;
  const updates = Object.entries(cells).map(([cell, value]) => {
    const { index } = w.cell({ row: name, cell });
    const isText = kinds[cell] === "text";
    return `${isText ? `${row}[${index + 1}] = ` : ""}${row}[${index}] = ${w.value(value)};\n`;
  });
  return `if (${row} === undefined) {\n${row} = ${added};\n}\n${updates.join("")}`;
}

type FieldValue = NodeOf<Value, "payload">;

function writeRead({ op, field }: FieldValue): string {
  return `${op === "payload" ? "payload" : "event"}[${quote(field)}]`;
}

const VALUES: Writers<Value> = {
  constant: ({ value }, w) =>
    typeof value === "object" && value !== null ? w.constant(value) : JSON.stringify(value),
  payload: (node, w) => w.field(node),
  envelope: (node, w) => w.field(node),
  type: () => "step.type",
  sequence: () => "step.sequence",
  epoch: () => "stream.epoch",
  event: () => "nameEvent(step)",
  index: () => "stream.index",
  gap: ({ side }) => `step.gap?.${side}`,
  item: ({ item }, w) => w.item(item).item,
  path: ({ item }, w) => w.item(item).path,
  counterpart: ({ item, of }, w) => `getCounterpart(${w.value(of)}, ${w.item(item).path})`,
  key: ({ row }, w) => w.row(row).key,
  cell: (node, w) => w.content(node),
  first: ({ of }, w) =>
    of
      .map((each) => w.value(each))
      .reduceRight((rest, value) => {
        if (rest === "undefined") return value;
        const variable = w.variable();
        return `((${variable} = ${value}) === undefined ? ${rest} : ${variable})`;
      }, "undefined"),
  add: ({ of }, w) => writeJoined(of, "number", (a, b) => `${a} + ${b}`, w),
  multiply: ({ of }, w) => writeJoined(of, "number", (a, b) => `${a} * ${b}`, w),
  subtract: ({ of }, w) => writeJoined(of, "number", (a, b) => `${a} - ${b}`, w),
  divide: ({ of }, w) => writeJoined(of, "number", (a, b) => `${a} / ${b}`, w),
  minimum: ({ of }, w) => writeJoined(of, "number", (a, b) => `Math.min(${a}, ${b})`, w),
  bytes: ({ of }, w) => `${writeMeasure("Size", of, w)}?.bytes`,
  units: ({ of }, w) => `${writeMeasure("Sum", of, w)}?.units`,
  textUnits: (node, w) => `(${w.content(node)} ?? 0)`,
  join: ({ of }, w) => writeJoined(of, "string", (a, b) => `${a} + ${b}`, w),
  covered: (node, w) => w.callOnCell("getCovered", node, w.values(node.first, node.last)),
  keys({ row: name, table: tableName, when }, w) {
    const table = w.table(tableName);
    return w.withRow(name, table, ({ row }) => `listKeys(${table.rows}, (${row}) => ${w.condition(when)})`);
  },
};

/** Returns operands, and tests that they have a type. Constants need no test. */
function writeOperands(of: readonly Value[], type: "number" | "string", w: ClauseWriter) {
  const tests: string[] = [];
  const operands = of.map((value) => {
    if (value.op === "constant" && typeof value.value === type) return JSON.stringify(value.value);
    const variable = w.variable();
    tests.push(`typeof (${variable} = ${w.value(value)}) === "${type}"`);
    return variable;
  });
  return { tests, operands };
}

/** Writes an expression that joins values of one type, and is undefined if one of them has another type. */
function writeJoined(
  of: readonly Value[],
  type: "number" | "string",
  join: (a: string, b: string) => string,
  w: ClauseWriter,
): string {
  const { tests, operands } = writeOperands(of, type, w);
  if (operands.length === 0) return "undefined";
  const joined = operands.reduce((a, b) => `(${join(a, b)})`);
  return tests.length === 0 ? joined : `(${tests.join(" && ")} ? ${joined} : undefined)`;
}

/** Writes the sum or the size of a text. Texts of payload fields may be measured without being parsed. */
function writeMeasure(measure: "Sum" | "Size", value: Value, w: ClauseWriter): string {
  if (value.op !== "payload") return `measure${measure}(${w.value(value)})`;
  const expression = `step.measure${measure}(${quote(value.field)})`;
  // The last measure only is remembered, because a measure is valid until the next one.
  if (!w.variables.includes("measure")) w.variables.push("measure", "measured");
  const name = quote(expression);
  return `(measured === ${name} ? measure : ((measured = ${name}), (measure = ${expression})))`;
}

const CONDITIONS: Writers<Condition> = {
  not: ({ of }, w) => `!(${w.condition(of)})`,
  all: ({ of }, w) => (of.length === 0 ? "true" : `(${of.map((each) => w.condition(each)).join(" && ")})`),
  any: ({ of }, w) => (of.length === 0 ? "false" : `(${of.map((each) => w.condition(each)).join(" || ")})`),
  equal({ of, asSets }, w) {
    const [a, b] = of.map((each) => w.value(each));
    return of.some(isPrimitive) ? `${a} === ${b}` : `${asSets ? "areSetsEqual" : "isEqual"}(${a}, ${b})`;
  },
  differ: ({ of, asSets }, w) => `${asSets ? "areSetsDifferent" : "isDifferent"}(${w.values(...of)})`,
  less: ({ of }, w) => writeOrder(of, "<", w),
  atMost: ({ of }, w) => writeOrder(of, "<=", w),
  present: ({ of }, w) => `${w.value(of)} !== undefined`,
  exists: ({ row }, w) => `${w.row(row).row} !== undefined`,
  is: ({ type, of }, w) => TYPE_TESTS[type](w.value(of)),
  in: ({ of, values }, w) => `${w.constant(new Set(values))}.has(${w.value(of)})`,
  matches({ of, pattern }, w) {
    const variable = w.variable();
    const expression = w.constant(new RegExp(pattern, "u"));
    return `(typeof (${variable} = ${w.value(of)}) === "string" && ${expression}.test(${variable}))`;
  },
  lists({ of, values }, w) {
    const variable = w.variable();
    const listed = w.constant(new Set(values));
    return `(Array.isArray(${variable} = ${w.value(of)}) && ${variable}.some((each) => ${listed}.has(each)))`;
  },
  related({ relation, of }, w) {
    const pairs = getOwn(w.machine.relations ?? {}, relation) ?? {};
    const related = new Map(Object.entries(pairs).map(([name, others]) => [name, new Set(others)]));
    return `isRelated(${w.constant(related)}, ${w.values(...of)})`;
  },
  current: (node, w) => `${w.content(node)} === stream.epoch`,
  seenFromStart: () => "isSeenFromStart(stream)",
  ended: () => "stream.hasEnded",
  sameText: (node, w) => w.callOnCell("hasText", node, writeMeasure("Sum", node.of, w)),
  endsWithText: (node, w) => w.callOnCell("endsWithText", node, w.value(node.of)),
  hasReplacement: ({ of }, w) => `${writeMeasure("Size", of, w)}?.hasReplacement === true`,
  hasMember: ({ of, except, fields }, w) =>
    `hasMember(payload, ${w.value(of)}, ${w.constant(except)}, ${w.constant(fields)})`,
  hasPath: ({ of }, w) => `hasPath(payload, ${w.value(of)})`,
};

/** Returns whether a value is a constant that is neither a list nor an object, so that it equals only itself. */
function isPrimitive(value: Value): boolean {
  return value.op === "constant" && (typeof value.value !== "object" || value.value === null);
}

function writeOrder(of: readonly [Value, Value], operator: string, w: ClauseWriter): string {
  const { tests, operands } = writeOperands(of, "number", w);
  return `(${[...tests, operands.join(` ${operator} `)].join(" && ")})`;
}

const TYPE_TESTS: {
  readonly [T in Extract<Condition, { op: "is" }>["type"]]: (value: string) => string;
} = {
  text: (value) => `typeof ${value} === "string"`,
  number: (value) => `typeof ${value} === "number"`,
  integer: (value) => `Number.isInteger(${value})`,
  safe: (value) => `Number.isSafeInteger(${value})`,
  list: (value) => `Array.isArray(${value})`,
};

function writeMessagePart(part: MessagePart, w: ClauseWriter): string {
  if (typeof part === "string") return quote(part);
  if ("quote" in part) return `quoteValue(${w.value(part.quote)})`;
  if ("plain" in part) return `String(${w.value(part.plain)})`;
  if ("count" in part)
    return `formatCount(${w.value(part.count)}, ${quote(part.noun)}, ${quote(part.plural)})`;
  if ("list" in part) return `formatIds(${w.value(part.list)})`;
  return `formatItem(${quote(part.field)}, ${w.item(part.item).path})`;
}

function writePlace(place: Place | undefined, w: ClauseWriter): string {
  if (place === undefined) return "undefined";
  const { in: part, field, item } = place;
  const pointer = part === "envelope" ? `joinPointer("", ${quote(field)})` : `step.locate(${quote(field)})`;
  return item === undefined ? pointer : `${pointer} + ${w.item(item).path}`;
}
