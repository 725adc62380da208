/** The places of steps of `upcasts`: JSON pointers with selectors for items of lists and values of maps. */
import type { StepByName, UpcastStep } from "./upcast.js";

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

/** What a step does at a place: it takes a value away, puts one there, or changes the one that is there. */
type PlaceUse = "takes" | "puts" | "changes";

/** The members of steps that hold places, in the order in which a reader thinks of them. */
const PLACE_MEMBERS: {
  readonly [name in keyof StepByName]: { readonly [member: string]: PlaceUse };
} = {
  "rename-type": {},
  move: { from: "takes", to: "puts" },
  split: { from: "takes", to: "puts" },
  constant: { to: "puts" },
  default: { to: "puts" },
  map: { at: "changes" },
  scale: { at: "changes" },
  template: { text: "takes", at: "puts" },
  parse: { at: "takes", text: "puts" },
  function: { at: "changes" },
  "number-to-text": { at: "changes" },
  "text-to-number": { at: "changes" },
  "number-to-time": { at: "changes" },
  "time-to-number": { at: "changes" },
};

/** The member that holds a text with places in braces. */
const TEMPLATE = "text";

/** A place in braces, such as `{/data/name}`. Parts of the place may be `{*}`. */
const TEMPLATE_PLACE = /\{((?:\/(?:\{\*\}|[^/{}])+)+)\}/g;

/** Returns the places of a text with places in braces, and the texts before, between and behind them. */
export function readTemplate(text: string): {
  readonly places: readonly string[];
  readonly literals: readonly string[];
} {
  const parts = text.split(TEMPLATE_PLACE);
  return {
    places: parts.filter((_, index) => index % 2 === 1),
    literals: parts.filter((_, index) => index % 2 === 0),
  };
}

/** A place of a step, and where the step states it. */
export interface StepPlace {
  readonly pointer: string;
  readonly use: PlaceUse;
  readonly member: string;
  /** The position in a list of places. */
  readonly index: number | undefined;
}

/** Returns the places of a step, except those in its conditions. */
export function listStepPlaces(step: UpcastStep): readonly StepPlace[] {
  const members = new Map<string, unknown>(Object.entries(step));
  return Object.entries(PLACE_MEMBERS[step.step]).flatMap(([member, use]): StepPlace[] => {
    const value = members.get(member);
    if (typeof value === "string" && member === TEMPLATE)
      return readTemplate(value).places.map((pointer) => ({ pointer, use, member, index: undefined }));
    if (typeof value === "string") return [{ pointer: value, use, member, index: undefined }];
    return Array.isArray(value)
      ? value.map((each, index) => ({ pointer: String(each), use, member, index }))
      : [];
  });
}

/** Returns the pointers of a step. */
export function listPlaces(step: UpcastStep): readonly string[] {
  return listStepPlaces(step).map(({ pointer }) => pointer);
}

/** Returns the places from which a step takes a value away, at which it puts one, or at which it changes one. */
export function listPlacesOf(step: UpcastStep, use: PlaceUse): readonly string[] {
  return listStepPlaces(step)
    .filter((place) => place.use === use)
    .map(({ pointer }) => pointer);
}

/** Returns a step with other places. */
export function mapPlaces<Step extends UpcastStep>(step: Step, change: (pointer: string) => string): Step {
  const uses = PLACE_MEMBERS[step.step];
  const changed = Object.entries(step).map(([member, value]): [string, unknown] => {
    if (!Object.hasOwn(uses, member)) return [member, value];
    if (member === TEMPLATE)
      return [member, String(value).replace(TEMPLATE_PLACE, (_, pointer: string) => `{${change(pointer)}}`)];
    return [member, Array.isArray(value) ? value.map((each) => change(String(each))) : change(String(value))];
  });
  return Object.assign({}, step, Object.fromEntries(changed));
}
