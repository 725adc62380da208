/** If this fails, the generated views do not work on Spark, or count other gaps there than validate. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { planViews } from "../../generator/emit/sql/columns.js";
import { createSharedFolder } from "../folders.js";
import { PROTOCOLS, readValidFixtures } from "./fixtures.js";
import { prepareSpark } from "./python/environment.js";
import { type SparkEngine, startSpark } from "./spark/engine.js";
import { createCorpora, queryCorpus, sortRows, validateCorpus } from "./sql/cases.js";
import { openDuckdb, type Views } from "./sql/engine.js";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

const python = prepareSpark();

async function readRows({ schema, quote, query }: Views, view: string): Promise<readonly unknown[]> {
  const rows = await query(`SELECT * FROM ${schema}.${quote(view)}`);
  return [...rows]
    .sort((a, b) => Number(a.position) - Number(b.position))
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, formatValue(value)])));
}

/** Returns the object or list of a JSON text; undefined for other texts. */
function parseJson(text: string): unknown {
  try {
    return /^[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a value in a form that does not depend on the engine: JSON as values, times as those of JavaScript, numbers as texts. */
function formatValue(value: unknown): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(formatValue);
  const text = String(value);
  const json = parseJson(text);
  if (json !== undefined) return json;
  const time = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d[\d.]*)Z?$/.exec(text);
  return time ? new Date(`${time[1]}T${time[2]}Z`).toISOString() : text;
}

describe.skipIf(python === undefined)("the views on Spark", () => {
  let spark: SparkEngine;
  beforeAll(() => {
    spark = startSpark(python ?? "", createSharedFolder());
  });
  afterAll(() => spark.stop());

  it.each(createCorpora())("agree with validate: $name", async (corpus) => {
    const expected = await validateCorpus(corpus);
    const found = await queryCorpus(await spark.openViews(corpus.protocol, corpus.lines, true));
    expect(sortRows(found.streams)).toEqual(sortRows(expected.streams));
    expect(found.violations).toEqual(expected.violations);
  });

  it.each(PROTOCOLS)("can all be read, and have the rows of the views on DuckDB: $id", async (protocol) => {
    const lines = protocol.events.flatMap(({ type }) =>
      readValidFixtures(protocol, type).map((event) => JSON.stringify(event)),
    );
    const [onSpark, onDuckdb] = [await spark.openViews(protocol, lines), await openDuckdb(protocol, lines)];
    for (const { name } of [...planViews(protocol).views, { name: "events" }, { name: "deliveries" }])
      expect(await readRows(onSpark, name), name).toEqual(await readRows(onDuckdb, name));
  });
});
