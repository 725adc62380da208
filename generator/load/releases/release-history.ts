import { readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import type { Finding } from "../../finding.js";
import { slashes } from "../../io.js";
import type { PreviousRelease, Protocol } from "../../protocol/protocol.js";
import { compareVersions } from "../../protocol/version.js";
import { type LocatePlace, locator } from "../baseline/locate-place.js";
import { outside } from "../files.js";
import { readBytes } from "../read-bytes.js";
import { ALTERED, readRelease } from "./read-release.js";

/** A release, and the places of its parts. */
export interface Release {
  readonly version: string;
  readonly protocol: Protocol;
  readonly file: string;
  /** The digest that identifies it. */
  readonly digest: string;
  /** The release before it, if it names one. */
  readonly previous?: PreviousRelease;
  readonly locate: LocatePlace;
}

/** Returns the releases of a protocol in all majors, oldest first. A file that is not a release is a finding. */
export function readReleases(
  schemas: string,
  name: string,
): { readonly releases: readonly Release[]; readonly findings: readonly Finding[] } {
  const releases: Release[] = [];
  const findings: Finding[] = [];
  for (const { file, version } of releaseFiles(schemas, name)) {
    if (!isBelow(file, schemas)) {
      findings.push(outside(file));
      continue;
    }
    const bytes = bytesOf(file);
    const { protocol, source, digest, previous, findings: faults } = readRelease(file, bytes);
    findings.push(...faults);
    if (!protocol || !source || digest === undefined) continue;
    // The places of all parts take much more memory than the text, and are rarely needed.
    const find = locator(() => bytes);
    const locate: LocatePlace = (_file, pointer, part) => find(file, pointer, part);
    if (protocol.version === version && protocol.name === name)
      releases.push({ version, protocol, file, digest, locate, ...(previous && { previous }) });
    else findings.push(misnamed(file, protocol, source.locate("/x-release/version")));
  }
  return { releases, findings };
}

/** Whether a file is below a folder, links followed. A broken link counts as below. */
function isBelow(file: string, folder: string): boolean {
  try {
    return realpathSync(file).startsWith(realpathSync(folder) + path.sep);
  } catch {
    return true;
  }
}

/** Returns the bytes of a file. An error of the system names the file. */
function bytesOf(file: string): Uint8Array {
  try {
    return readBytes(file);
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
}

function misnamed(file: string, { name, version }: Protocol, at: Finding["at"]): Finding {
  return {
    ...{ rule: ALTERED, severity: "error", at },
    message: `The file is ${file}, but it holds the release ${version} of ${name}.`,
    hint: "A release never changes and never moves: restore it from version control.",
  };
}

/** Returns the release files of protocol `name` by version, oldest first. */
function releaseFiles(schemas: string, name: string): { file: string; version: string }[] {
  const majors = entries(path.join(schemas, name)).filter((entry) => /^v\d+$/.test(entry));
  return majors
    .flatMap((major) =>
      entries(path.join(schemas, name, major, "releases")).flatMap((entry) => {
        const version = /^(\d+\.\d+)\.json$/.exec(entry)?.[1];
        const file = path.posix.join(slashes(schemas), name, major, "releases", entry);
        return version === undefined ? [] : [{ file, version }];
      }),
    )
    .sort((a, b) => compareVersions(a.version, b.version));
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
