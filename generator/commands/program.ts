import { Command, Option } from "commander";
import { UsageError } from "../failure.js";
import { EXIT, type Io, lstatIfExists } from "../io.js";
import { own } from "../json.js";
import { ownManifest } from "../load/own-package.js";
import { nearest } from "../nearest.js";
import { printable, visible } from "../text.js";
import type { CommandEntry } from "./command.js";
import { type Configured, configured } from "./configured.js";
import { fixturesOption, outOption, schemasOption, schemasOrOwnOption, text } from "./options.js";

/** Every command, in the order of the help. One is loaded when it is asked for: some bring much along. */
const LOADERS: { readonly [name: string]: () => Promise<CommandEntry> } = {
  init: async () => (await import("./init.js")).initCommand,
  import: async () => (await import("./import.js")).importCommand,
  generate: async () => (await import("./generate.js")).generateCommand,
  lint: async () => (await import("./lint.js")).lintCommand,
  validate: async () => (await import("./validate.js")).validateCommand,
  serve: async () => (await import("./serve.js")).serveCommand,
  replay: async () => (await import("./replay.js")).replayCommand,
  compat: async () => (await import("./compat.js")).compatCommand,
  subset: async () => (await import("./subset.js")).subsetCommand,
  explain: async () => (await import("./explain.js")).explainCommand,
  status: async () => (await import("./status.js")).statusCommand,
  release: async () => (await import("./release.js")).releaseCommand,
  changelog: async () => (await import("./changelog.js")).changelogCommand,
};

/** Former names of commands, which still work for one release. */
const FORMER_NAMES: { readonly [name: string]: string } = { contains: "subset" };

/** Returns every command, in the order of the help. */
export function allCommands(): Promise<CommandEntry[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}

/** Returns the command that `argv` names, none for the version, and all for help. */
async function commandsFor([name = ""]: readonly string[]): Promise<CommandEntry[]> {
  if (name === "--version") return [];
  const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined;
  return load ? [await load()] : allCommands();
}

const EXITS = "0 no findings, 1 findings, 2 wrong usage or unreadable input.";

/** Runs the command line `argv` (without node and script) and returns the exit code. Throws what failureOf understands. */
export async function run(given: readonly string[], io: Io): Promise<number> {
  const argv = given.map((word, index) =>
    index === 0 || (index === 1 && given[0] === "help") ? (own(FORMER_NAMES, word) ?? word) : word,
  );
  refuseUnknownCommand(argv);
  let exitCode: number = EXIT.ok;
  const program = prepare(new Command("accrete"), io)
    .description(
      "Event contracts that may only grow: JSON Schemas in; types, validators, a catalogue and tests out.",
    )
    .version(ownManifest().version, "--version", "print the version");
  for (const entry of await commandsFor(argv)) {
    const command = prepare(program.command(entry.name), io)
      .summary(entry.summary)
      .description(`${sentence(entry.summary)}.`);
    if (entry.operands) command.argument(entry.operands.syntax, entry.operands.description);
    for (const option of entry.options) command.addOption(option);
    // One set of folders serves every command, so that a script can pass it to all; where it is not needed, help is silent.
    for (const { flags, long } of [schemasOption, outOption, fixturesOption])
      if (!entry.options.some((option) => option.long === long))
        command.addOption(new Option(flags).hideHelp());
    command.addHelpText("after", help(entry));
    command.action(async (...parameters: unknown[]) => {
      const operands = entry.operands ? [parameters[0] ?? []].flat().map(String) : [];
      const done = entry.writes ? io.onInterrupt?.(() => undefined) : undefined;
      exitCode = await told(await configured(command, entry, io), { operands, entry }, io);
      done?.();
      // A signal that came while files were written is heard now. Two turns: the first may be the rest of the present one.
      for (let turns = 0; done && turns < 2; turns++) await new Promise(setImmediate);
    });
  }
  program.addHelpText("after", `\nExit codes: ${EXITS}\n\n\`accrete help COMMAND\` explains a command.`);
  await program.parseAsync(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  return exitCode;
}

/** Runs a command. Which protocols it went by is said where that may surprise: nothing was named to be read, or it does not end well. */
async function told(
  { options, note }: Configured,
  { operands, entry }: { readonly operands: readonly string[]; readonly entry: CommandEntry },
  io: Io,
): Promise<number> {
  if (note !== undefined && operands.length === 0) io.stderr(note);
  let exitCode: number = EXIT.usage;
  try {
    exitCode = await entry.run(operands, options, io);
  } finally {
    if (exitCode !== EXIT.ok && operands.some(isThere) && entry.options.includes(schemasOrOwnOption))
      io.stderr(note ?? (await hint(operands, text(options, "schemas"))));
  }
  return exitCode;
}

/** Whether an operand is something to read; one that no path can be is nothing. */
function isThere(operand: string): boolean {
  try {
    return operand === "-" || lstatIfExists(operand) !== undefined;
  } catch {
    return false;
  }
}

/** Nothing where there is none, or where something else is wrong, which was said already. */
async function hint(operands: readonly string[], schemas: string): Promise<string> {
  try {
    const { fittingProtocol } = await import("./fitting-protocol.js");
    return (await fittingProtocol(operands, schemas)) ?? "";
  } catch {
    return "";
  }
}

/** Throws if the first word, or the word after `help`, is not a command. */
function refuseUnknownCommand([first, second]: readonly string[]): void {
  const name = first === "help" ? second : first;
  const known = [...Object.keys(LOADERS), "help"];
  if (name === undefined || name.startsWith("-") || known.includes(name)) return;
  const near = nearest(name, known);
  const hint = near === undefined ? "`accrete help` lists the commands." : `Did you mean \`${near}\`?`;
  throw new UsageError(`Unknown command \`${printable(name)}\`. ${hint}`);
}

/** Lets a command print through `io` and throw instead of ending the process. */
function prepare(command: Command, io: Io): Command {
  return command
    .configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      outputError: (text, write) => write(visible(text).replace(/^error: /, "accrete: ")),
    })
    .exitOverride()
    .helpOption("-h, --help", "print this help")
    .showHelpAfterError(
      `\`accrete${command.name() === "accrete" ? "" : ` ${command.name()}`} --help\` explains the usage.`,
    );
}

function help({ examples, exits = EXITS }: CommandEntry): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  accrete ${line.padEnd(width)}  ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}\n\nExit codes: ${exits}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
