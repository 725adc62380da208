/** Negative if release `a` is older than `b`: `1.9` is older than `1.10`. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split(".").map(Number));
  return (x?.[0] ?? 0) - (y?.[0] ?? 0) || (x?.[1] ?? 0) - (y?.[1] ?? 0);
}

/** What `x-release` of a release file is today; a reader refuses other numbers. */
export const RELEASE_FORMAT = 1;
