/**
 * Sends the process a signal before a call of node:fs. This module is loaded before the program, and reads the call and the
 * signal from the environment: `SIGNAL_AT=changes:30:SIGINT` is the 31st call that changes files, and
 * `SIGNAL_AT=reads:protocol.json:SIGINT` the first call that reads a path with `protocol.json`.
 */
import { breakDisk } from "./broken-disk.js";

const [kind, at, signal] = (process.env.SIGNAL_AT ?? "").split(":");
// No call fails: breakDisk only runs the function before the call.
breakDisk(
  /^\d+$/.test(at ?? "") ? Number(at) : (at ?? ""),
  () => process.kill(process.pid, signal),
  kind === "reads" ? "reads" : "changes",
);
