#!/usr/bin/env node
import type { Interface } from "node:readline/promises";
import { run } from "./commands/program.js";
import { failureOf, UsageError } from "./failure.js";
import type { Io } from "./io.js";

const { argv, env, stdin, stdout, stderr } = process;

let lines: Interface | undefined;
let answers: AsyncIterator<string> | undefined;

/** One line of standard input. The terminal itself echoes it, lets it be corrected, and makes Ctrl-C end the process. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  lines ??= createInterface({ input: stdin });
  answers ??= lines[Symbol.asyncIterator]();
  stderr.write(question);
  const answer = await answers.next();
  if (answer.done) throw new UsageError("There was no answer, so nothing was done.");
  return answer.value;
}

const INTERRUPTS = { SIGINT: 130, SIGTERM: 143 } as const;

/** What a signal takes back before it ends the process. */
const undos = new Set<() => void>();

let listening = false;

function listen(): void {
  listening = true;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt(signal));
}

function interrupt(signal: keyof typeof INTERRUPTS): void {
  const state = undos.size > 0 ? "nothing was changed" : "its work was done already";
  try {
    for (const undo of [...undos].reverse()) undo();
    stderr.write(`accrete: ended by ${signal}; ${state}\n`);
  } catch (error) {
    stderr.write(failureOf(error).text);
  }
  process.exit(INTERRUPTS[signal]);
}

const io: Io = {
  stdout: (text) => void stdout.write(text),
  stderr: (text) => void stderr.write(text),
  stdin,
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  colors: env.FORCE_COLOR ? env.FORCE_COLOR !== "0" : stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb",
  columns: stdout.columns,
  watched: stderr.isTTY,
  startsThreads: true,
  environment: env,
  pid: process.pid,
  onInterrupt: (undo) => {
    if (!listening) listen();
    undos.add(undo);
    return () => void undos.delete(undo);
  },
  stopAsked: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
    }),
  isRunning: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      // A process of somebody else is running too.
      return (error as NodeJS.ErrnoException).code === "EPERM";
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
  const { exitCode, text } = failureOf(error, env.DEBUG === "accrete");
  if (text !== "") stderr.write(text);
  process.exitCode = exitCode;
} finally {
  lines?.close();
}
