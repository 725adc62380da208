import type { Json } from "../json.js";
import { formatCount } from "../text.js";
import type { Answer } from "./answer.js";

/** An error with which the adapter answered a request. */
export class ErrorAnswer extends Error {
  override name = "ErrorAnswer";
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The requests of a connection that have no answer yet. Their ids are 1, 2, 3 and so on. */
export interface PendingRequests {
  /** Adds a request and returns its id with the promise of its result. The promise is rejected with an ErrorAnswer or by `rejectAll`. */
  add(method: string): { readonly id: number; readonly result: Promise<Json> };
  /** Resolves or rejects the promise of the request that an answer belongs to. Returns a sentence without a full stop if there is none. */
  resolveRequest(answer: Answer): string | undefined;
  rejectAll(error: Error): void;
  count(): number;
  /** Returns the lowest id of a request without an answer; Infinity if all are answered. */
  firstId(): number;
  /** Names the first request without an answer. */
  describe(): string;
}

interface PendingRequest {
  readonly method: string;
  resolve(result: Json): void;
  reject(error: Error): void;
}

/** Creates a list without requests. */
export function createPendingRequests(): PendingRequests {
  const requests = new Map<number, PendingRequest>();
  let lastId = 0;
  let firstId = 1;
  return {
    add(method) {
      const id = ++lastId;
      const result = new Promise<Json>((resolve, reject) => requests.set(id, { method, resolve, reject }));
      return { id, result };
    },
    resolveRequest(answer) {
      const request = requests.get(answer.id);
      if (request === undefined) return describeSurplusAnswer(answer.id, lastId);
      requests.delete(answer.id);
      if ("result" in answer) request.resolve(answer.result);
      else request.reject(new ErrorAnswer(answer.error.code, answer.error.message));
      return undefined;
    },
    rejectAll(error) {
      for (const { reject } of requests.values()) reject(error);
      requests.clear();
    },
    count: () => requests.size,
    firstId() {
      // The first key of the map would take longer with each request that was deleted before it.
      while (firstId <= lastId && !requests.has(firstId)) firstId++;
      return firstId <= lastId ? firstId : Number.POSITIVE_INFINITY;
    },
    describe: () => describePending(requests),
  };
}

function describePending(requests: ReadonlyMap<number, PendingRequest>): string {
  const [first] = requests;
  if (first === undefined) return "the next request";
  const [id, { method }] = first;
  const others = requests.size > 1 ? ` and ${formatCount(requests.size - 1, "later request")}` : "";
  return `${method} (id ${id})${others}`;
}

function describeSurplusAnswer(id: number, lastId: number): string {
  const isOld = Number.isInteger(id) && id >= 1 && id <= lastId;
  if (isOld) return `The adapter answered the request with id ${id} twice`;
  return `The adapter answered a request with id ${id}, which does not exist. An answer has the id of its request`;
}
