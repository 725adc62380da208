import type { Finding } from "../finding.js";
import type { OutputFile } from "../protocol/protocol.js";
import type { Disk } from "./disk.js";
import type { Owner } from "./lock.js";
import { planTree } from "./plan-tree.js";
import { transact } from "./transaction.js";

/** What writing came to. With findings, nothing was written. */
export interface Written {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
  readonly findings: readonly Finding[];
}

/**
 * Makes `out` hold the outputs and no other generated file of the versions `ids`.
 * All or nothing.
 */
export function writeTree(
  out: string,
  outputs: readonly OutputFile[],
  ids: readonly string[],
  owner: Owner,
  disk?: Disk,
): Written {
  const plan = () => {
    const wanted = planTree(out, outputs, ids);
    return wanted.conflicts.length > 0 ? { ...wanted, changes: [], superfluous: [] } : wanted;
  };
  const { changes, superfluous, unchanged, conflicts } = transact(out, plan, owner, disk);
  return { written: changes.map(({ path }) => path), removed: superfluous, unchanged, findings: conflicts };
}
