/** What a dialect of SQL is: the expressions and statements that the queries are written with. */
import type { ColumnType, ScalarType } from "./columns.js";

/** Characters that a literal should not contain. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

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
  /** Says what the column `event` of the table of raw events holds. */
  readonly eventColumn: string;
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
  /** Returns the condition that fields of an event satisfy their checks. */
  readonly checkFields: (object: string, checks: readonly FieldCheck[]) => string;
  /** Aggregates a column to its value in the row with the greatest `order` of those that satisfy a condition. */
  readonly takeLast: (column: string, order: string, condition: string) => string;
  /** Returns the statements that come before those of the views, whose quoted names these are. */
  readonly prepareViews?: (names: readonly string[]) => readonly string[];
  /** Returns the statements that create a view. */
  readonly createView: (view: View) => readonly string[];
}

/** A field of an event and the condition about its value. */
export interface FieldCheck {
  readonly field: string;
  /** `safe` is a whole number that JavaScript can represent exactly. */
  readonly kind: "text" | "whole" | "safe" | "boolean";
  /** Whether the field may be absent. */
  readonly isOptional: boolean;
}

/** A dialect that can fold lists, so that it can run compiled machines. */
export interface FoldingDialect extends Dialect {
  readonly machines: MachineDialect;
}

/**
 * The expressions of compiled machines. A raw value is a value of an event in the type of the engine. A tagged value is a
 * text that two values share if they are equal: `s` and the text, the number, or `j` and any other JSON.
 */
export interface MachineDialect {
  readonly list: (items: readonly string[]) => string;
  readonly listType: (item: string) => string;
  readonly structType: (fields: Fields) => string;
  readonly struct: (fields: Fields) => string;
  readonly lambda: (parameters: readonly string[], body: string) => string;
  readonly transform: (list: string, lambda: string) => string;
  readonly filter: (list: string, lambda: string) => string;
  readonly concat: (lists: readonly string[]) => string;
  /** Folds a list from an initial value. The lambda takes the result so far and an element. */
  readonly fold: (list: string, initial: string, lambda: string) => string;
  /** Returns an element by its index from 0; null if it is absent. */
  readonly element: (list: string, index: number) => string;
  /** Returns a row for each element of a list. */
  readonly explode: (list: string) => string;
  /** Aggregates values to a list. */
  readonly collect: (value: string) => string;
  /** Sorts a list of structs by their fields. */
  readonly sort: (list: string) => string;
  /** Returns the raw values of these fields of an object, as a list. */
  readonly readFields: (object: string, paths: readonly (readonly string[])[]) => string;
  readonly tag: (raw: string) => string;
  /** Returns the JSON text of a raw value. */
  readonly formatJson: (raw: string) => string;
  /** Returns the raw elements of a raw list, or the value itself, if it is present. */
  readonly listItems: (raw: string) => string;
  /** Returns the members of a raw object as structs `v` and `p` with their names, or the value itself without a name. */
  readonly listMembers: (raw: string) => string;
  /** Returns the member of a raw object by its name, which is an expression. */
  readonly readMember: (raw: string, name: string) => string;
  /** Returns the tagged value of a list with its elements in a fixed order, and of another tagged value as it is. */
  readonly sortItems: (tagged: string) => string;
  readonly countBytes: (text: string) => string;
  readonly matches: (text: string, pattern: string) => string;
  /** Splits a text where a regular expression matches. */
  readonly split: (text: string, pattern: string) => string;
  readonly replaceAll: (text: string, pattern: string, replacement: string) => string;
}

/** The fields of a struct with their expressions or types. */
type Fields = { readonly [name: string]: string };
