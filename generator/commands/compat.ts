import { InvalidArgumentError, Option } from "commander";
import type { CompatFinding } from "../compat/describe.js";
import { RULES } from "../compat/rules/rules.js";
import { UsageError } from "../failure.js";
import type { Finding, Severity } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { AbsentError } from "../load/baseline/baseline-spec.js";
import type { Loaded } from "../load/load.js";
import { loadProtocols } from "../load/load-protocols.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { type CheckedReleases, checkReleases } from "../load/releases/check-releases.js";
import type { Protocol } from "../protocol/protocol.js";
import { compareVersions, nextMinor, nextReleaseVersion } from "../protocol/version.js";
import { type Format, REPORTERS } from "../report/report.js";
import { counted } from "../text.js";
import type { CommandEntry } from "./command.js";
import { checkProtocol, type ProtocolCheck } from "./compat-check.js";
import { addWaiver } from "./compat-waive.js";
import { severities } from "./lint.js";
import { format, formatOption, schemasOption, text } from "./options.js";

export interface CompatOptions {
  /** Ids of the protocols to compare; all if there is none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  /** What to compare against; every release of the major if it is undefined. */
  readonly against: string | undefined;
  readonly failOn: Severity;
  readonly format: Format;
  /** A finding to make an exception for. */
  readonly waive?: {
    readonly fingerprint: string;
    readonly reason: string;
    readonly expires: string | undefined;
  };
}

const SEVERITIES: readonly Severity[] = ["error", "warning", "note"];

/** Compares protocols with what was promised before, and prints every finding. */
export async function compat(options: CompatOptions, io: Io): Promise<ExitCode> {
  const report = REPORTERS[options.format];
  const loaded = await loadUnlessRemoved(options, io);
  if ("removed" in loaded) {
    const text = `${counted(loaded.removed.length, "error")}: nothing is left to compare`;
    io.stdout(report(loaded.removed, { color: io.colors, summary: { text, data: {} } }));
    return EXIT.findings;
  }
  const { protocols, findings: faults } = loaded;
  const { errors } = severities(faults);
  if (errors > 0) {
    const summary = {
      text: `${counted(errors, "error")} in the schemas: nothing was compared`,
      data: { errors },
    };
    io.stdout(report(faults, { color: io.colors, summary }));
    return faults.every(isRuled) ? EXIT.findings : EXIT.usage;
  }
  const releases = checkReleases(options.schemas, options.protocols, io.environment);
  const checks: ProtocolCheck[] = [];
  const absent: string[] = [];
  for (const protocol of protocols) {
    if (io.watched) io.stderr(`comparing ${protocol.id} …\n`);
    try {
      checks.push(await checkProtocol(protocol, options.schemas, options.against, releases));
    } catch (error) {
      if (!(error instanceof AbsentError)) throw error;
      // Of all protocols, those are compared that the baseline holds; one that was asked for must be there.
      if (options.protocols.length > 0) throw new UsageError(error.message);
      absent.push(error.message);
    }
  }
  if (checks.length === 0 && absent[0] !== undefined) throw new UsageError(absent[0]);
  io.stderr(absent.map((message) => `not compared: ${message}\n`).join(""));
  if (options.waive) return waive(options, options.waive, checks, releases, io);
  const isError = ({ severity }: Finding): boolean => severity === "error";
  const findings = [
    ...releases.findings.filter(isError),
    ...checks.flatMap((each) => each.findings),
    ...releases.findings.filter((finding) => !isError(finding)),
  ];
  io.stdout(report(findings, { color: io.colors, summary: summaryOf(checks, findings) }));
  return fails(findings, options.failOn) ? EXIT.findings : EXIT.ok;
}

/** The protocols; where none is left of those that were asked for, the errors that say that they were removed. */
async function loadUnlessRemoved(
  { schemas, protocols }: CompatOptions,
  io: Io,
): Promise<Loaded | { readonly removed: readonly Finding[] }> {
  try {
    return await loadProtocols(schemas, protocols, CONTRACT_ONLY);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { findings } = checkReleases(schemas, protocols, io.environment);
    const removed = findings.filter(({ rule }) => rule === "protocol-removed");
    if (removed.length === 0) throw error;
    return { removed };
  }
}

/** Whether a rule of compat was met while the schemas were read: they are readable, and break it. */
function isRuled({ rule, severity }: Finding): boolean {
  return severity !== "error" || RULES.some(({ id }) => id === rule);
}

function fails(findings: readonly Finding[], failOn: Severity): boolean {
  const limit = SEVERITIES.indexOf(failOn);
  return findings.some(({ severity }) => SEVERITIES.indexOf(severity) <= limit);
}

function summaryOf(checks: readonly ProtocolCheck[], findings: readonly Finding[]) {
  const { errors, warnings } = severities(findings);
  const notes = findings.length - errors - warnings;
  const counts = [counted(errors, "error"), counted(warnings, "warning"), counted(notes, "note")].join(", ");
  const lines = checks.map(({ protocol: { id }, against, additions, lifted }) => {
    const sides = against.length === 0 ? "nothing to compare with yet" : `against ${against.join(", ")}`;
    const grown = additions.length > 0 ? `, ${counted(additions.length, "addition")}` : "";
    return `${id}: ${sides}${grown}${lifted.length > 0 ? `, ${lifted.length} waived` : ""}`;
  });
  const data = checks.map(({ protocol: { id }, against, additions, lifted }) => ({
    id,
    against,
    additions,
    lifted,
  }));
  return { text: `${counts} (${lines.join("; ")})`, data: { errors, warnings, notes, protocols: data } };
}

async function waive(
  options: CompatOptions,
  { fingerprint, reason, expires }: NonNullable<CompatOptions["waive"]>,
  checks: readonly ProtocolCheck[],
  released: CheckedReleases,
  io: Io,
): Promise<ExitCode> {
  const hit = checks.flatMap(({ protocol, findings }) =>
    findings.flatMap((finding) => (finding.fingerprint === fingerprint ? [{ protocol, finding }] : [])),
  )[0];
  const lifted = checks.flatMap((each) => each.lifted).find((each) => each.fingerprint === fingerprint);
  if (lifted)
    throw new UsageError(`${lifted.rule} ${fingerprint} is waived already; there is nothing to do.`);
  if (!hit)
    throw new UsageError(`No finding has the fingerprint ${fingerprint}; run accrete compat to see them.`);
  refuseUnwaivable(hit.finding);
  const { id, version } = hit.protocol;
  const end = expires ?? defaultEnd(hit.protocol, released);
  if (compareVersions(end, version) <= 0)
    throw new UsageError(
      `A waiver that ends with ${end} has expired already: ${id} is at ${version}. Name a later version, such as ${defaultEnd(hit.protocol, released)}.`,
    );
  const file = addWaiver(
    options.schemas,
    hit.protocol,
    { fingerprint, rule: hit.finding.rule, reason, expires: end },
    io,
  );
  io.stdout(`waived ${hit.finding.rule} ${fingerprint} in ${file} until version ${end}\n`);
  return EXIT.ok;
}

/** Returns the version after the next release, so that this release can be made with the waiver. */
function defaultEnd({ version, name, major }: Protocol, released: CheckedReleases): string {
  const own = released.of(name).filter(({ protocol }) => protocol.major === major);
  return nextMinor(
    nextReleaseVersion(
      version,
      own.map((each) => each.version),
    ),
  );
}

function refuseUnwaivable(finding: Finding | CompatFinding): void {
  if ("waivable" in finding && finding.waivable) return;
  throw new UsageError(
    `${finding.rule} cannot be waived. Only breaks of candidate contracts, and comparisons that could not be decided, can be waived.`,
  );
}

function version(value: string): string {
  if (!/^\d+\.\d+$/.test(value)) throw new InvalidArgumentError("It must be a version X.Y.");
  return value;
}

/** `accrete compat`. */
export const compatCommand: CommandEntry = {
  name: "compat",
  summary: "refuse changes that break readers, each with an event that shows it",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols if there is none" },
  options: [
    new Option(
      "--against <baseline>",
      "dir:PATH, release:X.Y, git:REF or npm:NAME@RANGE; every release of the major if it is left out",
    ),
    new Option("--fail-on <severity>", "the least severity that makes it fail")
      .choices(SEVERITIES)
      .default("error"),
    schemasOption,
    formatOption,
    new Option("--waive <fingerprint>", "write an exception for one finding into protocol.json"),
    new Option("--reason <text>", "why the break is acceptable; with --waive"),
    new Option(
      "--expires <version>",
      "the version in which the exception ends; the minor version after the next release if it is left out",
    ).argParser(version),
  ],
  examples: [
    ["compat", "everything, against every release of its major version"],
    ["compat hecate/v1 --against git:origin/main", "one protocol, against another branch"],
    ['compat --waive 0123456789abcdef --reason "nobody sends it"', "a reviewed exception"],
  ],
  run: (protocols, options, io) => {
    const { against, waive: fingerprint, reason, expires } = options;
    if (fingerprint !== undefined && (reason === undefined || String(reason).trim() === ""))
      throw new UsageError("--waive needs a --reason TEXT that says why the break is acceptable.");
    if (fingerprint === undefined && (reason !== undefined || expires !== undefined))
      throw new UsageError("--reason and --expires belong to --waive FINGERPRINT; nothing was waived.");
    return compat(
      {
        protocols,
        schemas: text(options, "schemas"),
        against: against === undefined ? undefined : String(against),
        failOn: SEVERITIES.find((known) => known === options.failOn) ?? "error",
        format: format(options),
        ...(fingerprint !== undefined && {
          waive: {
            fingerprint: String(fingerprint),
            reason: String(reason),
            expires: expires === undefined ? undefined : String(expires),
          },
        }),
      },
      io,
    );
  },
};
