/** Compiles the statements of machines to folds over steps: the result so far holds the rows of the tables and the findings. */
import type { Condition, Statement, Table, Value } from "../../conform/machine/language.js";
import { selectNodes } from "../../conform/machine/walk.js";
import type { FoldingContext } from "./event-views.js";
import {
  choose,
  compileCondition,
  compileValue,
  countUnits,
  type Expression,
  getId,
  getNumber,
  getString,
  getText,
  holds,
  joinConditions,
  negate,
  type Scope,
} from "./machine-expressions.js";
import {
  canIgnoreStop,
  type EventNode,
  isSame,
  type NamedTable,
  readsRows,
  refuse,
  type SimpleMachine,
  type Step,
} from "./machine-parts.js";

type StateTable = NamedTable & {
  readonly variable: string;
  /** True if the table has one row for each key of steps. */
  readonly isRow: boolean;
};

/** A row that has a name. Its cells are variables. */
interface NamedRow {
  readonly table: StateTable;
  readonly variable: string;
}

/** Returns the row of a table that has one for each key of steps. */
function getOnlyRow(table: StateTable): NamedRow {
  return { table, variable: table.variable };
}

interface Report {
  readonly condition: string;
  /** A finding, or a list of findings. */
  readonly found: string;
  readonly isList: boolean;
}

/** An expression that is computed before others, as a part of the result so far. */
interface Binding {
  readonly name: string;
  readonly type: string;
  readonly expression: string;
  /** The number of computations before it. */
  readonly phase: number;
}

/** A row of a list that a statement finds by its key. */
interface FoundRow extends NamedRow {
  readonly group: string;
  readonly id: string;
  /** The name of the elements of the list in `isRow`, the condition that an element is the row. */
  readonly item: string;
  readonly isRow: string;
  /** The variables of the row before statements change them. */
  readonly before: ReadonlyMap<string, string>;
}

/** Where statements run. */
interface Place {
  /** The name of the result so far. */
  readonly source: string;
  /** The place of findings. */
  readonly place: string;
  /** Returns the values that depend on the event only. */
  readonly readEvent: (node: EventNode) => Expression;
}

type Named<Op extends Statement["op"]> = Extract<Statement, { op: Op }>;

export function compileFold(
  machine: SimpleMachine,
  width: number,
  steps: readonly Step[],
  end: readonly Statement[],
  context: FoldingContext,
): string {
  return new FoldCompiler(machine, width, context).compile(steps, end);
}

/** The tables of a machine as parts of the result so far, and the fold that computes it. */
class FoldCompiler {
  readonly d: FoldingContext["dialect"]["machines"];
  private readonly tables: readonly StateTable[];
  private readonly state: readonly (readonly [name: string, type: string, initial: string])[];
  private readonly noFindings: string;
  private names = 0;

  constructor(
    readonly machine: SimpleMachine,
    readonly width: number,
    readonly context: FoldingContext,
  ) {
    this.d = context.dialect.machines;
    const finding = this.d.structType({ place: "BIGINT", rule: "STRING" });
    this.noFindings = `CAST(${this.d.list([])} AS ${this.d.listType(finding)})`;
    this.tables = machine.tables.map((table, at) => ({
      ...table,
      variable: `t${at}`,
      isRow: table.keys <= width || table.keys === 0,
    }));
    this.state = this.tables.flatMap((table) => this.listState(table));
  }

  typeOf(kind: string): string {
    if (kind === "ranges") return this.d.listType(this.d.structType({ low: "DOUBLE", high: "DOUBLE" }));
    return kind === "number" || kind === "index" ? "DOUBLE" : "STRING";
  }

  emptyOf(kind: string): string {
    return `CAST(${kind === "ranges" ? this.d.list([]) : "NULL"} AS ${this.typeOf(kind)})`;
  }

  listCells({ cells }: Table): [name: string, kind: string, suffix: string][] {
    return Object.entries(cells).map(([name, kind], at) => [name, kind, `_${at}`]);
  }

  rowType(table: Table): string {
    return this.d.structType({
      g: "STRING",
      k: "STRING",
      ...Object.fromEntries(
        this.listCells(table).map(([, kind, suffix]) => [`c${suffix}`, this.typeOf(kind)]),
      ),
    });
  }

  getTable(name: string): StateTable {
    return this.tables.find((table) => table.name === name) ?? refuse(name);
  }

  /** Returns a name that no other expression has. */
  createName(prefix: string, suffix = ""): string {
    return `${prefix}${this.names++}${suffix}`;
  }

  /** Returns the variables of the state, each as an expression of the result so far. */
  createVariables(source: string): Map<string, string> {
    return new Map(this.state.map(([name]) => [name, `${source}.${name}`]));
  }

  compile(steps: readonly Step[], end: readonly Statement[]): string {
    const { d } = this;
    const results = steps.map((step) => this.runStep(step));
    const bindings = results.flatMap((run) => run.bindings);
    const phases = Math.max(0, ...bindings.map(({ phase }) => phase + 1)) + 1;
    const nexts = results.flatMap((run, step) => this.compileNexts(run, step, bindings, phases));
    const next = `CASE x.c ${nexts.join(" ")} ELSE a END`;
    const initial = d.struct({
      f: this.noFindings,
      ...Object.fromEntries(this.state.map(([name, , value]) => [name, value])),
      ...Object.fromEntries(bindings.map(({ name, type }) => [name, `CAST(NULL AS ${type})`])),
    });
    const folded = d.fold(this.expandSteps(phases), initial, d.lambda(["a", "x"], next));
    return end.length === 0 ? `${folded}.f` : this.compileEnd(folded, end);
  }

  private listState(table: StateTable): [name: string, type: string, initial: string][] {
    if (!table.isRow) {
      const type = this.d.listType(this.rowType(table));
      return [[table.variable, type, `CAST(${this.d.list([])} AS ${type})`]];
    }
    const cells = this.listCells(table).map(([, kind, suffix]): [string, string, string] => [
      table.variable + suffix,
      this.typeOf(kind),
      this.emptyOf(kind),
    ]);
    return [[table.variable, "BOOLEAN", "FALSE"], ...cells];
  }

  private runStep({ statement, values }: Step): StatementRunner {
    const readEvent = (node: EventNode): Expression => {
      const known = values.findIndex((each) => isSame(each, node));
      return { text: this.d.element("x.a", known < 0 ? values.push(node) - 1 : known) };
    };
    const run = new StatementRunner(this, { source: "a", place: "x.o", readEvent });
    run.runAll([statement]);
    return run;
  }

  /** Returns the results of a step: one for each phase that computes something. */
  private compileNexts(
    run: StatementRunner,
    step: number,
    bindings: readonly Binding[],
    phases: number,
  ): string[] {
    return Array.from({ length: phases }, (_, phase): string | undefined => {
      const isLast = phase === phases - 1;
      const bound = run.bindings.filter((each) => each.phase === phase);
      if (!isLast && bound.length === 0) return undefined;
      const values = this.state.map(
        ([name]) => [name, isLast ? (run.variables.get(name) as string) : `a.${name}`] as const,
      );
      const others = bindings.map(
        (each) => [each.name, bound.includes(each) ? each.expression : `a.${each.name}`] as const,
      );
      return `WHEN ${step * phases + phase} THEN ${this.d.struct({ f: isLast ? this.addReports("a.f", run.reports) : "a.f", ...Object.fromEntries(values), ...Object.fromEntries(others) })}`;
    }).filter((each) => each !== undefined);
  }

  /** Returns the list of steps, each once for each phase. */
  private expandSteps(phases: number): string {
    const { d } = this;
    if (phases === 1) return "steps";
    const expanded = d.struct({ o: "s.o", c: `s.c * ${phases} + n`, a: "s.a" });
    const numbers = d.list(Array.from({ length: phases }, (_, phase) => String(phase)));
    return `flatten(${d.transform("steps", d.lambda(["s"], d.transform(numbers, d.lambda(["n"], expanded))))})`;
  }

  private compileEnd(folded: string, end: readonly Statement[]): string {
    const { d } = this;
    const readEvent = (node: EventNode): Expression => {
      if (node.op === "epoch") return { text: "CAST(last_epoch AS STRING)" };
      return node.op === "index" ? { number: "CAST(last_place AS DOUBLE)" } : refuse(node.op);
    };
    const run = new StatementRunner(this, { source: "z", place: "last_place", readEvent });
    run.runAll(end);
    return d.element(d.transform(d.list([folded]), d.lambda(["z"], this.addReports("z.f", run.reports))), 0);
  }

  private addReports(before: string, reports: readonly Report[]): string {
    return this.d.concat([
      before,
      ...reports.map(({ condition, found, isList }) =>
        choose(condition, isList ? found : this.d.list([found]), this.noFindings),
      ),
    ]);
  }
}

/** Runs statements one after another on a state: the expressions of variables by name. */
class StatementRunner {
  variables: Map<string, string>;
  reports: Report[] = [];
  readonly bindings: Binding[] = [];
  private readonly d: FoldCompiler["d"];
  private readonly scope: Scope;
  private readonly rows = new Map<string, NamedRow>();
  /** For each loop, whether it keeps a row. */
  private readonly kept = new Map<string, string>();
  private path: readonly string[] = [];
  /** The number of loops around the current statement. */
  private depth = 0;

  constructor(
    private readonly fold: FoldCompiler,
    private readonly at: Place,
  ) {
    this.d = fold.d;
    this.variables = fold.createVariables(at.source);
    this.scope = {
      context: fold.context,
      relations: fold.machine.relations,
      readEvent: (node) =>
        readsRows(node) ||
        ((node.op === "all" || node.op === "any" || node.op === "first") && node.of.length === 0)
          ? undefined
          : at.readEvent(node),
      readValue: (value) => this.readValue(value),
      readCondition: (condition) => this.readCondition(condition),
    };
  }

  runAll(statements: readonly Statement[]): void {
    for (const statement of statements) {
      const run = this.runners[statement.op] ?? refuse(statement.op);
      (run as (statement: Statement) => unknown)(statement);
    }
  }

  /** What the statements do that are supported. */
  private readonly runners: { readonly [Op in Statement["op"]]?: (statement: Named<Op>) => unknown } = {
    if: ({ when, do: body, else: otherwise = [] }) =>
      this.runIf(
        this.test(when),
        () => this.runAll(body),
        () => this.runAll(otherwise),
      ),
    find: (statement) => this.runFind(statement),
    rows: (statement) => this.runRows(statement),
    uncovered: (statement) => this.runUncovered(statement),
    set: (statement) => this.runSet(statement),
    append: (statement) => this.runAppend(statement),
    cover: (statement) => this.runCover(statement),
    drop: ({ row }) => this.dropRow(this.getRow(row)),
    clear: (statement) => this.runClear(statement),
    report: (statement) => this.runReport(statement),
    stop: () => undefined,
  };

  /** Gives a row its name while `visit` runs. */
  private withRow<T>(name: string, row: NamedRow, visit: () => T): T {
    const outer = this.rows.get(name);
    this.rows.set(name, row);
    const result = visit();
    if (outer) this.rows.set(name, outer);
    else this.rows.delete(name);
    return result;
  }

  /** Computes a long expression before those that refer to it, unless it depends on the row of a loop. */
  private bind(expression: string, type: string, minimum = 60): string {
    if (this.depth > 0 || expression.length < minimum || this.at.source !== "a") return expression;
    const known = this.bindings.find((each) => each.expression === expression);
    if (known) return `a.${known.name}`;
    const phase = Math.max(
      0,
      ...this.bindings.map((each) => (expression.includes(`a.${each.name}`) ? each.phase + 1 : 0)),
    );
    const name = this.fold.createName("b", "_");
    this.bindings.push({ name, type, expression, phase });
    return `a.${name}`;
  }

  private test(condition: Condition): string {
    return compileCondition(condition, this.scope);
  }

  private read(value: Value): Expression {
    return compileValue(value, this.scope);
  }

  private readId(value: Value): string {
    const known =
      value.op === "constant" || readsRows(value) ? undefined : this.at.readEvent({ op: "id", of: value });
    return known?.text ?? this.bind(getId(this.read(value)), "STRING");
  }

  private readRange({ first, last }: { readonly first: Value; readonly last: Value }): [string, string] {
    const low = getNumber(this.read(first));
    return [low, getNumber(this.read(last))];
  }

  private get(name: string): string {
    return this.variables.get(name) ?? refuse(name);
  }

  private getRow(name: string): NamedRow {
    return this.rows.get(name) ?? refuse(`the row ${name}`);
  }

  private findCell(row: string, cell: string): { readonly name: string; readonly kind: string } {
    const { table, variable } = this.getRow(row);
    const [, kind, suffix] = this.fold.listCells(table).find(([name]) => name === cell) ?? refuse(cell);
    return { name: variable + suffix, kind };
  }

  private readCell(row: string, cell: string): string {
    return this.get(this.findCell(row, cell).name);
  }

  private readValue(value: Value): Expression {
    switch (value.op) {
      case "cell": {
        const { name, kind } = this.findCell(value.row, value.cell);
        return this.fold.typeOf(kind) === "DOUBLE" ? { number: this.get(name) } : { text: this.get(name) };
      }
      case "key":
        return { text: `('s' || ${this.get(`${this.getRow(value.row).variable}_k`)})` };
      case "textUnits": {
        const text = `coalesce(${this.readCell(value.row, value.cell)}, '')`;
        return { number: `CAST(${countUnits(text, this.fold.context.dialect)} AS DOUBLE)` };
      }
      case "covered": {
        const [first, last] = this.readRange(value);
        return { number: this.countCovered(this.readCell(value.row, value.cell), first, last) };
      }
      case "keys":
        return this.readKeys(value);
      default:
        return refuse(value.op);
    }
  }

  private readKeys(value: Extract<Value, { op: "keys" }>): Expression {
    const { d } = this;
    const table = this.fold.getTable(value.table);
    if (!table.isRow) {
      const found = this.loop(table, value.row, () => this.test(value.when));
      const matching = d.filter(this.get(table.variable), d.lambda([found.item], found.result));
      return { text: `${d.element(matching, 0)}.k` };
    }
    const test = this.withRow(value.row, getOnlyRow(table), () => this.test(value.when));
    const condition = joinConditions([this.get(table.variable), test], "AND");
    return { text: `CASE WHEN ${condition} THEN 's' END` };
  }

  private readCondition(condition: Condition): string {
    switch (condition.op) {
      case "exists":
        return this.get(this.getRow(condition.row).variable);
      case "current":
        return holds(
          `${this.readCell(condition.row, condition.cell)} = ${getText(this.at.readEvent({ op: "epoch" }))}`,
        );
      case "sameText":
        return holds(
          `${getString(this.read(condition.of))} = coalesce(${this.readCell(condition.row, condition.cell)}, '')`,
        );
      case "endsWithText": {
        const ending = `coalesce(${this.readCell(condition.row, condition.cell)}, '')`;
        return holds(`right(${getString(this.read(condition.of))}, length(${ending})) = ${ending}`);
      }
      default:
        return refuse(condition.op);
    }
  }

  private countCovered(ranges: string, first: string, last: string): string {
    const { d } = this;
    const parts = d.transform(
      ranges,
      d.lambda(["r"], `greatest(0e0, least(r.high, ${last}) - greatest(r.low, ${first}) + 1)`),
    );
    return `CASE WHEN ${first} <= ${last} THEN ${d.fold(parts, "0e0", d.lambda(["r", "s"], "r + s"))} ELSE 0e0 END`;
  }

  /** Gives the rows of a list a name while `visit` runs. Returns the name of its elements. */
  private loop<T>(
    table: StateTable,
    row: string,
    visit: (item: string) => T,
  ): { readonly item: string; readonly result: T } {
    const item = this.fold.createName("e");
    const outer = this.variables;
    const cells = this.fold.listCells(table);
    this.variables = new Map([
      ...outer,
      [item, "TRUE"],
      [`${item}_k`, `${item}.k`],
      ...cells.map(([, , suffix]): [string, string] => [item + suffix, `${item}.c${suffix}`]),
    ]);
    this.depth++;
    const result = this.withRow(row, { table, variable: item }, () => visit(item));
    this.depth--;
    for (const [name, value] of outer) if (this.variables.get(name) !== value) refuse("changes in a loop");
    this.kept.set(item, this.get(item));
    this.variables = outer;
    return { item, result };
  }

  private branch(condition: string, visit: () => unknown): Map<string, string> {
    const { variables, path } = this;
    this.variables = new Map(variables);
    this.path = [...path, condition];
    visit();
    const changed = this.variables;
    this.variables = variables;
    this.path = path;
    return changed;
  }

  private runIf(test: string, then: () => unknown, otherwise: () => unknown = () => {}): unknown {
    if (test === "TRUE") return then();
    if (test === "FALSE") return otherwise();
    const condition = this.bind(test, "BOOLEAN", 150);
    const one = this.branch(condition, then);
    const other = this.branch(negate(condition), otherwise);
    for (const name of this.variables.keys())
      this.variables.set(name, choose(condition, one.get(name) as string, other.get(name) as string));
  }

  private dropRow({ table, variable }: NamedRow): void {
    this.variables.set(variable, "FALSE");
    for (const [, kind, suffix] of this.fold.listCells(table))
      this.variables.set(variable + suffix, this.fold.emptyOf(kind));
  }

  private runFind({ row, table: name, key, do: body }: Named<"find">): unknown {
    const table = this.fold.getTable(name);
    if (table.isRow) return this.withRow(row, getOnlyRow(table), () => this.runAll(body));
    const found = this.findRow(table, key);
    return this.runIf(`${found.group} || ${found.id} IS NOT NULL`, () => {
      for (const [each, value] of found.before) this.variables.set(each, value);
      this.withRow(row, found, () => this.runAll(body));
      if ([...found.before].some(([each, value]) => this.variables.get(each) !== value)) this.storeRow(found);
      for (const each of found.before.keys()) this.variables.delete(each);
    });
  }

  /** Finds a row of a list by its key. */
  private findRow(table: StateTable, key: readonly Value[]): FoundRow {
    const { d, fold } = this;
    const ids = key.slice(fold.width).map((each) => this.readId(each));
    const group = table.grouped && ids.length > 1 ? (ids.shift() as string) : "''";
    const id = ids.join(" || chr(10) || ");
    const variable = fold.createName("r");
    const item = fold.createName("e");
    const isRow = `${item}.g = ${group} AND ${item}.k = ${id}`;
    const matching = d.filter(this.get(table.variable), d.lambda([item], isRow));
    const found = this.bind(d.element(matching, 0), fold.rowType(table));
    const cells = fold.listCells(table);
    const before = new Map([
      [variable, `${found}.k IS NOT NULL`],
      [`${variable}_k`, id],
      ...cells.map(([, , suffix]): [string, string] => [variable + suffix, `${found}.c${suffix}`]),
    ]);
    return { table, variable, group, id, item, isRow, before };
  }

  /** Writes the variables of a row that was found to its list. */
  private storeRow({ table, variable, group, id, item, isRow, before }: FoundRow): void {
    const { d } = this;
    const current = this.get(table.variable);
    const cells = this.fold.listCells(table);
    const updated = d.struct({
      g: group,
      k: id,
      ...Object.fromEntries(cells.map(([, , suffix]) => [`c${suffix}`, this.get(variable + suffix)])),
    });
    const replaced = d.transform(
      current,
      d.lambda([item], `CASE WHEN ${isRow} THEN ${updated} ELSE ${item} END`),
    );
    const added = d.concat([current, d.list([updated])]);
    const present = choose(before.get(variable) as string, replaced, added);
    const others = d.filter(current, d.lambda([item], `NOT (${isRow})`));
    this.variables.set(table.variable, choose(this.get(variable), present, others));
  }

  private runRows(statement: Named<"rows">): unknown {
    const { row, table: name, key, do: body } = statement;
    const table = this.fold.getTable(name);
    if (table.isRow)
      return this.withRow(row, getOnlyRow(table), () =>
        this.runIf(this.get(table.variable), () => this.runAll(body)),
      );
    const list = this.get(table.variable);
    const group = table.grouped && this.fold.width === 0 && key ? this.readId(key) : undefined;
    const outerReports = this.reports;
    this.reports = [];
    const [end, rest] = splitLoop(statement);
    let bound = "";
    const { item } = this.loop(table, row, (each) => {
      const { path } = this;
      this.path = group === undefined ? [] : [`${each}.g = ${group}`];
      if (end) bound = joinConditions([...this.path, this.test(end)], "AND");
      this.runAll(rest);
      this.path = path;
    });
    const reports = this.reports;
    this.reports = outerReports;
    if (end && reports.length > 0) refuse("findings of a loop that ends");
    this.addReportsOfRows(list, item, reports);
    return this.dropRows(table, item, group === undefined ? "TRUE" : `${item}.g = ${group}`, bound);
  }

  /** Adds what a loop reports, as lists of findings. */
  private addReportsOfRows(list: string, item: string, reports: readonly Report[]): void {
    const { d } = this;
    for (const { condition, found } of reports) {
      const matching = d.filter(list, d.lambda([item], condition));
      const isFound = joinConditions([...this.path, `${d.element(matching, 0)}.k IS NOT NULL`], "AND");
      this.reports.push({
        condition: isFound,
        found: d.transform(matching, d.lambda([item], found)),
        isList: true,
      });
    }
  }

  /** Removes the rows that a loop drops: those of its group before the first row that satisfies `bound`. */
  private dropRows(table: StateTable, item: string, matchGroup: string, bound: string): void {
    const { d } = this;
    const list = this.get(table.variable);
    const isKept = this.kept.get(item) ?? "TRUE";
    if (isKept === "TRUE") return;
    const position = `coalesce(nullif(array_position(${d.transform(list, d.lambda([item], bound || "FALSE"))}, TRUE), 0), ${Number.MAX_SAFE_INTEGER})`;
    const isDropped = joinConditions(
      [matchGroup, negate(`(${isKept})`), bound === "" ? "TRUE" : `${item}_i < ${position}`],
      "AND",
    );
    this.variables.set(
      table.variable,
      d.filter(list, d.lambda([item, ...(bound === "" ? [] : [`${item}_i`])], `NOT ${isDropped}`)),
    );
  }

  private runUncovered(statement: Named<"uncovered">): void {
    const [low, high] = this.readRange(statement);
    const covered = this.countCovered(this.readCell(statement.row, statement.cell), low, high);
    this.runIf(holds(`${covered} < ${high} - ${low} + 1`), () => this.runAll(statement.do));
  }

  private runSet(statement: Named<"set">): void {
    const { table, variable } = this.getRow(statement.row);
    this.variables.set(variable, "TRUE");
    for (const [cell, kind, suffix] of this.fold.listCells(table)) {
      const value = statement.cells[cell];
      if (value === undefined) continue;
      const isEmpty = value.op === "first" && value.of.length === 0;
      const getCell = this.fold.typeOf(kind) === "DOUBLE" ? getNumber : getText;
      this.variables.set(variable + suffix, isEmpty ? this.fold.emptyOf(kind) : getCell(this.read(value)));
    }
  }

  private runAppend(statement: Named<"append">): void {
    const { name } = this.findCell(statement.row, statement.cell);
    const piece = getString(this.read(statement.text));
    this.runIf(`${this.get(this.getRow(statement.row).variable)} AND ${piece} IS NOT NULL`, () => {
      this.variables.set(name, `coalesce(${this.get(name)}, '') || ${piece}`);
    });
  }

  private runCover(statement: Named<"cover">): void {
    const { d } = this;
    const { name } = this.findCell(statement.row, statement.cell);
    const [low, high] = this.readRange(statement);
    const touches = `(r.high >= ${low} - 1 AND r.low <= ${high} + 1)`;
    const joined = d.fold(
      d.filter(this.get(name), d.lambda(["r"], touches)),
      d.struct({ low, high }),
      d.lambda(["r", "s"], d.struct({ low: "least(r.low, s.low)", high: "greatest(r.high, s.high)" })),
    );
    const isPresent = this.get(this.getRow(statement.row).variable);
    this.runIf(joinConditions([isPresent, holds(`${low} <= ${high}`)], "AND"), () => {
      const others = d.filter(this.get(name), d.lambda(["r"], `NOT ${touches}`));
      this.variables.set(name, d.concat([d.list([joined]), others]));
    });
  }

  private runClear(statement: Named<"clear">): unknown {
    const { d } = this;
    const table = this.fold.getTable(statement.table);
    if ([...this.rows.values()].some((row) => row.table === table)) refuse("a row that is cleared");
    if (table.isRow) return this.dropRow(getOnlyRow(table));
    const list = this.get(table.variable);
    const group = statement.key && this.fold.width === 0 ? this.readId(statement.key) : undefined;
    const others = group === undefined ? "FALSE" : holds(`e.g <> ${group}`);
    this.variables.set(table.variable, d.filter(list, d.lambda(["e"], others)));
  }

  private runReport(statement: Named<"report">): void {
    const place =
      statement.index === undefined
        ? this.at.place
        : `CAST(${getNumber(this.read(statement.index))} AS BIGINT)`;
    const rule = this.fold.context.dialect.quoteText(statement.finding);
    const found = this.d.struct({ place, rule });
    this.reports.push({ condition: joinConditions(this.path, "AND"), found, isList: false });
  }
}

/** Returns the condition of the first row at which a loop ends, and the other statements of the loop. */
function splitLoop(statement: Named<"rows">): [end: Condition | undefined, rest: readonly Statement[]] {
  if (canIgnoreStop(statement)) return [undefined, statement.do];
  const [first, ...rest] = statement.do;
  const isBounded =
    first?.op === "if" &&
    isSame(first.do, [{ op: "stop" }]) &&
    !first.else &&
    selectNodes(rest, "stop").length === 0;
  return isBounded ? [first.when, rest] : refuse("the end of a loop");
}
