/** Sends signals to commands that change files. */
import { spawn } from "node:child_process";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { runAccrete } from "../commands/run-in-process.js";
import { runAgain } from "./break-writers.js";
import { listDifferences, readContents, resetFolder, type Writer } from "./writers.js";

/** A signal, and the step at which it is sent: its number, or a part of its path. */
export interface SignalCase {
  readonly kind: "reads" | "changes";
  readonly at: number | string;
  readonly signal: "SIGINT" | "SIGTERM" | "SIGKILL";
}

/** Runs the writer as a process below `root` that gets the signal. Returns its faults, and how it ended. */
export async function signalWriter(
  root: string,
  writer: Writer,
  shot: SignalCase,
): Promise<{ readonly faults: readonly string[]; readonly ended: string }> {
  const home = cwd();
  try {
    resetFolder(root, writer.files);
    const before = readContents(root);
    chdir(root);
    await runAccrete(writer.argv);
    const after = readContents(root);
    resetFolder(root, writer.files);
    const { kind, at, signal } = shot;
    const got = await runWithSignal(root, writer.argv, `${kind}:${at}:${signal}`);
    const left = readContents(root);
    const wrong = signal === "SIGKILL" ? [] : findFaults(got, signal, left, before, after);
    if (signal === "SIGKILL" && got.signal !== signal && got.code !== 0)
      wrong.push(`it ended with ${got.code}`);
    const faults = [...wrong, ...(await runAgain(root, writer, after))].map(
      (fault) => `${writer.name}, ${signal} at ${at} of its ${kind}: ${fault}`,
    );
    return { faults, ended: `${got.code ?? got.signal} ${got.stderr}` };
  } finally {
    chdir(home);
  }
}

type Contents = ReturnType<typeof readContents>;

function findFaults(
  got: ProcessEnd,
  signal: string,
  left: Contents,
  before: Contents,
  after: Contents,
): string[] {
  // Steps that are never reached send no signal.
  if (got.code === 0) return listDifferences(left, after);
  // A process that has not started its command yet ends at once.
  if (got.signal === signal && got.stderr === "") return listDifferences(left, before);
  const nothing = `accrete: ended by ${signal}; nothing was changed\n`;
  const done = `accrete: ended by ${signal}; the command had already finished its work\n`;
  const wrong = listDifferences(left, got.stderr === nothing ? before : after);
  if (got.signal !== signal) wrong.push(`it ended with ${got.code ?? got.signal}`);
  if (![nothing, done].includes(got.stderr)) wrong.push(`it said ${JSON.stringify(got.stderr)}`);
  return wrong;
}

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

function runWithSignal(root: string, argv: readonly string[], signalAt: string): Promise<ProcessEnd> {
  const hook = ["--import", path.join(import.meta.dirname, "signal-at.ts")];
  const cli = path.join(import.meta.dirname, "../../generator/cli.ts");
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), ...hook, cli, ...argv], {
    ...{ cwd: root, env: { ...process.env, SIGNAL_AT: signalAt, NO_COLOR: "1" } },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (piece) => {
    stderr += piece;
  });
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, stderr })));
}
