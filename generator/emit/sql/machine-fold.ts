/** Compiles the statements of machines to folds over steps: the result so far holds the rows of the tables and the findings. */
import type { Statement, Table, Value } from "../../conform/machine/language.js";
import type { SqlContext } from "./event-views.js";
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

/** The state of statements that run one after another: the expressions of variables by name. */
interface Execution {
  variables: Map<string, string>;
  path: readonly string[];
  readonly rows: Map<string, NamedRow>;
  reports: Report[];
  readonly bindings: Binding[];
  /** The number of loops around the current statement. */
  depth: number;
}

export function compileFold(
  machine: SimpleMachine,
  width: number,
  steps: readonly Step[],
  end: readonly Statement[],
  context: SqlContext,
): string {
  const { machines: d } = context.dialect;
  const FINDING = d.structType({ place: "BIGINT", rule: "STRING" });
  const NO_FINDINGS = `CAST(${d.list([])} AS ${d.listType(FINDING)})`;
  const RANGE = d.structType({ low: "DOUBLE", high: "DOUBLE" });
  let names = 0;

  const typeOf = (kind: string): string => {
    if (kind === "ranges") return d.listType(RANGE);
    return kind === "number" || kind === "index" ? "DOUBLE" : "STRING";
  };
  const emptyOf = (kind: string): string =>
    `CAST(${kind === "ranges" ? d.list([]) : "NULL"} AS ${typeOf(kind)})`;
  const listCells = ({ cells }: Table): [name: string, kind: string, suffix: string][] =>
    Object.entries(cells).map(([name, kind], at) => [name, kind, `_${at}`]);
  const tables = machine.tables.map(
    (table, at): StateTable => ({
      ...table,
      variable: `t${at}`,
      isRow: table.keys <= width || table.keys === 0,
    }),
  );
  const getTable = (name: string): StateTable => tables.find((table) => table.name === name) ?? refuse(name);
  const rowType = (table: Table): string =>
    d.structType({
      g: "STRING",
      k: "STRING",
      ...Object.fromEntries(listCells(table).map(([, kind, suffix]) => [`c${suffix}`, typeOf(kind)])),
    });
  const state = tables.flatMap((table): [name: string, type: string, initial: string][] =>
    table.isRow
      ? [
          [table.variable, "BOOLEAN", "FALSE"],
          ...listCells(table).map(([, kind, suffix]): [string, string, string] => [
            table.variable + suffix,
            typeOf(kind),
            emptyOf(kind),
          ]),
        ]
      : [
          [
            table.variable,
            d.listType(rowType(table)),
            `CAST(${d.list([])} AS ${d.listType(rowType(table))})`,
          ],
        ],
  );

  /** Runs statements on a state; `readEvent` returns the values that depend on the event only. */
  const execute = (
    body: readonly Statement[],
    source: string,
    place: string,
    readEvent: (node: EventNode) => Expression,
  ): Execution => {
    const variables = new Map(state.map(([name]) => [name, `${source}.${name}`]));
    const run: Execution = { variables, path: [], rows: new Map(), reports: [], bindings: [], depth: 0 };
    /** Computes a long expression before those that refer to it, unless it depends on the row of a loop. */
    const bind = (expression: string, type: string, minimum = 60): string => {
      if (run.depth > 0 || expression.length < minimum || source !== "a") return expression;
      const known = run.bindings.find((each) => each.expression === expression);
      const phase = Math.max(
        0,
        ...run.bindings.map((each) => (expression.includes(`a.${each.name}`) ? each.phase + 1 : 0)),
      );
      const binding = known ?? { name: `b${names++}_`, type, expression, phase };
      if (known === undefined) run.bindings.push(binding);
      return `a.${binding.name}`;
    };
    const readId = (value: Value): string => {
      const known =
        value.op === "constant" || readsRows(value) ? undefined : readEvent({ op: "id", of: value });
      return known?.text ?? bind(getId(compileValue(value, scope)), "STRING");
    };
    const get = (name: string): string => run.variables.get(name) ?? refuse(name);
    const getRow = (name: string): NamedRow => run.rows.get(name) ?? refuse(`the row ${name}`);
    const findCell = (row: string, cell: string): { readonly name: string; readonly kind: string } => {
      const { table, variable } = getRow(row);
      const [, kind, suffix] = listCells(table).find(([name]) => name === cell) ?? refuse(cell);
      return { name: variable + suffix, kind };
    };
    const readCell = (row: string, cell: string): string => get(findCell(row, cell).name);
    const scope: Scope = {
      context,
      relations: machine.relations,
      readEvent: (node) =>
        readsRows(node) ||
        ((node.op === "all" || node.op === "any" || node.op === "first") && node.of.length === 0)
          ? undefined
          : readEvent(node),
      readValue(value) {
        switch (value.op) {
          case "cell": {
            const { name, kind } = findCell(value.row, value.cell);
            return typeOf(kind) === "DOUBLE" ? { number: get(name) } : { text: get(name) };
          }
          case "key":
            return { text: `('s' || ${get(`${getRow(value.row).variable}_k`)})` };
          case "textUnits":
            return {
              number: `CAST(${countUnits(`coalesce(${readCell(value.row, value.cell)}, '')`, context.dialect)} AS DOUBLE)`,
            };
          case "covered": {
            const [first, last] = [value.first, value.last].map((each) =>
              getNumber(compileValue(each, scope)),
            );
            return { number: countCovered(readCell(value.row, value.cell), first as string, last as string) };
          }
          case "keys": {
            const table = getTable(value.table);
            if (!table.isRow) {
              const found = loop(table, value.row, () => compileCondition(value.when, scope));
              return {
                text: `${d.element(d.filter(get(table.variable), d.lambda([found.item], found.result)), 0)}.k`,
              };
            }
            run.rows.set(value.row, { table, variable: table.variable });
            const condition = joinConditions(
              [get(table.variable), compileCondition(value.when, scope)],
              "AND",
            );
            run.rows.delete(value.row);
            return { text: `CASE WHEN ${condition} THEN 's' END` };
          }
          default:
            return refuse(value.op);
        }
      },
      readCondition(condition) {
        switch (condition.op) {
          case "exists":
            return get(getRow(condition.row).variable);
          case "current":
            return holds(
              `${readCell(condition.row, condition.cell)} = ${getText(readEvent({ op: "epoch" }))}`,
            );
          case "sameText":
            return holds(
              `${getString(compileValue(condition.of, scope))} = coalesce(${readCell(condition.row, condition.cell)}, '')`,
            );
          case "endsWithText": {
            const ending = `coalesce(${readCell(condition.row, condition.cell)}, '')`;
            return holds(
              `right(${getString(compileValue(condition.of, scope))}, length(${ending})) = ${ending}`,
            );
          }
          default:
            return refuse(condition.op);
        }
      },
    };
    const countCovered = (ranges: string, first: string, last: string): string => {
      const parts = d.transform(
        ranges,
        d.lambda(["r"], `greatest(0e0, least(r.high, ${last}) - greatest(r.low, ${first}) + 1)`),
      );
      return `CASE WHEN ${first} <= ${last} THEN ${d.fold(parts, "0e0", d.lambda(["r", "s"], "r + s"))} ELSE 0e0 END`;
    };
    /** Gives the rows of a list a name while `visit` runs. Returns the name of its elements. */
    const loop = <T>(
      table: StateTable,
      row: string,
      visit: () => T,
    ): { readonly item: string; readonly result: T } => {
      const item = `e${names++}`;
      const outer = run.variables;
      run.variables = new Map([
        ...outer,
        [item, "TRUE"],
        [`${item}_k`, `${item}.k`],
        ...listCells(table).map(([, , suffix]): [string, string] => [item + suffix, `${item}.c${suffix}`]),
      ]);
      run.rows.set(row, { table, variable: item });
      run.depth++;
      const result = visit();
      run.depth--;
      run.rows.delete(row);
      for (const [name, value] of outer) if (run.variables.get(name) !== value) refuse("changes in a loop");
      const isDropped = run.variables.get(item) as string;
      run.variables = outer;
      drops.set(item, isDropped);
      return { item, result };
    };
    const drops = new Map<string, string>();
    const branch = (condition: string, visit: () => unknown): Map<string, string> => {
      const { variables, path } = run;
      run.variables = new Map(variables);
      run.path = [...path, condition];
      visit();
      const changed = run.variables;
      run.variables = variables;
      run.path = path;
      return changed;
    };
    const runIf = (test: string, then: () => unknown, otherwise: () => unknown = () => {}): unknown => {
      if (test === "TRUE") return then();
      if (test === "FALSE") return otherwise();
      const condition = bind(test, "BOOLEAN", 150);
      const [one, other] = [branch(condition, then), branch(negate(condition), otherwise)];
      for (const name of run.variables.keys())
        run.variables.set(name, choose(condition, one.get(name) as string, other.get(name) as string));
    };
    const dropRow = ({ table, variable }: NamedRow): void => {
      run.variables.set(variable, "FALSE");
      for (const [, kind, suffix] of listCells(table)) run.variables.set(variable + suffix, emptyOf(kind));
    };
    const runFind = ({ row, table: name, key, do: body }: Extract<Statement, { op: "find" }>): void => {
      const table = getTable(name);
      const outer = run.rows.get(row);
      if (table.isRow) {
        run.rows.set(row, { table, variable: table.variable });
        runAll(body);
      } else {
        const ids = key.slice(width).map(readId);
        const group = table.grouped && ids.length > 1 ? (ids.shift() as string) : "''";
        const id = ids.join(" || chr(10) || ");
        const variable = `r${names++}`;
        const item = `e${names++}`;
        const isRow = `${item}.g = ${group} AND ${item}.k = ${id}`;
        const list = get(table.variable);
        const found = bind(d.element(d.filter(list, d.lambda([item], isRow)), 0), rowType(table));
        const before = new Map([
          [variable, `${found}.k IS NOT NULL`],
          [`${variable}_k`, id],
          ...listCells(table).map(([, , suffix]): [string, string] => [
            variable + suffix,
            `${found}.c${suffix}`,
          ]),
        ]);
        runIf(`${group} || ${id} IS NOT NULL`, () => {
          for (const [each, value] of before) run.variables.set(each, value);
          run.rows.set(row, { table, variable });
          runAll(body);
          if ([...before].some(([each, value]) => run.variables.get(each) !== value)) {
            const current = get(table.variable);
            const updated = d.struct({
              g: group,
              k: id,
              ...Object.fromEntries(
                listCells(table).map(([, , suffix]): [string, string] => [
                  `c${suffix}`,
                  get(variable + suffix),
                ]),
              ),
            });
            const replaced = d.transform(
              current,
              d.lambda([item], `CASE WHEN ${isRow} THEN ${updated} ELSE ${item} END`),
            );
            const present = choose(
              before.get(variable) as string,
              replaced,
              d.concat([current, d.list([updated])]),
            );
            run.variables.set(
              table.variable,
              choose(get(variable), present, d.filter(current, d.lambda([item], `NOT (${isRow})`))),
            );
          }
          for (const each of before.keys()) run.variables.delete(each);
        });
      }
      if (outer) run.rows.set(row, outer);
      else run.rows.delete(row);
    };
    const runRows = (statement: Extract<Statement, { op: "rows" }>): void => {
      const { row, table: name, key, do: body } = statement;
      const table = getTable(name);
      if (table.isRow) {
        run.rows.set(row, { table, variable: table.variable });
        runIf(get(table.variable), () => runAll(body));
        run.rows.delete(row);
        return;
      }
      const list = get(table.variable);
      const group = table.grouped && width === 0 && key ? readId(key) : undefined;
      const outerReports = run.reports;
      run.reports = [];
      const [first, ...rest] = body;
      // A loop may end before the first row that satisfies a condition.
      const isBounded =
        !canIgnoreStop(statement) &&
        first?.op === "if" &&
        isSame(first.do, [{ op: "stop" }]) &&
        !first.else &&
        !JSON.stringify(rest).includes('"op":"stop"');
      if (!isBounded && !canIgnoreStop(statement)) refuse("the end of a loop");
      let bound = "";
      const { item } = loop(table, row, () => {
        const { path } = run;
        run.path = group === undefined ? [] : [`e${names - 1}.g = ${group}`];
        if (isBounded) bound = joinConditions([...run.path, compileCondition(first.when, scope)], "AND");
        runAll(isBounded ? rest : body);
        run.path = path;
      });
      const matchGroup = group === undefined ? "TRUE" : `${item}.g = ${group}`;
      const reports = run.reports;
      run.reports = outerReports;
      if (isBounded && reports.length > 0) refuse("findings of a loop that ends");
      for (const { condition, found } of reports) {
        const matching = d.filter(list, d.lambda([item], condition));
        const isFound = joinConditions([...run.path, `${d.element(matching, 0)}.k IS NOT NULL`], "AND");
        run.reports.push({
          condition: isFound,
          found: d.transform(matching, d.lambda([item], found)),
          isList: true,
        });
      }
      const isKept = drops.get(item) ?? "TRUE";
      if (isKept === "TRUE") return;
      const position = `coalesce(nullif(array_position(${d.transform(list, d.lambda([item], bound || "FALSE"))}, TRUE), 0), ${Number.MAX_SAFE_INTEGER})`;
      const isDropped = joinConditions(
        [matchGroup, negate(`(${isKept})`), bound === "" ? "TRUE" : `${item}_i < ${position}`],
        "AND",
      );
      run.variables.set(
        table.variable,
        d.filter(list, d.lambda([item, ...(bound === "" ? [] : [`${item}_i`])], `NOT ${isDropped}`)),
      );
    };
    const runOne = (statement: Statement): unknown => {
      switch (statement.op) {
        case "if":
          return runIf(
            compileCondition(statement.when, scope),
            () => runAll(statement.do),
            () => runAll(statement.else ?? []),
          );
        case "find":
          return runFind(statement);
        case "rows":
          return runRows(statement);
        case "uncovered": {
          const [low, high] = [statement.first, statement.last].map((each) =>
            getNumber(compileValue(each, scope)),
          );
          const covered = countCovered(
            readCell(statement.row, statement.cell),
            low as string,
            high as string,
          );
          return runIf(holds(`${covered} < ${high} - ${low} + 1`), () => runAll(statement.do));
        }
        case "set": {
          const { table, variable } = getRow(statement.row);
          run.variables.set(variable, "TRUE");
          for (const [cell, kind, suffix] of listCells(table)) {
            const value = statement.cells[cell];
            if (value === undefined) continue;
            const isEmpty = value.op === "first" && value.of.length === 0;
            const read = (): string =>
              typeOf(kind) === "DOUBLE"
                ? getNumber(compileValue(value, scope))
                : getText(compileValue(value, scope));
            run.variables.set(variable + suffix, isEmpty ? emptyOf(kind) : read());
          }
          return;
        }
        case "append": {
          const { name } = findCell(statement.row, statement.cell);
          const piece = getString(compileValue(statement.text, scope));
          return runIf(`${get(getRow(statement.row).variable)} AND ${piece} IS NOT NULL`, () =>
            run.variables.set(name, `coalesce(${get(name)}, '') || ${piece}`),
          );
        }
        case "cover": {
          const { name } = findCell(statement.row, statement.cell);
          const [low, high] = [statement.first, statement.last].map((each) =>
            getNumber(compileValue(each, scope)),
          );
          const touches = `(r.high >= ${low} - 1 AND r.low <= ${high} + 1)`;
          const joined = d.fold(
            d.filter(get(name), d.lambda(["r"], touches)),
            d.struct({ low: low as string, high: high as string }),
            d.lambda(["r", "s"], d.struct({ low: "least(r.low, s.low)", high: "greatest(r.high, s.high)" })),
          );
          return runIf(
            joinConditions([get(getRow(statement.row).variable), holds(`${low} <= ${high}`)], "AND"),
            () =>
              run.variables.set(
                name,
                d.concat([d.list([joined]), d.filter(get(name), d.lambda(["r"], `NOT ${touches}`))]),
              ),
          );
        }
        case "drop":
          return dropRow(getRow(statement.row));
        case "clear": {
          const table = getTable(statement.table);
          if ([...run.rows.values()].some((row) => row.table === table)) refuse("a row that is cleared");
          if (table.isRow) return dropRow({ table, variable: table.variable });
          const list = get(table.variable);
          const group = statement.key && width === 0 ? readId(statement.key) : undefined;
          const others = group === undefined ? "FALSE" : holds(`e.g <> ${group}`);
          return run.variables.set(table.variable, d.filter(list, d.lambda(["e"], others)));
        }
        case "report": {
          const at =
            statement.index === undefined
              ? place
              : `CAST(${getNumber(compileValue(statement.index, scope))} AS BIGINT)`;
          const found = d.struct({ place: at, rule: context.dialect.quoteText(statement.finding) });
          return run.reports.push({ condition: joinConditions(run.path, "AND"), found, isList: false });
        }
        case "stop":
          return;
        default:
          return refuse(statement.op);
      }
    };
    const runAll = (statements: readonly Statement[]): void => statements.forEach(runOne);
    runAll(body);
    return run;
  };

  const addReports = (before: string, reports: readonly Report[]): string =>
    d.concat([
      before,
      ...reports.map(({ condition, found, isList }) =>
        choose(condition, isList ? found : d.list([found]), NO_FINDINGS),
      ),
    ]);
  const results = steps.map(({ statement, values }) =>
    execute([statement], "a", "x.o", (node) => {
      const known = values.findIndex((each) => isSame(each, node));
      return { text: d.element("x.a", known < 0 ? values.push(node) - 1 : known) };
    }),
  );
  const bindings = results.flatMap((run) => run.bindings);
  const phases = Math.max(0, ...bindings.map(({ phase }) => phase + 1)) + 1;
  const nexts = results.flatMap((run, step) =>
    Array.from({ length: phases }, (_, phase): string | undefined => {
      const isLast = phase === phases - 1;
      const bound = run.bindings.filter((each) => each.phase === phase);
      if (!isLast && bound.length === 0) return undefined;
      const values = state.map(
        ([name]) => [name, isLast ? (run.variables.get(name) as string) : `a.${name}`] as const,
      );
      const others = bindings.map(
        (each) => [each.name, bound.includes(each) ? each.expression : `a.${each.name}`] as const,
      );
      return `WHEN ${step * phases + phase} THEN ${d.struct({ f: isLast ? addReports("a.f", run.reports) : "a.f", ...Object.fromEntries(values), ...Object.fromEntries(others) })}`;
    }).filter((each) => each !== undefined),
  );
  const next = `CASE x.c ${nexts.join(" ")} ELSE a END`;
  const expanded = d.struct({ o: "s.o", c: `s.c * ${phases} + n`, a: "s.a" });
  const numbers = d.list(Array.from({ length: phases }, (_, phase) => String(phase)));
  const elements =
    phases === 1
      ? "steps"
      : `flatten(${d.transform("steps", d.lambda(["s"], d.transform(numbers, d.lambda(["n"], expanded))))})`;
  const initial = d.struct({
    f: NO_FINDINGS,
    ...Object.fromEntries(state.map(([name, , value]) => [name, value])),
    ...Object.fromEntries(bindings.map(({ name, type }) => [name, `CAST(NULL AS ${type})`])),
  });
  const folded = d.fold(elements, initial, d.lambda(["a", "x"], next));
  if (end.length === 0) return `${folded}.f`;
  const ended = execute(end, "z", "last_place", (node) => {
    if (node.op === "epoch") return { text: "CAST(last_epoch AS STRING)" };
    return node.op === "index" ? { number: "CAST(last_place AS DOUBLE)" } : refuse(node.op);
  });
  return d.element(d.transform(d.list([folded]), d.lambda(["z"], addReports("z.f", ended.reports))), 0);
}
