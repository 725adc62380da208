import path from "node:path";
import { Option } from "commander";
import { countSeverities } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { lintFixtures } from "../load/lint-fixtures.js";
import { loadProtocols } from "../load/load-protocols.js";
import type { ReportFormat } from "../report/report.js";
import { checkPromotions } from "../status/check-promotion.js";
import { formatCount } from "../text.js";
import { type CommandEntry, type Outcome, printOutcome } from "./command.js";
import {
  consumersOption,
  fixturesOption,
  formatOption,
  quietOption,
  readConsumersFile,
  readFormat,
  readText,
  schemasOption,
} from "./options.js";
import { repeatOnChanges } from "./repeat-on-changes.js";

/** The options of `accrete lint`. */
interface LintOptions {
  /** Ids of the protocols to check; all if there are none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly fixtures: string;
  /** The file in which contract tests record the frontends that passed. */
  readonly consumers: string;
  readonly format: ReportFormat;
}

/**
 * Returns every finding of the protocols. Their fixtures are not checked if `checksFixtures` is false: they do not follow a change
 * of schemas that is only proposed.
 */
export async function lintProtocols(
  options: Omit<LintOptions, "format">,
  checksFixtures = true,
): Promise<Outcome> {
  const { protocols: valid, findings: problems } = await loadProtocols(options.schemas, options.protocols);
  const findings = [
    ...problems,
    ...checkPromotions(valid, options),
    ...(checksFixtures ? valid : []).flatMap((protocol) =>
      lintFixtures(protocol, path.join(options.fixtures, protocol.id)),
    ),
  ];
  const { errors, warnings } = countSeverities(findings);
  const validCount = formatCount(valid.length, "valid protocol");
  const summary = {
    text: `${formatCount(errors, "error")}, ${formatCount(warnings, "warning")}, ${validCount}`,
    data: { errors, warnings, protocols: valid.map(({ id }) => id) },
  };
  return { findings, summary, exitCode: errors > 0 ? EXIT.findings : EXIT.ok };
}

/** Prints every finding of the protocols. The exit code is that of findings only if there are errors. */
async function lint({ format, ...options }: LintOptions, io: Io): Promise<ExitCode> {
  return printOutcome(await lintProtocols(options), format, io);
}

/** Lints now and after each burst of changes, until the user stops the command. */
function lintOnChanges(options: LintOptions, io: Io): Promise<ExitCode> {
  return repeatOnChanges([options.schemas, options.fixtures], io, () => lint(options, io));
}

/** The command `accrete lint`. */
export const lintCommand: CommandEntry = {
  name: "lint",
  summary: "report every problem in the protocol folders",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [
    new Option("--watch", "lint again when a file was saved, until Ctrl-C"),
    schemasOption,
    fixturesOption,
    consumersOption,
    quietOption,
    formatOption,
  ],
  examples: [
    ["lint", "everything below schemas/"],
    ["lint hecate/v1 --format json", "one protocol, as JSON"],
    ["lint --watch", "again after each save"],
    [
      "validate --profile writer fixtures/hecate/v1/streams",
      "lint checks each event of the fixtures; this also checks the rules of streams",
    ],
  ],
  run: async (protocols, options, io) =>
    (options.watch === true ? lintOnChanges : lint)(
      {
        protocols,
        schemas: readText(options, "schemas"),
        fixtures: readText(options, "fixtures"),
        consumers: readConsumersFile(options),
        format: readFormat(options),
      },
      io,
    ),
};
