/** If this fails, a frontend that uses only core events gets experimental ones, or misses candidate and stable ones. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  type CoreEvent,
  coreTypes,
  decodeCoreEvent,
  decodeEvent,
  type EventType,
  metadata,
} from "../../generated/hecate/v1/index.js";
import { emitCore } from "../../generator/emit/typescript/core-module.js";
import { PROTOCOLS } from "./fixtures.js";

const EVENTS = readdirSync("fixtures/hecate/v1/streams").flatMap((file) =>
  readFileSync(`fixtures/hecate/v1/streams/${file}`, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly type: EventType }),
);

/** Compiles only if the core has no experimental event types. */
function describeKind(event: CoreEvent): string {
  switch (event.type) {
    case "run.failed":
      return "failure";
    case "tool.invoked":
      return event.data.tool_name;
    default:
      // @ts-expect-error: an experimental type is not in the core
      return event.type === "user.message" ? "" : "other";
  }
}

it("decodes candidate and stable events as decodeEvent does, and others as unknown", () => {
  for (const event of EVENTS) {
    const isCore = metadata[event.type].stability !== "experimental";
    expect(coreTypes.has(event.type as CoreEvent["type"])).toBe(isCore);
    expect(decodeCoreEvent(event)).toEqual(isCore ? decodeEvent(event) : { kind: "unknown", event });
  }
  const kinds = EVENTS.map((event) => decodeCoreEvent(event).kind);
  expect(new Set(kinds)).toEqual(new Set(["known", "unknown"]));
});

it("refuses an invalid event of the core, and accepts an experimental one with another payload", () => {
  const [first] = EVENTS;
  expect(decodeCoreEvent({ ...first, type: "run.cancelled", data: {} }).kind).toBe("invalid");
  expect(decodeCoreEvent({ ...first, type: "user.message", data: {} }).kind).toBe("unknown");
  expect(decodeEvent({ ...first, type: "user.message", data: {} }).kind).toBe("invalid");
});

it("marks exactly the core as candidate or stable in the catalogue", () => {
  const catalog = readFileSync("generated/hecate/v1/catalog.md", "utf8");
  const rows = [...catalog.matchAll(/^\| \[`([a-z_.]+)`\]\(.*\| [●◆] \w+(, no known sender)? \|$/gm)].map(
    ([, type]) => type,
  );
  expect(rows.sort()).toEqual([...coreTypes].sort());
  expect(catalog).toContain(`the ${coreTypes.size} core event types`);
});

it("emits the core only for a protocol with experimental and other event types", () => {
  const [protocol] = PROTOCOLS.filter(({ id }) => id === "hecate/v1");
  if (!protocol) throw new Error("there is no protocol");
  const setStability = (stability: "experimental" | "candidate") => ({
    ...protocol,
    events: protocol.events.map((event) => ({ ...event, stability })),
  });
  expect(emitCore(protocol).map(({ path }) => path)).toEqual(["hecate/v1/core.js", "hecate/v1/core.d.ts"]);
  expect(emitCore(setStability("experimental"))).toEqual([]);
  expect(emitCore(setStability("candidate"))).toEqual([]);
  expect(typeof describeKind).toBe("function");
});
