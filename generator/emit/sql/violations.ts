/** Writes the view of the violations of stream rules, from the machines of the rules. */
import { listMachines } from "../../conform/check-plan.js";
import { requiresNumbers } from "../../conform/requires-numbers.js";
import { FIXED_VIEWS } from "./columns.js";
import type { View } from "./dialect.js";
import {
  type FoldingContext,
  formatViewName,
  COMMENTS as SHARED_COMMENTS,
  type SqlContext,
} from "./event-views.js";
import {
  COMMON_STEP,
  compileMachine,
  type FieldReader,
  listParts,
  type MachineSql,
  type Parts,
} from "./machine-sql.js";

/** The columns that each query of violations returns, besides the id of the rule. */
const COLUMNS = "stream, sequence, type, event, file, position";

const COMMENTS: { readonly [column: string]: string } = {
  rule: "The id of the rule. The command accrete explain describes it.",
  stream: "The key of the stream.",
  sequence: "The number of the event in its stream.",
  type: "The type of the event.",
  event: SHARED_COMMENTS.event,
  file: SHARED_COMMENTS.file,
  position: SHARED_COMMENTS.position,
};

/** The rules about the delivery of events, by their deliveries. */
const DELIVERY_RULES = { late: "sequence-late", conflict: "event-conflict", duplicate: "event-repeated" };

/** Returns the view of the violations of stream rules. It has one row for each rule and event. */
export function createViolationsView(context: SqlContext): View {
  const planned = listMachines(context.protocol, "writer");
  const compiled: Compiled[] = [];
  const omitted = new Set<string>();
  const folding = canFold(context) ? context : undefined;
  for (const each of planned) {
    const parts = folding && compileMachine(each, compiled.length, folding);
    for (const { id } of parts ? [] : each.findings) omitted.add(id);
    for (const machine of parts ?? []) compiled.push({ index: compiled.length, machine });
  }
  const isLeftOut = omitted.size > 0 ? ` It leaves out ${[...omitted].sort().join(", ")}.` : "";
  const cases = Object.entries(DELIVERY_RULES).map(([delivery, rule]) => `WHEN '${delivery}' THEN '${rule}'`);
  const columns = COLUMNS.split(", ");
  const ofDeliveries = `SELECT CASE delivery ${cases.join(" ")} END AS rule, ${COLUMNS}
FROM ${formatViewName(context, FIXED_VIEWS.deliveries)} WHERE delivery IN ('late', 'conflict', 'duplicate')`;
  return {
    name: formatViewName(context, FIXED_VIEWS.violations),
    comment: `The violations of stream rules, one row for each rule and event.${isLeftOut}`,
    columns: Object.entries(COMMENTS).map(([name, comment]) => ({ name, comment })),
    query: folding
      ? `WITH ${createPlacedEvents(folding)},
${createFindings(folding, compiled)}
${ofDeliveries}
UNION ALL
SELECT found.rule, ${columns.map((column) => `placed.${column}`).join(", ")}
FROM found JOIN placed ON found.stream = placed.stream AND found.place = placed.place`
      : ofDeliveries,
  };
}

function canFold(context: SqlContext): context is FoldingContext {
  return "machines" in context.dialect;
}

type Compiled = { readonly index: number; readonly machine: MachineSql };

/** Returns the subquery of the events that the machines see, with what they know of their streams. */
function createPlacedEvents(context: FoldingContext): string {
  const { protocol, dialect } = context;
  const { stream } = protocol;
  const { terminal, gaps = [] } = stream?.rules ?? {};
  const isOf = (types: readonly string[] = []): string =>
    types.length === 0 ? "FALSE" : `type IN (${types.map(dialect.quoteText).join(", ")})`;
  const isNumbered = stream?.sequence !== undefined;
  const isFirst =
    isNumbered && stream.first !== undefined ? `coalesce(sequence = ${stream.first}, FALSE)` : "FALSE";
  const soFar = "OVER (PARTITION BY stream ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)";
  const earlier =
    "OVER (PARTITION BY stream ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)";
  const isOpening = isOf(terminal?.opens);
  // Without numbers, an opening event shows that nothing is missing from here on.
  const completeEpoch = isNumbered
    ? "0"
    : `coalesce(max(CASE WHEN delivery = 'new' AND ${isOpening} THEN epoch END) ${soFar}, 0)`;
  const isNew = "delivery = 'new'";
  // The numbers of refused events are in the gap, too.
  const isAfterGap = `${isNew} AND sequence > coalesce(number_before, ${stream?.first === undefined ? "sequence" : stream.first - 1}) + 1`;
  // If every event has a number, a refused event without one says nothing: numbers show what is missing.
  return `arrived AS (
  SELECT *, lag(delivery) OVER (PARTITION BY stream ORDER BY place) AS delivery_before,
    max(CASE WHEN ${isNew} THEN sequence END) ${earlier} AS number_before
  FROM ${formatViewName(context, FIXED_VIEWS.deliveries)} WHERE delivery = 'new' OR (delivery = 'refused'${requiresNumbers(protocol) ? " AND sequence IS NOT NULL" : ""})
),
ordered AS (
  SELECT *,
    CASE WHEN ${isAfterGap} THEN sequence END AS gap_before,
    CASE WHEN ${isAfterGap} THEN number_before END AS gap_after
  FROM arrived
),
epochs AS (
  SELECT *,
    sum(CASE WHEN ${isNew} AND (gap_before IS NOT NULL OR ${isOf(gaps.map(({ type }) => type))} OR (ordinal = 1 AND NOT ${isFirst})
      OR delivery_before = 'refused') THEN 1 ELSE 0 END) ${soFar} AS epoch,
    max(CASE WHEN ${isNew} AND ${isOpening} THEN place END) ${soFar} AS opened,
    max(CASE WHEN ${isNew} AND ${isOf(terminal?.types)} THEN place END) ${earlier} AS ended,
    max(CASE WHEN ${isNew} THEN place END) OVER (PARTITION BY stream) AS last_place
  FROM ordered
),
placed AS (
  SELECT *, epoch = ${completeEpoch} AS is_seen_from_start,
    coalesce(ended >= coalesce(opened, ended), FALSE) AS has_ended,
    max(epoch) OVER (PARTITION BY stream) AS last_epoch,
    ${dialect.parseObject("event")} AS object
  FROM epochs
)`;
}

/**
 * Returns the subqueries of what the machines find. Each subquery reads the one before it once, because Spark computes a
 * subquery again for each reader.
 */
function createFindings(context: FoldingContext, compiled: readonly Compiled[]): string {
  const { machines: d } = context.dialect;
  const common = [
    "-1",
    ...compiled.filter(({ machine }) => machine.hasCommonSteps).map(({ index }) => index),
  ].join(", ");
  const cases = compiled.flatMap(({ index, machine }) =>
    machine.fold ? [`WHEN m = ${index} THEN ${machine.fold}`] : [],
  );
  const element = d.struct({ o: "place", c: "step.c", i: "step.i", a: "step.a" });
  const immediate = d.transform("steps", d.lambda(["s"], d.struct({ place: "s.o", rule: "k" })));
  // Steps without a key belong to every key of their stream.
  return `${createSteps(context, compiled)},
grouped AS (
  SELECT stream, m, k, ${d.sort(d.collect(element))} AS steps, max(last_place) AS last_place, max(last_epoch) AS last_epoch
  FROM (
    SELECT stream, step.m AS m, CASE WHEN step.i <> ${COMMON_STEP} THEN step.k END AS k, place, last_place, last_epoch, step
    FROM stepped WHERE step.k IS NOT NULL
  ) AS steps GROUP BY stream, m, k
),
completed AS (
  SELECT stream, m, k, last_place, last_epoch,
    CASE WHEN common IS NULL THEN steps ELSE ${d.sort(d.concat(["steps", "common"]))} END AS steps
  FROM (
    SELECT *, CASE WHEN m IN (${common}) THEN first_value(CASE WHEN k IS NULL THEN steps END) OVER (PARTITION BY stream, m ORDER BY k NULLS FIRST) END AS common
    FROM grouped
  ) AS joined WHERE k IS NOT NULL
),
found AS (
  SELECT DISTINCT stream, one.place AS place, one.rule AS rule FROM (
    SELECT stream, ${d.explode(`CASE WHEN m IS NULL THEN ${immediate}
      ${cases.join("\n      ")} END`)} AS one FROM completed
  ) AS folded
)`;
}

/** A field or a list of parts that an expression names by its index in a list of marks. */
interface Mark {
  readonly kind: string;
  readonly path: readonly string[];
}

/** The fields and the parts that the steps of a type read. */
interface Layout {
  readonly paths: readonly (readonly string[])[];
  readonly parts: readonly (readonly [Parts, number])[];
}

/** A type, or no type for all that the protocol does not declare, with its layout and its own steps. */
interface TypeLayout {
  readonly type: string | undefined;
  readonly layout: Layout;
  readonly own: readonly string[];
}

/** Returns a reader that names fields and parts by marks, so that expressions are equal for all types that have them. */
function createMarkingReader(marks: Mark[]): FieldReader {
  const mark = (kind: string, path: readonly string[]): string => {
    const known = marks.findIndex((each) => each.kind === kind && each.path.join("/") === path.join("/"));
    return `\ue000${known < 0 ? marks.push({ kind, path }) - 1 : known}\ue000`;
  };
  return {
    readRaw: (path) => mark("raw", path),
    readTagged: (path) => mark("tagged", path),
    listParts: (path, parts) => mark(parts, path),
  };
}

/** Returns the indexes of the marks in steps. */
function listMarks(steps: readonly string[]): readonly number[] {
  return [
    ...new Set(
      steps.flatMap((step) => [...step.matchAll(/\ue000(\d+)\ue000/g)].map(([, index]) => Number(index))),
    ),
  ];
}

/** Returns the layout of steps. If common steps come first, their fields and parts have the same indexes for all types. */
function layOutMarks(steps: readonly string[], marks: readonly Mark[]): Layout {
  const used = listMarks(steps).map((index) => marks[index] as Mark);
  const keys = [...new Set(used.map(({ path }) => JSON.stringify(path)))];
  const isPart = ({ kind }: Mark): boolean => kind !== "raw" && kind !== "tagged";
  return {
    paths: keys.map((key) => JSON.parse(key)),
    parts: used.filter(isPart).map(({ kind, path }) => [kind as Parts, keys.indexOf(JSON.stringify(path))]),
  };
}

/** Returns a step in which the columns of a layout replace the marks. */
function resolveMarks(
  step: string,
  { paths, parts }: Layout,
  marks: readonly Mark[],
  { machines: d }: FoldingContext["dialect"],
): string {
  return step.replace(/\ue000(\d+)\ue000/g, (_, index) => {
    const { kind, path } = marks[Number(index)] as Mark;
    const field = paths.findIndex((each) => each.join("/") === path.join("/"));
    if (kind === "raw" || kind === "tagged") return d.element(kind === "raw" ? "fields" : "tags", field);
    return d.element(
      "parts",
      parts.findIndex(([each, at]) => each === kind && at === field),
    );
  });
}

/** Returns an expression that depends on the type; most types share the last one. */
function chooseExpression(
  layouts: readonly TypeLayout[],
  create: (layout: TypeLayout) => string,
  isOf: (names: readonly string[]) => string,
): string {
  const groups = new Map<string, string[]>();
  const [other, ...others] = layouts.map((layout) => ({ type: layout.type ?? "", value: create(layout) }));
  for (const { type, value } of others)
    if (value !== other?.value) groups.set(value, [...(groups.get(value) ?? []), type]);
  const cases = [...groups].map(([value, names]) => `WHEN ${isOf(names)} THEN ${value}`);
  return cases.length === 0
    ? (other?.value ?? "")
    : `CASE ${cases.join("\n      ")} ELSE ${other?.value} END`;
}

/** Returns the subqueries of the fields that the machines read from events, and of the steps that they take. */
function createSteps({ protocol, dialect }: FoldingContext, compiled: readonly Compiled[]): string {
  const { machines: d, quoteText } = dialect;
  const marks: Mark[] = [];
  const reader = createMarkingReader(marks);
  const types = [undefined, ...protocol.events].map((event) => ({
    type: event?.type,
    steps: compiled.flatMap(({ machine }) => machine.listSteps(event, reader)),
  }));
  const refusedSteps = compiled.flatMap(({ machine }) => machine.listSteps("refused", reader));
  const owners = new Map<string, (string | undefined)[]>();
  for (const { type, steps } of types)
    for (const step of new Set(steps)) owners.set(step, [...(owners.get(step) ?? []), type]);
  const isCommon = (step: string): boolean => 2 * (owners.get(step)?.length ?? 0) > types.length;
  const isOf = (names: readonly (string | undefined)[]): string =>
    `type IN (${names.map((name) => quoteText(name ?? "")).join(", ")})`;
  const declared = types.map(({ type }) => type).filter((type) => type !== undefined);

  const commonSteps = [...owners.keys()].filter(isCommon);
  const layOut = (steps: readonly string[]): Layout => layOutMarks([...commonSteps, ...steps], marks);
  const resolve = (step: string, layout: Layout): string => resolveMarks(step, layout, marks, dialect);
  const layouts = types.map(({ type, steps }): TypeLayout => {
    const own = steps.filter((step) => !isCommon(step));
    const layout = layOut(own);
    return { type, layout, own: own.map((step) => resolve(step, layout)) };
  });
  const chooseByType = (create: (layout: TypeLayout) => string): string =>
    chooseExpression(layouts, create, isOf);
  const none = (type: string): string => `CAST(${d.list([])} AS ${d.listType(type)})`;
  const stepType = d.structType({ m: "INT", k: "STRING", c: "INT", i: "INT", a: d.listType("STRING") });
  const common = commonSteps.map((step) => {
    const names = owners.get(step) ?? [];
    const list = resolve(step, layOut([]));
    const condition = names.includes(undefined)
      ? `NOT ${isOf(declared.filter((type) => !names.includes(type)))}`
      : isOf(names);
    return names.length === types.length
      ? list
      : `CASE WHEN ${condition} THEN ${list} ELSE ${none(stepType)} END`;
  });
  const forRefused = refusedSteps.length === 0 ? none(stepType) : d.concat(refusedSteps);
  const listOwn = chooseByType(({ own }) => (own.length === 0 ? none(stepType) : d.concat(own)));
  return `read AS (
  SELECT *, ${chooseByType(({ layout }) => d.readFields("object", layout.paths.length === 0 ? [["type"]] : layout.paths))} AS fields
  FROM placed
),
tagged AS (
  SELECT *, ${d.transform("fields", d.lambda(["field"], d.tag("field")))} AS tags FROM read
),
parted AS (
  SELECT *, ${chooseByType(({ layout: { parts } }) => (parts.length === 0 ? "NULL" : d.list(parts.map(([kind, index]) => listParts(d.element("fields", index), kind, dialect)))))} AS parts
  FROM tagged
),
stepped AS (
  SELECT stream, place, last_place, last_epoch,
    ${d.explode(`CASE WHEN delivery = 'refused' THEN ${forRefused} ELSE ${d.concat([...common, listOwn])} END`)} AS step
  FROM parted
)`;
}
