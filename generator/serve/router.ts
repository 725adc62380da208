/** Finds the handler of a request. Paths are compared with a table, so that no request reaches the file system. */
import { resolveEndpoints } from "../protocol/endpoints.js";
import type { Answer, Request, Route, RouteSegments } from "./answer.js";
import type { EventService } from "./event-routes.js";
import { HttpError } from "./problem.js";
import { decodeUrlPart, quote, readParameters, refuseUnknownParameters } from "./query.js";
import { formatPath, listRunSegments } from "./run.js";

/** A request whose handler is known. */
interface RoutedRequest {
  readonly readsBody: boolean;
  /** Answers the request, or throws an HttpError. */
  answer(body: Uint8Array): Answer;
}

/** Finds the handler of a request, or throws an HttpError. */
export type Router = (method: string, target: string, header: Request["header"]) => RoutedRequest;

/** Returns a router for these routes. */
export function createRouter(
  routes: Iterable<readonly [segments: RouteSegments, route: Route]>,
  service: EventService,
): Router {
  const table = new Map<string, Route[]>();
  for (const [segments, route] of routes) {
    const name = JSON.stringify(segments);
    table.set(name, [...(table.get(name) ?? []), route]);
  }
  return (method, target, header) => {
    // Clients of a proxy send the whole URL.
    const local = target.replace(/^https?:\/\/[^/?#]*/i, "");
    const [, path = "", search = ""] = /^([^?]*)\??(.*)$/s.exec(local) ?? [];
    if (!path.startsWith("/"))
      throw new HttpError("url-malformed", "The request's target must be a path that begins with /.");
    const segments = path.slice(1).split("/").map(decodeUrlPart);
    const candidates = findRoutes(table, segments);
    if (candidates.length === 0) throw new HttpError("path-unknown", describeUnknownPath(segments, service));
    const route = candidates.find((each) => each.method === (method === "HEAD" ? "GET" : method));
    if (!route) throw createMethodError(path, method, candidates);
    const parameters = readParameters(search);
    if (route.parameters) refuseUnknownParameters(path, parameters, route.parameters);
    return {
      readsBody: route.readsBody === true,
      answer: (body) => route.answer({ path, parameters, header, body }),
    };
  };
}

/** Returns the routes of a path: those with the same segments, or those with one segment that may be any. */
function findRoutes(
  table: ReadonlyMap<string, readonly Route[]>,
  segments: readonly string[],
): readonly Route[] {
  const exact = table.get(JSON.stringify(segments));
  if (exact) return exact;
  for (let index = segments.length - 1; index >= 0; index--) {
    const found = table.get(JSON.stringify(segments.map((segment, i) => (i === index ? null : segment))));
    if (found) return found;
  }
  return [];
}

function createMethodError(path: string, method: string, routes: readonly Route[]): HttpError {
  const methods = routes.map((route) => route.method);
  const message = `${quote(path)} takes ${methods.join(" and ")}, not ${quote(method)}.`;
  const allow = [...methods.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])), "OPTIONS"];
  return new HttpError("method-unsupported", message, { headers: { allow: allow.join(", ") } });
}

/** Describes why a path does not exist: the run is unknown, has another path, or the path has no known form. */
function describeUnknownPath(segments: readonly string[], { protocols, playback }: EventService): string {
  const path = quote(formatPath(segments));
  const notFound = `There is nothing at ${path}; GET / lists the paths.`;
  const end = segments.at(-1);
  if (end !== "events" && end !== "stream") return notFound;
  const runSegments = segments.slice(0, -1);
  for (const protocol of protocols) {
    const endpoints = resolveEndpoints(protocol);
    const form = [...protocol.id.split("/"), ...endpoints.stream.split("/")];
    if (form.length !== runSegments.length) continue;
    if (!form.every((part, index) => part.startsWith("{") || part === segments[index])) continue;
    const played = playback.runs.find(
      ({ run }) => run.protocol === protocol.id && runSegments.join("/").endsWith(`/${run.key}`),
    );
    const key = quote(runSegments.at(-1) ?? "");
    return played
      ? `The run ${key} is at ${formatPath([...listRunSegments(endpoints, played.run), end])}, not at ${path}.`
      : `There is no run ${key} at ${path}; GET /runs lists them.`;
  }
  return notFound;
}
