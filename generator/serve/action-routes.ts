/** The routes with which callers change runs. Each protocol declares its own in protocol.json. */
import { resolveEndpoints } from "../protocol/endpoints.js";
import { createValidators } from "../validators/protocol-validators.js";
import type { Request, Route, RouteSegments } from "./answer.js";
import { listArtifactRoutes } from "./artifact-routes.js";
import { answerDecision, answerQuestionList } from "./decide.js";
import type { EventService } from "./event-routes.js";
import { answerPostedEvent, type RunContext } from "./post-event.js";
import { decodeUrlPart } from "./query.js";
import { listRunSegments } from "./run.js";

/** Yields the routes of all actions. */
export function* listActionRoutes(service: EventService): Generator<readonly [RouteSegments, Route]> {
  const { protocols, playback } = service;
  for (const protocol of protocols) {
    if (!protocol.actions) continue;
    const { post = [], decisions = [], artifacts } = protocol.actions;
    const runs = playback.runs.filter(({ run }) => run.protocol === protocol.id);
    const validators = createValidators(protocol);
    const endpoints = resolveEndpoints(protocol);
    if (artifacts) yield* listArtifactRoutes({ protocol, action: artifacts, runs, validators, playback });
    for (const played of runs) {
      const context = { protocol, validators, playback, played };
      const segments = listRunSegments(endpoints, played.run);
      const createPostRoute = (answer: Route["answer"]): Route => ({
        method: "POST",
        readsBody: true,
        parameters: [],
        answer(request) {
          playback.start([played]);
          return answer(request);
        },
      });
      if (post.length > 0)
        yield [
          [...segments, "events"],
          createPostRoute((request) => answerPostedEvent(context, post, request)),
        ];
      for (const action of decisions) {
        const answer = (request: Request) =>
          answerDecision(context, action, readLastSegment(request), request);
        yield [[...segments, action.path, null], createPostRoute(answer)];
        yield [[...segments, action.path], createListRoute(context, action)];
      }
    }
  }
}

function createListRoute(context: RunContext, action: Parameters<typeof answerQuestionList>[1]): Route {
  return { method: "GET", parameters: [], answer: () => answerQuestionList(context, action) };
}

function readLastSegment({ path }: Request): string {
  return decodeUrlPart(path.split("/").at(-1) ?? "");
}
