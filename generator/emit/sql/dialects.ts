/** The differences between the dialects of SQL, as a table. All queries are written once, with these expressions. */
import { joinPointer } from "../../json.js";
import type { ScalarType } from "./columns.js";
import {
  type Dialect,
  type FieldCheck,
  type FoldingDialect,
  INVISIBLE,
  type MachineDialect,
} from "./dialect.js";
import { postgresql } from "./postgresql.js";

/** The name of a dialect. */
export type DialectName = "duckdb" | "postgresql" | "spark";

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

/** Returns the tagged value of a number. */
export function tagNumber(number: string): string {
  return `CASE WHEN ${number} = floor(${number}) AND abs(${number}) < 1e15
    THEN CAST(CAST(${number} AS BIGINT) AS STRING) ELSE CAST(${number} AS STRING) END`;
}

/** Returns the tagged value of a JSON text. `unquoted` is its value if it is a text. */
function tagValue(json: string, unquoted: string): string {
  return `CASE WHEN left(${json}, 1) = '"' THEN 's' || ${unquoted}
    WHEN left(${json}, 1) BETWEEN '-' AND '9' THEN ${tagNumber(`TRY_CAST(${json} AS DOUBLE)`)} ELSE 'j' || ${json} END`;
}

/** The conditions about tagged values. */
const isText = (tag: string): string => `left(${tag}, 1) = 's'`;
const isWhole = (tag: string): string =>
  `coalesce(TRY_CAST(${tag} AS DOUBLE) = floor(TRY_CAST(${tag} AS DOUBLE)), FALSE)`;
const CHECKS: { readonly [kind in FieldCheck["kind"]]: (tag: string) => string } = {
  text: isText,
  whole: isWhole,
  safe: (tag) => `${isWhole(tag)} AND abs(TRY_CAST(${tag} AS DOUBLE)) <= ${Number.MAX_SAFE_INTEGER}`,
  boolean: (tag) => `${tag} IN ('jtrue', 'jfalse')`,
};

/** Returns a function that checks the tagged values of fields. Each field is read once. */
function createFieldChecker(d: MachineDialect): Dialect["checkFields"] {
  return (object, checks) => {
    const fields = d.readFields(
      object,
      checks.map(({ field }) => [field]),
    );
    const tags = d.transform(fields, d.lambda(["field"], d.tag("field")));
    const conditions = checks.map(({ kind, isOptional }, index) => {
      const tag = d.element("tags", index);
      return `CASE WHEN ${tag} IS NULL THEN ${isOptional ? "TRUE" : "FALSE"} ELSE ${CHECKS[kind](tag)} END`;
    });
    return d.element(d.transform(d.list([tags]), d.lambda(["tags"], `(${conditions.join(" AND ")})`)), 0);
  };
}

const takeLast: Dialect["takeLast"] = (column, order, condition) =>
  `max_by(${column}, ${order}) FILTER (WHERE ${condition})`;

const escapeName = (name: string): string => `replace(replace(${name}, '~', '~0'), '/', '~1')`;

const duckdbMachines: MachineDialect = {
  list: (items) => `[${items.join(", ")}]`,
  listType: (item) => `${item}[]`,
  structType: (fields) =>
    `STRUCT(${Object.entries(fields)
      .map(([name, type]) => `${name} ${type}`)
      .join(", ")})`,
  struct: (fields) =>
    `{${Object.entries(fields)
      .map(([name, value]) => `'${name}': ${value}`)
      .join(", ")}}`,
  lambda: (parameters, body) => `lambda ${parameters.join(", ")}: ${body}`,
  transform: (list, lambda) => `list_transform(${list}, ${lambda})`,
  filter: (list, lambda) => `list_filter(${list}, ${lambda})`,
  concat: (lists) => (lists.length === 1 ? (lists[0] as string) : `list_concat(${lists.join(", ")})`),
  fold: (list, initial, lambda) => `list_reduce(${list}, ${lambda}, ${initial})`,
  element: (list, index) => `${list}[${index + 1}]`,
  explode: (list) => `unnest(${list})`,
  collect: (value) => `list(${value})`,
  sort: (list) => `list_sort(${list})`,
  readFields: (object, paths) =>
    `json_extract(${object}, [${paths.map((path) => quoteDuckdbText(joinPointer("", ...path))).join(", ")}])`,
  tag: (raw) => tagValue(`CAST(${raw} AS STRING)`, `(${raw} ->> '$')`),
  formatJson: (raw) => `CAST(${raw} AS STRING)`,
  listItems: (raw) =>
    `list_filter(CASE json_type(${raw}) WHEN 'ARRAY' THEN json_extract(${raw}, '$[*]') ELSE [${raw}] END, lambda part: part IS NOT NULL)`,
  listMembers: (raw) => `CASE json_type(${raw})
    WHEN 'OBJECT' THEN list_transform(json_keys(${raw}), lambda name: {'v': json_extract(${raw}, '/' || ${escapeName("name")}), 'p': name})
    ELSE [{'v': ${raw}, 'p': CAST(NULL AS STRING)}] END`,
  readMember: (raw, name) => `json_extract(${raw}, '/' || ${escapeName(name)})`,
  sortItems: (tagged) => `CASE WHEN left(${tagged}, 2) = 'j['
    THEN 'j' || CAST(list_sort(CAST(CAST(substr(${tagged}, 2) AS JSON) AS JSON[])) AS STRING) ELSE ${tagged} END`,
  countBytes: (text) => `strlen(${text})`,
  matches: (text, pattern) => `regexp_matches(${text}, ${pattern})`,
  split: (text, pattern) => `regexp_split_to_array(${text}, '${pattern}')`,
  replaceAll: (text, pattern, replacement) => `regexp_replace(${text}, ${pattern}, ${replacement}, 'g')`,
};

const sparkMachines: MachineDialect = {
  list: (items) => `array(${items.join(", ")})`,
  listType: (item) => `ARRAY<${item}>`,
  structType: (fields) =>
    `STRUCT<${Object.entries(fields)
      .map(([name, type]) => `${name}: ${type}`)
      .join(", ")}>`,
  struct: (fields) =>
    `named_struct(${Object.entries(fields)
      .map(([name, value]) => `'${name}', ${value}`)
      .join(", ")})`,
  lambda: ([first, ...others], body) =>
    `${others.length === 0 ? first : `(${[first, ...others].join(", ")})`} -> ${body}`,
  transform: (list, lambda) => `transform(${list}, ${lambda})`,
  filter: (list, lambda) => `filter(${list}, ${lambda})`,
  concat: (lists) => (lists.length === 1 ? (lists[0] as string) : `concat(${lists.join(", ")})`),
  fold: (list, initial, lambda) => `aggregate(${list}, ${initial}, ${lambda})`,
  element: (list, index) => `get(${list}, ${index})`,
  explode: (list) => `explode(${list})`,
  collect: (value) => `collect_list(${value})`,
  sort: (list) => `array_sort(${list})`,
  readFields(object, paths) {
    const parents = [...new Set(paths.map((path) => path.slice(0, -1).join()))];
    const fields = paths.map(
      (path) => `p${parents.indexOf(path.slice(0, -1).join())}[${quoteSparkText(path.at(-1) ?? "")}]`,
    );
    // Each parent is read once.
    return parents.reduce(
      (body, parent, index) =>
        `get(transform(array(${parent === "" ? object : readSparkMember(object, parent, "MAP<STRING, VARIANT>")}), p${index} -> ${body}), 0)`,
      `array(${fields.join(", ")})`,
    );
  },
  tag: (raw) => tagValue(`to_json(${raw})`, `CAST(${raw} AS STRING)`),
  formatJson: (raw) => `to_json(${raw})`,
  listItems: (raw) =>
    `filter(coalesce(try_variant_get(${raw}, '$', 'ARRAY<VARIANT>'), array(${raw})), part -> part IS NOT NULL)`,
  listMembers: (raw) => `coalesce(
    transform(map_entries(try_variant_get(${raw}, '$', 'MAP<STRING, VARIANT>')), entry -> named_struct('v', entry.value, 'p', entry.key)),
    array(named_struct('v', ${raw}, 'p', CAST(NULL AS STRING))))`,
  readMember: (raw, name) => `coalesce(try_variant_get(${raw}, '$', 'MAP<STRING, VARIANT>')[${name}],
    get(try_variant_get(${raw}, '$', 'ARRAY<VARIANT>'), try_cast(${name} AS INT)))`,
  sortItems: (tagged) => `CASE WHEN left(${tagged}, 2) = 'j['
    THEN 'j' || to_json(array_sort(transform(from_json(substr(${tagged}, 2), 'ARRAY<VARIANT>'), part -> to_json(part)))) ELSE ${tagged} END`,
  countBytes: (text) => `octet_length(${text})`,
  matches: (text, pattern) => `(${text} RLIKE ${pattern})`,
  split: (text, pattern) => `split(${text}, '${pattern}')`,
  replaceAll: (text, pattern, replacement) => `regexp_replace(${text}, ${pattern}, ${replacement})`,
};

/** Returns the expression of a value in a map of Spark. */
function readSparkMember(object: string, field: string, type: string): string {
  return `try_variant_get(${object}[${quoteSparkText(field)}], '$', '${type}')`;
}

const duckdb: FoldingDialect = {
  title: "DuckDB",
  eventColumn: "the text of one event",
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
  checkFields: createFieldChecker(duckdbMachines),
  takeLast,
  machines: duckdbMachines,
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

const spark: FoldingDialect = {
  title: "Apache Spark 4",
  eventColumn: "the text of one event",
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
  checkFields: createFieldChecker(sparkMachines),
  takeLast,
  machines: sparkMachines,
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
export const DIALECTS = { duckdb, postgresql, spark } as const satisfies {
  readonly [name in DialectName]: Dialect;
};
