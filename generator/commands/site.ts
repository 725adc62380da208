import path from "node:path";
import { Option } from "commander";
import type { Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { readFixtureStreams } from "../load/fixtures.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { type Changelog, makeChangelog, renderChangelog } from "../release/changelog.js";
import { formatItem } from "../report/markdown.js";
import { formatTextReport } from "../report/text.js";
import { formatCount } from "../text.js";
import type { CommandEntry } from "./command.js";
import { fixturesOption, parseNonEmpty, readText, schemasOrBundledOption } from "./options.js";

/** The folders that `accrete site` reads and writes. */
interface Folders {
  readonly schemas: string;
  readonly fixtures: string;
  readonly output: string;
}

async function writeSite(
  ids: readonly string[],
  { schemas, fixtures, output }: Folders,
  io: Io,
): Promise<ExitCode> {
  const [{ emitSite }, { readRecordings }, { writeTree }, protocols] = await Promise.all([
    import("../site/site.js"),
    import("../emit/catalog/recordings.js"),
    import("../output/output-tree.js"),
    loadValidProtocols(schemas, ids),
  ]);
  const errors: Finding[] = [];
  const documented = [];
  for (const protocol of protocols) {
    const changelog = await makeChangelog(protocol, schemas);
    const recordings = readRecordings(protocol, readFixtureStreams(path.join(fixtures, protocol.id)));
    if ("id" in changelog) documented.push({ protocol, changelog: renderChanges(changelog), recordings });
    else errors.push(...changelog);
  }
  const { written, removed, unchanged, findings } =
    errors.length > 0
      ? { written: [], removed: [], unchanged: 0, findings: errors }
      : writeTree(
          output,
          emitSite(documented),
          protocols.map(({ id }) => id),
          io,
        );
  const counts = `${formatCount(protocols.length, "protocol")}: ${formatCount(written.length, "page or file", "pages and files")} written, ${unchanged} unchanged, ${removed.length} removed`;
  const text = findings.length > 0 ? `${formatCount(findings.length, "error")}: nothing was written` : counts;
  io.stdout(formatTextReport(findings, { color: io.colors, summary: { text, data: {} } }));
  return findings.length > 0 ? EXIT.findings : EXIT.ok;
}

/** Returns a changelog as Markdown, and below it the breaking changes of each version with the events that they break. */
function renderChanges(changelog: Changelog): string {
  const broken = changelog.versions.flatMap(({ version = "the unreleased version", changes }) => {
    const shown = changes.filter(({ witness, stream }) => witness !== undefined || stream !== undefined);
    return shown.length === 0 ? [] : [`## Events that break in ${version}`, ...shown.map(formatItem)];
  });
  return [renderChangelog(changelog), ...broken].join("\n\n");
}

/** The command `accrete site`. */
export const siteCommand: CommandEntry = {
  name: "site",
  summary: "write the catalogues as a static site with search",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [
    new Option("--output <dir>", "folder of the site").default("site").argParser(parseNonEmpty),
    schemasOrBundledOption,
    fixturesOption,
  ],
  writes: true,
  examples: [
    ["site", "all protocols, into the folder site; open site/index.html"],
    ["site hecate/v1 --output public", "one protocol"],
  ],
  run: (ids, options, io) => {
    const [schemas, fixtures] = [readText(options, "schemas"), readText(options, "fixtures")];
    return writeSite(ids, { schemas, fixtures, output: readText(options, "output") }, io);
  },
};
