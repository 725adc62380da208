/** If this fails, an audit of hours shows nothing on the terminal, or another time than the one that is left. */
import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { createRandom } from "../../generator/random.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { createFaultyLines, shuffle, sortLines } from "./archive.js";

const SECONDS_PER_PIECE = 60;
const PIECE_BYTES = 2 ** 21;
const lines = createFaultyLines(2, 20_000);

/** Audits a folder as if each piece of a file took a minute. Returns what is shown, without the line that is removed at the end. */
async function showProgress(folder: string): Promise<readonly string[]> {
  let seconds = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    seconds += SECONDS_PER_PIECE;
    return 1000 * seconds;
  });
  try {
    const { stderr } = await runAccrete(["audit", folder], "", { showsProgress: true });
    return stderr.split("\r\u001b[K").filter((line) => line !== "");
  } finally {
    clock.mockRestore();
  }
}

/** Returns the time that is left after the first pieces of `bytes`, which all take the same time. */
function formatTimeLeft(pieces: number, bytes: number): string {
  const share = (pieces * PIECE_BYTES) / bytes;
  const seconds = Math.ceil((pieces * SECONDS_PER_PIECE * (1 - share)) / share);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s left`;
}

it("shows the events, the speed, the findings and the time that is left", async () => {
  const folder = createTemporaryFolder({ "a.jsonl": `${sortLines(lines).join("\n")}\n` });
  const { size } = statSync(path.join(folder, "a.jsonl"));
  const shown = await showProgress(folder);
  expect(shown).toHaveLength(Math.ceil(size / PIECE_BYTES));
  for (const pieces of [1, 2, 3])
    expect(shown[pieces - 1]).toMatch(
      new RegExp(`^\\d+ events, 0 MB/s, \\d+ findings?, ${formatTimeLeft(pieces, size)}$`),
    );
});

it("names the step that sorts, whose time does not count for the next one", async () => {
  const text = `${shuffle(lines, createRandom(4)).join("\n")}\n`;
  const folder = createTemporaryFolder({ "a.jsonl": text });
  const shown = await showProgress(folder);
  const [first = ""] = shown.filter((line) => line.startsWith("sorting: "));
  expect(first).toBe(`sorting: 0 MB/s, ${formatTimeLeft(1, Buffer.byteLength(text))}`);
  expect(shown.at(-1)).toMatch(/^20000 events, 0 MB\/s, \d+ findings, .* left$/);
});

it("knows the time that is left after the first of several compressed files", async () => {
  const folder = createTemporaryFolder();
  for (const name of ["a", "b"])
    writeFileSync(path.join(folder, `${name}.jsonl.gz`), gzipSync(`${sortLines(lines).join("\n")}\n`));
  const shown = await showProgress(folder);
  const isTimed = (line: string): boolean => line.endsWith(" left");
  expect(isTimed(shown[0] ?? "")).toBe(false);
  expect(isTimed(shown.at(-1) ?? "")).toBe(true);
});
