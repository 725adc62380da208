/** Compares two versions. Returns a negative number if `a` is older than `b`: `1.9` is older than `1.10`. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split(".").map(Number));
  return (x?.[0] ?? 0) - (y?.[0] ?? 0) || (x?.[1] ?? 0) - (y?.[1] ?? 0);
}

/** Returns the minor version after `version`. */
export function nextMinor(version: string): string {
  const [major = "0", minor = "0"] = version.split(".");
  return `${major}.${Number(minor) + 1}`;
}

/**
 * Returns the version that a contract at `version` will be released as, where its major has the releases `released`. A
 * version that was released holds its contract for good, so the next release needs a newer one.
 */
export function nextReleaseVersion(version: string, released: readonly string[]): string {
  const newest = [...released].sort(compareVersions).at(-1);
  return newest === undefined || compareVersions(newest, version) < 0 ? version : nextMinor(newest);
}

/** The format number in `x-release` of the release files that are written now. Readers refuse other numbers. */
export const RELEASE_FORMAT = 1;
