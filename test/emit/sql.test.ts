/** If this fails, the generated views do not exist, hold other values than the events, or count other gaps than validate. */
import { describe, expect, it } from "vitest";
import { type ColumnPlan, planViews, type ViewPlan } from "../../generator/emit/sql/columns.js";
import { createViewStatements } from "../../generator/emit/sql/sql.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { chooseCases, deep, quick } from "../depth.js";
import { PROTOCOLS, readValidFixtures } from "./fixtures.js";
import { createEvent } from "./hostile-folder.js";
import { createHostileFolders, loadHostileProtocols } from "./hostile-protocols.js";
import { createRandomProtocols, PROTOCOL_COUNT, SEED } from "./made-protocols.js";
import {
  checkCorpus,
  createCorpora,
  createRuleCorpora,
  damageNumbers,
  pickCorpus,
  queryCorpus,
  sortRows,
  validateCorpus,
} from "./sql/cases.js";
import { openDuckdb, type Row } from "./sql/engine.js";
import { HECATE } from "./sql/hecate.js";
import { askQuestions, computeAnswers, createArchives, normalizeAnswers } from "./sql/questions.js";
import { createRandomContract } from "./sql/random-rules.js";

describe("the views of streams", () => {
  it.each(chooseCases(createCorpora(), 2, 4))("agree with validate: $name", async (corpus) => {
    const expected = await validateCorpus(corpus);
    const found = await queryCorpus(await openDuckdb(corpus.protocol, corpus.lines, true));
    expect(sortRows(found.streams)).toEqual(sortRows(expected.streams));
    expect(found.violations).toEqual(expected.violations);
    expect(expected.streams.length).toBeGreaterThan(0);
  });

  deep.it("are compared on streams with faults of every kind", async () => {
    const reports = await Promise.all(createCorpora().map(validateCorpus));
    const streams = reports.flatMap((report) => report.streams);
    for (const count of ["gaps", "missing", "duplicates", "conflicts", "late", "unknown"])
      expect(
        streams.some((stream) => Number(stream[count]) > 0),
        count,
      ).toBe(true);
    const rules = new Set(reports.flatMap(({ violations }) => violations.map((one) => one.split("@")[0])));
    expect(rules.size).toBeGreaterThan(7);
  });
});

describe("the view of violations", () => {
  it.each(chooseCases(createRuleCorpora(), 5, 4))(
    "finds what the stream rules find: $name",
    async (corpus) => {
      const { violations } = await queryCorpus(await openDuckdb(corpus.protocol, corpus.lines, true));
      expect(violations).toEqual(checkCorpus(corpus));
    },
  );

  it.each(chooseCases([7, 9, 12, 19], 2))(
    "accuses nobody for numbers that are absent or no numbers: %i",
    async (seed) => {
      const { protocol, lines } = createRandomContract(seed);
      const corpus = { name: "", protocol, lines: damageNumbers(protocol, lines, seed) };
      const { violations } = await queryCorpus(await openDuckdb(protocol, corpus.lines, true));
      expect(protocol.stream?.sequence).toBeDefined();
      expect(violations).toEqual(checkCorpus(corpus));
      expect(violations).not.toEqual(checkCorpus({ ...corpus, lines }));
    },
  );

  it.each(chooseCases(["frames/v1", "frames/v2", "hecate/v1"], 1))(
    "accuses nobody for numbers of another type: %s",
    async (id) => {
      const { protocol, lines } = pickCorpus(`${id}, its own rules`);
      const corpus = { name: "", protocol, lines: damageNumbers(protocol, lines, 3) };
      const { violations } = await queryCorpus(await openDuckdb(protocol, corpus.lines, true));
      expect(violations).toEqual(checkCorpus(corpus));
      expect(violations.length).toBeGreaterThan(20);
    },
  );

  it.each(chooseCases([1, 2, 3, 4], 1))("finds what random rules of every member find: %i", async (seed) => {
    const { protocol, lines } = createRandomContract(seed);
    const { violations } = await queryCorpus(await openDuckdb(protocol, lines, true));
    expect(violations).toEqual(checkCorpus({ name: "", protocol, lines }));
    expect(violations.length).toBeGreaterThan(100);
  });

  quick.it.each(PROTOCOLS)("names the rules that it leaves out: $id", (protocol) => {
    for (const dialect of ["duckdb", "spark"] as const) {
      const text = createViewStatements(protocol, dialect).statements.join("\n");
      const omitted = /It leaves out ([^.]*)\./.exec(text)?.[1] ?? "";
      expect(omitted).toBe(protocol.stream?.rules?.hierarchy === undefined ? "" : "hierarchy-broken");
    }
  });
});

/** Returns a value of a row as JSON text, so that lists and numbers are compared by their text. */
const formatValue = (value: unknown): string => JSON.stringify(value) ?? "null";

/** Returns the values that the view of an event type should have, by the names of their columns; only texts, numbers and truth values. */
function readExpectedValues(envelope: readonly ColumnPlan[], view: ViewPlan, event: JsonObject): Row {
  const payload = view.carrier === undefined ? event : event[view.carrier];
  const read = (columns: readonly ColumnPlan[], object: Json | undefined): Row =>
    Object.fromEntries(
      columns
        .filter(({ field, type }) => isObject(object) && type.scalar !== "time" && isScalar(object[field]))
        .map(({ name, field }) => [name, (object as JsonObject)[field]]),
    );
  return { ...read(envelope, event), ...read(view.columns, payload) };
}

function isScalar(value: Json | undefined): boolean {
  if (typeof value === "string") return value.isWellFormed();
  return typeof value === "number" || typeof value === "boolean";
}

/** Returns the values of a row that were expected, with numbers of 64 bits and JSON texts as values. */
function pickValues(row: Row, expected: Row): Row {
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => {
      const found = row[name];
      const isText = typeof found === "string" && found !== value;
      return [name, isText ? parseText(found) : found];
    }),
  );
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Checks that the view of each event's type has the values of its fields. Returns the number of values. */
async function checkValues(protocol: Protocol, events: readonly JsonObject[]): Promise<number> {
  const views = await openDuckdb(
    protocol,
    events.map((event) => JSON.stringify(event)),
  );
  let count = 0;
  const plan = planViews(protocol);
  for (const view of plan.views) {
    const rows = await views.query(`SELECT * FROM ${views.schema}.${views.quote(view.name)}`);
    for (const row of rows) {
      const event = events[Number(row.position) - 1] ?? {};
      const expected = readExpectedValues(plan.envelope, view, event);
      expect(formatValue(pickValues(row, expected)), view.name).toBe(formatValue(expected));
      count += Object.keys(expected).length;
    }
  }
  return count;
}

describe("the view of an event type", () => {
  quick.it("tells first deliveries from others", async () => {
    const [event] = readValidFixtures(HECATE, "turn.completed") as [JsonObject];
    const other = { ...event, event_id: "evt_01KQPNTZB56YHEB57B1R70TB1B" };
    const events = [event, event, { ...event, occurred_at: "2026-05-03T10:23:41Z" }, other];
    const refused = { ...event, event_id: "evt_01KQPNTZB56YHEB57B1R70TB1C", sequence: "x" };
    const views = await openDuckdb(
      HECATE,
      [refused, ...events].map((each) => JSON.stringify(each)),
    );
    const rows = await views.query(`SELECT position FROM ${views.schema}.turn_completed WHERE is_first`);
    expect(rows.map(({ position }) => Number(position)).sort()).toEqual([2, 5]);
  });

  it.each(chooseCases(PROTOCOLS, 1))("has the values of the fixtures: $id", async (protocol) => {
    const events = protocol.events.flatMap(({ type }) => readValidFixtures(protocol, type) as JsonObject[]);
    expect(await checkValues(protocol, events)).toBeGreaterThan(events.length);
  });

  quick.it("keeps undeclared fields, and shows times in UTC", async () => {
    const [event] = readValidFixtures(HECATE, "tool.shell.exited") as [JsonObject];
    const data = { ...(event.data as JsonObject), exit_code: "no number", next: { a: [null, "'"] } };
    const line = { ...event, occurred_at: "2026-05-03T12:23:40.5+02:00", data, added: [2] };
    const views = await openDuckdb(HECATE, [JSON.stringify(line)]);
    const [row] = await views.query(`SELECT * FROM ${views.schema}.tool_shell_exited`);
    expect(row).toMatchObject({
      exit_code: null,
      occurred_at: "2026-05-03 10:23:40.5",
      other_fields: '{"added":[2]}',
      other_payload_fields: '{"next":{"a":[null,"\'"]}}',
    });
  });

  quick.it("has the comments of the schemas", async () => {
    const views = await openDuckdb(HECATE, []);
    const comments = await views.query(
      "SELECT comment FROM duckdb_columns() WHERE table_name = 'cost_tick' AND column_name = 'task_budget_remaining_micros_usd'",
    );
    expect(comments[0]?.comment).toContain("0 or negative once the budget is overspent");
  });
});

describe("the questions of docs/querying.md", () => {
  quick.it("have the answers of the archive without redeliveries", async () => {
    const { once, repeated } = createArchives();
    const answers = await askQuestions(await openDuckdb(HECATE, repeated));
    expect(normalizeAnswers(answers)).toEqual(normalizeAnswers(computeAnswers(once)));
  });
});

describe("hostile names and texts", async () => {
  const folders = new Map(createHostileFolders().map((one) => [`${one.folder.name}/v1`, one]));
  const protocols = [
    ...(await loadHostileProtocols()),
    ...(await createRandomProtocols(PROTOCOL_COUNT, SEED)),
  ];
  it.each(chooseCases(protocols, 2, 4))("give views that can be read: $id", async (protocol) => {
    const views = await openDuckdb(protocol, ["no JSON", "[]", "{}", '{"type":"other.type"}']);
    const named = await views.query(
      `SELECT view_name AS name FROM duckdb_views() WHERE schema_name = ${views.schema.replaceAll('"', "'")}`,
    );
    for (const { name } of named)
      await views.query(`SELECT * FROM ${views.schema}.${views.quote(String(name))}`);
    expect(named.length).toBe(protocol.events.length + 4 + planViews(protocol).spans.length);
  });

  it.each(chooseCases([...folders.keys()], 1))(
    "give views with the values of their fields: %s",
    async (id) => {
      const protocol = protocols.find((one) => one.id === id);
      const { folder, cases } = folders.get(id) ?? { cases: [] };
      if (protocol === undefined || folder === undefined) throw new Error(`no protocol ${id}`);
      const events = cases.flatMap(({ type, payload }) =>
        payload.good.map((good) => createEvent(folder.placement, type, good)),
      );
      await checkValues(protocol, events);
    },
  );

  quick.it("give columns that differ in more than letter case", () => {
    const [protocol] = PROTOCOLS;
    if (protocol === undefined) throw new Error("no protocol");
    const names = [
      "Ab",
      "aB",
      "ab_2",
      "Kind",
      "event",
      'a"b',
      "a`b",
      "x".repeat(500),
      `${"x".repeat(500)}y`,
      "ß",
      "SS",
    ];
    const payload = {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    };
    const events = protocol.events.slice(0, 1).map((event) => ({ ...event, payload }));
    const [view] = planViews({ ...protocol, events }).views;
    const folded = view?.columns.map(({ name }) => name.toUpperCase());
    expect(new Set(folded).size).toBe(names.length);
  });
});
