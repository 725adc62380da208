/** Answers to requests as data. Handlers create them, and `send` writes them. */
import { formatProblem, type Headers, type HttpError } from "./problem.js";

/** One thing that the server does on a connection: it sends bytes, waits, or breaks the connection. */
export type Piece =
  | Uint8Array
  /** Waits for some milliseconds. */
  | { readonly pause: number }
  /** Breaks the connection. */
  | "cut";

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** True if the answer may be compressed. An event of a stream must not wait in a compressor for the next one. */
  readonly canCompress: boolean;
  /** Returns the body. `signal` ends a stream between two events. */
  pieces(signal: AbortSignal): Iterable<Piece> | AsyncIterable<Piece>;
}

/** The decoded parameters of a URL in their order. */
export type Parameters = readonly (readonly [name: string, value: string])[];

/** The parts of a request that handlers use. */
export interface Request {
  /** The path, still encoded. */
  readonly path: string;
  readonly parameters: Parameters;
  header(name: string): string | undefined;
  /** The bytes of the body; empty if the route does not read it. */
  readonly body: Uint8Array;
}

/** The segments of a path, not encoded. Null stands for any segment. */
export type RouteSegments = readonly (string | null)[];

/** The handler of one path and method. */
export interface Route {
  readonly method: "GET" | "POST";
  /** True if it reads the body of the request. */
  readonly readsBody?: boolean;
  /** The names of its parameters; any other one is refused. Without this list, parameters are ignored. */
  readonly parameters?: readonly string[];
  answer(request: Request): Answer;
}

/** The headers of all answers in JSON. */
export const JSON_HEADERS: Headers = { "content-type": "application/json", "cache-control": "no-store" };

/** Returns an answer without a body: status 204, which also states that a stream has ended. */
export function createEmptyAnswer(headers: Headers = {}): Answer {
  return {
    status: 204,
    headers: { "cache-control": "no-store", ...headers },
    canCompress: false,
    pieces: () => [],
  };
}

/** Returns an answer in JSON. */
export function createJsonAnswer(value: unknown, status = 200): Answer {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  const headers = { ...JSON_HEADERS, "content-length": String(body.length) };
  return { status, headers, canCompress: false, pieces: () => [body] };
}

/** The headers of all answers that report a problem. */
export const PROBLEM_HEADERS: Headers = { ...JSON_HEADERS, "content-type": "application/problem+json" };

/** Returns the answer that reports a problem. */
export function createErrorAnswer(error: HttpError): Answer {
  const body = Buffer.from(formatProblem(error));
  const headers = { ...PROBLEM_HEADERS, "content-length": String(body.length), ...error.headers };
  return { status: error.status, headers, canCompress: false, pieces: () => [body] };
}
