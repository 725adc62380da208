/** Finds the major that an input follows, from the events at its beginning, before any of them is judged. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { type AssumedMajor, assumeMajor, findSimilarMajors } from "../conform/find-protocol.js";
import { eventReader } from "../ingest/event-reader.js";
import { protocolIdInPath } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import { readInput } from "../ingest/read-input.js";
import { createStreamShare } from "../ingest/stream-share.js";
import type { Json } from "../json.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";

/** How much of an input is read to find its major, in bytes and in events. */
const HEAD = 2 ** 20;
const MOST_EVENTS = 200;

/** An input's major, and standard input with what was read of it put back. */
interface Assumption {
  readonly major: AssumedMajor | undefined;
  readonly stdin: AsyncIterable<Uint8Array>;
}

/** Returns a function that finds the major of an input. If the folder names the protocol, or no majors are alike, it reads nothing. */
export function createMajorFinder(
  validators: readonly Validators[],
  profile: Profile,
): (input: Input, stdin: AsyncIterable<Uint8Array>) => Promise<Assumption> {
  const alike = findSimilarMajors(validators);
  const ids = validators.map(({ protocol }) => protocol.id);
  return async (input, stdin) => {
    if (alike.length === 0 || protocolIdInPath(input, ids) !== undefined) return { major: undefined, stdin };
    const { head, rest } =
      input.file === undefined ? await firstPiece(stdin) : { head: headOf(input.file), rest: stdin };
    const events = await eventsIn(input, head, validators);
    return { major: assumeMajor(events, alike, profile), stdin: rest };
  };
}

/** Returns the first bytes of a file; none of a pipe, which can be read only once, or of a file that cannot be opened. */
function headOf(file: string): Uint8Array {
  const bytes = Buffer.alloc(HEAD);
  try {
    if (!statSync(file).isFile()) return Buffer.alloc(0);
    const descriptor = openSync(file, "r");
    try {
      return bytes.subarray(0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Reading the whole input reports why it cannot be read.
    return Buffer.alloc(0);
  }
}

/** Returns the first piece of standard input, and the whole input. Waiting for a second piece could delay live events. */
async function firstPiece(
  stdin: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly rest: AsyncIterable<Uint8Array> }> {
  const pieces = stdin[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done) return { head: Buffer.alloc(0), rest: (async function* () {})() };
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  };
  return { head: Buffer.from(first.value), rest: rest() };
}

/** The events in the first bytes of an input; the last one may be cut off and is left out. */
async function eventsIn(input: Input, head: Uint8Array, validators: readonly Validators[]): Promise<Json[]> {
  const events: Json[] = [];
  const sink = {
    discriminators: [...new Set(validators.map(({ protocol }) => protocol.envelope.discriminator))],
    value: (value: Json) => {
      if (events.length < MOST_EVENTS) events.push(value);
    },
    unreadable: () => undefined,
  };
  const bytes = async function* () {
    yield head;
  };
  const { file: _file, ...unnamed } = input;
  // Packed data breaks off where the head ends.
  await readInput(unnamed, bytes(), eventReader(input, sink, createStreamShare(0, 1)), () => {}).catch(
    () => {},
  );
  return events;
}
