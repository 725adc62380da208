/**
 * Stands for `accrete` on the executors of Spark. The third call prints a finding that is not true, and kills its executor,
 * whose work Spark must repeat. All other calls run the command.
 *
 *     node kill-executor.mjs FOLDER COMMAND ARGUMENT...
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";

const [folder = "", command = "", ...parameters] = process.argv.slice(2);

/** Creates a folder, and returns whether it did not exist. Of several processes, one creates it. */
function create(name) {
  try {
    mkdirSync(path.join(folder, name));
    return true;
  } catch {
    return false;
  }
}

/** Returns the number of this call, from 1; 4 for all later ones. */
function countCalls() {
  return 1 + ["first", "second", "third"].findIndex(create) || 4;
}

/** Returns the id of the process of the executor, which started the process `pid`. */
function findExecutor(pid) {
  const [parent = "", ...words] = execFileSync("ps", ["-o", "ppid=,args=", "-p", pid], { encoding: "utf8" })
    .trim()
    .split(" ");
  return words.some((word) => word.endsWith("CoarseGrainedExecutorBackend")) ? pid : findExecutor(parent);
}

if (countCalls() === 3) {
  const finding = { rule: "invented", severity: "error", message: "", at: { pointer: "", line: 1 } };
  process.stdout.write(`${JSON.stringify(finding)}\n`);
  process.kill(Number(findExecutor(String(process.pid))), "SIGKILL");
} else process.exitCode = spawnSync(command, parameters, { stdio: "inherit" }).status ?? 1;
