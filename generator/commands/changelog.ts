import { Option } from "commander";
import type { Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { type Changelog, makeChangelog, renderChangelog } from "../release/changelog.js";
import { REPORTERS } from "../report/report.js";
import { formatCount, formatJson } from "../text.js";
import type { CommandEntry } from "./command.js";
import { readText, schemasOption } from "./options.js";

const CHANGELOG_FORMATS: { readonly [format: string]: (changelogs: readonly Changelog[]) => string } = {
  markdown: (changelogs) => changelogs.map(renderChangelog).join(""),
  json: (protocols) => `${formatJson({ protocols })}\n`,
};

async function printChangelog(
  ids: readonly string[],
  schemas: string,
  format: string,
  io: Io,
): Promise<ExitCode> {
  const changelogs: Changelog[] = [];
  const errors: Finding[] = [];
  for (const protocol of await loadValidProtocols(schemas, ids, CONTRACT_ONLY)) {
    const result = await makeChangelog(protocol, schemas);
    if ("id" in result) changelogs.push(result);
    else errors.push(...result);
  }
  if (errors.length > 0) {
    const text = `${formatCount(errors.length, "error")} in the releases: there is no changelog`;
    io.stderr(REPORTERS.text(errors, { color: io.colors, summary: { text, data: {} } }));
    return EXIT.findings;
  }
  io.stdout(CHANGELOG_FORMATS[format]?.(changelogs) ?? "");
  return EXIT.ok;
}

/** The command `accrete changelog`. */
export const changelogCommand: CommandEntry = {
  name: "changelog",
  summary: "print the changes from release to release",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [
    schemasOption,
    new Option("--format <format>", "output format")
      .choices(Object.keys(CHANGELOG_FORMATS))
      .default("markdown"),
  ],
  examples: [
    ["changelog hecate/v1", "everything since its first release"],
    ["changelog --format json", "the changes of all protocols as JSON"],
  ],
  run: (protocols, options, io) =>
    printChangelog(protocols, readText(options, "schemas"), readText(options, "format"), io),
};
