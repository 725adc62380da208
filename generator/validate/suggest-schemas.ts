import { statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { createFileInput } from "../ingest/inputs.js";
import { readHead, toForwardSlashes } from "../io.js";
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { loadProtocols } from "../load/load-protocols.js";
import { OWN_PACKAGE } from "../load/own-package.js";
import { createValidators, listDiscriminators, type Validators } from "../validators/protocol-validators.js";
import { MAX_HEAD_BYTES, readEventsInHead, readFirstPiece } from "./assumed-major.js";

/**
 * Throws a usage error for the first recording of a protocol that comes with accrete and is not in the project. Every
 * event of such a recording would be invalid. Returns standard input from its beginning.
 */
export async function refuseRecordingsOfMissingProtocols(
  files: readonly string[],
  schemas: string,
  validators: readonly Validators[],
  stdin: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  for (const file of files) {
    if (file === "-") continue;
    const suggestion = await suggestSchemas([file], schemas, validators);
    if (suggestion !== undefined) throw new UsageError(suggestion);
  }
  if (!files.includes("-")) return stdin;
  const { head, whole } = await readFirstPiece(stdin);
  const input = { index: 0, name: "<stdin>" };
  const values = await readEventsInHead(input, head, listDiscriminators(validators));
  const suggestion = await suggestForEvents("standard input", values.filter(isObject), schemas, validators);
  if (suggestion !== undefined) throw new UsageError(suggestion);
  return whole;
}

/** The hint about the schemas of a feed, whose events cannot be read before it is followed. */
interface FeedHint {
  /** Looks at the first event of the feed. */
  see(value: Json): void;
  /** Waits until the hint is written, if there is one. */
  finish(): Promise<void>;
}

/** Creates the hint that the first event of a feed is one of a protocol that comes with accrete and is not in the project. */
export function createFeedHint(
  url: string,
  schemas: string,
  validators: readonly Validators[],
  write: (text: string) => void,
): FeedHint {
  let hint: Promise<void> | undefined;
  const writeHint = async (first: JsonObject): Promise<void> => {
    const suggestion = await suggestForEvents(url, [first], schemas, validators);
    if (suggestion !== undefined) write(`accrete: hint: ${suggestion}\n`);
  };
  return {
    see(value) {
      if (hint === undefined && isObject(value)) hint = writeHint(value);
    },
    finish: async () => hint,
  };
}

/**
 * Returns a sentence that suggests a protocol that comes with accrete; undefined if there is nothing to suggest. The
 * protocol must accept the first event of the first file among `operands`. No protocol of the folder `schemas` may accept
 * any of the first events. If the validators of that folder are given, only the names of event types are compared.
 */
export async function suggestSchemas(
  operands: readonly string[],
  schemas: string,
  validators?: readonly Validators[],
): Promise<string | undefined> {
  const file = operands.find((operand) => statSync(operand, { throwIfNoEntry: false })?.isFile());
  if (file === undefined) return undefined;
  const projectValidators = validators ?? (await loadValidators(schemas));
  const values = await readEventsInHead(
    createFileInput(0, file),
    readHead(file, MAX_HEAD_BYTES),
    listDiscriminators(projectValidators),
  );
  return suggestForEvents(
    file,
    values.filter(isObject),
    schemas,
    projectValidators,
    validators === undefined,
  );
}

/**
 * Returns a sentence about the first events of a source. `isExact` is set if the project must accept an event; otherwise,
 * it is enough that the project declares its type.
 */
async function suggestForEvents(
  source: string,
  events: readonly JsonObject[],
  schemas: string,
  validators: readonly Validators[],
  isExact = false,
): Promise<string | undefined> {
  const [first] = events;
  // Validators are given before a run. Compiling them then would cost time, and most runs do not need it.
  const isOwn = (event: JsonObject): boolean =>
    isExact ? findAcceptingProtocol(validators, event) !== undefined : declaresType(validators, event);
  if (first === undefined || events.some(isOwn)) return undefined;
  const ownSchemas = toForwardSlashes(path.relative("", path.join(OWN_PACKAGE, "schemas")));
  const found = findAcceptingProtocol(await loadValidators(ownSchemas), first);
  if (found === undefined) return undefined;
  return `The first event of ${source} is one of ${found}, which comes with accrete and is not in ${schemas}. Use \`--schemas ${ownSchemas}\`.`;
}

async function loadValidators(schemas: string): Promise<Validators[]> {
  const { protocols } = await loadProtocols(schemas, [], { examples: false });
  return protocols.map(createValidators);
}

/** Returns whether a protocol declares the type of the event. */
function declaresType(validators: readonly Validators[], event: JsonObject): boolean {
  return validators.some(({ protocol: { envelope, events } }) =>
    events.some(({ type }) => type === getOwn(event, envelope.discriminator)),
  );
}

/** Returns the id of the protocol that knows and accepts the event. */
function findAcceptingProtocol(validators: readonly Validators[], event: JsonObject): string | undefined {
  return validators.find(({ decodeEvent }) => decodeEvent(event).kind === "known")?.protocol.id;
}
