/** Runs the comparison that `accrete compat` runs, on protocols that exist in memory only. */
import { checkCompatibility } from "../../../generator/compat/check.js";
import type { CompatFinding } from "../../../generator/compat/create-finding.js";
import { createContainmentCache } from "../../../generator/compat/proof/readings.js";
import { RULES } from "../../../generator/compat/rules/rules.js";
import type { BaselineSide } from "../../../generator/compat/side.js";
import { emitRelease } from "../../../generator/emit/release.js";
import type { Finding } from "../../../generator/finding.js";
import { createFilesInMemory } from "../../../generator/load/files.js";
import { CONTRACT_ONLY, loadProtocol } from "../../../generator/load/protocol.js";
import { readRelease } from "../../../generator/load/releases/read-release.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { ProtocolFiles } from "./protocol-files.js";

const ID = "tea/v1";

/** Loads a protocol. `protocol` is undefined if `accrete lint` reports an error. */
export async function loadFiles(files: ProtocolFiles): Promise<{
  readonly protocol?: Protocol;
  readonly findings: readonly Finding[];
}> {
  const outputs = Object.entries(files).map(([path, document]) => ({
    path: `${ID}/${path}`,
    content: JSON.stringify(document),
  }));
  return await loadProtocol(createFilesInMemory("", outputs), ID, CONTRACT_ONLY);
}

const cache = { current: createContainmentCache(), runs: 0 };
const locate = (file: string, pointer: string) => ({ file, pointer });

/** The input of a comparison. */
export interface CompatRun {
  /** Versions to compare against, oldest first. */
  readonly baselines: readonly Protocol[];
  readonly current: Protocol;
  /** True if the baselines are releases; false if they are other schemas folders. */
  readonly released: boolean;
}

/** The result of a comparison. */
export interface CompatResult {
  readonly findings: readonly CompatFinding[];
}

/** Compares a protocol with its baselines, as the command does. */
export async function runCompat({ baselines, current, released }: CompatRun): Promise<CompatResult> {
  // The cache keeps all answers. A new one limits the memory that they take.
  if (++cache.runs % 500 === 0) cache.current = createContainmentCache();
  const sides = baselines.map((baseline): BaselineSide => {
    const protocol = released ? writeAndReadRelease(baseline) : baseline;
    return { label: released ? `release ${protocol.version}` : "before", protocol, locate };
  });
  return checkCompatibility({
    current: { protocol: current, locate },
    baselines: [...sides].reverse(),
    history: released ? sides.map(({ protocol }) => protocol) : [],
    hasAllBaselines: false,
    cache: cache.current,
  });
}

/** Writes the release of a protocol and returns the protocol that is read from it. */
function writeAndReadRelease(protocol: Protocol): Protocol {
  const { path, content } = emitRelease(protocol);
  const read = readRelease(path, new TextEncoder().encode(content));
  if (!read.protocol) throw new Error(JSON.stringify(read.findings));
  return read.protocol;
}

/** Returns true if the command would exit with 0. */
export function hasNoErrors({ findings }: CompatResult): boolean {
  return findings.every(({ severity }) => severity !== "error");
}

/** Returns the findings about messages, without those about names, releases and waivers. */
export function selectBreaks({ findings }: CompatResult): CompatFinding[] {
  const guards: ReadonlySet<string> = new Set(
    RULES.flatMap(({ id, effect }) => (effect === "violates-history" ? [id] : [])),
  );
  return findings.filter(({ rule }) => !guards.has(rule));
}
