import { statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { createFileInput } from "../ingest/inputs.js";
import { readHead, toForwardSlashes } from "../io.js";
import { getOwn, isObject, type JsonObject } from "../json.js";
import { loadProtocols } from "../load/load-protocols.js";
import { OWN_PACKAGE } from "../load/own-package.js";
import { createValidators, listDiscriminators, type Validators } from "../validators/protocol-validators.js";
import { MAX_HEAD_BYTES, readEventsInHead } from "./assumed-major.js";

/**
 * Throws a usage error for the first recording of a protocol that comes with accrete and is not in the project. Every
 * event of such a recording would be invalid.
 */
export async function refuseRecordingsOfMissingProtocols(
  files: readonly string[],
  schemas: string,
  validators: readonly Validators[],
): Promise<void> {
  for (const file of files) {
    const suggestion = await suggestSchemas([file], schemas, validators);
    if (suggestion !== undefined) throw new UsageError(suggestion);
  }
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
  const events = values.filter(isObject);
  const [first] = events;
  // Validators are given before a run. Compiling them then would cost time, and most runs do not need it.
  const isOwn = (event: JsonObject): boolean =>
    validators
      ? declaresType(validators, event)
      : findAcceptingProtocol(projectValidators, event) !== undefined;
  if (first === undefined || events.some(isOwn)) return undefined;
  const ownSchemas = toForwardSlashes(path.relative("", path.join(OWN_PACKAGE, "schemas")));
  const found = findAcceptingProtocol(await loadValidators(ownSchemas), first);
  if (found === undefined) return undefined;
  return `The first event of ${file} is one of ${found}, which comes with accrete and is not in ${schemas}. Use \`--schemas ${ownSchemas}\`.`;
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
