/** Steps with selectors in their places, as steps about the values that the selectors select. */
import { EVERY_DEPTH, isSelector, listPlaces, MEMBERS, mapPlaces } from "./step-places.js";
import type { StepConditions, UpcastStep } from "./upcast.js";

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
