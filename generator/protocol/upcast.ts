/** The conversion of events of an earlier major version to events of this one: the member `upcasts` of protocol.json. */
import type { Json } from "../json.js";

/** The plan for one earlier major version. */
export interface Upcast {
  /** The earlier major version. */
  readonly from: number;
  /** The steps in their order. Each one changes the result of those before it. */
  readonly steps: readonly UpcastStep[];
}

/** The events that a step changes: those that meet every condition; all events if there is none. */
interface StepConditions {
  /** The event types, as the earlier version names them. A trailing `*` stands for a family. */
  readonly types?: readonly string[];
  /** Only events of streams with an event of one of these types. */
  readonly streamsWith?: readonly string[];
  /** Only events of streams without an event of these types. */
  readonly streamsWithout?: readonly string[];
  /** Only events that have one of the listed values at each of these places. The steps before may have changed the event. */
  readonly when?: { readonly [pointer: string]: readonly Json[] };
}

/** Changes the event type. */
export interface RenameTypeStep extends StepConditions {
  readonly step: "rename-type";
  readonly to: string;
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

/**
 * One step. `from`, `to` and `at` are JSON pointers into the event, except in `rename-type`. They lead through objects; a `*`
 * stands for each item of a list, and all places of a step lie in the same items.
 */
export type UpcastStep =
  | RenameTypeStep
  | MoveStep
  | SplitStep
  | ConstantStep
  | DefaultStep
  | MapStep
  | ScaleStep;

/** Changes each item of a list by a step of its own. A value that is not a list stays as it is. */
export interface EachStep extends Pick<StepConditions, "when"> {
  readonly step: "each";
  /** The place of the list. */
  readonly list: string;
  /** The step that changes an object with an item as its only member, `ITEM`. */
  readonly inner: UpcastStep;
}

/** The name of an item in the object that stands for it. */
export const ITEM = "item";

/** Returns a step about items of a list as a step about the list, and other steps as they are. */
export function enterList(step: UpcastStep): UpcastStep | EachStep {
  const places = listPlaces(step);
  const list = /^(.*?)\/\*(?:\/|$)/.exec(places[0] ?? "")?.[1];
  const isInside = (pointer: string) => `${pointer}/`.startsWith(`${list}/*/`);
  if (list === undefined || !places.every(isInside)) return step;
  const rebase = (pointer: string) => `/${ITEM}${pointer.slice(`${list}/*`.length)}`;
  const conditions = Object.entries(step.when ?? {});
  const outer = conditions.filter(([pointer]) => !isInside(pointer));
  const inner = conditions
    .filter(([pointer]) => isInside(pointer))
    .map(([pointer, values]) => [rebase(pointer), values] as const);
  return {
    step: "each",
    list,
    when: Object.fromEntries(outer),
    inner: { ...mapPlaces(step, rebase), when: Object.fromEntries(inner) },
  };
}

function mapPlaces(step: UpcastStep, change: (pointer: string) => string): UpcastStep {
  switch (step.step) {
    case "rename-type":
      return step;
    case "move":
      return { ...step, from: change(step.from), to: change(step.to) };
    case "split":
      return { ...step, from: change(step.from), to: step.to.map(change) };
    case "map":
    case "scale":
      return { ...step, at: change(step.at) };
    case "constant":
    case "default":
      return { ...step, to: change(step.to) };
  }
}

/** Returns the pointers of a step. */
export function listPlaces(step: UpcastStep): readonly string[] {
  switch (step.step) {
    case "rename-type":
      return [];
    case "move":
      return [step.from, step.to];
    case "split":
      return [step.from, ...step.to];
    case "map":
    case "scale":
      return [step.at];
    case "constant":
    case "default":
      return [step.to];
  }
}

/** Returns whether an event type is one of these names, or belongs to a family such as `tool.*` among them. */
export function matchesType(names: readonly string[], type: string): boolean {
  return names.some((name) => (name.endsWith("*") ? type.startsWith(name.slice(0, -1)) : type === name));
}
