/** If this fails, a command that reads until a signal keeps all that it has read in memory, or does not end. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { readUntil } from "../../generator/ingest/read-until.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

it("frees the pieces that were read", async () => {
  const COUNT = 100;
  const createPieces = async function* () {
    for (let count = 0; count < COUNT; count++) yield new Uint8Array(1e6);
  };
  const { signal } = new AbortController();
  const before = process.memoryUsage().arrayBuffers;
  let count = 0;
  for await (const _piece of readUntil(signal, createPieces())) {
    if (++count < COUNT) continue;
    await nextTurn();
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
  }
  expect(count).toBe(COUNT);
});

it.each(["while the source waits", "between two pieces"])("ends at a signal %s", async (when) => {
  const stop = new AbortController();
  const source = async function* () {
    yield new Uint8Array(1);
    if (when === "while the source waits") await new Promise(() => undefined);
    for (;;) yield new Uint8Array(1);
  };
  let count = 0;
  for await (const _piece of readUntil(stop.signal, source())) {
    count++;
    if (when === "between two pieces") stop.abort();
    else setTimeout(() => stop.abort(), 10);
  }
  expect(count).toBe(1);
});
