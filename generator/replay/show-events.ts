import { findProtocol } from "../conform/find-protocol.js";
import type { Show } from "../ingest/read-url.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { isObject, type Json } from "../json.js";
import { viewOf } from "../protocol/view-roles.js";
import { createReader } from "../stream/index.js";
import type { Validators } from "../validators/protocol-validators.js";
import type { ViewProtocol } from "../view/payload.js";
import { createView, type View } from "../view/view.js";
import { createTerminal } from "./terminal.js";

/** The reader and the view of one protocol. */
interface Consumer {
  readonly read: ReturnType<typeof createReader>["read"];
  readonly view: View;
  readonly numbered: boolean;
  place: number;
}

/** Shows values on the terminal, each with the protocol that it belongs to. */
export function createShow(
  readers: readonly Validators[],
  width: number | undefined,
  io: Pick<Io, "stdout" | "colors" | "columns">,
): Show {
  const terminal = createTerminal({ width: width ?? io.columns ?? 80, color: io.colors });
  const consumers = new Map<string, Consumer>();
  let home: string | undefined;
  let faults = 0;
  const problem = (sentence: string): void => {
    faults++;
    const shared = { id: 0, stream: "", sequence: undefined, type: "", time: undefined, late: false };
    io.stdout(terminal.take([{ ...shared, kind: "fault", problem: sentence, value: undefined }], String));
  };
  const take = (value: Json, place: string | undefined): void => {
    const found = isObject(value) ? findProtocol(value, readers, "reader", home) : undefined;
    if (!found) {
      problem(`not an event of any protocol: ${JSON.stringify(value).slice(0, 200)}`);
      return;
    }
    home = found.protocol.id;
    const consumer = consumers.get(home) ?? consumerOf(found);
    consumers.set(home, consumer);
    if (isRepeated(consumer, place)) return;
    const delivery = consumer.read(value);
    if (delivery.kind === "invalid" || delivery.kind === "conflict") faults++;
    const { id } = found.protocol;
    io.stdout(terminal.take(consumer.view.take(delivery), (stream) => `${id} ${stream}`));
  };
  const end = (): ExitCode => {
    for (const [id, { view }] of consumers)
      io.stdout(terminal.take(view.end(), (stream) => `${id} ${stream}`));
    io.stdout(terminal.end());
    return faults === 0 ? EXIT.ok : EXIT.findings;
  };
  const discriminators = [...new Set(readers.map(({ protocol }) => protocol.envelope.discriminator))];
  return { discriminators, value: take, problem, end };
}

function consumerOf(reader: Validators): Consumer {
  const protocol = viewProtocol(reader);
  const numbered = protocol.stream?.sequence !== undefined;
  return { read: createReader(protocol).read, view: createView(protocol), numbered, place: -1 };
}

/** Without numbers in the events, the stream's own tell what came before. */
function isRepeated(consumer: Consumer, place: string | undefined): boolean {
  if (consumer.numbered || place === undefined || !/^\d+$/.test(place)) return false;
  if (Number(place) <= consumer.place) return true;
  consumer.place = Number(place);
  return false;
}

/** A protocol as its generated module exports it, as far as a view asks. */
export function viewProtocol({ protocol, decodeEvent }: Validators): ViewProtocol {
  const { discriminator, placement, property } = protocol.envelope;
  const metadata = Object.fromEntries(protocol.events.map(({ type, summary }) => [type, { summary }]));
  const envelope = { discriminator, placement, property };
  return {
    ...{ id: protocol.id, envelope, metadata, decodeEvent, view: viewOf(protocol) },
    ...(protocol.stream && { stream: protocol.stream }),
  };
}
