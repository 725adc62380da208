import type { CompatFinding } from "../compat/create-finding.js";
import type { TimeLimit } from "../compat/proof/time-limit.js";
import type { RecordedConsumer } from "../compat/reach.js";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { openBaseline } from "../load/baseline/baseline.js";
import { AbsentError, BaselineError, parseBaseline } from "../load/baseline/baseline-spec.js";
import { locateOnDisk } from "../load/baseline/locate-place.js";
import type { CheckedReleases } from "../load/releases/check-releases.js";
import type { Protocol } from "../protocol/protocol.js";

/** The result of the comparison of one protocol. */
export interface ProtocolCheck {
  readonly protocol: Protocol;
  /** The names of the baselines, the newest first. */
  readonly against: readonly string[];
  readonly findings: readonly (Finding | CompatFinding)[];
  readonly additions: readonly CompatFinding[];
  readonly waived: readonly CompatFinding[];
  /** True if a change of any stability breaks readers or writers. */
  readonly breaks: boolean;
}

/**
 * Compares a protocol with the baseline `against`, or with every release of its major if `against` is undefined. Throws a
 * UsageError if the baseline cannot be loaded, and an AbsentError if it does not hold the protocol. Does not repeat the
 * findings of `checkedReleases`. The findings say which of the recorded `consumers` they reach. After `timeLimit`, everything
 * is undecided.
 */
export async function checkProtocol(
  protocol: Protocol,
  schemas: string,
  against: string | undefined,
  checkedReleases: CheckedReleases,
  consumers: readonly RecordedConsumer[] = [],
  timeLimit?: TimeLimit,
): Promise<ProtocolCheck> {
  const releases = checkedReleases.listReleases(protocol.name);
  const damaged = checkedReleases.isDamaged(protocol.name);
  const sameMajor = releases.filter((each) => each.protocol.major === protocol.major).reverse();
  const baselines =
    against === undefined
      ? sameMajor.map((each) => ({ ...each, label: `release ${each.version}` }))
      : [await fetchBaseline(against, protocol, schemas)];
  // The proof engine takes longer to load than most commands need to run.
  const [{ checkCompatibility }, { createContainmentCache }] = await Promise.all([
    import("../compat/check.js"),
    import("../compat/proof/readings.js"),
  ]);
  const result = await checkCompatibility({
    current: { protocol, locate: locateOnDisk() },
    baselines,
    history: releases.map((each) => each.protocol),
    hasAllBaselines: against === undefined && !damaged,
    damaged,
    consumers,
    cache: createContainmentCache(timeLimit),
  });
  return { protocol, against: baselines.map(({ label }) => label), ...result };
}

async function fetchBaseline(against: string, { id }: Protocol, schemas: string) {
  try {
    return await openBaseline(parseBaseline(against), id, schemas);
  } catch (error) {
    if (error instanceof AbsentError) throw error;
    if (error instanceof BaselineError) throw new UsageError(error.message);
    throw error;
  }
}
