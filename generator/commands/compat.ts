import { InvalidArgumentError, Option } from "commander";
import type { CompatFinding } from "../compat/describe.js";
import { ALWAYS_WAIVABLE } from "../compat/policy.js";
import { RULES } from "../compat/rules.js";
import type { Finding, Severity } from "../finding.js";
import { AbsentError } from "../load/baseline-spec.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import type { Protocol } from "../model/protocol.js";
import { compareVersions } from "../model/version.js";
import { type Format, REPORTERS } from "../report/report.js";
import type { CommandEntry } from "./command.js";
import { checkProtocol, type ProtocolCheck } from "./compat-check.js";
import { addWaiver } from "./compat-waive.js";
import { UsageError } from "./failure.js";
import { EXIT, type ExitCode, type Io } from "./io.js";
import { severities } from "./lint.js";
import { loadProtocols } from "./load-protocols.js";
import { format, formatOption, schemasOption, text } from "./options.js";
import { counted } from "./words.js";

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
  const { protocols, findings: faults } = loadProtocols(options.schemas, options.protocols, CONTRACT_ONLY);
  const report = REPORTERS[options.format];
  const { errors } = severities(faults);
  if (errors > 0) {
    const summary = {
      text: `${counted(errors, "error")} in the schemas: nothing was compared`,
      data: { errors },
    };
    io.stdout(report(faults, { color: io.colors, summary }));
    return faults.every(isRuled) ? EXIT.findings : EXIT.usage;
  }
  const checks: ProtocolCheck[] = [];
  const absent: string[] = [];
  for (const protocol of protocols) {
    if (io.watched) io.stderr(`comparing ${protocol.id} …\n`);
    try {
      checks.push(await checkProtocol(protocol, options.schemas, options.against));
    } catch (error) {
      if (!(error instanceof AbsentError)) throw error;
      // Of all protocols, those are compared that the baseline holds; one that was asked for must be there.
      if (options.protocols.length > 0) throw new UsageError(error.message);
      absent.push(error.message);
    }
  }
  if (checks.length === 0 && absent[0] !== undefined) throw new UsageError(absent[0]);
  io.stderr(absent.map((message) => `not compared: ${message}\n`).join(""));
  if (options.waive) return waive(options, options.waive, checks, io);
  const findings = checks.flatMap((each) => each.findings);
  io.stdout(report(findings, { color: io.colors, summary: summaryOf(checks, findings) }));
  return fails(findings, options.failOn) ? EXIT.findings : EXIT.ok;
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
  const end = expires ?? nextMinor(hit.protocol);
  if (compareVersions(end, hit.protocol.version) <= 0)
    throw new UsageError(
      `A waiver that ends with ${end} has expired already: ${hit.protocol.id} is at ${hit.protocol.version}; the next minor version is ${nextMinor(hit.protocol)}.`,
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

function refuseUnwaivable(finding: Finding | CompatFinding): void {
  const lasting =
    !("stability" in finding) ||
    (finding.stability !== "candidate" && !ALWAYS_WAIVABLE.has(finding.rule)) ||
    finding.hurts.length === 0;
  if (finding.severity === "error" && !lasting) return;
  throw new UsageError(
    `${finding.rule} cannot be waived: only breaks of candidate contracts can, and only where they are errors.`,
  );
}

function nextMinor({ version }: Protocol): string {
  const [major = "0", minor = "0"] = version.split(".");
  return `${major}.${Number(minor) + 1}`;
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
      "the version in which the exception ends; the next minor one if it is left out",
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
      throw new UsageError("--waive takes a --reason: an exception that nobody can explain is none.");
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
