import type { Json } from "../json.js";
import {
  type Consumer,
  ConsumerFailure,
  ConsumerUnavailable,
  describeCreateFailure,
  type Hook,
} from "../kit/adapter.js";
import type { KitProtocol } from "../kit/kit-protocol.js";
import { describeEvent } from "../kit/observe.js";
import { sanitizeLine } from "../text.js";
import type { AdapterFault, Connection } from "./connection.js";
import { ErrorAnswer } from "./pending-requests.js";

/** Thrown if an adapter cannot be used, because it does not send the messages that the kit expects. */
export class UnusableAdapter extends ConsumerUnavailable {}

/** A consumer of an adapter, and how to reach it. */
interface RemoteConsumerOptions {
  readonly connection: Connection;
  readonly protocol: KitProtocol;
  /** The optional methods that the consumer has. */
  readonly hooks: readonly Hook[];
  /** The name of the consumer in requests. */
  readonly name: string;
  /** A sentence, without a full stop, that says how the kit continues after the adapter failed. */
  readonly recovery: string;
}

/**
 * Creates a consumer in an adapter. Calls without a result are queued. They are sent together with the next call that has
 * one, whose promise is rejected if one of them fails.
 */
export function createRemoteConsumer(options: RemoteConsumerOptions): Consumer {
  const calls = createCallQueue(options);
  const methods: { readonly [hook in Hook]: (given: never) => unknown } = {
    opaque: () => calls.read("opaque"),
    gaps: () => calls.read("gaps"),
    cursor: (stream: string) => calls.read("cursor", `,"stream":${JSON.stringify(stream)}`),
    viewRun: (stream: string) => calls.read("viewRun", `,"stream":${JSON.stringify(stream)}`),
    ingest: (bytes: Uint8Array) =>
      calls.send("ingest", `,"bytes":"${Buffer.from(bytes).toString("base64")}"`),
    reconnect: () => calls.send("reconnect"),
  };
  calls.send("create");
  return {
    push: calls.push,
    snapshot: () => calls.read("snapshot"),
    ...Object.fromEntries(options.hooks.map((hook) => [hook, methods[hook]])),
    drop: calls.drop,
  };
}

/** The calls of a consumer in an adapter. `params` is the JSON text of further parameters. */
interface CallQueue {
  /** Queues an event. Events that follow each other are one request. */
  push(event: object): void;
  /** Queues a call without a result. */
  send(method: string, params?: string): void;
  /** Sends the queued calls and this one, and returns its result. The promise is rejected if one of them fails. */
  read(method: string, params?: string): Promise<Json>;
  /** Queues the last call, whose failure does not matter. */
  drop(): void;
}

function createCallQueue({ connection, protocol, name, recovery }: RemoteConsumerOptions): CallQueue {
  const consumer = JSON.stringify(name);
  let events: object[] = [];
  let texts: string[] = [];
  let unread: Promise<Json>[] = [];

  const call = (method: string, params: string, describeCall = () => `${method}()`): Promise<Json> => {
    const answer = connection
      .request(method, `{"consumer":${consumer}${params}}`)
      .catch((error: unknown) => Promise.reject(translateError(error, { method, recovery, describeCall })));
    answer.catch(() => {});
    return answer;
  };
  const sendEvents = (): void => {
    if (events.length === 0) return;
    const pushed = events;
    unread.push(call("push", `,"events":[${texts.join()}]`, () => describePush(protocol, pushed)));
    events = [];
    texts = [];
  };
  return {
    push(event) {
      events.push(event);
      texts.push(JSON.stringify(event));
    },
    send(method, params = "") {
      sendEvents();
      unread.push(call(method, params));
    },
    async read(method, params = "") {
      sendEvents();
      const answer = call(method, params);
      connection.flush();
      const earlier = unread;
      unread = [];
      for (const each of earlier) await each;
      return await answer;
    },
    drop: () => void call("drop", ""),
  };
}

function describePush(protocol: KitProtocol, events: readonly object[]): string {
  const [first = {}, last = {}] = [events[0], events.at(-1)];
  const range = events.length === 1 ? "" : ` to ${describeEvent(protocol, last)}`;
  return `push of ${describeEvent(protocol, first)}${range}`;
}

/** The codes of JSON-RPC for requests that the adapter cannot handle, as opposed to errors of the consumer. */
const REQUEST_ERRORS: { readonly [code: number]: string } = {
  [-32700]: "could not parse the request",
  [-32600]: "did not accept the request",
  [-32601]: "does not know the method",
  [-32602]: "did not accept the parameters",
};

/** Returns the failure of a call for the kit. */
function translateError(
  error: unknown,
  { method, recovery, describeCall }: { method: string; recovery: string; describeCall: () => string },
): Error {
  if (!(error instanceof ErrorAnswer)) return translateFault(error as AdapterFault, recovery);
  const reason = REQUEST_ERRORS[error.code];
  const message = sanitizeLine(error.message);
  if (reason !== undefined)
    return new UnusableAdapter(`The adapter ${reason}: ${describeCall()}: "${message}"`);
  const event = `was answered with the error "${message}"`;
  return method === "create"
    ? new ConsumerUnavailable(describeCreateFailure(event))
    : new ConsumerFailure(`${describeCall()} ${event}`);
}

function translateFault({ kind, message }: AdapterFault, recovery: string): Error {
  if (kind === "protocol") return new UnusableAdapter(message);
  // The stream that the kit was about to send is not the reason.
  if (kind === "unstarted") return new ConsumerUnavailable(message);
  return new ConsumerFailure(`${message}. ${recovery}`);
}
