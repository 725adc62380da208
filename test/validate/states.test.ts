/** If this fails, `accrete validate` takes a broken state of a run for a good one, or an event for a state. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { loadRuns, sendRequest, startServer } from "../serve/start.js";

const FOLDER = "fixtures/hecate/v1/streams";
const FILES = readdirSync(FOLDER).map((file) => path.join(FOLDER, file));

async function validate(name: string, content: string, ...options: string[]) {
  const root = createTemporaryFolder({ [name]: content });
  const { stdout } = await runAccrete(["validate", path.join(root, name), "--format", "json", ...options]);
  const { findings, summary } = JSON.parse(stdout);
  const texts = findings.map(
    ({ rule, message, at }: { rule: string; message: string; at: { line: number; pointer: string } }) =>
      `${at.line} ${rule} ${at.pointer} ${message}`,
  );
  return { texts, events: summary.events };
}

it.each(FILES)("accepts the saved state feed of %s", async (file) => {
  const runs = await loadRuns(file);
  const { url } = await startServer({ format: "state", runs });
  for (const { fields, events } of runs) {
    const target = `/hecate/v1/tasks/${fields.task_id ?? "-"}/runs/${fields.run_id}/stream`;
    const { body } = await sendRequest(url + target);
    for (const profile of ["reader", "writer"])
      expect(await validate("run.sse", String(body), "--profile", profile)).toEqual({
        texts: [],
        events: events.length,
      });
  }
});

const RUN: JsonObject = { id: "run_01KQPNTT2RZW040CA11XDDDE4M", status: "running" };
const GOOD: JsonObject = { event_type: "run.started", run: RUN };

it.each<[string, value: JsonObject, profile: string, expected: string[]]>([
  ["a good state", GOOD, "writer", []],
  ["a wrapped state", { object: "task_run_stream_event", data: GOOD }, "writer", []],
  ["an unknown member of a record", { ...GOOD, run: { ...RUN, cost: 1 } }, "writer", []],
  ["an unknown member, for readers", { ...GOOD, colour: 1 }, "reader", []],
  ["an unknown member", { ...GOOD, colour: 1 }, "writer", ["1 state-invalid /colour"]],
  ["a run without a status", { ...GOOD, run: { id: "run_1" } }, "reader", ["1 state-invalid /run must have"]],
  [
    "a wrapped bad state",
    { object: "x", data: { ...GOOD, run: {} } },
    "reader",
    ["1 state-invalid /data/run", "1 state-invalid /data/run"],
  ],
  ["a bad event type", { ...GOOD, event_type: "Run" }, "reader", ["1 state-invalid /event_type"]],
  ["steps that are no list", { ...GOOD, steps: {} }, "reader", ["1 state-invalid /steps"]],
  [
    "a secret",
    { ...GOOD, steps: [{ env: "AKIAIOSFODNN7EXAMPLF" }] },
    "writer",
    ["1 secret-exposed /steps/0/env"],
  ],
  ["a member of states in an event", { ...GOOD, type: "run.started" }, "reader", ["1 protocol-unknown"]],
  ["nothing but a type", { event_type: "run.started" }, "reader", ["1 protocol-unknown"]],
])("%s", async (_, value, profile, expected) => {
  const { texts } = await validate("states.jsonl", `${JSON.stringify(value)}\n`, "--profile", profile);
  for (const [index, text] of expected.entries()) expect(texts[index]).toContain(text);
  expect(texts).toHaveLength(expected.length);
});

it("does not mix states with the streams of events", async () => {
  const lines = readFileSync(FILES[0] as string, "utf8")
    .trimEnd()
    .split("\n");
  const mixed = lines.flatMap((line) => [line, JSON.stringify({ ...GOOD, run: { ...RUN, id: "run_1" } })]);
  const { texts, events } = await validate("mixed.jsonl", mixed.join("\n"));
  expect([texts, events]).toEqual([[], lines.length * 2]);
});
