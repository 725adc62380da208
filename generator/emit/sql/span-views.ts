/** Writes the views of things that begin and end: one row for each thing, with the fields of both events. */
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import { FIXED_VIEWS, SPAN_COLUMNS, type SpanPlan } from "./columns.js";
import type { View } from "./dialect.js";
import { createRefusal, formatViewName, type SqlContext } from "./event-views.js";
import { createSequence, createStreamKey, createTime } from "./stream-views.js";

/**
 * Returns the view of things of one kind. Redeliveries and refused events do not count. An event that begins a thing and the
 * next event with the same key belong together if that one ends it.
 */
export function createSpanView(context: SqlContext, plan: SpanPlan): View {
  const { protocol, dialect } = context;
  const { id, idScope } = protocol.stream ?? {};
  const text = { scalar: "text", isList: false } as const;
  const readText = (field: string): string => dialect.readValue("object", field, text);
  const isOf = (column: string, types: readonly string[]): string =>
    `${column} IN (${types.map(dialect.quoteText).join(", ")})`;
  const type = readText(protocol.envelope.discriminator);
  const keys = plan.keys.map((_, index) => `key_${index}`);
  const keyFields = plan.keys.map((path, index) => {
    const names = path.split("/");
    const parent = names.slice(0, -1).reduce(dialect.readObject, "payload");
    return `${dialect.readValue(parent, names.at(-1) ?? "", text)} AS key_${index}`;
  });
  const neighbour = `OVER (PARTITION BY ${["stream", ...keys].join(", ")} ORDER BY sequence NULLS LAST, file, position)`;
  const columns = ["type", "time", "sequence", "event"];
  const values = plan.columns.map(({ name, field, type: columnType }) => {
    const sides = ["end", "start"].map((side) => dialect.readValue(`${side}_payload`, field, columnType));
    return `coalesce(${sides.join(", ")}) AS ${dialect.quoteName(name)}`;
  });
  const own = Object.keys(SPAN_COLUMNS).map((name) =>
    name === "seconds" ? `${dialect.countSeconds("start_time", "end_time")} AS seconds` : name,
  );
  return {
    name: formatViewName(context, plan.view),
    comment: `From ${plan.start.join(", ")} to ${plan.end.join(", ")}: one row for each pair of events, without redeliveries. A field that both events have is that of the second one.`,
    columns: [...Object.entries(SPAN_COLUMNS).map(([name, comment]) => ({ name, comment })), ...plan.columns],
    query: `WITH fields AS (
  SELECT
    ${createStreamKey(context)} AS stream,
    ${createSequence(context)} AS sequence,
    ${type} AS type,
    ${createTime(context)} AS time,
    ${id === undefined ? dialect.formatNull("text") : readText(id)} AS id,
    ${choosePayload(context, plan, "object", type)} AS payload,
    event, file, position
  FROM (
    SELECT event, file, position, ${dialect.parseObject("event")} AS object
    FROM ${formatViewName(context, FIXED_VIEWS.rawEvents)}
  ) AS parsed
  WHERE ${isOf(type, [...plan.start, ...plan.end])} AND NOT (${createRefusal(context, "object")})
),
occurrences AS (
  SELECT *, row_number() OVER (PARTITION BY ${idScope === "protocol" ? "id" : "stream, id"} ORDER BY file, position) AS occurrence,
    ${[`${isOf("type", plan.start)} AS is_start`, ...keyFields].join(", ")}
  FROM fields
),
neighbours AS (
  SELECT *, lag(is_start) ${neighbour} AS is_after_start, lead(is_start) ${neighbour} AS is_before_start,
    ${columns.map((column) => `lead(${column}) ${neighbour} AS next_${column}`).join(",\n    ")}
  FROM occurrences WHERE occurrence = 1 OR id IS NULL
),
spans AS (
  SELECT stream,
    ${columns.map((column) => `CASE WHEN is_start THEN ${column} END AS start_${column}`).join(",\n    ")},
    ${columns.map((column) => `CASE WHEN NOT is_start THEN ${column} WHEN NOT is_before_start THEN next_${column} END AS end_${column}`).join(",\n    ")}
  FROM neighbours WHERE is_start OR NOT coalesce(is_after_start, FALSE)
),
parsed_spans AS (
  SELECT *, ${dialect.parseObject("start_event")} AS start_object, ${dialect.parseObject("end_event")} AS end_object
  FROM spans
),
payloads AS (
  SELECT *, ${["start", "end"].map((side) => `${choosePayload(context, plan, `${side}_object`, `${side}_type`)} AS ${side}_payload`).join(", ")}
  FROM parsed_spans
)
SELECT ${[...own, ...values].join(",\n  ")}
FROM payloads`,
  };
}

/** Returns the object with the payload of an event, which may depend on the type. */
function choosePayload(
  { protocol, dialect }: SqlContext,
  { start, end }: SpanPlan,
  object: string,
  type: string,
): string {
  const types = [...start, ...end];
  const readPayload = (name: string): string => {
    const carrier = findPayloadCarrier(
      protocol.envelope,
      protocol.events.find((event) => event.type === name),
    );
    return carrier === undefined ? object : dialect.readObject(object, carrier);
  };
  const [first = object, ...others] = new Set(types.map(readPayload));
  if (others.length === 0) return first;
  const cases = types.map((name) => `WHEN ${dialect.quoteText(name)} THEN ${readPayload(name)}`);
  return `CASE ${type} ${cases.join(" ")} END`;
}
