/** Streams for the checkers of generated packages, with the findings that TypeScript gives. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { expect } from "vitest";
import { createStreamChecker, type StreamFinding } from "../../../generator/conform/stream-checker.js";
import { emitStreamVectors } from "../../../generator/emit/vectors/stream-vectors.js";
import type { JsonObject } from "../../../generator/json.js";
import { readFixtureEvents, readFixtureStreams } from "../../../generator/load/fixtures.js";
import type { OutputFile, Protocol } from "../../../generator/protocol/protocol.js";
import { combineSeeds, createRandom, type Random } from "../../../generator/random.js";
import type { Profile } from "../../../generator/schema/readings.js";
import { readPosition } from "../../../generator/stream/stream-key.js";
import { createTracker, type TrackLimits } from "../../../generator/stream/tracker.js";
import { readStreamCases } from "../../conform/stream-cases.js";
import { PROTOCOLS } from "../fixtures.js";
import {
  acceptors,
  CHECKED_PROTOCOLS,
  CONTRACTS,
  createStreamMaker,
  LIMITS,
  refuseSome,
  SEED,
} from "./stream-makers.js";

/** The number of random streams that each language checks. `ACCRETE_TEST_STREAMS=20000` checks more. */
const STREAM_COUNT = Number(process.env.ACCRETE_TEST_STREAMS ?? 180);

/** A stream that a checker has to check, and the findings that TypeScript gives. */
interface CheckCase {
  readonly protocol: Protocol;
  readonly profile: Profile;
  readonly limits: Required<TrackLimits>;
  /** Texts of events, and texts that are not events. */
  readonly events: readonly string[];
}

function makeCases(): CheckCase[] {
  const makers = CHECKED_PROTOCOLS.map((protocol) => createStreamMaker(protocol));
  return Array.from({ length: STREAM_COUNT }, (_, index): CheckCase => {
    const random = createRandom(combineSeeds(SEED, index));
    const protocol = CHECKED_PROTOCOLS[index % CHECKED_PROTOCOLS.length] as Protocol;
    const events = (makers[index % CHECKED_PROTOCOLS.length] as (random: Random) => readonly JsonObject[])(
      random,
    );
    return {
      protocol,
      profile: random.pick(["reader", "writer"]),
      limits: LIMITS[random.chance(0.2) ? 1 : 0],
      events: events.flatMap((event) => refuseSome(protocol, event, random)),
    };
  });
}

/** Streams that reach limits: more gaps and more things than are remembered. */
function makeLongCases(): CheckCase[] {
  const numbered = PROTOCOLS.find(({ id }) => id === "frames/v1") as Protocol;
  const [frame] = readFixtureStreams("fixtures/frames/v1")[0]?.events ?? [];
  const gaps = Array.from({ length: 1_010 }, (_, index) => ({ ...frame, type: "later", seq: 2 * index + 1 }));
  const things = CONTRACTS[0] as Protocol;
  const keys = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [name, ""]));
  const many = Array.from({ length: 10_010 }, (_, index) => {
    const data = Object.fromEntries(Object.keys(keys).map((name) => [name, `${name}${index}`]));
    return { type: `t${index % 8}`, stream: "s0", seq: index, data };
  });
  return [
    { protocol: numbered, events: gaps },
    { protocol: things, events: many },
  ].map(({ protocol, events }) => ({
    protocol,
    profile: "writer",
    limits: LIMITS[0],
    events: events.map((event) => JSON.stringify(event)),
  }));
}

/** Returns the findings of the checker in TypeScript, as they are printed. */
function checkCase({ protocol, profile, limits, events }: CheckCase): StreamFinding[] {
  const tracker = createTracker(protocol.stream, limits);
  const checker = createStreamChecker(protocol, { profile });
  const findings = events.flatMap((text, index) => {
    const event = JSON.parse(text);
    const { discriminator } = protocol.envelope;
    if (event !== null && discriminator in event) return checker.check(event, tracker.place(event), index);
    return checker.refuse(readPosition(protocol.stream, event), index);
  });
  // Only the command knows the lines of refused values. The packages do not name the stream.
  return [...findings, ...checker.end()].map(({ refused: _refused, stream: _stream, ...finding }) => ({
    ...finding,
    message: finding.message.toWellFormed(),
    pointer: finding.pointer.toWellFormed(),
  }));
}

/** The cases of test/cases/stream, which have every finding. */
function readCases(): CheckCase[] {
  return readStreamCases().flatMap(({ given, lines }) => {
    const protocol = PROTOCOLS.find(({ id }) => id === given.protocol) as Protocol;
    const limits = { ...LIMITS[0], ...given.limits };
    const events = lines.filter((line) => acceptors.get(protocol)?.(JSON.parse(line)));
    return (["reader", "writer"] as const).map((profile) => ({ protocol, profile, limits, events }));
  });
}

const cases = [...makeCases(), ...readCases(), ...makeLongCases()];
/** The findings of TypeScript. */
export const EXPECTED = new Map(cases.map((one) => [one, checkCase(one)]));

/**
 * Expects that the checkers of a language give the findings of TypeScript. `getName` returns the name of a package. Texts of
 * Go and Rust cannot hold half of a surrogate pair, which `JSON.stringify` escapes.
 */
export function expectFindings(
  getName: (protocol: Protocol) => string,
  run: (input: string) => string,
  canHold = (text: string): boolean => !/\\ud[89a-f]/.test(text),
): void {
  const chosen = cases.filter(({ events }) => events.every(canHold));
  const requests = chosen.map(({ protocol, profile, limits, events }) =>
    JSON.stringify({ package: getName(protocol), profile, ...limits, events }),
  );
  const answers = run(requests.join("\n")).trim().split("\n");
  expect(answers.length).toBe(chosen.length);
  for (const [index, answer] of answers.entries()) {
    const found: StreamFinding[] = JSON.parse(answer);
    const one = chosen[index] as CheckCase;
    const { protocol, profile, events } = one;
    const describe = (finding: StreamFinding | undefined): object => ({
      ...finding,
      protocol: protocol.id,
      profile,
    });
    const wanted = EXPECTED.get(one) ?? [];
    const wrong = Array.from({ length: Math.max(found.length, wanted.length) }, (_, i) => i).find(
      (i) => JSON.stringify(sortMembers(found[i])) !== JSON.stringify(sortMembers(wanted[i])),
    );
    if (wrong === undefined) continue;
    expect([describe(found[wrong]), events.slice(0, 50)]).toEqual([
      describe(wanted[wrong]),
      events.slice(0, 50),
    ]);
  }
}

function sortMembers(finding: StreamFinding | undefined): object | undefined {
  return finding && Object.fromEntries(Object.entries(finding).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns what a program prints, and throws its errors. */
export function runProgram(name: string, parameters: readonly string[], options: object): string {
  const result: SpawnSyncReturns<string> = spawnSync(name, parameters, {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    ...options,
  });
  if (result.status !== 0)
    throw result.error ?? new Error(`${name} failed: ${result.stdout}${result.stderr}`);
  return result.stdout;
}

/** Returns whether a program is installed. Prints a word if it is not. */
export function hasProgram(name: string, parameter = "--version"): boolean {
  const isThere = spawnSync(name, [parameter]).error === undefined;
  if (!isThere) console.warn(`${name} is absent: the checkers of generated packages are not checked with it`);
  return isThere;
}

/** The stream vectors of the bundled protocols. */
export const VECTORS = PROTOCOLS.map(
  (protocol): { readonly protocol: Protocol; readonly files: readonly OutputFile[] } => {
    const folder = `fixtures/${protocol.id}`;
    return {
      protocol,
      files: emitStreamVectors(protocol, readFixtureStreams(folder), readFixtureEvents(folder)),
    };
  },
);

/** The files of all stream vectors. */
export const VECTOR_FILES = VECTORS.flatMap(({ files }) => files);
