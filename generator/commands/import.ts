/** `accrete import FILE|DIR`: a protocol folder out of the schemas or samples that people have. */
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { Option } from "commander";
import { UsageError } from "../failure.js";
import type { Comparison } from "../import/compare.js";
import type { Imported } from "../import/import-union.js";
import { protocolFiles } from "../import/protocol-files.js";
import { partOf, readImport } from "../import/read-import.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadSchemas } from "../load/load.js";
import { installFolders, type NewFolder, type Staged } from "../output/install-folders.js";
import type { Protocol } from "../protocol/protocol.js";
import { REPORTERS } from "../report/report.js";
import { argument, counted, printable } from "../text.js";
import type { CommandEntry } from "./command.js";
import { severities } from "./lint.js";
import { fixturesOption, newSchemasOption, nonEmpty, schemasOption, text } from "./options.js";

/** What `accrete import` takes. */
export interface ImportOptions {
  /** A schema, a folder of schemas, or samples. */
  readonly operand: string;
  readonly name: string | undefined;
  readonly version: string;
  readonly out: string;
  readonly fixtures: string;
  /** Whether a protocol folder, and one of fixtures, of the same name and major version may be replaced. */
  readonly force: boolean;
  /** Whether writers may send fields that the schemas do not list. */
  readonly open: boolean;
}

/** Writes the protocol folder, whole or not at all, and says what was recognised, changed and lost. */
export async function runImport(options: ImportOptions, io: Io): Promise<ExitCode> {
  const identity = { ...identityOf(options), open: options.open };
  const imported = await readImport(options.operand, identity, io.stdin);
  const { name, version } = imported.parts;
  const folder = `${name}/v${version.split(".")[0]}`;
  const schemas = { root: options.out, folder, files: protocolFiles(imported.parts), keeps: "releases" };
  const fixtures = { root: options.fixtures, folder, files: imported.fixtures };
  const folders: NewFolder[] = imported.fixtures.length > 0 ? [fixtures, schemas] : [schemas];
  let said = "";
  const decide = async (staged: readonly Staged[]): Promise<boolean> => {
    const written = staged.at(-1) as Staged;
    const { protocols, findings } = loadSchemas(written.inPlaceOfRoot);
    const [protocol] = protocols;
    if (!protocol) {
      const errors = findings
        .filter(({ severity }) => severity === "error")
        .map((each) => ({ ...each, at: { ...each.at, file: afterwards(each.at.file, written) } }));
      const summary = { text: `${counted(errors.length, "error")}: nothing was imported`, data: {} };
      said = REPORTERS.text(errors, { color: io.colors, summary });
      return false;
    }
    const compared = verdicts(
      await compareAll(protocol, imported, io),
      imported.originals?.narrower === true,
    );
    const done = `imported ${folder} into ${path.join(options.out, folder)}: ${counted(protocol.events.length, "event type")}`;
    const remain = hints(severities(findings).warnings);
    const lines = [...imported.notes, ...compared, ...remain, done, nextStep(imported, schemas, fixtures)];
    said = `${lines.map((line) => printable(line)).join("\n")}\n`;
    return true;
  };
  const installed = await installFolders(folders, options.force, decide, io);
  io.stdout(said);
  return installed ? EXIT.ok : EXIT.findings;
}

function identityOf({ operand, name, version }: ImportOptions): { name: string; version: string } {
  if (!/^(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version))
    throw new UsageError(`"${version}" is no version; write X.Y, such as 1.0.`);
  if (operand === "-" && name === undefined)
    throw new UsageError("Standard input has no name; --name gives the protocol one, such as my-events.");
  const [base = ""] = path.basename(path.resolve(partOf(operand).operand)).split(".");
  const called = name ?? base.toLowerCase();
  if (!/^[a-z][a-z0-9_-]*$/.test(called))
    throw new UsageError(`"${called}" is no name of a protocol; --name gives one, such as my-events.`);
  return { name: called, version };
}

/** Where a staged file will stand, as the user would write it. */
function afterwards(file: string, { root, inPlaceOfRoot }: Staged): string {
  return path.join(root, path.relative(inPlaceOfRoot, file));
}

async function compareAll(protocol: Protocol, { originals }: Imported, io: Io): Promise<Comparison[]> {
  if (!originals) return [];
  // Only here: the proof engine takes long to load.
  const { compareEvent } = await import("../import/compare.js");
  const comparisons: Comparison[] = [];
  for (const event of protocol.events) {
    const original = originals.schemas.get(event.type);
    if (!original) throw new Error(`the event ${event.type} has no original`);
    if (io.watched) io.stderr(`comparing ${printable(event.type)} …\n`);
    // Signals are heard between two events.
    await turn();
    comparisons.push(await compareEvent(protocol, event, original, originals));
  }
  return comparisons;
}

function verdicts(comparisons: readonly Comparison[], narrower: boolean): string[] {
  if (comparisons.length === 0) return [];
  const proven = comparisons.filter(
    ({ kept, added }) => kept.verdict === "contained" && added.verdict === "contained",
  );
  const said = (type: string, what: string, { verdict, ...answer }: Comparison["kept"]): string[] =>
    verdict === "contained"
      ? []
      : "witness" in answer
        ? [`CHANGED ${type}: ${what}: ${JSON.stringify(answer.witness)}`]
        : [`UNDECIDED ${type}: ${what}? ${"reason" in answer ? answer.reason : ""}`];
  const lost = narrower
    ? "accepted by the original, refused by readers now"
    : "accepted by the original, not sent any more";
  const total = `${proven.length} of ${counted(comparisons.length, "event")}`;
  return [
    narrower
      ? `proven within the original, formats aside: ${total}: writers send nothing that it refuses, readers accept all that it accepts`
      : `proven equal to the original, formats aside: ${total}`,
    ...comparisons.flatMap(({ type, kept, added }) => [
      ...said(type, lost, kept),
      ...said(type, "sent now, refused by the original", added),
    ]),
  ];
}

function hints(warnings: number): string[] {
  return warnings === 0 ? [] : [`lint has ${counted(warnings, "warning")} left; accrete lint prints them`];
}

/** The command that comes next, and what generated tests will ask for that an import cannot make. */
function nextStep({ fixtures: made }: Imported, schemas: Rooted, fixtures: Rooted): string {
  const lacking =
    made.length > 0 ? "one that must be refused" : "one that is accepted and one that must be refused";
  const below = path.join(fixtures.root, fixtures.folder);
  const folders = flag(schemasOption, schemas) + flag(fixturesOption, fixtures);
  return `next: accrete generate${folders}; its tests ask for events of each type below ${below}, ${lacking}`;
}

type Rooted = Pick<NewFolder, "root" | "folder">;

/** The option that names a folder, where it is not the usual one. */
function flag({ long, defaultValue }: Option, { root }: Rooted): string {
  return root === defaultValue ? "" : ` ${long} ${argument(root)}`;
}

/** `accrete import`. */
export const importCommand: CommandEntry = {
  name: "import",
  summary: "make a protocol folder out of a union of events, a folder of schemas, or samples",
  operands: {
    syntax: "<file|dir>",
    description:
      "a JSON Schema of draft-04 to 2020-12 whose root, or the part behind a #, is a oneOf or anyOf of events; a folder of schemas, one event each; or samples as validate reads them: one JSON object a line, a list, a page or an SSE feed, packed with gzip or not, - for standard input",
  },
  options: [
    newSchemasOption,
    new Option("--schemas <dir>", "the same; it counts where both are given").argParser(nonEmpty),
    fixturesOption,
    new Option("--name <name>", "name of the protocol; by default that of the file"),
    new Option("--as <version>", "version of the protocol, major.minor").default("1.0"),
    new Option(
      "--open",
      "let writers send fields that the schemas do not list, where these allow it; a later optional field then breaks",
    ),
    new Option(
      "--force",
      "replace a protocol folder of that name and major version, but for its releases, and its fixtures",
    ),
  ],
  writes: true,
  examples: [
    ["import events.schema.json", "into schemas/events/v1"],
    ["import github.json --name github --as 7.6", "into schemas/github/v7"],
    ["import recorded.jsonl --name shop", "a first schema per type, which accepts every line"],
    ["import - --name shop < recorded.jsonl.gz", "the same of standard input"],
  ],
  run: ([operand = ""], options, io) =>
    runImport(
      {
        operand,
        name: options.name === undefined ? undefined : text(options, "name"),
        version: text(options, "as"),
        // Scripts pass one set of folders to every command; --out is that of the generated code there.
        out: text(options, options.schemas === undefined ? "out" : "schemas"),
        fixtures: text(options, "fixtures"),
        force: options.force === true,
        open: options.open === true,
      },
      io,
    ),
};
