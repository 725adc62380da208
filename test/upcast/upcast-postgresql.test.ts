/** If this fails, the view of a plan for PostgreSQL shows other events than `accrete upcast` gives. */
import { afterAll, describe, expect, it } from "vitest";
import { planViews } from "../../generator/emit/sql/columns.js";
import type { Json, JsonObject } from "../../generator/json.js";
import type { UpcastQuestion } from "../../generator/upcast/certify-plan.js";
import { planUpcast } from "../../generator/upcast/plan-upcast.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { emitUpcastView } from "../../generator/upcast/upcast-view.js";
import { chooseCases, quick } from "../depth.js";
import { startPostgresql } from "../emit/postgresql/engine.js";
import { createTemporaryFolder } from "../folders.js";
import { loadTypescript, makeEvents } from "./carry-events.js";
import { loadVersionPair } from "./cases.js";
import { CONVERSION_CASES } from "./conversion-cases.js";
import { STEP_CASES } from "./step-cases.js";

const server = await startPostgresql();
afterAll(() => server?.stop());
const pair = await loadVersionPair("schemas", "frames/v1", "frames/v2");

/** Returns what the view shows for events, in their order; the reason if there is no view. */
function showEvents(question: UpcastQuestion, events: readonly JsonObject[]): readonly Json[] | string {
  const view = emitUpcastView(question, "postgresql");
  if (view.kind === "impossible") return view.reason;
  const [before, after] = [question.from, question.to].map((protocol) => planViews(protocol).schema);
  const shown = server?.run(`DROP SCHEMA IF EXISTS ${before} CASCADE; DROP SCHEMA IF EXISTS ${after} CASCADE;
CREATE SCHEMA ${before};
CREATE TABLE ${before}.raw_events AS SELECT event, 'a' AS file, position
FROM jsonb_array_elements($events$${JSON.stringify(events)}$events$::jsonb) WITH ORDINALITY AS rows (event, position);
${view.file.content}
SELECT json_agg(event ORDER BY position) FROM ${after}.raw_events;`);
  return JSON.parse(shown ?? "[]");
}

const context = (type: string) => ({ type, discriminator: "type", streamTypes: new Set([type, "mark.a"]) });
const from = { ...pair.from, envelope: { ...pair.from.envelope, discriminator: "type" } };

/** PostgreSQL has no text with these characters. */
const isReadable = (text: string): boolean => !/\\u(?:0000|d[89a-f])/i.test(text);

describe.skipIf(server === undefined)("the view of a plan on PostgreSQL", () => {
  it.each(
    chooseCases(
      [...STEP_CASES, ...CONVERSION_CASES].filter(([, before]) => isReadable(before)),
      10,
    ),
  )("%s", (_what, before, steps) => {
    const event: JsonObject = { ...JSON.parse(before), session_id: "s" };
    const shown = showEvents({ ...pair, from, steps }, [event, { type: "mark.a", session_id: "s" }]);
    if (typeof shown === "string") return expect(shown).toMatch(/items of|values of the map|every depth/);
    const result = upcastEvent(event, steps, context(String(event.type)));
    expect(shown[0]).toEqual(result.kind === "done" ? result.event : null);
  });

  quick.it("carries frames/v1 over", async () => {
    const question = { ...pair, steps: planUpcast(pair.from, pair.to).steps.map(({ step }) => step) };
    const events = makeEvents(question, 200).filter((event) => isReadable(JSON.stringify(event)));
    const expected = (await loadTypescript(question, createTemporaryFolder()))(events);
    expect(showEvents(question, events)).toEqual(expected);
    expect(events.length).toBeGreaterThan(100);
  });
});
