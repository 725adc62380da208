/** Plans the views over the events of a protocol: one for the envelope, and one for each event type. */
import { groupBy } from "../../group-by.js";
import { getOwn, isObject, type Json } from "../../json.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { listSpans, type Span } from "../../protocol/spans.js";
import {
  CONJUNCTION,
  createSpotWithoutPlace,
  describeSchema,
  listStatements,
  omitAllFacets,
} from "../../schema/describe.js";
import type { Definitions } from "../../schema/reference.js";
import { sanitizeLine } from "../../text.js";
import { createDoc, createEventDoc, type DocText } from "../plan/doc.js";
import { createNameAssigner } from "../plan/names.js";
import { describeShape, type ShapeField } from "../plan/shape.js";

/** The type of single values. `json` stands for objects, for lists of other things, and for values of several types. */
export type ScalarType = "text" | "integer" | "bigInteger" | "number" | "boolean" | "time" | "json";

/** The type of a column. */
export interface ColumnType {
  readonly scalar: ScalarType;
  readonly isList: boolean;
}

/** A column with a field of an event or of its payload. */
export interface ColumnPlan {
  /** The name of the column, which is unique in its view whatever the letter case. */
  readonly name: string;
  /** The name of the field in JSON. */
  readonly field: string;
  readonly type: ColumnType;
  readonly comment: string;
}

/** The view of an event type. */
export interface ViewPlan {
  readonly name: string;
  readonly eventType: string;
  readonly comment: string;
  /** The property of the event that holds the payload; undefined if the payload is beside the fields of the envelope. */
  readonly carrier: string | undefined;
  /** The fields of the payload. The view also has the columns of the envelope. */
  readonly columns: readonly ColumnPlan[];
}

/** The view of things that begin and end. */
export interface SpanPlan extends Span {
  /** The name of the view. */
  readonly view: string;
  /** The fields of the payloads of all its event types. */
  readonly columns: readonly ColumnPlan[];
}

/** The views of a protocol. */
export interface ViewsPlan {
  /** The name of the schema that holds all views. */
  readonly schema: string;
  /** The columns of the view of all events. */
  readonly envelope: readonly ColumnPlan[];
  readonly views: readonly ViewPlan[];
  readonly spans: readonly SpanPlan[];
}

/** The names of the views that every protocol has, and of the table of events that the user binds. */
export const FIXED_VIEWS = {
  rawEvents: "raw_events",
  events: "events",
  deliveries: "deliveries",
  streams: "streams",
  violations: "violations",
} as const;

/** The columns of `raw_events`, which all views of events have too. */
export const RAW_COLUMNS = ["event", "file", "position"] as const;

/** The column of the view of an event type that tells first deliveries from others. */
export const IS_FIRST = "is_first";

/** The columns with the undeclared fields of an event and of its payload. */
export const OTHER_FIELDS = { event: "other_fields", payload: "other_payload_fields" } as const;

/** The columns of subqueries: the parsed payload, and whether the event is refused. No column of a view has these names. */
export const PAYLOAD_OBJECT = "payload_object";
export const IS_REFUSED = "is_refused";

/** The columns of the views of spans before those of the payloads, with their comments. */
export const SPAN_COLUMNS: { readonly [column: string]: string } = {
  stream: "The key of the stream. Several fields are joined by /.",
  start_type: "The type of the event that began it; null if the archive has none.",
  end_type: "The type of the event that ended it; null if the archive has none.",
  start_time: "The time at which it began, in UTC.",
  end_time: "The time at which it ended, in UTC.",
  seconds: "The seconds from its beginning to its end.",
  start_sequence: "The number of the event that began it.",
  end_sequence: "The number of the event that ended it.",
  start_event: "The text of the event that began it.",
  end_event: "The text of the event that ended it.",
};

const RESERVED_COLUMNS = [
  ...RAW_COLUMNS,
  ...Object.values(OTHER_FIELDS),
  ...[IS_FIRST, PAYLOAD_OBJECT, IS_REFUSED],
];

/** Plans the views of a protocol. Names and types are the same in all dialects. */
export function planViews(protocol: Protocol): ViewsPlan {
  const { envelope, events, definitions, name, major } = protocol;
  const assignViewName = createNameAssigner(Object.values(FIXED_VIEWS), foldCase);
  const assignColumnName = createNameAssigner(RESERVED_COLUMNS, foldCase);
  const columns = describeShape(envelope.schema, definitions).fields.map((field) =>
    planColumn(field, definitions, assignColumnName(formatColumnName(field.name))),
  );
  const views = events.map((event) => ({
    ...planView(protocol, event, columns),
    name: assignViewName(sanitizeViewName(event.type)),
  }));
  return {
    schema: sanitizeViewName(`${name}_v${major}`),
    envelope: columns,
    views,
    spans: listSpans(protocol).map((span) => ({
      ...span,
      view: assignViewName(`${sanitizeViewName(span.name)}_spans`),
      columns: planSpanColumns(span, views),
    })),
  };
}

/** Returns a column for each field of the payloads. A field of several event types has one column. */
function planSpanColumns({ start, end }: Span, views: readonly ViewPlan[]): readonly ColumnPlan[] {
  const assignColumnName = createNameAssigner(Object.keys(SPAN_COLUMNS), foldCase);
  const fields = groupBy(
    [...start, ...end].flatMap((type) => views.find((view) => view.eventType === type)?.columns ?? []),
    ({ field }) => field,
  );
  return [...fields.values()].map((columns): ColumnPlan => {
    const [first] = columns as [ColumnPlan];
    const comment = columns.find((column) => column.comment !== "")?.comment ?? "";
    return { ...first, name: assignColumnName(first.name), type: joinTypes(columns), comment };
  });
}

/** Returns the type of all columns; JSON if they differ. */
function joinTypes(columns: readonly Pick<ColumnPlan, "type">[]): ColumnType {
  const [{ type } = { type: JSON_COLUMN }] = columns;
  const isSame = columns.every(
    ({ type: { scalar, isList } }) => scalar === type.scalar && isList === type.isList,
  );
  return isSame ? type : JSON_COLUMN;
}

function planView(
  { envelope, definitions }: Protocol,
  event: EventType,
  envelopeColumns: readonly ColumnPlan[],
): Omit<ViewPlan, "name"> {
  const carrier = findPayloadCarrier(envelope, event);
  const hasPayload = carrier !== undefined || envelope.placement === "inline";
  const envelopeNames = new Set(envelopeColumns.map(({ name }) => name.toLowerCase()));
  const assignColumnName = createNameAssigner([...RESERVED_COLUMNS, ...envelopeNames], foldCase);
  const isOwn = ({ name }: ShapeField): boolean =>
    carrier !== undefined || !envelopeColumns.some(({ field }) => field === name);
  const fields = hasPayload ? describeShape(event.payload, definitions).fields.filter(isOwn) : [];
  const columns = fields.map((field) => {
    const name = formatColumnName(field.name);
    // A field of the payload with the name of an envelope field is named for the property that holds it.
    const isQualified = envelopeNames.has(name.toLowerCase()) && carrier !== undefined;
    const columnName = formatColumnName(isQualified ? `${carrier}_${name}` : name);
    return planColumn(field, definitions, assignColumnName(columnName));
  });
  return { eventType: event.type, comment: formatComment(createEventDoc(event)), carrier, columns };
}

function planColumn(field: ShapeField, definitions: Definitions, name: string): ColumnPlan {
  const [schema = true] = field.schemas;
  const types = field.schemas.map((each) => ({ type: deriveColumnType(each, definitions) }));
  return {
    name,
    field: field.name,
    type: joinTypes(types),
    comment: formatComment(createDoc(schema)),
  };
}

const JSON_COLUMN: ColumnType = { scalar: "json", isList: false };

/** Returns the type of the values of a schema. */
function deriveColumnType(schema: Json, definitions: Definitions): ColumnType {
  const { types, items } = describeShape(schema, definitions);
  if (types.join() !== "array") return { scalar: deriveScalarType(schema, definitions), isList: false };
  const scalar = items === undefined ? "json" : deriveScalarType(items, definitions);
  return { scalar, isList: scalar !== "json" };
}

/** The greatest number of a column of 64 bits. */
const MAX_INTEGER = 2 ** 63;

function deriveScalarType(schema: Json, definitions: Definitions): ScalarType {
  const { definition, types, bounds } = describeShape(schema, definitions);
  const target = definition === undefined ? undefined : getOwn(definitions, definition);
  if (target !== undefined && definition !== undefined && isObject(target.schema) && target.schema !== schema)
    return deriveScalarType(target.schema, omitDefinition(definitions, definition));
  switch (types.join()) {
    case "string":
      return isTime(schema, definitions) ? "time" : "text";
    case "integer":
      return (bounds.maximum?.value ?? 0) >= MAX_INTEGER ? "bigInteger" : "integer";
    case "number":
    case "boolean":
      return types[0] as "number" | "boolean";
    default:
      return "json";
  }
}

/** Returns the definitions without one, so that a definition that refers to itself ends the search. */
function omitDefinition(definitions: Definitions, name: string): Definitions {
  return Object.fromEntries(Object.entries(definitions).filter(([other]) => other !== name));
}

const FORMAT_COVERAGE = {
  ...omitAllFacets({ reason: "it says nothing about formats", result: "wider" }),
  texts: "used",
  references: "used",
  composition: "used",
} as const;

function isTime(schema: Json, definitions: Definitions): boolean {
  const description = describeSchema(
    createSpotWithoutPlace(schema),
    definitions,
    FORMAT_COVERAGE,
    CONJUNCTION,
  );
  return listStatements(description, "format").some(({ value }) => value === "date-time");
}

function formatComment({ text, deprecated }: DocText): string {
  return sanitizeLine([text, deprecated === undefined ? "" : `Deprecated: ${deprecated}`].join(" ").trim());
}

/** The most characters of a name. Some catalogues refuse longer ones. */
const MAX_NAME_LENGTH = 120;

/** Returns a name of a view or schema: letters, digits and underscores, because the catalogue of Spark refuses others. */
function sanitizeViewName(name: string): string {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  return /^[a-z]/.test(words) ? words.slice(0, MAX_NAME_LENGTH) : `event_${words}`.slice(0, MAX_NAME_LENGTH);
}

/** Returns a name of a column. It keeps the letters of all scripts, and has no character that ends a quoted name. */
function formatColumnName(name: string): string {
  const words = name.normalize("NFC").replace(/[^\p{L}\p{N}\p{M}_ .:/@#-]/gu, "_");
  return words === "" ? "_" : [...words].slice(0, MAX_NAME_LENGTH).join("");
}

/** Returns one text for all names that differ in letter case only. */
function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}
