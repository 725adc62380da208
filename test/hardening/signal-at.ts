/**
 * Sends the process a signal at one of its steps. It is loaded before the program, and reads the step from the environment:
 * `SIGNAL_AT=changes:30:SIGINT` or `SIGNAL_AT=reads:protocol.json:SIGINT`.
 */
import { breakDisk } from "./broken-disk.js";

const [kind, at, signal] = (process.env.SIGNAL_AT ?? "").split(":");
breakDisk(
  /^\d+$/.test(at ?? "") ? Number(at) : (at ?? ""),
  () => process.kill(process.pid, signal),
  kind === "reads" ? "reads" : "changes",
);
