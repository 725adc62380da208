import type { Json } from "../json.js";
import { createPendingRequests, type PendingRequests } from "./pending-requests.js";
import type { AdapterAccess, Transport } from "./transport.js";

/**
 * The end of a connection. `ended` and `silent` may be caused by the consumer. `unstarted` means that the adapter ended or
 * was silent before it answered its first request, `protocol` that it sent something other than the expected messages.
 */
export class AdapterFault extends Error {
  override name = "AdapterFault";
  constructor(
    readonly kind: "ended" | "silent" | "unstarted" | "protocol",
    message: string,
  ) {
    super(message);
  }
}

/** A connection to an adapter that answers requests. */
export interface Connection {
  /** Queues a request. `params` is JSON text. The promise is rejected with an ErrorAnswer, or with the AdapterFault that ended the connection. */
  request(method: string, params: string): Promise<Json>;
  /** Sends the queued requests at once. */
  flush(): void;
  /** Returns why the connection ended; undefined while it is open. */
  fault(): AdapterFault | undefined;
  /** Ends the connection, and the adapter if it is a process of the kit. */
  close(): void;
}

/** The number of characters after which queued requests are sent. */
const MAX_QUEUED = 1024 * 1024;

/** The time for the first answer, as a multiple of the time for others: programs take longer to start than to answer. */
const START_FACTOR = 10;

/** Opens a connection to an adapter. */
export function openConnection(access: AdapterAccess): Connection {
  const pending = createPendingRequests();
  const queue = createRequestQueue();
  let fault: AdapterFault | undefined;
  const timer = createSilenceTimer(access, pending, (message) =>
    fail("silent", message + transport.describeRest()),
  );

  const fail = (kind: AdapterFault["kind"], message: string): void => {
    if (fault !== undefined) return;
    const isUnstarted = kind !== "protocol" && pending.firstId() === 1;
    fault = new AdapterFault(isUnstarted ? "unstarted" : kind, message);
    timer.stop();
    transport.close();
    pending.rejectAll(fault);
  };
  const transport: Transport = access.openTransport({
    takeAnswer(answer) {
      if (fault !== undefined) return;
      const problem = pending.resolveRequest(answer);
      if (problem !== undefined) fail("protocol", problem);
      else if (pending.count() > queue.count()) timer.start();
      else timer.stop();
    },
    expectAnswers(count) {
      if (pending.firstId() <= count)
        fail("protocol", `The response of the adapter has no answer to ${pending.describe()}`);
    },
    end: (event) =>
      fail(
        "ended",
        `The adapter ${event} before it answered ${pending.describe()}${transport.describeRest()}`,
      ),
    refuse: (message) => fail("protocol", message),
  });
  const flush = (): void => {
    if (queue.count() === 0 || fault !== undefined) return;
    transport.send(queue.takeAll());
    timer.start();
  };
  return {
    request(method, params) {
      if (fault !== undefined) return Promise.reject(fault);
      const { id, result } = pending.add(method);
      queue.add(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
      if (queue.length() > MAX_QUEUED) flush();
      return result;
    },
    flush,
    fault: () => fault,
    close: () => fail("ended", "The connection was closed"),
  };
}

/** The requests that were not sent yet. */
interface RequestQueue {
  add(request: string): void;
  takeAll(): readonly string[];
  count(): number;
  /** Returns the number of characters of all requests. */
  length(): number;
}

function createRequestQueue(): RequestQueue {
  let requests: string[] = [];
  let length = 0;
  return {
    add(request) {
      requests.push(request);
      length += request.length;
    },
    takeAll() {
      const all = requests;
      requests = [];
      length = 0;
      return all;
    },
    count: () => requests.length,
    length: () => length,
  };
}

/** Measures how long the adapter has been silent. */
interface SilenceTimer {
  /** Starts to measure, again if it has already. */
  start(): void;
  stop(): void;
}

function createSilenceTimer(
  { timeout }: AdapterAccess,
  pending: PendingRequests,
  endSilent: (message: string) => void,
): SilenceTimer {
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      clearTimeout(timer);
      const isStarting = pending.firstId() === 1;
      const limit = isStarting ? START_FACTOR * timeout : timeout;
      const option = isStarting ? `${START_FACTOR} times --timeout` : "--timeout";
      timer = setTimeout(() => {
        endSilent(`The adapter did not answer ${pending.describe()} within ${limit / 1000} s (${option})`);
      }, limit);
    },
    stop: () => clearTimeout(timer),
  };
}
