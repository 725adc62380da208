/** Writes a binary for each platform into `out`, and SHA256SUMS and the Dockerfile beside them. Returns the names of the binaries. */
export function buildBinaries(options: {
  /** The folder of the built packages. */
  readonly packages: string;
  readonly out: string;
  readonly platforms: readonly string[];
  /** The program of Node for this platform. By default, the Node of each platform is downloaded. */
  readonly node?: string;
}): Promise<string[]>;
