import type { CompatFinding } from "../compat/create-finding.js";
import type { NewDeprecation } from "../compat/history/deprecations.js";
import { RELEASE_RULES } from "../compat/rules/releases.js";
import type { Finding } from "../finding.js";
import { locateOnDisk } from "../load/baseline/locate-place.js";
import { type Release, readReleases } from "../load/releases/release-history.js";
import type { Protocol } from "../protocol/protocol.js";
import { escapeMarkdown } from "../report/markdown.js";

/** A version of a protocol and its differences from the version before it. */
interface ChangelogVersion {
  /** Absent for changes that are not released yet. */
  readonly version?: string;
  /** True for the first version. */
  readonly first: boolean;
  readonly additions: readonly CompatFinding[];
  readonly deprecations: readonly NewDeprecation[];
  /** All other changes, breaks first. */
  readonly changes: readonly CompatFinding[];
}

/** The versions of one major, newest first. */
export interface Changelog {
  readonly id: string;
  readonly title: string;
  readonly versions: readonly ChangelogVersion[];
}

/** Returns the changelog of one protocol, or the errors in its releases. */
export async function makeChangelog(
  protocol: Protocol,
  schemas: string,
): Promise<Changelog | readonly Finding[]> {
  const { releases, findings } = readReleases(schemas, protocol.name);
  if (findings.length > 0) return findings;
  const upToMajor = releases.filter((each) => each.protocol.major <= protocol.major);
  const all: readonly Version[] = [...upToMajor, { protocol, locate: locateOnDisk() }];
  const versions: ChangelogVersion[] = [];
  for (const current of all)
    if (current.protocol.major === protocol.major) versions.unshift(await compareVersion(current, all));
  const [newest, ...older] = versions;
  const isUnchanged =
    newest && ![newest.additions, newest.deprecations, newest.changes].some(({ length }) => length);
  return { id: protocol.id, title: protocol.title, versions: isUnchanged ? older : versions };
}

type Version = Pick<Release, "protocol" | "locate"> & Partial<Pick<Release, "version" | "previous">>;

/** Compares a version with the release that it follows: the one that it names, or else the one before it in `all`, oldest first. */
async function compareVersion(current: Version, all: readonly Version[]): Promise<ChangelogVersion> {
  const earlier = all.slice(0, all.indexOf(current));
  const previous = earlier.find(({ version }) => version === current.previous?.version) ?? earlier.at(-1);
  const versionMember = current.version === undefined ? {} : { version: current.version };
  if (!previous) return { ...versionMember, first: true, additions: [], deprecations: [], changes: [] };
  const [{ checkCompatibility }, { createContainmentCache }, { listNewDeprecations }] = await Promise.all([
    import("../compat/check.js"),
    import("../compat/proof/readings.js"),
    import("../compat/history/deprecations.js"),
  ]);
  const { findings, additions, waived } = await checkCompatibility({
    current,
    baselines: [{ ...previous, label: previous.version ?? "" }],
    history: earlier.map((each) => each.protocol),
    hasAllBaselines: false,
    cache: createContainmentCache(),
  });
  const deprecations = listNewDeprecations(previous.protocol, current.protocol);
  // A waived break is listed, too, because it still affects readers.
  const changes = [...waived, ...findings.filter(({ rule }) => !Object.hasOwn(RELEASE_RULES, rule))];
  return { ...versionMember, first: false, additions, deprecations, changes };
}

/** Returns a changelog as Markdown. */
export function renderChangelog({ id, title, versions }: Changelog): string {
  return `# ${escapeMarkdown(title)} (${id})\n\n${versions.map(renderVersion).join("\n")}\n`;
}

function renderVersion({ version, first, additions, deprecations, changes }: ChangelogVersion): string {
  const lines = [
    ...additions.map(({ message }) => escapeMarkdown(message)),
    ...deprecations.map(describeDeprecation),
    ...changes.map(describeChange),
  ];
  const entries = lines.length > 0 ? lines : [first ? "First release." : "No change that readers notice."];
  return `## ${version ?? "unreleased"}\n\n${entries.map((line) => `- ${line}`).join("\n")}\n`;
}

function describeChange({ message, severity }: CompatFinding): string {
  return severity === "error" ? `**Breaking.** ${escapeMarkdown(message)}` : escapeMarkdown(message);
}

/** The number of event types that a deprecation names. */
const MAX_EVENTS = 3;

function describeDeprecation({ kind, name, events, resources = [], replacedBy }: NewDeprecation): string {
  const more = events.length > MAX_EVENTS ? [`${events.length - MAX_EVENTS} more event types`] : [];
  const inEvents = events.includes("*") ? ["every event"] : [...events.slice(0, MAX_EVENTS), ...more];
  const places = [...inEvents, ...resources.map((resource) => `the resource ${resource}`)];
  const where = kind === "event" ? "" : ` of ${places.join(", ").replace(/, (?=[^,]*$)/, " and ")}`;
  const what = `The ${kind === "event" ? "event type" : kind} ${JSON.stringify(name)}${where} will go`;
  const instead = replacedBy === null ? "; nothing replaces it" : `; use ${JSON.stringify(replacedBy)}`;
  return `**Deprecated.** ${escapeMarkdown(`${what}${replacedBy === undefined ? "" : instead}.`)}`;
}
