/** If this fails, large rows of Parquet files are read twice, not at all or in disorder. */
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { openMemoryDatabase } from "../../generator/audit/database.js";
import { readParquetRows } from "../../generator/audit/parquet-input.js";
import type { LineRange } from "../../generator/ingest/place.js";
import { createTemporaryFolder } from "../folders.js";

const ROWS = 3000;

/** Parts of a file, on both sides of the rows that DuckDB decodes at once. */
const PARTS: readonly (readonly LineRange[])[] = [
  [{ first: 1, last: Infinity }],
  [
    { first: 700, last: 701 },
    { first: 2047, last: 2600 },
  ],
];

it.each(PARTS)("reads each row once, with its line, of %o", async (...lines) => {
  const file = path.join(createTemporaryFolder(), "large.parquet");
  const writer = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  const rows = `SELECT row || repeat('x', 25000) AS event FROM range(1, ${ROWS + 1}) AS rows(row)`;
  await writer.run(`COPY (${rows}) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 2500)`);
  const database = await openMemoryDatabase(5e8);
  const pieces: Uint8Array[] = [];
  let largest = 0;
  const form = { protocols: [], column: "event" };
  for await (const read of readParquetRows(database, file, form, lines)) {
    largest = Math.max(
      largest,
      read.reduce((sum, { length }) => sum + length, 0),
    );
    pieces.push(...read);
  }
  database.close();
  const texts = Buffer.concat(pieces).toString().split("\n").slice(0, -1);
  const start = lines[0]?.first ?? 1;
  const isWanted = (row: number) => lines.some(({ first, last }) => row >= first && row <= last);
  expect(texts.map((text) => text.replace(/x+$/, ""))).toEqual(
    Array.from({ length: Math.min(ROWS, lines.at(-1)?.last ?? 0) - start + 1 }, (_, index) =>
      isWanted(start + index) ? String(start + index) : "",
    ),
  );
  expect(largest).toBeLessThan(33e6);
});
