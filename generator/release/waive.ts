import { readFileSync } from "node:fs";
import path from "node:path";
import type { CompatFinding } from "../compat/create-finding.js";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { setInManifest } from "../load/edit-json.js";
import type { CheckedReleases } from "../load/releases/check-releases.js";
import type { LockOwner } from "../output/lock.js";
import { changeFolder } from "../output/transaction.js";
import type { Protocol, Waiver } from "../protocol/protocol.js";
import { compareVersions, getNextMinor, getNextReleaseVersion } from "../protocol/version.js";
import type { ProtocolCheck } from "./check-protocol.js";

/** A request to waive the finding with this fingerprint. */
export interface WaiverRequest {
  readonly fingerprint: string;
  readonly reason: string;
  /** The version in which the waiver ends; by default the minor version after the next release. */
  readonly expires: string | undefined;
}

/**
 * Adds a waiver for one of the findings to protocol.json, and changes no other byte. Returns the waiver and the file. Throws
 * a UsageError if the finding does not exist or cannot be waived.
 */
export function waiveFinding(
  schemas: string,
  { fingerprint, reason, expires }: WaiverRequest,
  checks: readonly ProtocolCheck[],
  releases: CheckedReleases,
  owner: LockOwner,
): Omit<Waiver, "at"> & { readonly file: string } {
  const waived = checks.flatMap((each) => each.waived).find((each) => each.fingerprint === fingerprint);
  if (waived)
    throw new UsageError(`${waived.rule} ${fingerprint} is already waived; there is nothing to do.`);
  const check = checks.find(({ findings }) => findings.some((each) => each.fingerprint === fingerprint));
  const finding = check?.findings.find((each) => each.fingerprint === fingerprint);
  if (!check || !finding)
    throw new UsageError(`No finding has the fingerprint ${fingerprint}; run accrete compat to see them.`);
  refuseUnwaivable(finding);
  const { protocol } = check;
  const end = expires ?? chooseDefaultEnd(protocol, releases);
  if (compareVersions(end, protocol.version) <= 0)
    throw new UsageError(
      `A waiver that ends with ${end} has expired already: ${protocol.id} is at ${protocol.version}. Name a later version, such as ${chooseDefaultEnd(protocol, releases)}.`,
    );
  const waiver = { fingerprint, rule: finding.rule, reason, expires: end };
  return { ...waiver, file: addWaiver(schemas, protocol, waiver, owner) };
}

function addWaiver(
  schemas: string,
  { id, waivers }: Protocol,
  waiver: Omit<Waiver, "at">,
  owner: LockOwner,
): string {
  const file = path.join(schemas, id, "protocol.json");
  const position = waivers.findIndex(({ fingerprint }) => fingerprint === waiver.fingerprint);
  const index = position === -1 ? undefined : position;
  const content = setInManifest(readFileSync(file, "utf8"), "waivers", index, waiver);
  changeFolder(path.dirname(file), [{ path: "protocol.json", content, exists: true }], owner);
  return file;
}

/** Returns the version after the next release, so that this release can be made with the waiver. */
function chooseDefaultEnd({ version, name, major }: Protocol, releases: CheckedReleases): string {
  const sameMajor = releases.listReleases(name).filter(({ protocol }) => protocol.major === major);
  const versions = sameMajor.map((release) => release.version);
  return getNextMinor(getNextReleaseVersion(version, versions));
}

function refuseUnwaivable(finding: Finding | CompatFinding): void {
  if ("waivable" in finding && finding.waivable) return;
  throw new UsageError(
    `${finding.rule} cannot be waived. Only breaks of candidate contracts, and comparisons that could not be decided, can be waived.`,
  );
}
