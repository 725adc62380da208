/** Finds the major that an input follows from its first events, before any event is validated. */
import { statSync } from "node:fs";
import { type AssumedMajor, assumeMajor, findSimilarMajors } from "../conform/find-protocol.js";
import { createEventReader } from "../ingest/event-reader.js";
import { findProtocolIdInPath } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import { readInput } from "../ingest/read-input.js";
import { createFullShare } from "../ingest/stream-share.js";
import { readHead } from "../io.js";
import type { Json } from "../json.js";
import type { Profile } from "../schema/readings.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";

/** The maximum number of bytes that are read of an input to find its major. */
export const MAX_HEAD_BYTES = 2 ** 20;
/** The maximum number of events that are used to find the major of an input. */
const MAX_EVENTS = 200;

/** The major of an input, and standard input from its beginning. */
interface Assumption {
  readonly major: AssumedMajor | undefined;
  readonly stdin: AsyncIterable<Uint8Array>;
}

/** Returns a function that finds the major of an input. If the folder names the protocol, or no majors are similar, it reads nothing. */
export function createMajorFinder(
  validators: readonly Validators[],
  profile: Profile,
): (input: Input, stdin: AsyncIterable<Uint8Array>) => Promise<Assumption> {
  const similarMajors = findSimilarMajors(validators);
  const ids = validators.map(({ protocol }) => protocol.id);
  return async (input, stdin) => {
    if (similarMajors.length === 0 || findProtocolIdInPath(input, ids) !== undefined)
      return { major: undefined, stdin };
    const { head, whole } =
      input.file === undefined
        ? await readFirstPiece(stdin)
        : { head: readFirstBytes(input.file), whole: stdin };
    const events = await readEventsInHead(input, head, listDiscriminators(validators));
    return { major: assumeMajor(events, similarMajors, profile), stdin: whole };
  };
}

/** Returns the first bytes of a file; none of a pipe, which can be read only once, or of a file that cannot be opened. */
function readFirstBytes(file: string): Uint8Array {
  try {
    if (statSync(file).isFile()) return readHead(file, MAX_HEAD_BYTES);
  } catch {
    // Reading the whole input reports why it cannot be read.
  }
  return Buffer.alloc(0);
}

/** Returns the first piece of standard input, and the whole input again. Waiting for a second piece could delay live events. */
export async function readFirstPiece(
  stdin: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly whole: AsyncIterable<Uint8Array> }> {
  const pieces = stdin[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done) return { head: Buffer.alloc(0), whole: (async function* () {})() };
  const yieldAll = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  };
  return { head: Buffer.from(first.value), whole: yieldAll() };
}

/** Returns the events in the first bytes of an input. The last one may be cut off and is left out. */
export async function readEventsInHead(
  input: Input,
  head: Uint8Array,
  discriminators: readonly string[],
): Promise<Json[]> {
  const events: Json[] = [];
  const sink = {
    discriminators,
    acceptValue: (value: Json) => {
      if (events.length < MAX_EVENTS) events.push(value);
    },
    reportUnreadable: () => undefined,
  };
  const yieldHead = async function* () {
    yield head;
  };
  // Without its file, the input is read from `head`.
  const { file: _file, ...inputWithoutFile } = input;
  const reader = createEventReader(input, sink, createFullShare());
  // Reading fails at the end of the head if the data is compressed.
  await readInput(inputWithoutFile, yieldHead(), reader, () => {}).catch(() => {});
  return events;
}
