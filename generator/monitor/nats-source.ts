/** Reads events from a stream of NATS JetStream. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { ConsumerMessages } from "@nats-io/jetstream";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { importOptional, UsageError } from "../failure.js";
import type { Environment } from "../io.js";
import { formatCount, getErrorMessage } from "../text.js";
import { checkMessage } from "./check-message.js";
import type { Source, SourceContext } from "./source.js";

/** What is read from NATS. */
export interface NatsAddress {
  readonly servers: readonly string[];
  readonly stream: string;
  /** The subjects of the messages that are read; all if there are none. */
  readonly subjects: readonly string[];
  readonly usesTls: boolean;
}

/** The number of messages that the server sends ahead. */
const MAX_AHEAD = 1000;
/** Milliseconds before a failed request is tried again. */
const RETRY_MS = 1000;

/** The packages that are needed. */
interface Clients {
  readonly transport: typeof import("@nats-io/transport-node");
  readonly jetstream: typeof import("@nats-io/jetstream");
}

/** Creates a source that reads a stream from the position of the state on. */
export function createNatsSource(address: NatsAddress): Source {
  return async (context) => {
    const { stop, io } = context;
    const clients = await importClients();
    const name = `nats:${address.stream}`;
    const refuse = (error: unknown): never => {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`NATS at ${address.servers.join(", ")}: ${getErrorMessage(error)}`);
    };
    const options = describeConnection(address, clients, io.environment ?? {});
    const connection = await clients.transport.connect(options).catch(refuse);
    try {
      const open = (): Promise<ConsumerMessages> => openMessages(address, clients, connection, name, context);
      let messages: ConsumerMessages | undefined = await open().catch(refuse);
      for (let failures = 0; !stop.aborted; failures++)
        try {
          messages ??= await open();
          context.reportOpen();
          failures = 0;
          await readMessages(messages, name, context);
          messages = undefined;
        } catch (error) {
          if (error instanceof UsageError) throw error;
          messages = undefined;
          if (failures === 0 && !stop.aborted)
            io.stderr(`accrete: NATS: ${getErrorMessage(error)} It is tried again.\n`);
          await pause(RETRY_MS);
        }
    } finally {
      await connection.close();
    }
  };
}

async function importClients(): Promise<Clients> {
  const load = async (): Promise<Clients> => {
    const [transport, jetstream] = await Promise.all([
      import("@nats-io/transport-node"),
      import("@nats-io/jetstream"),
    ]);
    return { transport, jetstream };
  };
  return importOptional(
    load,
    "@nats-io/transport-node and @nats-io/jetstream are needed to read streams of NATS. Install them: npm install @nats-io/transport-node @nats-io/jetstream",
  );
}

function describeConnection(
  { servers, usesTls }: NatsAddress,
  { transport }: Clients,
  { NATS_USER: user, NATS_PASSWORD: pass, NATS_TOKEN: token, NATS_CREDS: file }: Environment,
): NodeConnectionOptions {
  return {
    name: "accrete-monitor",
    servers: [...servers],
    maxReconnectAttempts: -1,
    ...(usesTls && { tls: {} }),
    ...(user !== undefined && { user, pass: pass ?? "" }),
    ...(token !== undefined && { token }),
    ...(file !== undefined && { authenticator: transport.credsAuthenticator(readFileSync(file)) }),
  };
}

/** Asks for the messages after the position. */
async function openMessages(
  { stream, subjects }: NatsAddress,
  { jetstream }: Clients,
  connection: NatsConnection,
  name: string,
  { session, io }: SourceContext,
): Promise<ConsumerMessages> {
  const { position } = session.openInput(name);
  const manager = await jetstream.jetstreamManager(connection);
  const { state } = await manager.streams.info(stream);
  if (position.offset > state.last_seq + 1)
    throw new UsageError(
      `${name} ends at message ${state.last_seq}, but ${position.offset - 1} was read before. Was the stream created again? Remove the state to read it from its beginning.`,
    );
  if (position.lines > 0 && position.offset < state.first_seq) {
    session.markGap();
    io.stderr(
      `accrete: ${name}: ${formatCount(state.first_seq - position.offset, "message")} were deleted before they were read\n`,
    );
  }
  position.offset = Math.max(position.offset, state.first_seq, 1);
  // An ordered consumer belongs to this connection only and asks again after a lost message or connection.
  const consumer = await jetstream.jetstream(connection).consumers.get(stream, {
    deliver_policy: jetstream.DeliverPolicy.StartSequence,
    opt_start_seq: position.offset,
    ...(subjects.length > 0 && { filter_subjects: [...subjects] }),
  });
  return consumer.consume({ max_messages: MAX_AHEAD });
}

async function readMessages(
  messages: ConsumerMessages,
  name: string,
  { session, lags, stop, touch }: SourceContext,
): Promise<void> {
  const { input, sink, position } = session.openInput(name);
  const end = (): void => void messages.close();
  stop.addEventListener("abort", end);
  try {
    for await (const { seq, data, info } of messages) {
      if (stop.aborted) return;
      lags.set(name, info.pending);
      if (seq < position.offset) continue;
      position.offset = seq + 1;
      position.lines++;
      checkMessage(input, sink, data, seq);
      touch();
    }
  } finally {
    stop.removeEventListener("abort", end);
  }
}
