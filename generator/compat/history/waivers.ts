import type { Protocol, Waiver } from "../../protocol/protocol.js";
import { compareVersions } from "../../protocol/version.js";
import type { CompatFinding } from "../describe.js";
import type { Fact } from "../rules/rule.js";
import { type Side, spotAt } from "../side.js";

/** What waivers make of findings. */
export interface Waived {
  readonly findings: readonly CompatFinding[];
  /** Findings that a waiver lifts. */
  readonly lifted: readonly CompatFinding[];
  /** What is wrong with waivers. */
  readonly faults: readonly Fact[];
}

/** What decides about findings besides the waivers that the contract states. */
interface Waiving {
  readonly current: Side;
  /** The fingerprints of breaks that a release was made with. */
  readonly accepted: ReadonlySet<string>;
  /** Whether everything was compared that a waiver can be about, so that one without a finding is unused. */
  readonly complete: boolean;
}

/** Applies the waivers of the current contract and those that releases were made with. */
export function applyWaivers(
  findings: readonly CompatFinding[],
  { current: { protocol }, accepted, complete }: Waiving,
): Waived {
  const valid = validWaivers(protocol);
  const lifts = (finding: CompatFinding): boolean =>
    finding.waivable &&
    (accepted.has(finding.fingerprint) || valid.get(finding.fingerprint)?.rule === finding.rule);
  const lifted = findings.filter(lifts);
  const used = new Set(lifted.map(({ fingerprint }) => fingerprint));
  const faults = protocol.waivers.flatMap((waiver) => {
    if (isExpired(waiver, protocol)) return [faultOf("waiver-expired", waiver)];
    return complete && !used.has(waiver.fingerprint) ? [faultOf("waiver-unused", waiver)] : [];
  });
  return { findings: findings.filter((finding) => !lifts(finding)), lifted, faults };
}

/** The waivers that have not expired, by fingerprint. */
export function validWaivers(protocol: Protocol): ReadonlyMap<string, Waiver> {
  const valid = protocol.waivers.filter((waiver) => !isExpired(waiver, protocol));
  return new Map(valid.map((waiver) => [waiver.fingerprint, waiver]));
}

function isExpired({ expires }: Waiver, { version }: Protocol): boolean {
  return !/^\d+\.\d+$/.test(expires) || compareVersions(version, expires) >= 0;
}

function faultOf(kind: string, { fingerprint, rule, expires, at }: Waiver): Fact {
  return {
    ...{ kind, name: fingerprint, from: rule, to: expires, claim: {} },
    occurrences: [{ event: "", path: "", steps: [], stability: "stable" }],
    after: spotAt(fingerprint, at),
  };
}
