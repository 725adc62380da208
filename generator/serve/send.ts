/** Writes answers no faster than the client reads them. Events that are not written yet stay in the log, so a slow client costs little memory. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate, setTimeout } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Answer } from "./answer.js";
import type { Headers } from "./problem.js";
import { readWeight } from "./query.js";

/** The headers of all answers. */
export const COMMON_HEADERS: Headers = {
  "access-control-expose-headers": "Allow, Content-Encoding",
  "x-content-type-options": "nosniff",
};

/** A request, and where its answer goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The headers by which a browser lets a page read the answer. */
  readonly accessHeaders: Headers;
  /** Ends a stream between two events. */
  readonly signal: AbortSignal;
}

/** Sends an answer. Never rejects because of a client. */
export async function send(
  answer: Answer,
  { request, response, accessHeaders, signal }: Exchange,
): Promise<void> {
  const compress = answer.canCompress && readWeight(request.headers["accept-encoding"], "gzip") > 0;
  const vary = [answer.headers.vary, "origin"].filter((name) => name !== undefined).join(", ");
  const headers = { ...COMMON_HEADERS, ...accessHeaders, ...answer.headers, vary };
  response.writeHead(answer.status, { ...headers, ...(compress && { "content-encoding": "gzip" }) });
  if (request.method === "HEAD") return void response.end();
  if (!compress) return sendPieces(answer, response, signal);
  const body = Readable.from(answer.pieces(signal), { highWaterMark: 1 });
  // A client may disconnect early; that is not an error of the server.
  return pipeline(body, createGzip(), response).catch(() => undefined);
}

/** Sends all pieces and ends the answer. Returns early if the client disconnects. */
async function sendPieces(answer: Answer, response: ServerResponse, signal: AbortSignal): Promise<void> {
  for await (const piece of answer.pieces(signal)) {
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
    const finish = (): void => {
      response.off("drain", finish);
      response.off("close", finish);
      resolve();
    };
    response.on("drain", finish);
    response.on("close", finish);
  });
}

/**
 * The milliseconds between the last byte and the break of a connection. When a stream fails, browsers drop what the page
 * has not read yet, so a busy page would get no further with any connection.
 */
const BREAK_DELAY_MS = 50;

/** Breaks the connection after what was written so far is sent. */
async function breakConnection(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => response.write("", () => resolve()));
  await setTimeout(BREAK_DELAY_MS);
  response.destroy();
}
