/** The HTTP server of a monitor: takes batches of events, and answers what is known of the monitor. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../failure.js";
import { createDocumentReader } from "../ingest/document-reader.js";
import { createLineReader } from "../ingest/line-reader.js";
import { type Input, READ_LIMITS, type Sink } from "../ingest/place.js";
import { createFullShare } from "../ingest/stream-share.js";
import { getErrorCode } from "../io.js";
import { type Json, parseJson } from "../json.js";
import { createAccessCheck } from "../serve/access.js";
import { formatProblem, HttpError } from "../serve/problem.js";
import { receiveBody } from "../serve/read-body.js";
import { formatCount } from "../text.js";
import { readLogBodies } from "./otlp-logs.js";

/** The limits of the server with their outcomes. */
export const LIMITS = {
  /** Bytes of a body; a larger one is answered 413. */
  body: 16 * 2 ** 20,
  /** Batches that are received, or that wait until the state is saved; a further one is answered 429. */
  batches: 32,
  /** Milliseconds after which a request that is not complete is answered 408. */
  request: 60_000,
  /** Open connections; further ones are refused. */
  connections: 1_000,
};

/** The address at which a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** What the server needs to know of the monitor. */
interface Monitored {
  readonly input: Input;
  readonly sink: Sink;
  /** Counts lines of all batches, so that their numbers differ. */
  readonly position: { lines: number; offset: number };
  /** Returns how many values were checked, and how many findings there were. */
  getCounts(): { readonly events: number; readonly findings: number };
  /** Resolves when everything that was checked is saved. */
  commit(): Promise<void>;
  isReady(): boolean;
  formatMetrics(): Promise<{ readonly type: string; readonly text: string }>;
}

/** A server that listens. */
interface MonitorServer {
  readonly url: string;
  /** Answers the requests that were received, and closes all connections. */
  close(): Promise<void>;
}

/** Starts the server. */
export async function startServer(
  { host, port }: ListenAddress,
  monitored: Monitored,
): Promise<MonitorServer> {
  const checkAccess = createAccessCheck({ host });
  let batches = 0;
  const postBatch = async (request: IncomingMessage, read: ReadBatch): Promise<Answer> => {
    if (batches >= LIMITS.batches)
      throw new HttpError("requests-too-many", `More than ${LIMITS.batches} batches are not finished.`, {
        headers: { "retry-after": "1" },
      });
    batches++;
    try {
      const body = Buffer.from(await receiveBody(request, LIMITS.body));
      const before = monitored.getCounts();
      const answer = read(request, body, monitored);
      const after = monitored.getCounts();
      await monitored.commit();
      const counts = { events: after.events - before.events, findings: after.findings - before.findings };
      return { status: 200, type: "application/json", text: `${JSON.stringify(answer ?? counts)}\n` };
    } finally {
      batches--;
    }
  };
  const routes: { readonly [route: string]: (request: IncomingMessage) => Answer | Promise<Answer> } = {
    "GET /health": () => plain(200, "ok\n"),
    "GET /ready": () => (monitored.isReady() ? plain(200, "ready\n") : plain(503, "not ready\n")),
    "GET /metrics": async () => ({ status: 200, ...(await monitored.formatMetrics()) }),
    "POST /events": (request) => postBatch(request, readEvents),
    "POST /v1/logs": (request) => postBatch(request, readLogs),
  };
  const paths = new Set(Object.keys(routes).map((route) => route.split(" ")[1]));
  const findAnswer = async (request: IncomingMessage): Promise<Answer> => {
    checkAccess(request.headers);
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const route = `${request.method === "HEAD" ? "GET" : request.method} ${pathname}`;
    if (Object.hasOwn(routes, route)) return (routes[route] as (typeof routes)[string])(request);
    if (paths.has(pathname))
      throw new HttpError("method-unsupported", `${pathname} does not take ${request.method}.`);
    throw new HttpError("path-unknown", `There are ${[...paths].join(", ")}.`);
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on("error", () => undefined);
    const answer = await findAnswer(request).catch((error: unknown): Answer => {
      const problem =
        error instanceof HttpError
          ? error
          : new HttpError("server-failed", "The monitor failed on this request.");
      return { ...problem, type: "application/problem+json", text: formatProblem(problem) };
    });
    // Ignores a body that was not read.
    request.resume();
    response.writeHead(answer.status, {
      "content-type": answer.type,
      "content-length": Buffer.byteLength(answer.text),
      ...answer.headers,
    });
    response.end(request.method === "HEAD" ? undefined : answer.text);
  };
  const server = createServer(
    { requestTimeout: LIMITS.request, headersTimeout: LIMITS.request },
    (request, response) => void respond(request, response),
  );
  server.maxConnections = LIMITS.connections;
  server.listen(port, host);
  await once(server, "listening").catch((error: unknown) => {
    const reason = getErrorCode(error) === "EADDRINUSE" ? `Port ${port} of ${host} is in use.` : undefined;
    throw reason === undefined ? error : new UsageError(reason);
  });
  return { url: formatUrl(server), close: () => closeServer(server) };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: { readonly [name: string]: string };
}

/** Checks the values of a body. Returns the body of the answer; the counts by default. */
type ReadBatch = (request: IncomingMessage, body: Buffer, monitored: Monitored) => object | undefined;

function plain(status: number, text: string): Answer {
  return { status, type: "text/plain; charset=utf-8", text };
}

const LINES_TYPE = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|jsonlines)$/i;

function readEvents(request: IncomingMessage, body: Buffer, { input, sink, position }: Monitored): undefined {
  const type = readContentType(request);
  const isLines = LINES_TYPE.test(type);
  if (!isLines && !/^application\/json$/i.test(type))
    throw new HttpError(
      "media-type-unsupported",
      "The content-type must be application/x-ndjson for JSON Lines, or application/json for one event or a list of events.",
    );
  // A body of JSON counts as one line for each event.
  const values = { count: 0 };
  const counted: Sink = {
    ...sink,
    acceptValue(value, place, content) {
      values.count++;
      sink.acceptValue(value, isLines ? place : movePlace(place, position.lines + values.count), content);
    },
  };
  const reader = isLines
    ? createLineReader(input, counted, READ_LIMITS, createFullShare(), 0, position.lines + 1)
    : createDocumentReader(input, counted, READ_LIMITS, 0);
  reader.push(body);
  reader.end();
  position.lines += isLines ? countLines(body) : values.count;
}

type Place = Parameters<Sink["acceptValue"]>[1];

/** Returns a place with another line. */
function movePlace(place: Place, line: number): Place {
  return Object.create(place, {
    line: { value: line },
    locateOffset: {
      value: (offset: number) => ({ ...place.locateOffset(offset), line }),
    },
  });
}

const LF = 0x0a;

/** Counts the lines of a body, whose last one may have no end. */
function countLines(body: Buffer): number {
  let ends = 0;
  for (const byte of body) if (byte === LF) ends++;
  return body.at(-1) === LF ? ends : ends + 1;
}

/** Checks the bodies of log records. */
function readLogs(request: IncomingMessage, body: Buffer, { input, sink, position }: Monitored): object {
  if (!/^application\/json$/i.test(readContentType(request)))
    throw new HttpError(
      "media-type-unsupported",
      "The content-type must be application/json (OTLP/HTTP with JSON).",
    );
  const bodies = readLogBodies(parseBody(body));
  if (bodies === undefined) throw new HttpError("body-malformed", "The body has no list resourceLogs.");
  let unreadable = 0;
  for (const text of bodies) {
    position.lines++;
    if (parseJson(text) === undefined) unreadable++;
    const lines = createLineReader(input, sink, READ_LIMITS, createFullShare(), 0, position.lines);
    // One text of several lines would be several events.
    const bytes = Buffer.from(text.replace(/[\r\n]/g, " "));
    lines.push(bytes);
    lines.end();
  }
  if (unreadable === 0) return {};
  const errorMessage = `The bodies of ${formatCount(unreadable, "log record")} are not JSON.`;
  return { partialSuccess: { rejectedLogRecords: String(unreadable), errorMessage } };
}

function parseBody(body: Buffer): Json {
  const value = parseJson(body.toString("utf8"));
  if (value === undefined) throw new HttpError("body-malformed", "The body is not JSON.");
  return value;
}

/** Returns the media type of the body, without parameters. */
function readContentType({ headers }: IncomingMessage): string {
  if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity")
    throw new HttpError("media-type-unsupported", "The body must not be compressed.");
  return (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 2000).unref();
  });
}

function formatUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
