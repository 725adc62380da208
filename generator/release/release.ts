import path from "node:path";
import { UsageError } from "../failure.js";
import { countSeverities } from "../finding.js";
import { generate } from "../generate/generate.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadProtocols, loadValidProtocols } from "../load/load-protocols.js";
import { type CheckedReleases, checkReleases } from "../load/releases/check-releases.js";
import type { Release } from "../load/releases/release-history.js";
import { changeFolder, type FileChange, recoverInterruptedRun } from "../output/transaction.js";
import type { Protocol } from "../protocol/protocol.js";
import { compareVersions, getNextMinor } from "../protocol/version.js";
import { REPORTERS } from "../report/report.js";
import { checkPromotions } from "../status/check-promotion.js";
import { formatCount } from "../text.js";
import { checkProtocol, type ProtocolCheck } from "./check-protocol.js";

/** The options of `accrete release`. */
interface ReleaseOptions {
  readonly version: string;
  /** The ids of the protocols; needed if several protocols are at the version. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly out: string;
  readonly fixtures: string;
  /** The file in which contract tests record the frontends that passed. */
  readonly consumers: string;
  /** The names of the optional outputs that are generated. */
  readonly emit: readonly string[];
}

/**
 * Freezes contracts as `releases/X.Y.json`, all of them or none, or prints why that is not possible. It never overwrites a
 * release that exists, and never writes a version again that was committed before.
 */
export async function release(options: ReleaseOptions, io: Io): Promise<ExitCode> {
  const protocols = await chooseProtocols(options);
  const { version, schemas } = options;
  for (const folder of [schemas, ...protocols.map(({ id }) => path.join(schemas, id))])
    recoverInterruptedRun(folder, io);
  const ids = protocols.map(({ id }) => id);
  const releases = checkReleases(schemas, ids, io.environment);
  const { findings: lintFindings } = await loadProtocols(schemas, ids);
  const impossible = lintFindings.filter(({ rule }) => rule === "event-impossible");
  if (impossible.length > 0) {
    const text = `${formatCount(impossible.length, "finding")}: ${describeRefusal(ids)}`;
    io.stdout(REPORTERS.text(impossible, { color: io.colors, summary: { text, data: {} } }));
    return EXIT.findings;
  }
  const { errors } = countSeverities(releases.findings);
  if (errors > 0) {
    const summary = { text: `${formatCount(errors, "error")}: ${describeRefusal(ids)}`, data: {} };
    io.stdout(REPORTERS.text(releases.findings, { color: io.colors, summary }));
    return EXIT.findings;
  }
  for (const { message } of releases.findings) io.stderr(`${message}\n`);
  const plans: ReleasePlan[] = [];
  for (const protocol of protocols) plans.push(await planRelease(protocol, options, releases, io));
  for (const { report } of plans) io.stdout(report);
  if (plans.some(({ isRefused }) => isRefused)) {
    if (plans.length > 1) io.stdout(`${describeRefusal(ids)}\n`);
    return EXIT.findings;
  }
  const changes = plans.flatMap(({ change }) => change ?? []);
  writeReleases(schemas, changes, io);
  for (const { path: file } of changes)
    io.stdout(`released ${getProtocolFolder(file)} ${version} as ${path.join(schemas, file)}\n`);
  return EXIT.ok;
}

/** Returns the folder of the protocol of a release file. */
function getProtocolFolder(releaseFile: string): string {
  return path.posix.dirname(path.posix.dirname(releaseFile));
}

/** The planned release of one protocol. */
interface ReleasePlan {
  /** The text that is printed before anything is written. */
  readonly report: string;
  readonly isRefused: boolean;
  /** The release file to write, if any; its path is below the schemas folder. */
  readonly change?: FileChange;
}

async function planRelease(
  protocol: Protocol,
  options: ReleaseOptions,
  releases: CheckedReleases,
  io: Io,
): Promise<ReleasePlan> {
  const { version, schemas } = options;
  const { id, name, major } = protocol;
  const checked = await checkProtocol(protocol, schemas, undefined, releases);
  const findings = [...checked.findings, ...checkPromotions([protocol], options)];
  const refuse = (text: string): ReleasePlan => ({
    report: REPORTERS.text(findings, { color: io.colors, summary: { text, data: {} } }),
    isRefused: true,
  });
  const { errors } = countSeverities(findings);
  if (errors > 0) return refuse(`${formatCount(errors, "error")}: ${id} was not released`);
  const { emitRelease, computeReleaseDigest } = await import("../emit/release.js");
  const released = releases.listReleases(name);
  const sameMajor = released.filter((each) => each.protocol.major === major);
  const existing = sameMajor.find((each) => each.version === version);
  const next = suggestVersion(checked, sameMajor);
  // The release may have been written under a former name, so its digest is computed again under the current one.
  const computeDigest = (each: Protocol): string => computeReleaseDigest(each, existing?.previous);
  if (existing && computeDigest(existing.protocol) === computeDigest(protocol))
    return {
      report: `${id} ${version} is already released, and nothing has changed since\n`,
      isRefused: false,
    };
  if (existing) return refuse(`${id} ${version} is already released; ${next}`);
  const newest = sameMajor.at(-1)?.version;
  if (newest !== undefined && compareVersions(version, newest) <= 0)
    return refuse(`${version} is not newer than the release ${newest}; ${next}`);
  const staleReport = await reportStaleFiles(options, protocol, io);
  if (staleReport !== undefined) return { report: staleReport, isRefused: true };
  const previous = released.filter((each) => compareVersions(each.version, version) < 0).at(-1);
  const { path: file, content } = emitRelease(
    protocol,
    previous && { version: previous.version, digest: previous.digest },
  );
  return { report: "", isRefused: false, change: { path: file, content, exists: false } };
}

/** Writes release files, all of them or none: one in the folder of its protocol, several in the schemas folder. */
function writeReleases(schemas: string, changes: readonly FileChange[], io: Io): void {
  const [only, ...others] = changes;
  if (!only) return;
  const id = getProtocolFolder(only.path);
  if (others.length > 0) changeFolder(schemas, changes, io);
  else changeFolder(path.join(schemas, id), [{ ...only, path: path.posix.relative(id, only.path) }], io);
}

function describeRefusal(ids: readonly string[]): string {
  return `${ids.join(" and ")} ${ids.length > 1 ? "were" : "was"} not released`;
}

/** Returns the named protocols, or the only protocol at the version if none is named. */
async function chooseProtocols({
  version,
  protocols: ids,
  schemas,
}: ReleaseOptions): Promise<readonly Protocol[]> {
  if (!isVersion(version)) throw new UsageError(`"${version}" is not a version; write X.Y, such as 1.0.`);
  const protocols = await loadValidProtocols(schemas, ids);
  const atVersion = protocols.filter((protocol) => protocol.version === version);
  if (atVersion.length === 1 && ids.length === 0) return atVersion;
  if (atVersion.length > 1 && ids.length === 0)
    throw new UsageError(
      `${atVersion.map((each) => each.id).join(" and ")} are at ${version}; name one of them.`,
    );
  const others = protocols.filter((protocol) => protocol.version !== version);
  if (others.length === 0) return atVersion;
  const versions = others.map((protocol) => `${protocol.id} is at ${protocol.version}`).join(", ");
  const problem = atVersion.length === 0 ? "No protocol is" : "Not all of these protocols are";
  throw new UsageError(`${problem} at version ${version}: ${versions}. protocol.json states the version.`);
}

/** Returns whether a text is a version X.Y. */
export function isVersion(text: string): boolean {
  return /^\d+\.\d+$/.test(text);
}

/** Returns a clause that suggests the version of the next release. */
function suggestVersion(
  { protocol, additions, breaks }: ProtocolCheck,
  releases: readonly Release[],
): string {
  const newest = releases.at(-1)?.version;
  if (newest === undefined) return `the first release would be ${protocol.version}`;
  if (breaks) return `with its breaks the contract would be ${protocol.major + 1}.0`;
  const next = getNextMinor(newest);
  return additions.length > 0
    ? `with its additions the contract would be ${next}`
    : `the next release would be ${next}`;
}

/** Returns the report about generated files that are not up to date; undefined if all are. */
async function reportStaleFiles(
  { schemas, out, fixtures, emit }: ReleaseOptions,
  { id }: Protocol,
  io: Io,
): Promise<string | undefined> {
  const options = { protocols: [id], schemas, out, fixtures, emit, check: true };
  const { findings, summary } = await generate(options, io);
  if (countSeverities(findings).errors === 0) return undefined;
  const report = REPORTERS.text(findings, { color: io.colors, summary });
  return `${report}${id} was not released: its generated files are stale; run accrete generate\n`;
}
