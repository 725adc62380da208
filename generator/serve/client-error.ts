/** Answers requests that are no HTTP at all, are too large, or never come to an end. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Limits } from "./limits.js";
import { problemBody } from "./problem.js";
import { CORS } from "./send.js";

/** Milliseconds that a client gets to read why it was refused. */
const FAREWELL = 500;

/** Says what is wrong and closes the connection. */
export function answerClientError(
  error: Error & { readonly code?: string; readonly rawPacket?: Buffer },
  socket: Duplex,
  limits: Limits,
): void {
  // What a refused client still sends is refused again, piece by piece.
  if (socket.writableEnded) return;
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, message } = reason(error, limits);
  const body = problemBody(status, message);
  const headers = { ...CORS, "content-type": "application/json", connection: "close" };
  const lines = Object.entries({ ...headers, "content-length": String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  // What it still sends is read and forgotten: closing at once would make the network drop our answer.
  socket.on("data", () => undefined);
  setTimeout(() => socket.destroy(), FAREWELL).unref();
}

function reason(
  { code, rawPacket }: { readonly code?: string; readonly rawPacket?: Buffer },
  limits: Limits,
): { readonly status: number; readonly message: string } {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return { status: 408, message: "The request did not come to its end in time." };
  if (code !== "HPE_HEADER_OVERFLOW") return { status: 400, message: "This is not an HTTP/1.1 request." };
  if (rawPacket && !rawPacket.subarray(0, limits.headers).includes(0x0a))
    return { status: 414, message: tooLong(limits) };
  return { status: 431, message: `The request's headers are longer than ${limits.headers} bytes.` };
}

/** The sentence about URLs that are too long. */
export function tooLong({ url }: Limits): string {
  return `The URL is longer than ${url} bytes.`;
}
