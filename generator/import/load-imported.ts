/** Loads an imported protocol before its files are written, and reports errors at the places of the original files. */
import path from "node:path";
import type { Finding } from "../finding.js";
import { type Json, splitPointer } from "../json.js";
import { createFilesInMemory } from "../load/files.js";
import { loadFiles } from "../load/load.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { createOriginLocator } from "./locate-origin.js";
import {
  createProtocolFiles,
  type ImportedEvent,
  listOrigins,
  type ProtocolParts,
} from "./protocol-files.js";

/** A protocol in memory, or the errors because of which it cannot be loaded. */
interface LoadedImport {
  readonly files: readonly OutputFile[];
  /** Undefined if `errors` are the reasons. */
  readonly protocol: Protocol | undefined;
  readonly errors: readonly Finding[];
  readonly warnings: number;
  /** Errors about examples that were left out. */
  readonly refusedExamples: readonly Finding[];
}

/**
 * Loads the protocol of an import from memory. It leaves out examples that writers may not send. `originals` is the folder
 * of the original schemas; undefined if the protocol was created from samples. `adapt` changes the files before.
 */
export async function loadImported(
  parts: ProtocolParts,
  originals: string | undefined,
  adapt: AdaptFiles = (files) => files,
): Promise<LoadedImport> {
  const locate = originals === undefined ? undefined : createOriginLocator(listOrigins(parts), originals);
  const locateOriginal = (finding: Finding): Finding =>
    locate ? { ...finding, at: locate(finding.at.file, finding.at.pointer) } : finding;
  const loaded = await load(parts, adapt);
  const refusedExamples = loaded.errors.filter(({ rule }) => rule === "example-invalid");
  const hasOnlyRefusedExamples =
    refusedExamples.length > 0 && refusedExamples.length === loaded.errors.length;
  if (!hasOnlyRefusedExamples)
    return { ...loaded, errors: loaded.errors.map(locateOriginal), refusedExamples: [] };
  const repaired = await load(dropExamples(parts, refusedExamples), adapt);
  return {
    ...repaired,
    errors: repaired.errors.map(locateOriginal),
    refusedExamples: refusedExamples.map(locateOriginal),
  };
}

/** Changes the files of an import before they are loaded. */
type AdaptFiles = (files: readonly OutputFile[]) => readonly OutputFile[];

async function load(parts: ProtocolParts, adapt: AdaptFiles): Promise<Omit<LoadedImport, "refusedExamples">> {
  const files = adapt(createProtocolFiles(parts));
  const { protocols, findings } = await loadFiles(createFilesInMemory("", files), "", [], {
    examples: true,
    contradictions: false,
  });
  return {
    files,
    protocol: protocols[0],
    errors: findings.filter(({ severity }) => severity === "error"),
    warnings: findings.filter(({ severity }) => severity === "warning").length,
  };
}

/** Returns the parts without the examples that the findings are about. */
function dropExamples(parts: ProtocolParts, findings: readonly Finding[]): ProtocolParts {
  // The pointer of an example is `/examples/3`.
  const refusedKeys = new Set(
    findings.map(({ at }) => `${path.posix.basename(at.file)}#${splitPointer(at.pointer)[1]}`),
  );
  const events = parts.events.map((event): ImportedEvent => {
    const { examples, ...payload } = event.payload;
    if (!Array.isArray(examples)) return event;
    const isKept = (_example: Json, index: number): boolean =>
      !refusedKeys.has(`${event.name}.schema.json#${index}`);
    const keptExamples = examples.filter(isKept);
    return {
      ...event,
      payload: keptExamples.length > 0 ? { ...payload, examples: keptExamples } : payload,
    };
  });
  return { ...parts, events };
}
