import { type ChildProcessByStdio, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Io } from "../io.js";
import type { Json } from "../json.js";
import { formatCount } from "../text.js";
import { type Answer, parseAnswer, quoteLine } from "./answer.js";

/** The program that an adapter is, and how long to wait for it. */
export interface AdapterProgram {
  /** The command line, which a shell runs. */
  readonly command: string;
  /** The milliseconds after which an adapter that does not answer is silent. */
  readonly timeout: number;
  /** The functions with which its process is ended, also if a signal ends this one. */
  readonly processes: Pick<Io, "killGroup" | "onInterrupt">;
  /** Receives what the adapter writes to standard error. */
  writeError(text: string): void;
}

/** The end of a connection. `ended` and `silent` may be caused by the consumer; `protocol` means that nobody can talk to the adapter. */
export class AdapterFault extends Error {
  override name = "AdapterFault";
  constructor(
    readonly kind: "ended" | "silent" | "protocol",
    message: string,
  ) {
    super(message);
  }
}

/** An error with which the adapter answered a request. */
export class ErrorAnswer extends Error {
  override name = "ErrorAnswer";
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A running adapter that answers requests. */
export interface Connection {
  /** Queues a request. `params` is JSON text. The promise is rejected with an ErrorAnswer, or with the AdapterFault that ended the connection. */
  request(method: string, params: string): Promise<Json>;
  /** Writes the queued requests at once. */
  flush(): void;
  /** Returns why the connection ended; undefined while it is open. */
  fault(): AdapterFault | undefined;
  /** Ends the process. */
  close(): void;
}

/** A request without an answer. */
interface OpenRequest {
  readonly method: string;
  resolve(result: Json): void;
  reject(error: Error): void;
}

/** The maximum number of characters in a line of an adapter. */
const MAX_LINE = 64 * 1024 * 1024;

/** The number of characters after which queued requests are written. */
const MAX_QUEUED = 1024 * 1024;

type AdapterProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts an adapter. */
export function openConnection(program: AdapterProgram): Connection {
  const child = startProcess(program);
  const forget = program.processes.onInterrupt?.(() => stopProcess(child, program));
  const open = new Map<number, OpenRequest>();
  let queued: string[] = [];
  let queuedLength = 0;
  let lastId = 0;
  let answered = 0;
  let fault: AdapterFault | undefined;
  let timer: NodeJS.Timeout | undefined;

  const end = (kind: AdapterFault["kind"], message: string): void => {
    if (fault !== undefined) return;
    fault = new AdapterFault(kind, message);
    clearTimeout(timer);
    stopProcess(child, program);
    forget?.();
    for (const { reject } of open.values()) reject(fault);
    open.clear();
  };
  const lines = createLineSplitter((message) => end("protocol", message));
  const endSilent = (): void => {
    const seconds = `${program.timeout / 1000} s (--timeout)`;
    end(
      "silent",
      `The adapter did not answer ${describeOpen(open)} within ${seconds}${lines.describeRest()}`,
    );
  };
  const take = (answer: Answer): void => {
    const request = open.get(answer.id);
    if (request === undefined) {
      end("protocol", describeSurplusAnswer(answer.id, lastId));
      return;
    }
    open.delete(answer.id);
    answered++;
    if (answered + queued.length === lastId) clearTimeout(timer);
    else timer?.refresh();
    if ("result" in answer) request.resolve(answer.result);
    else request.reject(new ErrorAnswer(answer.error.code, answer.error.message));
  };
  const flush = (): void => {
    if (queued.length === 0 || fault !== undefined) return;
    child.stdin.write(queued.join(""));
    queued = [];
    queuedLength = 0;
    clearTimeout(timer);
    timer = setTimeout(endSilent, program.timeout);
  };

  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    for (const line of lines.split(chunk)) {
      if (fault !== undefined) return;
      const answer = parseAnswer(line);
      if (typeof answer === "string") end("protocol", answer);
      else take(answer);
    }
  });
  child.on("error", (error) => end("ended", `The adapter cannot be started: ${error.message}`));
  child.on("close", (code, signal) =>
    end(
      "ended",
      `The adapter ${describeEnd(code, signal)} before it answered ${describeOpen(open)}${lines.describeRest()}`,
    ),
  );
  return {
    request(method, params) {
      if (fault !== undefined) return Promise.reject(fault);
      const id = ++lastId;
      const line = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`;
      queued.push(line);
      queuedLength += line.length;
      const result = new Promise<Json>((resolve, reject) => open.set(id, { method, resolve, reject }));
      if (queuedLength > MAX_QUEUED) flush();
      return result;
    },
    flush,
    fault: () => fault,
    close() {
      end("ended", "The connection was closed");
    },
  };
}

/** Starts the process in a group of its own, so that what a shell starts can be ended with it. */
function startProcess({ command, writeError, processes }: AdapterProgram): AdapterProcess {
  const child = spawn(command, { shell: true, stdio: "pipe", detached: processes.killGroup !== undefined });
  child.stderr.setEncoding("utf8").on("data", writeError);
  // Why the process ended says more than that its input was closed.
  child.stdin.on("error", () => {});
  return child;
}

function stopProcess(child: AdapterProcess, { processes }: AdapterProgram): void {
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

/** Returns a splitter of text into lines. `fail` is called when a line is too long. */
function createLineSplitter(fail: (message: string) => void): {
  split(chunk: string): string[];
  describeRest(): string;
} {
  let parts: string[] = [];
  let length = 0;
  return {
    split(chunk) {
      const lines = chunk.split("\n");
      const rest = lines.pop() ?? "";
      if (lines.length > 0) {
        lines[0] = parts.join("") + lines[0];
        parts = [];
        length = 0;
      }
      parts.push(rest);
      length += rest.length;
      if (length > MAX_LINE)
        fail(
          `The adapter wrote a line of more than ${MAX_LINE / 1024 / 1024} MB: ${quoteLine(parts.join(""))}`,
        );
      return lines.filter((line) => line.trim() !== "");
    },
    describeRest: () => {
      const rest = parts.join("");
      return rest === "" ? "" : `. Its last line has no line end: ${quoteLine(rest)}`;
    },
  };
}

/** Describes the end of a process. A shell reports a signal that ended its command as the exit code 128 + signal. */
function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  const [name] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? [signal];
  return name === null ? `exited with code ${code}` : `was ended by ${name}`;
}

/** Names the oldest request without an answer. */
function describeOpen(open: ReadonlyMap<number, OpenRequest>): string {
  const [first] = open;
  if (first === undefined) return "the next request";
  const [id, { method }] = first;
  const others = open.size > 1 ? ` and ${formatCount(open.size - 1, "later request")}` : "";
  return `${method} (id ${id})${others}`;
}

function describeSurplusAnswer(id: number, lastId: number): string {
  const isOld = Number.isInteger(id) && id >= 1 && id <= lastId;
  if (isOld) return `The adapter answered the request with id ${id} twice`;
  return `The adapter answered a request with id ${id}, which does not exist. An answer has the id of its request`;
}
