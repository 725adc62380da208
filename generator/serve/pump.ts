/** Writes answers no faster than the client reads. The rest is a position in a log, so that it occupies no memory. */
import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Piece } from "./stream.js";

/** Sends all pieces and ends the answer. Returns early if the client disconnects, and never rejects because of a client. */
export async function pump(
  response: ServerResponse,
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (piece === "cut") return breakConnection(response);
    if ("pause" in piece) await setTimeout(piece.pause, undefined, { signal }).catch(() => undefined);
    else if (!response.write(piece)) await waitForDrain(response);
    // A fast client must not block the others.
    if (piece instanceof Uint8Array) await setImmediate();
  }
  response.end();
}

/** Resolves when the client has read what was written, or has disconnected. */
function waitForDrain(response: ServerResponse): Promise<void> {
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

/** Breaks the connection after what was written so far is sent. */
function breakConnection(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.on("close", resolve);
    if (response.destroyed) resolve();
    else response.write("", () => response.destroy());
  });
}
