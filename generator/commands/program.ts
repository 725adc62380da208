import path from "node:path";
import { Command, Option } from "commander";
import { UsageError } from "../failure.js";
import { EXIT, findRepositoryRoot, type Io, lstatIfExists } from "../io.js";
import { readOwnManifest } from "../load/own-package.js";
import { findNearest } from "../nearest.js";
import { describeInterruptedRun } from "../output/transaction.js";
import { capitalize, sanitizeLine, sanitizeText } from "../text.js";
import type { CommandEntry } from "./command.js";
import {
  fixturesOption,
  outOption,
  type RawOptions,
  readOptionalText,
  readText,
  schemasOption,
  schemasOrBundledOption,
} from "./options.js";
import { type EffectiveOptions, readOptions } from "./read-options.js";

type Loaders = { readonly [name: string]: () => Promise<CommandEntry> };

/**
 * Every command by its heading in the help, in the order of the help. Each is loaded only when it runs, because some load
 * many modules.
 */
const GROUPS: { readonly [heading: string]: Loaders } = {
  "Commands to begin with:": {
    init: async () => (await import("./init.js")).initCommand,
    import: async () => (await import("./import.js")).importCommand,
    generate: async () => (await import("./generate.js")).generateCommand,
    check: async () => (await import("./check.js")).checkCommand,
    release: async () => (await import("./release.js")).releaseCommand,
    diff: async () => (await import("./diff.js")).diffCommand,
  },
  "Schemas and their changes:": {
    lint: async () => (await import("./lint.js")).lintCommand,
    compat: async () => (await import("./compat.js")).compatCommand,
    report: async () => (await import("./report.js")).reportCommand,
    status: async () => (await import("./status.js")).statusCommand,
    explain: async () => (await import("./explain.js")).explainCommand,
    site: async () => (await import("./site.js")).siteCommand,
    changelog: async () => (await import("./changelog.js")).changelogCommand,
    major: async () => (await import("./major.js")).majorCommand,
    rename: async () => (await import("./rename.js")).renameCommand,
    subset: async () => (await import("./subset.js")).subsetCommand,
    rollout: async () => (await import("./rollout.js")).rolloutCommand,
    watch: async () => (await import("./watch.js")).watchCommand,
    lsp: async () => (await import("./lsp.js")).lspCommand,
    mcp: async () => (await import("./mcp.js")).mcpCommand,
  },
  "Events and recordings:": {
    validate: async () => (await import("./validate.js")).validateCommand,
    monitor: async () => (await import("./monitor.js")).monitorCommand,
    audit: async () => (await import("./audit.js")).auditCommand,
    replay: async () => (await import("./replay.js")).replayCommand,
    redact: async () => (await import("./redact.js")).redactCommand,
    upcast: async () => (await import("./upcast.js")).upcastCommand,
    "map-rows": async () => (await import("./map-rows.js")).mapRowsCommand,
  },
  "Frontends:": {
    serve: async () => (await import("./serve.js")).serveCommand,
    kit: async () => (await import("./kit.js")).kitCommand,
  },
  "Help:": {
    completion: async () => (await import("./completion.js")).createCompletionCommand(loadAllCommands),
  },
};

const LOADERS: Loaders = Object.assign({}, ...Object.values(GROUPS));

/** Returns every command, in the order of the help. */
export function loadAllCommands(): Promise<CommandEntry[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}

/** Returns the command that `argv` names, none for the version, and all for help. */
async function loadCommands([name = ""]: readonly string[]): Promise<CommandEntry[]> {
  if (name === "--version") return [];
  const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
  return load ? [await load()] : loadAllCommands();
}

const EXIT_CODES = "0 no findings, 1 findings, 2 wrong usage or unreadable input.";

/** Runs the command line `argv` (without node and script) and returns the exit code. Errors are thrown for the caller to describe. */
export async function run(argv: readonly string[], ownIo: Io): Promise<number> {
  refuseUnknownCommand(argv);
  const io: Io = { ...ownIo, commandLine: ["accrete", ...argv].map(quoteWord).join(" ") };
  let exitCode: number = EXIT.ok;
  const program = configureOutput(new Command("accrete"), io)
    .description(
      "Event contracts that may only grow. Generates types, validators, a catalogue and tests from JSON Schemas, and finds changes that break readers or writers.",
    )
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpCommand(
      new Command("help")
        .argument("[command]")
        .description("print the options of a command")
        .helpGroup("Help:"),
    )
    .version(readOwnManifest().version, "--version", "print the version");
  for (const entry of await loadCommands(argv))
    addCommand(program, entry, io, (code) => {
      exitCode = code;
    });
  program.addHelpText(
    "after",
    `\nExit codes: ${EXIT_CODES}\n\n\`accrete help COMMAND\` prints the options of a command, with examples.`,
  );
  await program.parseAsync(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  return exitCode;
}

function findHeading(name: string): string {
  return Object.entries(GROUPS).find(([, group]) => name in group)?.[0] ?? "Commands:";
}

function addCommand(
  program: Command,
  entry: CommandEntry,
  io: Io,
  setExitCode: (code: number) => void,
): void {
  const command = configureOutput(program.command(entry.name), io)
    .helpGroup(findHeading(entry.name))
    .summary(entry.summary)
    .description(`${capitalize(entry.summary)}.`);
  if (entry.operands) command.argument(entry.operands.syntax, entry.operands.description);
  for (const option of entry.options) command.addOption(option);
  // Every command accepts all folder options, so that a script can pass one set to all; help lists those that it uses.
  for (const { flags, long } of [schemasOption, outOption, fixturesOption])
    if (!entry.options.some((option) => option.long === long))
      command.addOption(new Option(flags).hideHelp());
  command.addHelpText("after", renderHelp(entry));
  command.action(async (...parameters: unknown[]) => {
    // The first parameter holds the operands: one text or a list of texts.
    const operands = entry.operands ? [parameters[0] ?? []].flat().map(String) : [];
    // A handler keeps a signal from ending the process while it writes. A command that watches has a handler of its own.
    const writes = entry.writes === "with --out" ? command.opts().out !== undefined : entry.writes;
    const handles = writes && command.opts().watch !== true;
    const removeHandler = handles ? io.onInterrupt?.(() => undefined) : undefined;
    const kept: string[] = [];
    const isQuiet = command.opts().quiet === true && command.opts().watch !== true;
    const ownIo: Io = {
      ...io,
      ...(removeHandler && { finishWork: removeHandler }),
      ...(isQuiet && { stdout: (text) => kept.push(text) }),
    };
    const exitCode = await runWithNotes(
      await readOptions(command, entry, operands, io),
      operands,
      entry,
      ownIo,
    );
    if (exitCode !== EXIT.ok) for (const text of kept) io.stdout(text);
    setExitCode(exitCode);
    removeHandler?.();
    // Handles a signal that came while files were written. The first of the two turns may be the rest of the current one.
    if (removeHandler) for (let turns = 0; turns < 2; turns++) await new Promise(setImmediate);
  });
}

/**
 * Runs a command. If it uses the protocols that come with accrete, a note on stderr says so: before the command if there
 * are no operands, and after it if it reads inputs and has findings.
 */
async function runWithNotes(
  { options, note }: EffectiveOptions,
  operands: readonly string[],
  entry: CommandEntry,
  io: Io,
): Promise<number> {
  const readsInput = operands.some(isExistingInput) && entry.options.includes(schemasOrBundledOption);
  if (note !== undefined && operands.length === 0) io.stderr(note);
  reportInterruptedRuns(options, io);
  let exitCode: number = EXIT.usage;
  try {
    exitCode = await entry.run(operands, options, io);
  } finally {
    if (note !== undefined && exitCode !== EXIT.ok && readsInput) io.stderr(note);
  }
  if (note === undefined && exitCode !== EXIT.ok && readsInput)
    io.stderr(await createSchemasHint(operands, readText(options, "schemas")));
  return exitCode;
}

/** Returns whether an operand is standard input or an existing file; false for a text that cannot be a path. */
function isExistingInput(operand: string): boolean {
  try {
    return operand === "-" || lstatIfExists(operand) !== undefined;
  } catch {
    return false;
  }
}

/** Returns a hint about --schemas; an empty text if there is none or a file cannot be read, which was reported before. */
async function createSchemasHint(operands: readonly string[], schemas: string): Promise<string> {
  try {
    const { suggestSchemas } = await import("../validate/suggest-schemas.js");
    const suggestion = await suggestSchemas(operands, schemas);
    return suggestion === undefined ? "" : `accrete: hint: ${suggestion}\n`;
  } catch {
    return "";
  }
}

/** Returns a word as a person would write it in a command line. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Says which commands were interrupted while they wrote to this folder, or to one that the options name or leave at its default. */
function reportInterruptedRuns(options: RawOptions, io: Io): void {
  const named = [schemasOption, outOption, fixturesOption].map(
    (option) => readOptionalText(options, option.attributeName()) ?? String(option.defaultValue),
  );
  // A command that sets up a project also writes a workflow at the root of the repository.
  const root = findRepositoryRoot(path.resolve()) ?? ".";
  const folders = new Set([".", root, ...named].map((folder) => path.resolve(folder)));
  for (const folder of folders) {
    const message = describeInterruptedRun(path.relative("", folder) || ".", io);
    if (message !== undefined) io.stderr(`accrete: ${message}\n`);
  }
}

/** Throws if the first word, or the word after `help`, is not a command. */
function refuseUnknownCommand([first, second]: readonly string[]): void {
  const name = first === "help" ? second : first;
  const knownNames = [...Object.keys(LOADERS), "help"];
  if (name === undefined || name.startsWith("-") || knownNames.includes(name)) return;
  const near = findNearest(name, knownNames);
  const hint = near === undefined ? "`accrete help` lists the commands." : `Did you mean \`${near}\`?`;
  throw new UsageError(`Unknown command \`${sanitizeLine(name)}\`. ${hint}`);
}

/** Makes a command print through `io` and throw instead of ending the process. */
function configureOutput(command: Command, io: Io): Command {
  return command
    .configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      outputError: (text, write) => write(sanitizeText(text).replace(/^error: /, "accrete: ")),
    })
    .exitOverride()
    .helpOption("-h, --help", "print this help")
    .showHelpAfterError(
      `\`accrete${command.name() === "accrete" ? "" : ` ${command.name()}`} --help\` explains the usage.`,
    );
}

function renderHelp({ examples, exits = EXIT_CODES }: CommandEntry): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  accrete ${line.padEnd(width)}  ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}\n\nExit codes: ${exits}`;
}
