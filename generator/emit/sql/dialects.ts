/** The differences between the dialects of SQL, as a table. All queries are written once, with these expressions. */
import { joinPointer } from "../../json.js";
import type { ColumnType, ScalarType } from "./columns.js";

/** A column of a view with its comment. */
interface CommentedColumn {
  readonly name: string;
  readonly comment: string;
}

/** A view with its query. */
export interface View {
  /** The quoted name, with that of its schema. */
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly CommentedColumn[];
  readonly query: string;
}

/** The expressions and statements that dialects write in different ways. Arguments are expressions, unless their names differ. */
export interface Dialect {
  readonly title: string;
  /** Returns a statement that binds the table of raw events to files. */
  readonly createBinding: (table: string) => string;
  /** Returns an identifier for any name. */
  readonly quoteName: (name: string) => string;
  /** Returns a literal of any text. It has no line ends. */
  readonly quoteText: (text: string) => string;
  /** Returns the null of a type. */
  readonly formatNull: (type: ScalarType) => string;
  /** Returns the object of a JSON text; null for all other texts. */
  readonly parseObject: (text: string) => string;
  /** Returns the object in a field of an object. */
  readonly readObject: (object: string, field: string) => string;
  /** Returns a field of an object; null if it is absent or has another type. */
  readonly readValue: (object: string, field: string, type: ColumnType) => string;
  /** Returns an object without some of its fields, as JSON. */
  readonly omitFields: (object: string, fields: readonly string[]) => string;
  /** Returns the time that is a number of milliseconds after the beginning of 1970. */
  readonly convertMilliseconds: (milliseconds: string) => string;
  /** Returns the seconds between two times. */
  readonly countSeconds: (from: string, to: string) => string;
  /** Returns the statements that create a view. */
  readonly createView: (view: View) => readonly string[];
}

/** The name of a dialect. */
export type DialectName = "duckdb" | "spark";

const DUCKDB_TYPES: { readonly [T in ScalarType]: string } = {
  text: "VARCHAR",
  integer: "BIGINT",
  bigInteger: "DECIMAL(38, 0)",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  time: "TIMESTAMPTZ",
  json: "JSON",
};

const SPARK_TYPES: { readonly [T in ScalarType]: string } = {
  ...DUCKDB_TYPES,
  text: "STRING",
  time: "TIMESTAMP",
  json: "VARIANT",
};

/** Characters that a literal should not contain. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the literal of a text for DuckDB, whose literals have no escapes for characters. */
function quoteDuckdbText(text: string): string {
  const literal = `'${text.toWellFormed().replaceAll("'", "''")}'`;
  const joinedText = literal.replace(INVISIBLE, (character) => `' || chr(${character.codePointAt(0)}) || '`);
  return joinedText === literal ? literal : `(${joinedText})`;
}

/** Returns the literal of a text for Spark. The escaped brace keeps `${…}` from being replaced by a setting. */
function quoteSparkText(text: string): string {
  const escapedText = text
    .toWellFormed()
    .replace(/[\\']/g, "\\$&")
    .replaceAll("${", "$\\{")
    .replace(INVISIBLE, (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, "0")}`);
  return `'${escapedText}'`;
}

function quoteSparkName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

function quoteDuckdbName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the expression of a value in a map of Spark. */
function readSparkMember(object: string, field: string, type: string): string {
  return `try_variant_get(${object}[${quoteSparkText(field)}], '$', '${type}')`;
}

const duckdb: Dialect = {
  title: "DuckDB",
  createBinding: (table) => `CREATE VIEW ${table} AS
  SELECT json AS event, filename AS file, row_number() OVER () AS position
  FROM read_json_objects('archive/*.jsonl', format = 'newline_delimited', ignore_errors = true, filename = true);`,
  quoteName: quoteDuckdbName,
  quoteText: quoteDuckdbText,
  formatNull: (type) => `CAST(NULL AS ${type === "time" ? "TIMESTAMP" : DUCKDB_TYPES[type]})`,
  parseObject: (text) => `TRY_CAST(${text} AS JSON)`,
  readObject: (object, field) => `json_extract(${object}, ${quoteDuckdbText(joinPointer("", field))})`,
  readValue(object, field, { scalar, isList }) {
    const path = quoteDuckdbText(joinPointer("", field));
    if (isList) return `TRY_CAST(json_extract(${object}, ${path}) AS ${DUCKDB_TYPES[scalar]}[])`;
    if (scalar === "json") return `json_extract(${object}, ${path})`;
    const text = `json_extract_string(${object}, ${path})`;
    if (scalar === "text") return text;
    const value = `TRY_CAST(${text} AS ${DUCKDB_TYPES[scalar]})`;
    return scalar === "time" ? `(${value} AT TIME ZONE 'UTC')` : value;
  },
  omitFields(object, fields) {
    const removal = JSON.stringify(Object.fromEntries(fields.map((field) => [field, null])));
    return `json_merge_patch(${object}, ${quoteDuckdbText(removal)})`;
  },
  convertMilliseconds: (milliseconds) => `epoch_ms(${milliseconds})`,
  countSeconds: (from, to) => `(epoch_us(${to}) - epoch_us(${from})) / 1000000`,
  createView: ({ name, comment, columns, query }) => [
    `CREATE OR REPLACE VIEW ${name} AS\n${query}`,
    `COMMENT ON VIEW ${name} IS ${quoteDuckdbText(comment)}`,
    ...columns
      .filter((column) => column.comment !== "")
      .map(
        (column) =>
          `COMMENT ON COLUMN ${name}.${quoteDuckdbName(column.name)} IS ${quoteDuckdbText(column.comment)}`,
      ),
  ],
};

const spark: Dialect = {
  title: "Apache Spark 4",
  createBinding: (table) => `CREATE VIEW ${table} AS
  SELECT value AS event, _metadata.file_path AS file, monotonically_increasing_id() AS position
  FROM text.\`archive/*.jsonl\`;`,
  quoteName: quoteSparkName,
  quoteText: quoteSparkText,
  formatNull: (type) => `CAST(NULL AS ${SPARK_TYPES[type]})`,
  parseObject: (text) => `from_json(${text}, 'MAP<STRING, VARIANT>')`,
  readObject: (object, field) => readSparkMember(object, field, "MAP<STRING, VARIANT>"),
  readValue(object, field, { scalar, isList }) {
    if (isList) return readSparkMember(object, field, `ARRAY<${SPARK_TYPES[scalar]}>`);
    if (scalar === "json") return `to_json(${object}[${quoteSparkText(field)}])`;
    return readSparkMember(object, field, SPARK_TYPES[scalar]);
  },
  omitFields(object, fields) {
    if (fields.length === 0) return `to_json(${object})`;
    const names = fields.map(quoteSparkText).join(", ");
    return `to_json(map_filter(${object}, (name, value) -> name NOT IN (${names})))`;
  },
  convertMilliseconds: (milliseconds) => `timestamp_millis(${milliseconds})`,
  countSeconds: (from, to) => `(unix_micros(${to}) - unix_micros(${from})) / 1000000D`,
  createView({ name, comment, columns, query }) {
    const list = columns.map((column) => {
      const quotedName = quoteSparkName(column.name);
      return column.comment === "" ? quotedName : `${quotedName} COMMENT ${quoteSparkText(column.comment)}`;
    });
    return [
      `CREATE OR REPLACE VIEW ${name} (\n  ${list.join(",\n  ")}\n) COMMENT ${quoteSparkText(comment)} AS\n${query}`,
    ];
  },
};

/** The dialects by their names, which are also the names of the files. */
export const DIALECTS: { readonly [name in DialectName]: Dialect } = { duckdb, spark };
