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
  const contracts: readonly Version[] = [...upToMajor, { protocol, locate: locateOnDisk() }];
  const versions: ChangelogVersion[] = [];
  for (const current of contracts)
    if (current.protocol.major === protocol.major) versions.unshift(await compareVersion(current, contracts));
  const [newest, ...older] = versions;
  const isUnchanged =
    newest && [newest.additions, newest.deprecations, newest.changes].every(({ length }) => length === 0);
  return { id: protocol.id, title: protocol.title, versions: isUnchanged ? older : versions };
}

type Version = Pick<Release, "protocol" | "locate"> & Partial<Pick<Release, "version" | "previous">>;

/** Compares a version with the release that it follows: the one that it names, or else the one before it in `contracts`, oldest first. */
async function compareVersion(current: Version, contracts: readonly Version[]): Promise<ChangelogVersion> {
  const earlier = contracts.slice(0, contracts.indexOf(current));
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
  const owners = events.includes("*") ? ["every event"] : events.slice(0, MAX_EVENTS);
  if (!events.includes("*") && events.length > MAX_EVENTS)
    owners.push(`${events.length - MAX_EVENTS} more event types`);
  owners.push(...resources.map((resource) => `the resource ${resource}`));
  const subject =
    kind === "event"
      ? `The event type ${JSON.stringify(name)}`
      : `The ${kind} ${JSON.stringify(name)} of ${joinNames(owners)}`;
  let advice = "";
  if (replacedBy === null) advice = "; nothing replaces it";
  else if (replacedBy !== undefined) advice = `; use ${JSON.stringify(replacedBy)}`;
  return `**Deprecated.** ${escapeMarkdown(`${subject} will be removed${advice}.`)}`;
}

/** Joins names: `a`, `a and b`, `a, b and c`. */
function joinNames(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
