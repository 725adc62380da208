import { isObject, type Json } from "../json.js";
import {
  type Adapter,
  type Consumer,
  ConsumerFailure,
  ConsumerUnavailable,
  HOOKS,
  type Hook,
} from "../kit/adapter.js";
import type { KitProtocol } from "../kit/kit-protocol.js";
import { describeEvent } from "../kit/observe.js";
import { didYouMean } from "../nearest.js";
import { sanitizeLine } from "../text.js";
import {
  type AdapterFault,
  type AdapterProgram,
  type Connection,
  ErrorAnswer,
  openConnection,
} from "./connection.js";

/** An adapter in another process, for the kit. */
interface ProcessAdapter extends Adapter {
  create(): Consumer;
  /** Ends the process. */
  close(): void;
}

/** Thrown if nobody can talk to an adapter, because it does not keep to the messages. */
export class UnusableAdapter extends ConsumerUnavailable {}

/** The number of times that an adapter is started again after it ended, and after it was silent. */
const MAX_STARTS = { ended: 200, silent: 4 } as const;

/** Starts an adapter and asks it for its hooks. Throws if it does not answer as it must. */
export async function startAdapter(program: AdapterProgram, protocol: KitProtocol): Promise<ProcessAdapter> {
  let connection = openConnection(program);
  try {
    const hooks = parseHooks(await greet(connection, protocol));
    const restart = createRestart(program, protocol);
    let consumers = 0;
    return {
      receivesCopies: true,
      create() {
        connection = restart(connection);
        return createRemoteConsumer(connection, protocol, hooks, `c${++consumers}`);
      },
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    if (error instanceof ErrorAnswer)
      throw new UnusableAdapter(`The adapter answered hello with the error "${sanitizeLine(error.message)}"`);
    throw error;
  }
}

/** Sends the first request. */
function greet(connection: Connection, { id }: KitProtocol): Promise<Json> {
  const answer = connection.request("hello", JSON.stringify({ protocol: id, version: 1 }));
  connection.flush();
  return answer;
}

function parseHooks(result: Json): readonly Hook[] {
  const hooks = isObject(result) ? result.hooks : undefined;
  if (!Array.isArray(hooks))
    throw new UnusableAdapter(
      'The answer to hello needs "hooks", a list of optional methods; it may be empty',
    );
  for (const hook of hooks)
    if (!HOOKS.some((known) => known === hook))
      throw new UnusableAdapter(
        `The answer to hello lists the hook ${JSON.stringify(hook)}, which does not exist${didYouMean(String(hook), HOOKS)} The hooks are ${HOOKS.join(", ")}`,
      );
  return hooks as unknown as readonly Hook[];
}

/** Returns a function that replaces a connection that ended. It throws if that happened too often, or if nobody can talk to the adapter. */
function createRestart(
  program: AdapterProgram,
  protocol: KitProtocol,
): (connection: Connection) => Connection {
  const starts = { ended: 0, silent: 0 };
  return (connection) => {
    const fault = connection.fault();
    if (fault === undefined) return connection;
    if (fault.kind === "protocol") throw new UnusableAdapter(fault.message);
    if (++starts[fault.kind] > MAX_STARTS[fault.kind])
      throw new ConsumerUnavailable(
        `The adapter was started again ${MAX_STARTS[fault.kind]} times, which is the limit. ${fault.message}`,
      );
    const next = openConnection(program);
    // If this fails, so does what follows.
    greet(next, protocol).catch(() => {});
    return next;
  };
}

/** The codes of JSON-RPC for requests that the adapter cannot handle, as opposed to errors of the consumer. */
const REQUEST_ERRORS: { readonly [code: number]: string } = {
  [-32700]: "could not parse the request",
  [-32600]: "did not accept the request",
  [-32601]: "does not know the method",
  [-32602]: "did not accept the parameters",
};

/** Returns the failure of a call for the kit. */
function translateError(error: unknown, describeCall: () => string): Error {
  if (error instanceof ErrorAnswer) {
    const reason = REQUEST_ERRORS[error.code];
    const message = sanitizeLine(error.message);
    return reason === undefined
      ? new ConsumerFailure(`${describeCall()} was answered with the error "${message}"`)
      : new UnusableAdapter(`The adapter ${reason}: ${describeCall()}: "${message}"`);
  }
  const { kind, message } = error as AdapterFault;
  return kind === "protocol"
    ? new UnusableAdapter(message)
    : new ConsumerFailure(`${message}. The kit starts it again`);
}

/**
 * Creates a consumer in the process of an adapter. Calls without a result are queued. They are written together with the
 * next call that has one, whose promise is rejected if one of them fails.
 */
function createRemoteConsumer(
  connection: Connection,
  protocol: KitProtocol,
  hooks: readonly Hook[],
  name: string,
): Consumer {
  const consumer = JSON.stringify(name);
  let events: object[] = [];
  let texts: string[] = [];
  let waiting: Promise<unknown>[] = [];

  const call = (method: string, params: string, describeCall: () => string): Promise<Json> => {
    const answer = connection
      .request(method, `{"consumer":${consumer}${params}}`)
      .catch((error: unknown) => Promise.reject(translateError(error, describeCall)));
    answer.catch(() => {});
    return answer;
  };
  const sendEvents = (): void => {
    if (events.length === 0) return;
    const [first = {}, last = {}] = [events[0], events.at(-1)];
    const range = first === last ? "" : ` to ${describeEvent(protocol, last)}`;
    const pushed = () => `push of ${describeEvent(protocol, first)}${range}`;
    waiting.push(call("push", `,"events":[${texts.join()}]`, pushed));
    events = [];
    texts = [];
  };
  const send = (method: string, params: string, describeCall = () => `${method}()`): void => {
    sendEvents();
    waiting.push(call(method, params, describeCall));
  };
  const read = async (method: string, params = ""): Promise<Json> => {
    sendEvents();
    const answer = call(method, params, () => `${method}()`);
    connection.flush();
    const before = waiting;
    waiting = [];
    for (const earlier of before) await earlier;
    return await answer;
  };
  const methods: { readonly [hook in Hook]: (given: never) => unknown } = {
    opaque: () => read("opaque"),
    gaps: () => read("gaps"),
    cursor: (stream: string) => read("cursor", `,"stream":${JSON.stringify(stream)}`),
    viewRun: (stream: string) => read("viewRun", `,"stream":${JSON.stringify(stream)}`),
    ingest: (bytes: Uint8Array) => send("ingest", `,"bytes":"${Buffer.from(bytes).toString("base64")}"`),
    reconnect: () => send("reconnect", ""),
  };
  send("create", "");
  return {
    push(event: object) {
      events.push(event);
      texts.push(JSON.stringify(event));
    },
    snapshot: () => read("snapshot"),
    ...Object.fromEntries(hooks.map((hook) => [hook, methods[hook]])),
    drop: () => void call("drop", "", () => "drop()"),
  };
}
