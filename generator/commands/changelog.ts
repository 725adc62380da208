import type { CompatFinding } from "../compat/describe.js";
import { locateOnDisk } from "../load/baseline-locate.js";
import { readReleases } from "../load/release-history.js";
import type { Protocol } from "../model/protocol.js";
import { plain } from "../report/markdown.js";
import type { CommandEntry } from "./command.js";
import { UsageError } from "./failure.js";
import { EXIT, type ExitCode, type Io } from "./io.js";
import { loadProtocols } from "./load-protocols.js";
import { schemasOption, text } from "./options.js";

/** What changed from release to release, newest first, as Markdown. */
export async function changelog(ids: readonly string[], schemas: string, io: Io): Promise<ExitCode> {
  const { protocols, findings } = loadProtocols(schemas, ids);
  const fault = findings.find(({ severity }) => severity === "error");
  if (fault)
    throw new UsageError(`The schemas have errors, the first in ${fault.at.file}; run accrete lint.`);
  for (const protocol of protocols) io.stdout(await changelogOf(protocol, schemas));
  return EXIT.ok;
}

async function changelogOf(protocol: Protocol, schemas: string): Promise<string> {
  const { releases, findings } = readReleases(schemas, protocol.name);
  const [fault] = findings;
  if (fault) throw new UsageError(`${fault.at.file}:${fault.at.line ?? 1}: ${fault.message}`);
  const [{ check }, { openOracle }] = await Promise.all([
    import("../compat/check.js"),
    import("../compat/readings.js"),
  ]);
  const oracle = openOracle();
  const versions = releases
    .filter((each) => each.protocol.major === protocol.major)
    .map(({ version, protocol: released, locate }) => ({ title: version, protocol: released, locate }));
  const all = [...versions, { title: "unreleased", protocol, locate: locateOnDisk() }];
  const sections: string[] = [];
  for (const [index, current] of all.entries()) {
    const previous = all[index - 1];
    if (!previous) {
      if (all.length > 1) sections.unshift(section(current.title, ["First release."]));
      continue;
    }
    const history = all.slice(0, index).map((each) => each.protocol);
    const baselines = [{ ...previous, label: previous.title }];
    const { findings, additions } = await check({ current, baselines, history, complete: false, oracle });
    const lines = [...additions, ...findings.filter(({ rule }) => rule !== "version-bump-insufficient")].map(
      entry,
    );
    if (lines.length > 0 || current.title !== "unreleased")
      sections.unshift(section(current.title, lines.length > 0 ? lines : ["Nothing that readers notice."]));
  }
  return `# ${plain(protocol.title)} (${protocol.id})\n\n${sections.join("\n")}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n\n${lines.map((line) => `- ${line}`).join("\n")}\n`;
}

function entry({ message, severity }: CompatFinding): string {
  return severity === "error" ? `**Breaking.** ${plain(message)}` : plain(message);
}

/** `accrete changelog`. */
export const changelogCommand: CommandEntry = {
  name: "changelog",
  summary: "print what changed from release to release, as Markdown",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols if there is none" },
  options: [schemasOption],
  examples: [["changelog hecate/v1", "everything since its first release"]],
  run: (protocols, options, io) => changelog(protocols, text(options, "schemas"), io),
};
