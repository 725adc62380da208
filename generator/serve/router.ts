/** Finds the handler of a request. Paths are compared with a table, so that no request reaches the file system. */
import { resolveEndpoints } from "../protocol/endpoints.js";
import { type Answer, HttpError, type Request, type Route } from "./answer.js";
import type { EventService } from "./event-routes.js";
import { decode, quote, readParameters, refuseUnknown } from "./query.js";
import { formatPath, listRunSegments } from "./run.js";

/** Answers a request, or throws an HttpError. */
export type Router = (method: string, target: string, header: Request["header"]) => Answer;

/** Returns a router for these routes. */
export function createRouter(
  routes: Iterable<readonly [segments: readonly string[], route: Route]>,
  service: EventService,
): Router {
  const table = new Map<string, Route>();
  for (const [segments, route] of routes) table.set(JSON.stringify(segments), route);
  return (method, target, header) => {
    // Clients of a proxy send the whole URL.
    const local = target.replace(/^https?:\/\/[^/?#]*/i, "");
    const [, path = "", search = ""] = /^([^?]*)\??(.*)$/s.exec(local) ?? [];
    if (!path.startsWith("/"))
      throw new HttpError(400, "The request's target must be a path that begins with /.");
    const segments = path.slice(1).split("/").map(decode);
    const route = table.get(JSON.stringify(segments));
    if (!route) throw new HttpError(404, describeMissing(segments, service));
    if (method !== route.method && !(method === "HEAD" && route.method === "GET"))
      throw new HttpError(405, `${quote(path)} takes ${route.method}, not ${quote(method)}.`, {
        allow: route.method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS",
      });
    const parameters = readParameters(search);
    if (route.parameters) refuseUnknown(path, parameters, route.parameters);
    return route.answer({ path, parameters, header });
  };
}

/** Describes why a path does not exist: the run is unknown, has another path, or the path has no known form. */
function describeMissing(segments: readonly string[], { protocols, playback }: EventService): string {
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
