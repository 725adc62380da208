import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Answer } from "./answer.js";
import { pagePieces } from "./list.js";
import { problemBody } from "./problem.js";
import { pump } from "./pump.js";
import { weightOf } from "./query.js";
import { type Piece, streamPieces } from "./stream.js";

/** Allows pages of all origins to read answers: recordings are not secret. */
export const CORS: { readonly [name: string]: string } = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
};

const JSON_TYPE = "application/json";

/** Sends an answer no faster than the client reads. `signal` ends a stream between two events. */
export async function send(
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const compress = canCompress(answer) && weightOf(request.headers["accept-encoding"], "gzip") > 0;
  const headers = headersOf(answer);
  response.writeHead(answer.kind === "nothing" ? 204 : 200, {
    ...CORS,
    "x-content-type-options": "nosniff",
    ...headers,
    ...(compress && { "content-encoding": "gzip" }),
  });
  if (request.method === "HEAD") return void response.end();
  const pieces = piecesOf(answer, signal);
  if (!compress) return pump(response, pieces, signal);
  // A client may disconnect early; that is not an error of the server.
  return pipeline(Readable.from(pieces, { highWaterMark: 1 }), createGzip(), response).catch(() => undefined);
}

/** Streams are not compressed: an event must not wait in a compressor for the next one. */
function canCompress({ kind }: Answer): boolean {
  return kind === "page" || kind === "file";
}

function headersOf(answer: Answer): { readonly [name: string]: string } {
  switch (answer.kind) {
    case "nothing":
      return { "cache-control": "no-store" };
    case "json":
      return { "content-type": JSON_TYPE, "cache-control": "no-store" };
    case "page":
      return { "content-type": JSON_TYPE, "cache-control": "no-store", vary: "accept, accept-encoding" };
    case "file":
      return {
        "content-type": answer.type,
        "cache-control": "no-cache",
        vary: "accept-encoding",
        ...answer.headers,
      };
    case "stream":
      return {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no",
        vary: "accept",
      };
  }
}

function piecesOf(answer: Answer, signal: AbortSignal): AsyncIterable<Piece> | Iterable<Piece> {
  switch (answer.kind) {
    case "nothing":
      return [];
    case "json":
      return [Buffer.from(`${JSON.stringify(answer.value)}\n`)];
    case "page":
      return pagePieces(answer.page);
    case "file":
      return [answer.body];
    case "stream":
      return streamPieces(answer.stream, signal);
  }
}

/** Sends an error as JSON. Breaks the connection if an answer has begun. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  message: string,
  headers: { readonly [name: string]: string } = {},
): void {
  if (response.headersSent) return void response.destroy();
  const body = Buffer.from(problemBody(status, message));
  response.writeHead(status, {
    ...CORS,
    "content-length": String(body.length),
    "content-type": JSON_TYPE,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(body);
}
