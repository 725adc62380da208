import { setImmediate as turn } from "node:timers/promises";
import type { CompatFinding } from "../compat/describe.js";
import type { Oracle } from "../compat/readings.js";
import type { Finding } from "../finding.js";
import { openBaseline } from "../load/baseline.js";
import { locateOnDisk } from "../load/baseline-locate.js";
import { AbsentError, BaselineError, parseBaseline } from "../load/baseline-spec.js";
import { readReleases } from "../load/release-history.js";
import type { Protocol } from "../model/protocol.js";
import { UsageError } from "./failure.js";

/** What the comparison of one protocol came to. */
export interface ProtocolCheck {
  readonly protocol: Protocol;
  /** The names of what it was compared against, the newest first. */
  readonly against: readonly string[];
  readonly findings: readonly (Finding | CompatFinding)[];
  readonly additions: readonly CompatFinding[];
  readonly lifted: readonly CompatFinding[];
  /** Whether something breaks readers or the contract, whatever its stability. */
  readonly breaks: boolean;
}

/**
 * Compares a protocol with `against`, or with every release of its major. A baseline that cannot be had is a usage error, one that
 * does not hold the protocol an AbsentError.
 */
export async function checkProtocol(
  protocol: Protocol,
  schemas: string,
  against: string | undefined,
): Promise<ProtocolCheck> {
  const { releases, findings } = readReleases(schemas, protocol.name);
  const sameMajor = releases.filter((each) => each.protocol.major === protocol.major).reverse();
  const baselines =
    against === undefined
      ? sameMajor.map((each) => ({ ...each, label: `release ${each.version}` }))
      : [fetched(against, protocol, schemas)];
  // Only here: the proof engine takes longer to load than most commands need to run.
  const [{ check }, { openOracle }] = await Promise.all([
    import("../compat/check.js"),
    import("../compat/readings.js"),
  ]);
  const checked = await check({
    current: { protocol, locate: locateOnDisk() },
    baselines,
    history: releases.map((each) => each.protocol),
    complete: against === undefined && findings.length === 0,
    damaged: findings.length > 0,
    oracle: interruptible(openOracle()),
  });
  const against_ = baselines.map(({ label }) => label);
  return { protocol, against: against_, ...checked, findings: [...findings, ...checked.findings] };
}

/** The same answers; before each, signals are heard. */
function interruptible(oracle: Oracle): Oracle {
  const inside: Oracle["inside"] = async (a, b) => {
    await turn();
    return oracle.inside(a, b);
  };
  return { ...oracle, inside };
}

function fetched(against: string, { id }: Protocol, schemas: string) {
  try {
    return openBaseline(parseBaseline(against), id, schemas);
  } catch (error) {
    if (error instanceof AbsentError) throw error;
    if (error instanceof BaselineError) throw new UsageError(error.message);
    throw error;
  }
}
