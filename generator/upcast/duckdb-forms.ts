/** The expressions of views for DuckDB. */
import { readDecimal } from "../contain/decimal.js";
import { END_SECOND, FIRST_SECOND, type TimeForm } from "../contain/preimage/epoch-times.js";
import { DIALECTS } from "../emit/sql/dialects.js";
import { joinPointer } from "../json.js";
import { createSqlForms, InexpressibleStep } from "./sql-forms.js";

const { quoteName, quoteText } = DIALECTS.duckdb;

/** The expressions for DuckDB. */
export const DUCKDB_FORMS = createSqlForms({
  quoteName,
  quoteText,
  parse: (text) => `TRY_CAST(${text} AS JSON)`,
  write: (value) => `CAST(${value} AS VARCHAR)`,
  isObject: (value) => `json_type(${value}) = 'OBJECT'`,
  getGroup: (value) => `coalesce(${value}, 'null')`,
  startsWith: (text, prefix) => `starts_with(${text}, ${quoteText(prefix)})`,
  find,
  readText,
  isText: (value) => `json_type(${value}) = 'VARCHAR'`,
  formatJson: (value) => `CAST(${quoteText(JSON.stringify(value))} AS JSON)`,
  writeText: (text) => `to_json(${text})`,
  scale,
  isFinite: (number) => `isfinite(${number})`,
  formatNumber,
  formatDecimal,
  readDecimal: (value, pattern) =>
    `CASE WHEN ${matchesText(value, pattern)} THEN TRY_CAST(${readText(value)} AS DOUBLE) + 0 END`,
  formatTime,
  readTime,
  isNull: (value) => `json_type(${value}) = 'NULL'`,
  equalsNumber: (value, number) => `${isNumber(value)} AND TRY_CAST(${value} AS DOUBLE) = ${number}`,
  equalsBoolean: (value, boolean) =>
    `json_type(${value}) = 'BOOLEAN' AND CAST(${value} AS VARCHAR) = '${boolean}'`,
  putMember: (object, name, value) =>
    `to_json(map_from_entries(list_append(${listOthers(object, name)}, {'key': ${quoteText(name)}, 'value': CAST(${value} AS JSON)})))`,
  dropMember: (object, name) => `to_json(map_from_entries(${listOthers(object, name)}))`,
  matchesText,
  extractGroup: (text, pattern, group) => `regexp_extract(${text}, ${quoteText(pattern)}, ${group})`,
  maxGroups: 9,
});

/** Returns the value at a place, which may be the null of JSON; the null of SQL if there is none. */
function find(object: string, path: readonly string[]): string {
  const number = path.find((name) => /^(?:\d+|-)$/.test(name));
  if (number !== undefined)
    throw new InexpressibleStep(`a field has the name ${number}, which may also be an item of a list`);
  return `json_extract(${object}, ${quoteText(joinPointer("", ...path))})`;
}

function readText(value: string): string {
  return `json_extract_string(${value}, '$')`;
}

/** Returns the members of an object except one, as a list of structures. It is empty for other values. */
function listOthers(object: string, name: string): string {
  const members = `map_entries(CASE WHEN json_type(${object}) = 'OBJECT' THEN CAST(${object} AS MAP(VARCHAR, JSON)) ELSE MAP {} END)`;
  return `[member FOR member IN ${members} IF member.key <> ${quoteText(name)}]`;
}

/** Returns the condition that a value is a text that matches a pattern, which begins with ^ and ends with $. */
function matchesText(value: string, pattern: string): string {
  return `json_type(${value}) = 'VARCHAR' AND regexp_full_match(${readText(value)}, ${quoteText(pattern)})`;
}

/** Returns a JSON value as a double; null for a value that is not a number. */
function readDouble(value: string): string {
  return `CASE WHEN ${isNumber(value)} THEN TRY_CAST(${value} AS DOUBLE) END`;
}

/** Returns the decimal digits of a number. */
function formatDecimal(value: string): string {
  const parts = `SELECT ltrim(regexp_extract(number, '^[^e]*'), '-') AS mantissa,
    coalesce(TRY_CAST(regexp_extract(number, 'e(.*)', 1) AS INTEGER), 0) AS exponent, number
    FROM (SELECT CAST(${readDouble(value)} AS VARCHAR) AS number)`;
  const decimal = `SELECT replace(mantissa, '.', '') AS digits, number,
    exponent - length(regexp_extract(mantissa, '\\.(.*)', 1)) AS power FROM (${parts})`;
  const padded = `SELECT lpad(digits, CAST(greatest(length(digits), 1 - power) AS INTEGER), '0') AS padded, digits, power, number FROM (${decimal})`;
  const text = `SELECT CASE WHEN power >= 0 THEN digits || repeat('0', power)
    ELSE rtrim(rtrim(left(padded, power) || '.' || right(padded, -power), '0'), '.') END AS text, number FROM (${padded})`;
  return `(SELECT CASE WHEN CAST(number AS DOUBLE) < 0 THEN '-' ELSE '' END || text FROM (${text}))`;
}

/** Returns the time of a number. */
function formatTime(value: string, { perSecond, isRounded }: TimeForm): string {
  const number = readDouble(value);
  const isPossible = `number = trunc(number) AND number >= ${FIRST_SECOND * perSecond} AND number < ${END_SECOND * perSecond}`;
  const format = quoteText(`%Y-%m-%dT%H:%M:%S${perSecond === 1 ? "" : ".%g"}Z`);
  const time = `strftime(epoch_ms(CAST(number AS BIGINT) * ${1000 / perSecond}), ${format})`;
  return `(SELECT CASE WHEN ${isPossible} THEN ${time} END FROM (SELECT ${isRounded ? `floor(${number})` : number} AS number))`;
}

/** Returns the number of units of a time. */
function readTime(value: string, pattern: string, perSecond: number): string {
  const read = (start: number) => `TRY_CAST(substr(time, ${start}, 2) AS BIGINT)`;
  const zone = "regexp_extract(time, '[+-][0-9:]*$')";
  const minutes = `TRY_CAST(substr(${zone}, 2, 2) AS BIGINT) * 60 + TRY_CAST(substr(${zone}, 5, 2) AS BIGINT)`;
  const offset = `CASE WHEN ${zone} = '' THEN 0 ELSE (${minutes}) * CASE WHEN left(${zone}, 1) = '-' THEN -60 ELSE 60 END END`;
  const days = "datediff('day', DATE '1970-01-01', TRY_CAST(left(time, 10) AS DATE))";
  const seconds = `${days} * 86400 + ${read(12)} * 3600 + ${read(15)} * 60 + ${read(18)} - ${offset}`;
  const fraction = "regexp_extract(time, '\\.([0-9]+)', 1)";
  const units =
    perSecond === 1 ? seconds : `(${seconds}) * 1000 + TRY_CAST(left(${fraction} || '000', 3) AS BIGINT)`;
  return `CASE WHEN ${matchesText(value, pattern)} THEN (SELECT ${units} FROM (SELECT ${readText(value)} AS time)) END`;
}

/** Returns the product as decimal digits, rounded once, to the nearest number; null for a value that is not a number. */
function scale(value: string, by: number): string {
  const { digits, exponent } = readDecimal(by);
  const number = `CAST(CASE WHEN ${isNumber(value)} THEN CAST(${value} AS DOUBLE) END AS VARCHAR)`;
  const mantissa = `regexp_extract(${number}, '^[^e]*')`;
  const power = `coalesce(TRY_CAST(regexp_extract(${number}, 'e(.*)', 1) AS INTEGER), 0)`;
  const product = `CAST(replace(${mantissa}, '.', '') AS HUGEINT) * ${digits}`;
  return `TRY_CAST((${product}) || 'e' || (${power} - length(regexp_extract(${mantissa}, '\\.(.*)', 1)) + ${exponent}) AS DOUBLE)`;
}

/** Returns a number as JSON, without a point if it is an integer. */
function formatNumber(number: string): string {
  return `CASE WHEN abs(${number}) < 1e15 AND ${number} = trunc(${number}) THEN to_json(CAST(${number} AS BIGINT)) ELSE to_json(${number}) END`;
}

function isNumber(value: string): string {
  return `json_type(${value}) NOT IN ('VARCHAR', 'BOOLEAN', 'NULL', 'OBJECT', 'ARRAY')`;
}
