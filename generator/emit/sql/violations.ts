/** Writes the stream rules that a query can check, as a view of their violations. */
import { collectEventFields } from "../../protocol/event-fields.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Lifecycle, Sum, Terminal } from "../../protocol/stream-rules.js";
import { type ColumnType, FIXED_VIEWS } from "./columns.js";
import type { View } from "./dialects.js";
import { formatViewName, type SqlContext } from "./event-views.js";
import { NUMBER, TEXT } from "./stream-views.js";

/** The columns that each query of violations returns, besides the id of the rule. */
const COLUMNS = "stream, sequence, type, event, file, position";

/** The window of the earlier events of a stream. */
const EARLIER_EVENTS =
  "PARTITION BY stream ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING";

/** The window of the earlier events of a stream and the event itself. */
const EVENTS_SO_FAR = "PARTITION BY stream ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";

const COMMENTS: { readonly [column: string]: string } = {
  rule: "The id of the rule. The command accrete explain describes it.",
  stream: "The key of the stream.",
  sequence: "The number of the event in its stream.",
  type: "The type of the event.",
  event: "The text of the event.",
  file: "The file that holds the event.",
  position: "A number that grows within the file.",
};

/** Returns the view of the violations of stream rules. */
export function createViolationsView(context: SqlContext): View {
  const queries = [
    ...createDeliveryQueries(),
    ...createGapQueries(context),
    ...createTerminalQueries(context),
    ...createOpeningQueries(context),
    ...createLifecycleQueries(context),
    ...createFieldQueries(context),
    ...createSumQueries(context),
  ];
  const selects = queries.map(
    ({ rule, query }) => `SELECT '${rule}' AS rule, ${COLUMNS} FROM (\n${query}\n) AS found`,
  );
  return {
    name: formatViewName(context, FIXED_VIEWS.violations),
    comment: "The violations of stream rules, as far as a query can find them.",
    columns: Object.entries(COMMENTS).map(([name, comment]) => ({ name, comment })),
    query: `WITH delivered AS (
  SELECT * FROM ${formatViewName(context, FIXED_VIEWS.deliveries)}
),
accepted AS (
  SELECT *, ${context.dialect.parseObject("event")} AS object FROM delivered WHERE delivery = 'new'
),
${createGapSubqueries(context)}
${selects.join("\nUNION ALL\n")}`,
  };
}

/** A query that returns the violations of a rule. */
interface RuleQuery {
  /** The id of the finding of accrete validate. */
  readonly rule: string;
  readonly query: string;
}

function createDeliveryQueries(): RuleQuery[] {
  const select = (delivery: string): string =>
    `  SELECT ${COLUMNS} FROM delivered WHERE delivery = '${delivery}'`;
  return [
    { rule: "sequence-late", query: select("late") },
    { rule: "event-conflict", query: select("conflict") },
    { rule: "event-repeated", query: select("duplicate") },
  ];
}

/** Returns the queries of missing numbers. A gap does not count if markers name all of its numbers. */
function createGapQueries({ protocol }: SqlContext): RuleQuery[] {
  if (protocol.stream?.sequence === undefined) return [];
  const columns = COLUMNS.split(", ").map((column) => `points.${column}`);
  const select = (condition: string): string => `  SELECT DISTINCT ${columns.join(", ")}
  FROM points ANTI JOIN markers
    ON markers.stream = points.stream AND points.point BETWEEN markers.low AND markers.high
  WHERE ${condition}`;
  return [
    { rule: "sequence-gap", query: select("points.ordinal > 1") },
    { rule: "sequence-start", query: select("points.ordinal = 1") },
  ];
}

/**
 * Returns the subqueries of gaps and of the ranges that gap markers name. A gap is explained if markers name its first
 * number, and each number that follows the last one of a marker. These numbers are the points.
 */
function createGapSubqueries(context: SqlContext): string {
  const { gaps = [] } = context.protocol.stream?.rules ?? {};
  const markers = gaps.flatMap(({ type, first, last }) => {
    if (first === undefined || last === undefined) return [];
    const low = readField(context, type, first, NUMBER);
    const high = readField(context, type, last, NUMBER);
    return `SELECT stream, ${low} AS low, ${high} AS high FROM accepted WHERE type = ${context.dialect.quoteText(type)}`;
  });
  const noMarkers = "SELECT stream, 0 AS low, -1 AS high FROM accepted WHERE 1 = 0";
  return `markers AS (
  ${markers.length === 0 ? noMarkers : markers.join(" UNION ALL ")}
),
gaps AS (
  SELECT ${COLUMNS}, ordinal, sequence - missing AS low FROM accepted WHERE missing > 0
),
points AS (
  SELECT *, low AS point FROM gaps
  UNION ALL
  SELECT gaps.*, markers.high + 1 AS point FROM gaps JOIN markers
    ON markers.stream = gaps.stream AND markers.high + 1 BETWEEN gaps.low AND gaps.sequence - 1
)`;
}

/** Returns the expression of a field of the payload of an event type. */
function readField(
  { protocol, dialect }: SqlContext,
  eventType: string,
  field: string,
  type: ColumnType,
): string {
  const event = protocol.events.find(({ type: each }) => each === eventType);
  const carrier = findPayloadCarrier(protocol.envelope, event);
  return dialect.readValue(
    carrier === undefined ? "object" : dialect.readObject("object", carrier),
    field,
    type,
  );
}

function createTerminalQueries({ protocol, dialect }: SqlContext): RuleQuery[] {
  const terminal = protocol.stream?.rules?.terminal;
  if (terminal === undefined) return [];
  const opens = createMembership(terminal.opens, dialect.quoteText);
  const ends = createMembership(terminal.types, dialect.quoteText);
  const marks = `(
    SELECT *,
      max(CASE WHEN ${opens} THEN ordinal END) OVER (${EARLIER_EVENTS}) AS opened,
      max(CASE WHEN ${ends} THEN ordinal END) OVER (${EARLIER_EVENTS}) AS ended
    FROM accepted
  ) AS marks`;
  return [
    { rule: "stream-unfinished", query: selectUnfinished(terminal, opens, ends) },
    ...selectAfterEnd(terminal, opens, ends, marks),
  ];
}

/** Returns the query of streams that began and did not end. It names the last event of each. */
function selectUnfinished({ final }: Terminal, opens: string, ends: string): string {
  // Where nothing follows the end, another opening event does not begin the stream again.
  const isUnfinished = final ? "ended IS NULL" : "(ended IS NULL OR ended < opened)";
  return `  SELECT ${COLUMNS} FROM (
    SELECT *,
      max(CASE WHEN ${opens} THEN ordinal END) OVER (PARTITION BY stream) AS opened,
      max(CASE WHEN ${ends} THEN ordinal END) OVER (PARTITION BY stream) AS ended,
      max(ordinal) OVER (PARTITION BY stream) AS last
    FROM accepted
  ) AS marks
  WHERE ordinal = last AND opened IS NOT NULL AND ${isUnfinished}`;
}

/** Returns the queries of events after the end of their stream. */
function selectAfterEnd(
  { final = false, once = false }: Terminal,
  opens: string,
  ends: string,
  marks: string,
): RuleQuery[] {
  const hasEnded = "ended IS NOT NULL AND (opened IS NULL OR opened < ended)";
  if (final) {
    const query = `  SELECT ${COLUMNS} FROM (
    SELECT *, min(ordinal) OVER (PARTITION BY stream) AS first_ordinal
    FROM ${marks} WHERE ${hasEnded} AND NOT ${opens}
  ) AS late WHERE ordinal = first_ordinal`;
    return [{ rule: "event-after-terminal", query }];
  }
  if (!once) return [];
  return [
    {
      rule: "terminal-repeated",
      query: `  SELECT ${COLUMNS} FROM ${marks} WHERE ${hasEnded} AND ${ends}`,
    },
  ];
}

/** Returns the condition that an event is of one of these types. */
function createMembership(types: readonly string[], quoteText: (text: string) => string): string {
  return types.length === 0 ? "(1 = 0)" : `(type IN (${types.map(quoteText).join(", ")}))`;
}

function createOpeningQueries({ protocol, dialect }: SqlContext): RuleQuery[] {
  const { openings = [], gaps = [] } = protocol.stream?.rules ?? {};
  return openings.map(({ type, after = [] }) => {
    const isAllowed = createMembership([...after, ...gaps.map((gap) => gap.type)], dialect.quoteText);
    return {
      rule: "opening-late",
      query: `  SELECT ${COLUMNS} FROM (
    SELECT *, sum(CASE WHEN ${isAllowed} THEN 0 ELSE 1 END) OVER (${EARLIER_EVENTS}) AS others
    FROM accepted
  ) AS preceded WHERE type = ${dialect.quoteText(type)} AND others > 0`,
    };
  });
}

/** Returns the queries of events about things that had ended. */
function createLifecycleQueries(context: SqlContext): RuleQuery[] {
  const { lifecycles = [] } = context.protocol.stream?.rules ?? {};
  return lifecycles
    .filter(({ end }) => end.length > 0)
    .flatMap((declared) => {
      const endedThings = selectEndedThings(context, declared);
      const select = (condition: string): string =>
        `  SELECT ${COLUMNS} FROM (\n${endedThings}\n  ) AS things WHERE ordinal > ended AND ${condition}`;
      return [
        { rule: "lifecycle-end-repeated", query: select("part = 'end'") },
        { rule: "lifecycle-after-end", query: select("part <> 'end'") },
      ];
    });
}

/** Returns a query of the events about things with an id, with the ordinal of the event that ended the thing. */
function selectEndedThings(context: SqlContext, declared: Lifecycle): string {
  const { key, start, end, after = [], needsStart = false } = declared;
  const members = listTypesWithField(context.protocol, key).filter(
    (type) => ![...start, ...end, ...after].includes(type),
  );
  const { quoteText } = context.dialect;
  const types = [...start, ...end, ...members];
  const parts = [
    `WHEN ${createMembership(start, quoteText)} THEN 'start'`,
    `WHEN ${createMembership(end, quoteText)} THEN 'end'`,
  ];
  const isCounted = needsStart ? "part = 'end'" : "part = 'end' AND ordinal > started";
  return `    SELECT *, min(CASE WHEN ${isCounted} THEN ordinal END) OVER (PARTITION BY stream, thing) AS ended FROM (
      SELECT *, min(CASE WHEN part = 'start' THEN ordinal END) OVER (PARTITION BY stream, thing) AS started FROM (
        SELECT *, CASE ${parts.join(" ")} ELSE 'member' END AS part, ${readFieldOfTypes(context, types, key)} AS thing
        FROM accepted WHERE ${createMembership(types, quoteText)}
      ) AS parts WHERE thing IS NOT NULL
    ) AS started`;
}

/** Returns the expression of a payload field that several event types have. */
function readFieldOfTypes(context: SqlContext, types: readonly string[], field: string): string {
  const expressions = types.map((type) => readField(context, type, field, TEXT));
  const [first = "NULL"] = expressions;
  if (expressions.every((expression) => expression === first)) return first;
  const cases = types.map((type, i) => `WHEN ${context.dialect.quoteText(type)} THEN ${expressions[i]}`);
  return `CASE type ${cases.join(" ")} END`;
}

function listTypesWithField(protocol: Protocol, field: string): readonly string[] {
  return protocol.events
    .filter((event) => collectEventFields(protocol, event).has(field))
    .map(({ type }) => type);
}

/** Returns the queries of rules about the fields of single events. */
function createFieldQueries(context: SqlContext): RuleQuery[] {
  const { agree = [], differ = [] } = context.protocol.stream?.rules ?? {};
  const { quoteText, readValue } = context.dialect;
  const select = (rule: string, type: string, condition: string): RuleQuery => ({
    rule,
    query: `  SELECT ${COLUMNS} FROM accepted WHERE type = ${quoteText(type)} AND (${condition})`,
  });
  const json = { scalar: "json", isList: false } as const;
  return [
    ...agree.flatMap(({ types, fields }) =>
      types.map((type) => {
        const values = fields.map((field) => readField(context, type, field, json));
        const first = `coalesce(${values.join(", ")})`;
        return select("fields-disagree", type, values.map((value) => `${value} <> ${first}`).join(" OR "));
      }),
    ),
    ...differ.map(({ type, field, from, fromEnvelope }) => {
      const value = readField(context, type, field, json);
      const others = [
        ...(from === undefined ? [] : [readField(context, type, from, json)]),
        ...(fromEnvelope === undefined ? [] : [readValue("object", fromEnvelope, json)]),
      ];
      return select("fields-equal", type, others.map((other) => `${value} = ${other}`).join(" OR "));
    }),
  ];
}

/** Returns the queries of sums whose parts are in the same event or in an earlier one. */
function createSumQueries(context: SqlContext): RuleQuery[] {
  const { sums = [] } = context.protocol.stream?.rules ?? {};
  return sums.map((declared) => ({ rule: "sum-wrong", query: selectWrongSums(context, declared) }));
}

/** Returns the query of events with a wrong sum. As in the stream rule, only sums that are exact integers count. */
function selectWrongSums(context: SqlContext, { type, sum, of, plus }: Sum): string {
  const parts = of.map((field) => readField(context, type, field, NUMBER));
  if (plus !== undefined) parts.push("earlier_part");
  const events = plus === undefined ? "accepted" : joinEarlierPart(context, plus);
  return `  SELECT ${COLUMNS} FROM (
    SELECT ${COLUMNS}, ${readField(context, type, sum, NUMBER)} AS total, ${parts.join(" + ")} AS part_sum
    FROM ${events}
    WHERE type = ${context.dialect.quoteText(type)}
  ) AS totals WHERE total <> part_sum AND part_sum % 1 = 0 AND abs(part_sum) <= ${Number.MAX_SAFE_INTEGER}`;
}

/**
 * Returns a join of events with the part of an earlier event in the column `earlier_part`. It omits events without such a
 * part: the last event that has or ends a part ended it, or events may be missing since then.
 */
function joinEarlierPart(context: SqlContext, { type, field, until = [] }: NonNullable<Sum["plus"]>): string {
  const { gaps = [] } = context.protocol.stream?.rules ?? {};
  const { quoteText } = context.dialect;
  const isMark = createMembership([type, ...until], quoteText);
  const isGapMarker = createMembership(
    gaps.map((gap) => gap.type),
    quoteText,
  );
  // An event that has a part and ends it counts as an end.
  const hasPart = createMembership(until.includes(type) ? [] : [type], quoteText);
  return `(
      SELECT *,
        max(CASE WHEN ${isMark} THEN ordinal END) OVER (${EARLIER_EVENTS}) AS last_mark,
        max(CASE WHEN missing > 0 OR ${isGapMarker} THEN ordinal END) OVER (${EVENTS_SO_FAR}) AS last_gap
      FROM accepted
    ) AS marks JOIN (
      SELECT stream AS earlier_stream, ordinal AS earlier_ordinal, ${readField(context, type, field, NUMBER)} AS earlier_part
      FROM accepted WHERE ${hasPart}
    ) AS earlier_parts
      ON earlier_stream = stream AND earlier_ordinal = last_mark AND (last_gap IS NULL OR last_gap <= last_mark)`;
}
