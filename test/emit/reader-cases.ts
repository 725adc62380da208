/** Makes disturbed streams with the deliveries of the reader of accrete-client/stream, to which the readers of other languages are compared. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createRandom, type Random } from "../../generator/random.js";
import { createReader, type Delivery, type Reader } from "../../generator/stream/index.js";
import { PROTOCOLS } from "./fixtures.js";

/** A text for a reader, and the delivery and the state of the reader after it. */
interface ReaderCase {
  readonly request: object;
  readonly answer: JsonObject;
}

/** Makes the cases. `nameOf` returns the name of the package of a protocol. */
export async function makeReaderCases(
  nameOf: (protocol: Protocol) => string,
): Promise<readonly ReaderCase[]> {
  const cases: ReaderCase[] = [];
  for (const protocol of PROTOCOLS) {
    const { contract } = await import(path.resolve(`generated/${protocol.id}/index.js`));
    const name = nameOf(protocol);
    for (let seed = 0; seed < 6; seed++) {
      const options = seed % 2 === 0 ? {} : { window: 3, streams: 2 };
      const reader = createReader(contract, options);
      for (const text of disturb(protocol, readStreams(protocol), createRandom(seed))) {
        const answer = describeDelivery(reader, reader.read(JSON.parse(text)));
        cases.push({ request: { package: name, reader: `${name} ${seed}`, options, text }, answer });
      }
    }
  }
  const kinds = new Set(cases.map(({ answer }) => (answer.delivery as JsonObject).kind));
  expect([...kinds].sort()).toEqual(["conflict", "duplicate", "invalid", "late", "new"]);
  return cases;
}

/** Expects that a reader gave the answers of the cases. Shows the first case with another one. */
export function expectAnswers(cases: readonly ReaderCase[], answers: readonly JsonObject[]): void {
  expect(answers.length).toBe(cases.length);
  for (const [i, { request, answer }] of cases.entries())
    expect([request, answers[i]]).toEqual([request, answer]);
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
function describeDelivery(reader: AnyReader, delivery: Delivery<unknown, unknown>): JsonObject {
  const describeGap = (gap: { readonly after?: number; readonly before: number } | undefined): Json =>
    gap === undefined ? null : { after: gap.after ?? null, before: gap.before };
  const streams = reader
    .streams()
    .map((key): [string, Json] => [key, [reader.cursor(key) ?? null, reader.gaps(key).map(describeGap)]]);
  return { delivery: describePlacement(delivery, describeGap), streams: Object.fromEntries(streams) };
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
