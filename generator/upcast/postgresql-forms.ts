/** The expressions of views for PostgreSQL, whose events are values of the type `jsonb`. A cast that fails would end the query. */
import { END_SECOND, FIRST_SECOND, type TimeForm } from "../contain/preimage/epoch-times.js";
import { DIALECTS } from "../emit/sql/dialects.js";
import { createSqlForms, InexpressibleStep } from "./sql-forms.js";

const { quoteName, quoteText, readObject } = DIALECTS.postgresql;

/** The expressions for PostgreSQL. */
export const POSTGRESQL_FORMS = createSqlForms({
  quoteName,
  quoteText,
  // Otherwise the planner puts the expressions of all steps into one, which grows with each step by a factor.
  formatStep: (query) => `${query} OFFSET 0`,
  parse: (event) => event,
  write: (value) => value,
  isObject: (value) => isOfType(value, "object"),
  getGroup: (value) => `coalesce(${value}, 'null'::jsonb)`,
  startsWith: (text, prefix) => `starts_with(${text}, ${quoteText(prefix)})`,
  find: (object, path) => path.reduce(readObject, object),
  readText,
  isText: (value) => isOfType(value, "string"),
  formatJson: (value) => {
    const json = JSON.stringify(value);
    if (/\\u(?:0000|d[89a-f])/.test(json)) throw new InexpressibleStep(`PostgreSQL has no value ${json}`);
    return `${quoteText(json)}::jsonb`;
  },
  writeText: (text) => `to_jsonb(CAST(${text} AS text))`,
  // The shortest digits of a double as a decimal number, so that the product is exact before it is rounded.
  scale: (value, by) =>
    `(SELECT ${roundToDouble("product")} FROM (SELECT CAST(CAST(${readDouble(value)} AS text) AS numeric) * ${by} AS product) AS products)`,
  isFinite: (number) => `${number} IS NOT NULL`,
  formatNumber: (number) => `to_jsonb(${number})`,
  formatDecimal: (value) => `CAST(trim_scale(CAST(CAST(${readDouble(value)} AS text) AS numeric)) AS text)`,
  readDecimal: (value, pattern) =>
    `CASE WHEN ${matchesText(value, pattern)} THEN (SELECT ${roundToDouble("decimal")} FROM (SELECT CAST(${readText(value)} AS numeric) AS decimal) AS decimals) END`,
  formatTime,
  readTime,
  isNull: (value) => isOfType(value, "null"),
  equalsNumber: (value, number) =>
    `CASE WHEN ${isOfType(value, "number")} THEN CAST(${value} AS numeric) = ${number} ELSE FALSE END`,
  equalsBoolean: (value, boolean) => `${value} = '${boolean}'::jsonb`,
  putMember: (object, name, value) =>
    `(${takeObject(object)} || jsonb_build_object(${quoteText(name)}, ${value}))`,
  dropMember: (object, name) => `(${takeObject(object)} - ${quoteText(name)})`,
  matchesText,
  extractGroup: (text, pattern, group) => `(regexp_match(${text}, ${quoteText(pattern)}))[${group}]`,
  maxGroups: Number.POSITIVE_INFINITY,
});

function isOfType(value: string, type: string): string {
  return `jsonb_typeof(${value}) = '${type}'`;
}

function readText(value: string): string {
  return `(${value} #>> '{}')`;
}

/** Returns an object as it is, and an empty one for other values. */
function takeObject(value: string): string {
  return `CASE WHEN ${isOfType(value, "object")} THEN ${value} ELSE '{}'::jsonb END`;
}

/** Returns the condition that a value is a text that matches a pattern, which begins with ^ and ends with $. */
function matchesText(value: string, pattern: string): string {
  return `(${isOfType(value, "string")} AND ${readText(value)} ~ ${quoteText(pattern)})`;
}

/** Returns a number of any size as a double; null if it is too large for one. */
function roundToDouble(number: string): string {
  return `CASE WHEN abs(${number}) < 5e-324 THEN 0 WHEN abs(${number}) <= ${Number.MAX_VALUE} THEN CAST(${number} AS double precision) END`;
}

/** Returns a JSON value as a double; null for a value that is not a number. */
function readDouble(value: string): string {
  return `CASE WHEN ${isOfType(value, "number")} THEN ${roundToDouble(`CAST(${value} AS numeric)`)} END`;
}

/** Returns the time of a number. */
function formatTime(value: string, { perSecond, isRounded }: TimeForm): string {
  const isPossible = `number = trunc(number) AND number >= ${FIRST_SECOND * perSecond} AND number < ${END_SECOND * perSecond}`;
  const whole = "CAST(number AS bigint)";
  const seconds = `${whole} / ${perSecond} * interval '1 second'`;
  const rest = perSecond === 1 ? "" : ` + ${whole} % ${perSecond} * interval '1 millisecond'`;
  const format = quoteText(`YYYY-MM-DD"T"HH24:MI:SS${perSecond === 1 ? "" : ".MS"}"Z"`);
  const number = isRounded ? `floor(${readDouble(value)})` : readDouble(value);
  return `(SELECT CASE WHEN ${isPossible} THEN to_char(timestamp '1970-01-01' + ${seconds}${rest}, ${format}) END FROM (SELECT ${number} AS number) AS numbers)`;
}

/** Returns the number of units of a time. */
function readTime(value: string, pattern: string, perSecond: number): string {
  const read = (start: number, length = 2) => `CAST(substr(time, ${start}, ${length}) AS bigint)`;
  const zone = "coalesce(substring(time FROM '[+-][0-9:]*$'), '')";
  const minutes = `CAST(substr(${zone}, 2, 2) AS bigint) * 60 + CAST(substr(${zone}, 5, 2) AS bigint)`;
  const offset = `CASE WHEN ${zone} = '' THEN 0 ELSE (${minutes}) * CASE WHEN left(${zone}, 1) = '-' THEN -60 ELSE 60 END END`;
  // The year 0 is the year 1 before Christ.
  const year = `CAST(CASE WHEN ${read(1, 4)} = 0 THEN -1 ELSE ${read(1, 4)} END AS int)`;
  const first = `make_date(${year}, CAST(${read(6)} AS int), 1)`;
  const days = `CASE WHEN ${read(9)} <= extract(day FROM ${first} + interval '1 month' - interval '1 day') THEN ${first} - date '1970-01-01' + ${read(9)} - 1 END`;
  const isDate = `${read(6)} BETWEEN 1 AND 12 AND ${read(9)} > 0`;
  const seconds = `(${days}) * 86400 + ${read(12)} * 3600 + ${read(15)} * 60 + ${read(18)} - ${offset}`;
  const fraction = "coalesce(substring(time FROM '[.]([0-9]+)'), '')";
  const units =
    perSecond === 1 ? seconds : `(${seconds}) * 1000 + CAST(left(${fraction} || '000', 3) AS bigint)`;
  return `CASE WHEN ${matchesText(value, pattern)} THEN (SELECT CASE WHEN ${isDate} THEN ${units} END FROM (SELECT ${readText(value)} AS time) AS times) END`;
}
