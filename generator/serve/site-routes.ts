/** The routes beside events: health, the list of runs, stepping, and the files of a page that is handed in. */
import type { Answer, Request, Route, SiteFile } from "./answer.js";
import { endpointsOf, pathOf, runSegments } from "./endpoints.js";
import type { EventService } from "./event-routes.js";
import type { Played } from "./play.js";
import { Problem } from "./problem.js";
import { parameter, quoted, wholeNumber } from "./query.js";

/** The files of the page by path, each beginning with `/`. */
export type Site = ReadonlyMap<string, SiteFile>;

/** Every such route with the segments of its path. */
export function* siteRoutes(
  service: EventService,
  site: Site,
  stepping: boolean,
): Generator<readonly [segments: string[], route: Route]> {
  const runs = (): unknown[] => service.play.runs.map((played) => runFacts(service, played));
  const json = (value: () => unknown): Route => ({
    method: "GET",
    answer: () => ({ kind: "json", value: value() }),
  });
  yield [["health"], json(() => ({ status: "ok", runs: service.play.runs.length }))];
  yield [["runs"], { ...json(() => ({ object: "list", data: runs() })), parameters: [] }];
  yield [
    ["step"],
    { method: "POST", parameters: ["run", "count"], answer: (request) => step(service, stepping, request) },
  ];
  if (!site.has("/")) yield [[""], json(() => contents(service))];
  for (const [path, file] of site)
    yield [path.slice(1).split("/"), { method: "GET", answer: () => ({ kind: "file", ...file }) }];
}

function contents({ protocols }: EventService): unknown {
  const feeds = protocols.flatMap(({ id }) => [`/${id}/events`, `/${id}/events/stream`]);
  return { object: "server", paths: ["/health", "/runs", ...feeds] };
}

function runFacts({ protocols }: EventService, { run, log }: Played): unknown {
  const { protocol: id, key, fields, events } = run;
  const protocol = protocols.find((one) => one.id === id) ?? { id };
  const segments = runSegments(endpointsOf(protocol), run);
  const paths = { events: pathOf([...segments, "events"]), stream: pathOf([...segments, "stream"]) };
  const progress = { events: events.length, released: log.entries.length, finished: log.finished() };
  return { protocol: id, run: key, fields, ...progress, paths };
}

/** The most events that one request may let go. */
const MOST_STEPS = 1_000_000;

function step({ play }: EventService, stepping: boolean, { parameters }: Request): Answer {
  if (!stepping) throw new Problem(409, "The events come by themselves; start the server with --step.");
  const key = parameter(parameters, "run");
  const known = play.runs.filter(({ run }) => key === undefined || run.key === key);
  if (known.length === 0)
    throw new Problem(404, `There is no run ${quoted(key ?? "")}; GET /runs lists them.`);
  const count = wholeNumber("count", parameter(parameters, "count"), 1, MOST_STEPS) ?? 1;
  const gone = play.step(key, count);
  const left = known.reduce((sum, { run, log }) => sum + run.events.length - log.entries.length, 0);
  const data = gone.map(({ run, event, cursor }) => ({ run: run.key, sequence: cursor, type: event.type }));
  return { kind: "json", value: { object: "step", data, left } };
}
