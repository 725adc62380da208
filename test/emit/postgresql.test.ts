/** If this fails, the generated views do not work on PostgreSQL, or count otherwise there than on DuckDB. */
import { afterAll, describe, expect, it } from "vitest";
import { chooseCases, deep, quick } from "../depth.js";
import { PROTOCOLS, readValidFixtures } from "./fixtures.js";
import { loadHostileProtocols } from "./hostile-protocols.js";
import { startPostgresql } from "./postgresql/engine.js";
import { createCorpora, queryCorpus, sortRows, validateCorpus } from "./sql/cases.js";
import { openDuckdb, readStatements } from "./sql/engine.js";
import { HECATE } from "./sql/hecate.js";
import { askQuestions, computeAnswers, createArchives, normalizeAnswers } from "./sql/questions.js";
import { listViews, readRows } from "./sql/rows.js";

const hostile = await loadHostileProtocols();
const server = await startPostgresql();
afterAll(() => server?.stop());

/** The rules that the view of violations has on PostgreSQL. */
const isDeliveryRule = (violation: string): boolean =>
  /^(sequence-late|event-conflict|event-repeated)@/.test(violation);

describe.skipIf(server === undefined)("the views on PostgreSQL", () => {
  const open: NonNullable<typeof server>["openViews"] = (protocol, lines) => {
    if (server === undefined) throw new Error("no server");
    return server.openViews(protocol, lines);
  };

  quick.it("answer the questions of docs/querying.md in spite of redeliveries", async () => {
    const { once, repeated } = createArchives();
    const answers = await askQuestions(await open(HECATE, repeated));
    expect(normalizeAnswers(answers)).toEqual(normalizeAnswers(computeAnswers(once)));
  });

  it.each(chooseCases(createCorpora(), 2, 4))("agree with validate: $name", async (corpus) => {
    const expected = await validateCorpus(corpus);
    const found = await queryCorpus(await open(corpus.protocol, corpus.lines));
    expect(sortRows(found.streams)).toEqual(sortRows(expected.streams));
    expect(found.violations).toEqual(expected.violations.filter(isDeliveryRule));
  });

  it.each(chooseCases(PROTOCOLS, 1))("have the rows of the views on DuckDB: $id", async (protocol) => {
    const lines = protocol.events.flatMap(({ type }) =>
      readValidFixtures(protocol, type).map((event) => JSON.stringify(event)),
    );
    const onPostgresql = await open(protocol, lines);
    // No value of PostgreSQL has the character U+0000.
    const onDuckdb = await openDuckdb(
      protocol,
      lines.map((line) => line.replaceAll("\\u0000", "\\ufffd")),
    );
    for (const name of listViews(protocol))
      expect(await readRows(onPostgresql, name), name).toEqual(await readRows(onDuckdb, name));
  });

  quick.it("have null for values of another type, and do not fail", async () => {
    const [event] = readValidFixtures(HECATE, "turn.completed");
    const values = [1e300, 1.5, "5", 9.3e18, null, [], {}, true, "2026-02-30T00:00:00Z", "now"];
    const lines = values.map((value) =>
      JSON.stringify({
        ...(event as object),
        occurred_at: value,
        sequence: value,
        data: { input_tokens: value },
      }),
    );
    // JavaScript cannot write this number.
    lines.push(lines[0]?.replaceAll("1e+300", "1e+400") ?? "");
    const views = await open(HECATE, [
      ...lines,
      "no JSON",
      '{"a":"\\\\ud83d"}',
      "[]",
      "1",
      '{"type":"other.type"}',
    ]);
    const rows = await views.query("SELECT input_tokens, occurred_at, is_first FROM turn_completed");
    expect(rows.length).toBe(lines.length);
    for (const row of rows) expect(row).toEqual({ input_tokens: null, occurred_at: null, is_first: false });
    expect(await views.query("SELECT DISTINCT delivery FROM deliveries")).toEqual([{ delivery: "refused" }]);
  });

  deep.it.each(hostile)("can be read whatever the names: $id", async (protocol) => {
    const views = await open(protocol, ["no JSON", "[]", "{}", '{"type":"other.type"}']);
    for (const name of listViews(protocol)) await readRows(views, name);
  });

  quick.it("replace those of an earlier contract", async () => {
    const [first, ...events] = HECATE.events;
    if (first === undefined) throw new Error("no event type");
    const earlier = { ...HECATE, events: [{ ...first, payload: { type: "object" } }, ...events.slice(1)] };
    const views = await open(earlier, []);
    server?.run(`${readStatements(HECATE, "postgresql").join(";\n")};`);
    const [{ count } = {}] = await views.query(
      "SELECT count(*) AS count FROM pg_views WHERE schemaname = 'hecate_v1'",
    );
    expect(count).toBe(listViews(HECATE).length + 2);
  });
});
