import { type ChildProcessByStdio, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Io } from "../io.js";
import { parseAnswerLine, quoteText } from "./answer.js";
import { createLineSplitter } from "./line-splitter.js";
import { MAX_ANSWER_BYTES, MAX_ANSWER_MB, type Transport, type TransportListener } from "./transport.js";

/** A program that is an adapter. */
interface AdapterProgram {
  /** The command line, which a shell runs. */
  readonly command: string;
  /** The functions that end its process, also if a signal ends this one. */
  readonly processes: Pick<Io, "killGroup" | "onInterrupt">;
  /** Receives what the adapter writes to standard error. */
  writeError(text: string): void;
}

/** The milliseconds in which the rest of standard error is read after the adapter was killed. */
const PIPE_TIMEOUT = 1000;

type AdapterProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts an adapter as a process. Each request and each answer is a line. */
export function openProcessTransport(program: AdapterProgram, listener: TransportListener): Transport {
  const child = startProcess(program);
  const removeHandler = program.processes.onInterrupt?.(() => killProcesses(child, program));
  const lines = createLineSplitter();
  let exit: string | undefined;
  let isClosed = false;

  child.stdout.on("data", (chunk: Buffer) => {
    if (isClosed) return;
    for (const line of lines.split(chunk)) {
      const answer = parseAnswerLine(line);
      if (typeof answer === "string") listener.refuse(answer);
      else listener.takeAnswer(answer);
    }
    if (lines.restLength() > MAX_ANSWER_BYTES)
      listener.refuse(
        `The adapter wrote a line of more than ${MAX_ANSWER_MB} MB: ${quoteText(lines.rest())}`,
      );
  });
  child.on("error", (error) => listener.end(`cannot be started (${error.message})`));
  child.on("exit", (code, signal) => {
    exit = describeExit(code, signal);
    // A process that it started may hold its output open, and would keep the kit waiting.
    killProcesses(child, program);
  });
  child.on("close", () => listener.end(exit ?? "ended"));
  return {
    send: (requests) => void child.stdin.write(`${requests.join("\n")}\n`),
    describeRest: () => describeRest(lines.rest(), child, exit),
    close() {
      isClosed = true;
      removeHandler?.();
      killProcesses(child, program);
      setTimeout(() => destroyPipes(child), PIPE_TIMEOUT).unref();
    },
  };
}

/** Starts the process in its own group, so that the processes that a shell starts can be ended with it. */
function startProcess({ command, writeError, processes }: AdapterProgram): AdapterProcess {
  const child = spawn(command, { shell: true, stdio: "pipe", detached: processes.killGroup !== undefined });
  child.stderr.setEncoding("utf8").on("data", writeError);
  // The exit code of the process explains more than the error that its input is closed.
  child.stdin.on("error", () => {});
  return child;
}

/** Stops reading. A process outside of the group may hold the pipes open, and would keep this process from ending. */
function destroyPipes(child: AdapterProcess): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}

function killProcesses(child: AdapterProcess, { processes }: AdapterProgram): void {
  if (child.pid === undefined || processes.killGroup === undefined) {
    child.kill("SIGKILL");
    return;
  }
  try {
    processes.killGroup(child.pid);
  } catch {
    // All processes of the group have ended.
  }
}

/** Describes the end of a process. A shell reports a signal that ended its command as the exit code 128 + signal. */
function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  const [name] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? [signal];
  return name === null ? `exited with code ${code}` : `was ended by ${name}`;
}

/** Describes an incomplete line, and why no answer can follow. */
function describeRest(rest: Buffer, child: AdapterProcess, exit: string | undefined): string {
  const line = rest.length === 0 ? "" : `. Its last line has no line end: ${quoteText(rest)}`;
  if (!child.stdout.readableEnded)
    return exit === undefined
      ? line
      : `${line}. It ${exit}, and another process holds its standard output open`;
  return exit === undefined ? `${line}. It has closed its standard output` : line;
}
