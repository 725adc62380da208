import { Option } from "commander";
import type { CompatFinding } from "../compat/describe.js";
import type { NewDeprecation } from "../compat/history/deprecations.js";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { locateOnDisk } from "../load/baseline/locate-place.js";
import { loadProtocols } from "../load/load-protocols.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { type Release, readReleases } from "../load/releases/release-history.js";
import type { Protocol } from "../protocol/protocol.js";
import { plain } from "../report/markdown.js";
import { REPORTERS } from "../report/report.js";
import { counted, printableJson } from "../text.js";
import type { CommandEntry } from "./command.js";
import { schemasOption, text } from "./options.js";

/** What one version has that the one before it had not. */
export interface ChangelogVersion {
  /** Absent for what is not released yet. */
  readonly version?: string;
  /** Whether there is no version before it. */
  readonly first: boolean;
  readonly additions: readonly CompatFinding[];
  readonly deprecations: readonly NewDeprecation[];
  /** Everything else that changed, breaks first. */
  readonly changes: readonly CompatFinding[];
}

/** The versions of one major, newest first. */
export interface Changelog {
  readonly id: string;
  readonly title: string;
  readonly versions: readonly ChangelogVersion[];
}

const FORMATS: { readonly [format: string]: (changelogs: readonly Changelog[]) => string } = {
  markdown: (changelogs) => changelogs.map(markdown).join(""),
  json: (protocols) => `${printableJson({ protocols })}\n`,
};

/** Prints what changed from release to release. */
export async function changelog(
  ids: readonly string[],
  schemas: string,
  format: string,
  io: Io,
): Promise<ExitCode> {
  const { protocols, findings } = await loadProtocols(schemas, ids, CONTRACT_ONLY);
  const fault = findings.find(({ severity }) => severity === "error");
  if (fault)
    throw new UsageError(`The schemas have errors, the first in ${fault.at.file}; run accrete lint.`);
  const changelogs: Changelog[] = [];
  const faults: Finding[] = [];
  for (const protocol of protocols) {
    const made = await changelogOf(protocol, schemas);
    if ("id" in made) changelogs.push(made);
    else faults.push(...made);
  }
  if (faults.length > 0) {
    const text = `${counted(faults.length, "error")} in the releases: there is no changelog`;
    io.stderr(REPORTERS.text(faults, { color: io.colors, summary: { text, data: {} } }));
    return EXIT.findings;
  }
  io.stdout(FORMATS[format]?.(changelogs) ?? "");
  return EXIT.ok;
}

/** The changelog of one protocol, or what is wrong with its releases. */
async function changelogOf(protocol: Protocol, schemas: string): Promise<Changelog | readonly Finding[]> {
  const { releases, findings } = readReleases(schemas, protocol.name);
  if (findings.length > 0) return findings;
  const sameMajor = releases.filter((each) => each.protocol.major === protocol.major);
  const all = [...sameMajor, { protocol, locate: locateOnDisk() }];
  const versions: ChangelogVersion[] = [];
  for (const index of all.keys()) versions.unshift(await versionOf(all, index));
  const [newest, ...older] = versions;
  const silent =
    newest && ![newest.additions, newest.deprecations, newest.changes].some(({ length }) => length);
  return { id: protocol.id, title: protocol.title, versions: silent ? older : versions };
}

/** Rules about files, which are no change of the contract. */
const PROCESS = ["version-bump-insufficient", "waiver-expired", "waiver-unused"];

type Version = Pick<Release, "protocol" | "locate"> & Partial<Pick<Release, "version">>;

async function versionOf(all: readonly Version[], index: number): Promise<ChangelogVersion> {
  const [previous, current] = [all[index - 1], all[index]];
  const named = current?.version === undefined ? {} : { version: current.version };
  if (!previous || !current) return { ...named, first: true, additions: [], deprecations: [], changes: [] };
  const [{ check }, { openOracle }, { newDeprecations }] = await Promise.all([
    import("../compat/check.js"),
    import("../compat/proof/readings.js"),
    import("../compat/history/deprecations.js"),
  ]);
  const { findings, additions, lifted } = await check({
    current,
    baselines: [{ ...previous, label: previous.version ?? "" }],
    history: all.slice(0, index).map((each) => each.protocol),
    complete: false,
    oracle: openOracle(),
  });
  const deprecations = newDeprecations(previous.protocol, current.protocol);
  // A waiver makes a break acceptable; readers are told of it all the same.
  const changes = [...lifted, ...findings.filter(({ rule }) => !PROCESS.includes(rule))];
  return { ...named, first: false, additions, deprecations, changes };
}

function markdown({ id, title, versions }: Changelog): string {
  return `# ${plain(title)} (${id})\n\n${versions.map(section).join("\n")}\n`;
}

function section({ version, first, additions, deprecations, changes }: ChangelogVersion): string {
  const lines = [
    ...additions.map(({ message }) => plain(message)),
    ...deprecations.map(deprecation),
    ...changes.map(entry),
  ];
  const said = lines.length > 0 ? lines : [first ? "First release." : "Nothing that readers notice."];
  return `## ${version ?? "unreleased"}\n\n${said.map((line) => `- ${line}`).join("\n")}\n`;
}

function entry({ message, severity }: CompatFinding): string {
  return severity === "error" ? `**Breaking.** ${plain(message)}` : plain(message);
}

const MOST_EVENTS = 3;

function deprecation({ kind, name, events, resources = [], replacedBy }: NewDeprecation): string {
  const more = events.length > MOST_EVENTS ? [`${events.length - MOST_EVENTS} more event types`] : [];
  const inEvents = events.includes("*") ? ["every event"] : [...events.slice(0, MOST_EVENTS), ...more];
  const places = [...inEvents, ...resources.map((resource) => `the resource ${resource}`)];
  const where = kind === "event" ? "" : ` of ${places.join(", ").replace(/, (?=[^,]*$)/, " and ")}`;
  const what = `The ${kind === "event" ? "event type" : kind} ${JSON.stringify(name)}${where} will go`;
  const instead = replacedBy === null ? "; nothing replaces it" : `; use ${JSON.stringify(replacedBy)}`;
  return `**Deprecated.** ${plain(`${what}${replacedBy === undefined ? "" : instead}.`)}`;
}

/** `accrete changelog`. */
export const changelogCommand: CommandEntry = {
  name: "changelog",
  summary: "print what changed from release to release",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols if there is none" },
  options: [
    schemasOption,
    new Option("--format <format>", "how to print").choices(Object.keys(FORMATS)).default("markdown"),
  ],
  examples: [
    ["changelog hecate/v1", "everything since its first release"],
    ["changelog --format json", "the same of all protocols, for another program"],
  ],
  run: (protocols, options, io) =>
    changelog(protocols, text(options, "schemas"), text(options, "format"), io),
};
