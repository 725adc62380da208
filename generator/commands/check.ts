import { Option } from "commander";
import type { Cache } from "../cache/cache.js";
import type { TimeLimit } from "../compat/proof/time-limit.js";
import { type Finding, hasFailure } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { FIXTURE_RULES } from "../load/lint-fixtures.js";
import type { ReportFormat } from "../report/report.js";
import { formatCount } from "../text.js";
import { acceptFindings, leaveOutAccepted } from "./accepted-findings.js";
import { type CommandEntry, type Outcome, printOutcome } from "./command.js";
import { compareProtocols } from "./compat.js";
import { checkGenerated } from "./generate.js";
import { limitTime, timeLimitOption } from "./limit-time.js";
import { lintProtocols } from "./lint.js";
import { openCache } from "./open-cache.js";
import {
  againstOption,
  cacheOption,
  consumersOption,
  emitOption,
  failOnOption,
  fixturesOption,
  formatOption,
  noCacheOption,
  outOption,
  quietOption,
  type RawOptions,
  readConsumersFile,
  readEmit,
  readFailOn,
  readFormat,
  readOptionalText,
  readText,
  schemasOption,
} from "./options.js";

/** Lints the schemas and fixtures. If the schemas have no errors, looks for stale files and for breaking changes. */
async function check(
  protocols: readonly string[],
  options: RawOptions,
  io: Io,
  timeLimit: TimeLimit,
): Promise<ExitCode> {
  const [schemas, out, fixtures] = [
    readText(options, "schemas"),
    readText(options, "out"),
    readText(options, "fixtures"),
  ];
  const folders = { protocols, schemas, fixtures, consumers: readConsumersFile(options) };
  const against = readOptionalText(options, "against");
  const cache = await openCache(options, io);
  const outcomes: { [name: string]: Outcome } = { schemas: await lintOnce(folders, cache) };
  // A change that fixtures do not follow yet may also break readers.
  const hasErrors = outcomes.schemas?.findings.some(
    ({ severity, rule }) => severity === "error" && !Object.hasOwn(FIXTURE_RULES, rule),
  );
  if (hasErrors === false) {
    outcomes["generated files"] = await checkGenerated(
      { ...folders, out, emit: readEmit(options), cache },
      io,
    );
    outcomes.changes = await compareProtocols(
      { ...folders, against, failOn: readFailOn(options), hasDifferences: false, timeLimit },
      io,
      cache,
    );
  }
  const named = Object.entries(outcomes);
  // Forges show few findings, and a break is more urgent than the files that do not follow the change yet.
  const found = [...named].reverse().flatMap(([, { findings }]) => findings);
  if (options.accept === true) return acceptNow(schemas, found, readFormat(options), io);
  const { findings, accepted, gone } = leaveOutAccepted(schemas, found);
  const isUsable = named.every(([, { exitCode }]) => exitCode !== EXIT.usage);
  return printOutcome(
    {
      findings,
      summary: {
        text: [
          ...named.map(([name, { summary }]) => `${name}: ${summary.text}`),
          ...(accepted === 0
            ? []
            : [`accepted: ${formatCount(accepted, "finding")}, counted above and not shown`]),
          ...(gone === 0
            ? []
            : [`${formatCount(gone, "accepted finding")} no longer there: check --accept removes them`]),
        ].join("\n"),
        data: {
          ...Object.fromEntries(named.map(([name, { summary }]) => [name, summary.data])),
          ...(accepted + gone > 0 && { accepted: { present: accepted, gone } }),
        },
      },
      exitCode: !isUsable ? EXIT.usage : hasFailure(findings, readFailOn(options)) ? EXIT.findings : EXIT.ok,
    },
    readFormat(options),
    io,
  );
}

/** Accepts the findings that can be accepted, and prints the others. */
function acceptNow(schemas: string, found: readonly Finding[], format: ReportFormat, io: Io): ExitCode {
  const { accepted, file, findings } = acceptFindings(schemas, found);
  const left = `${formatCount(findings.length, "error")} left: fix them, or give breaking changes a waiver`;
  const text = `${formatCount(accepted, "finding")} accepted in ${file}${findings.length === 0 ? "" : `; ${left}`}`;
  const exitCode = findings.length > 0 ? EXIT.findings : EXIT.ok;
  return printOutcome({ findings, summary: { text, data: { accepted } }, exitCode }, format, io);
}

/** Lints the schemas, unless the cache holds the outcome for the same files. */
async function lintOnce(
  options: Parameters<typeof lintProtocols>[0],
  cache: Cache | undefined,
): Promise<Outcome> {
  const lint = (): Promise<Outcome> => lintProtocols(options);
  if (cache === undefined) return lint();
  const { identifyResult, rememberResult } = await import("../cache/identify-result.js");
  const { protocols, schemas, fixtures, consumers } = options;
  const inputs = [protocols, schemas, fixtures, consumers];
  return rememberResult(cache, identifyResult(cache, "lint", inputs, [schemas, fixtures, consumers]), lint);
}

/** The command `accrete check`. */
export const checkCommand: CommandEntry = {
  name: "check",
  summary: "lint, and look for stale files and breaking changes",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [
    againstOption,
    failOnOption,
    emitOption,
    schemasOption,
    outOption,
    fixturesOption,
    consumersOption,
    cacheOption,
    noCacheOption,
    timeLimitOption,
    new Option(
      "--accept",
      "accept the warnings, the notes and the errors in fixtures of now, so that later checks report new ones only",
    ),
    quietOption,
    formatOption,
  ],
  examples: [
    ["check", "what lint, generate --check and compat find"],
    ["check --format github", "in CI, with annotations"],
    ["check --accept", "when a project adopts accrete: report new findings only"],
    ["check --against git:origin/main", "compare with another branch, instead of with the releases"],
  ],
  run: (protocols, options, io) =>
    limitTime(options, io, (timeLimit, printer) => check(protocols, options, printer, timeLimit)),
};
