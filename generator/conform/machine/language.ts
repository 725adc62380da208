/**
 * The language of machines. A machine says what one declaration of a stream rule means: which events it reads, what it
 * remembers, and what it reports. It is plain JSON without functions, so that everything else follows from it: the check of
 * events, the comparison of contracts, generated streams, queries, and checkers in other languages.
 */
import type { Json } from "../../json.js";

/** What one declaration means. Equal machines report the same for the same streams. */
export interface Machine {
  /** The tables are shared by all streams. By default, each stream has its own. */
  readonly shared?: true;
  readonly tables: { readonly [table: string]: Table };
  /** Named relations between texts: for each text, the texts that are related to it. */
  readonly relations?: { readonly [relation: string]: Relation };
  /** An event runs the clauses of its type in this order. */
  readonly clauses: readonly Clause[];
}

interface Relation {
  readonly [from: string]: readonly string[];
}

/** A memory of rows. Each row belongs to a key and has cells. */
export interface Table {
  /** The number of ids that form the key. A table without ids has one row. */
  readonly keys: number;
  /** The rows are grouped by the first of two ids, so that all rows of a group can be visited. */
  readonly grouped?: true;
  readonly cells: { readonly [cell: string]: CellKind };
  /** The greatest number of rows, or of groups; MAX_ROWS by default. Beyond it, the oldest one is forgotten. */
  readonly limit?: number;
}

/**
 * What a cell holds. The kind decides when two states of a machine are equal:
 * - `value`: any JSON value, which is compared with others;
 * - `number`: a number;
 * - `flag`: true, or nothing;
 * - `epoch`: the epoch of an event. It matters only whether it is the current one;
 * - `event`: the name of an event, for messages;
 * - `index`: the index of an event, for findings at the end of a stream;
 * - `text`: texts that are appended to each other, of which only the length and a hash are kept;
 * - `ranges`: a set of whole numbers.
 */
export type CellKind = "value" | "number" | "flag" | "epoch" | "event" | "index" | "text" | "ranges";

/** What happens at events of some types, at refused events, or at the end of a stream. */
export interface Clause {
  /**
   * `after-terminal` stands for every event after the terminal event of its stream, `refused` for every invalid value whose
   * stream and number are known, and which has no other fields, `end` for the end of a stream or of the input.
   */
  readonly on: readonly string[] | "every" | "after-terminal" | "refused" | "end";
  readonly do: readonly Statement[];
}

/** Statements run in their order. A row has a name while the statements in `do` run. */
export type Statement =
  | {
      readonly op: "if";
      readonly when: Condition;
      readonly do: readonly Statement[];
      readonly else?: readonly Statement[];
    }
  /** Looks up a row, which need not exist. Does nothing if a part of the key is neither a text nor a number. */
  | {
      readonly op: "find";
      readonly row: string;
      readonly table: string;
      readonly key: readonly Value[];
      readonly do: readonly Statement[];
    }
  /** Visits each row of a table, or of the group of `key`, in the order in which they were created. */
  | {
      readonly op: "rows";
      readonly row: string;
      readonly table: string;
      readonly key?: Value;
      readonly do: readonly Statement[];
    }
  /**
   * Visits the parts of a value. `ids`: the value itself, or each element of a list, as far as they are texts or numbers;
   * `items`: the value itself, or each element of a list; `numbers`: the value itself if it is a number, or each number
   * among the members of an object.
   */
  | {
      readonly op: "each";
      readonly item: string;
      readonly parts: "ids" | "items" | "numbers";
      readonly of: Value;
      readonly do: readonly Statement[];
    }
  /** Visits each range of numbers from `first` to `last` that is not in a cell; `item` is its first number, `end` its last one. */
  | {
      readonly op: "uncovered";
      readonly first: Value;
      readonly last: Value;
      readonly row: string;
      readonly cell: string;
      readonly item: string;
      readonly end: string;
      readonly do: readonly Statement[];
    }
  /** Ends the innermost `rows` or `each`, or the clause. */
  | { readonly op: "stop" }
  /**
   * Sets cells in their order, and creates the row if it does not exist. A value that is absent empties the cell; a cell of
   * texts or ranges can only be emptied.
   */
  | { readonly op: "set"; readonly row: string; readonly cells: { readonly [cell: string]: Value } }
  | { readonly op: "append"; readonly row: string; readonly cell: string; readonly text: Value }
  /** Adds the numbers from `first` to `last` to a cell of ranges. */
  | {
      readonly op: "cover";
      readonly row: string;
      readonly cell: string;
      readonly first: Value;
      readonly last: Value;
    }
  | { readonly op: "drop"; readonly row: string }
  /** Removes all rows of a table, or those of the group of `key`. */
  | { readonly op: "clear"; readonly table: string; readonly key?: Value }
  | {
      readonly op: "report";
      /** The id of the finding. */
      readonly finding: string;
      readonly message: readonly MessagePart[];
      readonly at?: Place;
      /** At the end of a stream, the index of the event that the finding is about; by default, the last event. */
      readonly index?: Value;
    };

/** A value that is computed from the event and the memory. It may be absent. */
export type Value =
  | { readonly op: "constant"; readonly value: Json }
  | { readonly op: "payload" | "envelope"; readonly field: string }
  /** The type of the event, its sequence number, its epoch, its name in messages, or its index. */
  | { readonly op: "type" | "sequence" | "epoch" | "event" | "index" }
  /** The number before the numbers that are missing before the event, or the number after them. */
  | { readonly op: "gap"; readonly side: "after" | "before" }
  | { readonly op: "item"; readonly item: string }
  /** The path of an item in its value, as a JSON pointer. */
  | { readonly op: "path"; readonly item: string }
  /** The part of `of` that has the path of the item. */
  | { readonly op: "counterpart"; readonly item: string; readonly of: Value }
  /** The last id of the key of a row. */
  | { readonly op: "key"; readonly row: string }
  | { readonly op: "cell"; readonly row: string; readonly cell: string }
  /** The first value that is present. */
  | { readonly op: "first"; readonly of: readonly Value[] }
  /** Absent if one of the values is not a number. */
  | { readonly op: "add" | "multiply"; readonly of: readonly Value[] }
  | { readonly op: "subtract" | "divide" | "minimum"; readonly of: readonly [Value, Value] }
  /** The number of bytes of a text in UTF-8; absent for other values. */
  | { readonly op: "bytes"; readonly of: Value }
  /** The number of UTF-16 units of a text; absent for other values. */
  | { readonly op: "units"; readonly of: Value }
  /** The number of UTF-16 units in a cell of texts. */
  | { readonly op: "textUnits"; readonly row: string; readonly cell: string }
  /** The joined texts; absent if one of them is not a text. */
  | { readonly op: "join"; readonly of: readonly Value[] }
  /** The count of numbers from `first` to `last` that are in a cell of ranges. */
  | {
      readonly op: "covered";
      readonly row: string;
      readonly cell: string;
      readonly first: Value;
      readonly last: Value;
    }
  /** The ids of the rows that satisfy a condition, as a list; absent if there are none. */
  | { readonly op: "keys"; readonly row: string; readonly table: string; readonly when: Condition };

/** A type of values. A safe integer is one that a double holds exactly. */
type ValueType = "text" | "number" | "integer" | "safe" | "list";

export type Condition =
  | { readonly op: "not"; readonly of: Condition }
  | { readonly op: "all"; readonly of: readonly Condition[] }
  | { readonly op: "any"; readonly of: readonly Condition[] }
  /** True if both values are present and equal, or different. `asSets` ignores the order of lists. */
  | { readonly op: "equal" | "differ"; readonly of: readonly [Value, Value]; readonly asSets?: true }
  /** True if both are numbers in this order. */
  | { readonly op: "less" | "atMost"; readonly of: readonly [Value, Value] }
  | { readonly op: "present"; readonly of: Value }
  | { readonly op: "exists"; readonly row: string }
  | { readonly op: "is"; readonly type: ValueType; readonly of: Value }
  | { readonly op: "in"; readonly of: Value; readonly values: readonly Json[] }
  | { readonly op: "matches"; readonly of: Value; readonly pattern: string }
  /** True if the value is a list that has one of these texts. */
  | { readonly op: "lists"; readonly of: Value; readonly values: readonly string[] }
  /** True if the relation has the second text for the first one. */
  | { readonly op: "related"; readonly relation: string; readonly of: readonly [Value, Value] }
  /** True if a cell has the current epoch, so that no event can be missing since it was set. */
  | { readonly op: "current"; readonly row: string; readonly cell: string }
  /** True if no event of the stream can be missing so far. */
  | { readonly op: "seenFromStart" }
  /** True if the stream has ended and has not begun again. */
  | { readonly op: "ended" }
  /** True if a text equals the texts in a cell, or ends with them. */
  | {
      readonly op: "sameText" | "endsWithText";
      readonly of: Value;
      readonly row: string;
      readonly cell: string;
    }
  /** True if a text has U+FFFD, which may stand for other bytes. */
  | { readonly op: "hasReplacement"; readonly of: Value }
  /**
   * True if the payload has a field of this name, or an object with such a member, at any depth of the other fields.
   * `fields` are the names of all declared fields.
   */
  | {
      readonly op: "hasMember";
      readonly of: Value;
      readonly except: readonly string[];
      readonly fields: readonly string[];
    }
  /** True if the payload has a value at a JSON pointer, or at a path such as `input.headers[0].value`. */
  | { readonly op: "hasPath"; readonly of: Value };

/** The place of a finding: a field, and the part of it that an item stands for. Without a field, the event. */
export interface Place {
  readonly in: "payload" | "envelope";
  readonly field: string;
  readonly item?: string;
}

/** A part of a message: a text, or a value in one of the forms. */
export type MessagePart =
  | string
  /** The value as JSON, shortened if it is long. */
  | { readonly quote: Value }
  /** The value as it is. */
  | { readonly plain: Value }
  /** A number and its noun. */
  | { readonly count: Value; readonly noun: string; readonly plural: string }
  /** The name of a field and, after a dot, that of the member that an item stands for. */
  | { readonly field: string; readonly item: string }
  /** The first ids of a list, quoted, and how many more there are. */
  | { readonly list: Value };
