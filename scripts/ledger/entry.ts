/** The commands of a ledger, and what they answered. */
import { createHash } from "node:crypto";

/** One command line, run in a folder of the inputs. */
export interface Entry {
  /** A name that is the same at every commit, such as `lint bom`. */
  readonly name: string;
  readonly args: readonly string[];
  /** The folder in which the command runs, below the folder of the inputs. */
  readonly folder: string;
  /** True if the command writes files. It then runs in a copy of the folder. */
  readonly writes?: boolean;
}

/** What a command answered. */
export interface Answer {
  readonly name: string;
  readonly command: string;
  readonly exitCode: number;
  /** The findings of JSON output, as `severity rule place: message`. */
  readonly findings: readonly string[];
  /** What was printed. */
  readonly printed: string;
  /** The hashes of the files that were written or removed, by path. */
  readonly files: { readonly [path: string]: string };
}

/** Returns a short hash of a content. */
export function hashContent(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}
