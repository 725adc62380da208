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
  /**
   * The places to which `**` leads from a value; all its items and members by default. Each one begins with the place up to
   * `**`. Values below change first.
   */
  readonly through?: readonly string[];
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
  | ScaleStep;

/** Selectors of places. */
export const MEMBERS = "{*}";
export const EVERY_DEPTH = "**";

/** Returns whether a part of a place stands for values of a list, of a map, or at every depth. */
export function isSelector(token: string): boolean {
  return token === "*" || token === MEMBERS || token === EVERY_DEPTH || /^\[\d+(?:\.\.)?\]$/.test(token);
}

/** Returns the place up to the last selector, and "" if there is none. */
export function findSelectedPlace(pointer: string): string {
  const tokens = pointer.split("/");
  return tokens.slice(0, tokens.findLastIndex(isSelector) + 1).join("/");
}

/** Returns the positions in a list that a selector such as `*`, `[2]` or `[2..]` selects. */
export function readPositions(selector: string): { readonly start: number; readonly isOpen: boolean } {
  if (selector === "*") return { start: 0, isOpen: true };
  return { start: Number.parseInt(selector.slice(1), 10), isOpen: selector.endsWith("..]") };
}

/** Changes each selected value by a step of its own. A value of another kind than the selector is about stays as it is. */
export interface EachStep extends Pick<StepConditions, "when"> {
  readonly step: "each";
  /** The place of the list or the map. */
  readonly list: string;
  readonly selector: string;
  /** The steps that change an object with a selected value as its only member, `ITEM`. */
  readonly inner: readonly NestedStep[];
}

/** Changes a value and those below it, which change first. */
export interface DeepStep extends Pick<StepConditions, "when"> {
  readonly step: "deep";
  readonly list: string;
  /** The paths from a value to the next ones. */
  readonly loops: readonly string[];
  /** The steps that change an object with one of the values as its only member, `ITEM`. */
  readonly inner: readonly NestedStep[];
}

/** A step, or one of which the first selector is a step of its own. */
export type NestedStep = UpcastStep | EachStep | DeepStep;

/** The name of a selected value in the object that stands for it. */
export const ITEM = "item";

const DEFAULT_LOOPS = ["/*", `/${MEMBERS}`];

/** Returns a step with selectors as a step about the value before the first one, and other steps as they are. */
export function enterList(step: NestedStep): NestedStep {
  if (step.step === "each" || step.step === "deep") return step;
  const places = listPlaces(step);
  const tokens = (places[0] ?? "").split("/");
  const position = tokens.findIndex(isSelector);
  const selector = tokens[position];
  const start = tokens.slice(0, position + 1).join("/");
  const isInside = (pointer: string) => `${pointer}/`.startsWith(`${start}/`);
  if (selector === undefined || !places.every(isInside)) return step;
  const list = tokens.slice(0, position).join("/");
  const rebase = (pointer: string) => `/${ITEM}${pointer.slice(start.length)}`;
  const conditions = Object.entries(step.when ?? {});
  const through = (step.through ?? []).filter(isInside).map(rebase);
  const isDeep = (pointer: string) => pointer.split("/").includes(EVERY_DEPTH);
  const inner: UpcastStep = {
    ...mapPlaces(step, rebase),
    when: Object.fromEntries(
      conditions
        .filter(([pointer]) => isInside(pointer))
        .map(([pointer, values]) => [rebase(pointer), values] as const),
    ),
    through: through.filter(isDeep),
  };
  const when = Object.fromEntries(conditions.filter(([pointer]) => !isInside(pointer)));
  if (selector !== EVERY_DEPTH) return { step: "each", list, selector, when, inner: [inner] };
  const loops = through
    .filter((pointer) => !isDeep(pointer))
    .map((pointer) => pointer.slice(`/${ITEM}`.length));
  return { step: "deep", list, loops: loops.length === 0 ? DEFAULT_LOOPS : loops, when, inner: [inner] };
}

/** Returns the steps that change an object whose only member `ITEM` is a value of a deep step: those below the value first. */
export function listDeepSteps({ loops, inner }: DeepStep): readonly NestedStep[] {
  const enterLoop = (loop: string): NestedStep => {
    const tokens = loop.split("/");
    const position = tokens.findIndex(isSelector);
    const selector = tokens[position];
    if (selector === undefined) return { step: "deep", list: `/${ITEM}${loop}`, loops, inner };
    const list = `/${ITEM}${tokens.slice(0, position).join("/")}`;
    const rest = ["", ...tokens.slice(position + 1)].join("/");
    return { step: "each", list, selector, inner: [enterLoop(rest)] };
  };
  return [...loops.map(enterLoop), ...inner];
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
