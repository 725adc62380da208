/** Checks streams, which are given as lines, for tests of stream rules. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { StreamFinding } from "../../generator/conform/stream-checker.js";
import { createStreamChecker } from "../../generator/conform/stream-checker.js";
import { type JsonObject, parseJson } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { StreamRules } from "../../generator/protocol/stream-rules.js";
import type { Profile } from "../../generator/schema/readings.js";
import { createReader } from "../../generator/stream/reader.js";
import { readPosition } from "../../generator/stream/stream-key.js";
import type { TrackLimits } from "../../generator/stream/tracker.js";
import { createValidators, type Validators } from "../../generator/validators/protocol-validators.js";

const root = path.join(import.meta.dirname, "../..");

/** The validators of the protocols of this project, by id. */
export const validators: ReadonlyMap<string, Validators> = new Map(
  (await loadSchemas(path.join(root, "schemas"))).protocols.map((protocol) => [
    protocol.id,
    createValidators(protocol),
  ]),
);

/** The streams of fixtures/, by protocol and file. */
export const fixtureStreams: readonly {
  readonly id: string;
  readonly file: string;
  readonly lines: readonly string[];
}[] = [...validators.keys()].flatMap((id) => {
  const folder = path.join(root, "fixtures", id, "streams");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((file) => ({ id, file, lines: splitLines(readFileSync(path.join(folder, file), "utf8")) }));
});

export function splitLines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Returns the findings of a stream: those of its rules, and `event-invalid` or `event-unknown` for its events. Indexes are line numbers. */
export function checkLines(
  id: string,
  profile: Profile,
  lines: readonly string[],
  { rules, ...limits }: TrackLimits & { readonly rules?: StreamRules | undefined } = {},
): StreamFinding[] {
  const known = validators.get(id);
  if (!known) throw new Error(`no protocol ${id}`);
  const { decodeEvent } = known;
  const protocol = rules === undefined ? known.protocol : addRules(known.protocol, rules);
  const reader = createReader(
    { ...protocol, decodeEvent: (value) => decodeEvent(value, { profile }) },
    limits,
  );
  const checker = createStreamChecker(protocol, { profile });
  const found: StreamFinding[] = [];
  for (const [index, line] of lines.entries()) {
    const value = parseJson(line) as JsonObject | undefined;
    const delivery = value === undefined ? undefined : reader.read(value, { digest: line });
    if (delivery === undefined || delivery.kind === "invalid") {
      const message =
        delivery?.issues.map((issue) => `${issue.pointer} ${issue.message}`).join("; ") ?? "no JSON";
      found.push({
        rule: "event-invalid",
        severity: "error",
        message,
        hint: "",
        pointer: "",
        index: index + 1,
      });
      checker.refuse(readPosition(protocol.stream, value), index + 1);
    } else {
      if (!delivery.known && profile === "writer")
        found.push({
          rule: "event-type-unknown",
          severity: "error",
          message: "",
          hint: "",
          pointer: "",
          index: index + 1,
        });
      found.push(...checker.check(delivery.event as object, delivery, index + 1));
    }
  }
  return [...found, ...checker.end()];
}

function addRules(protocol: Protocol, rules: StreamRules): Protocol {
  const stream = { key: [], ...protocol.stream };
  return { ...protocol, stream: { ...stream, rules: { ...stream.rules, ...rules } } };
}
