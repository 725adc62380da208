/** Serves runs over HTTP. Everything comes in as data; no path of a request ever reaches a file system. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Protocol } from "../protocol/protocol.js";
import { answerFaults } from "./answer-faults.js";
import { answerClientError, tooLong } from "./client-error.js";
import { type EventService, eventRoutes } from "./event-routes.js";
import { type FaultPlan, settingsOf } from "./fault.js";
import { LIMITS, type Limits } from "./limits.js";
import { createPlay, type Pace } from "./play.js";
import { Problem } from "./problem.js";
import { createRouter, type Router } from "./router.js";
import type { Run } from "./run.js";
import { CORS, send, sendProblem } from "./send.js";
import { SHAPES, type ShapeName } from "./shapes.js";
import { type Site, siteRoutes } from "./site-routes.js";
import { wireFaults } from "./wire-faults.js";

/** What is served and how. */
export interface ServeOptions {
  /** Every protocol whose feed is offered, with runs or without. */
  readonly protocols: readonly Pick<Protocol, "id" | "stream">[];
  /** The runs, faults of events already in them. */
  readonly runs: readonly Run[];
  readonly shape: ShapeName;
  readonly pace: Pace;
  /** What goes wrong on the wire and in answers. */
  readonly faults?: FaultPlan;
  /** The page at `/`; without it `/` lists the paths. */
  readonly site?: Site;
  readonly limits?: Partial<Limits>;
}

/** A server that does not listen yet. */
interface EventServer {
  readonly http: Server;
  /** Ends streams between two events, then everything else; resolves when all connections are closed. */
  close(): Promise<void>;
}

/** Makes the server. */
export function createEventServer(options: ServeOptions): EventServer {
  const limits = { ...LIMITS, ...options.limits };
  const plan = options.faults ?? { seed: 0, faults: [] };
  const play = createPlay(options.runs, options.pace);
  const service: EventService = {
    protocols: options.protocols,
    play,
    shape: SHAPES[options.shape],
    limits,
    answerFaults: plan.faults.length > 0 ? answerFaults(plan) : undefined,
    wireFaults: (key, name) =>
      settingsOf(plan, "wire", key).length > 0 ? wireFaults(plan, key, name) : undefined,
  };
  const site = siteRoutes(service, options.site ?? new Map(), options.pace.kind === "step");
  const router = createRouter([...site, ...eventRoutes(service)], service);
  const open = new Set<AbortController>();
  const http = createServer(
    {
      maxHeaderSize: limits.headers,
      requestTimeout: limits.idle,
      headersTimeout: limits.idle,
      noDelay: true,
    },
    (request, response) => void respond({ router, limits, open }, request, response),
  );
  http.timeout = limits.idle;
  http.maxConnections = limits.connections;
  http.on("clientError", (error, socket) => answerClientError(error, socket, limits));
  return {
    http,
    close: () => {
      play.stop();
      return closed(http, open, limits.grace);
    },
  };
}

/** Ends what is being sent; resolves when the last connection is closed, by force after `grace` milliseconds. */
function closed(http: Server, open: ReadonlySet<AbortController>, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => http.closeAllConnections(), grace);
    http.close(() => {
      clearTimeout(force);
      resolve();
    });
    for (const one of open) one.abort();
    http.closeIdleConnections();
  });
}

interface Serving {
  readonly router: Router;
  readonly limits: Limits;
  /** The answers that are being sent. */
  readonly open: Set<AbortController>;
}

async function respond(
  { router, limits, open }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const controller = new AbortController();
  open.add(controller);
  response.on("error", () => undefined);
  response.on("close", () => {
    open.delete(controller);
    controller.abort();
  });
  // A body means nothing to any path here.
  request.resume();
  const { method = "GET", url = "/" } = request;
  try {
    if (url.length > limits.url) throw new Problem(414, tooLong(limits), { connection: "close" });
    if (method === "OPTIONS") return allowAll(response);
    const answer = router(method, url, (name) => request.headers[name]?.toString());
    await send(answer, request, response, controller.signal);
  } catch (error) {
    if (error instanceof Problem) return sendProblem(response, error.status, error.message, error.headers);
    sendProblem(response, 500, "The server failed on this request; please report it.");
  }
}

function allowAll(response: ServerResponse): void {
  response.writeHead(204, {
    ...CORS,
    "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
    "access-control-allow-headers": "*",
    "access-control-max-age": "600",
    allow: "GET, HEAD, POST, OPTIONS",
  });
  response.end();
}
