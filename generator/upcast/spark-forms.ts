/** The expressions of views for Spark 4, whose JSON values are variants. No expression depends on the time zone of the session. */
import { readDecimal } from "../contain/decimal.js";
import { END_SECOND, FIRST_SECOND, type TimeForm } from "../contain/preimage/epoch-times.js";
import { DIALECTS } from "../emit/sql/dialects.js";
import { createSqlForms, InexpressibleStep } from "./sql-forms.js";

const { quoteName, quoteText } = DIALECTS.spark;

/** The most digits of numbers that are multiplied or written. Spark does not tell the shortest digits of other numbers. */
const MAX_DIGITS = 15;

/** The expressions for Spark. */
export const SPARK_FORMS = createSqlForms({
  quoteName,
  quoteText,
  parse: (text) => `try_parse_json(${text})`,
  write: (value) => `to_json(${value})`,
  isObject: (value) => isOfType(value, "OBJECT"),
  getGroup: (value) => `coalesce(to_json(${value}), 'null')`,
  startsWith: (text, prefix) => `startswith(${text}, ${quoteText(prefix)})`,
  find,
  readText,
  isText: (value) => isOfType(value, "STRING"),
  formatJson: (value) => `parse_json(${quoteText(JSON.stringify(value))})`,
  writeText: (text) => `CAST(${text} AS VARIANT)`,
  scale: (value, by) => {
    const { digits, exponent } = readDecimal(by);
    if (String(digits).length > MAX_DIGITS)
      throw new InexpressibleStep(`the factor ${by} has too many digits`);
    const { number, isPossible } = readDigits(value);
    const whole = `CAST(replace(${number}, '.', '') AS DECIMAL(16, 0))`;
    const product = `CAST(${whole} * CAST(${digits} AS DECIMAL(16, 0)) AS STRING)`;
    const power = `${exponent} - length(regexp_extract(${number}, '\\\\.([0-9]*)', 1))`;
    return `CASE WHEN ${isPossible} THEN try_cast(concat(${product}, 'e', CAST(${power} AS STRING)) AS DOUBLE) END`;
  },
  isFinite: (number) => `abs(${number}) < CAST('Infinity' AS DOUBLE)`,
  formatNumber: (number) =>
    `CASE WHEN abs(${number}) < 1e15 AND ${number} = floor(${number}) THEN CAST(CAST(${number} AS BIGINT) AS VARIANT) ELSE CAST(${number} AS VARIANT) END`,
  formatDecimal: (value) => {
    const { number, isPossible } = readDigits(value);
    const text = `CASE WHEN instr(${number}, '.') > 0 THEN regexp_replace(${number}, '\\\\.?0+$', '') ELSE ${number} END`;
    return `CASE WHEN ${isPossible} THEN ${text} END`;
  },
  readDecimal: (value, pattern) =>
    `CASE WHEN ${matchesText(value, pattern)} THEN CAST(${readText(value)} AS DOUBLE) + 0 END`,
  formatTime,
  readTime,
  isNull: (value) => `is_variant_null(${value})`,
  equalsNumber: (value, number) =>
    `${isNumber(value)} AND CAST(${value} AS DOUBLE) = CAST('${number}' AS DOUBLE)`,
  equalsBoolean: (value, boolean) =>
    `${isOfType(value, "BOOLEAN")} AND CAST(${value} AS STRING) = '${boolean}'`,
  putMember: (object, name, value) =>
    `to_variant_object(map_concat(${listOthers(object, name)}, map(${quoteText(name)}, ${value})))`,
  dropMember: (object, name) => `to_variant_object(${listOthers(object, name)})`,
  matchesText,
  extractGroup: (text, pattern, group) => `regexp_extract(${text}, ${quotePattern(pattern)}, ${group})`,
  maxGroups: Number.POSITIVE_INFINITY,
});

function isOfType(value: string, type: string): string {
  return `startswith(schema_of_variant(${value}), '${type}')`;
}

function isNumber(value: string): string {
  return `schema_of_variant(${value}) RLIKE '^(BIGINT|DECIMAL|DOUBLE|FLOAT)'`;
}

/** Returns the digits of a number as it is written, and the condition that it has no exponent and few digits. */
function readDigits(value: string): { readonly number: string; readonly isPossible: string } {
  const number = `CAST(${value} AS STRING)`;
  const isDecimal = `schema_of_variant(${value}) RLIKE '^(BIGINT|DECIMAL)'`;
  return {
    number,
    isPossible: `${isDecimal} AND length(regexp_replace(${number}, '[-.]', '')) <= ${MAX_DIGITS}`,
  };
}

/** Returns the value at a place, which may be the null of JSON; the null of SQL if there is none. */
function find(object: string, path: readonly string[]): string {
  const wrong = path.find((name) => /["\\[\]'\p{Cc}]/u.test(name) || name === "");
  if (wrong !== undefined)
    throw new InexpressibleStep(`Spark cannot find a field with the name ${JSON.stringify(wrong)}`);
  const place = path.map((name) => `["${name}"]`).join("");
  return `variant_get(${object}, ${quoteText(`$${place}`)})`;
}

function readText(value: string): string {
  return `CASE WHEN ${isOfType(value, "STRING")} THEN CAST(${value} AS STRING) END`;
}

function matchesText(value: string, pattern: string): string {
  return `${isOfType(value, "STRING")} AND ${readText(value)} RLIKE ${quotePattern(pattern)}`;
}

/** Quotes a pattern that ends with $. In Java, $ also matches before a line break at the end. */
function quotePattern(pattern: string): string {
  return quoteText(`${pattern.slice(0, -1)}\\z`);
}

/** Returns the members of an object except one, as a map. It is empty for other values. */
function listOthers(object: string, name: string): string {
  const members = `CASE WHEN ${isOfType(object, "OBJECT")} THEN CAST(${object} AS MAP<STRING, VARIANT>) ELSE CAST(map() AS MAP<STRING, VARIANT>) END`;
  return `map_filter(${members}, (key, member) -> key <> ${quoteText(name)})`;
}

/** Returns the time of a number. */
function formatTime(value: string, { perSecond, isRounded }: TimeForm): string {
  const double = `CASE WHEN ${isNumber(value)} THEN CAST(${value} AS DOUBLE) END`;
  const number = isRounded ? `CAST(floor(${double}) AS DOUBLE)` : double;
  const isPossible = `${number} = floor(${number}) AND ${number} >= ${FIRST_SECOND * perSecond} AND ${number} < ${END_SECOND * perSecond}`;
  const units = `CAST(${number} AS BIGINT)`;
  const seconds = perSecond === 1 ? units : `CAST(floor(${units} / ${perSecond}D) AS BIGINT)`;
  const day = `CAST(floor(${seconds} / 86400D) AS INT)`;
  const rest = (unit: number, count: number) =>
    `lpad(CAST(pmod(CAST(floor(${seconds} / ${unit}D) AS BIGINT), ${count}) AS STRING), 2, '0')`;
  const time = `concat(CAST(date_add(DATE '1970-01-01', ${day}) AS STRING), 'T', ${rest(3600, 24)}, ':', ${rest(60, 60)}, ':', ${rest(1, 60)}`;
  const fraction = perSecond === 1 ? "" : `, '.', lpad(CAST(pmod(${units}, ${perSecond}) AS STRING), 3, '0')`;
  return `CASE WHEN ${isPossible} THEN ${time}${fraction}, 'Z') END`;
}

/** Returns the number of units of a time. */
function readTime(value: string, pattern: string, perSecond: number): string {
  const time = readText(value);
  const read = (start: number) => `CAST(substr(${time}, ${start}, 2) AS BIGINT)`;
  const zone = `regexp_extract(${time}, '[+-][0-9:]*$', 0)`;
  const minutes = `(CAST(substr(${zone}, 2, 2) AS BIGINT) * 60 + CAST(substr(${zone}, 5, 2) AS BIGINT))`;
  const offset = `CASE WHEN ${time} RLIKE '[zZ]$' THEN 0 ELSE ${minutes} * CASE WHEN left(${zone}, 1) = '-' THEN -60 ELSE 60 END END`;
  const days = `datediff(CAST(left(${time}, 10) AS DATE), DATE '1970-01-01')`;
  const seconds = `CAST(${days} AS BIGINT) * 86400 + ${read(12)} * 3600 + ${read(15)} * 60 + ${read(18)} - ${offset}`;
  const fraction = `CAST(left(concat(regexp_extract(${time}, '\\\\.([0-9]+)', 1), '000'), 3) AS BIGINT)`;
  const units = perSecond === 1 ? seconds : `(${seconds}) * 1000 + ${fraction}`;
  return `CASE WHEN ${matchesText(value, pattern)} THEN ${units} END`;
}
