/** Answers requests that are not valid HTTP, too large or incomplete. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { PROBLEM_HEADERS } from "./answer.js";
import type { Limits } from "./limits.js";
import { formatProblem, HttpError } from "./problem.js";
import { COMMON_HEADERS } from "./send.js";

/** Milliseconds that a client gets to read the answer. */
const READ_TIME_MS = 500;

/** An error that Node reports about the bytes of a request. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Sends an error and closes the connection. */
export function answerClientError(error: ClientError, socket: Duplex, limits: Limits): void {
  // Node reports every further piece of a refused request.
  if (socket.writableEnded) return;
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const problem = describeError(error, limits);
  const body = formatProblem(problem);
  const length = String(Buffer.byteLength(body));
  const headers = {
    ...COMMON_HEADERS,
    ...PROBLEM_HEADERS,
    connection: "close",
    "content-length": length,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n${body}`);
  // Further bytes are read and ignored, because closing the connection at once could discard the answer.
  socket.on("data", () => undefined);
  setTimeout(() => socket.destroy(), READ_TIME_MS).unref();
}

function describeError({ code, rawPacket }: ClientError, limits: Limits): HttpError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new HttpError("request-timeout", "The request was not complete in time.");
  if (code !== "HPE_HEADER_OVERFLOW")
    return new HttpError("request-malformed", "This is not an HTTP/1.1 request.");
  if (rawPacket && !rawPacket.subarray(0, limits.headers).includes(0x0a)) return createLongUrlError(limits);
  return new HttpError("headers-too-large", `The request's headers are longer than ${limits.headers} bytes.`);
}

/** Returns the error for a URL that is too long. */
export function createLongUrlError({ url }: Limits): HttpError {
  return new HttpError("url-too-long", `The URL is longer than ${url} bytes.`, {
    headers: { connection: "close" },
  });
}
