import type { Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import type { CommandEntry } from "./command.js";
import { compareProtocols } from "./compat.js";
import { findExplanations } from "./explain.js";
import { hasSchemaErrors, lintProtocols } from "./lint.js";
import {
  consumersOption,
  fixturesOption,
  type RawOptions,
  readConsumersFile,
  readText,
  schemasOption,
} from "./options.js";

async function serve(options: RawOptions, io: Io): Promise<ExitCode> {
  const { serveEditor } = await import("../lsp/serve-editor.js");
  const [schemas, fixtures] = [readText(options, "schemas"), readText(options, "fixtures")];
  const folders = { schemas, fixtures, consumers: readConsumersFile(options) };
  const check = async (protocols: readonly string[]): Promise<readonly Finding[]> => {
    const { findings } = await lintProtocols({ ...folders, protocols });
    if (hasSchemaErrors(findings)) return findings;
    const compared = { against: undefined, failOn: "error", hasDifferences: false } as const;
    const changes = await compareProtocols({ ...folders, ...compared, protocols }, io);
    return [...findings, ...changes.findings];
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
