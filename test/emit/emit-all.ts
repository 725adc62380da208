import { emitProtocol } from "../../generator/emit/emit.js";
import { OPTIONAL_EMITTERS } from "../../generator/emit/optional-emitters.js";
import { readRuntime } from "../../generator/load/runtime.js";
import type { OutputFile, Protocol } from "../../generator/protocol/protocol.js";
import { writeFiles } from "../folders.js";

/** Returns all outputs of a protocol, optional ones too. */
export function emitAll(protocol: Protocol): Promise<readonly OutputFile[]> {
  const optionalOutputs = OPTIONAL_EMITTERS.map(({ name }) => name);
  return emitProtocol(protocol, {
    runtime: readRuntime(),
    fixtures: `../../../fixtures/${protocol.id}`,
    optionalOutputs,
  });
}

/** Writes outputs below `folder`. */
export function writeOutputs(folder: string, outputs: readonly OutputFile[]): void {
  writeFiles(folder, Object.fromEntries(outputs.map(({ path, content }) => [path, content])));
}
