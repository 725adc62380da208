/**
 * Checks that a consumer does not mix up two things, such as two tool calls. The checks do not prescribe how things are
 * shown: they compare two orders of the same events. What is separate when the two things come one after the other must
 * also be separate when their events are interleaved.
 */
import { getItem } from "../../get-item.js";
import { createObject, formatCanonicalJson, type Json } from "../../json.js";
import type { FixedFields, SampleEvent } from "../../sample/event-maker.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { listPayloadFields } from "../../sample/merged-schema.js";
import type { KitProtocol } from "../kit-protocol.js";
import { getPayload, setPayloadFields } from "../payload.js";
import type { Steps } from "../steps.js";
import { listTextFields, TEXTS, type TextField } from "../text-fields.js";
import type { Trial } from "../trial.js";
import { findDifferences } from "../view.js";

/** The text that replaces one of them, to find the places of the snapshot that show it. */
const OTHER_TEXT = "qzother words";

/** Picks up to `count` different text fields of `types` at random. */
export function pickTextFields(
  { model, random }: Trial,
  types: readonly string[],
  count: number,
): readonly TextField[] {
  const candidates = listTextFields(model).filter(({ type }) => types.includes(type));
  const picked: TextField[] = [];
  while (picked.length < count && candidates.length > 0)
    picked.push(...candidates.splice(random.below(candidates.length), 1));
  return picked;
}

/** The pointers into a snapshot that show the first thing, and those that show the second. */
type Places = readonly [first: readonly string[], second: readonly string[]];

/**
 * Fails if the two things in `tested` share a place of the snapshot, or one of them has none, although each has its own
 * in `reference`. In both, the events about them have one of `TEXTS` in `field`.
 */
export function* checkSeparation(
  trial: Trial,
  field: string,
  reference: readonly SampleEvent[],
  tested: readonly SampleEvent[],
  messages: { readonly lost: string; readonly mixed: string },
): Steps<void> {
  const referencePlaces = yield* findPlaces(trial, reference, field);
  if (referencePlaces === undefined || referencePlaces.some(({ length }) => length === 0)) return;
  const [[first = ""], [second = ""]] = referencePlaces;
  const depth = findBranchingDepth(first, second);
  if (haveCommonPlace(referencePlaces, depth)) return;
  yield* trial.view(tested);
  const testedPlaces = yield* findPlaces(trial, tested, field);
  if (testedPlaces === undefined) return;
  if (testedPlaces.some(({ length }) => length === 0)) trial.fail(messages.lost);
  if (haveCommonPlace(testedPlaces, depth)) trial.fail(messages.mixed);
}

/** The events with another text about the first thing, and those with another text about the second one. */
type ReplacedTexts = readonly [first: readonly SampleEvent[], second: readonly SampleEvent[]];

const getReplacedTexts = memoizeByObject((_: readonly SampleEvent[]) => new Map<string, ReplacedTexts>());

/** Replaces each of the two texts in a field. Trials remember the views of the same lists, so the results are remembered. */
function replaceTexts(protocol: KitProtocol, events: readonly SampleEvent[], field: string): ReplacedTexts {
  const replaceText = (text: string): readonly SampleEvent[] =>
    events.map((event) =>
      getPayload(protocol, event)[field] === text
        ? setPayloadFields(protocol, event, { [field]: OTHER_TEXT })
        : event,
    );
  const replacedTexts = getReplacedTexts(events);
  const texts = replacedTexts.get(field) ?? [replaceText(TEXTS[0]), replaceText(TEXTS[1])];
  replacedTexts.set(field, texts);
  return texts;
}

/** Finds the places where the snapshot changes with the text about the first thing, and with that about the second. */
function* findPlaces(trial: Trial, events: readonly SampleEvent[], field: string): Steps<Places | undefined> {
  const view = yield* trial.tryView(events);
  const [first, second] = replaceTexts(trial.protocol, events, field);
  const withoutFirst = yield* trial.tryView(first);
  const withoutSecond = yield* trial.tryView(second);
  if (view === undefined || withoutFirst === undefined || withoutSecond === undefined) return undefined;
  return [findDifferences(view, withoutFirst), findDifferences(view, withoutSecond)];
}

/** Returns the depth at which the pointers to two things branch: that of the box, the line or the run that shows them. */
export function findBranchingDepth(first: string, second: string): number {
  const firstTokens = first.split("/");
  const secondTokens = second.split("/");
  const branchIndex = firstTokens.findIndex((token, index) => token !== secondTokens[index]);
  return branchIndex === -1 ? firstTokens.length : branchIndex + 1;
}

/** Returns whether both things are shown below one pointer of this depth. */
function haveCommonPlace([first, second]: Places, depth: number): boolean {
  const truncate = (pointer: string): string => pointer.split("/").slice(0, depth).join("/");
  const places = new Set(second.map(truncate));
  return first.some((pointer) => places.has(truncate(pointer)));
}

/** Two texts that come in pieces: the event type and the field of a piece, and the fields that identify each text. */
export interface PieceSource extends TextField {
  readonly names: readonly [FixedFields, FixedFields];
  /** The event type that starts each of the two, if they have to be started. */
  readonly startType?: string;
}

/** Creates a source for each rule about texts: two texts with different keys. */
export function createTextSources(trial: Trial): readonly PieceSource[] {
  return (trial.rules.texts ?? []).map(({ delta, part, key }) => {
    const makeName = (): FixedFields =>
      Object.fromEntries(key.map((field) => [field, trial.makeUnusedValue(delta, field)]));
    return { type: delta, field: part, names: [makeName(), makeName()] };
  });
}

/** Returns a source, and for each of several key fields a source of two texts that differ in this field alone. */
export function listKeyVariants(source: PieceSource): readonly PieceSource[] {
  const [first, second] = source.names;
  const fields = Object.entries(second);
  if (fields.length < 2) return [source];
  return [
    source,
    ...fields.map(([field, value]) => ({ ...source, names: [first, { ...first, [field]: value }] as const })),
  ];
}

/** Creates a source for each rule about outputs whose pieces have byte offsets: two things with an output of the same name. */
export function createOutputSources(trial: Trial): readonly PieceSource[] {
  return (trial.rules.offsets ?? []).map(({ type, data, key: [source, output] }) => {
    const sharedFields = { [output]: trial.makeUnusedValue(type, output) };
    const makeName = (): FixedFields => ({ ...sharedFields, [source]: trial.makeUnusedValue(type, source) });
    return { type, field: data, names: [makeName(), makeName()] };
  });
}

/** The pieces of the two texts. */
const PIECES = [
  ["qzalpha be", "gins here"],
  ["qzgamma be", "gins there"],
] as const;

/**
 * Fails if a consumer joins the pieces of two texts that come one after the other, but not when the pieces alternate. A
 * consumer that does not join pieces is not checked. `streams` are the indexes of the two texts' streams.
 */
export function* checkJoining(
  trial: Trial,
  label: string,
  { type, field, names, startType }: PieceSource,
  streams: readonly [number, number],
): Steps<void> {
  const createPiece = (text: 0 | 1, index: 0 | 1) => ({
    type,
    stream: streams[text],
    fixedFields: { ...names[text], [field]: PIECES[text][index] },
  });
  const createStart = (text: 0 | 1) =>
    startType === undefined ? [] : [{ type: startType, stream: streams[text], fixedFields: names[text] }];
  const starts = [...createStart(0), ...createStart(1)];
  const firstText = [createPiece(0, 0), createPiece(0, 1)] as const;
  const secondText = [createPiece(1, 0), createPiece(1, 1)] as const;
  const sequential = trial.sendAll([...starts, ...firstText, ...secondText]);
  if (sequential === undefined) return;
  const view = yield* trial.tryView([...trial.events, ...sequential]);
  if (view === undefined || !isJoined(view)) return;
  // The pieces keep all of their values. Otherwise a consumer might show them apart for another reason than their order.
  const fields = listPayloadFields(trial.model).flatMap((each) => (each.type === type ? [each.field] : []));
  const sent = [...firstText, ...secondText].map((piece, index) => {
    const payload = getPayload(trial.protocol, getItem(sequential, starts.length + index));
    return {
      ...piece,
      fixedFields: createObject(Object.entries(payload).filter(([name]) => fields.includes(name))),
    };
  });
  const pieces = [0, 2, 1, 3].flatMap((index) => sent[index] ?? []);
  const alternatingEvents = trial.sendAll([...starts, ...pieces]);
  if (alternatingEvents === undefined) return;
  const actual = yield* trial.view([...trial.events, ...alternatingEvents]);
  if (!isJoined(actual))
    trial.fail(`${label}, pieces in ${field} of ${type} are mixed up when they alternate`, view, actual);
}

function isJoined(view: Json): boolean {
  const text = formatCanonicalJson(view);
  return PIECES.every((pieces) => text.includes(pieces.join("")));
}
