import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { readReleases } from "../load/release-history.js";
import { readRuntime } from "../load/runtime.js";
import type { OutputFile, Protocol } from "../model/protocol.js";
import { compareVersions } from "../model/version.js";
import { type Format, REPORTERS } from "../report/report.js";
import type { Summary } from "../report/reporter.js";
import { literal } from "../text.js";
import { checkTree } from "./check-tree.js";
import type { CommandEntry } from "./command.js";
import { EXIT, type ExitCode, type Io } from "./io.js";
import { severities } from "./lint.js";
import { loadProtocols } from "./load-protocols.js";
import { fixturesOption, format, formatOption, outOption, schemasOption, text } from "./options.js";
import { slashes } from "./plan-tree.js";
import { counted } from "./words.js";
import { writeTree } from "./write-tree.js";

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
  const { protocols, findings } = loadProtocols(options.schemas, options.protocols);
  const report = REPORTERS[options.format];
  const { errors } = severities(findings);
  if (errors > 0) {
    const summary = { text: `${counted(errors, "error")}: nothing was generated`, data: { errors } };
    io.stdout(report(findings, { color: io.colors, summary }));
    return EXIT.findings;
  }
  // Only here: the emitters' libraries take longer to load than most commands need to run.
  const { emitProtocol } = await import("../emit/emit.js");
  const outputs: OutputFile[] = [];
  for (const protocol of protocols) {
    if (io.watched) io.stderr(`generating ${protocol.id} …\n`);
    outputs.push(
      ...(await emitProtocol(protocol, {
        runtime: readRuntime(),
        fixtures: fixturesPath(options, protocol),
        releases: earlierReleases(options.schemas, protocol),
        also: options.emit ?? [],
      })),
    );
  }
  const ids = options.protocols.length === 0 ? undefined : options.protocols;
  const result = (options.check ? check : write)(options, outputs, ids, protocols, io);
  io.stdout(report(result.findings, { color: io.colors, summary: result.summary }));
  return severities(result.findings).errors > 0 ? EXIT.findings : EXIT.ok;
}

/** The releases of the same major before this version; `accrete compat` speaks of those that cannot be read. */
function earlierReleases(schemas: string, { name, major, version }: Protocol): readonly Protocol[] {
  return readReleases(schemas, name)
    .releases.map(({ protocol }) => protocol)
    .filter((release) => release.major === major && compareVersions(release.version, version) < 0);
}

/** The fixtures of a version, as its generated folder sees them. */
function fixturesPath({ out, fixtures }: GenerateOptions, { id }: Protocol): string {
  return slashes(path.relative(path.resolve(out, id), path.resolve(fixtures, id)));
}

interface Result {
  readonly findings: ReturnType<typeof writeTree>["findings"];
  readonly summary: Summary;
}

type Ids = readonly string[] | undefined;

function write(
  options: GenerateOptions,
  outputs: readonly OutputFile[],
  ids: Ids,
  protocols: readonly Protocol[],
  io: Io,
): Result {
  const { written, removed, unchanged, findings } = writeTree(options.out, outputs, ids, io);
  const gone = removed.length > 0 ? `, ${removed.length} removed` : "";
  const done = `${counted(written.length, "file")} written${gone}, ${unchanged} unchanged`;
  const stopped = `${counted(findings.length, "file")} in the way: nothing was written`;
  const text = findings.length > 0 ? stopped : `generated ${contents(protocols)}: ${done}`;
  return { findings, summary: { text, data: { ...counts(protocols), written, removed, unchanged } } };
}

function check(
  options: GenerateOptions,
  outputs: readonly OutputFile[],
  ids: Ids,
  protocols: readonly Protocol[],
): Result {
  const { findings, unchanged } = checkTree(options.out, outputs, ids);
  const sound = `${counted(unchanged, "file")} up to date`;
  const differing = findings.length > 0 ? `, ${findings.length} not` : "";
  const text = `checked ${contents(protocols)}: ${sound}${differing}`;
  return {
    findings,
    summary: { text, data: { ...counts(protocols), unchanged, differing: findings.length } },
  };
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

/** The names of MORE_EMITTERS, here because the emitters are loaded only when they are needed. */
export const MORE = ["go", "openapi", "asyncapi"] as const;

function outputNames(value: string): readonly string[] {
  const names = value.split(",").map((name) => name.trim());
  const strange = names.find((name) => !MORE.some((known) => known === name));
  if (strange !== undefined)
    throw new InvalidArgumentError(`${literal(strange)} is no output; there are ${MORE.join(", ")}.`);
  return names;
}

/** `accrete generate`. */
export const generateCommand: CommandEntry = {
  name: "generate",
  summary: "write types, validators, catalogue and conformance tests from the schemas",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols if there is none" },
  options: [
    new Option("--check", "write nothing; list what is not up to date, and exit with 1 if anything is"),
    new Option("--emit <names>", `more outputs, with commas between them: ${MORE.join(", ")}`).argParser(
      outputNames,
    ),
    schemasOption,
    outOption,
    fixturesOption,
    formatOption,
  ],
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
        emit: (options.emit ?? []) as readonly string[],
      },
      io,
    ),
};
