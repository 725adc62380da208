import { findProtocol } from "../conform/find-protocol.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { didYouMean } from "../nearest.js";
import { chooseView } from "../protocol/view-roles.js";
import { createReader } from "../stream/index.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";
import type { Block } from "../view/block.js";
import type { ViewContract } from "../view/payload.js";
import { createView, type View } from "../view/view.js";
import { createTerminal } from "./terminal.js";

/** Shows the events of a source, in order. */
export interface EventDisplay {
  readonly discriminators: readonly string[];
  /** Shows an event. `frameId` is the id of the frame that holds it in a feed. */
  showValue(value: Json, frameId?: string): void;
  /** Shows a problem, such as data that is not JSON. */
  showProblem(message: string): void;
  /** Ends the display and returns the exit code. */
  finish(): ExitCode;
}

/** The reader and the view of one protocol. */
interface Consumer {
  readonly read: ReturnType<typeof createReader>["read"];
  readonly view: View;
}

/** The options of a display. */
export interface DisplayOptions {
  readonly width: number | undefined;
  /** True to show the reasoning of models, which is hidden by default. */
  readonly showsReasoning: boolean;
  /** True to print the colours in the output of tools; by default, if the terminal shows colours. */
  readonly keepsAnsi: boolean | undefined;
  /** True to print the time since the first shown event before each block. */
  readonly showsTimes: boolean;
  /** The event types to show, and families of them that end with `*`; all by default. */
  readonly only: readonly string[] | undefined;
}

/** The width without a terminal, where other programs read the lines. */
const MAX_WIDTH = 10_000;

/** Creates a display that shows the events of all protocols on the terminal. */
export function createEventDisplay(
  validators: readonly Validators[],
  { width, showsReasoning, keepsAnsi, showsTimes, only }: DisplayOptions,
  io: Pick<Io, "stdout" | "stderr" | "colors" | "columns">,
): EventDisplay {
  const color = io.colors;
  const columns = width ?? io.columns ?? MAX_WIDTH;
  const terminal = createTerminal({
    width: columns,
    color,
    keepsAnsi: keepsAnsi ?? color,
    showsReasoning,
    showsTimes,
  });
  const filter = createTypeFilter(only);
  const consumers = new Map<string, Consumer>();
  let lastProtocol: string | undefined;
  let problemCount = 0;
  const showBlocks = (id: string, blocks: readonly Block[]): void =>
    io.stdout(terminal.take(blocks, (stream) => `${id} ${stream}`));
  const showProblem = (problem: string): void => {
    problemCount++;
    const noEvent = { id: 0, stream: "", sequence: undefined, type: "", time: undefined, late: false };
    io.stdout(terminal.take([{ ...noEvent, kind: "fault", problem, value: undefined }], String));
  };
  const showValue = (value: Json, frameId?: string): void => {
    const found = isObject(value) ? findProtocol(value, validators, "reader", lastProtocol) : undefined;
    if (!found) {
      showProblem(`not an event of any protocol: ${JSON.stringify(value).slice(0, 200)}`);
      return;
    }
    const { id } = found.protocol;
    lastProtocol = id;
    const consumer = consumers.get(id) ?? createConsumer(found);
    consumers.set(id, consumer);
    const delivery = consumer.read(value, { id: frameId });
    if (delivery.kind === "invalid" || delivery.kind === "conflict") problemCount++;
    else if (!filter.accepts(String(getOwn(value as JsonObject, found.protocol.envelope.discriminator))))
      return;
    showBlocks(id, consumer.view.take(delivery));
  };
  const finish = (): ExitCode => {
    for (const [id, { view }] of consumers) showBlocks(id, view.end());
    io.stdout(terminal.end());
    const shownProtocols = validators.filter(({ protocol }) => consumers.has(protocol.id));
    const types = shownProtocols.flatMap(({ protocol }) => protocol.events.map(({ type }) => type));
    for (const entry of filter.listUnmatched()) {
      const end = types.includes(entry) ? "." : didYouMean(entry, types);
      io.stderr(`accrete: note: no event has the type ${entry} of --only${end}\n`);
    }
    return problemCount === 0 ? EXIT.ok : EXIT.findings;
  };
  return { discriminators: listDiscriminators(validators), showValue, showProblem, finish };
}

function createConsumer(validators: Validators): Consumer {
  const protocol = createViewProtocol(validators);
  return { read: createReader(protocol).read, view: createView(protocol) };
}

/** Decides which event types are shown. */
interface TypeFilter {
  accepts(type: string): boolean;
  /** Returns the listed types and families of which no event has come. */
  listUnmatched(): readonly string[];
}

/** Creates a filter for the listed event types. An entry that ends with `*` is a family: all types that begin like it. */
function createTypeFilter(entries: readonly string[] | undefined): TypeFilter {
  const unmatched = new Set(entries);
  const matches = (entry: string, type: string): boolean =>
    entry.endsWith("*") ? type.startsWith(entry.slice(0, -1)) : type === entry;
  return {
    accepts(type) {
      const matchingEntries = (entries ?? []).filter((entry) => matches(entry, type));
      for (const entry of matchingEntries) unmatched.delete(entry);
      return entries === undefined || matchingEntries.length > 0;
    },
    listUnmatched: () => [...unmatched],
  };
}

/** Returns the parts of a generated module's `protocol` that a view needs. */
export function createViewProtocol({ protocol, decodeEvent }: Validators): ViewContract {
  const { discriminator, placement, property } = protocol.envelope;
  const metadata = Object.fromEntries(protocol.events.map(({ type, summary }) => [type, { summary }]));
  const envelope = { discriminator, placement, property };
  return {
    id: protocol.id,
    envelope,
    metadata,
    decodeEvent,
    view: chooseView(protocol),
    ...(protocol.stream && { stream: protocol.stream }),
  };
}
