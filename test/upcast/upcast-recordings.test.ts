/** If this fails, recordings of an earlier major version become invalid, lose something, or change their order when they are carried over. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readRecording } from "../../generator/ingest/read-recording.js";
import type { JsonObject } from "../../generator/json.js";
import { buildStreams } from "../../generator/kit/build-streams.js";
import { createGeneratorContext } from "../../generator/kit/scenarios.js";
import { createEventMaker } from "../../generator/sample/event-maker.js";
import { upcastRecordings } from "../../generator/upcast/upcast-recordings.js";
import type { Validators } from "../../generator/validators/protocol-validators.js";
import { areEventsValid, findFirstError } from "../compat/streams/stream-oracle.js";
import { checkLines, fixtureStreams, splitLines, validators } from "../conform/check-stream.js";

const [from, to] = ["frames/v1", "frames/v2"].map((id) => validators.get(id)) as [Validators, Validators];
const plan = to.protocol.upcasts?.[0];
if (plan === undefined) throw new Error("frames/v2 has no upcasts");
const migration = { from, to, steps: plan.steps };

function upcast(text: string) {
  return upcastRecordings([readRecording("run.jsonl", text, ["type"])], migration);
}

/** Returns the frame that the documents ask for, as a second implementation: the envelope of the stream, all else unchanged. */
function writeFrame(line: string, kind: string): JsonObject {
  const { session_id, ...others } = JSON.parse(line);
  return { ...others, stream_kind: kind, stream_id: session_id };
}

/** Checks that each line became the same frame with the envelope of version 2, and that nobody finds fault with the stream. */
function checkCarriedOver(lines: readonly string[], profile: "reader" | "writer" = "writer"): void {
  const { texts, findings } = upcast(lines.join("\n"));
  expect(findings).toEqual([]);
  const carried = splitLines(texts[0] ?? "");
  const taskStreams = new Set(
    lines
      .map((line) => JSON.parse(line))
      .flatMap(({ type, session_id }) => (type.startsWith("tool_task_") ? [session_id] : [])),
  );
  const expected = lines.map((line) =>
    writeFrame(line, taskStreams.has(JSON.parse(line).session_id) ? "task" : "session"),
  );
  expect(carried.map((line) => JSON.parse(line))).toEqual(expected);
  expect(checkLines("frames/v2", profile, carried).filter(({ severity }) => severity === "error")).toEqual(
    [],
  );
}

const STREAMS = fixtureStreams.filter(({ id }) => id === "frames/v1");

describe("fixtures", () => {
  it.each(STREAMS)("$file", ({ lines }) => checkCarriedOver(lines));

  it("as one recording", () => checkCarriedOver(STREAMS.flatMap(({ lines }) => lines)));

  it("as a pretty-printed list in which all other text is kept", () => {
    const events = STREAMS[0]?.lines.map((line) => JSON.parse(line));
    const { texts, findings } = upcast(JSON.stringify({ object: "list", data: events, n: 1 }, undefined, 2));
    expect(findings).toEqual([]);
    const list = JSON.parse(texts[0] ?? "");
    expect({ ...list, data: list.data.length }).toEqual({ object: "list", data: events?.length, n: 1 });
    expect(texts[0]).toContain('\n  "n": 1\n');
  });

  const folder = "fixtures/frames/v1/valid";
  it.each(readdirSync(folder))("valid events of type %s", (type) => {
    for (const file of readdirSync(`${folder}/${type}`)) {
      const event = JSON.parse(readFileSync(`${folder}/${type}/${file}`, "utf8"));
      if (!areEventsValid(from.protocol, "reader", [event])) continue;
      checkCarriedOver([JSON.stringify(event)], "reader");
    }
  });
});

/** Gives every task of a stream its own stream, which has the id of the task, and numbers the frames of each stream anew. */
function separateTasks(events: readonly JsonObject[]): JsonObject[] {
  const lengths = new Map<string, number>();
  return events.map((event) => {
    const session_id = String(event.task_id ?? event.session_id);
    const seq = lengths.get(session_id) ?? 0;
    lengths.set(session_id, seq + 1);
    return { ...event, session_id, seq };
  });
}

/** Creates streams of version 1 with the generator of the kit. */
function createStreams(count: number): (readonly JsonObject[])[] {
  const context = createGeneratorContext(
    createEventMaker(from.protocol, (event) => areEventsValid(from.protocol, "writer", [event])),
  );
  return Array.from({ length: count }, (_, script) => {
    const operations = Array.from({ length: 12 }, (_, index) => ({
      pick: script * 31 + index * 7,
      stream: index % 3,
      seed: script * 100 + index + 1,
      size: (script + index) % 3,
      isParallel: index % 3 === 2,
    }));
    return separateTasks(buildStreams(context, { operations, endsStreams: script % 2 === 0 }, 3).events);
  }).filter(
    (events) =>
      areEventsValid(from.protocol, "writer", events) &&
      findFirstError(from.protocol, "writer", events) === undefined,
  );
}

it("carries generated streams over, and every event type is among them", () => {
  const streams = createStreams(120);
  expect(streams.length).toBeGreaterThan(100);
  for (const events of streams) checkCarriedOver(events.map((event) => JSON.stringify(event)));
  const types = new Set(streams.flat().map(({ type }) => type));
  expect(from.protocol.events.map(({ type }) => type).filter((type) => !types.has(type))).toEqual([]);
});

const OTHER_ID = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";

const SESSION = STREAMS.find(({ file }) => file === "session.jsonl")?.lines ?? [];
const TASK = STREAMS.find(({ file }) => file === "task.jsonl")?.lines ?? [];

function change(line: string | undefined, fields: object): string {
  return JSON.stringify({ ...JSON.parse(line ?? ""), ...fields });
}

describe("unknown parts", () => {
  it("are kept: types, fields of the envelope, of payloads and of objects", () => {
    const unknown = change(SESSION[0], {
      id: OTHER_ID,
      seq: 1,
      type: "thought_shared",
      "a/b": { c: [1, null] },
      __note: "",
    });
    const started = change(SESSION[0], { "x-trace": { span: 1 }, deep: [[{ a: 1e3 }]] });
    checkCarriedOver([started, unknown], "reader");
    expect(upcast([started, unknown].join("\n")).unknownTypes).toEqual(["thought_shared"]);
  });

  it("belong to the stream of a task if its frames say so, also later", () => {
    const [spawned = ""] = TASK;
    const { session_id } = JSON.parse(spawned);
    const first = change(spawned, { id: OTHER_ID, seq: 0, type: "other", session_id });
    checkCarriedOver([first, change(spawned, { seq: 1 })], "reader");
  });
});

const [STARTED = "", SECOND = "", THIRD = ""] = SESSION;

/** Hostile recordings, and the rule and the place of the first finding. */
const HOSTILE: readonly (readonly [what: string, lines: readonly string[], finding: string])[] = [
  ["a number as an event", [STARTED, "1"], "event-invalid 2:1"],
  ["a frame without its stream", [change(STARTED, { session_id: undefined })], "event-invalid 1:1"],
  [
    "a frame of version 2",
    [change(STARTED, { session_id: undefined, stream_id: "s", stream_kind: "session" })],
    "event-invalid 1:1",
  ],
  ["a field in the place of stream_id", [change(STARTED, { stream_id: "other" })], "upcast-impossible 1:"],
  [
    "an equal field in the place of stream_id",
    [change(STARTED, { stream_id: JSON.parse(STARTED).session_id })],
    "upcast-impossible 1:",
  ],
  [
    "a field in the place of stream_kind",
    [STARTED, change(SECOND, { stream_kind: "session" })],
    "upcast-impossible 2:",
  ],
  [
    "an unknown field that version 2 declares otherwise",
    [STARTED, change(SECOND, { type: "tool_stdout", tool_id: "t", chunk: "", preview: 5 })],
    "upcast-invalid 2:",
  ],
  [
    "an unknown type that version 2 declares otherwise",
    [change(STARTED, { type: "skill_loaded" })],
    "upcast-invalid 1:1",
  ],
  [
    "a number that is not exact",
    [STARTED.replace('"input":', '"big":12345678901234567890,"input":')],
    "upcast-inexact 1:",
  ],
  ["numbers out of order", [STARTED, THIRD, SECOND], "sequence-"],
  ["two frames with one id", [STARTED, change(SECOND, { id: JSON.parse(STARTED).id })], "event-conflict 2:"],
  [
    "a task frame on a session stream",
    [STARTED, change(TASK[0], { session_id: JSON.parse(STARTED).session_id, seq: 1 })],
    "upcast-invalid 1:1",
  ],
  [
    "a frame after the end",
    [...SESSION, change(SECOND, { id: OTHER_ID, seq: SESSION.length })],
    "event-after-terminal",
  ],
];

describe("hostile recordings", () => {
  it.each(HOSTILE)("%s", (_what, lines, expected) => {
    const { texts, findings } = upcast(lines.join("\n"));
    expect(texts).toEqual([]);
    const [first] = findings;
    expect(`${first?.rule} ${first?.at.line}:${first?.at.column}`).toContain(expected);
  });

  it("have at most a hundred findings", () => {
    expect(upcast("1\n".repeat(5000)).findings).toHaveLength(100);
  });

  it.each(['{"a":1,"a":2}', "{", '{"id":"x"} {}', "\u0000", `${"[".repeat(100_000)}`])(
    "that are not JSON: %s",
    (line) => {
      expect(() => upcast(`${STARTED}\n${line}`)).toThrow(/run\.jsonl:2:\d+: /);
    },
  );
});
