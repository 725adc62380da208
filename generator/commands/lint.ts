import { countSeverities } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { REPORTERS, type ReportFormat } from "../report/report.js";
import { formatCount } from "../text.js";
import type { CommandEntry } from "./command.js";
import { formatOption, readFormat, readText, schemasOption } from "./options.js";

/** The options of `accrete lint`. */
interface LintOptions {
  /** Ids of the protocols to check; all if there are none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly format: ReportFormat;
}

/** Prints every finding of the protocols. The exit code is that of findings only if there are errors. */
async function lint({ protocols, schemas, format }: LintOptions, io: Io): Promise<ExitCode> {
  const { protocols: valid, findings } = await loadProtocols(schemas, protocols);
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
  options: [schemasOption, formatOption],
  examples: [
    ["lint", "everything below schemas/"],
    ["lint hecate/v1 --format json", "one protocol, as JSON"],
    [
      "validate --profile writer fixtures/hecate/v1/streams",
      "lint does not read fixtures; this checks the example streams",
    ],
  ],
  run: async (protocols, options, io) =>
    lint({ protocols, schemas: readText(options, "schemas"), format: readFormat(options) }, io),
};
