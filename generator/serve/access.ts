/**
 * Decides which requests are answered. Recordings may hold secrets, so pages of other sites may neither read them nor post
 * events: not with their own origin, and not with a name that leads to this machine (DNS rebinding).
 */
import { isIP } from "node:net";
import { type Headers, HttpError } from "./problem.js";

/** Who may send requests, besides programs of this machine and pages of loopback addresses. */
export interface AccessOptions {
  /** The address on which the server listens. */
  readonly host: string;
  /** Other names and addresses by which callers may call the server. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may send requests, such as `https://app.example`; `*` for all of them, without credentials. */
  readonly allowedOrigins?: readonly string[];
}

/** The headers of a request that decide about access. */
interface RequestOrigin {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/** Returns the headers by which a browser lets the page read the answer. Throws an `HttpError` if the request is refused. */
export type CheckAccess = (request: RequestOrigin) => Headers;

/** The headers of answers that the page of another origin must not read. */
const NO_SHARING: Headers = {};

/** Creates the check of a server. */
export function createAccessCheck(options: AccessOptions): CheckAccess {
  const { allowedOrigins = [] } = options;
  const isAllowedHost = createHostTest(options);
  return ({ host, origin }) => {
    if (host !== undefined && !isAllowedHost(readHostName(host)))
      throw new HttpError(
        "host-refused",
        `This server is not called ${JSON.stringify(host)}. Start it with --allow-host to permit that name.`,
      );
    if (origin === undefined) return NO_SHARING;
    if (isLoopbackOrigin(origin) || isOriginOf(origin, host) || allowedOrigins.includes(origin))
      return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
    if (allowedOrigins.includes("*")) return { "access-control-allow-origin": "*" };
    throw new HttpError(
      "origin-refused",
      `Pages of ${JSON.stringify(origin)} may not send requests. Start the server with --allow-origin to permit them.`,
    );
  };
}

/** Returns a test of the names by which callers may call the server. Other machines may use any address of this one. */
function createHostTest({ host, allowedHosts = [] }: AccessOptions): (name: string) => boolean {
  const names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
  const answersOthers = !isLoopback(host);
  return (name) => isLoopback(name) || names.has(name) || (answersOthers && isIP(name) !== 0);
}

/** Returns the name in a Host header, without its port and without brackets. */
function readHostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1");
}

function isLoopbackOrigin(origin: string): boolean {
  const url = parseOrigin(origin);
  return url !== undefined && isLoopback(readHostName(url.host));
}

/** Returns whether a page comes from the server itself. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  return host !== undefined && parseOrigin(origin)?.host === host.toLowerCase();
}

function parseOrigin(origin: string): URL | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined;
}

/** Returns whether a name leads to this machine for every resolver, or is an address that does. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
