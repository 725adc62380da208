/** Writes the SQL expression of an event as JSON text, for Parquet files with a column for each field of the envelope. */
import type { DuckDBType } from "@duckdb/node-api";
import { describeShape } from "../emit/plan/shape.js";
import { getItem } from "../get-item.js";
import type { Json } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { derivePossibleTypes } from "../schema/possible-types.js";
import type { Definitions } from "../schema/reference.js";
import { quoteLiteral, quoteName } from "./database.js";

/** A column and its type in DuckDB. */
export interface Column {
  readonly name: string;
  readonly type: DuckDBType;
}

/** A value of an event: its expression, and the schemas of all event types that have it. */
interface Value {
  readonly expression: string;
  readonly type: DuckDBType;
  readonly schemas: readonly TypeSchema[];
}

/** The schema of a value in the events of one type. */
interface TypeSchema {
  readonly eventType: string;
  readonly schema: Json;
}

/** The definitions of a protocol, and the expression of the type of an event. */
interface Context {
  readonly definitions: Definitions;
  readonly eventType: string;
}

export function isBlob(type: DuckDBType): boolean {
  return String(type) === "BLOB";
}

/** Returns whether values are texts, or bytes that may be texts. */
export function isText(type: DuckDBType): boolean {
  return String(type) === "VARCHAR" || isBlob(type);
}

/** Returns whether values are objects or lists. */
export function isNested(type: DuckDBType): boolean {
  return "entryTypes" in type || "valueType" in type;
}

/** Returns the expression of an event as JSON text. */
export function createEventText(columns: readonly Column[], protocol: Protocol): string {
  const { definitions, envelope, events } = protocol;
  const context = { definitions, eventType: quoteName(envelope.discriminator) };
  const schemas = events.map((event) => ({
    eventType: event.type,
    schema: createMessageSchema(protocol, event),
  }));
  const fields = columns.map(({ name, type }) => ({ name, type, expression: quoteName(name) }));
  return formatObject(fields, schemas, context, 0);
}

/** Returns the schema of a whole event. */
function createMessageSchema({ envelope }: Protocol, event: EventType): Json {
  const carrier = findPayloadCarrier(envelope, event);
  const body = carrier === undefined ? event.payload : { properties: { [carrier]: event.payload } };
  return { allOf: [envelope.schema, body] };
}

/** A field of an object: its expression and its type. */
interface Field extends Column {
  readonly expression: string;
}

/**
 * Returns the expression of an object. Fields that are null are absent, because a Parquet file gives each object all fields.
 * They are null only in events whose schema requires the field and allows null.
 */
function formatObject(
  fields: readonly Field[],
  schemas: readonly TypeSchema[],
  context: Context,
  depth: number,
): string {
  const shapes = schemas.map(({ eventType, schema }) => ({
    eventType,
    fields: describeShape(schema, context.definitions).fields,
  }));
  const members = fields.map(({ name, expression, type }) => {
    const declarations = shapes.flatMap(({ eventType, fields }) => {
      const field = fields.find((each) => each.name === name);
      return field === undefined
        ? []
        : [{ eventType, schema: { allOf: field.schemas }, isRequired: field.required }];
    });
    const key = `${JSON.stringify(name)}:`;
    const text = formatValue({ expression, type, schemas: declarations }, context, depth);
    const nullTypes = declarations
      .filter(({ schema, isRequired }) => isRequired && mayBe("null", schema, context))
      .map(({ eventType }) => quoteLiteral(eventType));
    const nullCase =
      nullTypes.length === 0
        ? ""
        : ` WHEN ${context.eventType} IN (${nullTypes.join(", ")}) THEN ${quoteLiteral(`${key}null`)}`;
    return `CASE WHEN ${expression} IS NOT NULL THEN ${quoteLiteral(key)} || ${text}${nullCase} END`;
  });
  return `'{' || concat_ws(',', ${members.join(", ")}) || '}'`;
}

function mayBe(jsonType: string, schema: Json, { definitions }: Context): boolean {
  return derivePossibleTypes(schema, definitions).has(jsonType);
}

/** Returns the expression of a value as JSON text. The parameters of lambdas within each other have different names. */
function formatValue({ expression, type, schemas }: Value, context: Context, depth: number): string {
  if ("entryTypes" in type) {
    const fields = type.entryNames.map((name, index) => ({
      name,
      type: getItem(type.entryTypes, index),
      expression: `struct_extract(${expression}, ${quoteLiteral(name)})`,
    }));
    return formatObject(fields, schemas, context, depth);
  }
  if ("valueType" in type) {
    const isMap = "keyType" in type;
    const item = `item${depth}`;
    const itemSchemas = schemas.flatMap(({ eventType, schema }) => {
      const { values, items } = describeShape(schema, context.definitions);
      const itemSchema = isMap ? values : items;
      return itemSchema === undefined ? [] : [{ eventType, schema: itemSchema }];
    });
    const value = isMap ? `${item}.value` : item;
    const text = formatValue(
      { expression: value, type: type.valueType, schemas: itemSchemas },
      context,
      depth + 1,
    );
    const textOrNull = `CASE WHEN ${value} IS NULL THEN 'null' ELSE ${text} END`;
    return isMap
      ? `'{' || ${joinItems(`map_entries(${expression})`, item, `to_json(${item}.key::VARCHAR) || ':' || ${textOrNull}`)} || '}'`
      : `'[' || ${joinItems(expression, item, textOrNull)} || ']'`;
  }
  return formatScalar({ expression, type, schemas }, context);
}

/** Returns the expression of the texts of the items of a list, with commas between them. */
function joinItems(list: string, item: string, text: string): string {
  return `array_to_string(list_transform(${list}, lambda ${item}: ${text}), ',')`;
}

/** What replaces bytes that are not UTF-8 where a schema declares a value. It is not JSON, so that the row has a finding. */
const NOT_UTF8 = "not UTF-8";

/**
 * Returns the expression of a single value. A text is JSON if no schema allows a text; a time is then a number of milliseconds.
 * Bytes that are not UTF-8 are a text in base64 if no schema declares them.
 */
function formatScalar({ expression, type, schemas }: Value, context: Context): string {
  const allowsTexts = schemas.length === 0 || schemas.some(({ schema }) => mayBe("string", schema, context));
  if (isText(type)) {
    const text = isBlob(type) ? `try(decode(${expression}))` : expression;
    const json = allowsTexts ? `to_json(${text})::VARCHAR` : `${text}::VARCHAR`;
    if (!isBlob(type)) return json;
    const otherwise =
      schemas.length === 0 ? `to_json(base64(${expression}))::VARCHAR` : quoteLiteral(NOT_UTF8);
    return `coalesce(${json}, ${otherwise})`;
  }
  if (!String(type).startsWith("TIMESTAMP")) return `to_json(${expression})::VARCHAR`;
  return allowsTexts
    ? `to_json(strftime(${expression}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%gZ'))::VARCHAR`
    : `epoch_ms(${expression})::VARCHAR`;
}
