import { readFileSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { countSeverities } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { setInManifest } from "../load/edit-json.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { checkReleases } from "../load/releases/check-releases.js";
import type { Release } from "../load/releases/release-history.js";
import { describeStableParts } from "../load/releases/withdrawals.js";
import { changeFolder, recoverInterruptedRun } from "../output/transaction.js";
import { REPORTERS } from "../report/report.js";
import { formatCount } from "../text.js";

/** The options of `accrete release --withdraw`. */
interface WithdrawOptions {
  readonly version: string;
  /** The id of the protocol; needed if several protocols have a release of the version. */
  readonly protocols: readonly string[];
  readonly reason: string;
  readonly schemas: string;
}

/**
 * Deletes a release and records its version, digest and reason in protocol.json, both or neither. Only the newest
 * release of a major version can be withdrawn, because each later release was checked against the releases before it, and only
 * while nothing in it is stable, because readers rely on stable parts.
 */
export async function withdraw(
  { version, protocols, reason, schemas }: WithdrawOptions,
  io: Io,
): Promise<ExitCode> {
  const ids = (await loadValidProtocols(schemas, protocols, CONTRACT_ONLY)).map(({ id }) => id);
  for (const id of ids) recoverInterruptedRun(path.join(schemas, id), io);
  const releases = checkReleases(schemas, ids, io.environment);
  const names = [...new Set(ids.map((id) => id.slice(0, id.indexOf("/"))))];
  const all = names.flatMap((name) => releases.listReleases(name));
  const chosen = chooseRelease(all, ids, version);
  const { id } = chosen.protocol;
  // Findings about the release itself are ignored, so that one of two contradicting releases can be withdrawn.
  const otherFindings = releases.findings.filter(({ at }) => at.file !== chosen.file);
  const { errors } = countSeverities(otherFindings);
  if (errors > 0) {
    const summary = { text: `${formatCount(errors, "error")}: ${id} ${version} was not withdrawn`, data: {} };
    io.stdout(REPORTERS.text(otherFindings, { color: io.colors, summary }));
    return EXIT.findings;
  }
  for (const { message } of otherFindings) io.stderr(`${message}\n`);
  const refusal = findRefusalReason(chosen, all);
  if (refusal !== undefined) {
    io.stdout(`${id} ${version} was not withdrawn: ${refusal}\n`);
    return EXIT.findings;
  }
  const folder = path.join(schemas, id);
  const manifest = readFileSync(path.join(folder, "protocol.json"), "utf8");
  const content = setInManifest(manifest, "withdrawn", undefined, { version, digest: chosen.digest, reason });
  const changes = [
    { path: "protocol.json", content, exists: true },
    { path: `releases/${version}.json`, content: undefined, exists: true },
  ];
  changeFolder(folder, changes, io);
  io.stdout(
    `withdrew ${id} ${version}, and recorded that in ${path.join(folder, "protocol.json")}; ${version} can be released again\n`,
  );
  return EXIT.ok;
}

function chooseRelease(all: readonly Release[], ids: readonly string[], version: string): Release {
  const found = all.filter((each) => each.version === version && ids.includes(each.protocol.id));
  const [only, other] = found;
  if (only && !other) return only;
  if (other)
    throw new UsageError(
      `${found.map(({ protocol }) => protocol.id).join(" and ")} have a release ${version}; name one of them.`,
    );
  const candidates = all.filter(({ protocol }) => ids.includes(protocol.id));
  const versions = candidates.map((each) => `${each.protocol.id} ${each.version}`).join(", ") || "none";
  throw new UsageError(`There is no release ${version} to withdraw; the releases are: ${versions}.`);
}

/** Returns why the release cannot be withdrawn; undefined if it can. */
function findRefusalReason({ version, protocol }: Release, all: readonly Release[]): string | undefined {
  const newest = all.filter((each) => each.protocol.id === protocol.id).at(-1)?.version ?? version;
  if (newest !== version)
    return `the release ${newest} was made after it; only the newest release can be withdrawn`;
  const stable = describeStableParts(protocol);
  if (stable.length === 0) return undefined;
  const rest = stable.length > 1 ? ` and ${stable.length - 1} more` : "";
  return `${stable[0]}${rest} ${stable.length > 1 ? "are" : "is"} stable in it, and readers rely on that; release the corrected contract under the next version`;
}
