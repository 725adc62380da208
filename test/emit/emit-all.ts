import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { emitBundle } from "../../generator/emit/bundle.js";
import { emitConformance } from "../../generator/emit/conformance.js";
import { emitIndex } from "../../generator/emit/index-module.js";
import { emitMetadata } from "../../generator/emit/metadata.js";
import { emitTypes } from "../../generator/emit/types.js";
import { emitValidators } from "../../generator/emit/validators.js";
import { readRuntime } from "../../generator/load/runtime.js";
import type { OutputFile, Protocol } from "../../generator/model/protocol.js";

/** All outputs of `protocol`. */
export async function emitAll(protocol: Protocol): Promise<readonly OutputFile[]> {
  return [
    await emitTypes(protocol),
    ...emitValidators(protocol),
    emitBundle(protocol),
    emitConformance(protocol, "../../../fixtures/x"),
    ...emitIndex(protocol),
    ...emitMetadata(protocol),
    ...readRuntime().map(({ path, content }) => ({ path: `${protocol.id}/${path}`, content })),
  ];
}

/** Writes `files` below `folder`. */
export function writeFiles(folder: string, files: readonly OutputFile[]): void {
  for (const { path: relative, content } of files) {
    const target = path.join(folder, relative);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}
