/** The routes to the findings about runs. */
import { resolveEndpoints } from "../protocol/endpoints.js";
import { createValidators } from "../validators/protocol-validators.js";
import { createJsonAnswer, type Route, type RouteSegments } from "./answer.js";
import { createRunCheck } from "./check-run.js";
import type { EventService } from "./event-routes.js";
import { listRunSegments } from "./run.js";

/** Yields a route for each run, with the segments of its path. */
export function* listFindingRoutes({
  playback,
  protocols,
}: EventService): Generator<readonly [RouteSegments, Route]> {
  const validators = protocols.map(createValidators);
  for (const { run, log } of playback.runs) {
    const own = validators.find(({ protocol }) => protocol.id === run.protocol);
    if (own === undefined) continue;
    const check = createRunCheck(own, log);
    const answer = () => {
      const { findings, checked, finished } = check();
      return createJsonAnswer({ object: "list", data: findings, checked, finished });
    };
    const segments = [...listRunSegments(resolveEndpoints(own.protocol), run), "findings"];
    yield [segments, { method: "GET", parameters: [], answer }];
  }
}
