/** If this fails, events at the end of a compressed recording are lost without a word, or the writer is blamed for a cut. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import zlib, { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { decompress, describeReadError } from "../../generator/ingest/read-input.js";
import { createZstdFrameReader } from "../../generator/ingest/zstd-frames.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createSharedFolder, createTemporaryFolder } from "../folders.js";

const STREAM = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8");
const LINES = STREAM.trimEnd().split("\n");

const PLACES = 200;

/** Returns numbers of bytes after which data is cut: the first and the last ones, and others spread evenly. */
function listCuts(length: number): number[] {
  const ends = Array.from({ length: 20 }, (_, index) => [index + 1, length - 1 - index]).flat();
  const others = Array.from({ length: PLACES - ends.length }, (_, index) =>
    Math.floor(((index + 1) * length) / (PLACES - ends.length + 1)),
  );
  return [...new Set([...ends, ...others])].filter((cut) => cut > 0 && cut < length);
}

/** Compresses a text with DuckDB, because Node 20 cannot write zstd. */
async function compressWithDuckDb(text: string): Promise<Buffer> {
  const folder = createSharedFolder();
  const file = path.join(folder, "text.zst");
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const query = `SELECT unnest(string_split($text, chr(10))) AS line`;
  await connection.run(
    `COPY (${query}) TO '${file}' (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\x01', COMPRESSION zstd)`,
    { text },
  );
  connection.closeSync();
  return readFileSync(file);
}

const compressed = await compressWithDuckDb(STREAM.repeat(40).trimEnd());

/** A frame whose content is to be skipped. */
const SKIPPABLE = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

function isComplete(data: Uint8Array, pieceLength = data.length): boolean {
  const frames = createZstdFrameReader();
  for (let start = 0; start < data.length; start += pieceLength)
    frames.read(data.subarray(start, start + pieceLength));
  return frames.isComplete();
}

it.each([
  ["one frame", compressed],
  ["two frames and one to skip", Buffer.concat([compressed, SKIPPABLE, compressed])],
])("the end of zstd data is known in %s", (_name, data) => {
  for (const pieceLength of [1, 7, 4096, data.length]) expect(isComplete(data, pieceLength)).toBe(true);
  const ends = [compressed.length, compressed.length + SKIPPABLE.length];
  for (const cut of listCuts(data.length))
    expect([cut, isComplete(data.subarray(0, cut), 1000)]).toEqual([cut, ends.includes(cut)]);
});

const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?(text: string): Buffer };
if (!zstdCompressSync) console.warn("Node is older than 22.15: zstd recordings are not read");

const FORMS: readonly (readonly [name: string, data: Buffer, ends: readonly number[]])[] = [
  ["events.jsonl.gz", gzipSync(STREAM), []],
  [
    "members.jsonl.gz",
    Buffer.concat([gzipSync(`${LINES.slice(0, 5).join("\n")}\n`), gzipSync(LINES.slice(5).join("\n"))]),
    [gzipSync(`${LINES.slice(0, 5).join("\n")}\n`).length],
  ],
  ...(zstdCompressSync ? [["events.jsonl.zst", zstdCompressSync(STREAM), []] as const] : []),
];

/** Returns the bytes that can be read, and why there are no more. */
async function readAll(
  data: Buffer,
): Promise<{ readonly bytes: Buffer; readonly reason: string | undefined }> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of decompress(Readable.from([data]))) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), reason: undefined };
  } catch (error) {
    return { bytes: Buffer.concat(pieces), reason: describeReadError(error) };
  }
}

describe.each(FORMS)("%s that is cut off", (name, data, ends) => {
  // The first byte of zstd data alone is the text "(".
  const cuts = listCuts(data.length).filter(
    (cut) => !ends.includes(cut) && (cut > 1 || name.endsWith(".gz")),
  );

  it("cannot be read to its end", async () => {
    expect(cuts.length).toBeGreaterThan(150);
    for (const cut of cuts) {
      const { bytes, reason } = await readAll(data.subarray(0, cut));
      expect([cut, reason]).toEqual([cut, "its compressed data is cut off"]);
      expect(Buffer.from(STREAM).subarray(0, bytes.length).equals(bytes)).toBe(true);
    }
  });

  it("is not redacted", async () => {
    const folder = createTemporaryFolder();
    const file = path.join(folder, name);
    writeFileSync(file, data);
    const out = path.join(folder, "out");
    expect((await runAccrete(["redact", file, "--out", out])).exitCode).toBe(0);
    const written = path.join(out, name.replace(/\.(gz|zst)$/, ""));
    expect(readFileSync(written, "utf8").trimEnd().split("\n").length).toBe(LINES.length);
    for (const cut of cuts.filter((_, index) => index % 30 === 0)) {
      writeFileSync(file, data.subarray(0, cut));
      const { exitCode, stdout, stderr } = await runAccrete(["redact", file]);
      expect([cut, exitCode, stdout]).toEqual([cut, 2, ""]);
      expect(stderr).toBe(`accrete: ${file}: its compressed data is cut off\n`);
    }
  });

  it("gets no finding about its last line", async () => {
    const file = path.join(createTemporaryFolder(), name);
    for (const cut of cuts.filter((_, index) => index % 30 === 0)) {
      writeFileSync(file, data.subarray(0, cut));
      const { exitCode, stdout, stderr } = await runAccrete(["validate", file, "--protocol", "hecate/v1"]);
      expect([cut, exitCode, stderr, stdout.replace(/^\d+ events?/m, "n events")]).toEqual([
        cut,
        2,
        `accrete: cannot read ${file}: its compressed data is cut off\n`,
        expect.stringMatching(/^(?!.*(?:json-syntax|error)).*n events, 0 invalid/s),
      ]);
    }
  });
});
