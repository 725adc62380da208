import { Option } from "commander";
import type { Cache } from "../cache/cache.js";
import { countSeverities } from "../finding.js";
import type { GenerateOptions } from "../generate/generate.js";
import { EXIT, type Io } from "../io.js";
import { type CommandEntry, type Outcome, printOutcome } from "./command.js";
import {
  cacheOption,
  emitOption,
  fixturesOption,
  formatOption,
  noCacheOption,
  outOption,
  type RawOptions,
  readCacheFolder,
  readEmit,
  readFormat,
  readText,
  schemasOption,
} from "./options.js";

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
    emitOption,
    schemasOption,
    outOption,
    fixturesOption,
    cacheOption,
    noCacheOption,
    formatOption,
  ],
  writes: true,
  examples: [
    ["generate", "everything below schemas/ into generated/"],
    ["generate hecate/v1 --out src/events", "one protocol, into another folder"],
    ["generate --emit go,openapi", "a Go package and an OpenAPI document as well"],
    ["generate --check", "in CI: are the committed files up to date?"],
  ],
  run: async (protocols, options, io) => {
    const outcome = await runGenerate(
      {
        protocols,
        schemas: readText(options, "schemas"),
        out: readText(options, "out"),
        fixtures: readText(options, "fixtures"),
        check: options.check === true,
        emit: readEmit(options),
        cache: await openCache(options, io),
      },
      io,
    );
    return printOutcome(outcome, readFormat(options), io);
  },
};

/** Opens the cache; undefined for `--no-cache`. */
async function openCache(options: RawOptions, io: Io): Promise<Cache | undefined> {
  const folder = readCacheFolder(options);
  if (folder === false) return undefined;
  const { openProjectCache } = await import("../cache/project-cache.js");
  return openProjectCache(readText(options, "schemas"), folder, io.stderr);
}

async function runGenerate(options: GenerateOptions, io: Io): Promise<Outcome> {
  const { generate } = await import("../generate/generate.js");
  const outcome = await generate(options, io);
  const exitCode = countSeverities(outcome.findings).errors > 0 ? EXIT.findings : EXIT.ok;
  return { ...outcome, exitCode };
}

/** Returns the generated files that are not up to date. */
export function checkGenerated(options: Omit<GenerateOptions, "check">, io: Io): Promise<Outcome> {
  return runGenerate({ ...options, check: true }, io);
}
