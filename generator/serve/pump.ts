/** Writes pieces to a client no faster than it reads: what it has not taken is held as a place in a log, not as bytes. */
import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Piece } from "./stream.js";

/** Sends all pieces and ends the answer; returns early when the client is gone. Never rejects because of a client. */
export async function pump(
  response: ServerResponse,
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (piece === "cut") return cut(response);
    if ("pause" in piece) await setTimeout(piece.pause, undefined, { signal }).catch(() => undefined);
    else if (!response.write(piece)) await drained(response);
    // A client that reads as fast as we write must not keep the others waiting.
    if (piece instanceof Uint8Array) await setImmediate();
  }
  response.end();
}

/** Resolves when the client has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || !response.writableNeedDrain) return resolve();
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

/** Breaks the connection once what was written so far is on its way. */
function cut(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.on("close", resolve);
    if (response.destroyed) resolve();
    else response.write("", () => response.destroy());
  });
}
