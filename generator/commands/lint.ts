import { countSeverities } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { REPORTERS, type ReportFormat } from "../report/report.js";
import { checkPromotions } from "../status/check-promotion.js";
import { formatCount } from "../text.js";
import type { CommandEntry } from "./command.js";
import {
  consumersOption,
  fixturesOption,
  formatOption,
  readConsumersFile,
  readFormat,
  readText,
  schemasOption,
} from "./options.js";

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

/** Prints every finding of the protocols. The exit code is that of findings only if there are errors. */
async function lint(options: LintOptions, io: Io): Promise<ExitCode> {
  const { protocols: valid, findings: problems } = await loadProtocols(options.schemas, options.protocols);
  const findings = [...problems, ...checkPromotions(valid, options)];
  const { format } = options;
  const { errors, warnings } = countSeverities(findings);
  const validCount = formatCount(valid.length, "valid protocol");
  const summary = {
    text: `${formatCount(errors, "error")}, ${formatCount(warnings, "warning")}, ${validCount}`,
    data: { errors, warnings, protocols: valid.map(({ id }) => id) },
  };
  io.stdout(REPORTERS[format](findings, { color: io.colors, summary }));
  return errors > 0 ? EXIT.findings : EXIT.ok;
}

/** The command `accrete lint`. */
export const lintCommand: CommandEntry = {
  name: "lint",
  summary: "report every problem in the protocol folders",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [schemasOption, fixturesOption, consumersOption, formatOption],
  examples: [
    ["lint", "everything below schemas/"],
    ["lint hecate/v1 --format json", "one protocol, as JSON"],
    [
      "validate --profile writer fixtures/hecate/v1/streams",
      "lint only counts fixtures; this checks the example streams",
    ],
  ],
  run: async (protocols, options, io) =>
    lint(
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
