/** Reads the cases of test/cases/stream: short streams, whose lines hold only the fields that matter. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { StreamRules } from "../../generator/protocol/stream-rules.js";
import type { TrackLimits } from "../../generator/stream/tracker.js";
import type { Validators } from "../../generator/validators/protocol-validators.js";
import { splitLines, validators } from "./check-stream.js";

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

/** Returns every case: its rule, its file, its first line, and its complete events as lines. */
export function readStreamCases() {
  return readdirSync(root)
    .sort()
    .flatMap((rule) =>
      readdirSync(path.join(root, rule))
        .sort()
        .map((file) => {
          const [head, ...lines] = splitLines(readFileSync(path.join(root, rule, file), "utf8"));
          const given: StreamCase = JSON.parse(head ?? "{}");
          return { rule, file, given, lines: completeEvents(given.protocol, lines) };
        }),
    );
}

/**
 * Completes the events of a case. Fields that a line omits come from a fixture of its type with the required fields only.
 * Each event gets the next number of its stream and an id. `{"again": n}` repeats the event of line n.
 */
export function completeEvents(id: string, lines: readonly string[]): string[] {
  const known = validators.get(id);
  if (!known) throw new Error(`no protocol ${id}`);
  const events: JsonObject[] = [];
  const numbers = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const { again, ...given } = JSON.parse(line) as { readonly [name: string]: Json };
    const before = typeof again === "number" ? events[again - 1] : undefined;
    events.push(before ? mergeObjects(before, given) : createEvent(known, given, index, numbers));
  }
  return events.map((event) => JSON.stringify(event));
}

function createEvent(
  known: Validators,
  given: JsonObject,
  index: number,
  numbers: Map<string, number>,
): JsonObject {
  const { protocol } = known;
  const event = mergeObjects(readExample(known, String(given[protocol.envelope.discriminator])), given);
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

/** Returns a valid event of a type with few fields. All examples of a protocol belong to the same stream. */
function readExample(known: Validators, type: string): JsonObject {
  const { id, stream } = known.protocol;
  const folder = path.join(root, "../../../fixtures", id, "valid", type);
  if (!existsSync(folder)) return createUnknownEvent(known, type);
  const events: JsonObject[] = readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")));
  const all = [...events.map((event) => removeOptionalFields(known.protocol, type, event)), ...events];
  const event = all.find((each) => known.decodeEvent(each, { profile: "writer" }).kind === "known");
  const complete = { ...event, ...SHARED[stream?.key.join() ?? ""] };
  // All events of a call name the same tool of the same kind; the kind of a patch is always "file".
  const { data } = complete as { readonly data?: Json };
  if (!isObject(data) || data.tool_name === undefined) return complete;
  const kind = data.kind !== undefined && type !== "tool.file.patch" ? { kind: "shell" } : {};
  return { ...complete, data: { ...data, tool_name: "shell_exec", ...kind } };
}

/** Returns an event of a type that the protocol does not have. */
function createUnknownEvent(known: Validators, type: string): JsonObject {
  const { envelope, events } = known.protocol;
  const event = readExample(known, events[0]?.type ?? "");
  const kept = pickFields(event, new Set(toNames(envelope.schema.required)));
  const payload = envelope.property === undefined ? {} : { [envelope.property]: {} };
  return { ...kept, ...payload, [envelope.discriminator]: type };
}

/** Returns `event` without optional fields. */
function removeOptionalFields({ envelope, events }: Protocol, type: string, event: JsonObject): JsonObject {
  const declared = events.find((each) => each.type === type);
  const property = envelope.placement === "keyed" ? declared?.payloadProperty : envelope.property;
  const required = toNames(declared?.payload.required);
  const names = [...toNames(envelope.schema.required), ...(property === undefined ? required : [property])];
  const kept = pickFields(event, new Set(names));
  const payload = property === undefined ? undefined : kept[property];
  return property !== undefined && isObject(payload)
    ? { ...kept, [property]: pickFields(payload, new Set(required)) }
    : kept;
}

const SHARED: { readonly [key: string]: JsonObject } = {
  run_id: { run_id: "run_01KQQ9BT2REWQP88EW94DYHAZ3" },
  session_id: { session_id: "d26d4b5a-c542-4767-83f7-fbb2c1465919" },
  "stream_kind,stream_id": { stream_kind: "session", stream_id: "d26d4b5a-c542-4767-83f7-fbb2c1465919" },
  AgentID: { AgentID: "root-7c20", ParentID: "" },
};

function toNames(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function pickFields(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.has(name)));
}

function mergeObjects(base: JsonObject, over: JsonObject): JsonObject {
  const both = Object.entries(over).map(([name, value]): [string, Json] => {
    const before = base[name];
    return [name, isObject(before) && isObject(value) ? mergeObjects(before, value) : value];
  });
  return { ...base, ...Object.fromEntries(both) };
}
