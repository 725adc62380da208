import type { Finding } from "../finding.js";
import type { Protocol } from "../protocol/protocol.js";
import { readReferences } from "../schema/read-files.js";
import { buildProtocol } from "./build.js";
import { collectDefinitions, lintCycles } from "./definitions.js";
import type { Files } from "./files.js";
import { schemaFiles, wholeFileName } from "./folder.js";
import { lintBranches } from "./lint/branches.js";
import { lintDeclarations } from "./lint/declarations.js";
import { lintExamples } from "./lint/examples.js";
import type { LintInput } from "./lint/input.js";
import { lintKnownValues } from "./lint/known-values.js";
import { lintEnvelope, lintPlacement } from "./lint/layout.js";
import { lintCases, lintDuplicates, lintTypeNames } from "./lint/names.js";
import { lintRequired } from "./lint/required.js";
import { lintReserved } from "./lint/reserved.js";
import { lintSchema } from "./lint/schema.js";
import { lintTexts } from "./lint/texts.js";
import { lintTombstones } from "./lint/tombstones.js";
import { checkManifest } from "./manifest.js";

/** A protocol and its findings. */
export interface LoadedProtocol {
  /** Absent if there is an error among the findings. */
  readonly protocol?: Protocol;
  readonly findings: readonly Finding[];
}

/** What to check while loading. */
export interface LoadOptions {
  /** Whether to check examples. They are not part of the contract, and compiling a validator for each event takes time. */
  readonly examples: boolean;
  /** Whether to check the names in declarations of protocol.json. The default is true. */
  readonly streams?: boolean;
}

/** Checks of the rules that apply to a loaded protocol as a whole. */
const PROTOCOL_CHECKS: readonly ((input: LintInput) => readonly Finding[])[] = [
  ...[lintCases, lintTypeNames, lintEnvelope, lintPlacement, lintReserved, lintTombstones],
  ...[lintRequired, lintBranches, lintKnownValues],
];

/** Loads what comparisons need. A protocol that renames a type but not in its declarations is still compared. */
export const CONTRACT_ONLY: LoadOptions = { examples: false, streams: false };

/** Loads the protocol in folder `id` of `files`. Findings about files that cannot be parsed are in `files.findings`. */
export async function loadProtocol(
  files: Files,
  id: string,
  { examples, streams = true }: LoadOptions,
): Promise<LoadedProtocol> {
  const before = files.findings.length;
  const manifestSource = files.read(`${id}/protocol.json`);
  const schemas = schemaFiles(files, id);
  const references = await readReferences(files, schemas.files);
  const findings = [...schemas.findings, ...references.findings];
  findings.push(...lintTexts(schemas), ...lintDuplicates(schemas));
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
  const protocol = buildProtocol(manifest, manifestSource, schemas.files, definitions, id);
  findings.push(...definitions.findings, ...lintCycles(definitions.definitions));
  const input = { manifest, manifestSource, files: schemas.files, protocol };
  for (const check of PROTOCOL_CHECKS) findings.push(...check(input));
  if (streams) findings.push(...lintDeclarations(input));
  // A validator of an example can be compiled only from a valid schema.
  if (examples && !broken()) findings.push(...lintExamples(input));
  return broken() ? { findings } : { protocol, findings };
}
