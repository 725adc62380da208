/**
 * Compares the release files of a schemas folder with the commits of the git repository, with the digests that later
 * releases hold of earlier ones, and with the withdrawals that protocol.json records.
 */
import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { createErrorFinding, type Finding, type KnownFinding } from "../../finding.js";
import { type Environment, toForwardSlashes } from "../../io.js";
import type { Protocol } from "../../protocol/protocol.js";
import { compareTexts } from "../../text.js";
import { readIfPossible } from "../baseline/locate-place.js";
import {
  type CommittedFiles,
  hasContent,
  type Introduction,
  RELEASE_FILES,
  readCommittedFiles,
} from "./committed-releases.js";
import { listEntries, readFormerNames, useCurrentName } from "./former-names.js";
import { ALTERED_RULE, type ReadRelease, readRelease } from "./read-release.js";
import { type Release, readReleases } from "./release-history.js";
import {
  describeStableParts,
  type ProtocolWithdrawal,
  parseWithdrawals,
  readWithdrawals,
} from "./withdrawals.js";

/** The releases of a schemas folder, and the findings about them. */
export interface CheckedReleases {
  /** Returns the releases of the protocol `name` in all majors, oldest first. */
  listReleases(name: string): readonly Release[];
  /** Returns whether a release of the protocol `name` is missing or was altered. */
  isDamaged(name: string): boolean;
  readonly findings: readonly Finding[];
}

/** The releases and withdrawals of a schemas folder. */
interface ReleaseFolder {
  readonly schemas: string;
  readonly ids: readonly string[];
  readonly releases: readonly Release[];
  /** Findings about release files that cannot be read. */
  readonly damage: readonly Finding[];
  readonly withdrawals: readonly ProtocolWithdrawal[];
}

/** Checks the releases of the protocols in `selectedIds` (`orders/v1`), of all their majors; of all protocols if it is empty. */
export function checkReleases(
  schemas: string,
  selectedIds: readonly string[],
  environment: Environment | undefined,
): CheckedReleases {
  const committed = readCommittedFiles(schemas, RELEASE_FILES, environment);
  const knownIds = [...listReleaseFolders(schemas), ...[...committed.files.keys()].map(getProtocolId)];
  const names = new Set((selectedIds.length > 0 ? selectedIds : knownIds).map(getProtocolName));
  const ids = [...new Set(knownIds)].filter((id) => names.has(getProtocolName(id))).sort();
  const releasesByName = new Map([...names].map((name) => [name, readReleases(schemas, name)]));
  const removedIds = ids.filter((id) => !isProtocol(schemas, id));
  const folder: ReleaseFolder = {
    schemas,
    ids,
    releases: [...releasesByName.values()].flatMap(({ releases }) => releases),
    damage: [...releasesByName.values()].flatMap(({ findings }) => findings),
    withdrawals: [
      ...ids.flatMap((id) => readWithdrawals(schemas, id)),
      ...(removedIds.length > 0 ? readCommittedWithdrawals(schemas, removedIds, environment) : []),
    ],
  };
  const contents = readContents(folder, committed);
  const found = checkReleaseFiles(folder, committed, contents);
  const namesWithFindings = new Set(found.map(({ id }) => getProtocolName(id)));
  const findingsWithoutIds = found.map(({ id: _id, ...finding }): Finding => finding);
  const findings = [
    ...folder.damage,
    ...sortByFile(findingsWithoutIds),
    ...checkWithdrawals(folder, contents),
  ];
  if (committed.problem !== undefined)
    findings.push(createIncompleteHistoryFinding(schemas, committed.problem));
  return {
    listReleases: (name) => releasesByName.get(name)?.releases ?? [],
    isDamaged: (name) => namesWithFindings.has(name) || (releasesByName.get(name)?.findings.length ?? 0) > 0,
    findings,
  };
}

/** A finding about a release or a protocol, with the id of the protocol. */
type ReleaseFinding = Finding & { readonly id: string };

const RESTORE_HINT = "A release never changes: restore the file from version control";
const NEXT_VERSION_HINT = "release a changed contract under the next version";
const MISSING_RULE = "release-missing";
const KEEP_PROTOCOL_HINT =
  "Restore its folder from version control; `accrete rename` gives a protocol another name. If the protocol is no longer needed, keep it and mark its events as deprecated. It can be deleted once all of its releases are withdrawn.";
const WITHDRAW_HINT =
  "A release that was a mistake can be withdrawn with `accrete release --withdraw` while nothing in it is stable.";
const KEEP_ONE_HINT =
  "A version has one content: keep one of the two, and rebase the branch of the other one, so that it releases its contract under the next version. While nothing in them is stable, you can also withdraw the one that is here with `accrete release --withdraw`, and restore the other one.";

/** Finds releases that are missing or altered: one finding for each file, or one for a whole protocol that is missing. */
function checkReleaseFiles(
  folder: ReleaseFolder,
  committed: CommittedFiles,
  contents: CommittedContents,
): ReleaseFinding[] {
  const findings = [...contents].flatMap(([relative, introductions]) =>
    compareWithHistory(folder, committed, relative, introductions),
  );
  const reportedFiles = new Set([...findings, ...folder.damage].map(({ at }) => at.file));
  for (const finding of compareWithSuccessors(folder)) {
    if (reportedFiles.has(finding.at.file)) continue;
    reportedFiles.add(finding.at.file);
    findings.push(finding);
  }
  const removals = findRemovedProtocols(folder, findings);
  const isRemoved = ({ id }: ReleaseFinding): boolean => removals.some((each) => each.id === id);
  return [...removals, ...findings.filter((each) => !isRemoved(each))];
}

/** A release as a commit introduced it. */
interface CommittedRelease extends Introduction {
  readonly digest: string;
  readonly protocol: Protocol;
}

/**
 * The committed contents of release files that may differ from the current ones. The keys are the paths of these files below
 * the schemas folder, in order.
 */
type CommittedContents = ReadonlyMap<string, readonly CommittedRelease[]>;

/** Reads the committed contents of release files that are missing now, or that had other contents in some commit. */
function readContents({ schemas, ids, damage }: ReleaseFolder, committed: CommittedFiles): CommittedContents {
  const damaged = new Set(damage.map(({ at }) => at.file));
  const differing = [...committed.files]
    .sort(([a], [b]) => compareTexts(a, b))
    .filter(([relative, introductions]) => {
      const file = formatPath(schemas, relative);
      if (!ids.includes(getProtocolId(relative)) || !RELEASE_PATH.test(relative) || damaged.has(file))
        return false;
      const bytes = readIfPossible(file);
      return !bytes || !introductions.every((each) => hasContent(each, Buffer.from(bytes)));
    });
  const missing = differing
    .map(([relative]) => relative)
    .filter((each) => !existsSync(formatPath(schemas, each)));
  const skipped = committed.findNotCheckedOut(missing);
  const objects = committed.read([
    ...new Set(differing.flatMap(([, each]) => each.map(({ object }) => object))),
  ]);
  const releases = new Map([...objects].map(([object, bytes]) => [object, readRelease(object, bytes)]));
  return new Map(
    differing
      .filter(([relative]) => !skipped.has(relative))
      .map(([relative, introductions]) => [
        relative,
        introductions.flatMap((each) =>
          parseCommittedRelease(each, relative, releases.get(each.object), schemas),
        ),
      ]),
  );
}

/** Returns the committed content if it is the release that its path names. Other content was already damaged in the commit. */
function parseCommittedRelease(
  introduction: Introduction,
  relative: string,
  read: ReadRelease | undefined,
  schemas: string,
): CommittedRelease[] {
  const { protocol: released, digest } = read ?? {};
  if (!released || digest === undefined) return [];
  const name = getProtocolName(relative);
  const protocol = useCurrentName(released, name, readFormerNames(schemas, name));
  if (protocol.id !== getProtocolId(relative) || protocol.version !== getReleaseVersion(relative)) return [];
  return [{ ...introduction, digest, protocol }];
}

/**
 * Compares a release file with what was committed first under its name, on each branch, and was not withdrawn. Content
 * that was committed later over a release is an alteration, which counts until the release is restored.
 */
function compareWithHistory(
  { schemas, releases, withdrawals }: ReleaseFolder,
  { isBefore }: CommittedFiles,
  relative: string,
  introductions: readonly CommittedRelease[],
): ReleaseFinding[] {
  const id = getProtocolId(relative);
  const version = getReleaseVersion(relative);
  const file = formatPath(schemas, relative);
  const notWithdrawn = introductions.filter(({ digest }) => !isWithdrawn(withdrawals, id, version, digest));
  const first = notWithdrawn.filter(
    (each) =>
      !notWithdrawn.some((other) => other.digest !== each.digest && isBefore(other.commit, each.commit)),
  );
  const required: CommittedRelease[] = [];
  for (const each of first) if (!required.some(({ digest }) => digest === each.digest)) required.push(each);
  const current = releases.find((release) => release.file === file);
  if (required.every(({ digest }) => digest === current?.digest)) return [];
  const at = { file, pointer: "" };
  const commits = required.map(({ commit }) => commit.slice(0, 12)).join(" and ");
  if (required.length > 1) {
    const message = `The release ${version} of ${id} was committed with ${required.length} contents on different branches (commits ${commits}).`;
    return [{ ...createErrorFinding(ALTERED_RULE, message, at, KEEP_ONE_HINT), id }];
  }
  const hint = `${RESTORE_HINT} (commit ${commits}), and ${NEXT_VERSION_HINT}. ${WITHDRAW_HINT}`;
  const problem = current
    ? `is not the one that was committed as ${commits}`
    : `was committed as ${commits} and is missing`;
  const message = `The release ${version} of ${id} ${problem}.`;
  return [{ ...createErrorFinding(current ? ALTERED_RULE : MISSING_RULE, message, at, hint), id }];
}

/** Compares each release with the digest that later releases hold of it. Works without version control. */
function compareWithSuccessors({ schemas, releases, withdrawals }: ReleaseFolder): ReleaseFinding[] {
  return releases.flatMap(({ previous, version, protocol: { name, id: currentId } }) => {
    if (previous === undefined) return [];
    const id = `${name}/v${previous.version.split(".")[0]}`;
    const at = { file: formatPath(schemas, `${id}/releases/${previous.version}.json`), pointer: "" };
    const found = releases.find(({ file }) => file === at.file);
    if (found?.digest === previous.digest) return [];
    // A release of the same major version would have had to be withdrawn before.
    if (id !== currentId && isWithdrawn(withdrawals, id, previous.version, previous.digest)) return [];
    const problem = found
      ? `is not the one that the release ${version} was made after`
      : `is missing, although the release ${version} was made after it`;
    const message = `The release ${previous.version} of ${id} ${problem}.`;
    const hint = `${RESTORE_HINT}, and ${NEXT_VERSION_HINT}.`;
    return [{ ...createErrorFinding(found ? ALTERED_RULE : MISSING_RULE, message, at, hint), id }];
  });
}

/** Finds protocols that were removed although not all of their releases were withdrawn. */
function findRemovedProtocols(
  { schemas, releases }: ReleaseFolder,
  missing: readonly ReleaseFinding[],
): ReleaseFinding[] {
  const released = new Set([...releases.map(({ protocol }) => protocol.id), ...missing.map(({ id }) => id)]);
  const removed = [...released].filter((id) => !isProtocol(schemas, id));
  return removed.map((id) => {
    const message = `The protocol ${id} was removed, although it has releases.`;
    const at = { file: formatPath(schemas, id), pointer: "" };
    return { ...createErrorFinding("protocol-removed", message, at, KEEP_PROTOCOL_HINT), id };
  });
}

/** Checks the withdrawals that protocol.json records. */
function checkWithdrawals(
  { schemas, releases, withdrawals }: ReleaseFolder,
  contents: CommittedContents,
): Finding[] {
  const committed = [...contents.values()].flat();
  const invalid = withdrawals.flatMap(({ id, version, digest, at }) => {
    const hasFile = releases.some((each) => each.protocol.id === id && each.digest === digest);
    const content = committed.find((each) => each.protocol.id === id && each.digest === digest);
    const [stable] = content ? describeStableParts(content.protocol) : [];
    const found: Finding[] = [];
    const report = (message: string, hint: string): void => {
      found.push(createErrorFinding("withdrawal-invalid", message, at, hint));
    };
    if (hasFile)
      report(
        `The release ${version} is recorded as withdrawn, but its file is still there.`,
        "Remove this entry; `accrete release --withdraw` writes it and deletes the file.",
      );
    if (stable !== undefined)
      report(
        `The release ${version} cannot be withdrawn, because ${stable} is stable in it.`,
        "Remove this entry, and restore the release from version control.",
      );
    return found;
  });
  const missing = releases.flatMap(({ file, protocol: { id, withdrawn = [] } }) =>
    withdrawn
      .filter(({ version, digest }) => !isWithdrawn(withdrawals, id, version, digest))
      .map(({ version, digest, at }) =>
        createErrorFinding(
          "withdrawal-missing",
          `${id}/protocol.json no longer records that the release ${version} (${digest.slice(0, 12)}) was withdrawn; ${path.posix.basename(file)} does.`,
          { file: formatPath(schemas, `${id}/protocol.json`), pointer: "" },
          `Restore the entry of \`withdrawn\` from version control; the release file holds it at ${at.pointer}.`,
        ),
      ),
  );
  return [...invalid, ...missing];
}

/** Returns the withdrawals that the protocol.json of removed protocols recorded in any commit. */
function readCommittedWithdrawals(
  schemas: string,
  removed: readonly string[],
  environment: Environment | undefined,
): ProtocolWithdrawal[] {
  const { files, read } = readCommittedFiles(schemas, "*/v*/protocol.json", environment);
  return removed.flatMap((id) => {
    const objects = (files.get(`${id}/protocol.json`) ?? []).map(({ object }) => object);
    return [...read([...new Set(objects)]).values()].flatMap((bytes) => parseWithdrawals(id, bytes, id));
  });
}

function sortByFile(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => compareTexts(a.at.file, b.at.file));
}

function isWithdrawn(
  withdrawals: readonly ProtocolWithdrawal[],
  id: string,
  version: string,
  digest: string,
): boolean {
  return withdrawals.some((each) => each.id === id && each.version === version && each.digest === digest);
}

function createIncompleteHistoryFinding(schemas: string, message: string): KnownFinding {
  return { rule: "history-incomplete", severity: "note", message, at: { file: schemas, pointer: "" } };
}

/** Returns whether the folder `id` holds a protocol. Links are not followed. */
function isProtocol(schemas: string, id: string): boolean {
  const isFolder = (folder: string): boolean =>
    lstatSync(path.join(schemas, folder), { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder(getProtocolName(id)) && isFolder(id) && existsSync(path.join(schemas, id, "protocol.json"));
}

/** Returns the ids of the folders that hold releases. */
function listReleaseFolders(schemas: string): string[] {
  const ids = listEntries(schemas).flatMap((name) =>
    listEntries(path.join(schemas, name)).map((major) => `${name}/${major}`),
  );
  return ids.filter((id) => /\/v\d+$/.test(id) && existsSync(path.join(schemas, id, "releases")));
}

const RELEASE_PATH = /^[^/]+\/v\d+\/releases\/\d+\.\d+\.json$/;

const getReleaseVersion = (relative: string): string => path.posix.basename(relative, ".json");

const getProtocolId = (relative: string): string => relative.split("/").slice(0, 2).join("/");

const getProtocolName = (id: string): string => id.slice(0, id.indexOf("/"));

function formatPath(schemas: string, relative: string): string {
  return path.posix.join(toForwardSlashes(schemas), relative);
}
