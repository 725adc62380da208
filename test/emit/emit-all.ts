import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { emitProtocol } from "../../generator/emit/emit.js";
import { OPTIONAL_EMITTERS } from "../../generator/emit/optional-emitters.js";
import { readRuntime } from "../../generator/load/runtime.js";
import type { OutputFile, Protocol } from "../../generator/protocol/protocol.js";

/** All outputs of `protocol`, optional ones too. */
export function emitAll(protocol: Protocol): Promise<readonly OutputFile[]> {
  const optionalOutputs = OPTIONAL_EMITTERS.map(({ name }) => name);
  return emitProtocol(protocol, {
    runtime: readRuntime(),
    fixtures: `../../../fixtures/${protocol.id}`,
    optionalOutputs,
  });
}

/** Writes `files` below `folder`. */
export function writeFiles(folder: string, files: readonly OutputFile[]): void {
  for (const { path: relative, content } of files) {
    const target = path.join(folder, relative);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}
