/** If this fails, the view of a plan shows other events than its TypeScript module returns. */
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { planViews } from "../../generator/emit/sql/columns.js";
import type { Json, JsonObject } from "../../generator/json.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import type { UpcastQuestion } from "../../generator/upcast/certify-plan.js";
import { planUpcast } from "../../generator/upcast/plan-upcast.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { emitUpcastView } from "../../generator/upcast/upcast-view.js";
import { chooseCases, quick } from "../depth.js";
import { readStatements } from "../emit/sql/engine.js";
import { createTemporaryFolder } from "../folders.js";
import { loadTypescript, makeEvents } from "./carry-events.js";
import { loadVersionPair, PROVEN_CASES } from "./cases.js";
import { CONVERSION_CASES } from "./conversion-cases.js";
import { STEP_CASES } from "./step-cases.js";

const instance = await DuckDBInstance.create(":memory:");

/** Returns what the view shows for events, in their order, and the connection. */
async function showEvents(question: UpcastQuestion, events: readonly JsonObject[]) {
  const view = emitUpcastView(question);
  if (view.kind === "impossible") throw new Error(view.reason);
  const connection = await instance.connect();
  const [before, after] = [question.from, question.to].map((protocol) => `"${planViews(protocol).schema}"`);
  await connection.run(`DROP SCHEMA IF EXISTS ${after} CASCADE; DROP SCHEMA IF EXISTS ${before} CASCADE`);
  await connection.run(
    `CREATE SCHEMA ${before}; CREATE TABLE ${before}.raw_events(event VARCHAR, file VARCHAR, position BIGINT)`,
  );
  const rows = JSON.stringify(events.map((event, position) => ({ event: JSON.stringify(event), position })));
  await connection.run(
    `INSERT INTO ${before}.raw_events SELECT row.event, 'a.jsonl', row.position FROM (
       SELECT unnest(from_json($1::JSON, '[{"event":"VARCHAR","position":"BIGINT"}]')) AS row)`,
    [rows],
  );
  await connection.run(view.file.content);
  const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const shown = await query(`SELECT event FROM ${after}.raw_events ORDER BY position`);
  const results = shown.map(({ event }) => (event === null ? null : (JSON.parse(String(event)) as Json)));
  return { results, query, run: (sql: string) => connection.run(sql) };
}

describe("the view of a plan shows what its TypeScript module returns", () => {
  const local = PROVEN_CASES.filter(
    ({ name, isPublished }) => isPublished !== true && !name.includes(" items "),
  );
  it.each(chooseCases(local, 2))("$name", async ({ load }) => {
    const pair = await load(createTemporaryFolder());
    const question = { ...pair, steps: planUpcast(pair.from, pair.to).steps.map(({ step }) => step) };
    const events = makeEvents(question, 200 + 5 * pair.from.events.length);
    const expected = (await loadTypescript(question, createTemporaryFolder()))(events);
    const { results } = await showEvents(question, events);
    expect(results).toEqual(expected);
  });
});

describe("each step, in SQL", async () => {
  const pair = await loadVersionPair("schemas", "frames/v1", "frames/v2");
  const context = (type: string) => ({ type, discriminator: "type", streamTypes: new Set([type, "mark.a"]) });
  it.each(
    chooseCases(
      [...STEP_CASES, ...CONVERSION_CASES].filter(([, , steps]) => !isInexpressible(steps)),
      20,
    ),
  )("%s", async (_what, before, steps) => {
    const event: JsonObject = { ...JSON.parse(before), session_id: "s" };
    const from = { ...pair.from, envelope: { ...pair.from.envelope, discriminator: "type" } };
    const { results } = await showEvents({ ...pair, from, steps }, [
      event,
      { type: "mark.a", session_id: "s" },
    ]);
    const result = upcastEvent(event, steps, context(String(event.type)));
    expect(results[0]).toEqual(result.kind === "done" ? result.event : null);
  });
});

function isInexpressible(steps: readonly UpcastStep[]): boolean {
  return steps.some((step) => /\/d\/0|\/(?:\*|\{\*\}|\[)/.test(JSON.stringify(step)));
}

quick.it("serves the views of the later version", async () => {
  const pair = await loadVersionPair("schemas", "frames/v1", "frames/v2");
  const question = { ...pair, steps: planUpcast(pair.from, pair.to).steps.map(({ step }) => step) };
  const events = makeEvents(question, 100);
  const { run, query } = await showEvents(question, events);
  await run(readStatements(pair.to, "duckdb").join(";\n"));
  const rows = await query(`SELECT * FROM "${planViews(pair.to).schema}"."events"`);
  expect(rows).toHaveLength(events.length);
  expect(rows.every(({ stream_kind }) => stream_kind !== null)).toBe(true);
});

quick.it.each<readonly [reason: string, step: UpcastStep]>([
  ["a value is compared with an object", { step: "move", from: "/a", to: "/b", when: { "/c": [{}] } }],
  ["a value is compared with a list", { step: "constant", to: "/a", value: 1, replaces: [1] }],
  ["a step changes the items of /a", { step: "move", from: "/a/*/b", to: "/a/*/c" }],
  ["a step changes the values of the map /a", { step: "move", from: "/a/{*}/b", to: "/a/{*}/c" }],
  ["a step changes the items of /a", { step: "move", from: "/a/[1]/b", to: "/a/[1]/c" }],
  ["a step changes values at every depth of /a", { step: "move", from: "/a/**/b", to: "/a/**/c" }],
  ["a field has the name 0", { step: "move", from: "/a/0", to: "/b" }],
])("says that %s", async (reason, step) => {
  const pair = await loadVersionPair("schemas", "frames/v1", "frames/v2");
  const view = emitUpcastView({ ...pair, steps: [step] });
  expect(view.kind === "impossible" && view.reason).toContain(reason);
  expect(emitUpcastView({ ...pair, to: pair.from, steps: [] })).toMatchObject({ kind: "impossible" });
});
