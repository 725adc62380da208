/** Makes streams of the protocols of this project and of random contracts, for tests of checkers. */
import { createStreamDisturber } from "../../../generator/emit/vectors/disturb-streams.js";
import type { JsonObject } from "../../../generator/json.js";
import { readFixtureEvents, readFixtureStreams } from "../../../generator/load/fixtures.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { Random } from "../../../generator/random.js";
import { createValidators } from "../../../generator/validators/protocol-validators.js";
import { readStreamCases } from "../../conform/stream-cases.js";
import { PROTOCOLS } from "../fixtures.js";
import { createRandomContract, createRandomStream } from "./random-contracts.js";

/** The first seed of the random streams and contracts. */
export const SEED = Number(process.env.ACCRETE_TEST_SEED ?? 1);

/** Random contracts, which have every member of `stream.rules` together. */
export const CONTRACTS = Array.from({ length: 8 }, (_, index) => createRandomContract(SEED + index));

/** The protocols whose packages check streams. */
export const CHECKED_PROTOCOLS = [...PROTOCOLS, ...CONTRACTS];

/** Limits under which everything is remembered, and others under which ids and streams are forgotten. */
export const LIMITS = [
  { window: 65_536, streams: 10_000 },
  { window: 3, streams: 2 },
] as const;

/** Functions that return whether readers of a protocol accept an event. */
export const acceptors = new Map(
  PROTOCOLS.map((protocol) => {
    const { decodeEvent } = createValidators(protocol);
    return [protocol, (event: object) => decodeEvent(event, { profile: "reader" }).kind !== "invalid"];
  }),
);

/** Returns the text of an event, sometimes without its type, and sometimes after a text that is not an event. */
export function refuseSome(
  { envelope, stream }: Protocol,
  event: JsonObject,
  random: Random,
): readonly string[] {
  const { [envelope.discriminator]: _, ...rest } = event;
  const field = random.pick([stream?.sequence ?? "", ...(stream?.key ?? [])]);
  const refused = random.chance(0.2) ? { ...rest, [field]: random.pick([null, 1.5, "7"]) } : rest;
  const text = JSON.stringify(random.chance(0.05) ? refused : event);
  return random.chance(0.005) ? ["null", text] : [text];
}

/** Returns a maker of streams whose events the contract accepts. */
export function createStreamMaker(protocol: Protocol): (random: Random) => readonly JsonObject[] {
  if (CONTRACTS.includes(protocol)) return (random) => createRandomStream(protocol, random);
  const accepts = acceptors.get(protocol) as (event: object) => boolean;
  const folder = `fixtures/${protocol.id}`;
  const cases = readStreamCases().filter(({ given }) => given.protocol === protocol.id);
  const streams = [
    ...readFixtureStreams(folder).map(({ events }) => events),
    ...cases.map(({ lines }) => lines.map((line): JsonObject => JSON.parse(line))),
  ];
  const events = readFixtureEvents(folder).map(({ event }) => event as JsonObject);
  const disturb = createStreamDisturber(protocol, { streams, events: events.filter(accepts) });
  return (random) => disturb(random).filter(accepts);
}
