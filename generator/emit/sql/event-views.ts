/** Writes the views over single events. */
import type { Protocol } from "../../protocol/protocol.js";
import {
  type ColumnPlan,
  FIXED_VIEWS,
  IS_FIRST,
  IS_REFUSED,
  OTHER_FIELDS,
  PAYLOAD_OBJECT,
  RAW_COLUMNS,
  type ScalarType,
  type ViewPlan,
  type ViewsPlan,
} from "./columns.js";
import type { Dialect, FieldCheck, FoldingDialect, View } from "./dialect.js";

/** The protocol, its views and the dialect in which they are written. */
export interface SqlContext {
  readonly protocol: Protocol;
  readonly plan: ViewsPlan;
  readonly dialect: Dialect;
}

/** A context whose dialect can run compiled machines. */
export interface FoldingContext extends SqlContext {
  readonly dialect: FoldingDialect;
}

/** Returns the quoted name of a view with its schema. */
export function formatViewName({ plan, dialect }: SqlContext, name: string): string {
  return `${dialect.quoteName(plan.schema)}.${dialect.quoteName(name)}`;
}

/** The comments of columns that several views have. */
export const COMMENTS = {
  event: "The event as JSON.",
  file: "The file that holds the event.",
  position: "A number that grows within the file.",
  [OTHER_FIELDS.event]: "The fields of the event that the schemas do not declare, as JSON.",
  [OTHER_FIELDS.payload]: "The fields of the payload that the schemas do not declare, as JSON.",
  [IS_FIRST]:
    "False if the event was delivered before, or if a field of its envelope is missing or has another type. Sums and counts need is_first.",
} as const;

function describeColumns(columns: readonly (keyof typeof COMMENTS)[]): View["columns"] {
  return columns.map((name) => ({ name, comment: COMMENTS[name] }));
}

/** Returns the view of all events, those of unknown types too. It has a column for each field of the envelope. */
export function createEventsView(context: SqlContext): View {
  const { plan, protocol, dialect } = context;
  const { quoteName, readValue, parseObject, omitFields } = dialect;
  const { discriminator } = protocol.envelope;
  const fields = plan.envelope.map(
    ({ name, field, type }) => `${readValue("object", field, type)} AS ${quoteName(name)}`,
  );
  const others = omitFields(
    "object",
    plan.envelope.map(({ field }) => field),
  );
  const isEvent = `${readValue("object", discriminator, { scalar: "text", isList: false })} IS NOT NULL`;
  return {
    name: formatViewName(context, FIXED_VIEWS.events),
    comment: "All events, with the fields of the envelope.",
    columns: [...plan.envelope, ...describeColumns([OTHER_FIELDS.event, ...RAW_COLUMNS])],
    query: `SELECT
  ${[...fields, `${others} AS ${OTHER_FIELDS.event}`, ...RAW_COLUMNS].join(",\n  ")}
FROM (
  SELECT ${RAW_COLUMNS.join(", ")}, ${parseObject("event")} AS object
  FROM ${formatViewName(context, FIXED_VIEWS.rawEvents)}
) AS parsed
WHERE ${isEvent}`,
  };
}

/** Returns the view of the events of one type. */
export function createTypedView(context: SqlContext, view: ViewPlan): View {
  const { plan, dialect } = context;
  const { quoteName, readValue, parseObject, readObject } = dialect;
  const envelope = plan.envelope.filter(({ field }) => field !== view.carrier);
  const object = parseObject("event");
  const payload = view.carrier === undefined ? object : readObject(object, view.carrier);
  const fields = view.columns.map(
    ({ name, field, type }) => `${readValue(PAYLOAD_OBJECT, field, type)} AS ${quoteName(name)}`,
  );
  const others = createOtherFields(context, view);
  return {
    name: formatViewName(context, view.name),
    comment: view.comment,
    columns: [
      ...envelope,
      ...view.columns,
      ...describeColumns([...others.map(({ name }) => name), IS_FIRST, ...RAW_COLUMNS]),
    ],
    query: `SELECT
  ${[
    ...envelope.map(({ name }) => quoteName(name)),
    ...fields,
    ...others.map(({ name, expression }) => `${expression} AS ${name}`),
    `${createFirst(context)} AS ${IS_FIRST}`,
    ...RAW_COLUMNS,
  ].join(",\n  ")}
FROM (
  SELECT *, ${payload} AS ${PAYLOAD_OBJECT}, ${createRefusal(context, object)} AS ${IS_REFUSED}
  FROM ${formatViewName(context, FIXED_VIEWS.events)}
  WHERE ${quoteName(findDiscriminator(context).name)} = ${dialect.quoteText(view.eventType)}
) AS typed`,
  };
}

/**
 * Returns the condition that an event is the first one with its id. A redelivery has the type of the event that it repeats, so
 * only events of the type are sorted.
 */
function createFirst({ protocol, plan, dialect }: SqlContext): string {
  const { id, idScope, key = [] } = protocol.stream ?? {};
  const columns = [id ?? "", ...(idScope === "protocol" ? [] : key)].map((field) =>
    plan.envelope.find((column) => column.field === field),
  );
  if (columns.some((column) => column === undefined)) return `NOT ${IS_REFUSED}`;
  const [name = "", ...others] = columns.map((column) => dialect.quoteName(column?.name ?? ""));
  const partition = [name, ...others, IS_REFUSED].join(", ");
  return `NOT ${IS_REFUSED} AND (${name} IS NULL OR row_number() OVER (PARTITION BY ${partition} ORDER BY file, position) = 1)`;
}

/** Returns the columns with undeclared fields of the event and of its payload. */
function createOtherFields(
  { plan, dialect }: SqlContext,
  { carrier, columns }: ViewPlan,
): readonly { readonly name: keyof typeof COMMENTS; readonly expression: string }[] {
  const envelopeFields = plan.envelope.map(({ field }) => field);
  const payloadFields = columns.map(({ field }) => field);
  const declaredFields = new Set([...envelopeFields, ...(carrier === undefined ? payloadFields : [carrier])]);
  const otherFields = dialect.omitFields(dialect.parseObject("event"), [...declaredFields]);
  const others = [{ name: OTHER_FIELDS.event, expression: otherFields }];
  if (carrier === undefined) return others;
  const otherPayloadFields = dialect.omitFields(PAYLOAD_OBJECT, payloadFields);
  return [...others, { name: OTHER_FIELDS.payload, expression: otherPayloadFields }];
}

/** Returns the column with the type of an event. */
function findDiscriminator({ plan, protocol }: SqlContext): Pick<ColumnPlan, "name"> {
  const { discriminator } = protocol.envelope;
  const column = plan.envelope.find(({ field }) => field === discriminator);
  if (column === undefined)
    throw new Error(`the envelope of ${protocol.id} does not declare ${discriminator}`);
  return column;
}

/** The checks of the columns of the envelope. */
const KINDS: { readonly [scalar in ScalarType]?: FieldCheck["kind"] } = {
  text: "text",
  time: "text",
  integer: "whole",
  boolean: "boolean",
};

/**
 * Returns the condition that `accrete validate` refuses an event, as far as the fields of its envelope show it. The number of
 * such an event is not missing in its stream, but what else it says does not count.
 */
export function createRefusal({ protocol, plan, dialect }: SqlContext, object: string): string {
  const { required } = protocol.envelope.schema;
  const checks = plan.envelope.flatMap(({ field, type }): FieldCheck[] => {
    const isNumber = type.scalar === "integer" || type.scalar === "bigInteger";
    const isSequence = isNumber && field === protocol.stream?.sequence;
    const kind = type.isList ? undefined : isSequence ? "safe" : KINDS[type.scalar];
    const isOptional = !(Array.isArray(required) && required.includes(field));
    return kind === undefined ? [] : [{ field, kind, isOptional }];
  });
  return checks.length === 0 ? "FALSE" : `NOT ${dialect.checkFields(object, checks)}`;
}
