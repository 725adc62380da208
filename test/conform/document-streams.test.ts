/** If this fails, a protocol accepts or refuses a stream otherwise than its documents say. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { PROFILES } from "../../generator/schema/readings.js";
import { checkLines, splitLines } from "./check-stream.js";
import { completeEvents } from "./stream-cases.js";

const folder = path.join(import.meta.dirname, "../cases/documents");

/** One decided stream. Its file is named after its protocol. */
interface DecidedStream {
  readonly name: string;
  /** The place in a document of the sentence that decides, and what it says in our words. */
  readonly why: string;
  /** The findings, as `<rule>@<number of the event>`, without notes. */
  readonly reader: readonly string[];
  readonly writer: readonly string[];
  /** The events, of which only the fields that matter are given. */
  readonly events: readonly JsonObject[];
}

const streams = readdirSync(folder)
  .sort()
  .flatMap((file) => {
    const protocol = file.replace(/\.jsonl$/, "").replace("-", "/");
    return splitLines(readFileSync(path.join(folder, file), "utf8")).map((line) => ({
      protocol,
      stream: JSON.parse(line) as DecidedStream,
    }));
  });

describe("streams that the documents decide", () => {
  it.each(streams.map(({ protocol, stream }) => [protocol, stream.name, stream] as const))(
    "%s: %s",
    (protocol, _name, { why, events, ...expected }) => {
      const lines = completeEvents(
        protocol,
        events.map((event) => JSON.stringify(event)),
      );
      const found = PROFILES.map((profile) =>
        checkLines(protocol, profile, lines)
          .filter(({ severity }) => severity !== "note")
          .map(({ rule, index }) => `${rule}@${index}`)
          .sort(),
      );
      expect(found, why).toEqual(PROFILES.map((profile) => [...expected[profile]].sort()));
    },
  );

  it("have names of their own", () => {
    const names = streams.map(({ protocol, stream }) => `${protocol} ${stream.name}`);
    expect([...new Set(names)]).toEqual(names);
  });
});
