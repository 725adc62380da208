/** The conversion of events of an earlier major version to events of this one: the member `upcasts` of protocol.json. */
import type { Json, JsonObject } from "../json.js";

/** The plan for one earlier major version. */
export interface Upcast {
  /** The earlier major version. */
  readonly from: number;
  /** The steps in their order. Each one changes the result of those before it. */
  readonly steps: readonly UpcastStep[];
}

/** The events that a step changes: those that meet every condition; all events if there is none. */
export interface StepConditions {
  /** The event types, as the earlier version names them. A trailing `*` stands for a family. */
  readonly types?: readonly string[];
  /** Only events of streams with an event of one of these types. */
  readonly streamsWith?: readonly string[];
  /** Only events of streams without an event of these types. */
  readonly streamsWithout?: readonly string[];
  /** Only events that have one of the listed values at each of these places. The steps before may have changed the event. */
  readonly when?: { readonly [pointer: string]: readonly Json[] };
  /**
   * The places to which `**` leads from a value; all its items and members by default. Each one begins with the place up to
   * `**`. Values below change first.
   */
  readonly through?: readonly string[];
}

/** Returns whether a step changes only some events of the types that it names. */
export function hasCondition({ when, streamsWith, streamsWithout }: StepConditions): boolean {
  return (when ?? streamsWith ?? streamsWithout) !== undefined;
}

/** Changes the event type. */
export interface RenameTypeStep extends StepConditions {
  readonly step: "rename-type";
  readonly to: string;
  /** The field with the event type; by default the discriminator of the earlier version. Plans over several versions state it. */
  readonly field?: string;
}

/** Moves or renames a field. An event without the field stays as it is. */
export interface MoveStep extends StepConditions {
  readonly step: "move";
  readonly from: string;
  readonly to: string;
  /** True if both places hold the same thing under an old and a new name. If both are there, the one at `from` is left out. */
  readonly alias?: boolean;
}

/** Splits a text into fields, at the first occurrences of the separator. An event without the field stays as it is. */
export interface SplitStep extends StepConditions {
  readonly step: "split";
  readonly from: string;
  readonly separator: string;
  readonly to: readonly string[];
}

/** Adds a field with a fixed value. */
export interface ConstantStep extends StepConditions {
  readonly step: "constant";
  readonly to: string;
  readonly value: Json;
  /** The only value that the step may replace. By default, the field must be absent. */
  readonly replaces?: Json;
}

/** Adds a field with a value where it is absent. */
export interface DefaultStep extends StepConditions {
  readonly step: "default";
  readonly to: string;
  readonly value: Json;
}

/** Replaces values of a field. An event without the field, and a value that is not listed, stay as they are. */
export interface MapStep extends StepConditions {
  readonly step: "map";
  readonly at: string;
  /** The new values by the old ones, which are texts. */
  readonly values: { readonly [value: string]: Json };
}

/** Multiplies a number, such as milliseconds by 0.001. An event without the field stays as it is. */
export interface ScaleStep extends StepConditions {
  readonly step: "scale";
  readonly at: string;
  /** The factor, above 0. */
  readonly by: number;
}

/** Writes a number as decimal digits, without an exponent. An event without the field stays as it is. */
interface NumberToTextStep extends StepConditions {
  readonly step: "number-to-text";
  readonly at: string;
}

/** Reads a text as a number. A text that is no decimal number of up to 15 digits is refused. */
interface TextToNumberStep extends StepConditions {
  readonly step: "text-to-number";
  readonly at: string;
}

/**
 * Writes fields into one text, which takes their place. `text` has the places of the fields in braces, such as
 * `{/data/first} {/data/last}`. An event without all of the fields stays as it is, and one without some of them is refused.
 */
export interface TemplateStep extends StepConditions {
  readonly step: "template";
  readonly at: string;
  readonly text: string;
}

/**
 * Reads a text into fields, which take its place. Each field but the last ends where the text behind it in `text` occurs first.
 * Texts that do not fit are refused.
 */
export interface ParseStep extends StepConditions {
  readonly step: "parse";
  readonly at: string;
  readonly text: string;
}

/**
 * Gives a value to a function of the user, which returns the new one. The functions are given to the modules, and their file
 * to `accrete upcast`. An event without the field stays as it is.
 */
export interface FunctionStep extends StepConditions {
  readonly step: "function";
  readonly at: string;
  readonly name: string;
  /** The JSON Schema of the values that the function may return. */
  readonly gives: JsonObject;
  /** The name of the function that gives the old value back. */
  readonly inverse?: string;
}

/** The unit of a number of time units since the beginning of 1970 in UTC. */
export type TimeUnit = "seconds" | "milliseconds";

/** Writes a number of time units since the beginning of 1970 as a time of RFC 3339 in UTC. */
export interface NumberToTimeStep extends StepConditions {
  readonly step: "number-to-time";
  readonly at: string;
  readonly unit: TimeUnit;
  /** How fractions of the unit are rounded. Without it, they are refused. */
  readonly round?: "down";
}

/** Reads a time of RFC 3339 as a number of time units since the beginning of 1970. */
export interface TimeToNumberStep extends StepConditions {
  readonly step: "time-to-number";
  readonly at: string;
  readonly unit: TimeUnit;
  /** How fractions of the unit are rounded. Without it, they are refused. */
  readonly round?: "down";
}

/**
 * One step. `from`, `to` and `at` are JSON pointers into the event, except in `rename-type`. They lead through objects, and
 * selectors stand for several values: `*` for each item of a list, `[0]` for one item, `[2..]` for all items from there on,
 * `{*}` for each value of a map, and `**` for a value and those below it at every depth. All places of a step lie in the same
 * selected values.
 */
export type UpcastStep =
  | RenameTypeStep
  | MoveStep
  | SplitStep
  | ConstantStep
  | DefaultStep
  | MapStep
  | ScaleStep
  | TemplateStep
  | ParseStep
  | FunctionStep
  | NumberToTextStep
  | TextToNumberStep
  | NumberToTimeStep
  | TimeToNumberStep;

/** The steps by their names. */
export type StepByName = { readonly [step in UpcastStep as step["step"]]: step };

/** Returns whether an event type is one of these names, or belongs to a family such as `tool.*` among them. */
export function matchesType(names: readonly string[], type: string): boolean {
  return names.some((name) => (name.endsWith("*") ? type.startsWith(name.slice(0, -1)) : type === name));
}
