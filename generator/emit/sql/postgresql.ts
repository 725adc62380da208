/**
 * The dialect of PostgreSQL. The raw events are values of the type `jsonb`: the database parses them once, and can index their
 * fields. It cannot fold lists, so `violations` has the rules about deliveries only.
 */
import { sha256Hex } from "../../sha256.js";
import type { ScalarType } from "./columns.js";
import { type Dialect, type FieldCheck, INVISIBLE } from "./dialect.js";

const TYPES: { readonly [T in ScalarType]: string } = {
  text: "text",
  integer: "bigint",
  bigInteger: "numeric",
  number: "double precision",
  boolean: "boolean",
  time: "timestamp",
  json: "jsonb",
};

/** The most bytes of a name. PostgreSQL cuts off longer ones, which may make them equal. */
const MAX_NAME_BYTES = 63;

/** Returns a quoted name. A long one ends with a digest of what is left out. */
function quoteName(name: string): string {
  let kept = name;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    const characters = [...name];
    while (Buffer.byteLength(characters.join("")) > MAX_NAME_BYTES - 9) characters.pop();
    kept = `${characters.join("")}_${sha256Hex(name).slice(0, 8)}`;
  }
  return `"${kept.replaceAll('"', '""')}"`;
}

/** Returns a literal. A text of PostgreSQL cannot have the character U+0000. */
function quoteText(text: string): string {
  const quotedText = text.toWellFormed().replaceAll("\0", "\ufffd").replaceAll("'", "''");
  const escapedText = quotedText
    .replaceAll("\\", "\\\\")
    .replace(INVISIBLE, (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, "0")}`);
  return escapedText === quotedText ? `'${quotedText}'` : `E'${escapedText}'`;
}

const readMember = (object: string, field: string): string => `(${object} -> ${quoteText(field)})`;

/** The schema of the functions below, which the views of all protocols share. */
const SCHEMA = "accrete";

/**
 * The functions that read JSON as values of a type: null if it has another type. Casts would end the whole query instead.
 * All are single expressions, so that the database inlines them and runs them in parallel.
 */
const FUNCTIONS: { readonly [scalar in ScalarType]?: string } = {
  integer: `CASE WHEN jsonb_typeof(value) = 'number' THEN CASE WHEN value::numeric = trunc(value::numeric) AND abs(value::numeric) <= 9223372036854775807 THEN value::bigint END END`,
  bigInteger: `CASE WHEN jsonb_typeof(value) = 'number' THEN CASE WHEN value::numeric = trunc(value::numeric) AND abs(value::numeric) < 1e38 THEN value::numeric END END`,
  number: `CASE WHEN jsonb_typeof(value) = 'number' THEN CASE WHEN abs(value::numeric) BETWEEN 1e-307 AND 1.7e308 THEN value::double precision WHEN abs(value::numeric) < 1e-307 THEN 0 END END`,
  boolean: `CASE WHEN jsonb_typeof(value) = 'boolean' THEN value::boolean END`,
  time: `CASE WHEN jsonb_typeof(value) = 'string' AND (value #>> '{}') ~ '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,30})?([Zz]|[+-](0[0-9]|1[0-5]):[0-5][0-9])$' THEN CASE WHEN substr(value #>> '{}', 9, 2)::int <= extract(day FROM make_date(substr(value #>> '{}', 1, 4)::int, substr(value #>> '{}', 6, 2)::int, 1) + interval '1 month' - interval '1 day') THEN (value #>> '{}')::timestamptz AT TIME ZONE 'UTC' END END`,
};

function createFunctions(): readonly string[] {
  return Object.entries(FUNCTIONS).map(
    ([scalar, body]) =>
      `CREATE OR REPLACE FUNCTION ${SCHEMA}.read_${scalar.toLowerCase()}(value jsonb) RETURNS ${TYPES[scalar as ScalarType]} LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT ${body} $$`,
  );
}

/** Returns a JSON value as a value of a type; null if it has another one. */
function readScalar(value: string, scalar: ScalarType): string {
  if (scalar === "json") return value;
  return scalar === "text" ? `(${value} #>> '{}')` : `${SCHEMA}.read_${scalar.toLowerCase()}(${value})`;
}

const CHECKS: { readonly [kind in FieldCheck["kind"]]: (value: string) => string } = {
  text: (value) => `jsonb_typeof(${value}) = 'string'`,
  whole: (value) =>
    `CASE WHEN jsonb_typeof(${value}) = 'number' THEN ${value}::numeric = trunc(${value}::numeric) ELSE FALSE END`,
  safe: (value) =>
    `CASE WHEN jsonb_typeof(${value}) = 'number' THEN ${value}::numeric = trunc(${value}::numeric) AND abs(${value}::numeric) <= ${Number.MAX_SAFE_INTEGER} ELSE FALSE END`,
  boolean: (value) => `jsonb_typeof(${value}) = 'boolean'`,
};

export const postgresql: Dialect = {
  title: "PostgreSQL",
  eventColumn: "one event as jsonb",
  createBinding: (table) => `CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
CREATE OR REPLACE FUNCTION ${SCHEMA}.read_event(line text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  -- No value of the database has the character U+0000.
  RETURN regexp_replace(line, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u0000', '\\1\\\\ufffd', 'g')::jsonb;
EXCEPTION WHEN others THEN
  RETURN NULL;
END $$;
CREATE TABLE ${table} (
  line text NOT NULL,
  event jsonb GENERATED ALWAYS AS (${SCHEMA}.read_event(line)) STORED,
  file text NOT NULL DEFAULT '',
  position bigint GENERATED ALWAYS AS IDENTITY
);
\\copy ${table} (line) FROM 'run.jsonl' WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')`,
  quoteName,
  quoteText,
  formatNull: (type) => `CAST(NULL AS ${TYPES[type]})`,
  parseObject: (event) => event,
  readObject: readMember,
  readValue(object, field, { scalar, isList }) {
    const value = readMember(object, field);
    // An index on such an expression, as people write it, serves the views.
    if (scalar === "text" && !isList) return `(${object} ->> ${quoteText(field)})`;
    if (!isList) return readScalar(value, scalar);
    const items = `jsonb_array_elements(${value}) WITH ORDINALITY AS items (item, at)`;
    return `CASE WHEN jsonb_typeof(${value}) = 'array' THEN ARRAY(SELECT ${readScalar("item", scalar)} FROM ${items} ORDER BY at) END`;
  },
  omitFields: (object, fields) =>
    `CASE WHEN jsonb_typeof(${object}) = 'object' THEN ${object} - ARRAY[${fields.map(quoteText).join(", ")}]::text[] END`,
  // JavaScript has no times beyond these.
  convertMilliseconds: (milliseconds) =>
    `CASE WHEN ${milliseconds} BETWEEN -62135596800000 AND 8640000000000000 THEN to_timestamp(${milliseconds} / 1000.0) AT TIME ZONE 'UTC' END`,
  countSeconds: (from, to) => `extract(epoch FROM ${to} - ${from})::double precision`,
  checkFields(object, checks) {
    const conditions = checks.map(({ field, kind, isOptional }) => {
      const value = readMember(object, field);
      return `CASE WHEN ${value} IS NULL THEN ${isOptional ? "TRUE" : "FALSE"} ELSE ${CHECKS[kind](value)} END`;
    });
    return `(${conditions.join(" AND ")})`;
  },
  takeLast: (column, order, condition) =>
    `(array_agg(${column} ORDER BY ${order} DESC) FILTER (WHERE ${condition}))[1]`,
  // CREATE OR REPLACE VIEW cannot add a column between others.
  prepareViews: (names) => [
    `CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`,
    ...createFunctions(),
    `DROP VIEW IF EXISTS ${names.join(", ")}`,
  ],
  createView: ({ name, comment, columns, query }) => [
    `CREATE VIEW ${name} AS\n${query}`,
    `COMMENT ON VIEW ${name} IS ${quoteText(comment)}`,
    ...columns
      .filter((column) => column.comment !== "")
      .map((column) => `COMMENT ON COLUMN ${name}.${quoteName(column.name)} IS ${quoteText(column.comment)}`),
  ],
};
