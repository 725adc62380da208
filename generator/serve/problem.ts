/** Problems with requests, as `application/problem+json` (RFC 9457) describes them. */
import { STATUS_CODES } from "node:http";

/** The codes of all problems with their HTTP status. Clients compare codes, so they never change. */
export const PROBLEM_STATUS = {
  "request-malformed": 400,
  "url-malformed": 400,
  "parameter-unknown": 400,
  "parameter-repeated": 400,
  "parameter-invalid": 400,
  "body-malformed": 400,
  "origin-refused": 403,
  "path-unknown": 404,
  "method-unsupported": 405,
  "request-timeout": 408,
  "state-conflict": 409,
  "branch-missing": 409,
  "body-too-large": 413,
  "url-too-long": 414,
  "media-type-unsupported": 415,
  "host-refused": 421,
  "body-invalid": 422,
  "requests-too-many": 429,
  "headers-too-large": 431,
  "server-failed": 500,
  "fault-injected": 500,
} as const;

/** The code of a problem. */
type ProblemCode = keyof typeof PROBLEM_STATUS;

/** One mistake in the body of a request. */
export interface BodyError {
  /** JSON pointer into the body. */
  readonly pointer: string;
  readonly message: string;
}

/** The headers of an answer. */
export type Headers = { readonly [name: string]: string };

interface ProblemDetails {
  readonly headers?: Headers;
  readonly errors?: readonly BodyError[];
}

/** An error about a request: a code, and a sentence that states how to fix the request. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly errors: readonly BodyError[];
  constructor(
    readonly code: ProblemCode,
    message: string,
    { headers = {}, errors = [] }: ProblemDetails = {},
  ) {
    super(message);
    this.status = PROBLEM_STATUS[code];
    this.headers = headers;
    this.errors = errors;
  }
}

/** Formats a problem as the body of its answer. */
export function formatProblem({ code, status, message, errors }: HttpError): string {
  const title = STATUS_CODES[status];
  const problem = { type: "about:blank", title, status, code, detail: message };
  return `${JSON.stringify({ ...problem, ...(errors.length > 0 && { errors }) })}\n`;
}
