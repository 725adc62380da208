import { statSync } from "node:fs";
import path from "node:path";
import { createFileInput } from "../ingest/inputs.js";
import { readHead, slashes } from "../io.js";
import { isObject, type JsonObject } from "../json.js";
import { loadProtocols } from "../load/load-protocols.js";
import { OWN_PACKAGE } from "../load/own-package.js";
import { protocolValidators, type Validators } from "../validators/protocol-validators.js";
import { HEAD, readEventsInHead } from "./assumed-major.js";

/**
 * Returns a hint to use a protocol that comes with accrete, if that protocol accepts the first event of the first file
 * among `operands` and no protocol of `schemas` does; undefined otherwise.
 */
export async function suggestSchemas(
  operands: readonly string[],
  schemas: string,
): Promise<string | undefined> {
  const file = operands.find((operand) => statSync(operand, { throwIfNoEntry: false })?.isFile());
  if (file === undefined) return undefined;
  const [event] = (await readEventsInHead(createFileInput(0, file), readHead(file, HEAD), [])).filter(
    isObject,
  );
  if (event === undefined || (await findAcceptingProtocol(schemas, event))) return undefined;
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
