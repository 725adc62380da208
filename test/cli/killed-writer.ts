/** Writes outputs and kills itself right before a step: `killed-writer.ts OUT "rename 2" OUTPUTS`. */
import { DISK, type Disk } from "../../generator/output/disk.js";
import { writeTree } from "../../generator/output/write-tree.js";

const [out = "", step = "", outputs = "[]"] = process.argv.slice(2);
const counts = new Map<string, number>();

function deadly<A extends string[]>(name: keyof Disk, real: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (`${name} ${counts.get(name)}` === step) process.kill(process.pid, "SIGKILL");
    real(...args);
  };
}

writeTree(
  out,
  JSON.parse(outputs),
  ["a/v1", "b/v1", "c/v1"],
  { pid: process.pid, isRunning: () => true },
  {
    ...DISK,
    write: deadly("write", DISK.write),
    rename: deadly("rename", DISK.rename),
    link: deadly("link", DISK.link),
    remove: deadly("remove", DISK.remove),
  },
);
