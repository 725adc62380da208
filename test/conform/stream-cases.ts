/** The cases of test/cases/stream: short streams, of which each line says only what matters. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { StreamRules } from "../../generator/protocol/stream-rules.js";
import type { TrackLimits } from "../../generator/stream/tracker.js";
import type { Validators } from "../../generator/validators/protocol-validators.js";
import { linesOf, validators } from "./check-stream.js";

/** The first line of a case; findings are `<rule>@<line of the stream>`. */
export interface StreamCase {
  readonly about: string;
  readonly protocol: string;
  readonly reader: readonly string[];
  readonly writer: readonly string[];
  /** Part of the message of the first finding. */
  readonly says?: string;
  readonly limits?: TrackLimits;
  /** Stream rules that the protocol declares besides its own, for rules that no protocol of this project has. */
  readonly rules?: StreamRules;
}

const root = path.join(import.meta.dirname, "../cases/stream");

/** Every case: the rule that it is about, its file, what it expects, and its complete events. */
export function streamCases() {
  return readdirSync(root)
    .sort()
    .flatMap((rule) =>
      readdirSync(path.join(root, rule))
        .sort()
        .map((file) => {
          const [head, ...lines] = linesOf(readFileSync(path.join(root, rule, file), "utf8"));
          const given: StreamCase = JSON.parse(head ?? "{}");
          return { rule, file, given, lines: completed(given.protocol, lines) };
        }),
    );
}

/**
 * Complete events: what a line leaves out is taken from a fixture of its type (required payload fields alone), the
 * number goes on from the last of its stream, and every event gets an id. `{"again": n}` is line n once more.
 */
function completed(id: string, lines: readonly string[]): string[] {
  const known = validators.get(id);
  if (!known) throw new Error(`no protocol ${id}`);
  const events: JsonObject[] = [];
  const numbers = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const { again, ...given } = JSON.parse(line) as { readonly [name: string]: Json };
    const before = typeof again === "number" ? events[again - 1] : undefined;
    events.push(before ? merged(before, given) : fresh(known, given, index, numbers));
  }
  return events.map((event) => JSON.stringify(event));
}

function fresh(
  known: Validators,
  given: JsonObject,
  index: number,
  numbers: Map<string, number>,
): JsonObject {
  const { protocol } = known;
  const event = merged(example(known, String(given[protocol.envelope.discriminator])), given);
  const { key = [], sequence, id } = protocol.stream ?? {};
  const stream = key.map((field) => event[field]).join("/");
  const number = sequence === undefined ? undefined : (given[sequence] ?? (numbers.get(stream) ?? -1) + 1);
  if (typeof number === "number") numbers.set(stream, number);
  const last = String(index + 1).padStart(4, "0");
  const own =
    protocol.name === "hecate"
      ? `evt_01KQQ9BYZ0GFHVZ7FASG3C${last}`
      : `00000000-0000-4000-8000-00000000${last}`;
  return {
    ...event,
    ...(sequence !== undefined && number !== undefined && { [sequence]: number }),
    ...(id !== undefined && { [id]: own }),
  };
}

/** A valid event of a type with as little as can be, on a stream that all examples of the protocol share. */
function example(known: Validators, type: string): JsonObject {
  const { id, stream } = known.protocol;
  const folder = path.join(root, "../../../fixtures", id, "valid", type);
  const events: JsonObject[] = readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")));
  const all = [...events.map((event) => bare(known.protocol, type, event)), ...events];
  const event = all.find((each) => known.decodeEvent(each, { profile: "writer" }).kind === "known");
  const complete = { ...event, ...SHARED[stream?.key.join() ?? ""] };
  // All events of a call name the same tool.
  const { data } = complete as { readonly data?: Json };
  return isObject(data) && data.tool_name !== undefined
    ? { ...complete, data: { ...data, tool_name: "shell_exec" } }
    : complete;
}

/** `event` without optional fields. */
function bare({ envelope, events }: Protocol, type: string, event: JsonObject): JsonObject {
  const declared = events.find((each) => each.type === type);
  const property = envelope.placement === "keyed" ? declared?.payloadProperty : envelope.property;
  const required = namesOf(declared?.payload.required);
  const names = [...namesOf(envelope.schema.required), ...(property === undefined ? required : [property])];
  const kept = only(event, new Set(names));
  const payload = property === undefined ? undefined : kept[property];
  return property !== undefined && isObject(payload)
    ? { ...kept, [property]: only(payload, new Set(required)) }
    : kept;
}

const SHARED: { readonly [key: string]: JsonObject } = {
  run_id: { run_id: "run_01KQQ9BT2REWQP88EW94DYHAZ3" },
  session_id: { session_id: "d26d4b5a-c542-4767-83f7-fbb2c1465919" },
  "stream_kind,stream_id": { stream_kind: "session", stream_id: "d26d4b5a-c542-4767-83f7-fbb2c1465919" },
  AgentID: { AgentID: "root-7c20", ParentID: "" },
};

function namesOf(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function only(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.has(name)));
}

function merged(base: JsonObject, over: JsonObject): JsonObject {
  const both = Object.entries(over).map(([name, value]): [string, Json] => {
    const before = base[name];
    return [name, isObject(before) && isObject(value) ? merged(before, value) : value];
  });
  return { ...base, ...Object.fromEntries(both) };
}
