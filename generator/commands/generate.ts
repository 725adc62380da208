import { Option } from "commander";
import { countSeverities } from "../finding.js";
import type { GenerateOptions } from "../generate/generate.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import type { ReportFormat } from "../report/report.js";
import { type CommandEntry, type Outcome, printOutcome } from "./command.js";
import { openCache } from "./open-cache.js";
import {
  cacheOption,
  emitOption,
  fixturesOption,
  formatOption,
  noCacheOption,
  outOption,
  quietOption,
  readEmit,
  readFormat,
  readText,
  schemasOption,
} from "./options.js";
import { repeatOnChanges } from "./repeat-on-changes.js";

/** The command `accrete generate`. */
export const generateCommand: CommandEntry = {
  name: "generate",
  summary: "write types, validators, the catalogue and conformance tests",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [
    new Option(
      "--check",
      "write nothing; list the files that are not up to date, and exit with 1 if there are any",
    ),
    new Option("--watch", "generate again when a file was saved, until Ctrl-C"),
    emitOption,
    schemasOption,
    outOption,
    fixturesOption,
    cacheOption,
    noCacheOption,
    quietOption,
    formatOption,
  ],
  writes: true,
  examples: [
    ["generate", "everything below schemas/ into generated/"],
    ["generate hecate/v1 --out src/events", "one protocol, into another folder"],
    ["generate --emit go,openapi", "a Go package and an OpenAPI document as well"],
    ["generate --check", "in CI: are the committed files up to date?"],
    ["generate --watch", "again after each save"],
  ],
  run: async (protocols, options, io) => {
    const isWatching = options.watch === true;
    // A command that watches remembers results at least until it ends.
    const cache = await openCache(options, io, isWatching);
    const thread = isWatching ? (await import("../emit/emit-thread.js")).startEmitThread(cache) : undefined;
    const generateOptions: GenerateOptions = {
      protocols,
      schemas: readText(options, "schemas"),
      out: readText(options, "out"),
      fixtures: readText(options, "fixtures"),
      check: options.check === true,
      emit: readEmit(options),
      cache,
      thread,
    };
    const runOnce = (): Promise<ExitCode> => printGenerated(generateOptions, readFormat(options), io);
    if (!isWatching) return runOnce();
    try {
      return await repeatOnChanges([generateOptions.schemas, generateOptions.fixtures], io, runOnce);
    } finally {
      await thread?.close();
    }
  },
};

/** Generates, and prints the result as soon as it is known. */
async function printGenerated(options: GenerateOptions, format: ReportFormat, io: Io): Promise<ExitCode> {
  const { generate } = await import("../generate/generate.js");
  const result = await generate(options, io, (known) => void printOutcome(addExitCode(known), format, io));
  return addExitCode(result).exitCode;
}

function addExitCode(result: Omit<Outcome, "exitCode">): Outcome {
  return { ...result, exitCode: countSeverities(result.findings).errors > 0 ? EXIT.findings : EXIT.ok };
}

/** Returns the generated files that are not up to date. */
export async function checkGenerated(options: Omit<GenerateOptions, "check">, io: Io): Promise<Outcome> {
  const { generate } = await import("../generate/generate.js");
  return addExitCode(await generate({ ...options, check: true }, io));
}
