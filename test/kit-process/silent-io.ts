import type { Io } from "../../generator/io.js";

/** The input and output of a process that prints nothing. */
export const silentIo: Io = {
  stdout: () => {},
  stderr: () => {},
  stdin: (async function* () {})(),
  colors: false,
  showsProgress: false,
  pid: process.pid,
  isRunning: () => true,
  killGroup: (leader) => void process.kill(-leader, "SIGKILL"),
  waitForStopSignal: async () => undefined,
};
