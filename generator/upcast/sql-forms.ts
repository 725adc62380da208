/** The expressions about JSON of which views of plans consist, for DuckDB. */
import { DIALECTS } from "../emit/sql/dialects.js";
import { isObject, type Json, joinPointer } from "../json.js";
import { readDecimal } from "./decimal.js";

/** The expressions of a dialect. Values are expressions of JSON, and `event` is a column. */
export interface SqlForms {
  readonly quoteText: (text: string) => string;
  /** Returns the value at a place, which may be the null of JSON; the null of SQL if there is none. */
  readonly find: (object: string, path: readonly string[]) => string;
  /** Returns the text that a JSON value is. */
  readonly readText: (value: string) => string;
  readonly isText: (value: string) => string;
  /** Returns the condition that a value is one of these. */
  readonly isOneOf: (value: string, wanted: readonly Json[]) => string;
  readonly formatJson: (value: Json) => string;
  /** Returns the JSON of a text. */
  readonly writeText: (text: string) => string;
  /** Returns the event with another value at a place. */
  readonly setValue: (path: readonly string[], value: string) => string;
  /** Returns the event without the value at a place, which is there. */
  readonly removeValue: (path: readonly string[]) => string;
  /** Returns the event with a value where there is none; null if there is one, or if an ancestor is not an object. */
  readonly addValue: (path: readonly string[], value: string) => string;
  /** Returns the product as decimal digits, rounded once, to the nearest number; null for a value that is not a number. */
  readonly scale: (value: string, by: number) => string;
  readonly isFinite: (number: string) => string;
  /** Returns a number as JSON, without a point if it is an integer. */
  readonly formatNumber: (number: string) => string;
  /** Returns the condition that a text has so many parts, and the parts as JSON. The last one has the rest. */
  readonly split: (
    value: string,
    separator: string,
    count: number,
  ) => { readonly isPossible: string; readonly parts: readonly string[] };
}

/** Thrown if a step cannot be written. */
export class InexpressibleStep extends Error {}

const { quoteText } = DIALECTS.duckdb;

/** The expressions for DuckDB. */
export const DUCKDB_FORMS: SqlForms = {
  quoteText,
  find,
  readText,
  isText: (value) => `json_type(${value}) = 'VARCHAR'`,
  isOneOf,
  formatJson: (value) => `CAST(${quoteText(JSON.stringify(value))} AS JSON)`,
  writeText: (text) => `to_json(${text})`,
  setValue,
  removeValue,
  addValue,
  scale,
  isFinite: (number) => `isfinite(${number})`,
  formatNumber,
  split: (value, separator, count) => {
    const parts = `string_split(${readText(value)}, ${quoteText(separator)})`;
    return {
      isPossible: `json_type(${value}) = 'VARCHAR' AND len(${parts}) >= ${count}`,
      parts: Array.from({ length: count }, (_, index) => {
        const end = index === count - 1 ? `len(${parts})` : String(index + 1);
        const part = `array_to_string(list_slice(${parts}, ${index + 1}, ${end}), ${quoteText(separator)})`;
        return `to_json(${part})`;
      }),
    };
  },
};

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

/** Returns the event with another value at a place. */
function setValue(path: readonly string[], value: string, parents: readonly string[] = []): string {
  const [name = "", ...rest] = path;
  const object = parents.length === 0 ? "event" : find("event", parents);
  const member = rest.length === 0 ? value : setValue(rest, value, [...parents, name]);
  return `to_json(map_from_entries(list_append(${listOthers(object, name)}, {'key': ${quoteText(name)}, 'value': CAST(${member} AS JSON)})))`;
}

/** Returns the event without the value at a place, which is there. */
function removeValue(path: readonly string[]): string {
  const [name = "", ...reversedParents] = [...path].reverse();
  const parents = reversedParents.reverse();
  const object = parents.length === 0 ? "event" : find("event", parents);
  const removed = `to_json(map_from_entries(${listOthers(object, name)}))`;
  return parents.length === 0 ? removed : setValue(parents, removed);
}

/** Returns the event with a value where there is none; null if there is one, or if an ancestor is not an object. */
function addValue(path: readonly string[], value: string): string {
  const blockages = path.map((_, index) => {
    const type = `json_type(${find("event", path.slice(0, index + 1))})`;
    return index === path.length - 1 ? `${type} IS NOT NULL` : `coalesce(${type} <> 'OBJECT', false)`;
  });
  return `CASE WHEN ${blockages.join(" OR ")} THEN NULL ELSE ${setValue(path, value)} END`;
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

/** Returns the condition that a value is one of these. */
function isOneOf(value: string, wanted: readonly Json[]): string {
  const conditions = wanted.map((each) => {
    if (typeof each === "string")
      return `json_type(${value}) = 'VARCHAR' AND ${readText(value)} = ${quoteText(each)}`;
    if (typeof each === "number") return `${isNumber(value)} AND TRY_CAST(${value} AS DOUBLE) = ${each}`;
    if (each === null) return `json_type(${value}) = 'NULL'`;
    if (typeof each === "boolean")
      return `json_type(${value}) = 'BOOLEAN' AND CAST(${value} AS VARCHAR) = '${each}'`;
    throw new InexpressibleStep(`a value is compared with ${isObject(each) ? "an object" : "a list"}`);
  });
  return `coalesce(${conditions.map((each) => `(${each})`).join(" OR ") || "false"}, false)`;
}
