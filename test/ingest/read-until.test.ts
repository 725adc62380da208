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
  const created: WeakRef<Uint8Array>[] = [];
  const createPieces = async function* () {
    while (created.length < COUNT) {
      const piece = new Uint8Array(1000);
      created.push(new WeakRef(piece));
      yield piece;
    }
  };
  const { signal } = new AbortController();
  let count = 0;
  for await (const _piece of readUntil(signal, createPieces())) {
    if (++count < COUNT) continue;
    // A weak reference keeps its object until the turn ends in which it was created.
    await nextTurn();
    collectGarbage();
    // The last piece is still in use.
    expect(created.filter((piece) => piece.deref() !== undefined).length).toBeLessThan(3);
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
