/** Finds the answer to a request. A path is compared segment by segment with those that exist; nothing else is read. */
import type { Answer, Request, Route } from "./answer.js";
import { endpointsOf, pathOf, runSegments } from "./endpoints.js";
import type { EventService } from "./event-routes.js";
import { Problem } from "./problem.js";
import { decoded, quoted, readParameters, refuseUnknown } from "./query.js";

/** Answers a request, or throws a Problem. */
export type Router = (method: string, target: string, header: (name: string) => string | undefined) => Answer;

/** A router over these routes. */
export function createRouter(
  routes: Iterable<readonly [segments: readonly string[], route: Route]>,
  service: EventService,
): Router {
  const table = new Map<string, Route>();
  for (const [segments, route] of routes) table.set(JSON.stringify(segments), route);
  return (method, target, header) => {
    // A proxy's client names the host in the request line, too.
    const local = target.replace(/^https?:\/\/[^/?#]*/i, "");
    const [path = "", search = ""] = splitAt(local, "?");
    if (!path.startsWith("/"))
      throw new Problem(400, "The request's target must be a path that begins with /.");
    const segments = path.slice(1).split("/").map(decoded);
    const route = table.get(JSON.stringify(segments));
    if (!route) throw new Problem(404, missing(segments, service));
    if (method !== route.method && !(method === "HEAD" && route.method === "GET"))
      throw new Problem(405, `${quoted(path)} takes ${route.method}, not ${quoted(method)}.`, {
        allow: route.method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS",
      });
    const parameters = readParameters(search);
    if (route.parameters) refuseUnknown(path, parameters, route.parameters);
    const request: Request = { path, parameters, header };
    return route.answer(request);
  };
}

/** Why there is nothing: a run that is not there, one that is elsewhere, or a path of no meaning. */
function missing(segments: readonly string[], { protocols, play }: EventService): string {
  const path = quoted(pathOf(segments));
  const end = segments.at(-1);
  if (end !== "events" && end !== "stream") return `There is nothing at ${path}; GET / says what there is.`;
  for (const protocol of protocols) {
    const form = [...protocol.id.split("/"), ...endpointsOf(protocol).stream.split("/")];
    if (form.length !== segments.length - 1) continue;
    if (!form.every((part, index) => part.startsWith("{") || part === segments[index])) continue;
    const known = play.runs.find(
      ({ run }) => run.protocol === protocol.id && segments.slice(0, -1).join("/").endsWith(`/${run.key}`),
    );
    const key = quoted(segments.at(-2) ?? "");
    return known
      ? `The run ${key} is at ${pathOf([...runSegments(endpointsOf(protocol), known.run), end])}, not at ${path}.`
      : `There is no run ${key} at ${path}; GET /runs lists them.`;
  }
  return `There is nothing at ${path}; GET / says what there is.`;
}

function splitAt(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}
