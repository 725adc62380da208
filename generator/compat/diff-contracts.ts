/** Compares two contracts that need not have releases, tombstones and waivers. */
import { sortFindings } from "./check.js";
import { compare } from "./compare.js";
import { type CompatFinding, createFinding } from "./create-finding.js";
import { decideVerdict } from "./policy.js";
import { createContainmentCache } from "./proof/readings.js";
import type { TimeLimit } from "./proof/time-limit.js";
import type { RecordedConsumer } from "./reach.js";
import type { BaselineSide, Side } from "./side.js";
import { compareStreams } from "./streams/compare-streams.js";

/** The differences between two contracts. */
export interface ContractDifferences {
  readonly findings: readonly CompatFinding[];
  /** The additions of the current contract, which break nothing. */
  readonly additions: readonly CompatFinding[];
}

/** Compares two contracts as if `current` were the next version of `baseline`. `consumers` are recorded ones of the baseline. After `timeLimit`, everything is undecided. */
export async function diffContracts(
  baseline: BaselineSide,
  current: Side,
  consumers: readonly RecordedConsumer[] = [],
  timeLimit?: TimeLimit,
): Promise<ContractDifferences> {
  const { name, id, major } = current.protocol;
  const before = { ...baseline, protocol: { ...baseline.protocol, name, id, major } };
  const changes = await compare(before, current, createContainmentCache(timeLimit));
  const streamChanges = await compareStreams(current, [before], changes);
  const context = { current, next: undefined, baselines: new Map([[before.label, before]]), consumers };
  const additions: CompatFinding[] = [];
  const findings: CompatFinding[] = [];
  for (const change of [...changes, ...streamChanges]) {
    const list = decideVerdict(change) === "addition" ? additions : findings;
    list.push(createFinding(change, context));
  }
  return { findings: sortFindings(findings), additions: sortFindings(additions) };
}
