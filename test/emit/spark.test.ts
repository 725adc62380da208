/** If this fails, the generated views do not work on Spark, or count other gaps there than validate. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createSharedFolder } from "../folders.js";
import { PROTOCOLS, readValidFixtures } from "./fixtures.js";
import { prepareSpark } from "./python/environment.js";
import { type SparkEngine, startSpark } from "./spark/engine.js";
import { createCorpora, queryCorpus, sortRows, validateCorpus } from "./sql/cases.js";
import { openDuckdb } from "./sql/engine.js";
import { HECATE } from "./sql/hecate.js";
import { askQuestions, computeAnswers, createArchives, normalizeAnswers } from "./sql/questions.js";
import { listViews, readRows } from "./sql/rows.js";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

const python = prepareSpark();

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

  it("answer the questions of docs/querying.md in spite of redeliveries", async () => {
    const { once, repeated } = createArchives();
    const answers = await askQuestions(await spark.openViews(HECATE, repeated));
    expect(normalizeAnswers(answers)).toEqual(normalizeAnswers(computeAnswers(once)));
  });

  it.each(PROTOCOLS)("can all be read, and have the rows of the views on DuckDB: $id", async (protocol) => {
    const lines = protocol.events.flatMap(({ type }) =>
      readValidFixtures(protocol, type).map((event) => JSON.stringify(event)),
    );
    const [onSpark, onDuckdb] = [await spark.openViews(protocol, lines), await openDuckdb(protocol, lines)];
    for (const name of listViews(protocol))
      expect(await readRows(onSpark, name), name).toEqual(await readRows(onDuckdb, name));
  });
});
