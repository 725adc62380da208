/** If this fails, the rows of a log become other events than the runtime would send, or events with private state. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readRecording } from "../../generator/ingest/read-recording.js";
import type { Json, JsonObject } from "../../generator/json.js";
import type { Rows } from "../../generator/protocol/rows.js";
import { mapRecordings } from "../../generator/rows/map-recordings.js";
import { createRowMapper } from "../../generator/rows/map-row.js";
import { createValidators, type Validators } from "../../generator/validators/protocol-validators.js";
import { checkLines, fixtureStreams, validators } from "../conform/check-stream.js";
import { createRow, omitUnstored } from "./rows.js";

const HECATE = validators.get("hecate/v1") as Validators;
const FOLDER = "fixtures/hecate/v1/valid";
const FILES = readdirSync(FOLDER, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".json"));
const STREAMS = fixtureStreams.filter(({ id }) => id === "hecate/v1");

function map(text: string, known: Validators = HECATE) {
  return mapRecordings([readRecording("rows.jsonl", text, ["type", "Kind"])], [known]);
}

function parseLines(text: string | undefined): JsonObject[] {
  return (text ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

it.each(FILES)("the row of %s becomes the event", (file) => {
  const event = JSON.parse(readFileSync(path.join(FOLDER, file), "utf8"));
  const { texts, findings } = map(JSON.stringify(createRow(event)));
  expect(findings).toEqual([]);
  const [mapped] = parseLines(texts[0]);
  expect(omitUnstored(mapped ?? {})).toEqual(omitUnstored(event));
  expect(HECATE.decodeEvent(mapped, { profile: "reader" })).toEqual(
    expect.objectContaining({ kind: HECATE.decodeEvent(event, { profile: "reader" }).kind }),
  );
  expect(JSON.stringify(mapped)).not.toMatch(/_private/);
});

it.each(FILES)("the row of %s becomes the same event if its payload is stored as a text", (file) => {
  const row = createRow(JSON.parse(readFileSync(path.join(FOLDER, file), "utf8")));
  const text = JSON.stringify({ ...row, event_data: JSON.stringify(row.event_data, undefined, 1) });
  expect(map(text)).toEqual(map(JSON.stringify(row)));
});

it.each(STREAMS)("the rows of $file become its stream", ({ lines }) => {
  const events = lines.map((line) => JSON.parse(line));
  const { texts, findings } = map(events.map((event) => JSON.stringify(createRow(event))).join("\n"));
  expect(findings).toEqual([]);
  const mapped = parseLines(texts[0]);
  expect(mapped.map(omitUnstored)).toEqual(events.map(omitUnstored));
  const rules = (text: readonly string[]): string[] =>
    checkLines("hecate/v1", "writer", text).map(({ rule, index }) => `${index} ${rule}`);
  expect(rules(mapped.map((event) => JSON.stringify(event)))).toEqual(rules(lines));
});

const [LINE = ""] = STREAMS[0]?.lines ?? [];
const EVENT: JsonObject = JSON.parse(LINE);
const ROW = createRow(EVENT);

describe("ids", () => {
  const mapId = (row: JsonObject): Json | undefined =>
    parseLines(map(JSON.stringify(row)).texts[0])[0]?.event_id;

  it("are ULIDs of the time of the row, the same for the same row", () => {
    const id = String(mapId(ROW));
    expect(id).toMatch(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(mapId({ ...ROW, event_data: {} })).toBe(id);
    const digits = [...id.slice(4, 14)].map((digit) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ".indexOf(digit));
    const time = digits.reduce((sum, digit) => sum * 32 + digit, 0);
    expect(time).toBe(Date.parse(String(EVENT.occurred_at)));
  });

  it.each([
    ["number", { sequence: 77 }],
    ["run", { run_id: "run_01KQPNTT2RZW040CA11XDDDE4N" }],
    ["time", { created_at: "2026-05-03T10:23:40.000000001Z" }],
  ])("differ if the %s differs", (_name, change) => {
    expect(mapId({ ...ROW, ...change })).not.toBe(mapId(ROW));
  });

  it("hold times before 1970 and after 10889", () => {
    expect(mapId({ ...ROW, created_at: "1969-01-01T00:00:00Z" })).toMatch(/^evt_0000000000/);
  });
});

/** Rows that are no events, each with its finding: rule, place and a part of the message. */
const HOSTILE: readonly (readonly [string, string, string])[] = [
  ["a number", "1", "1:1 row-invalid Not a row: rows have the columns event_type and event_data."],
  ["an event", LINE, "1:1 row-invalid Not a row"],
  ["no payload", '{"event_type":"run.created"}', "1:1 row-invalid Not a row"],
  [
    "no run",
    '{"event_type":"run.created","event_data":{},"created_at":"","sequence":1}',
    '1:1 row-invalid The row has no column "run_id"',
  ],
  ["a null run", JSON.stringify({ ...ROW, run_id: null }), "1:"],
  ...(
    [
      ["a list as payload", []],
      ["no text with JSON as payload", "{"],
      ["an empty text as payload", ""],
      ["a text with a list as payload", "[{}]"],
      ["a text with a text with JSON as payload", '"{}"'],
    ] as const
  ).map(
    ([name, payload]) =>
      [
        name,
        JSON.stringify({ ...ROW, event_data: payload }),
        ' row-invalid The column "event_data" is neither an object nor a text with a JSON object.',
      ] as const,
  ),
  [
    "an inexact number in a payload that is a text",
    JSON.stringify({ ...ROW, event_data: '{"run":{"n":100000000000000001},"n":[100000000000000003]}' }),
    " row-invalid The number 100000000000000003 in the text cannot be kept exactly.",
  ],
  [
    "a wrong payload that is a text",
    JSON.stringify({ ...ROW, event_type: "turn.started", event_data: '{"turn_index":"1"}' }),
    " event-invalid ",
  ],
  ["a wrong time", JSON.stringify({ ...ROW, created_at: "today" }), " event-invalid "],
  [
    "no task, although events may have none",
    JSON.stringify({ ...ROW, task_id: undefined }),
    "1:1 row-invalid The row must have the field task_id (required).",
  ],
  [
    "a task that is null",
    JSON.stringify({ ...ROW, task_id: null }),
    "1:1 row-invalid The row must have the field task_id (required).",
  ],
  [
    "a time that is not in UTC",
    JSON.stringify({ ...ROW, created_at: "2026-05-03T10:00:00+02:00" }),
    " row-invalid The column must match",
  ],
  [
    "a run record that is a text",
    JSON.stringify({ ...ROW, event_data: { run: "run_1" } }),
    " row-invalid The column must be object",
  ],
  [
    "a sequence beyond 2^53",
    JSON.stringify(ROW).replace('"sequence":0', '"sequence":9007199254740993'),
    "1:13 event-invalid must be <= 9007199254740991",
  ],
  [
    "an inexact number in the payload",
    JSON.stringify({ ...ROW, event_data: { n: 5 } }).replace('"n":5', '"n":100000000000000001'),
    " row-inexact The number 100000000000000001",
  ],
];

/** Columns that a row may have, although they look wrong at first. */
const LOOK_ALIKES: readonly (readonly [string, JsonObject])[] = [
  ["columns that are not public", { ...ROW, shard: 3, note: "x" }],
  ["a column that is null and not public", { ...ROW, shard: null }],
  ["a time with nanoseconds", { ...ROW, created_at: "2026-05-03T10:00:00.000000001Z" }],
  ["a payload that is a text", { ...ROW, event_data: "{}" }],
];

describe("rows with", () => {
  it.each(LOOK_ALIKES)("%s are mapped", (_name, row) => {
    expect(map(JSON.stringify(row)).findings).toEqual([]);
  });
});

describe("errors", () => {
  it.each(HOSTILE)("%s", (_name, line, expected) => {
    const { texts, findings } = map(line);
    const [finding] = findings.map(({ rule, message, at }) => `${at.line}:${at.column} ${rule} ${message}`);
    expect(texts).toEqual([]);
    expect(finding).toContain(expected);
  });

  it("point to the columns of the row, also in a list over several lines", () => {
    const command = STREAMS.flatMap(({ lines }) => lines).find((line) => line.includes('"tool.invoked"'));
    const row = createRow(JSON.parse(command ?? ""));
    const faulty = {
      ...row,
      event_data: { ...(row.event_data as JsonObject), tool_call_id: 5 },
      created_at: 7,
    };
    const text = JSON.stringify({ object: "list", data: [ROW, faulty] }, undefined, 2);
    const { findings } = mapRecordings([readRecording("rows.json", text, ["type"])], [HECATE]);
    const places = findings.map(({ at }) => `${at.pointer} ${text.split("\n")[(at.line ?? 0) - 1]?.trim()}`);
    expect(places.sort()).toEqual([
      '/created_at "created_at": 7',
      '/event_data/tool_call_id "tool_call_id": 5,',
    ]);
  });

  it("ignore numbers that stay in the log", () => {
    expect(
      map(JSON.stringify({ ...ROW, event_data: { run: { cost: 5 } } }).replace(":5", ":100000000000000001"))
        .findings,
    ).toEqual([]);
  });
});

describe("rows of other layouts", () => {
  const KEY = { "frames/v1": "session_id", "frames/v2": "stream_id", "evva/v0": "AgentID" } as const;

  /** Declares rows with one column for each envelope field. */
  function withRows(id: keyof typeof KEY): Validators {
    const known = validators.get(id) as Validators;
    const { envelope } = known.protocol;
    const fields = Object.keys(envelope.schema.properties as JsonObject);
    const rows: Rows = {
      columns: Object.fromEntries(fields.map((field) => [`c_${field}`, field])),
      payload: "body",
      stripped: ["private"],
    };
    return createValidators({ ...known.protocol, rows });
  }

  it.each(fixtureStreams.filter(({ id }) => id !== "hecate/v1"))("$id/$file", ({ id, lines }) => {
    const known = withRows(id as keyof typeof KEY);
    const { envelope, events } = known.protocol;
    const fields = Object.keys(envelope.schema.properties as JsonObject);
    const carriers = new Set(events.map(({ payloadProperty }) => payloadProperty));
    const rows = lines.map((line) => {
      const entries = Object.entries<Json>(JSON.parse(line));
      const columns = entries
        .filter(([name]) => fields.includes(name) && !carriers.has(name))
        .map(([name, value]) => [`c_${name}`, value]);
      const rest = entries.filter(([name]) => !fields.includes(name) || carriers.has(name));
      const payload = envelope.placement === "keyed" ? rest[0]?.[1] : Object.fromEntries(rest);
      return { ...Object.fromEntries(columns), body: { ...(payload as JsonObject), private: 1 } };
    });
    const { texts, findings } = map(rows.map((row) => JSON.stringify(row)).join("\n"), known);
    expect(findings).toEqual([]);
    expect(parseLines(texts[0])).toEqual(lines.map((line) => JSON.parse(line)));
  });

  it("refuses a payload that would replace a field of the envelope", () => {
    const known = withRows("frames/v1");
    const mapper = createRowMapper(known.protocol);
    const row = { c_type: "session_started", c_session_id: "s", c_seq: 0, c_ts: "t", body: { type: "x" } };
    expect(mapper?.mapRow(row)).toMatchObject({ kind: "failed" });
  });
});
