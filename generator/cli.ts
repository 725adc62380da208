#!/usr/bin/env node
import type { Interface } from "node:readline/promises";
import { setFlagsFromString } from "node:v8";
import { run } from "./commands/program.js";
import { describeFailure, UsageError } from "./failure.js";
import { getErrorCode, type Io } from "./io.js";

const { argv, env, stdin, stdout, stderr } = process;

/**
 * V8 by default optimizes functions so early that its threads take a fifth of the processor time of commands that mostly end
 * within seconds. This many units of bytecode are about eight times as many, and cost longer runs nothing.
 */
const SHORT = "--interrupt-budget=1000000";
/**
 * Almost no object outlives its event, so the young generation of the heap does not need to grow: a small one stays in the
 * cache of the processor, and the process needs a quarter less memory.
 */
const EVENTS = "--semi-space-growth-factor=1";
const FLAGS = new Map([
  ["generate", SHORT],
  ["check", SHORT],
  ["lint", SHORT],
  ["validate", EVENTS],
  ["audit", EVENTS],
]);

const flag = FLAGS.get(argv[2] ?? "");
// Newer versions do not know the interrupt budget, and would print an error.
const knowsFlag = flag !== SHORT || (/^v20\./.test(process.version) && !argv.includes("--watch"));
if (flag !== undefined && knowsFlag) setFlagsFromString(flag);

let lineReader: Interface | undefined;
let answers: AsyncIterator<string> | undefined;

/** Prints `question` and returns the next line of standard input. The terminal echoes it, and lets the user correct it. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  lineReader ??= createInterface({ input: stdin });
  answers ??= lineReader[Symbol.asyncIterator]();
  stderr.write(question);
  const answer = await answers.next();
  if (answer.done) throw new UsageError("There was no answer, so nothing was done.");
  return answer.value;
}

/** Functions that undo unfinished work before a signal ends the process. */
const undoFunctions = new Set<() => void>();

let isListening = false;

function handleSignals(): void {
  isListening = true;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt(signal));
}

function interrupt(signal: "SIGINT" | "SIGTERM"): void {
  // A command that writes files keeps a function registered until the files are complete.
  const state = undoFunctions.size > 0 ? "nothing was changed" : "the command had already finished its work";
  try {
    for (const undo of [...undoFunctions].reverse()) undo();
    stderr.write(`accrete: ended by ${signal}; ${state}\n`);
  } catch (error) {
    stderr.write(describeFailure(error).text);
  }
  // The signal ends all threads at once. `process.exit` would abort the process while DuckDB works in another thread.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Milliseconds between two checks of the parent process. */
const PARENT_INTERVAL = 500;

/** Calls `stop` when the parent process has ended. npx does not pass the signals that end it to its child. */
function callIfOrphaned(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_INTERVAL);
  timer.unref();
}

const io: Io = {
  stdout: (text) => void stdout.write(text),
  stderr: (text) => void stderr.write(text),
  stdin,
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  colors: env.FORCE_COLOR ? env.FORCE_COLOR !== "0" : stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb",
  columns: stdout.columns,
  showsProgress: stderr.isTTY,
  canPreloadInThreads: true,
  environment: env,
  pid: process.pid,
  onInterrupt: (undo) => {
    if (!isListening) handleSignals();
    undoFunctions.add(undo);
    return () => void undoFunctions.delete(undo);
  },
  onStopSignal: (act) => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const each of ["SIGINT", "SIGTERM"] as const) process.off(each, stop);
      act(signal === "SIGINT" ? 130 : 143);
      stdin.destroy();
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  },
  waitForStopSignal: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
      if (env.npm_command === "exec") callIfOrphaned(resolve);
    }),
  killGroup: process.platform === "win32" ? undefined : (leader) => void process.kill(-leader, "SIGKILL"),
  isRunning: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      // The process exists, but belongs to another user.
      return getErrorCode(error) === "EPERM";
    }
  },
};

// The reader of the output may close it (`accrete … | head`). Then nobody would see a message.
for (const stream of [stdout, stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(process.exitCode ?? 0);
  });

try {
  process.exitCode = await run(argv.slice(2), io);
} catch (error) {
  const { exitCode, text } = describeFailure(error, env.DEBUG === "accrete");
  if (text !== "") stderr.write(text);
  process.exitCode = exitCode;
} finally {
  lineReader?.close();
}
