/** Short streams that a law makes itself, and what of a snapshot the law compares. */
import { getItem } from "../get-item.js";
import { areEqual, isObject, type Json, joinPointer } from "../json.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { escapeXml } from "../text.js";
import type { KitProtocol } from "./kit-protocol.js";
import { removeValuesAt } from "./lens/edit-places.js";
import type { ProposedEvent } from "./rule-scenarios.js";
import type { GeneratorContext, Reduction } from "./scenarios.js";
import { createStreamBuilder } from "./stream-builder.js";

/** An event to be sent, and the index of its stream (0 by default). */
interface SceneEvent extends ProposedEvent {
  readonly stream?: number;
}

/** A stream that has every event that was proposed. */
export interface Scene {
  /** All events, with those that open streams. */
  readonly events: readonly SampleEvent[];
  /** The proposed events. */
  readonly sent: readonly SampleEvent[];
}

/** The number of streams in which a scene is tried, because some begin with other events. */
const MAX_STREAMS = 3;

const getKnownScenes = memoizeByObject((_context: GeneratorContext) => new Map<string, Scene | undefined>());

/** Returns a stream with these events; undefined if the rules do not allow it. */
export function makeScene(
  context: GeneratorContext,
  proposals: readonly SceneEvent[],
  fieldChance = 0,
): Scene | undefined {
  const known = getKnownScenes(context);
  const getKey = (count: number): string => JSON.stringify([proposals.slice(0, count), fieldChance]);
  const key = getKey(proposals.length);
  if (!known.has(key)) {
    const { reduction } = context;
    const isRefused = proposals.some((_, index) => isKnownAsRefused(known, getKey(index)));
    if (isRefused) known.set(key, undefined);
    else if (reduction) {
      const scene = makeScene(reduction.base, proposals, fieldChance);
      known.set(key, scene && reduceScene(context, scene, reduction));
    } else {
      const { scene, accepted } = tryStreams(context, proposals, fieldChance);
      known.set(key, scene);
      // No stream that begins in the same way is allowed either.
      if (scene === undefined) known.set(getKey(accepted + 1), undefined);
    }
  }
  return known.get(key);
}

function isKnownAsRefused(known: ReadonlyMap<string, Scene | undefined>, key: string): boolean {
  return known.has(key) && known.get(key) === undefined;
}

/** Leaves out of a scene what a reduction names, as far as the contract allows that. */
function reduceScene({ maker }: GeneratorContext, scene: Scene, { names, renumber }: Reduction): Scene {
  const { discriminator } = maker.protocol.envelope;
  const getType = (event: SampleEvent): string => String(event[discriminator]);
  const omitFields = (event: SampleEvent): SampleEvent => {
    const type = getType(event);
    const own = [...names].filter((name) => name.startsWith(`${type}/`));
    return own.reduce((rest, name) => removeValuesAt(rest, name.slice(type.length + 1).split("/")), event);
  };
  const isKept = (event: SampleEvent): boolean => scene.sent.includes(event) || !names.has(getType(event));
  // If something cannot be left out, the other parts may.
  for (const kept of [scene.events.filter(isKept), scene.events])
    for (const edited of [kept.map(omitFields), kept]) {
      if (areEqual([...edited], [...scene.events])) return scene;
      const events = renumber(edited);
      if (events === undefined) continue;
      const sent = scene.sent.map((event) => getItem(events, kept.indexOf(event)));
      return { events, sent };
    }
  return scene;
}

/** Returns a stream with the proposed events, and how many of them the rules accept at most. */
function tryStreams(
  context: GeneratorContext,
  proposals: readonly SceneEvent[],
  fieldChance: number,
): { readonly scene: Scene | undefined; readonly accepted: number } {
  let accepted = 0;
  for (let offset = 0; offset < MAX_STREAMS; offset++) {
    const builder = createStreamBuilder(context);
    const sent: SampleEvent[] = [];
    for (const [index, proposal] of proposals.entries()) {
      const cursor = builder.getCursor((proposal.stream ?? 0) + offset);
      const event = builder.send(cursor, proposal, index + 1, fieldChance);
      if (event === undefined) break;
      sent.push(event);
    }
    if (sent.length === proposals.length)
      return { scene: { events: builder.events, sent }, accepted: sent.length };
    accepted = Math.max(accepted, sent.length);
  }
  return { scene: undefined, accepted };
}

/** Returns the payload fields that identify things, turns or texts. */
export const listKeyFields = memoizeByObject(({ rules = {}, view }: KitProtocol): ReadonlySet<string> => {
  const { lifecycles = [], transitions = [], texts = [], offsets = [], constant = [] } = rules;
  return new Set([
    ...lifecycles.map(({ key }) => key),
    ...transitions.flatMap(({ events }) => events.map(({ key }) => key)),
    ...texts.flatMap(({ key }) => key),
    ...offsets.map(({ offset }) => offset),
    ...constant.flatMap(({ key }) => (key === undefined ? [] : [key])),
    ...Object.values(view?.roles ?? {}).flatMap((role) => ("key" in role ? [role.key ?? []].flat() : [])),
  ]);
});

/** Returns the events of a scene before one of them. */
export function listBefore({ events }: Scene, event: SampleEvent | undefined): readonly SampleEvent[] {
  return event === undefined ? events : events.slice(0, events.indexOf(event));
}

/** A value of a snapshot that is neither an object nor a list. */
export type Leaf = string | number | boolean | null;

/** Returns the leaves of a snapshot by their pointers. */
export function listLeaves(view: Json, pointer = ""): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  addLeaves(view, pointer, leaves);
  return leaves;
}

function addLeaves(view: Json, pointer: string, leaves: Map<string, Leaf>): void {
  if (typeof view !== "object" || view === null) leaves.set(pointer, view);
  else
    for (const [name, member] of Object.entries(view)) addLeaves(member, joinPointer(pointer, name), leaves);
}

/** Stands for a text of the events themselves, and for a number. */
const OWN = "§";

/**
 * Returns the words of a snapshot that a consumer chose itself: its texts without those of `events` and without numbers. Texts
 * in `kept` stay, although events have them.
 */
export function listOwnWords(
  view: Json,
  events: readonly Json[],
  kept: ReadonlySet<string> = new Set(),
): string[] {
  const texts = listShownForms(
    events.flatMap(listTexts).filter((text) => text.length > 1 && !kept.has(text)),
  );
  return [...listLeaves(view).values()].flatMap((leaf) => {
    if (typeof leaf !== "string") return [];
    const word = texts.reduce((rest, text) => rest.replaceAll(text, OWN), leaf).replace(/[\d.,]+/g, "#");
    return /\p{L}/u.test(word) ? [word] : [];
  });
}

/** Returns texts as they are and as a page in HTML or a text in JSON has them, the longest first. */
export function listShownForms(texts: readonly string[]): readonly string[] {
  const forms = texts.flatMap((text) => [text, escapeXml(text), JSON.stringify(text).slice(1, -1)]);
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length);
}

/** Returns the words and numbers of a snapshot. A word that occurs twice is there twice. */
export function listTokens(view: Json): readonly string[] {
  return [...listLeaves(view).values()].flatMap((leaf) => String(leaf).match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Returns all texts in a value, without names of members. */
export function listTexts(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isObject(value) ? Object.values(value).flatMap(listTexts) : [];
}

/** Returns how much each number of a view grew, also those in texts; 0 for what is the same, NaN for what else changed. */
export function listSteps(before: Json, after: Json): readonly number[] {
  const first = listLeaves(before);
  // A rounded number, such as 2.1k or 99+, is not read.
  const toNumber = (value: unknown): number => {
    const [digits = "NaN"] =
      String(value).match(/\d+(?:[,.'’\u00a0\u202f]\d{3})*(?![\d.,]*(?:[kmb]\b|\+))/i) ?? [];
    return Number(digits.replace(/[,.'’\u00a0\u202f]/g, ""));
  };
  return [...listLeaves(after)].map(([place, leaf]) => {
    const old = first.get(place);
    return old === leaf ? 0 : toNumber(leaf) - toNumber(old);
  });
}

/** Returns the items of a list that are not in another one; equal items count as often as they occur. */
export function subtractItems<T>(list: readonly T[], others: readonly T[]): T[] {
  const rest = [...others];
  return list.filter((item) => {
    const index = rest.indexOf(item);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}
