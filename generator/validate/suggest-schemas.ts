import { statSync } from "node:fs";
import path from "node:path";
import { createFileInput } from "../ingest/inputs.js";
import { readHead, toForwardSlashes } from "../io.js";
import { isObject, type JsonObject, own } from "../json.js";
import { loadProtocols } from "../load/load-protocols.js";
import { OWN_PACKAGE } from "../load/own-package.js";
import {
  listDiscriminators,
  protocolValidators,
  type Validators,
} from "../validators/protocol-validators.js";
import { HEAD, readEventsInHead } from "./assumed-major.js";

/**
 * Returns a sentence that suggests a protocol that comes with accrete, if that protocol accepts the first event of the first
 * file among `operands`, and no protocol of the folder `schemas` accepts any of the first events; undefined otherwise. With
 * `validators`, those of `schemas`, no protocol may declare the type of any of these events.
 */
export async function suggestSchemas(
  operands: readonly string[],
  schemas: string,
  validators?: readonly Validators[],
): Promise<string | undefined> {
  const file = operands.find((operand) => statSync(operand, { throwIfNoEntry: false })?.isFile());
  if (file === undefined) return undefined;
  const readers = validators ?? (await loadReaders(schemas));
  const head = await readEventsInHead(
    createFileInput(0, file),
    readHead(file, HEAD),
    listDiscriminators(readers),
  );
  const events = head.filter(isObject);
  const [first] = events;
  // Before a run, only names are compared: most events are recognised without a compiled validator.
  const isOwn = (event: JsonObject): boolean =>
    validators ? declaresType(validators, event) : findAcceptingProtocol(readers, event) !== undefined;
  if (first === undefined || events.some(isOwn)) return undefined;
  const ownSchemas = toForwardSlashes(path.relative("", path.join(OWN_PACKAGE, "schemas")));
  const found = findAcceptingProtocol(await loadReaders(ownSchemas), first);
  if (found === undefined) return undefined;
  return `The first event of ${file} is one of ${found}, which comes with accrete and is not in ${schemas}. Use \`--schemas ${ownSchemas}\`.`;
}

async function loadReaders(schemas: string): Promise<Validators[]> {
  const { protocols } = await loadProtocols(schemas, [], { examples: false });
  return protocols.map(protocolValidators);
}

/** Returns whether a protocol declares the type of the event. */
function declaresType(readers: readonly Validators[], event: JsonObject): boolean {
  return readers.some(({ protocol: { envelope, events } }) =>
    events.some(({ type }) => type === own(event, envelope.discriminator)),
  );
}

/** Returns the id of the protocol that knows and accepts the event. */
function findAcceptingProtocol(readers: readonly Validators[], event: JsonObject): string | undefined {
  return readers.find(({ decodeEvent }) => decodeEvent(event).kind === "known")?.protocol.id;
}
