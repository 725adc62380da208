/** If this fails, an event is validated against the wrong protocol. */
import { expect, it } from "vitest";
import { findProtocol } from "../../generator/conform/find-protocol.js";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";

const all = (await loadSchemas("schemas")).protocols.map(createValidators);

const HECATE = {
  schema_version: "1",
  event_id: "evt_1",
  run_id: "run_1",
  sequence: 0,
  occurred_at: "2026-05-03T10:23:51Z",
  type: "run.queued",
  data: {},
};
const V1 = {
  id: "df82d6d5-75c0-4a06-9f89-214368e34cdc",
  session_id: "s",
  seq: 0,
  timestamp_ms: 1779350401000,
  type: "output_text_delta",
  delta: "x",
};
const { session_id: _session, ...shared } = V1;
const V2 = { ...shared, stream_kind: "session", stream_id: "s" };
const EVVA = {
  Kind: "turn_end",
  AgentID: "a",
  ParentID: "",
  Time: "2026-05-03T10:23:51Z",
  Turn: { Iteration: 1 },
};

const removeFields = (event: JsonObject, ...names: string[]): JsonObject =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !names.includes(name)));

const CASES: readonly { name: string; event: JsonObject; home?: string; want: string | undefined }[] = [
  { name: "a hecate event", event: HECATE, want: "hecate/v1" },
  { name: "a hecate event of unknown type", event: { ...HECATE, type: "tea" }, want: "hecate/v1" },
  { name: "a hecate event without run_id", event: removeFields(HECATE, "run_id"), want: "hecate/v1" },
  { name: "a hecate event without type", event: removeFields(HECATE, "type"), want: "hecate/v1" },
  {
    name: "a hecate event among frames",
    event: removeFields(HECATE, "run_id"),
    home: "frames/v2",
    want: "hecate/v1",
  },
  { name: "a frame", event: V1, want: "frames/v1" },
  { name: "a frame without id", event: removeFields(V1, "id"), want: "frames/v1" },
  {
    name: "a frame without id among newer ones",
    event: removeFields(V1, "id"),
    home: "frames/v2",
    want: "frames/v2",
  },
  { name: "a frame among newer ones", event: V1, home: "frames/v2", want: "frames/v1" },
  { name: "a newer frame", event: V2, want: "frames/v2" },
  {
    name: "a newer frame with the alias of old readers",
    event: { ...V2, session_id: "s" },
    want: "frames/v2",
  },
  {
    name: "the same among old ones",
    event: { ...V2, session_id: "s" },
    home: "frames/v1",
    want: "frames/v2",
  },
  {
    name: "a newer frame without its kind of stream",
    event: removeFields(V2, "stream_kind"),
    want: "frames/v2",
  },
  {
    name: "the same with the alias, which makes it fit the old envelope, among its like",
    event: removeFields({ ...V2, session_id: "s" }, "stream_kind"),
    home: "frames/v2",
    want: "frames/v2",
  },
  { name: "an evva event", event: EVVA, want: "evva/v0" },
  { name: "an evva event without payload", event: removeFields(EVVA, "Turn", "Time"), want: "evva/v0" },
  { name: "an empty object", event: {}, want: undefined },
  { name: "an empty object among evva events", event: {}, home: "evva/v0", want: "evva/v0" },
  { name: "something else", event: { type: "x", foo: 1 }, want: undefined },
  { name: "fields of Object.prototype", event: { toString: 1, constructor: 2 }, want: undefined },
];

it.each(CASES.map((one) => [one.name, one] as const))(
  "finds the protocol of %s",
  (_name, { event, home, want }) => {
    for (const protocols of [all, [...all].reverse()])
      expect(findProtocol(event, protocols, "reader", home)?.protocol.id).toBe(want);
  },
);

it("returns the only protocol for any event", () => {
  expect(findProtocol({}, all.slice(0, 1), "reader")).toBe(all[0]);
});
