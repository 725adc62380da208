/** Compares two versions. Returns a negative number if `a` is older than `b`: `1.9` is older than `1.10`. */
export function compareVersions(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split(".").map(Number);
  const [majorB = 0, minorB = 0] = b.split(".").map(Number);
  return majorA - majorB || minorA - minorB;
}

/** Returns the minor version after `version`. */
export function getNextMinor(version: string): string {
  const [major = "0", minor = "0"] = version.split(".");
  return `${major}.${Number(minor) + 1}`;
}

/**
 * Returns the version under which a contract at `version` will be released, if its major has the releases `released`. A
 * released version keeps its contract for ever, so the next release needs a newer one.
 */
export function getNextReleaseVersion(version: string, released: readonly string[]): string {
  const newest = [...released].sort(compareVersions).at(-1);
  return newest === undefined || compareVersions(newest, version) < 0 ? version : getNextMinor(newest);
}

/** The format number in `x-release` of the release files that are written now. Readers refuse other numbers. */
export const RELEASE_FORMAT = 1;
