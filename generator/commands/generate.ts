import { realpathSync } from "node:fs";
import path from "node:path";
import { Option } from "commander";
import { UsageError } from "../failure.js";
import type { Finding, KnownFinding } from "../finding.js";
import { EXIT, type ExitCode, type Io, lstatIfExists, slashes } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { readReleases } from "../load/releases/release-history.js";
import { readRuntime } from "../load/runtime.js";
import { checkTree } from "../output/check-tree.js";
import { generatedVersions } from "../output/paths.js";
import { writeTree } from "../output/write-tree.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { compareVersions } from "../protocol/version.js";
import { type Format, REPORTERS } from "../report/report.js";
import type { Summary } from "../report/reporter.js";
import { counted } from "../text.js";
import type { CommandEntry } from "./command.js";
import { severities } from "./lint.js";
import {
  emitOption,
  emitted,
  fixturesOption,
  format,
  formatOption,
  outOption,
  schemasOption,
  text,
} from "./options.js";

/** What `accrete generate` takes. */
export interface GenerateOptions {
  /** Ids of the protocols to generate; all if there is none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly out: string;
  readonly fixtures: string;
  readonly format: Format;
  /** Compare instead of write. */
  readonly check: boolean;
  /** Names of outputs that are wanted besides those that every protocol has. */
  readonly emit?: readonly string[];
}

/** Writes, or compares, everything that follows from the schemas. An error in them leaves the output as it is. */
export async function generate(options: GenerateOptions, io: Io): Promise<ExitCode> {
  refuseOneFolder(options);
  const { protocols, findings } = await loadProtocols(options.schemas, options.protocols);
  const report = REPORTERS[options.format];
  const { errors } = severities(findings);
  if (errors > 0) {
    const summary = { text: `${counted(errors, "error")}: nothing was generated`, data: { errors } };
    io.stdout(report(findings, { color: io.colors, summary }));
    return EXIT.findings;
  }
  const outputs: OutputFile[] = [];
  for (const protocol of protocols) {
    if (io.watched) io.stderr(`generating ${protocol.id} …\n`);
    outputs.push(...(await outputsOf(protocol, options)));
  }
  const result = (options.check ? check : write)(options, outputs, protocols, io);
  const all = [
    ...result.findings,
    ...(options.protocols.length === 0 ? strangers(options.out, protocols) : []),
  ];
  io.stdout(report(all, { color: io.colors, summary: result.summary }));
  return severities(all).errors > 0 ? EXIT.findings : EXIT.ok;
}

/** Frozen releases carry the banner too: beside the outputs they would be files that nothing generates any more. */
function refuseOneFolder({ schemas, out }: GenerateOptions): void {
  const real = (folder: string): string =>
    lstatIfExists(folder) ? realpathSync(folder) : path.resolve(folder);
  if (real(schemas) === real(out))
    throw new UsageError(`Schemas and generated code need two folders; --schemas and --out name ${out}.`);
}

/** Everything that follows from a protocol. */
export async function outputsOf(
  protocol: Protocol,
  options: Pick<GenerateOptions, "schemas" | "out" | "fixtures" | "emit">,
): Promise<readonly OutputFile[]> {
  // Only here: the emitters' libraries take longer to load than most commands need to run.
  const { emitProtocol } = await import("../emit/emit.js");
  return emitProtocol(protocol, {
    runtime: readRuntime(),
    fixtures: fixturesPath(options, protocol),
    releases: earlierReleases(options.schemas, protocol),
    also: options.emit ?? [],
  });
}

/** The releases of the same major before this version; `accrete compat` speaks of those that cannot be read. */
function earlierReleases(schemas: string, { name, major, version }: Protocol): readonly Protocol[] {
  return readReleases(schemas, name)
    .releases.map(({ protocol }) => protocol)
    .filter((release) => release.major === major && compareVersions(release.version, version) < 0);
}

/** The fixtures of a version, as its generated folder sees them. */
function fixturesPath(
  { out, fixtures }: Pick<GenerateOptions, "out" | "fixtures">,
  { id }: Protocol,
): string {
  return slashes(path.relative(path.resolve(out, id), path.resolve(fixtures, id)));
}

interface Result {
  readonly findings: readonly Finding[];
  readonly summary: Summary;
}

function write(
  options: GenerateOptions,
  outputs: readonly OutputFile[],
  protocols: readonly Protocol[],
  io: Io,
): Result {
  const { written, removed, unchanged, findings } = writeTree(
    options.out,
    outputs,
    counts(protocols).protocols,
    io,
  );
  const gone = removed.length > 0 ? `, ${removed.length} removed` : "";
  const done = `${counted(written.length, "file")} written${gone}, ${unchanged} unchanged`;
  const stopped = `${counted(findings.length, "file")} in the way: nothing was written`;
  const text = findings.length > 0 ? stopped : `generated ${contents(protocols)}: ${done}`;
  return { findings, summary: { text, data: { ...counts(protocols), written, removed, unchanged } } };
}

function check(
  options: GenerateOptions,
  outputs: readonly OutputFile[],
  protocols: readonly Protocol[],
): Result {
  const { findings, unchanged } = checkTree(options.out, outputs, counts(protocols).protocols);
  const sound = `${counted(unchanged, "file")} up to date`;
  const differing = findings.length > 0 ? `, ${findings.length} not` : "";
  const text = `checked ${contents(protocols)}: ${sound}${differing}`;
  return {
    findings,
    summary: { text, data: { ...counts(protocols), unchanged, differing: findings.length } },
  };
}

/** Versions that other schemas have made, or that these had once: nobody but the user knows, so they stay. */
function strangers(out: string, protocols: readonly Protocol[]): KnownFinding[] {
  const known = new Set(counts(protocols).protocols);
  return generatedVersions(out)
    .filter((id) => !known.has(id))
    .map((id) => ({
      rule: "generated-unknown",
      severity: "note",
      message: `These schemas have no ${id}; its generated files were left as they are.`,
      at: { file: path.posix.join(slashes(out), id), pointer: "" },
      hint: "Delete the folder if no other schemas folder generates it.",
    }));
}

function counts(protocols: readonly Protocol[]): {
  readonly protocols: readonly string[];
  readonly eventTypes: number;
} {
  return {
    protocols: protocols.map(({ id }) => id),
    eventTypes: protocols.reduce((sum, { events }) => sum + events.length, 0),
  };
}

function contents(protocols: readonly Protocol[]): string {
  return `${counted(protocols.length, "protocol")}, ${counted(counts(protocols).eventTypes, "event type")}`;
}

/** `accrete generate`. */
export const generateCommand: CommandEntry = {
  name: "generate",
  summary: "write types, validators, catalogue and conformance tests from the schemas",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols if there is none" },
  options: [
    new Option("--check", "write nothing; list what is not up to date, and exit with 1 if anything is"),
    emitOption,
    schemasOption,
    outOption,
    fixturesOption,
    formatOption,
  ],
  writes: true,
  examples: [
    ["generate", "everything below schemas/ into generated/"],
    ["generate hecate/v1 --out src/events", "one protocol, somewhere else"],
    ["generate --emit go,openapi", "a Go package and an OpenAPI document as well"],
    ["generate --check", "in CI: is what is committed up to date?"],
  ],
  run: (protocols, options, io) =>
    generate(
      {
        protocols,
        schemas: text(options, "schemas"),
        out: text(options, "out"),
        fixtures: text(options, "fixtures"),
        format: format(options),
        check: options.check === true,
        emit: emitted(options),
      },
      io,
    ),
};
