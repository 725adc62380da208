/** `accrete import FILE`: a protocol folder out of the schemas that people have. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Option } from "commander";
import type { Comparison } from "../import/compare.js";
import { type Imported, importUnion } from "../import/import-union.js";
import { protocolFiles } from "../import/protocol-files.js";
import { Refused } from "../import/refused.js";
import { openFiles } from "../load/files.js";
import { loadSchemas } from "../load/load.js";
import type { Protocol } from "../model/protocol.js";
import { printable } from "../report/printable.js";
import { REPORTERS } from "../report/report.js";
import type { CommandEntry } from "./command.js";
import { UsageError } from "./failure.js";
import { EXIT, type ExitCode, type Io } from "./io.js";
import { severities } from "./lint.js";
import { text } from "./options.js";
import { counted } from "./words.js";

/** What `accrete import` takes. */
export interface ImportOptions {
  readonly file: string;
  readonly name: string | undefined;
  readonly version: string;
  readonly out: string;
  /** Whether a protocol folder of the same name and major version may be replaced. */
  readonly force: boolean;
}

/** Writes the protocol folder, whole or not at all, and says what was recognised, changed and lost. */
export async function runImport(options: ImportOptions, io: Io): Promise<ExitCode> {
  const imported = read(options);
  const { name, version } = imported.parts;
  const id = `${name}/v${version.split(".")[0]}`;
  const target = path.join(options.out, id);
  if (existsSync(target) && !options.force)
    throw new UsageError(`${target} is there already; --force replaces it.`);
  mkdirSync(options.out, { recursive: true });
  const staging = mkdtempSync(path.join(options.out, ".accrete-import-"));
  try {
    for (const { path: relative, content } of protocolFiles(imported.parts)) {
      const file = path.join(staging, relative);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    const { protocols, findings } = loadSchemas(staging);
    const [protocol] = protocols;
    if (!protocol) {
      const errors = findings.filter(({ severity }) => severity === "error");
      const summary = { text: `${counted(errors.length, "error")}: nothing was imported`, data: {} };
      io.stdout(REPORTERS.text(errors, { color: io.colors, summary }));
      return EXIT.findings;
    }
    const comparisons = await compareAll(protocol, imported, io);
    install(path.join(staging, id), target);
    const { warnings } = severities(findings);
    const done = `imported ${id} into ${target}: ${counted(protocol.events.length, "event type")}`;
    const lines = [...imported.notes, ...verdicts(comparisons), ...hints(warnings), done];
    io.stdout(`${lines.map((line) => printable(line)).join("\n")}\n`);
    return EXIT.ok;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function read({ file, name, version }: ImportOptions): Imported {
  if (!existsSync(file) || !statSync(file).isFile())
    throw new UsageError(`${file} is no file that can be read.`);
  if (!/^(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version))
    throw new UsageError(`"${version}" is no version; write X.Y, such as 1.0.`);
  const files = openFiles(path.dirname(file));
  const called = name ?? nameFrom(path.basename(file));
  if (!/^[a-z][a-z0-9_-]*$/.test(called))
    throw new UsageError(`"${called}" is no name of a protocol; --name gives one, such as my-events.`);
  try {
    return importUnion(path.basename(file), (relative) => files.read(relative)?.document, {
      name: called,
      version,
    });
  } catch (error) {
    const [fault] = files.findings;
    if (!(error instanceof Refused)) throw error;
    const { file: where = "", line, column } = fault?.at ?? {};
    throw new UsageError(fault ? `${where}:${line ?? 1}:${column ?? 1}: ${fault.message}` : error.message);
  }
}

function nameFrom(base: string): string {
  return base.replace(/(\.schema)?\.json$/, "").toLowerCase();
}

/** Puts the new folder in place of the old one, which stays until the new one is there. */
function install(made: string, target: string): void {
  mkdirSync(path.dirname(target), { recursive: true });
  const aside = `${made}.old`;
  if (existsSync(target)) renameSync(target, aside);
  try {
    renameSync(made, target);
  } catch (error) {
    if (existsSync(aside)) renameSync(aside, target);
    throw error;
  }
}

async function compareAll(protocol: Protocol, imported: Imported, io: Io): Promise<Comparison[]> {
  // Only here: the proof engine takes long to load.
  const { compareEvent } = await import("../import/compare.js");
  const comparisons: Comparison[] = [];
  for (const event of protocol.events) {
    const original = imported.originals.get(event.type);
    if (!original) throw new Error(`the event ${event.type} has no original`);
    if (io.watched) io.stderr(`comparing ${printable(event.type)} …\n`);
    comparisons.push(await compareEvent(protocol, event, original, imported.bundle));
  }
  return comparisons;
}

function verdicts(comparisons: readonly Comparison[]): string[] {
  const equal = comparisons.filter(
    ({ kept, added }) => kept.verdict === "contained" && added.verdict === "contained",
  );
  const said = (type: string, what: string, { verdict, ...answer }: Comparison["kept"]): string[] =>
    verdict === "contained"
      ? []
      : "witness" in answer
        ? [`CHANGED ${type}: ${what}: ${JSON.stringify(answer.witness)}`]
        : [`UNDECIDED ${type}: ${what}? ${"reason" in answer ? answer.reason : ""}`];
  return [
    `proven equal to the original, formats aside: ${equal.length} of ${counted(comparisons.length, "event")}`,
    ...comparisons.flatMap(({ type, kept, added }) => [
      ...said(type, "accepted by the original, not sent any more", kept),
      ...said(type, "sent now, refused by the original", added),
    ]),
  ];
}

function hints(warnings: number): string[] {
  return warnings === 0 ? [] : [`${counted(warnings, "warning")} of lint remain; accrete lint prints them`];
}

/** `accrete import`. */
export const importCommand: CommandEntry = {
  name: "import",
  summary: "make a protocol folder out of a JSON Schema that is a union of events",
  operands: {
    syntax: "<file>",
    description: "the schema, of draft-04 to 2020-12; files beside it may be referred to",
  },
  options: [
    new Option("--out <dir>", "folder of the protocols, into which a new one is written").default("schemas"),
    new Option("--name <name>", "name of the protocol; by default that of the file"),
    new Option("--as <version>", "version of the protocol, major.minor").default("1.0"),
    new Option("--force", "replace a protocol folder of that name and major version"),
  ],
  examples: [
    ["import events.schema.json", "into schemas/events/v1"],
    ["import github.json --name github --as 7.6", "into schemas/github/v7"],
  ],
  run: ([file = ""], options, io) =>
    runImport(
      {
        file,
        name: options.name === undefined ? undefined : text(options, "name"),
        version: text(options, "as"),
        out: text(options, "out"),
        force: options.force === true,
      },
      io,
    ),
};
