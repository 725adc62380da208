/**
 * Writes the code of machines in JavaScript: one function for each clause, with the variables `state` and `step`. The code of
 * a field, a row or a comparison costs no more than if it were written by hand.
 */
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
  const tables = Object.entries(machine.tables).map(([name, table], index): [string, TableCode] => [
    name,
    { table, index, cells: layOutCells(table) },
  ]);
  const reads = new Map<string, number>();
  countReads(body, reads);
  const writer: Writer = {
    machine,
    tables: new Map(tables),
    constants: [],
    context,
    reads,
    remembered: new Map(),
    variables: [],
    rows: new Map(),
    items: new Map(),
    count: 0,
    loop: undefined,
  };
  const code = writeBody(body, writer);
  const variables = writer.variables.map((name) => `let ${name};\n`).join("");
  const remembered = [...writer.remembered.values()].map((name) => `let ${name} = UNKNOWN;\n`).join("");
  const expression = `function (state, step) {\nconst { payload, event, stream } = step;\n${variables}${remembered}${code}}`;
  return { expression, constants: writer.constants };
}

/** Counts how often statements read each field, without messages. */
function countReads(node: unknown, reads: Map<string, number>): void {
  if (typeof node !== "object" || node === null) return;
  if ("op" in node && (node.op === "payload" || node.op === "envelope")) {
    const key = writeRead(node as FieldValue);
    reads.set(key, (reads.get(key) ?? 0) + 1);
  } else if (!("op" in node && node.op === "report"))
    for (const part of Object.values(node)) countReads(part, reads);
}

/** How a table is stored. */
interface TableCode {
  readonly table: Table;
  /** The index of the table in the state. */
  readonly index: number;
  /** The indexes of the cells in a row. */
  readonly cells: ReadonlyMap<string, number>;
}

/** Writes the function of one clause. */
interface Writer {
  readonly machine: Machine;
  readonly tables: ReadonlyMap<string, TableCode>;
  readonly constants: unknown[];
  readonly context: CodeContext;
  /** How often the clause reads each field. */
  readonly reads: ReadonlyMap<string, number>;
  /** The variables of remembered expressions. */
  readonly remembered: Map<string, string>;
  /** The variables of the function. */
  readonly variables: string[];
  /** The numbers of the rows and the items that have names, which are parts of the names of variables. */
  readonly rows: Map<string, { readonly number: number; readonly table: TableCode; readonly key?: string }>;
  readonly items: Map<string, number>;
  count: number;
  /** The label of the innermost loop. */
  loop: string | undefined;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function addConstant({ constants }: Writer, value: unknown): string {
  return `constants[${constants.push(value) - 1}]`;
}

function addVariable(writer: Writer): string {
  const name = `value${writer.variables.length}`;
  writer.variables.push(name);
  return name;
}

/** Returns an expression whose value is computed once. */
function remember(writer: Writer, expression: string): string {
  const name = writer.remembered.get(expression) ?? `known${writer.remembered.size}`;
  writer.remembered.set(expression, name);
  return `(${name} === UNKNOWN ? (${name} = ${expression}) : ${name})`;
}

function getTable({ tables }: Writer, name: string): TableCode {
  const table = tables.get(name);
  if (table === undefined) throw new Error(`The machine has no table ${name}.`);
  return table;
}

function writeTable({ index }: TableCode): string {
  return `state[${index}]`;
}

function getRow({ rows }: Writer, name: string) {
  const row = rows.get(name);
  if (row === undefined) throw new Error(`The machine has no row ${name} here.`);
  const { number, table, key = `key${number}` } = row;
  return { row: `row${number}`, key, group: `group${number}`, table };
}

function getCell(writer: Writer, rowName: string, cell: string) {
  const { row, table } = getRow(writer, rowName);
  const index = table.cells.get(cell);
  if (index === undefined) throw new Error(`The row ${rowName} has no cell ${cell}.`);
  return { row, index };
}

function getItem({ items }: Writer, name: string) {
  const number = items.get(name);
  if (number === undefined) throw new Error(`The machine has no item ${name} here.`);
  return { item: `item${number}`, path: `path${number}` };
}

/** Writes code in which a row has a name. `key` is the expression of its key; by default, a variable has the key. */
function withRow<T>(writer: Writer, name: string, table: TableCode, write: () => T, key?: string): T {
  const outer = writer.rows.get(name);
  writer.rows.set(name, { number: writer.count++, table, ...(key !== undefined && { key }) });
  const result = write();
  if (outer) writer.rows.set(name, outer);
  else writer.rows.delete(name);
  return result;
}

/** Writes a loop. `write` gets its label. */
function withLoop(writer: Writer, write: () => string): string {
  const outer = writer.loop;
  writer.loop = `loop${writer.count++}`;
  const code = `${writer.loop}: ${write()}`;
  writer.loop = outer;
  return code;
}

/** The nodes of a union whose `op` may be `Op`. */
type NodeOf<U extends { readonly op: string }, Op> = U extends unknown
  ? Op extends U["op"]
    ? U
    : never
  : never;

// Statements

type StatementWriters = {
  readonly [Op in Statement["op"]]: (statement: NodeOf<Statement, Op>, writer: Writer) => string;
};

function writeBody(body: readonly Statement[], writer: Writer): string {
  return body.map((statement) => writeStatement(statement, writer)).join("");
}

function writeStatement<S extends Statement>(statement: S, writer: Writer): string {
  const write = STATEMENTS[statement.op] as (statement: S, writer: Writer) => string;
  return write(statement, writer);
}

const STATEMENTS: StatementWriters = {
  if({ when, do: body, else: otherwise }, writer) {
    const code = `if (${writeCondition(when, writer)}) {\n${writeBody(body, writer)}}\n`;
    return otherwise === undefined ? code : `${code}else {\n${writeBody(otherwise, writer)}}\n`;
  },
  find: writeFind,
  rows({ row: name, table: tableName, key, do: body }, writer) {
    const table = getTable(writer, tableName);
    const groupId = key && `readId(${writeValue(key, writer)})`;
    return withRow(writer, name, table, () => {
      const { row, key: id, group } = getRow(writer, name);
      const rows =
        groupId === undefined
          ? `selectRows(${writeTable(table)})`
          : `${writeTable(table)}?.get(${group}) ?? []`;
      const loop = withLoop(
        writer,
        () => `for (let [${id}, ${row}] of ${rows}) {\n${writeBody(body, writer)}}\n`,
      );
      if (groupId === undefined) return loop;
      return `if (${writeTable(table)} !== undefined) {\nconst ${group} = ${groupId};\n${loop}}\n`;
    });
  },
  each: writeEach,
  uncovered({ first, last, row, cell, item, end, do: body }, writer) {
    const place = getCell(writer, row, cell);
    const bounds = `${writeValue(first, writer)}, ${writeValue(last, writer)}`;
    writer.items.set(item, writer.count++);
    writer.items.set(end, writer.count++);
    const names = `[${getItem(writer, item).item}, ${getItem(writer, end).item}]`;
    return withLoop(
      writer,
      () =>
        `for (const ${names} of listGap(${place.row}, ${place.index}, ${bounds})) {\n${writeBody(body, writer)}}\n`,
    );
  },
  stop: (_statement, { loop }) => (loop === undefined ? "return;\n" : `break ${loop};\n`),
  set: writeSet,
  append({ row: name, cell, text }, writer) {
    const { row, index } = getCell(writer, name, cell);
    return `appendText(${row}, ${index}, ${writeTextSum(text, writer)});\n`;
  },
  cover({ row: name, cell, first, last }, writer) {
    const { row, index } = getCell(writer, name, cell);
    return `cover(${row}, ${index}, ${writeValue(first, writer)}, ${writeValue(last, writer)});\n`;
  },
  drop({ row: name }, writer) {
    const { row, key, group, table } = getRow(writer, name);
    return `${row} = undefined;\n${writeDrop(table, key, group)}`;
  },
  clear({ table: name, key }, writer) {
    const table = getTable(writer, name);
    if (key === undefined) return `${writeTable(table)} = undefined;\n`;
    return `dropGroup(state, ${table.index}, readId(${writeValue(key, writer)}));\n`;
  },
  report(statement, writer) {
    const { finding, message, at, index } = statement;
    const { context } = writer;
    const observe = context.isObserved ? `observe(${addConstant(writer, statement)});\n` : "";
    const parts = [
      addConstant(writer, context.getKind(finding)),
      message.length === 0 ? '""' : message.map((part) => writeMessagePart(part, writer)).join(" + "),
      writePlace(at, writer),
      ...(index === undefined ? [] : [writeValue(index, writer)]),
    ];
    return `${observe}step.report(${parts.join(", ")});\n`;
  },
};

function writeDrop({ table, index }: TableCode, key: string, group: string): string {
  if (table.keys === 0) return `state[${index}] = undefined;\n`;
  if (table.grouped) return `dropGroupedRow(state, ${index}, ${group}, ${key});\n`;
  return `${table.keys === 1 ? "dropRow" : "dropRowByIds"}(state, ${index}, ${key});\n`;
}

function writeFind(
  { row: name, table: tableName, key: ids, do: body }: Extract<Statement, { op: "find" }>,
  writer: Writer,
): string {
  const table = getTable(writer, tableName);
  if (ids.length > 1 && !table.table.grouped) return writeFindByIds(name, table, ids, body, writer);
  const rows = writeTable(table);
  const [first, second] = ids.map((id) => writeValue(id, writer));
  return withRow(writer, name, table, () => {
    const { row, key, group } = getRow(writer, name);
    const code = writeBody(body, writer);
    if (first === undefined) return `{\nlet ${row} = ${rows};\n${code}}\n`;
    if (second === undefined)
      return `const ${key} = readId(${first});\nif (${key} !== undefined) {\nlet ${row} = ${rows}?.get(${key});\n${code}}\n`;
    return `const ${group} = readId(${first}), ${key} = readId(${second});
if (${group} !== undefined && ${key} !== undefined) {\nlet ${row} = ${rows}?.get(${group})?.get(${key});\n${code}}\n`;
  });
}

/** Writes a look-up by several ids, which are joined to a key only if it is needed. */
function writeFindByIds(
  name: string,
  table: TableCode,
  ids: readonly Value[],
  body: readonly Statement[],
  writer: Writer,
): string {
  const number = writer.count++;
  const variables = ids.map((_, index) => `id${number}_${index}`);
  const definitions = ids.map((id, index) => `${variables[index]} = ${writeValue(id, writer)}`);
  const list = variables.join(", ");
  return withRow(
    writer,
    name,
    table,
    () => {
      const { row } = getRow(writer, name);
      const find = ids.length === 2 ? "findByTwoIds" : "findByIds";
      return `const ${definitions.join(", ")};
if (${variables.map((id) => `isId(${id})`).join(" && ")}) {
let ${row} = ${find}(${writeTable(table)}, ${list});\n${writeBody(body, writer)}}\n`;
    },
    `joinIds(${list})`,
  );
}

/** Writes a loop over the parts of a value, which runs once for a value that is no list. */
function writeEach(
  { item: name, parts, of, do: body }: Extract<Statement, { op: "each" }>,
  writer: Writer,
): string {
  const value = writeValue(of, writer);
  const number = writer.count++;
  writer.items.set(name, number);
  const { item, path } = getItem(writer, name);
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
  return `const ${list} = ${value};
const ${names} = ${isList} ? Object.keys(${list}) : undefined;
${withLoop(
  writer,
  () => `for (let ${index} = 0; ${index} < (${names} === undefined ? 1 : ${names}.length); ${index}++) {
const ${part} = ${names} === undefined ? ${list} : ${list}[${names}[${index}]];
if (!(${isPart[parts]})) continue;
const ${item} = ${parts === "ids" ? `String(${part})` : part};
const ${path} = ${names} === undefined ? "" : joinPointer("", ${names}[${index}]);
${writeBody(body, writer)}}\n`,
)}`;
}

function writeSet({ row: name, cells }: Extract<Statement, { op: "set" }>, writer: Writer): string {
  const {
    row,
    key,
    group,
    table: { table, index },
  } = getRow(writer, name);
  const places = Object.values(table.cells).flatMap((kind) =>
    kind === "text" ? ["undefined", "undefined"] : ["undefined"],
  );
  const limit = table.limit ?? MAX_ROWS;
  const empty = `[${places.join(", ")}]`;
  const added =
    table.keys === 0
      ? `state[${index}] = ${empty}`
      : table.grouped
        ? `addGroupedRow(state, ${index}, ${limit}, ${group}, ${key}, ${empty}, step)`
        : `${table.keys === 1 ? "addRow" : "addRowByIds"}(state, ${index}, ${limit}, ${key}, ${empty}, step)`;
  const updates = Object.entries(cells).map(([cell, value]) => {
    const place = getCell(writer, name, cell);
    const isText = table.cells[cell] === "text";
    return `${isText ? `${row}[${place.index + 1}] = ` : ""}${row}[${place.index}] = ${writeValue(value, writer)};\n`;
  });
  return `if (${row} === undefined) {\n${row} = ${added};\n}\n${updates.join("")}`;
}

// Values

type ValueWriters = {
  readonly [Op in Value["op"]]: (value: NodeOf<Value, Op>, writer: Writer) => string;
};

function writeValue<V extends Value>(value: V, writer: Writer): string {
  const write = VALUES[value.op] as (value: V, writer: Writer) => string;
  return write(value, writer);
}

type FieldValue = NodeOf<Value, "payload">;

function writeRead({ op, field }: FieldValue): string {
  return `${op === "payload" ? "payload" : "event"}[${quote(field)}]`;
}

/** Writes the value of a field, which is remembered if the clause reads it more than once. */
function writeField(value: FieldValue, writer: Writer): string {
  const read = writeRead(value);
  return (writer.reads.get(read) ?? 0) > 1 ? remember(writer, read) : read;
}

const VALUES: ValueWriters = {
  constant: ({ value }, writer) =>
    typeof value === "object" && value !== null ? addConstant(writer, value) : JSON.stringify(value),
  payload: writeField,
  envelope: writeField,
  type: () => "step.type",
  sequence: () => "step.sequence",
  epoch: () => "stream.epoch",
  event: () => "nameEvent(step)",
  index: () => "stream.index",
  gap: ({ side }) => `step.gap?.${side}`,
  item: ({ item }, writer) => getItem(writer, item).item,
  path: ({ item }, writer) => getItem(writer, item).path,
  counterpart: ({ item, of }, writer) =>
    `getCounterpart(${writeValue(of, writer)}, ${getItem(writer, item).path})`,
  key: ({ row }, writer) => getRow(writer, row).key,
  cell({ row: name, cell }, writer) {
    const { row, index } = getCell(writer, name, cell);
    return `${row}?.[${index}]`;
  },
  first: ({ of }, writer) =>
    of
      .map((each) => writeValue(each, writer))
      .reduceRight((rest, value) => {
        if (rest === "undefined") return value;
        const variable = addVariable(writer);
        return `((${variable} = ${value}) === undefined ? ${rest} : ${variable})`;
      }, "undefined"),
  add: ({ of }, writer) => writeJoined(of, "number", (a, b) => `${a} + ${b}`, writer),
  multiply: ({ of }, writer) => writeJoined(of, "number", (a, b) => `${a} * ${b}`, writer),
  subtract: ({ of }, writer) => writeJoined(of, "number", (a, b) => `${a} - ${b}`, writer),
  divide: ({ of }, writer) => writeJoined(of, "number", (a, b) => `${a} / ${b}`, writer),
  minimum: ({ of }, writer) => writeJoined(of, "number", (a, b) => `Math.min(${a}, ${b})`, writer),
  bytes: ({ of }, writer) => `${writeTextSize(of, writer)}?.bytes`,
  units: ({ of }, writer) => `${writeTextSum(of, writer)}?.units`,
  textUnits({ row: name, cell }, writer) {
    const { row, index } = getCell(writer, name, cell);
    return `(${row}?.[${index}] ?? 0)`;
  },
  join: ({ of }, writer) => writeJoined(of, "string", (a, b) => `${a} + ${b}`, writer),
  covered({ row: name, cell, first, last }, writer) {
    const { row, index } = getCell(writer, name, cell);
    return `getCovered(${row}, ${index}, ${writeValue(first, writer)}, ${writeValue(last, writer)})`;
  },
  keys({ row: name, table: tableName, when }, writer) {
    const table = getTable(writer, tableName);
    return withRow(writer, name, table, () => {
      const { row } = getRow(writer, name);
      return `listKeys(${writeTable(table)}, (${row}) => ${writeCondition(when, writer)})`;
    });
  },
};

/** Writes an expression that joins values of one type, and is undefined if one of them has another type. */
function writeJoined(
  of: readonly Value[],
  type: "number" | "string",
  join: (a: string, b: string) => string,
  writer: Writer,
): string {
  const tests: string[] = [];
  const operands = of.map((value) => {
    if (value.op === "constant" && typeof value.value === type) return JSON.stringify(value.value);
    const variable = addVariable(writer);
    tests.push(`typeof (${variable} = ${writeValue(value, writer)}) === "${type}"`);
    return variable;
  });
  if (operands.length === 0) return "undefined";
  const joined = operands.reduce((a, b) => `(${join(a, b)})`);
  return tests.length === 0 ? joined : `(${tests.join(" && ")} ? ${joined} : undefined)`;
}

/** Texts of payload fields may be measured without being parsed. */
function writeTextSum(value: Value, writer: Writer): string {
  if (value.op !== "payload") return `measureSum(${writeValue(value, writer)})`;
  return writeMeasure(`step.measureSum(${quote(value.field)})`, writer);
}

function writeTextSize(value: Value, writer: Writer): string {
  if (value.op !== "payload") return `measureSize(${writeValue(value, writer)})`;
  return writeMeasure(`step.measureSize(${quote(value.field)})`, writer);
}

/** Remembers the last measure only, because a measure is valid until the next one. */
function writeMeasure(expression: string, { variables }: Writer): string {
  if (!variables.includes("measure")) variables.push("measure", "measured");
  const name = quote(expression);
  return `(measured === ${name} ? measure : ((measured = ${name}), (measure = ${expression})))`;
}

// Conditions

type ConditionWriters = {
  readonly [Op in Condition["op"]]: (condition: NodeOf<Condition, Op>, writer: Writer) => string;
};

function writeCondition<C extends Condition>(condition: C, writer: Writer): string {
  const write = CONDITIONS[condition.op] as (condition: C, writer: Writer) => string;
  return write(condition, writer);
}

const CONDITIONS: ConditionWriters = {
  not: ({ of }, writer) => `!(${writeCondition(of, writer)})`,
  all: ({ of }, writer) =>
    of.length === 0 ? "true" : `(${of.map((each) => writeCondition(each, writer)).join(" && ")})`,
  any: ({ of }, writer) =>
    of.length === 0 ? "false" : `(${of.map((each) => writeCondition(each, writer)).join(" || ")})`,
  equal({ of: [a, b], asSets }, writer) {
    if (isPrimitive(a) || isPrimitive(b)) return `${writeValue(a, writer)} === ${writeValue(b, writer)}`;
    return `${asSets ? "areSetsEqual" : "isEqual"}(${writeValue(a, writer)}, ${writeValue(b, writer)})`;
  },
  differ: ({ of: [a, b], asSets }, writer) =>
    `${asSets ? "areSetsDifferent" : "isDifferent"}(${writeValue(a, writer)}, ${writeValue(b, writer)})`,
  less: ({ of }, writer) => writeOrder(of, "<", writer),
  atMost: ({ of }, writer) => writeOrder(of, "<=", writer),
  present: ({ of }, writer) => `${writeValue(of, writer)} !== undefined`,
  exists: ({ row }, writer) => `${getRow(writer, row).row} !== undefined`,
  is: ({ type, of }, writer) => TYPE_TESTS[type](writeValue(of, writer)),
  in: ({ of, values }, writer) => `${addConstant(writer, new Set(values))}.has(${writeValue(of, writer)})`,
  matches({ of, pattern }, writer) {
    const variable = addVariable(writer);
    const expression = addConstant(writer, new RegExp(pattern, "u"));
    return `(typeof (${variable} = ${writeValue(of, writer)}) === "string" && ${expression}.test(${variable}))`;
  },
  related({ relation, of: [from, to] }, writer) {
    const pairs =
      Object.entries(writer.machine.relations ?? {}).find(([name]) => name === relation)?.[1] ?? {};
    const related = new Map(Object.entries(pairs).map(([name, others]) => [name, new Set(others)]));
    return `isRelated(${addConstant(writer, related)}, ${writeValue(from, writer)}, ${writeValue(to, writer)})`;
  },
  current({ row: name, cell }, writer) {
    const { row, index } = getCell(writer, name, cell);
    return `${row}?.[${index}] === stream.epoch`;
  },
  seenFromStart: () => "isSeenFromStart(stream)",
  ended: () => "stream.hasEnded",
  sameText({ of, row: name, cell }, writer) {
    const { row, index } = getCell(writer, name, cell);
    return `hasText(${row}, ${index}, ${writeTextSum(of, writer)})`;
  },
  endsWithText({ of, row: name, cell }, writer) {
    const { row, index } = getCell(writer, name, cell);
    return `endsWithText(${row}, ${index}, ${writeValue(of, writer)})`;
  },
  hasReplacement: ({ of }, writer) => `${writeTextSize(of, writer)}?.hasReplacement === true`,
  hasMember: ({ of, except, fields }, writer) =>
    `hasMember(payload, ${writeValue(of, writer)}, ${addConstant(writer, except)}, ${addConstant(writer, fields)})`,
  hasPath: ({ of }, writer) => `hasPath(payload, ${writeValue(of, writer)})`,
};

/** Returns whether a value is a constant that is neither a list nor an object, so that it equals only itself. */
function isPrimitive(value: Value): boolean {
  return value.op === "constant" && (typeof value.value !== "object" || value.value === null);
}

function writeOrder(of: readonly [Value, Value], operator: string, writer: Writer): string {
  const tests: string[] = [];
  const [a, b] = of.map((value) => {
    if (value.op === "constant" && typeof value.value === "number") return JSON.stringify(value.value);
    const variable = addVariable(writer);
    tests.push(`typeof (${variable} = ${writeValue(value, writer)}) === "number"`);
    return variable;
  });
  return `(${[...tests, `${a} ${operator} ${b}`].join(" && ")})`;
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

// Messages and places

function writeMessagePart(part: MessagePart, writer: Writer): string {
  if (typeof part === "string") return quote(part);
  if ("quote" in part) return `quoteValue(${writeValue(part.quote, writer)})`;
  if ("plain" in part) return `String(${writeValue(part.plain, writer)})`;
  if ("count" in part)
    return `formatCount(${writeValue(part.count, writer)}, ${quote(part.noun)}, ${quote(part.plural)})`;
  if ("list" in part) return `formatIds(${writeValue(part.list, writer)})`;
  return `formatItem(${quote(part.field)}, ${getItem(writer, part.item).path})`;
}

function writePlace(place: Place | undefined, writer: Writer): string {
  if (place === undefined) return "undefined";
  const { in: part, field, item } = place;
  const pointer = part === "envelope" ? `joinPointer("", ${quote(field)})` : `step.locate(${quote(field)})`;
  return item === undefined ? pointer : `${pointer} + ${getItem(writer, item).path}`;
}
