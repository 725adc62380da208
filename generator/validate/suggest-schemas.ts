import { closeSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { eventReader } from "../ingest/event-reader.js";
import { fileInput } from "../ingest/inputs.js";
import { createStreamShare } from "../ingest/stream-share.js";
import { slashes } from "../io.js";
import { isObject, type JsonObject } from "../json.js";
import { loadProtocols } from "../load/load-protocols.js";
import { OWN_PACKAGE } from "../load/own-package.js";
import { protocolValidators, type Validators } from "../validators/protocol-validators.js";

/** How many bytes of a recording are read. */
const HEAD = 2 ** 20;

/**
 * Returns a hint to use a protocol that comes with accrete, if that protocol accepts the first event of the first file
 * among `operands` and no protocol of `schemas` does; undefined otherwise.
 */
export async function suggestSchemas(
  operands: readonly string[],
  schemas: string,
): Promise<string | undefined> {
  const file = operands.find((operand) => statSync(operand, { throwIfNoEntry: false })?.isFile());
  const event = file === undefined ? undefined : firstEvent(file);
  if (file === undefined || event === undefined || (await findAcceptingProtocol(schemas, event)))
    return undefined;
  const own = slashes(path.relative("", path.join(OWN_PACKAGE, "schemas")));
  const found = await findAcceptingProtocol(own, event);
  if (found === undefined) return undefined;
  return `accrete: hint: the first event of ${file} is one of ${found}, which comes with accrete and is not in ${schemas}: --schemas ${own}\n`;
}

/** Returns the id of the protocol that knows and accepts the event. */
async function findAcceptingProtocol(schemas: string, event: JsonObject): Promise<string | undefined> {
  const { protocols } = await loadProtocols(schemas, [], { examples: false });
  const knows = ({ decodeEvent }: Validators): boolean => decodeEvent(event).kind === "known";
  return protocols.find((protocol) => knows(protocolValidators(protocol)))?.id;
}

/** Returns the first event of a recording; undefined if there is none at its beginning. */
function firstEvent(file: string): JsonObject | undefined {
  let found: JsonObject | undefined;
  const sink = {
    discriminators: [],
    value: (value: unknown) => {
      if (isObject(value as JsonObject)) found ??= value as JsonObject;
    },
    unreadable: () => undefined,
  };
  const reader = eventReader(fileInput(0, file), sink, createStreamShare(0, 1));
  const bytes = Buffer.alloc(HEAD);
  const descriptor = openSync(file, "r");
  try {
    reader.push(bytes.subarray(0, readSync(descriptor, bytes)));
  } finally {
    closeSync(descriptor);
  }
  reader.end();
  return found;
}
