import type { Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { type Format, REPORTERS } from "../report/report.js";
import { counted } from "../text.js";
import type { CommandEntry } from "./command.js";
import { format, formatOption, schemasOption, text } from "./options.js";

/** What `accrete lint` takes. */
export interface LintOptions {
  /** Ids of the protocols to look at; all if there is none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly format: Format;
}

/** Prints every finding of the protocols. Only errors make it fail. */
export async function lint({ protocols, schemas, format }: LintOptions, io: Io): Promise<ExitCode> {
  const { protocols: loaded, findings } = await loadProtocols(schemas, protocols);
  const { errors, warnings } = severities(findings);
  const sound = counted(loaded.length, "sound protocol");
  const summary = {
    text: `${counted(errors, "error")}, ${counted(warnings, "warning")}, ${sound}`,
    data: { errors, warnings, protocols: loaded.map(({ id }) => id) },
  };
  io.stdout(REPORTERS[format](findings, { color: io.colors, summary }));
  return errors > 0 ? EXIT.findings : EXIT.ok;
}

/** How many findings are errors, and how many are warnings. */
export function severities(findings: readonly Finding[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const count = (wanted: Finding["severity"]): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  return { errors: count("error"), warnings: count("warning") };
}

/** `accrete lint`. */
export const lintCommand: CommandEntry = {
  name: "lint",
  summary: "print every problem of the protocol folders",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols if there is none" },
  options: [schemasOption, formatOption],
  examples: [
    ["lint", "everything below schemas/"],
    ["lint hecate/v1 --format json", "one protocol, for another program"],
    [
      "validate --profile writer fixtures/hecate/v1/streams",
      "streams of fixtures, which lint does not read; the generated tests read the other fixtures",
    ],
  ],
  run: async (protocols, options, io) =>
    lint({ protocols, schemas: text(options, "schemas"), format: format(options) }, io),
};
