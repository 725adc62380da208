/** The results of `decodeEvent` for single values. */
import type { Json, JsonObject } from "../../../generator/json.js";

/** A value, and the result of its decoding. */
export interface DecodeCase {
  readonly what: string;
  readonly id: "hecate/v1" | "frames/v1" | "frames/v2" | "evva/v0";
  readonly event: Json;
  readonly profile?: "reader" | "writer";
  readonly kind: "known" | "unknown" | "invalid";
  /** Pointer and keyword of every issue, in order. */
  readonly issues?: readonly (readonly [string, string])[];
}

const envelope: JsonObject = {
  schema_version: "1",
  event_id: "evt_01JXMZH8Q2V5N7R9T3W6Y8ZC1A",
  run_id: "run_01JXMZH8Q2V5N7R9T3W6Y8ZC1A",
  sequence: 3,
  occurred_at: "2026-05-03T10:00:00Z",
  type: "run.queued",
  data: { model: "m" },
};
const removeField = (name: string): JsonObject => {
  const { [name]: _removed, ...rest } = envelope;
  return rest;
};
const hostileObject = JSON.parse('{"__proto__":{"type":"run.queued"},"constructor":{"prototype":1}}');

type Row = readonly [string, Json, DecodeCase["kind"], DecodeCase["issues"]?, DecodeCase["profile"]?];

const HECATE: readonly Row[] = [
  ["a known event", envelope, "known"],
  ["a known event of a writer", envelope, "known", [], "writer"],
  ["an undeclared field, reader", { ...envelope, more: 1, data: { model: "m", more: 1 } }, "known"],
  ["an undeclared payload field, writer", { ...envelope, data: { model: "m", more: 1 } }, "invalid", [["/data/more", "additionalProperties"]], "writer"],
  ["an undeclared envelope field, writer", { ...envelope, more: 1 }, "invalid", [["/more", "additionalProperties"]], "writer"],
  ["an unknown type", { ...envelope, type: "run.dreamt" }, "unknown"],
  ["an unknown type, writer", { ...envelope, type: "run.dreamt" }, "unknown", [], "writer"],
  ["the type constructor", { ...envelope, type: "constructor" }, "unknown"],
  ["the type to_string", { ...envelope, type: "to_string" }, "unknown"],
  ["the type toString", { ...envelope, type: "toString" }, "invalid", [["/type", "pattern"]]],
  ["the type __proto__", { ...envelope, type: "__proto__" }, "invalid", [["/type", "pattern"]]],
  ["the type Tool.Invoked", { ...envelope, type: "Tool.Invoked" }, "invalid", [["/type", "pattern"]]],
  ["an empty type", { ...envelope, type: "" }, "invalid", [["/type", "pattern"]]],
  ["a type that is not a string", { ...envelope, type: 1 }, "invalid", [["/type", "type"]]],
  ["a type in a list", { ...envelope, type: ["run.queued"] }, "invalid", [["/type", "type"]]],
  ["no type", removeField("type"), "invalid", [["", "required"]]],
  ["an unknown type without a run", { ...removeField("run_id"), type: "run.dreamt" }, "invalid", [["", "required"]]],
  ["an unknown type with data null", { ...envelope, type: "run.dreamt", data: null }, "invalid", [["/data", "type"]]],
  ["no payload", removeField("data"), "invalid", [["", "required"]]],
  ["data null", { ...envelope, data: null }, "invalid", [["/data", "type"]]],
  ["sequence -1", { ...envelope, sequence: -1 }, "invalid", [["/sequence", "minimum"]]],
  ["sequence 1.5", { ...envelope, sequence: 1.5 }, "invalid", [["/sequence", "type"]]],
  ['sequence "1"', { ...envelope, sequence: "1" }, "invalid", [["/sequence", "type"]]],
  ["sequence 2^53", { ...envelope, sequence: 2 ** 53 }, "invalid", [["/sequence", "maximum"]]],
  ["schema_version 1", { ...envelope, schema_version: 1 }, "invalid", [["/schema_version", "const"]]],
  ["a date without a time", { ...envelope, occurred_at: "2026-05-03" }, "invalid", [["/occurred_at", "format"]]],
  ["30 February", { ...envelope, occurred_at: "2026-02-30T00:00:00Z" }, "invalid", [["/occurred_at", "format"]]],
  ["a blank for T", { ...envelope, occurred_at: "2026-05-03 10:00:00Z" }, "invalid", [["/occurred_at", "format"]]],
  ["several errors", { ...envelope, sequence: -1, data: { model: 1 } }, "invalid", [["/sequence", "minimum"], ["/data/model", "type"]]],
  ["a field called __proto__", { ...envelope, data: { model: "m", ...hostileObject } }, "known"],
  ["a type that only the prototype has", hostileObject, "invalid", ["schema_version", "event_id", "run_id", "sequence", "occurred_at", "type", "data"].map(() => ["", "required"] as const)],
  ["null", null, "invalid", [["", "type"]]],
  ["a list", [envelope], "invalid", [["", "type"]]],
  ["a text", "run.queued", "invalid", [["", "type"]]],
  ["a number", 7, "invalid", [["", "type"]]],
];

const unknownFrame: JsonObject = { id: "1509bb0a-9bf1-4331-8a11-8783593942a4", seq: 0, session_id: "3b9f2f0c-6d0e-4c39-8f57-0d8f4a1b6e21", timestamp_ms: 1, type: "dream" };

/** All cases. */
export const CASES: readonly DecodeCase[] = [
  ...HECATE.map(([what, event, kind, issues, profile]) => ({
    what,
    id: "hecate/v1" as const,
    event,
    kind,
    ...(issues && { issues }),
    ...(profile && { profile }),
  })),
  { what: "inline: an unknown type", id: "frames/v1", event: unknownFrame, kind: "unknown" },
  { what: "inline: an unknown type with fields, writer", id: "frames/v1", event: { ...unknownFrame, a: { b: 1 } }, kind: "unknown", profile: "writer" },
  { what: "keyed: an unknown kind", id: "evva/v0", event: { AgentID: "a", ParentID: "", Time: "2026-05-03T10:00:00Z", Kind: "dream", Dream: {} }, kind: "unknown" },
  { what: "keyed: an unknown kind, writer", id: "evva/v0", event: { AgentID: "a", ParentID: "", Time: "2026-05-03T10:00:00Z", Kind: "dream", Dream: {} }, kind: "unknown", profile: "writer" },
];
