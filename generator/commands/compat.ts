import { InvalidArgumentError, Option } from "commander";
import type { Cache } from "../cache/cache.js";
import { identifyResult } from "../cache/identify-result.js";
import type { TimeLimit } from "../compat/proof/time-limit.js";
import { RULES } from "../compat/rules/rules.js";
import { UsageError } from "../failure.js";
import { countSeverities, type FailureLevel, type Finding, hasFailure, omitDifferences } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { AbsentError } from "../load/baseline/baseline-spec.js";
import { readRecordsIfValid } from "../load/consumer-records.js";
import type { LoadResult } from "../load/load.js";
import { loadProtocols } from "../load/load-protocols.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { type CheckedReleases, checkReleases } from "../load/releases/check-releases.js";
import type { Protocol } from "../protocol/protocol.js";
import { checkProtocol, type ProtocolCheck } from "../release/check-protocol.js";
import { type WaiverRequest, waiveFinding } from "../release/waive.js";
import type { ReportFormat } from "../report/report.js";
import { formatCount } from "../text.js";
import { type CommandEntry, type Outcome, printOutcome } from "./command.js";
import { limitTime, timeLimitOption } from "./limit-time.js";
import {
  againstOption,
  consumersOption,
  differenceOption,
  failOnOption,
  fixturesOption,
  formatOption,
  quietOption,
  readConsumersFile,
  readFailOn,
  readFormat,
  readOptionalText,
  readText,
  schemasOption,
} from "./options.js";

/** The options of `accrete compat`. */
interface CompatOptions {
  /** Ids of the protocols to compare; all if there are none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  /** The baseline; every release of the major if undefined. */
  readonly against: string | undefined;
  /** The file in which contract tests record the frontends that passed. */
  readonly consumers: string;
  readonly failOn: FailureLevel;
  /** True if findings have the schemas of all messages that break. */
  readonly hasDifferences: boolean;
  /** The end of the time for the comparison; none if undefined. */
  readonly timeLimit?: TimeLimit;
}

/** Protocols that were compared, and what is wrong with their releases and declarations. */
interface Comparison {
  readonly checks: readonly ProtocolCheck[];
  readonly releases: CheckedReleases;
  readonly declarationFindings: readonly Finding[];
}

/** Writes a waiver for a finding of the comparison. */
async function waive(
  request: WaiverRequest,
  options: CompatOptions,
  format: ReportFormat,
  io: Io,
): Promise<ExitCode> {
  const compared = await compareOrRefuse(options, io);
  if ("summary" in compared) return printOutcome(compared, format, io);
  const { checks, releases } = compared;
  const { rule, fingerprint, file, expires } = waiveFinding(options.schemas, request, checks, releases, io);
  io.stdout(`waived ${rule} ${fingerprint} in ${file} until version ${expires}\n`);
  return EXIT.ok;
}

/** Returns the changes that break readers or writers. With a cache, it does not repeat a comparison that found nothing. */
export async function compareProtocols(options: CompatOptions, io: Io, cache?: Cache): Promise<Outcome> {
  const { protocols, schemas, consumers, against } = options;
  const identity =
    cache && against === undefined
      ? identifyResult(cache, "compat", [protocols, schemas, consumers], [schemas, consumers])
      : undefined;
  const known = identity && cache?.read<RememberedComparison>(identity.name, identity.key)?.value;
  if (known) {
    // Whether releases are damaged also depends on the git history.
    const releases = checkReleases(schemas, protocols, io.environment);
    if (releases.findings.length === 0) return summarizeComparison({ ...known, releases }, options);
  }
  const compared = await compareOrRefuse(options, io);
  if ("summary" in compared) return compared;
  const checks = compared.checks.map(({ protocol, ...check }) => ({ id: protocol.id, ...check }));
  const { releases, declarationFindings } = compared;
  const findingCount = releases.findings.length + checks.flatMap(({ findings }) => findings).length;
  if (findingCount === 0 && identity?.isCurrent())
    cache?.write(identity.name, identity.key, { checks, declarationFindings } satisfies RememberedComparison);
  return summarizeComparison({ checks, releases, declarationFindings }, options);
}

/** The result of the comparison of the protocol with this id. */
type ComparedProtocol = Omit<ProtocolCheck, "protocol"> & { readonly id: string };

/** What the cache holds of a comparison without findings. */
interface RememberedComparison {
  readonly checks: readonly ComparedProtocol[];
  readonly declarationFindings: readonly Finding[];
}

function summarizeComparison(
  {
    checks,
    releases,
    declarationFindings,
  }: RememberedComparison & { readonly releases: Pick<CheckedReleases, "findings"> },
  { failOn, hasDifferences }: CompatOptions,
): Outcome {
  // Errors about releases come first, because the comparisons depend on the releases. Their other findings are less urgent.
  const comparedFindings = checks.flatMap((each) => each.findings);
  // Declarations may name what a change has renamed, so they matter only if the comparison finds no break.
  const declarationErrors = comparedFindings.some(isError) ? [] : declarationFindings.filter(isError);
  const findings = [
    ...releases.findings.filter(isError),
    ...declarationErrors,
    ...comparedFindings,
    ...releases.findings.filter((finding) => !isError(finding)),
  ];
  return {
    findings: hasDifferences ? findings : findings.map(omitDifferences),
    summary: summarizeChecks(checks, findings),
    exitCode: hasFailure(findings, failOn) ? EXIT.findings : EXIT.ok,
  };
}

/** Compares the protocols with their baselines. Returns the outcome instead if there is nothing to compare. */
async function compareOrRefuse(options: CompatOptions, io: Io): Promise<Outcome | Comparison> {
  const loadResult = await loadUnlessRemoved(options, io);
  if ("removed" in loadResult) {
    const text = `${formatCount(loadResult.removed.length, "error")}: nothing is left to compare`;
    const summary = { text, data: { protocols: [], compared: false } };
    return { findings: loadResult.removed, summary, exitCode: EXIT.findings };
  }
  const { protocols, findings, declarationFindings = [] } = loadResult;
  const { errors } = countSeverities(findings);
  if (errors > 0) {
    const summary = {
      text: `${formatCount(errors, "error")} in the schemas: nothing was compared`,
      data: { errors, protocols: [], compared: false },
    };
    // Other errors mean that the schemas are unreadable.
    const isCompared = findings.filter(isError).every(isOfCompatRule);
    return { findings, summary, exitCode: isCompared ? EXIT.findings : EXIT.usage };
  }
  const releases = checkReleases(options.schemas, options.protocols, io.environment);
  return { checks: await checkProtocols(protocols, options, releases, io), releases, declarationFindings };
}

/** Compares protocols with their baselines. Without ids in the options, protocols that the baseline does not have are skipped. */
async function checkProtocols(
  protocols: readonly Protocol[],
  options: CompatOptions,
  releases: CheckedReleases,
  io: Io,
): Promise<ProtocolCheck[]> {
  const checks: ProtocolCheck[] = [];
  const absent: string[] = [];
  const records = readRecordsIfValid(options.consumers, io);
  for (const protocol of protocols) {
    if (io.showsProgress) io.stderr(`comparing ${protocol.id} …\n`);
    try {
      const consumers = records.filter((record) => record.protocol === protocol.id);
      checks.push(
        await checkProtocol(
          protocol,
          options.schemas,
          options.against,
          releases,
          consumers,
          options.timeLimit,
        ),
      );
    } catch (error) {
      if (!(error instanceof AbsentError)) throw error;
      if (options.protocols.length > 0) throw new UsageError(error.message);
      absent.push(error.message);
    }
  }
  if (checks.length === 0 && absent[0] !== undefined) throw new UsageError(absent[0]);
  io.stderr(absent.map((message) => `not compared: ${message}\n`).join(""));
  return checks;
}

/** Loads the protocols. If none of them exists any more, returns the errors about their removal. */
async function loadUnlessRemoved(
  { schemas, protocols }: CompatOptions,
  io: Io,
): Promise<LoadResult | { readonly removed: readonly Finding[] }> {
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

function isError({ severity }: Finding): boolean {
  return severity === "error";
}

/** Returns whether a finding belongs to a rule of the comparison. */
function isOfCompatRule({ rule }: Finding): boolean {
  return RULES.some(({ id }) => id === rule);
}

function summarizeChecks(checks: readonly ComparedProtocol[], findings: readonly Finding[]) {
  const { errors, warnings } = countSeverities(findings);
  const notes = findings.length - errors - warnings;
  const counts = [
    formatCount(errors, "error"),
    formatCount(warnings, "warning"),
    formatCount(notes, "note"),
  ].join(", ");
  const lines = checks.map(({ id, against, additions, waived }) => {
    const baselines =
      against.length === 0
        ? "no release to compare with yet, but --against git:REF takes a commit"
        : `against ${against.join(", ")}`;
    const additionsText = additions.length > 0 ? `, ${formatCount(additions.length, "addition")}` : "";
    const waivedText = waived.length > 0 ? `, ${waived.length} waived` : "";
    return `${id}: ${baselines}${additionsText}${waivedText}`;
  });
  const data = checks.map(({ id, against, additions, waived }) => ({
    id,
    against,
    additions,
    waived,
  }));
  return { text: `${counts} (${lines.join("; ")})`, data: { errors, warnings, notes, protocols: data } };
}

function parseVersion(value: string): string {
  if (!/^\d+\.\d+$/.test(value)) throw new InvalidArgumentError("It must be a version X.Y.");
  return value;
}

/** The command `accrete compat`. */
export const compatCommand: CommandEntry = {
  name: "compat",
  summary: "find breaking changes, each with an event that shows the break",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [
    againstOption,
    failOnOption,
    schemasOption,
    consumersOption,
    fixturesOption,
    differenceOption,
    timeLimitOption,
    quietOption,
    formatOption,
    new Option(
      "--waive <fingerprint>",
      "write a waiver for the finding with this fingerprint into protocol.json",
    ),
    new Option("--reason <text>", "with --waive: why the break is acceptable"),
    new Option(
      "--expires <version>",
      "with --waive: the version in which the waiver ends (default: the minor version after the next release)",
    ).argParser(parseVersion),
  ],
  examples: [
    ["compat", "everything, against every release of its major version"],
    ["compat hecate/v1 --against git:origin/main", "one protocol, against another branch"],
    ['compat --waive 0123456789abcdef --reason "nobody sends it"', "accept one reviewed break"],
  ],
  run: async (protocols, options, io) => {
    const { waive: fingerprint, reason, expires } = options;
    if (fingerprint !== undefined && (reason === undefined || String(reason).trim() === ""))
      throw new UsageError("--waive needs a --reason TEXT that says why the break is acceptable.");
    if (fingerprint === undefined && (reason !== undefined || expires !== undefined))
      throw new UsageError("--reason and --expires belong to --waive FINGERPRINT; nothing was waived.");
    const compared: CompatOptions = {
      protocols,
      schemas: readText(options, "schemas"),
      against: readOptionalText(options, "against"),
      consumers: readConsumersFile(options),
      failOn: readFailOn(options),
      hasDifferences: options.difference === true,
    };
    const format = readFormat(options);
    if (fingerprint === undefined)
      return limitTime(options, io, async (timeLimit, printer) =>
        printOutcome(await compareProtocols({ ...compared, timeLimit }, printer), format, printer),
      );
    const request = {
      fingerprint: String(fingerprint),
      reason: String(reason),
      expires: readOptionalText(options, "expires"),
    };
    return waive(request, compared, format, io);
  },
};
