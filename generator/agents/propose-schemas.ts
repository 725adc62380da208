/** Applies proposed files to a copy of a schemas folder. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { UsageError } from "../failure.js";
import { toForwardSlashes } from "../io.js";

/** The texts of proposed files by their paths; null for a file that is to be deleted. */
export type Proposal = { readonly [file: string]: string | null };

/**
 * Calls `use` with a copy of the folder `schemas` in which the files of the proposal have their proposed texts. Removes the
 * copy afterwards. Throws a UsageError for a path outside of the folder, and for a release, which never changes.
 */
export async function withProposal<T>(
  schemas: string,
  proposal: Proposal,
  use: (copy: string) => Promise<T>,
): Promise<T> {
  const changes = Object.entries(proposal).map(([file, text]) => [locateBelow(schemas, file), text] as const);
  const root = realpathSync(schemas);
  const isInside = (file: string): boolean =>
    existsSync(file) && `${realpathSync(file)}${path.sep}`.startsWith(root + path.sep);
  const temporary = mkdtempSync(path.join(tmpdir(), "accrete-proposal-"));
  const copy = path.join(temporary, "schemas");
  try {
    // The copy has files in place of links, so that nothing is written where a link leads.
    cpSync(root, copy, { recursive: true, dereference: true, filter: isInside });
    for (const [relative, text] of changes) applyChange(path.join(copy, relative), text);
    return await use(toForwardSlashes(copy));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Returns the path of a file relative to the schemas folder. The file is named from the current folder or from that folder. */
function locateBelow(schemas: string, file: string): string {
  const candidates = [path.relative(schemas, file), path.normalize(file)];
  const found = candidates.find((each) => !each.startsWith("..") && !path.isAbsolute(each));
  if (found === undefined || !found.endsWith(".json"))
    throw new UsageError(`${file} is not the path of a JSON file below ${schemas}.`);
  if (found.split(path.sep).includes("releases"))
    throw new UsageError(`${file} is a release, which never changes. Propose the files beside it.`);
  return found;
}

function applyChange(file: string, text: string | null): void {
  rmSync(file, { force: true });
  if (text === null) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
