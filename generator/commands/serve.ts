import { once } from "node:events";
import { type Stats, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { REPORTERS } from "../report/report.js";
import { breakRun } from "../serve/break-run.js";
import { FAULTS, type FaultPlan } from "../serve/fault.js";
import { pageSite } from "../serve/page-site.js";
import type { Pace } from "../serve/play.js";
import { readFaults } from "../serve/read-faults.js";
import { readRuns } from "../serve/read-runs.js";
import type { Run } from "../serve/run.js";
import { createEventServer } from "../serve/server.js";
import { SHAPES, type ShapeName } from "../serve/shapes.js";
import { counted, printable } from "../text.js";
import { protocolValidators, type Validators } from "../validators/protocol-validators.js";
import type { CommandEntry } from "./command.js";
import { count, fixturesOption, nonEmpty, outOption, schemasOrOwnOption, text } from "./options.js";

/** What `accrete serve` takes. */
export interface ServeCommandOptions {
  /** Recordings; those of the fixtures if there are none. */
  readonly files: readonly string[];
  readonly schemas: string;
  readonly fixtures: string;
  /** Where the generated modules are that the page loads. */
  readonly out: string;
  readonly shape: ShapeName;
  readonly pace: Pace;
  /** What `--faults` says. */
  readonly faults: string | undefined;
  readonly seed: number | undefined;
  readonly host: string;
  readonly port: number;
}

/** Serves until it is asked to stop. */
export async function serve(options: ServeCommandOptions, io: Io): Promise<ExitCode> {
  const { protocols, findings } = await loadProtocols(options.schemas, [], { examples: false });
  sound(findings, "The schemas have errors, so nothing is served; `accrete lint` prints them.", io);
  const readers = protocols.map(protocolValidators);
  const plan = planOf(options, io);
  const read = await readRuns(recordingsOf(options, readers), readers, io.stdin);
  sound(read.findings, "Some events cannot be served.", io);
  if (read.runs.length === 0) throw new UsageError("There is no event in these files.");
  const runs = broken(read.runs, readers, plan, io);
  const { shape, pace, host, port } = options;
  const site = await pageSite(protocols, options.out);
  const server = createEventServer({ protocols, runs, shape, pace, faults: plan, site });
  server.http.listen(port, host);
  await once(server.http, "listening").catch((error) => {
    throw refused(error, options);
  });
  const ids = new Set(runs.map(({ protocol }) => protocol));
  const what = `${counted(runs.length, "run")} of ${counted(ids.size, "protocol")}`;
  io.stdout(`Serving ${what} at ${urlOf(server.http.address() as AddressInfo)}\n`);
  if (!isLoopback(host)) io.stderr(`accrete: other machines can read what is served at ${host}\n`);
  await io.stopAsked();
  await server.close();
  return EXIT.ok;
}

function sound(findings: readonly Finding[], otherwise: string, io: Io): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  io.stderr(REPORTERS.text(errors, { color: io.colors }));
  throw new UsageError(otherwise);
}

function planOf({ faults, seed }: ServeCommandOptions, io: Io): FaultPlan {
  if (faults === undefined) return { seed: seed ?? 1, faults: [] };
  const plan = readFaults(faults, seed);
  if ("faults" in plan) return plan;
  sound(plan, "Without a sound plan of faults nothing is served.", io);
  throw new Error("readFaults gave neither a plan nor an error");
}

function recordingsOf(
  { files, fixtures }: ServeCommandOptions,
  readers: readonly Validators[],
): readonly string[] {
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input (-) can be read only once.");
  if (files.length > 0) return files;
  const folders = readers.map(({ protocol }) => path.join(fixtures, protocol.id, "streams"));
  // statSync speaks up where something is there and cannot be looked at.
  const isThere = (file: string): Stats | undefined => statSync(file, { throwIfNoEntry: false });
  const root = isThere(fixtures);
  const there = root?.isDirectory() ? folders.filter(isThere) : [];
  if (there.length > 0) return there;
  const why =
    root === undefined ? "does not exist" : root.isDirectory() ? "holds no streams" : "is no folder";
  throw new UsageError(`${fixtures} ${why}; name files with an event per line (JSON Lines).`);
}

/** The runs with their faults. A fault that finds nothing to do anywhere is told, or it would look as if it were survived. */
function broken(
  runs: readonly Run[],
  readers: readonly Validators[],
  plan: FaultPlan,
  io: Io,
): readonly Run[] {
  const byId = new Map(readers.map((reader) => [reader.protocol.id, reader]));
  const results = runs.map((run) => {
    const reader = byId.get(run.protocol);
    return reader ? breakRun(run, plan, reader) : { run, changed: [] };
  });
  const changed = new Set(results.flatMap((result) => result.changed));
  const keys = new Set(runs.map(({ key }) => key));
  for (const { fault, run } of plan.faults) {
    if (run !== undefined && !keys.has(run))
      io.stderr(`${printable(`accrete: note: no run has the key ${run} (${fault})`)}\n`);
    else if (FAULTS[fault]?.kind === "events" && !changed.has(fault))
      io.stderr(`accrete: note: the fault ${fault} changes no run that is served\n`);
  }
  return results.map(({ run }) => run);
}

function refused(error: unknown, { host, port }: ServeCommandOptions): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE")
    return new UsageError(`Port ${port} of ${host} is in use; --port 0 takes one that is free.`);
  if (code === "EACCES")
    return new UsageError(`Port ${port} may not be used; --port 0 takes one that is free.`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new UsageError(`${host} is no address of this machine.`);
  return error;
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

function port(value: string): number {
  const number = count(value);
  if (number > 65_535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return number;
}

function speed(value: string): number {
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0;
  if (!(number > 0 && number <= 1e6))
    throw new InvalidArgumentError("It must be a number above 0, such as 1, 0.5 or 20.");
  return number;
}

/** `accrete serve`. */
export const serveCommand: CommandEntry = {
  name: "serve",
  summary: "serve recorded runs over HTTP, with fault injection",
  operands: {
    syntax: "[file...]",
    description:
      "JSON Lines, folders of them, or - for standard input; by default the streams of the fixtures",
  },
  options: [
    new Option("--wire-format <format>", "wrap events as the specification says, or as the runtime does")
      .choices(Object.keys(SHAPES))
      .default("spec"),
    new Option("--port <number>", "port to listen on, 0 for one that is free").default(4780).argParser(port),
    new Option("--host <address>", "address to listen on").default("127.0.0.1").argParser(nonEmpty),
    new Option("--speed <factor>", "play in the recorded rhythm, so many times as fast").argParser(speed),
    new Option("--step", "hold each event back until POST /step lets it go").conflicts("speed"),
    new Option(
      "--faults <names|file>",
      `what goes wrong: ${Object.keys(FAULTS).join(", ")}; or a .json file`,
    ),
    new Option("--seed <number>", "determines where faults happen (default: 1)").argParser(count),
    schemasOrOwnOption,
    outOption,
    fixturesOption,
  ],
  examples: [
    ["serve", "the streams of the fixtures, at http://127.0.0.1:4780"],
    ["serve run.jsonl --port 0 --speed 1", "one recording in its own rhythm, at a free port"],
    [
      "serve --faults cut,duplicate --seed 7",
      "connections break and events come twice, the same way each time",
    ],
    ["serve --wire-format runtime --step", "one event for each `curl -X POST http://127.0.0.1:4780/step`"],
  ],
  exits: "0 stopped by SIGINT or SIGTERM, 2 wrong usage or unreadable input.",
  run: (files, options, io) =>
    serve(
      {
        files,
        schemas: text(options, "schemas"),
        fixtures: text(options, "fixtures"),
        out: text(options, "out"),
        shape: options.wireFormat === "runtime" ? "runtime" : "spec",
        pace: paceOf(options.step === true, options.speed),
        faults: options.faults === undefined ? undefined : text(options, "faults"),
        seed: typeof options.seed === "number" ? options.seed : undefined,
        host: text(options, "host"),
        port: Number(options.port),
      },
      io,
    ),
};

function paceOf(step: boolean, factor: unknown): Pace {
  if (step) return { kind: "step" };
  return typeof factor === "number" ? { kind: "speed", speed: factor } : { kind: "at-once" };
}
