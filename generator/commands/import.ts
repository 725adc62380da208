import path from "node:path";
import { InvalidArgumentError, Option } from "commander";
import type { FurtherChanges, ImportOptions, ImportResult } from "../import/import-protocol.js";
import type { InitResult } from "../init/init-project.js";
import { EXIT, type ExitCode, type Io, lstatIfExists } from "../io.js";
import type { Protocol } from "../protocol/protocol.js";
import { REPORTERS } from "../report/report.js";
import { formatArgument, formatCount, sanitizeLine } from "../text.js";
import { type CommandEntry, printOutcome } from "./command.js";
import { readInitFolders } from "./init.js";
import {
  fixturesOption,
  newSchemasOption,
  parseNonEmpty,
  readOptionalText,
  readText,
  schemasOption,
} from "./options.js";

async function runImport(options: ImportOptions, io: Io): Promise<ExitCode> {
  const { importProtocol } = await import("../import/import-protocol.js");
  const setUp = options.again ? undefined : await preparePackage(options, io);
  const result = await importProtocol({ ...options, further: setUp }, io);
  if (result.kind === "refused") {
    const summary = { text: `${formatCount(result.errors.length, "error")}: nothing was imported`, data: {} };
    io.stdout(REPORTERS.text(result.errors, { color: io.colors, summary }));
    return EXIT.findings;
  }
  printLines([...result.notes, ...listSummaryLines(options, result)], io);
  const summary = setUp?.summarize();
  if (summary === undefined) printLines([describeNextStep(options, result)], io);
  else io.stdout(summary);
  return result.before === undefined
    ? EXIT.ok
    : compareAgain(options, { ...result, before: result.before }, io);
}

function printLines(lines: readonly string[], io: Io): void {
  io.stdout(lines.map((line) => `${sanitizeLine(line)}\n`).join(""));
}

/** The set-up of a package beside an import. */
interface PackageSetUp extends FurtherChanges {
  /** Returns the text about what was added; undefined if nothing was. */
  summarize(): string | undefined;
}

/**
 * Prepares to add the scripts and the workflow that `accrete init` writes to the package of the project, if every command
 * finds the protocol in its folders. Returns undefined otherwise.
 */
async function preparePackage(
  { schemas, fixtures }: ImportOptions,
  io: Io,
): Promise<PackageSetUp | undefined> {
  const folders = await readInitFolders(".", {}, io);
  const isFound = (found: string, named: string): boolean =>
    path.resolve(folders.root, found) === path.resolve(named);
  const hasPackage = lstatIfExists(path.join(folders.root, "package.json")) !== undefined;
  if (!hasPackage || !isFound(folders.schemas, schemas) || !isFound(folders.fixtures, fixtures))
    return undefined;
  const [{ findProjectTop, planProjectSetUp }, { summarizeInit }] = await Promise.all([
    import("../init/init-project.js"),
    import("../init/summary.js"),
  ]);
  let result: InitResult | undefined;
  return {
    top: findProjectTop(folders),
    list(id) {
      const planned = planProjectSetUp(folders, id);
      result = planned.result;
      return planned.changes;
    },
    summarize: () => (result?.isChanged ? summarizeInit(folders.root, result) : undefined),
  };
}

/** Prints what an import changed in an existing protocol, and compares the protocol with its releases. */
async function compareAgain(
  { schemas, fixtures }: ImportOptions,
  {
    before,
    protocol,
    folder,
  }: { readonly before: Protocol; readonly protocol: Protocol; readonly folder: string },
  io: Io,
): Promise<ExitCode> {
  // The proof engine takes longer to load than most commands need to run.
  const [{ diffContracts }, { createUnlocatedSide }, { compareProtocols }] = await Promise.all([
    import("../compat/diff-contracts.js"),
    import("../compat/side.js"),
    import("./compat.js"),
  ]);
  const { findings, additions } = await diffContracts(
    createUnlocatedSide(before),
    createUnlocatedSide(protocol),
  );
  for (const { severity, message } of findings) io.stdout(`${severity}: ${sanitizeLine(message)}\n`);
  for (const { message } of additions) io.stdout(`addition: ${sanitizeLine(message)}\n`);
  const consumers = path.join(fixtures, "consumers.json");
  const options = { protocols: [folder], schemas, against: undefined, consumers, failOn: "error" } as const;
  return printOutcome(await compareProtocols({ ...options, hasDifferences: false }, io), "text", io);
}

function listSummaryLines(
  { schemas }: ImportOptions,
  { folder, protocol, warnings }: ImportResult & { kind: "imported" },
): string[] {
  const events = formatCount(protocol.events.length, "event type");
  return [
    ...(warnings > 0 ? [`${formatCount(warnings, "lint warning")} left; accrete lint prints them`] : []),
    `imported ${folder} into ${path.join(schemas, folder)}: ${events}`,
  ];
}

function describeNextStep(
  { schemas, fixtures }: ImportOptions,
  { folder }: { readonly folder: string },
): string {
  const folders = formatFlag(schemasOption, schemas) + formatFlag(fixturesOption, fixtures);
  return `next: accrete generate${folders}; the generated tests read ${path.join(fixtures, folder)}`;
}

/** Returns the option that names a folder, with a leading space; nothing for the default. */
function formatFlag({ long, defaultValue }: Option, folder: string): string {
  return folder === defaultValue ? "" : ` ${long} ${formatArgument(folder)}`;
}

/** Adds a mapping such as `https://example.com/user.json=user.json` to those of earlier options. */
function parseMapping(text: string, earlier: ReadonlyMap<string, string> | undefined): Map<string, string> {
  // Queries of URLs may hold "=", and paths rarely do.
  const end = text.lastIndexOf("=");
  const [url, file] = [text.slice(0, Math.max(end, 0)), text.slice(end + 1)];
  if (!URL.canParse(url) || file === "")
    throw new InvalidArgumentError(
      "Write a URL and a file, such as https://example.com/user.json=user.json.",
    );
  return new Map([...(earlier ?? []), [new URL(url).href.replace(/#.*$/, ""), file]]);
}

/** The command `accrete import`. */
export const importCommand: CommandEntry = {
  name: "import",
  summary: "create a protocol from existing schemas or recorded events",
  operands: {
    syntax: "<file|dir>",
    description:
      "a JSON Schema, draft-04 to 2020-12, whose root is a oneOf or anyOf of events (a JSON pointer after # selects another place, such as #/definitions for all of them, or a schema of an OpenAPI document); a folder of schemas, one per event; an AsyncAPI document; or recorded events in a form that validate reads: JSON Lines, a list, a page or an SSE feed, also compressed with gzip; - for standard input",
  },
  options: [
    newSchemasOption,
    fixturesOption,
    new Option("--name <name>", "name of the protocol (default: the name of the file)"),
    new Option(
      "--discriminator <field>",
      "field that holds the event type (default: a usual name, such as type or event)",
    ),
    new Option(
      "--root <dir>",
      "folder whose files the schemas may refer to, by path or $id (default: the folder of the operand)",
    ).argParser(parseNonEmpty),
    new Option(
      "--map <url=file>",
      "file that stands for a URL in references, such as --map https://example.com/user.json=user.json; may be repeated",
    ).argParser(parseMapping),
    new Option("--as <version>", "version of the protocol, major.minor").default("1.0"),
    new Option(
      "--open",
      "keep objects open for writers that are open in the original; adding an optional field to them later is then a breaking change",
    ),
    new Option(
      "--force",
      "replace the protocol of that name and major version and its fixtures; its releases are kept",
    ),
    new Option(
      "--again",
      "import the changed source of an existing protocol: what was added by hand stays, the changes are printed and compared with the releases; give the other options as at the first time",
    ).conflicts("force"),
  ],
  writes: true,
  examples: [
    ["import events.schema.json", "into schemas/events/v1"],
    ["import github.json --name github --as 7.6", "into schemas/github/v7"],
    ["import lib/messages --root lib --name shop", "schemas that refer to others in lib"],
    ["import recorded.jsonl --name shop", "one schema per event type, which accepts every line"],
    ["import events.schema.json --again", "after the source changed; ends in compat"],
    ["import - --name shop < recorded.jsonl.gz", "the same from standard input"],
  ],
  run: ([operand = ""], options, io) =>
    runImport(
      {
        operand,
        name: readOptionalText(options, "name"),
        discriminator: readOptionalText(options, "discriminator"),
        root: readOptionalText(options, "root"),
        map: options.map instanceof Map ? options.map : new Map(),
        version: readText(options, "as"),
        schemas: readText(options, "schemas"),
        fixtures: readText(options, "fixtures"),
        force: options.force === true,
        open: options.open === true,
        again: options.again === true,
      },
      io,
    ),
};
