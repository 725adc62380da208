/** The expressions about JSON of which views of plans consist. */
import type { TimeForm } from "../contain/preimage/epoch-times.js";
import type { Json } from "../json.js";

/** The expressions of a dialect. Values are expressions of JSON, and `event` is a column. */
export interface SqlForms {
  readonly quoteName: (name: string) => string;
  readonly quoteText: (text: string) => string;
  /** Returns the JSON of a text; null for other texts. */
  readonly parse: (text: string) => string;
  /** Returns the text of a JSON value. */
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
  /** Returns the decimal digits of a number, without an exponent; null for a value that is not a number. */
  readonly formatDecimal: (value: string) => string;
  /** Returns the number of a text that matches a pattern; null for other values. */
  readonly readDecimal: (value: string, pattern: string) => string;
  /** Returns the time of a number; null if there is none. */
  readonly formatTime: (value: string, form: TimeForm) => string;
  /** Returns the number of units of a time that matches a pattern; null for other values. */
  readonly readTime: (value: string, pattern: string, perSecond: number) => string;
  /** Returns the condition that a value is a text with fixed texts around its parts, and the parts as JSON. */
  readonly split: (
    value: string,
    literals: readonly string[],
  ) => { readonly isPossible: string; readonly parts: readonly string[] };
}

/** Thrown if a step cannot be written. */
export class InexpressibleStep extends Error {}
