/** Writes the views over streams: how each event was delivered, and the figures of each stream. */
import { requiresNumbers } from "../../conform/requires-numbers.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import { chooseView, findRole } from "../../protocol/view-roles.js";
import { type ColumnType, FIXED_VIEWS } from "./columns.js";
import type { View } from "./dialect.js";
import { COMMENTS, createRefusal, formatViewName, type SqlContext } from "./event-views.js";

const TEXT: ColumnType = { scalar: "text", isList: false };
const NUMBER: ColumnType = { scalar: "number", isList: false };
const INTEGER: ColumnType = { scalar: "integer", isList: false };
const TIME: ColumnType = { scalar: "time", isList: false };

/** The order of the events of a stream. */
const ORDER = "number NULLS FIRST, sequence NULLS LAST, file, position";

const DELIVERY_COMMENTS: { readonly [column: string]: string } = {
  stream: "The key of the stream. Several fields are joined by /.",
  sequence: "The number of the event in its stream.",
  type: "The type of the event.",
  time: "The time of the event, in UTC.",
  id: "The id of the event.",
  delivery:
    "new; refused: a field of the envelope is missing or has another type; late: another event has the number; duplicate: the id and the text occurred before; conflict: the id occurred before with another text.",
  ordinal: "Counts the new events of the stream from 1, in their order; null for other events.",
  missing: "How many numbers are missing directly before the event. Those of refused events are not.",
  event: COMMENTS.event,
  file: COMMENTS.file,
  position: COMMENTS.position,
  place:
    "Counts all events of the stream from 1, in their order: by their numbers. An event without a number stays behind the numbered event before it in the archive.",
};

/** Returns the view that says how each event was delivered in its stream. */
export function createDeliveriesView(context: SqlContext): View {
  const { protocol, dialect } = context;
  const { stream } = protocol;
  const readOptional = (field: string | undefined, type: ColumnType): string =>
    field === undefined ? dialect.formatNull(type.scalar) : dialect.readValue("object", field, type);
  const scope = stream?.idScope === "protocol" ? "id" : "stream, id";
  const { first } = stream ?? {};
  const earlier = `OVER (PARTITION BY stream ORDER BY ${ORDER} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
  const before = first === undefined ? "seen" : `greatest(coalesce(seen, ${first - 1}), ${first - 1})`;
  return {
    name: formatViewName(context, FIXED_VIEWS.deliveries),
    comment: "All events in their streams, and how each was delivered.",
    columns: Object.entries(DELIVERY_COMMENTS).map(([name, comment]) => ({ name, comment })),
    query: `WITH fields AS (
  SELECT
    ${createStreamKey(context)} AS stream,
    ${createSequence(context)} AS sequence,
    ${dialect.readValue("object", protocol.envelope.discriminator, TEXT)} AS type,
    ${createTime(context)} AS time,
    ${readOptional(stream?.id, TEXT)} AS id,
    ${createRefusal(context, "object")} AS is_refused,
    ${createStreamTest(context)} AS has_stream,
    event, file, position
  FROM (
    SELECT event, file, position, ${dialect.parseObject("event")} AS object
    FROM ${formatViewName(context, FIXED_VIEWS.rawEvents)}
  ) AS parsed
),
${createNumbers(context)},
occurrences AS (
  SELECT *,
    CASE WHEN is_refused OR id IS NULL THEN 1
      ELSE row_number() OVER (PARTITION BY ${scope}, is_refused ORDER BY stream, ${ORDER}) END AS occurrence,
    first_value(event) OVER (PARTITION BY ${scope}, is_refused ORDER BY stream, ${ORDER}) AS first_event
  FROM numbers WHERE type IS NOT NULL OR has_stream
),
neighbours AS (
  SELECT *,
    CASE WHEN occurrence = 1 AND NOT is_refused THEN max(CASE WHEN occurrence = 1 AND NOT is_refused THEN sequence END) ${earlier} END AS previous,
    max(CASE WHEN occurrence = 1 THEN sequence END) ${earlier} AS seen
  FROM occurrences
),
skips AS (
  SELECT *,
    CASE WHEN occurrence = 1 THEN coalesce(greatest(sequence - ${before} - 1, 0), 0) ELSE 0 END AS skipped
  FROM neighbours
),
placed AS (
  SELECT *,
    CASE
      WHEN is_refused THEN 'refused'
      WHEN occurrence > 1 AND event = first_event THEN 'duplicate'
      WHEN occurrence > 1 THEN 'conflict'
      WHEN sequence = previous THEN 'late'
      ELSE 'new'
    END AS delivery,
    sum(skipped) OVER (PARTITION BY stream ORDER BY ${ORDER} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS missing_so_far
  FROM skips
),
totals AS (
  SELECT *, row_number() OVER (PARTITION BY stream ORDER BY ${ORDER}) AS place,
    max(CASE WHEN delivery = 'new' THEN missing_so_far END) ${earlier} AS missing_before FROM placed
)
SELECT stream, sequence, type, time, id, delivery,
  CASE WHEN delivery = 'new' THEN row_number() OVER (PARTITION BY stream, delivery = 'new' ORDER BY ${ORDER}) END AS ordinal,
  CASE WHEN delivery = 'new' AND sequence IS NOT NULL
    THEN CAST(missing_so_far - coalesce(missing_before, ${first === undefined ? "missing_so_far" : 0}) AS BIGINT) ELSE 0 END AS missing,
  event, file, position, place
FROM totals`,
  };
}

/** Returns the number of an event; null if it is not a whole number that JavaScript can represent exactly. */
export function createSequence(context: SqlContext): string {
  const field = context.protocol.stream?.sequence;
  if (field === undefined) return context.dialect.formatNull("integer");
  const { dialect } = context;
  const isSafe = dialect.checkFields("object", [{ field, kind: "safe", isOptional: false }]);
  return `CASE WHEN ${isSafe} THEN ${dialect.readValue("object", field, INTEGER)} END`;
}

/**
 * Returns the subqueries that add the number by which an event is sorted. An event without one takes the last number before
 * it in the archive, as in `accrete audit`.
 */
function createNumbers({ protocol }: SqlContext): string {
  // If every event has a number, one without is refused, and its place does not matter.
  if (protocol.stream?.sequence === undefined || requiresNumbers(protocol))
    return "numbers AS (SELECT *, sequence AS number FROM fields)";
  return `runs AS (
  SELECT *, count(sequence) OVER (PARTITION BY stream ORDER BY file, position ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run
  FROM fields
),
numbers AS (SELECT *, max(sequence) OVER (PARTITION BY stream, run) AS number FROM runs)`;
}

/** Returns the condition that the stream of an event can be read. */
function createStreamTest(context: SqlContext): string {
  const key = context.protocol.stream?.key ?? [];
  const checks = key.map((field) => ({ field, kind: "text", isOptional: false }) as const);
  return checks.length === 0 ? "FALSE" : context.dialect.checkFields("object", checks);
}

/** Returns the key of an event's stream, as `streamKey` of the runtime does. */
export function createStreamKey({ protocol, dialect }: SqlContext): string {
  const key = protocol.stream?.key ?? [];
  const parts = key.map((field) => `coalesce(${dialect.readValue("object", field, TEXT)}, '')`);
  if (parts.length <= 1) return parts[0] ?? "''";
  return parts.map((part) => `replace(replace(${part}, '~', '~0'), '/', '~1')`).join(" || '/' || ");
}

export function createTime({ protocol, plan, dialect }: SqlContext): string {
  const field = protocol.stream?.time;
  if (field === undefined) return dialect.formatNull("time");
  const scalar = plan.envelope.find((column) => column.field === field)?.type.scalar;
  const isNumber = scalar === "integer" || scalar === "number";
  if (isNumber) return dialect.convertMilliseconds(dialect.readValue("object", field, INTEGER));
  return dialect.readValue("object", field, TIME);
}

const STREAM_COMMENTS: { readonly [column: string]: string } = {
  stream: "The key of the stream. Several fields are joined by /.",
  events: "The number of its events without redeliveries.",
  first_sequence: "The lowest number.",
  last_sequence: "The highest number.",
  gaps: "How many times numbers are missing.",
  missing: "How many numbers are missing.",
  duplicates: "How many events were delivered again.",
  conflicts: "How many events have the id of another event with another text.",
  late: "How many events have the number of another event.",
  unknown: "How many events are of a type that the schemas do not declare.",
  first_time: "The earliest time, in UTC.",
  last_time: "The latest time, in UTC.",
  duration_seconds: "The seconds from the earliest to the latest time.",
  state:
    "ended if a terminal event was the last one that begins or ends the stream, otherwise open; null if the protocol has no terminal events.",
  ended_by: "The type of the terminal event.",
  cost: "The total cost so far, in the unit of the protocol.",
  input_tokens: "The total of tokens that the model has read.",
  output_tokens: "The total of tokens that the model has written.",
};

/** Returns the view with one row for each stream. */
export function createStreamsView(context: SqlContext): View {
  const { protocol, dialect } = context;
  const terminal = protocol.stream?.rules?.terminal;
  const quoteTypes = (types: readonly string[]): string =>
    types.length === 0 ? "NULL" : types.map(dialect.quoteText).join(", ");
  const marks = quoteTypes([...(terminal?.opens ?? []), ...(terminal?.types ?? [])]);
  const ends = quoteTypes(terminal?.types ?? []);
  const knownTypes = quoteTypes(protocol.events.map(({ type }) => type));
  const takeLast = (column: string): string =>
    `${dialect.takeLast(column, "ordinal", `${column} IS NOT NULL AND ordinal IS NOT NULL`)} AS ${column}`;
  const openState = terminal === undefined ? "NULL" : "'open'";
  return {
    name: formatViewName(context, FIXED_VIEWS.streams),
    comment: "One row for each stream.",
    columns: Object.entries(STREAM_COMMENTS).map(([name, comment]) => ({ name, comment })),
    query: `WITH totals AS (
  SELECT *,
    ${createTotal(context, "cost")} AS cost,
    ${createTotal(context, "inputTokens")} AS input_tokens,
    ${createTotal(context, "outputTokens")} AS output_tokens
  FROM (
    SELECT *, ${dialect.parseObject("event")} AS object FROM ${formatViewName(context, FIXED_VIEWS.deliveries)}
    WHERE delivery <> 'refused'
  ) AS parsed
),
grouped AS (
  SELECT stream,
    count(*) FILTER (WHERE delivery IN ('new', 'late')) AS events,
    min(sequence) AS first_sequence,
    max(sequence) AS last_sequence,
    count(*) FILTER (WHERE missing > 0) AS gaps,
    CAST(sum(missing) AS BIGINT) AS missing,
    count(*) FILTER (WHERE delivery = 'duplicate') AS duplicates,
    count(*) FILTER (WHERE delivery = 'conflict') AS conflicts,
    count(*) FILTER (WHERE delivery = 'late') AS late,
    count(*) FILTER (WHERE type NOT IN (${knownTypes})) AS unknown,
    min(time) AS first_time,
    max(time) AS last_time,
    ${dialect.takeLast("type", "ordinal", `ordinal IS NOT NULL AND type IN (${marks})`)} AS last_mark,
    ${takeLast("cost")},
    ${takeLast("input_tokens")},
    ${takeLast("output_tokens")}
  FROM totals
  GROUP BY stream
)
SELECT stream, events, first_sequence, last_sequence, gaps, missing, duplicates, conflicts, late, unknown,
  first_time, last_time, ${dialect.countSeconds("first_time", "last_time")} AS duration_seconds,
  CASE WHEN last_mark IN (${ends}) THEN 'ended' ELSE ${openState} END AS state,
  CASE WHEN last_mark IN (${ends}) THEN last_mark END AS ended_by,
  cost, input_tokens, output_tokens
FROM grouped`,
  };
}

/** Returns the total that an event states, by the roles of the protocol; null for other events. */
function createTotal(context: SqlContext, name: "cost" | "inputTokens" | "outputTokens"): string {
  const { protocol, dialect } = context;
  const { roles } = chooseView(protocol);
  const cases = protocol.events.flatMap((event) => {
    const role = findRole(roles, event.type);
    const path = role !== undefined && "totals" in role ? role.totals?.[name] : undefined;
    if (path === undefined) return [];
    const carrier = findPayloadCarrier(protocol.envelope, event);
    const parents = [...(carrier === undefined ? [] : [carrier]), ...path.split("/").slice(0, -1)];
    const object = parents.reduce(dialect.readObject, "object");
    const value = dialect.readValue(object, path.split("/").at(-1) ?? "", NUMBER);
    return `WHEN ${dialect.quoteText(event.type)} THEN ${value}`;
  });
  return cases.length === 0 ? dialect.formatNull("number") : `CASE type ${cases.join(" ")} END`;
}
