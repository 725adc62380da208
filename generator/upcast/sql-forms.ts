/** The expressions about JSON of which views of plans consist. */
import type { TimeForm } from "../contain/preimage/epoch-times.js";
import { isObject, type Json } from "../json.js";
import { escapeRegExp } from "../regex/pattern-body.js";

/** The expressions that each dialect writes in its own way. Values are expressions of JSON, and `event` is a column. */
interface SqlDialectForms {
  readonly quoteName: (name: string) => string;
  readonly quoteText: (text: string) => string;
  /** Returns the query of a step, so that the engine computes it before the next one. By default, it is as it is. */
  readonly formatStep?: (query: string) => string;
  /** Returns the JSON of an event of the raw events; null if it is not JSON. */
  readonly parse: (text: string) => string;
  /** Returns a JSON value as an event of the raw events. */
  readonly write: (value: string) => string;
  readonly isObject: (value: string) => string;
  /** Returns what is the same for equal values, so that events can be grouped by it. */
  readonly getGroup: (value: string) => string;
  readonly startsWith: (text: string, prefix: string) => string;
  /** Returns the value at a place, which may be the null of JSON; the null of SQL if there is none. */
  readonly find: (object: string, path: readonly string[]) => string;
  /** Returns the text that a JSON value is. */
  readonly readText: (value: string) => string;
  readonly isText: (value: string) => string;
  readonly formatJson: (value: Json) => string;
  /** Returns the JSON of a text. */
  readonly writeText: (text: string) => string;
  /** Returns the product as decimal digits, rounded once, to the nearest number; null for a value that is not a number. */
  readonly scale: (value: string, by: number) => string;
  readonly isFinite: (number: string) => string;
  /** Returns a number as JSON, without a point if it is an integer. */
  readonly formatNumber: (number: string) => string;
  /** Returns the decimal digits of a number, without an exponent; null for a value that is not a number. */
  readonly formatDecimal: (value: string) => string;
  /** Returns the number of a text that matches a pattern; null for other values. */
  readonly readDecimal: (value: string, pattern: string) => string;
  /** Returns the time of a number; null if there is none. */
  readonly formatTime: (value: string, form: TimeForm) => string;
  /** Returns the number of units of a time that matches a pattern; null for other values. */
  readonly readTime: (value: string, pattern: string, perSecond: number) => string;
  readonly isNull: (value: string) => string;
  readonly equalsNumber: (value: string, number: number) => string;
  readonly equalsBoolean: (value: string, boolean: boolean) => string;
  /** Returns the object with a member, in place of one with this name. What is no object becomes one. */
  readonly putMember: (object: string, name: string, value: string) => string;
  /** Returns the object without the member of this name. */
  readonly dropMember: (object: string, name: string) => string;
  /** Returns the condition that a value is a text that matches a pattern, which begins with ^ and ends with $. */
  readonly matchesText: (value: string, pattern: string) => string;
  /** Returns the text of a group of a pattern that a text matches. */
  readonly extractGroup: (text: string, pattern: string, group: number) => string;
  /** The most groups of a pattern that the dialect returns. */
  readonly maxGroups: number;
}

/** All expressions of a dialect. */
export interface SqlForms extends SqlDialectForms {
  /** Returns the condition that a value is one of these. */
  readonly isOneOf: (value: string, wanted: readonly Json[]) => string;
  /** Returns the event with another value at a place. */
  readonly setValue: (path: readonly string[], value: string) => string;
  /** Returns the event without the value at a place, which is there. */
  readonly removeValue: (path: readonly string[]) => string;
  /** Returns the event with a value where there is none; null if there is one, or if an ancestor is not an object. */
  readonly addValue: (path: readonly string[], value: string) => string;
  /** Returns the condition that a value is a text with fixed texts around its parts, and the parts as JSON. */
  readonly split: (
    value: string,
    literals: readonly string[],
  ) => { readonly isPossible: string; readonly parts: readonly string[] };
}

/** Returns all expressions of a dialect. */
export function createSqlForms(dialect: SqlDialectForms): SqlForms {
  const { find } = dialect;
  const setValue = (path: readonly string[], value: string, parents: readonly string[] = []): string => {
    const [name = "", ...rest] = path;
    const object = parents.length === 0 ? "event" : find("event", parents);
    return dialect.putMember(
      object,
      name,
      rest.length === 0 ? value : setValue(rest, value, [...parents, name]),
    );
  };
  return {
    ...dialect,
    setValue: (path, value) => setValue(path, value),
    removeValue: (path) => {
      const parents = path.slice(0, -1);
      const name = path.at(-1) ?? "";
      return parents.length === 0
        ? dialect.dropMember("event", name)
        : setValue(parents, dialect.dropMember(find("event", parents), name));
    },
    addValue: (path, value) => {
      const blockages = path.map((_, index) => {
        const found = find("event", path.slice(0, index + 1));
        const isThere = `${found} IS NOT NULL`;
        return index === path.length - 1 ? isThere : `(${isThere} AND NOT ${dialect.isObject(found)})`;
      });
      return `CASE WHEN ${blockages.join(" OR ")} THEN NULL ELSE ${setValue(path, value)} END`;
    },
    isOneOf: (value, wanted) => {
      const conditions = wanted.map((each) => `(${formatEquality(dialect, value, each)})`);
      return `coalesce(${conditions.join(" OR ") || "false"}, false)`;
    },
    split: (value, literals) => {
      const groupCount = literals.length - 1;
      if (groupCount > dialect.maxGroups)
        throw new InexpressibleStep(`a text has more than ${dialect.maxGroups} parts`);
      // All parts but the last end where the text behind them occurs first.
      const groups = Array.from({ length: groupCount }, (_, index) =>
        index === groupCount - 1 ? "(.*)" : "(.*?)",
      );
      const body = literals.map((literal, index) => escapeRegExp(literal) + (groups[index] ?? "")).join("");
      const pattern = `(?s)^${body}$`;
      const text = dialect.readText(value);
      return {
        isPossible: dialect.matchesText(value, pattern),
        parts: groups.map((_, index) => dialect.writeText(dialect.extractGroup(text, pattern, index + 1))),
      };
    },
  };
}

/** Returns the condition that a value is another one. */
function formatEquality(dialect: SqlDialectForms, value: string, wanted: Json): string {
  if (typeof wanted === "string")
    return `${dialect.isText(value)} AND ${dialect.readText(value)} = ${dialect.quoteText(wanted)}`;
  if (typeof wanted === "number") return dialect.equalsNumber(value, wanted);
  if (typeof wanted === "boolean") return dialect.equalsBoolean(value, wanted);
  if (wanted === null) return dialect.isNull(value);
  throw new InexpressibleStep(`a value is compared with ${isObject(wanted) ? "an object" : "a list"}`);
}

/** Thrown if a step cannot be written. */
export class InexpressibleStep extends Error {}
