import type { Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import type { CommandEntry } from "./command.js";
import { compareProtocols } from "./compat.js";
import { findExplanations } from "./explain.js";
import { lintProtocols } from "./lint.js";
import {
  consumersOption,
  fixturesOption,
  type RawOptions,
  readConsumersFile,
  readText,
  schemasOption,
} from "./options.js";

function identifyFinding({ rule, at: { file, line, column }, message }: Finding): string {
  return JSON.stringify([rule, file, line, column, message]);
}

async function serve(options: RawOptions, io: Io): Promise<ExitCode> {
  const { serveEditor } = await import("../lsp/serve-editor.js");
  const [schemas, fixtures] = [readText(options, "schemas"), readText(options, "fixtures")];
  const folders = { schemas, fixtures, consumers: readConsumersFile(options) };
  const compared = { ...folders, against: undefined, failOn: "error", hasDifferences: false } as const;
  const check = async (protocols: readonly string[]): Promise<readonly Finding[]> => {
    const linted = await lintProtocols({ ...folders, protocols });
    const changes = await compareProtocols({ ...compared, protocols }, io);
    // A comparison also reports what keeps it from comparing.
    const known = new Set(linted.findings.map(identifyFinding));
    return [
      ...linted.findings,
      ...changes.findings.filter((finding) => !known.has(identifyFinding(finding))),
    ];
  };
  await serveEditor({ ...folders, check, explainRule: (rule) => findExplanations(rule).join("\n") }, io);
  return EXIT.ok;
}

/** The command `accrete lsp`. */
export const lspCommand: CommandEntry = {
  name: "lsp",
  summary: "show findings in an editor over the Language Server Protocol, on standard input and output",
  options: [schemasOption, fixturesOption, consumersOption],
  examples: [
    ["lsp", "a server that an editor starts in the folder of the project"],
    ["lsp --schemas contracts", "for the protocols of another folder"],
  ],
  run: (_operands, options, io) => serve(options, io),
};
