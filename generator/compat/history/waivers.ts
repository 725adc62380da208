import type { Protocol, Waiver } from "../../protocol/protocol.js";
import { compareVersions } from "../../protocol/version.js";
import { createSpot } from "../../schema/describe.js";
import type { Change, Rule } from "../change.js";
import type { CompatFinding } from "../create-finding.js";
import { RELEASE_RULES } from "../rules/releases.js";
import type { Side } from "../side.js";
import { createRootPlace } from "../subjects.js";

/** Findings divided by waivers. */
interface WaivedFindings {
  readonly findings: readonly CompatFinding[];
  /** Findings that a waiver covers. */
  readonly waived: readonly CompatFinding[];
  /** Waivers that have expired or match no finding, as changes. */
  readonly changes: readonly Change[];
}

/** The contract, and the breaks that its releases waived. */
interface WaiverContext {
  readonly current: Side;
  /** The fingerprints of breaks that a release waived. */
  readonly accepted: ReadonlySet<string>;
  /** True if the baselines are all that a waiver may be for, so that a waiver without a finding is reported as unused. */
  readonly hasAllBaselines: boolean;
}

/** Applies the waivers of the current contract and those of its releases. */
export function applyWaivers(
  findings: readonly CompatFinding[],
  { current: { protocol }, accepted, hasAllBaselines }: WaiverContext,
): WaivedFindings {
  const isWaived = (finding: CompatFinding): boolean =>
    finding.waivable &&
    (accepted.has(finding.fingerprint) || isWaivedBy(protocol, finding.rule, finding.fingerprint));
  const waivedFindings = findings.filter(isWaived);
  const usedFingerprints = new Set(waivedFindings.map(({ fingerprint }) => fingerprint));
  const changes = protocol.waivers.flatMap((waiver) => {
    if (isExpired(waiver, protocol)) return [createWaiverChange(RELEASE_RULES["waiver-expired"], waiver)];
    return hasAllBaselines && !usedFingerprints.has(waiver.fingerprint)
      ? [createWaiverChange(RELEASE_RULES["waiver-unused"], waiver)]
      : [];
  });
  return { findings: findings.filter((finding) => !isWaived(finding)), waived: waivedFindings, changes };
}

/** Returns whether a waiver of `protocol` that has not expired covers a finding. */
export function isWaivedBy(protocol: Protocol, rule: string, fingerprint: string): boolean {
  return listValidWaivers(protocol).get(fingerprint)?.rule === rule;
}

/** Returns the waivers that have not expired, by fingerprint. */
export function listValidWaivers(protocol: Protocol): ReadonlyMap<string, Waiver> {
  const valid = protocol.waivers.filter((waiver) => !isExpired(waiver, protocol));
  return new Map(valid.map((waiver) => [waiver.fingerprint, waiver]));
}

/** Returns whether a waiver has expired. One whose expiry is not a version, such as 1.2, never holds. */
function isExpired({ expires }: Waiver, { version }: Protocol): boolean {
  return !/^\d+\.\d+$/.test(expires) || compareVersions(version, expires) >= 0;
}

function createWaiverChange(changeRule: Rule, { fingerprint, rule, expires, at }: Waiver): Change {
  return {
    rule: changeRule,
    name: fingerprint,
    from: rule,
    to: expires,
    claim: {},
    places: [createRootPlace({ type: "", stability: "stable" })],
    after: createSpot(fingerprint, at),
  };
}
