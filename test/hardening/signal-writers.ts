/** Sends signals to commands that change files, at their steps. */
import { spawn } from "node:child_process";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { runAccrete } from "../cli/run-in-process.js";
import { runAgain } from "./break-writers.js";
import { contents, difference, reset, type Writer } from "./writers.js";

/** At which step, or at which path, which signal comes. */
export interface Shot {
  readonly kind: "reads" | "changes";
  readonly at: number | string;
  readonly signal: "SIGINT" | "SIGTERM" | "SIGKILL";
}

const CODES: { readonly [signal: string]: number } = { SIGINT: 130, SIGTERM: 143 };

/** Runs the writer as a process below `root` that gets the signal; tells how it ended and everything that must not be. */
export async function signalWriter(
  root: string,
  writer: Writer,
  shot: Shot,
): Promise<{ readonly faults: readonly string[]; readonly ended: string }> {
  const home = cwd();
  try {
    reset(root, writer.files);
    const before = contents(root);
    chdir(root);
    await runAccrete(writer.argv);
    const after = contents(root);
    reset(root, writer.files);
    const { kind, at, signal } = shot;
    const got = await started(root, writer.argv, `${kind}:${at}:${signal}`);
    const left = contents(root);
    const wrong = signal === "SIGKILL" ? [] : wrongs(got, signal, left, before, after);
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

type Contents = ReturnType<typeof contents>;

function wrongs(got: Ended, signal: string, left: Contents, before: Contents, after: Contents): string[] {
  // Steps that are never reached send no signal.
  if (got.code === 0) return difference(left, after);
  // A process that has not come to its command yet ends at once.
  if (got.signal === signal) return difference(left, before);
  const nothing = `accrete: ended by ${signal}; nothing was changed\n`;
  const done = `accrete: ended by ${signal}; the command had already finished its work\n`;
  const wrong = difference(left, got.stderr === nothing ? before : after);
  if (got.code !== CODES[signal]) wrong.push(`it ended with ${got.code ?? got.signal}`);
  if (![nothing, done].includes(got.stderr)) wrong.push(`it said ${JSON.stringify(got.stderr)}`);
  return wrong;
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

function started(root: string, argv: readonly string[], signalAt: string): Promise<Ended> {
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
