/** Answers requests that are not HTTP, too large or never complete. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Limits } from "./limits.js";
import { problemBody } from "./problem.js";
import { CORS } from "./send.js";

/** Milliseconds that a client gets to read the answer. */
const READ_TIME = 500;

/** Sends an error and closes the connection. */
export function answerClientError(
  error: Error & { readonly code?: string; readonly rawPacket?: Buffer },
  socket: Duplex,
  limits: Limits,
): void {
  // Node reports every further piece of a refused request.
  if (socket.writableEnded) return;
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, message } = describeError(error, limits);
  const body = problemBody(status, message);
  const headers = { ...CORS, "content-type": "application/json", connection: "close" };
  const lines = Object.entries({ ...headers, "content-length": String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  // Further bytes are read and ignored: closing at once could discard the answer.
  socket.on("data", () => undefined);
  setTimeout(() => socket.destroy(), READ_TIME).unref();
}

function describeError(
  { code, rawPacket }: { readonly code?: string; readonly rawPacket?: Buffer },
  limits: Limits,
): { readonly status: number; readonly message: string } {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return { status: 408, message: "The request was not complete in time." };
  if (code !== "HPE_HEADER_OVERFLOW") return { status: 400, message: "This is not an HTTP/1.1 request." };
  if (rawPacket && !rawPacket.subarray(0, limits.headers).includes(0x0a))
    return { status: 414, message: urlTooLong(limits) };
  return { status: 431, message: `The request's headers are longer than ${limits.headers} bytes.` };
}

/** Returns the message about a URL that is too long. */
export function urlTooLong({ url }: Limits): string {
  return `The URL is longer than ${url} bytes.`;
}
