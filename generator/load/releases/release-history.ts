import { realpathSync } from "node:fs";
import path from "node:path";
import type { Finding } from "../../finding.js";
import { toForwardSlashes } from "../../io.js";
import type { PreviousRelease, Protocol } from "../../protocol/protocol.js";
import { compareVersions } from "../../protocol/version.js";
import { createLocator, type LocatePlace } from "../baseline/locate-place.js";
import { createOutsideFinding } from "../files.js";
import { readBytes } from "../read-bytes.js";
import { listEntries, listMajors, readFormerNames, useCurrentName } from "./former-names.js";
import { ALTERED_RULE, readRelease } from "./read-release.js";

/** A release, and the places of its parts. */
export interface Release {
  readonly version: string;
  readonly protocol: Protocol;
  readonly file: string;
  /** The digest that identifies the release. */
  readonly digest: string;
  /** The release before this one, if the file names one. */
  readonly previous?: PreviousRelease;
  readonly locate: LocatePlace;
}

/** Returns the releases of a protocol that are older than it and have its major, oldest first. */
export function readEarlierReleases(
  schemas: string,
  { name, major, version }: Pick<Protocol, "name" | "major" | "version">,
): Protocol[] {
  return readReleases(schemas, name)
    .releases.map(({ protocol }) => protocol)
    .filter((release) => release.major === major && compareVersions(release.version, version) < 0);
}

/** Returns the releases of a protocol in all majors, oldest first. A file that is not a release is a finding. */
export function readReleases(
  schemas: string,
  name: string,
): { readonly releases: readonly Release[]; readonly findings: readonly Finding[] } {
  const releases: Release[] = [];
  const findings: Finding[] = [];
  const formerNames = readFormerNames(schemas, name);
  for (const { file, version } of listReleaseFiles(schemas, name)) {
    if (!isBelow(file, schemas)) {
      findings.push(createOutsideFinding(file));
      continue;
    }
    const bytes = readFileBytes(file);
    const { protocol: released, source, digest, previous, findings: fileFindings } = readRelease(file, bytes);
    findings.push(...fileFindings);
    const protocol = released && useCurrentName(released, name, formerNames);
    if (!protocol || !source || digest === undefined) continue;
    // The places of all parts take much more memory than the text, and are rarely needed.
    const find = createLocator(() => bytes);
    const locate: LocatePlace = (_file, pointer, part) => find(file, pointer, part);
    if (protocol.version === version && protocol.name === name)
      releases.push({ version, protocol, file, digest, locate, ...(previous && { previous }) });
    else findings.push(createMisnamedFinding(file, protocol, source.locate("/x-release/version")));
  }
  return { releases, findings };
}

/** Returns whether the target of a path is below a folder. A broken link counts as below. */
function isBelow(file: string, folder: string): boolean {
  try {
    return realpathSync(file).startsWith(realpathSync(folder) + path.sep);
  } catch {
    return true;
  }
}

/** Returns the bytes of a file. An error of the system names the file. */
function readFileBytes(file: string): Uint8Array {
  try {
    return readBytes(file);
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
}

function createMisnamedFinding(file: string, { name, version }: Protocol, at: Finding["at"]): Finding {
  return {
    rule: ALTERED_RULE,
    severity: "error",
    at,
    message: `The file is ${file}, but it holds the release ${version} of ${name}.`,
    hint: "A release never changes and never moves: restore it from version control.",
  };
}

/** Returns the release files of protocol `name` by version, oldest first. */
function listReleaseFiles(schemas: string, name: string): { file: string; version: string }[] {
  return listMajors(schemas, name)
    .flatMap((major) =>
      listEntries(path.join(schemas, name, major, "releases")).flatMap((entry) => {
        const version = /^(\d+\.\d+)\.json$/.exec(entry)?.[1];
        const file = path.posix.join(toForwardSlashes(schemas), name, major, "releases", entry);
        return version === undefined ? [] : [{ file, version }];
      }),
    )
    .sort((a, b) => compareVersions(a.version, b.version));
}
