/** Starts the server of `accrete serve`. */
import { once } from "node:events";
import { type Stats, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import type { Protocol } from "../protocol/protocol.js";
import { REPORTERS } from "../report/report.js";
import { formatCount, sanitizeLine } from "../text.js";
import { createValidators, type Validators } from "../validators/protocol-validators.js";
import { isLoopback } from "./access.js";
import { applyEventFaults } from "./event-faults.js";
import { type FaultPlan, isOfKind } from "./fault.js";
import { readSite } from "./page-site.js";
import type { Pace } from "./play.js";
import { readFaults } from "./read-faults.js";
import { readRuns } from "./read-runs.js";
import type { Run } from "./run.js";
import { createEventServer } from "./server.js";
import { WIRE_FORMATS, type WireFormatName } from "./wire-formats.js";

/** Options of `accrete serve`. */
interface ServeCommandOptions {
  /** Recordings; by default those of the fixtures. */
  readonly files: readonly string[];
  readonly schemas: string;
  readonly fixtures: string;
  /** The folder of the generated modules that the page loads. */
  readonly out: string;
  readonly format: WireFormatName;
  readonly pace: Pace;
  readonly isInteractive: boolean;
  /** The value of `--faults`. */
  readonly faults: string | undefined;
  readonly seed: number | undefined;
  readonly host: string;
  /** Other names by which callers may call the server. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may send requests, besides those of loopback addresses. */
  readonly allowedOrigins: readonly string[];
  readonly port: number;
  /** Throws a usage error if recordings cannot be of these protocols. Returns standard input from its beginning. */
  readonly checkRecordings?: (validators: readonly Validators[]) => Promise<AsyncIterable<Uint8Array>>;
}

/** Serves runs until the user stops the server. */
export async function serve(options: ServeCommandOptions, io: Io): Promise<ExitCode> {
  const { url, subject, close } = await openServer(options, io);
  io.stdout(`Serving ${subject} at ${url}\n`);
  if (!isLoopback(options.host))
    io.stderr(`accrete: other machines can read the recordings at ${options.host}\n`);
  await io.waitForStopSignal();
  await close();
  return EXIT.ok;
}

/** A server that listens. */
interface OpenServer {
  readonly url: string;
  /** The number of runs and protocols, in words. */
  readonly subject: string;
  /** Ends streams between two events, and closes all connections. */
  close(): Promise<void>;
}

/** Reads the recordings, and starts a server for them. Findings and notes are written to `io.stderr`. */
export async function openServer(
  options: ServeCommandOptions,
  io: Pick<Io, "stderr" | "stdin" | "colors">,
): Promise<OpenServer> {
  const { protocols, findings } = await loadProtocols(options.schemas, [], { examples: false });
  failOnErrors(findings, "The schemas have errors. `accrete lint` lists them.", io);
  const plan = readPlan(options, io);
  const validators = protocols.map(createValidators);
  const stdin = (await options.checkRecordings?.(validators)) ?? io.stdin;
  const recordings = findRecordings(options, protocols);
  const { runs: recorded, findings: unservable } = await readRuns(recordings, validators, stdin);
  failOnErrors(unservable, "Some events cannot be served.", io);
  if (recorded.length === 0) throw new UsageError("The files contain no events.");
  refuseMissingStates(options.format, recorded, protocols);
  const { format, pace, isInteractive, host, port } = options;
  const runs = injectFaults(recorded, protocols, plan, isInteractive, io);
  const site = await readSite(protocols, options.out);
  const server = createEventServer({
    protocols,
    runs,
    format,
    pace,
    isInteractive,
    faults: plan,
    site,
    access: options,
  });
  server.http.listen(port, host);
  await once(server.http, "listening").catch((error) => {
    throw describeListenError(error, options);
  });
  const ids = new Set(runs.map(({ protocol }) => protocol));
  const subject = `${formatCount(runs.length, "run")} of ${formatCount(ids.size, "protocol")}`;
  const url = formatUrl(server.http.address() as AddressInfo);
  return { url, subject, close: () => server.close() };
}

/** Throws if streams are to send states, but no protocol of the recordings declares them. */
function refuseMissingStates(
  format: WireFormatName,
  runs: readonly Run[],
  protocols: readonly Protocol[],
): void {
  if (!WIRE_FORMATS[format].sendsStates) return;
  const ids = new Set(runs.map(({ protocol }) => protocol));
  if (protocols.some(({ id, stateFeed }) => ids.has(id) && stateFeed !== undefined)) return;
  throw new UsageError(
    `${[...ids].join(", ")}: no state feed is declared. Add stateFeed to protocol.json, or use another --wire-format.`,
  );
}

function failOnErrors(
  findings: readonly Finding[],
  message: string,
  io: Pick<Io, "stderr" | "colors">,
): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  io.stderr(REPORTERS.text(errors, { color: io.colors }));
  throw new UsageError(message);
}

function readPlan({ faults, seed }: ServeCommandOptions, io: Pick<Io, "stderr" | "colors">): FaultPlan {
  if (faults === undefined) return { seed: seed ?? 1, faults: [] };
  const plan = readFaults(faults, seed);
  if ("faults" in plan) return plan;
  failOnErrors(plan, "The file of faults has errors.", io);
  throw new Error("readFaults returned neither a plan nor an error");
}

/** Returns the files and folders to read: the given ones, or the streams of the fixtures. */
function findRecordings(
  { files, fixtures }: ServeCommandOptions,
  protocols: readonly Protocol[],
): readonly string[] {
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input (-) can be read only once.");
  if (files.length > 0) return files;
  // statSync throws if something exists but cannot be read.
  const statIfExists = (file: string): Stats | undefined => statSync(file, { throwIfNoEntry: false });
  const root = statIfExists(fixtures);
  const folders = protocols.map(({ id }) => path.join(fixtures, id, "streams"));
  const existing = root?.isDirectory() ? folders.filter(statIfExists) : [];
  if (existing.length > 0) return existing;
  let reason = "does not exist";
  if (root) reason = root.isDirectory() ? "contains no streams" : "is not a folder";
  throw new UsageError(`${fixtures} ${reason}; name files with an event per line (JSON Lines).`);
}

/** Applies the faults of events, and notes faults that change nothing, so that nobody takes them for passed tests. */
function injectFaults(
  runs: readonly Run[],
  protocols: readonly Protocol[],
  plan: FaultPlan,
  isInteractive: boolean,
  io: Pick<Io, "stderr">,
): readonly Run[] {
  const results = runs.map((run) => {
    const protocol = protocols.find(({ id }) => id === run.protocol);
    return protocol ? applyEventFaults(run, plan, protocol, isInteractive) : { run, changed: [] };
  });
  const changed = new Set(results.flatMap((result) => result.changed));
  for (const { fault, run: key } of plan.faults) {
    if (key !== undefined && runs.every((run) => run.key !== key))
      io.stderr(`${sanitizeLine(`accrete: note: no run has the key ${key} (${fault})`)}\n`);
    else if (isOfKind(fault, "events") && !changed.has(fault))
      io.stderr(`accrete: note: the fault ${fault} changes none of the runs\n`);
  }
  return results.map(({ run }) => run);
}

function describeListenError(error: unknown, { host, port }: ServeCommandOptions): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const messages: { readonly [code: string]: string } = {
    EADDRINUSE: `Port ${port} of ${host} is in use; --port 0 chooses a free one.`,
    EACCES: `Port ${port} may not be used; --port 0 chooses a free one.`,
  };
  const notLocal = ["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"].includes(code);
  const message = notLocal ? `${host} is not an address of this machine.` : messages[code];
  return message === undefined ? error : new UsageError(message);
}

function formatUrl({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
