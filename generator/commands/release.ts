import path from "node:path";
import { Option } from "commander";
import { UsageError } from "../failure.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { type CheckedReleases, checkReleases } from "../load/releases/check-releases.js";
import type { Release } from "../load/releases/release-history.js";
import { changeFolder, type FileChange, recoverInterruptedRun } from "../output/transaction.js";
import type { Protocol } from "../protocol/protocol.js";
import { compareVersions } from "../protocol/version.js";
import { REPORTERS } from "../report/report.js";
import { counted } from "../text.js";
import type { CommandEntry } from "./command.js";
import { checkProtocol, type ProtocolCheck } from "./compat-check.js";
import { generate } from "./generate.js";
import { severities } from "./lint.js";
import { emitOption, emitted, fixturesOption, outOption, schemasOption, text } from "./options.js";
import { withdraw } from "./release-withdraw.js";

export interface ReleaseOptions {
  readonly version: string;
  /** Ids of the protocols; needed where several could be meant. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly out: string;
  readonly fixtures: string;
  /** Names of outputs that are generated besides those that every protocol has. */
  readonly emit: readonly string[];
}

/**
 * Freezes contracts as `releases/X.Y.json`, all of them or none, or says why that cannot be done. A release that exists,
 * or that was ever committed, is never written again.
 */
export async function release(options: ReleaseOptions, io: Io): Promise<ExitCode> {
  const protocols = await chooseProtocols(options);
  const { version, schemas } = options;
  for (const folder of [schemas, ...protocols.map(({ id }) => path.join(schemas, id))])
    recoverInterruptedRun([folder], io);
  const ids = protocols.map(({ id }) => id);
  const releases = checkReleases(schemas, ids, io.environment);
  const { errors } = severities(releases.findings);
  if (errors > 0) {
    const summary = { text: `${counted(errors, "error")}: ${notReleased(ids)}`, data: {} };
    io.stdout(REPORTERS.text(releases.findings, { color: io.colors, summary }));
    return EXIT.findings;
  }
  for (const { message } of releases.findings) io.stderr(`${message}\n`);
  const plans: ReleasePlan[] = [];
  for (const protocol of protocols) plans.push(await planRelease(protocol, options, releases, io));
  for (const { said } of plans) io.stdout(said);
  if (plans.some(({ refused }) => refused)) {
    if (plans.length > 1) io.stdout(`${notReleased(ids)}\n`);
    return EXIT.findings;
  }
  const changes = plans.flatMap(({ change }) => change ?? []);
  writeReleases(schemas, changes, io);
  for (const { path: file } of changes)
    io.stdout(
      `released ${path.posix.dirname(path.posix.dirname(file))} ${version} as ${path.join(schemas, file)}\n`,
    );
  return EXIT.ok;
}

/** What is to be done about one protocol. */
interface ReleasePlan {
  /** What the user is to read about it, before anything is written. */
  readonly said: string;
  readonly refused: boolean;
  /** The file to be written, if there is one; its path is below the schemas folder. */
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
  const refuse = (text: string): ReleasePlan => ({
    said: REPORTERS.text(checked.findings, { color: io.colors, summary: { text, data: {} } }),
    refused: true,
  });
  const { errors } = severities(checked.findings);
  if (errors > 0) return refuse(`${counted(errors, "error")}: ${id} was not released`);
  const { emitRelease, releaseDigest } = await import("../emit/release.js");
  const all = releases.of(name);
  const sameMajor = all.filter((each) => each.protocol.major === major);
  const existing = sameMajor.find((each) => each.version === version);
  const next = suggestVersion(checked, sameMajor);
  if (existing && existing.digest === releaseDigest(protocol, existing.previous))
    return { said: `${id} ${version} is released already, and nothing has changed since\n`, refused: false };
  if (existing) return refuse(`${id} ${version} is released already; ${next}`);
  const newest = sameMajor.at(-1)?.version;
  if (newest !== undefined && compareVersions(version, newest) <= 0)
    return refuse(`${version} is not newer than the release ${newest}; ${next}`);
  const stale = await staleFiles(options, protocol, io);
  if (stale !== undefined) return { said: stale, refused: true };
  const previous = all.filter((each) => compareVersions(each.version, version) < 0).at(-1);
  const { path: file, content } = emitRelease(
    protocol,
    previous && { version: previous.version, digest: previous.digest },
  );
  return { said: "", refused: false, change: { path: file, content, exists: false } };
}

/** Writes release files, all of them or none: one in the folder of its protocol, several in the schemas folder. */
function writeReleases(schemas: string, changes: readonly FileChange[], io: Io): void {
  const [only, ...others] = changes;
  if (!only) return;
  const id = path.posix.dirname(path.posix.dirname(only.path));
  if (others.length > 0) changeFolder(schemas, changes, io);
  else changeFolder(path.join(schemas, id), [{ ...only, path: path.posix.relative(id, only.path) }], io);
}

function notReleased(ids: readonly string[]): string {
  return `${ids.join(" and ")} ${ids.length > 1 ? "were" : "was"} not released`;
}

/** The protocols that are meant: those that are named, or the only one at this version. */
async function chooseProtocols({
  version,
  protocols: named,
  schemas,
}: ReleaseOptions): Promise<readonly Protocol[]> {
  refuseVersion(version);
  const { protocols, findings } = await loadProtocols(schemas, named);
  const fault = findings.find(({ severity }) => severity === "error");
  if (fault)
    throw new UsageError(`The schemas have errors, the first in ${fault.at.file}; run accrete lint.`);
  const fitting = protocols.filter((protocol) => protocol.version === version);
  if (fitting.length === 1 && named.length === 0) return fitting;
  if (fitting.length > 1 && named.length === 0)
    throw new UsageError(
      `${fitting.map((each) => each.id).join(" and ")} are at ${version}; name one of them.`,
    );
  const others = protocols.filter((protocol) => protocol.version !== version);
  if (others.length === 0) return fitting;
  const versions = others.map((protocol) => `${protocol.id} is at ${protocol.version}`).join(", ");
  const problem = fitting.length === 0 ? "No protocol is" : "Not all of these protocols are";
  throw new UsageError(`${problem} at version ${version}: ${versions}. The version stands in protocol.json.`);
}

/** A version X.Y is wanted. */
function refuseVersion(version: string): void {
  if (/^\d+\.\d+$/.test(version)) return;
  throw new UsageError(`"${version}" is no version; write X.Y, such as 1.0.`);
}

/** The version that the changes call for, in words. */
function suggestVersion(
  { protocol, additions, breaks }: ProtocolCheck,
  releases: readonly Release[],
): string {
  const newest = releases.at(-1)?.version;
  if (newest === undefined) return `the first release would be ${protocol.version}`;
  const [major = "0", minor = "0"] = newest.split(".");
  if (breaks) return `with its breaks the contract would be ${Number(major) + 1}.0`;
  const next = `${major}.${Number(minor) + 1}`;
  return additions.length > 0
    ? `with its additions the contract would be ${next}`
    : `the next release would be ${next}`;
}

/** Says which generated files are not those of these schemas; undefined if all are. */
async function staleFiles(
  { schemas, out, fixtures, emit }: ReleaseOptions,
  { id }: Protocol,
  io: Io,
): Promise<string | undefined> {
  const printed: string[] = [];
  const quiet: Io = { ...io, stdout: (chunk) => void printed.push(chunk) };
  const options = { protocols: [id], schemas, out, fixtures, emit, format: "text", check: true } as const;
  if ((await generate(options, quiet)) === EXIT.ok) return undefined;
  return `${printed.join("")}${id} was not released: its generated files are stale; run accrete generate\n`;
}

/** `accrete release`. */
export const releaseCommand: CommandEntry = {
  name: "release",
  summary: "freeze a contract under its version, or withdraw a release",
  operands: {
    syntax: "[release...]",
    description:
      "the version X.Y that protocol.json states, then the ids of its protocols; with --withdraw the id alone",
  },
  options: [
    new Option("--withdraw <version>", "delete a release in which nothing is stable, and record that"),
    new Option("--reason <text>", "why the release is withdrawn; with --withdraw"),
    schemasOption,
    outOption,
    fixturesOption,
    emitOption,
  ],
  writes: true,
  examples: [
    ["release 1.1 hecate/v1", "freeze it as schemas/hecate/v1/releases/1.1.json"],
    ["release 1.1 hecate/v1 evva/v1", "both, or none of them"],
    ['release --withdraw 1.1 hecate/v1 --reason "a field is misspelt"', "so that 1.1 can be released again"],
  ],
  run: async (operands, options, io) => {
    const { withdraw: withdrawn, reason } = options;
    const schemas = text(options, "schemas");
    if (withdrawn !== undefined) {
      refuseVersion(String(withdrawn));
      if (reason === undefined || String(reason).trim() === "")
        throw new UsageError("--withdraw needs a --reason, which stays on record in protocol.json.");
      return await withdraw(
        { version: String(withdrawn), protocols: operands, reason: String(reason), schemas },
        io,
      );
    }
    if (reason !== undefined)
      throw new UsageError("--reason belongs to --withdraw VERSION; nothing was released.");
    const [version, ...protocols] = operands;
    if (version === undefined) throw new UsageError("Name the version to release, such as 1.0.");
    const { out, fixtures } = { out: text(options, "out"), fixtures: text(options, "fixtures") };
    return release({ version, protocols, schemas, out, fixtures, emit: emitted(options) }, io);
  },
};
