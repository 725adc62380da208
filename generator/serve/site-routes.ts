/** The routes besides events: health, the list of runs, stepping, and the files of the page. */

import { resolveEndpoints } from "../protocol/endpoints.js";
import type { Answer, Request, Route, SiteFile } from "./answer.js";
import { pathOf, runSegments } from "./endpoints.js";
import type { EventService } from "./event-routes.js";
import type { PlayedRun } from "./play.js";
import { Problem } from "./problem.js";
import { parseWholeNumber, quote, readParameter } from "./query.js";

/** The files of the page by path, which begins with `/`. */
export type Site = ReadonlyMap<string, SiteFile>;

/** Yields these routes with the segments of their paths. */
export function* siteRoutes(
  service: EventService,
  site: Site,
  stepping: boolean,
): Generator<readonly [segments: string[], route: Route]> {
  const runs = (): unknown[] => service.play.runs.map((played) => describeRun(service, played));
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
  if (!site.has("/")) yield [[""], json(() => listPaths(service))];
  for (const [path, file] of site)
    yield [path.slice(1).split("/"), { method: "GET", answer: () => ({ kind: "file", ...file }) }];
}

function listPaths({ protocols }: EventService): unknown {
  const feeds = protocols.flatMap(({ id }) => [`/${id}/events`, `/${id}/events/stream`]);
  return { object: "server", paths: ["/health", "/runs", ...feeds] };
}

function describeRun({ protocols }: EventService, { run, log }: PlayedRun): unknown {
  const { protocol: id, key, fields, events } = run;
  const protocol = protocols.find((one) => one.id === id) ?? { id };
  const segments = runSegments(resolveEndpoints(protocol), run);
  const paths = { events: pathOf([...segments, "events"]), stream: pathOf([...segments, "stream"]) };
  const progress = { events: events.length, released: log.entries.length, finished: log.isFinished() };
  return { protocol: id, run: key, fields, ...progress, paths };
}

/** The largest number of events that one request can release. */
const MAX_STEPS = 1_000_000;

function step({ play }: EventService, stepping: boolean, { parameters }: Request): Answer {
  if (!stepping) throw new Problem(409, "Events do not wait for steps; start the server with --step.");
  const key = readParameter(parameters, "run");
  const runs = play.runs.filter(({ run }) => key === undefined || run.key === key);
  if (runs.length === 0) throw new Problem(404, `There is no run ${quote(key ?? "")}; GET /runs lists them.`);
  const count = parseWholeNumber("count", readParameter(parameters, "count"), 1, MAX_STEPS) ?? 1;
  const released = play.step(key, count);
  const left = runs.reduce((sum, { run, log }) => sum + run.events.length - log.entries.length, 0);
  const data = released.map(({ run, event, cursor }) => ({
    run: run.key,
    sequence: cursor,
    type: event.type,
  }));
  return { kind: "json", value: { object: "step", data, left } };
}
