/**
 * Compares the view `violations` with `accrete validate` on a damaged corpus of one protocol: the streams of its fixtures,
 * again and again with other ids, with lost, repeated, changed, late, unknown and refused events. Exits with 1 if a finding
 * differs. `--spark` queries Spark, too (ACCRETE_TEST_SPARK=1 installs it).
 *
 *     npx tsx scripts/compare-violations.ts --protocol hecate/v1 [--events 1000000] [--seed 1] [--rate 0.02] [--spark]
 */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { createViewStatements } from "../generator/emit/sql/sql.js";
import { fixtureStreams, validators } from "../test/conform/check-stream.js";
import { PROTOCOLS } from "../test/emit/fixtures.js";
import { prepareSpark } from "../test/emit/python/environment.js";
import { LARGE_TABLES, startSpark } from "../test/emit/spark/engine.js";
import {
  checkCorpus,
  createRuleCorpora,
  damageEnvelope,
  renameIds,
  repeatChanged,
  sortLines,
} from "../test/emit/sql/cases.js";
import { injectFaults } from "./corpus/faults.js";
import { createCorpusRandom } from "./corpus/random.js";

const { values } = parseArgs({
  options: {
    protocol: { type: "string", default: "hecate/v1" },
    events: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    rate: { type: "string", default: "0.02" },
    spark: { type: "boolean", default: false },
  },
});
const protocol = PROTOCOLS.find(({ id }) => id === values.protocol);
if (protocol === undefined) throw new Error(`There is no protocol ${values.protocol}.`);

/** Yields the fixtures and the cases of stream rules, each time with other ids. */
function* copyStreams(events: number): Generator<string> {
  const own = fixtureStreams.filter(({ id }) => id === protocol?.id).map(({ lines }) => lines);
  // The views do not know which events the schemas of payloads refuse.
  const isValid = (line: string): boolean =>
    validators.get(protocol?.id ?? "")?.decodeEvent(JSON.parse(line), { profile: "writer" }).kind !==
    "invalid";
  const corpus = createRuleCorpora().find(({ name }) => name === `${protocol?.id}, its own rules`);
  const cases = (corpus?.lines ?? []).filter(isValid);
  for (let count = 0, copy = 0; count < events; copy++)
    for (const lines of copy % 20 === 0 ? [...own, cases] : own) {
      if (protocol) yield* renameIds(protocol, lines, copy);
      count += lines.length;
    }
}

const random = createCorpusRandom(Number(values.seed));
const [events, rate] = [Number(values.events), Number(values.rate)];
const copies = copyStreams(events);
const faulty = injectFaults(
  copies,
  ["drop", "duplicate", "reorder", "unknown"],
  Number(values.seed),
  new Map(),
  rate,
);
const change = repeatChanged(protocol);
const changed = [...faulty].flatMap((line) => {
  if (random.chance(rate / 4)) return [damageEnvelope(protocol, line, random)];
  return random.chance(rate / 4) ? change(line, random.between(0, 1)) : [line];
});
const lines = sortLines(protocol, changed);
const seconds = (begin: number): string => `${((Date.now() - begin) / 1000).toFixed(1)} s`;

const begin = Date.now();
const expected = checkCorpus({ name: "", protocol, lines });
console.log(
  `${protocol.id}: ${lines.length} events, ${expected.length} findings of ${new Set(expected.map((each) => each.split("@")[0])).size} rules; validate ${seconds(begin)}`,
);

/** Prints how the findings of an engine differ. */
function compare(engine: string, found: readonly string[], time: string): void {
  const [all, wanted] = [new Set(found), new Set(expected)];
  const missed = expected.filter((each) => !all.has(each));
  const invented = found.filter((each) => !wanted.has(each));
  console.log(
    `${engine}: ${found.length} findings, ${missed.length} missed, ${invented.length} invented; ${time}`,
  );
  for (const each of missed.slice(0, 10))
    console.log(`missed: ${each} ${lines[Number(each.split("@")[1]) - 1]}`);
  for (const each of invented.slice(0, 10))
    console.log(`invented: ${each} ${lines[Number(each.split("@")[1]) - 1]}`);
  if (missed.length + invented.length + found.length - all.size > 0) process.exitCode = 1;
}

const format = (rows: readonly { readonly [column: string]: unknown }[]): string[] =>
  rows.map(({ rule, position }) => `${rule}@${position}`);
const folder = mkdtempSync(path.join(tmpdir(), "accrete-violations-"));
try {
  const file = path.join(folder, "rows.jsonl");
  for (let first = 0; first < lines.length; first += 10_000) {
    const rows = lines
      .slice(first, first + 10_000)
      .map((event, index) => ({ event, file: "a.jsonl", position: first + index + 1 }));
    appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  const connection = await (await DuckDBInstance.create(path.join(folder, "views.db"))).connect();
  const { schema, rawEvents, statements } = createViewStatements(protocol, "duckdb");
  await connection.run(`CREATE SCHEMA "${schema}"`);
  await connection.run(
    `CREATE TABLE ${rawEvents} AS SELECT * FROM read_json('${file}', format = 'newline_delimited', columns = {event: 'VARCHAR', file: 'VARCHAR', position: 'BIGINT'})`,
  );
  for (const statement of statements) await connection.run(statement);
  const start = Date.now();
  const result = await connection.runAndReadAll(`SELECT rule, position FROM "${schema}".violations`);
  compare("DuckDB", format(result.getRowObjectsJson()), seconds(start));
  const python = values.spark ? prepareSpark() : undefined;
  if (python !== undefined) {
    const spark = startSpark(python, folder, LARGE_TABLES);
    const views = await spark.openViews(protocol, lines, true);
    const sparkStart = Date.now();
    const found = await views.query(`SELECT rule, position FROM ${views.schema}.violations`);
    compare("Spark", format(found), seconds(sparkStart));
    spark.stop();
  }
} finally {
  rmSync(folder, { recursive: true });
}
