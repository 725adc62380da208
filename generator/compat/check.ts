/** Checks one contract: compares it with every baseline, and applies the rules about names, the policy and the waivers. */
import { SEVERITIES } from "../finding.js";
import type { Protocol } from "../protocol/protocol.js";
import { compareTexts } from "../text.js";
import { type Change, type ComparedChange, isBreak, type ProvenChange } from "./change.js";
import { compare } from "./compare.js";
import { type CompatFinding, computeFingerprint, createFinding } from "./create-finding.js";
import { createAcceptedBreaksTest } from "./history/accepted-breaks.js";
import { collectReleasedNames, createUnknownReleasedNames } from "./history/collect-released-names.js";
import { trackReports } from "./history/reported-breaks.js";
import { findMissingBump } from "./history/version-bump.js";
import { applyWaivers, isWaivedBy } from "./history/waivers.js";
import { decideVerdict, isWaivable } from "./policy.js";
import type { ContainmentCache } from "./proof/readings.js";
import type { RecordedConsumer } from "./reach.js";
import { RULES } from "./rules/rules.js";
import type { BaselineSide, Side } from "./side.js";
import { compareStreams } from "./streams/compare-streams.js";

/** The input of a check. */
export interface CheckInput {
  readonly current: Side;
  /** The baselines, the newest first. */
  readonly baselines: readonly BaselineSide[];
  /** Every release of the protocol, of all majors, oldest first. */
  readonly history: readonly Protocol[];
  /** True if the baselines are all that a waiver may be for, so that a waiver without a finding is reported as unused. */
  readonly hasAllBaselines: boolean;
  /** True if a release could not be read. Then names are not checked, because that needs all releases. */
  readonly damaged?: boolean;
  /** The recorded consumers of the protocol. */
  readonly consumers?: readonly RecordedConsumer[];
  readonly cache: ContainmentCache;
}

/** The result of a check. */
export interface CheckResult {
  readonly findings: readonly CompatFinding[];
  /** The additions of the contract to the newest baseline. */
  readonly additions: readonly CompatFinding[];
  /** The findings that waivers cover. */
  readonly waived: readonly CompatFinding[];
  /** True if the contract breaks something for a baseline of its major, waived or not. */
  readonly breaks: boolean;
}

/** Checks one contract. The same input gives the same findings in the same order. */
export async function checkCompatibility(input: CheckInput): Promise<CheckResult> {
  const { current, baselines, history, hasAllBaselines, cache, damaged = false, consumers = [] } = input;
  /** The fingerprints of breaks that a release waived. The tests for waivers add them when they find one. */
  const accepted = new Set<string>();
  const createWaiverTest = async ({ protocol }: BaselineSide): Promise<(change: ProvenChange) => boolean> => {
    const isAccepted = await createAcceptedBreaksTest(protocol, current.protocol, history, cache);
    return (change) => {
      const fingerprint = computeFingerprint(change, current.protocol.id);
      const isWaivedByRelease = isAccepted(change);
      if (isWaivedByRelease) accepted.add(fingerprint);
      const isWaived = isWaivedByRelease || isWaivedBy(current.protocol, change.rule.id, fingerprint);
      return isWaived && isWaivable(change);
    };
  };
  const { changes, differing } = await collectChanges({ current, baselines, cache }, createWaiverTest);
  const releasedNames = damaged
    ? createUnknownReleasedNames(current.protocol)
    : collectReleasedNames(current.protocol, baselines, history);
  const evidence = { changes, current: current.protocol, releasedNames };
  const detectedChanges = RULES.flatMap((rule) =>
    (rule.detect?.(evidence) ?? []).map((difference): Change => ({ ...difference, rule })),
  );
  const reportContext = {
    current,
    next: releasedNames.next,
    consumers,
    baselines: new Map(baselines.map((side) => [side.label, side])),
  };
  const bump = await findMissingBump(current, history, { baselines, differing }, cache);
  const all = [...changes, ...detectedChanges, ...bump];
  const describeAll = (changes: readonly Change[]) =>
    changes.map((change) => createFinding(change, reportContext));
  const isAddition = (change: Change) => decideVerdict(change) === "addition";
  const additions = describeAll(all.filter(isAddition));
  const reportedFindings = describeAll(all.filter((change) => !isAddition(change)));
  const divided = applyWaivers(reportedFindings, { current, accepted, hasAllBaselines });
  const waiverFindings = describeAll(divided.changes);
  return {
    findings: sortFindings([...divided.findings, ...waiverFindings]),
    additions: sortFindings(additions),
    waived: divided.waived,
    breaks: changes.some(({ proof, otherMajor }) => isBreak(proof) && !otherMajor),
  };
}

/**
 * Returns the changes against all baselines, each once with the newest baseline that shows it. Also returns the labels of
 * the baselines that differ from the contract.
 */
async function collectChanges(
  { current, baselines, cache }: Pick<CheckInput, "current" | "baselines" | "cache">,
  createWaiverTest: (baseline: BaselineSide) => Promise<(change: ProvenChange) => boolean>,
): Promise<{ readonly changes: readonly ComparedChange[]; readonly differing: ReadonlySet<string> }> {
  const changesByKey = new Map<string, ComparedChange>();
  const compared = new Set<string>();
  const { findReport, addBreaks } = trackReports(current.protocol);
  const differing = new Set<string>();
  for (const [index, baseline] of baselines.entries()) {
    const newerBaselines = {
      compared,
      findReport: (change: Change) => findReport(change, baseline.protocol),
      isWaived: await createWaiverTest(baseline),
    };
    const changes = await compare(baseline, current, cache, newerBaselines);
    if (changes.length > 0) differing.add(baseline.label);
    for (const change of changes) {
      const key = createChangeKey(change);
      // Of equal changes against one baseline, the first one counts.
      if (changesByKey.get(key)?.against === baseline.label) continue;
      // Changes that break nothing are reported against the newest baseline only, and every break only once.
      const isBreaking = isBreak(change.proof);
      if (index > 0 && (!isBreaking || newerBaselines.findReport(change) !== undefined)) continue;
      // findReport ignores reports about less stable contracts, so such a change arrives again and replaces the earlier one.
      changesByKey.set(key, change);
    }
    if (index < baselines.length - 1) addBreaks(changes, baseline.protocol);
  }
  for (const change of await compareStreams(current, baselines, [...changesByKey.values()])) {
    const side = baselines.find(({ label }) => label === change.against);
    const isWaived = side !== undefined && (await createWaiverTest(side))(change);
    changesByKey.set(createChangeKey(change), { ...change, waived: isWaived });
    differing.add(change.against);
  }
  return { changes: [...changesByKey.values()], differing };
}

/** Returns a key that is the same for a change against all baselines. The protocol is the same too, so the key leaves it out. */
function createChangeKey(change: Change): string {
  return computeFingerprint(change, "");
}

/** Sorts errors first, then by rule and by place in the contract. */
export function sortFindings(findings: readonly CompatFinding[]): CompatFinding[] {
  const createSortKey = ({ severity, rule, events, resources, at }: CompatFinding) =>
    [SEVERITIES.indexOf(severity), rule, events[0] ?? resources?.[0] ?? "", at.file, at.pointer].join("\n");
  return [...findings].sort((a, b) => compareTexts(createSortKey(a), createSortKey(b)));
}
