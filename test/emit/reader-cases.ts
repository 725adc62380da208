/** Makes disturbed streams with the deliveries of the reader of accrete-client/stream, to which the readers of other languages are compared. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { type Json, type JsonObject, mapValues } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createRandom, type Random } from "../../generator/random.js";
import { createReader, type Delivery, type Reader } from "../../generator/stream/index.js";
import { streamKey } from "../../generator/stream/stream-key.js";
import { PROTOCOLS } from "./fixtures.js";

/** A text for a reader, or a stream that it must forget, and the delivery and the state of the reader after it. */
interface ReaderCase {
  readonly request: object;
  readonly answer: JsonObject;
}

/** What happens to a reader. `id` is the id under which a text was sent. */
type ReaderStep = { readonly text: string; readonly id?: string } | { readonly forget: string };

/** What happens to a reader with these options. */
interface ReaderStory {
  readonly options: {
    readonly window?: number;
    readonly streams?: number;
    readonly cursors?: { readonly [stream: string]: number };
  };
  readonly steps: readonly ReaderStep[];
}

/** Makes the cases. `nameOf` returns the name of the package of a protocol. */
export async function makeReaderCases(
  nameOf: (protocol: Protocol) => string,
): Promise<readonly ReaderCase[]> {
  const cases: ReaderCase[] = [];
  for (const protocol of PROTOCOLS) {
    const { contract } = await import(path.resolve(`generated/${protocol.id}/index.js`));
    const name = nameOf(protocol);
    const texts = readStreams(protocol);
    const stories = [
      ...Array.from({ length: 6 }, (_, seed) => tellDisturbedStory(protocol, texts, seed)),
      // Other languages do not check the patterns of keys.
      ...tellMadeStories(protocol, texts).filter(({ steps }) =>
        steps.every(
          (step) => !("text" in step) || contract.decodeEvent(JSON.parse(step.text)).kind !== "invalid",
        ),
      ),
    ];
    for (const [i, { options, steps }] of stories.entries()) {
      const reader = createReader(contract, { ...options, cursors: Object.entries(options.cursors ?? {}) });
      for (const step of steps)
        cases.push({
          request: { package: name, reader: `${name} ${i}`, options, ...step },
          answer: takeStep(reader, step),
        });
    }
  }
  const kinds = new Set(cases.map(({ answer }) => (answer.delivery as JsonObject | null)?.kind));
  expect([...kinds].sort()).toEqual(["conflict", "duplicate", "invalid", "late", "new", undefined]);
  // A key of one field, and one of two.
  const streams = cases.flatMap(({ answer }) => Object.keys(answer.streams as JsonObject));
  expect(streams).toEqual(expect.arrayContaining([ODD_KEY, expect.stringContaining("a~1b~0c~01")]));
  return cases;
}

/** A key that is escaped if it is one of several. */
const ODD_KEY = "a/b~c~1";

/** Expects that a reader gave the answers of the cases. Shows the first case with another one. */
export function expectAnswers(cases: readonly ReaderCase[], answers: readonly JsonObject[]): void {
  expect(answers.length).toBe(cases.length);
  for (const [i, { request, answer }] of cases.entries())
    expect([request, answers[i]]).toEqual([request, answer]);
}

function takeStep(reader: AnyReader, step: ReaderStep): JsonObject {
  if ("text" in step) return describeDelivery(reader, reader.read(JSON.parse(step.text), { id: step.id }));
  reader.forget(step.forget);
  return describeDelivery(reader, undefined);
}

/** Returns a story of disturbed recorded streams. Every second reader remembers little. */
function tellDisturbedStory(protocol: Protocol, texts: readonly string[], seed: number): ReaderStory {
  const steps = disturb(protocol, texts, createRandom(seed)).map((text) => ({ text }));
  return { options: seed % 2 === 0 ? {} : { window: 3, streams: 2 }, steps };
}

/** Returns stories about what recorded streams lack: wide gaps, many gaps, restarts, forgotten streams, sent ids and odd keys. */
function tellMadeStories({ stream }: Protocol, texts: readonly string[]): ReaderStory[] {
  const event = JSON.parse(texts.at(-1) ?? "");
  const key = stream === undefined ? "" : streamKey(stream, event);
  const make = (sequence: number | string, fields: object = {}): ReaderStep => {
    const digits = String(Number(sequence) + 1).padStart(4, "0");
    const ids = stream?.id === undefined ? {} : { [stream.id]: `${event[stream.id].slice(0, -4)}${digits}` };
    const numbers = stream?.sequence === undefined ? {} : { [stream.sequence]: "NUMBER" };
    const text = JSON.stringify({ ...event, ...ids, ...numbers, ...fields });
    return { text: text.replace('"NUMBER"', () => String(sequence)), id: `sent_${sequence}` };
  };
  const odd = Object.fromEntries((stream?.key ?? []).map((field) => [field, ODD_KEY]));
  const everySecond = Array.from({ length: 120 }, (_, i) => 9 + 2 * i);
  return [
    {
      options: {},
      steps: [5, 0, 3, 1, 4, 2, 7, ...everySecond, 6, 8, 10, 100, 230, 300, 280, 248, 299, 250, 281].map(
        (n) => make(n),
      ),
    },
    { options: { cursors: { [key]: 10 } }, steps: [12, 10, 11, 9, 13].map((n) => make(n)) },
    {
      options: { window: 2 },
      steps: [make(1), make(2), { forget: key }, make(1), make(4), { forget: "no such" }, make(3), make(5)],
    },
    {
      options: {},
      steps: [make(0), make("0.0"), make("1e0"), make("1.0"), make(1, { later: 1 }), make("3.0")],
    },
    { options: { streams: 9 }, steps: [make(3, odd), make(3), make(2, odd), make(2), make(3, odd)] },
    {
      options: { streams: 9 },
      steps: Array.from({ length: 10 }, (_, i) =>
        make(
          i,
          mapValues(odd, (text) => `${text}${i}`),
        ),
      ),
    },
    { options: { window: 2 }, steps: [1, 2, 3, 4, 1, 2, 6, 3].map((n) => make(n)) },
    { options: {}, steps: [make(1, { later: [1] }), make(1, { later: [1] }), make(1, { later: [2] })] },
    {
      options: { window: 1, streams: 1 },
      steps: [make(0), make(0), { ...make(1), id: "" }, { ...make(1), id: "" }, make(3, odd), make(1)],
    },
  ];
}

/** Reads the events of all recorded streams, as texts. */
function readStreams(protocol: Protocol): string[] {
  const folder = `fixtures/${protocol.id}/streams`;
  return readdirSync(folder)
    .sort()
    .flatMap((file) => readFileSync(`${folder}/${file}`, "utf8").trim().split("\n"));
}

/** Returns the texts with some left out, repeated, changed, moved, sent in another stream or replaced by other values. */
function disturb({ stream }: Protocol, texts: readonly string[], random: Random): string[] {
  const [key = ""] = stream?.key ?? [];
  const streams = [...new Set(texts.map((text) => JSON.parse(text)[key] as Json))];
  const disturbed = texts.flatMap((text) => {
    const choice = random.next();
    if (choice < 0.1) return [];
    if (choice < 0.2) return [text, text];
    if (choice < 0.3) return [text, JSON.stringify({ ...JSON.parse(text), later: true })];
    if (choice < 0.35) return [JSON.stringify({ ...JSON.parse(text), later: 1 }), "null", text];
    // The same id in another stream is another event, unless all streams share their ids.
    if (choice < 0.4)
      return [text, JSON.stringify({ ...JSON.parse(text), [key]: random.pick(streams), later: 2 })];
    return [text];
  });
  for (const i of disturbed.keys()) {
    const j = Math.min(disturbed.length - 1, i + Math.floor(random.next() * 4));
    if (random.next() < 0.2) [disturbed[i], disturbed[j]] = [disturbed[j] ?? "", disturbed[i] ?? ""];
  }
  return disturbed;
}

type AnyReader = Reader<unknown, unknown>;

/** Returns a delivery and the state of its reader as drive.py prints them. */
function describeDelivery(reader: AnyReader, delivery: Delivery<unknown, unknown> | undefined): JsonObject {
  const describeGap = (gap: { readonly after?: number; readonly before: number } | undefined): Json =>
    gap === undefined ? null : { after: gap.after ?? null, before: gap.before };
  const streams = reader
    .streams()
    .map((key): [string, Json] => [key, [reader.cursor(key) ?? null, reader.gaps(key).map(describeGap)]]);
  const described = delivery === undefined ? null : describePlacement(delivery, describeGap);
  return { delivery: described, streams: Object.fromEntries(streams) };
}

function describePlacement(
  delivery: Delivery<unknown, unknown>,
  describeGap: (gap: { readonly after?: number; readonly before: number } | undefined) => Json,
): JsonObject {
  if (delivery.kind === "invalid") return { kind: "invalid" };
  const { kind, stream, sequence = null } = delivery;
  if (kind === "new")
    return { kind, stream, sequence, gap: describeGap(delivery.gap), evicted: [...(delivery.evicted ?? [])] };
  if (kind === "late")
    return { kind, stream, sequence, cursor: delivery.cursor, forgotten: delivery.forgotten };
  return { kind, stream, sequence };
}
