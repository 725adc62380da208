/** Serves runs over HTTP. No path of a request reaches the file system. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Protocol } from "../protocol/protocol.js";
import { type AccessOptions, type CheckAccess, createAccessCheck } from "./access.js";
import { listActionRoutes } from "./action-routes.js";
import { type Answer, createEmptyAnswer, createErrorAnswer } from "./answer.js";
import { createAnswerFaults } from "./answer-faults.js";
import { answerClientError, createLongUrlError } from "./client-error.js";
import { type EventService, listEventRoutes } from "./event-routes.js";
import type { FaultPlan } from "./fault.js";
import { listFindingRoutes } from "./finding-routes.js";
import { LIMITS, type Limits } from "./limits.js";
import { createPlayback, type Pace } from "./play.js";
import { type Headers, HttpError } from "./problem.js";
import { createHoldTest } from "./questions.js";
import { receiveBody } from "./read-body.js";
import { createRouter, type Router } from "./router.js";
import type { Run } from "./run.js";
import { send } from "./send.js";
import { listSiteRoutes, type Site } from "./site-routes.js";
import { createWireFaults } from "./wire-faults.js";
import { WIRE_FORMATS, type WireFormatName } from "./wire-formats.js";

/** Options of the server. */
export interface ServeOptions {
  /** The protocols whose feeds are served, with or without runs. */
  readonly protocols: readonly Protocol[];
  /** The runs, with faults of events already applied. */
  readonly runs: readonly Run[];
  readonly format: WireFormatName;
  readonly pace: Pace;
  /** True if runs wait for the decisions of callers instead of going on as recorded; false by default. */
  readonly isInteractive?: boolean;
  /** The server applies only the faults of the wire and of answers. Faults of events are already in `runs`. */
  readonly faults?: FaultPlan;
  /** The page at `/`; without it `/` lists the paths. */
  readonly site?: Site;
  readonly limits?: Partial<Limits>;
  /** Who may send requests. */
  readonly access: AccessOptions;
}

/** A server that does not listen yet. */
interface EventServer {
  readonly http: Server;
  /** Ends streams between two events, and closes all connections. Resolves when they are closed. */
  close(): Promise<void>;
}

/** Creates a server. */
export function createEventServer(options: ServeOptions): EventServer {
  const limits = { ...LIMITS, ...options.limits };
  const plan = options.faults ?? { seed: 0, faults: [] };
  const isHeld = options.isInteractive ? createHoldTest(options.protocols) : undefined;
  const playback = createPlayback(options.runs, options.protocols, options.pace, isHeld);
  const service: EventService = {
    protocols: options.protocols,
    playback,
    format: WIRE_FORMATS[options.format],
    limits,
    findAnswerFault: createAnswerFaults(plan),
    createWireFaults: (key, name) => createWireFaults(plan, key, name),
  };
  const siteRoutes = listSiteRoutes(service, options.site ?? new Map(), options.pace.kind === "step");
  const router = createRouter(
    [...siteRoutes, ...listEventRoutes(service), ...listFindingRoutes(service), ...listActionRoutes(service)],
    service,
  );
  const abortControllers = new Set<AbortController>();
  const checkAccess = createAccessCheck(options.access);
  const http = createServer(
    {
      maxHeaderSize: limits.headers,
      requestTimeout: limits.idle,
      headersTimeout: limits.idle,
      noDelay: true,
    },
    (request, response) => void respond({ router, limits, checkAccess, abortControllers }, request, response),
  );
  http.timeout = limits.idle;
  http.maxConnections = limits.connections;
  http.on("clientError", (error, socket) => answerClientError(error, socket, limits));
  return {
    http,
    close: () => {
      playback.stop();
      return closeServer(http, abortControllers, limits.grace);
    },
  };
}

/**
 * Ends the responses that are being sent. Resolves when all connections are closed. After `grace` milliseconds it
 * closes those that are left.
 */
function closeServer(
  http: Server,
  abortControllers: ReadonlySet<AbortController>,
  grace: number,
): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => http.closeAllConnections(), grace);
    http.close(() => {
      clearTimeout(force);
      resolve();
    });
    for (const controller of abortControllers) controller.abort();
    http.closeIdleConnections();
  });
}

interface ServerState {
  readonly router: Router;
  readonly limits: Limits;
  readonly checkAccess: CheckAccess;
  /** One controller for each response that is being sent. Aborting it ends the response. */
  readonly abortControllers: Set<AbortController>;
}

async function respond(
  { router, limits, checkAccess, abortControllers }: ServerState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const controller = new AbortController();
  abortControllers.add(controller);
  response.on("error", () => undefined);
  response.on("close", () => {
    abortControllers.delete(controller);
    controller.abort();
  });
  let accessHeaders: Headers = {};
  const sendAnswer = (answer: Answer): Promise<void> =>
    send(answer, { request, response, accessHeaders, signal: controller.signal });
  const findAnswer = async (): Promise<Answer> => {
    const { method = "GET", url = "/", headers } = request;
    accessHeaders = checkAccess(headers);
    if (url.length > limits.url) throw createLongUrlError(limits);
    if (method === "OPTIONS") return createEmptyAnswer(OPTIONS_HEADERS);
    const routed = router(method, url, (name) => headers[name]?.toString());
    return routed.answer(routed.readsBody ? await receiveBody(request, limits.body) : new Uint8Array());
  };
  try {
    const answer = await findAnswer();
    // Ignores a body that the route does not read.
    request.resume();
    await sendAnswer(answer);
  } catch (error) {
    request.resume();
    if (response.headersSent) return void response.destroy();
    const problem = error instanceof HttpError ? error : new HttpError("server-failed", BUG_MESSAGE);
    await sendAnswer(createErrorAnswer(problem));
  }
}

const BUG_MESSAGE = "The server failed on this request. Please report this bug.";

const METHODS = "GET, HEAD, POST, OPTIONS";

/**
 * The headers of the answer to OPTIONS. Browsers send it to learn whether pages of other origins may send a request.
 */
const OPTIONS_HEADERS: Headers = {
  "access-control-allow-methods": METHODS,
  "access-control-allow-headers":
    "Accept, Authorization, Cache-Control, Content-Type, Last-Event-ID, X-Requested-With",
  "access-control-max-age": "600",
  allow: METHODS,
};
