import { describe, expect, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as frames1 } from "../../generated/frames/v1/index.js";
import { protocol as frames2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { generateCoverage } from "../../generator/kit/build-streams.js";
import { findStreamErrors } from "../../generator/kit/find-stream-errors.js";
import { consumerCases, type KitProtocol } from "../../generator/kit/index.js";
import { modelOf } from "../../generator/kit/kit-protocol.js";
import { createGeneratorContext } from "../../generator/kit/scenarios.js";
import { eventMaker } from "../../generator/sample/event-maker.js";

/** How many seeds, of one stream for each law, it takes at most until every event type was there. */
const SEEDS: readonly (readonly [KitProtocol, number])[] = [
  [hecate, 40],
  [frames1, 20],
  [frames2, 20],
  [evva, 30],
];

/** The event types that consumers are given by one law. */
function heard(protocol: KitProtocol, law: string, seeds: number): ReadonlySet<string> {
  const types = new Set<string>();
  const push = (event: { readonly [name: string]: unknown }): void => {
    types.add(String(event[protocol.envelope.discriminator]));
  };
  for (let seed = 100; seed < 100 + seeds; seed++)
    consumerCases({ create: () => ({ push, snapshot: () => null }) }, { protocol, seed, runs: 1 })
      .find(({ id }) => id === law)
      ?.run();
  return types;
}

describe("the tour through all event types", () => {
  it.each(SEEDS.map(([protocol, seeds]) => [protocol.id, seeds, protocol] as const))(
    "meets every event type of %s within %i seeds",
    (_id, seeds, protocol) => {
      const types = heard(protocol, "never-throws", seeds);
      expect(Object.keys(protocol.schemas.events).filter((type) => !types.has(type))).toEqual([]);
    },
  );

  it.each(SEEDS.map(([protocol]) => [protocol.id, protocol] as const))(
    "the law about earlier releases plays every event type of each, with one seed: %s",
    (_id, protocol) => {
      const { version, schemas } = protocol;
      const again = { ...protocol, releases: [{ version, schemas: { ...schemas } }] };
      const types = heard(again, "previous-version", 1);
      expect(Object.keys(schemas.events).filter((type) => !types.has(type))).toEqual([]);
    },
  );

  it.each(SEEDS.map(([protocol]) => [protocol.id, protocol] as const))(
    "breaks no stream rule from its first event to its last: %s",
    (_id, protocol) => {
      const model = modelOf(protocol);
      const accepts = (event: object): boolean =>
        protocol.decodeEvent(event, { profile: "writer" }).kind === "known";
      const events = generateCoverage(createGeneratorContext(eventMaker(model, accepts)));
      expect(events.length).toBeGreaterThanOrEqual(model.events.length);
      expect(findStreamErrors(model, events)).toEqual([]);
    },
  );
});
