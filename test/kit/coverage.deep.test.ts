/** If this fails, some streams of laws lack an event type or field, so laws miss the bugs of consumers that show it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as frames1 } from "../../generated/frames/v1/index.js";
import { protocol as frames2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { generateCoverage } from "../../generator/kit/build-streams.js";
import { describeCoverage } from "../../generator/kit/describe-coverage.js";
import { findStreamErrors } from "../../generator/kit/find-stream-errors.js";
import { consumerCases, type KitProtocol } from "../../generator/kit/index.js";
import { prepareContext } from "../../generator/kit/scenarios.js";

const PROTOCOLS = [hecate, frames1, frames2, evva].map((protocol) => ({
  protocol,
  id: protocol.id,
  types: Object.keys(protocol.schemas.events),
}));

/** Returns the event types that consumers receive from one law with one seed. */
function listReceivedTypes(protocol: KitProtocol, law: string): ReadonlySet<string> {
  const types = new Set<string>();
  const push = (event: { readonly [name: string]: unknown }): void => {
    types.add(String(event[protocol.envelope.discriminator]));
  };
  consumerCases({ create: () => ({ push, snapshot: () => null }) }, { protocol, seed: 100, runs: 1 })
    .find(({ id }) => id === law)
    ?.run();
  return types;
}

/** The content of the default streams. docs/contract-testing.md shows these figures. */
const COVERED: { readonly [id: string]: string } = {
  "hecate/v1":
    "The streams contain 68 of 68 event types, each delivered again; 309 of 309 optional fields left out; 35 of 35 open enumerations with an unknown value; 6 of 6 ends of lifecycles; 46 of 46 orders of two calls.",
  "frames/v1":
    "The streams contain 20 of 20 event types, each delivered again; 11 of 11 optional fields left out; 1 of 1 open enumerations with an unknown value; 3 of 3 ends of lifecycles; 30 of 30 orders of two calls.",
  "frames/v2":
    "The streams contain 25 of 25 event types, each delivered again; 25 of 25 optional fields left out; 1 of 1 open enumerations with an unknown value; 3 of 3 ends of lifecycles; 30 of 30 orders of two calls.",
  "evva/v0":
    "The streams contain 22 of 22 event types; 0 of 0 optional fields left out; 6 of 6 open enumerations with an unknown value; 1 of 1 ends of lifecycles; 4 of 4 orders of two calls.",
};

const PAGE = readFileSync("docs/contract-testing.md", "utf8").replace(/\s+/g, " ");

describe.each(PROTOCOLS)("generated streams of $id", ({ id, protocol, types }) => {
  it("cover every event type", () => {
    const received = listReceivedTypes(protocol, "never-throws");
    expect(types.filter((type) => !received.has(type))).toEqual([]);
  });

  it("cover every event type of an earlier release", () => {
    const { version, schemas } = protocol;
    const released = { ...protocol, releases: [{ version, schemas: { ...schemas } }] };
    const received = listReceivedTypes(released, "previous-version");
    expect(types.filter((type) => !received.has(type))).toEqual([]);
  });

  it("cover each optional field, open enumeration, end of a lifecycle, and order of two calls", () => {
    const { summary, missingTypes } = describeCoverage(
      protocol,
      prepareContext(protocol, protocol.schemas, "writer"),
    );
    expect(missingTypes).toEqual([]);
    expect(summary).toBe(COVERED[id]);
    if (id === "hecate/v1") expect(PAGE).toContain(summary.replace("The streams contain ", ""));
  });

  it("break no stream rule", () => {
    const context = prepareContext(protocol, protocol.schemas, "writer");
    const events = generateCoverage(context);
    expect(events.length).toBeGreaterThanOrEqual(types.length);
    expect(findStreamErrors(context.maker.protocol, events)).toEqual([]);
  });
});
