import { isObject, type Json } from "../json.js";
import { type Adapter, type Consumer, ConsumerUnavailable, HOOKS, type Hook } from "../kit/adapter.js";
import type { KitProtocol } from "../kit/kit-protocol.js";
import { didYouMean } from "../nearest.js";
import { sanitizeLine } from "../text.js";
import { type Connection, openConnection } from "./connection.js";
import { ErrorAnswer } from "./pending-requests.js";
import { createRemoteConsumer, UnusableAdapter } from "./remote-consumer.js";
import type { AdapterAccess } from "./transport.js";

/** An adapter outside of this process, for the kit. */
interface RemoteAdapter extends Adapter {
  create(): Consumer;
  /** Ends the connection, and the adapter if it is a process of the kit. */
  close(): void;
}

/** The number of times that the kit connects again to an adapter that ended, and to one that was silent. */
const MAX_FAULTS = { ended: 200, silent: 4 } as const;

/** Connects to an adapter and asks it for its hooks. Throws if it does not answer as it must. */
export async function connectAdapter(access: AdapterAccess, protocol: KitProtocol): Promise<RemoteAdapter> {
  let connection = openConnection(access);
  try {
    const hooks = parseHooks(await greet(connection, protocol));
    const reconnect = createReconnect(access, protocol);
    const { recovery } = access;
    let consumers = 0;
    return {
      receivesCopies: true,
      create() {
        connection = reconnect(connection);
        return createRemoteConsumer({ connection, protocol, hooks, recovery, name: `c${++consumers}` });
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
  return hooks.map((hook) => {
    const known = HOOKS.find((each) => each === hook);
    if (known === undefined)
      throw new UnusableAdapter(
        `The answer to hello lists the hook ${JSON.stringify(hook)}, which does not exist${didYouMean(String(hook), HOOKS)} The hooks are ${HOOKS.join(", ")}`,
      );
    return known;
  });
}

/** Returns a function that replaces a connection that ended. It throws if that happened too often, or if nobody can talk to the adapter. */
function createReconnect(
  access: AdapterAccess,
  protocol: KitProtocol,
): (connection: Connection) => Connection {
  const counts = { ended: 0, silent: 0 };
  return (connection) => {
    const fault = connection.fault();
    if (fault === undefined) return connection;
    if (fault.kind === "protocol") throw new UnusableAdapter(fault.message);
    if (fault.kind === "unstarted") throw new ConsumerUnavailable(fault.message);
    if (++counts[fault.kind] > MAX_FAULTS[fault.kind])
      throw new ConsumerUnavailable(
        `The adapter ${fault.kind === "ended" ? "ended" : "was silent"} more than ${MAX_FAULTS[fault.kind]} times. ${fault.message}`,
      );
    const next = openConnection(access);
    // If hello fails, the requests after it fail, too, and report why.
    greet(next, protocol).catch(() => {});
    return next;
  };
}
