/** Proves for all versions of a protocol that readers of one accept what writers of another may send, or finds the break. */
import { checkCompatibility } from "../../compat/check.js";
import type { CompatFinding } from "../../compat/create-finding.js";
import { createReaderCheck, type RefusedType } from "../../compat/proof/reader-check.js";
import { type ContainmentCache, createContainmentCache } from "../../compat/proof/readings.js";
import type { BaselineSide } from "../../compat/side.js";
import type { Finding, KnownFinding } from "../../finding.js";
import type { Json } from "../../json.js";
import type { VersionHistory } from "./version-history.js";

/** The changes that a version made, by which its readers refuse events of the version before it. */
export type BreakingChanges = ReadonlyMap<BaselineSide, readonly CompatFinding[]>;

/** The result of a proof. */
export interface ReaderProof {
  readonly history: VersionHistory;
  readonly findings: readonly Finding[];
  readonly breakingChanges: BreakingChanges;
}

/** The verdict on the events of one type: writers of one version, and readers of another one. */
interface TypeVerdict extends RefusedType {
  /** The index of the version in the history. */
  readonly writer: number;
  /** The index of the version in the history. */
  readonly reader: number;
}

/** Proves that the readers of each version accept the events of the writers of each other version. */
export async function proveReaders(history: VersionHistory): Promise<ReaderProof> {
  const cache = createContainmentCache();
  const verdicts = await findRefusedTypes(history, cache);
  const current = history.versions.length - 1;
  const currentVerdicts = verdicts.filter(({ reader }) => reader === current);
  const breakers = new Map(currentVerdicts.map((verdict) => [verdict, findBreaker(verdict, verdicts)]));
  const breakingChanges = new Map<BaselineSide, readonly CompatFinding[]>();
  for (const version of new Set(breakers.values()))
    breakingChanges.set(getVersion(history, version), await findBreakingChanges(history, version, cache));
  const findings = [
    ...groupByType(currentVerdicts, (verdict) => breakers.get(verdict) ?? current).map((group) =>
      createRefusalFinding(history, group, breakingChanges),
    ),
    ...groupByType(
      verdicts.filter(({ reader, writer }) => reader < current && writer > reader),
      ({ reader }) => reader,
    ).map((group) => createOldReaderFinding(history, group)),
  ];
  return { history, findings, breakingChanges };
}

/** Checks all pairs of versions. Returns the pairs and event types for which a reader refuses an event, or may do so. */
async function findRefusedTypes(
  { versions }: VersionHistory,
  cache: ContainmentCache,
): Promise<TypeVerdict[]> {
  const findRefused = createReaderCheck(cache);
  const verdicts: TypeVerdict[] = [];
  for (const [reader, { protocol: readerProtocol }] of versions.entries())
    for (const [writer, { protocol: writerProtocol }] of versions.entries())
      if (writer !== reader)
        for (const refusedType of await findRefused(writerProtocol, readerProtocol))
          verdicts.push({ writer, reader, ...refusedType });
  return verdicts;
}

/** Returns the first version after the writer whose readers refuse the events. */
function findBreaker({ writer, type }: TypeVerdict, verdicts: readonly TypeVerdict[]): number {
  const readers = verdicts
    .filter((other) => other.writer === writer && other.type === type && other.reader > writer)
    .map(({ reader }) => reader);
  return Math.min(...readers);
}

/** Compares a version with the one before it. Returns the changes by which its readers refuse events. */
async function findBreakingChanges(
  history: VersionHistory,
  version: number,
  cache: ContainmentCache,
): Promise<readonly CompatFinding[]> {
  const before = getVersion(history, version - 1);
  const { findings, waived } = await checkCompatibility({
    current: getVersion(history, version),
    baselines: [before],
    history: history.versions.slice(0, version).map(({ protocol }) => protocol),
    hasAllBaselines: false,
    cache,
  });
  return [...findings, ...waived].filter(({ affects }) => affects.includes("current-readers"));
}

function getVersion({ versions }: VersionHistory, index: number): BaselineSide {
  const version = versions[index];
  if (version === undefined) throw new Error(`there is no version ${index}`);
  return version;
}

/** Returns the changes that concern an event type. */
export function selectChangesOfType(
  changes: readonly CompatFinding[],
  type: string,
): readonly CompatFinding[] {
  return changes.filter(({ events }) => events.includes(type) || events.includes("*"));
}

/** The verdicts on one event type that one version causes. */
interface VerdictGroup {
  readonly type: string;
  readonly version: number;
  readonly verdicts: readonly TypeVerdict[];
}

function groupByType(
  verdicts: readonly TypeVerdict[],
  getCause: (verdict: TypeVerdict) => number,
): readonly VerdictGroup[] {
  const groups = new Map<string, { type: string; version: number; verdicts: TypeVerdict[] }>();
  for (const verdict of verdicts) {
    const { type } = verdict;
    const version = getCause(verdict);
    const key = `${version} ${type}`;
    const group = groups.get(key) ?? { type, version, verdicts: [] };
    group.verdicts.push(verdict);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Creates the finding that current readers refuse events of earlier releases. */
function createRefusalFinding(
  history: VersionHistory,
  { type, version, verdicts }: VerdictGroup,
  breakingChanges: BreakingChanges,
): KnownFinding {
  const breaker = getVersion(history, version);
  const changes = selectChangesOfType(breakingChanges.get(breaker) ?? [], type);
  const [change] = changes;
  const writers = formatVersions(
    history,
    verdicts.map(({ writer }) => writer),
  );
  const cause = change === undefined ? "" : ` ${change.message}`;
  return {
    rule: "released-event-refused",
    severity: "error",
    message: `Current readers of ${history.id} refuse ${type} events that writers of ${writers} may send, since ${breaker.label}.${cause}${describeDoubt(verdicts)}`,
    at: change?.at ?? breaker.protocol.at,
    ...(change?.baseline && { baseline: change.baseline }),
    ...findWitness(verdicts),
  };
}

/** Creates the warning that readers of an earlier release refuse newer events. */
function createOldReaderFinding(
  history: VersionHistory,
  { type, version, verdicts }: VerdictGroup,
): KnownFinding {
  const reader = getVersion(history, version);
  const writers = formatVersions(
    history,
    verdicts.map(({ writer }) => writer),
  );
  return {
    rule: "old-reader-refuses",
    severity: "warning",
    message: `Readers of ${history.id} ${reader.label} refuse ${type} events that writers of ${writers} may send.${describeDoubt(verdicts)}`,
    at: reader.protocol.at,
    ...findWitness(verdicts),
  };
}

function describeDoubt(verdicts: readonly TypeVerdict[]): string {
  const [first] = verdicts;
  return first?.answer.verdict === "undecided" ? ` Not proven: ${first.answer.reason}.` : "";
}

function findWitness(verdicts: readonly TypeVerdict[]): { readonly witness?: Json } {
  for (const { answer } of verdicts)
    if (answer.verdict === "not-contained") return { witness: answer.witness };
  return {};
}

/** Names versions by their indexes, and a sequence of them by its first and its last one. */
export function formatVersions({ versions }: VersionHistory, indexes: readonly number[]): string {
  const labels = indexes.map((index) => versions[index]?.label ?? "");
  const isSequence = indexes.every((index, position) => index === (indexes[0] ?? 0) + position);
  if (!isSequence || labels.length <= 2) return labels.join(" and ");
  return `${labels[0]} to ${labels.at(-1)}`;
}
