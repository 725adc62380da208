import type { Finding } from "../finding.js";
import type { Protocol } from "../protocol/protocol.js";
import { readReferences } from "../schema/read-files.js";
import { build } from "./build.js";
import { collectDefinitions, lintCycles } from "./definitions.js";
import type { Files } from "./files.js";
import { schemaFiles, wholeFileName } from "./folder.js";
import { lintDeclarations } from "./lint/declarations.js";
import { lintExamples } from "./lint/examples.js";
import { lintFiles, lintProtocol } from "./lint/lint.js";
import { lintSchema } from "./lint/schema.js";
import { checkManifest } from "./manifest.js";

export interface LoadedProtocol {
  /** Absent if there is an error among the findings. */
  readonly protocol?: Protocol;
  readonly findings: readonly Finding[];
}

/** What to look at while loading. */
export interface LoadOptions {
  /** Whether examples are judged. They are no part of the contract, and compiling a validator for each event takes time. */
  readonly examples: boolean;
  /** Whether the rules of streams are judged; they are unless this is false. No message depends on them. */
  readonly streams?: boolean;
}

/** To load what comparisons are about: a rename that forgot a rule of streams is still to be named. */
export const CONTRACT_ONLY: LoadOptions = { examples: false, streams: false };

/** Loads the protocol in folder `id` of `files`. Findings about file contents as such are in `files.findings`. */
export async function loadProtocol(
  files: Files,
  id: string,
  { examples, streams = true }: LoadOptions,
): Promise<LoadedProtocol> {
  const before = files.findings.length;
  const manifestSource = files.read(`${id}/protocol.json`);
  const schemas = schemaFiles(files, id);
  const references = await readReferences(files, schemas.files);
  const findings = [...schemas.findings, ...references.findings, ...lintFiles(schemas.files)];
  for (const { source } of [...schemas.files, ...references.reached]) findings.push(...lintSchema(source));
  const checked = manifestSource && checkManifest(manifestSource, id);
  findings.push(...(checked?.findings ?? []));
  const broken = () =>
    !schemas.complete ||
    files.findings.length > before ||
    findings.some(({ severity }) => severity === "error");
  const envelope = schemas.files.find(({ kind }) => kind === "envelope");
  const manifest = checked?.manifest;
  if (!manifestSource || !manifest || !envelope) return { findings };
  const kinds = new Map(schemas.files.map((file) => [file.relative, file]));
  const definitions = collectDefinitions(references, (relative) => wholeFileName(kinds.get(relative)));
  const protocol = build(manifest, manifestSource, schemas.files, definitions, id);
  findings.push(...definitions.findings, ...lintCycles(definitions.definitions));
  const input = { manifest, manifestSource, files: schemas.files, protocol };
  findings.push(...lintProtocol(input), ...(streams ? lintDeclarations(input) : []));
  // Examples are compiled with their schemas, which must be sound for that.
  if (examples && !broken()) findings.push(...lintExamples(input));
  return broken() ? { findings } : { protocol, findings };
}
