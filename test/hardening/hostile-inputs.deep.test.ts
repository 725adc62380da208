/** If this fails, a command crashes on a broken file, ends with an undocumented exit code, or prints a stack trace. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { CommandEntry } from "../../generator/commands/command.js";
import { loadAllCommands } from "../../generator/commands/program.js";
import { runAccrete } from "../commands/run-in-process.js";
import { thinCases } from "../depth.js";
import { writeFiles } from "../folders.js";
import { SENSIBLE_LINES } from "./command-lines.js";
import {
  createWrongDocuments,
  HOSTILE_FILES,
  type HostileFile,
  listLinesWithSlot,
  PROJECT_FILES,
  SLOT,
} from "./hostile-inputs.js";
import { createProject, type Files } from "./project.js";
import { findOutputFaults } from "./run-case.js";

let tea: Files = {};
beforeAll(async () => {
  tea = await createProject("nested");
});

const commands = await loadAllCommands();

/** Returns the names of the members that a published schema declares. */
const listMembers = (schema: string, pointer: readonly string[]): string[] =>
  Object.keys(
    pointer.reduce(
      (value, key) => value[key],
      JSON.parse(readFileSync(path.join("generator/load", schema), "utf8")),
    ),
  );

/** Documents of a project whose every value is replaced, and the members that they may have. */
const DOCUMENTS: readonly (readonly [file: string, members: readonly string[]])[] = [
  ["schemas/tea/v1/protocol.json", listMembers("protocol.schema.json", ["properties"])],
  [
    "schemas/tea/v1/events/mug.filled.schema.json",
    listMembers("event.schema.json", ["$defs", "schema", "properties"]),
  ],
  ["schemas/tea/v1/releases/1.0.json", []],
  ["fleet.json", []],
  ["report.json", []],
];

/** Returns the exit codes that the help of a command names. */
async function readExitCodes(name: string): Promise<number[]> {
  const { stdout } = await runAccrete(["help", name]);
  const [, sentence = ""] = /Exit codes: ([\s\S]*)/.exec(stdout) ?? [];
  return [...sentence.matchAll(/(?:^|[,;]\s)(\d)\s/g)].map(([, code]) => Number(code));
}

/** A change of the project before a command runs. */
interface Damage {
  readonly about: string;
  readonly stdin: string | Buffer;
  readonly apply: (root: string) => void;
}

/** Runs a command line in a damaged copy of the project. Returns what it does wrong. */
async function runDamaged(
  line: string,
  { about, stdin, apply }: Damage,
  codes: readonly number[],
): Promise<string[]> {
  const home = cwd();
  const root = mkdtempSync(path.join(tmpdir(), "accrete-hostile-"));
  // No mode keeps the superuser from reading a file.
  const losesRights = about === "an unreadable file" && process.getuid?.() === 0;
  try {
    chmodSync(root, 0o755);
    writeFiles(root, tea);
    apply(root);
    chdir(root);
    if (losesRights) process.seteuid?.(65_534);
    const argv = line.split(" ");
    const outcome = await runAccrete(argv, stdin, {
      waitForStopSignal: () => sleep(20),
      environment: {
        ...process.env,
        npm_config_registry: "http://127.0.0.1:1",
        npm_config_fetch_retries: "0",
      },
    });
    return [
      ...(codes.includes(outcome.exitCode) ? [] : [`exit code ${outcome.exitCode}`]),
      ...findOutputFaults(outcome, argv),
    ].map((fault) => `accrete ${line} with ${about}: ${fault}`);
  } finally {
    if (losesRights) process.seteuid?.(0);
    chdir(home);
    rmSync(root, { recursive: true, force: true });
  }
}

const placeFile = ({ kind, write, stdin }: HostileFile, file: string): Damage => ({
  about: file === SLOT ? kind : `${kind} at ${file}`,
  stdin,
  apply: (root) => {
    const full = path.join(root, file);
    rmSync(full, { recursive: true, force: true });
    mkdirSync(path.dirname(full), { recursive: true });
    write(full);
  },
});

it("every command has lines", () => {
  expect(commands.filter(({ name }) => (SENSIBLE_LINES[name] ?? []).length === 0)).toEqual([]);
});

/** A run takes ten minutes with all cases. The step is prime, so that the cases are of all kinds. */
const STEP = 31;

const getFirstLine = ({ name }: CommandEntry): string => SENSIBLE_LINES[name]?.[0] ?? "";

/** The cases of a command, each with its command line, by what is hostile. */
const CASES: {
  readonly [about: string]: (command: CommandEntry) => (readonly [line: string, damage: Damage])[];
} = {
  "hostile files": (command) =>
    listLinesWithSlot(command).flatMap((line) =>
      HOSTILE_FILES.map((file) => [line, placeFile(file, SLOT)] as const),
    ),
  "a project with hostile files": (command) =>
    PROJECT_FILES.flatMap((file) =>
      HOSTILE_FILES.map((hostile) => [getFirstLine(command), placeFile(hostile, file)] as const),
    ),
  "documents with values of the wrong type": (command) =>
    DOCUMENTS.flatMap(([file, members]) =>
      createWrongDocuments(tea, file, members, commands.indexOf(command)).map(({ at, text }) => {
        const apply = (root: string) => writeFiles(root, { [file]: text });
        return [
          getFirstLine(command),
          { about: `${at} in ${text.slice(0, 300)}`, stdin: text, apply },
        ] as const;
      }),
    ),
};

describe.each(Object.entries(CASES))("reads or refuses %s", (_about, listCases) => {
  it.each(commands)("accrete $name", async (command: CommandEntry) => {
    const codes = await readExitCodes(command.name);
    const faults: string[] = [];
    for (const [line, damage] of thinCases(listCases(command), STEP))
      faults.push(...(await runDamaged(line, damage, codes)));
    expect(faults).toEqual([]);
  });
});
