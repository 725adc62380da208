import path from "node:path";
import type { ContractDifferences } from "../compat/diff-contracts.js";
import type { TimeLimit } from "../compat/proof/time-limit.js";
import type { WatchResult } from "../diff/watch-package.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { sanitizeLine } from "../text.js";
import type { CommandEntry } from "./command.js";
import {
  type DiffOptions,
  printNotes,
  readDiffOptions,
  reportDifferences,
  withTemporaryFolder,
} from "./diff.js";
import { limitTime, timeLimitOption } from "./limit-time.js";
import { failOnOption, formatOption } from "./options.js";

async function runWatch(
  contracts: readonly string[],
  options: DiffOptions,
  timeLimit: TimeLimit,
  io: Io,
): Promise<ExitCode> {
  // The proof engine takes longer to load than most commands need to run.
  const { parseWatchedContract, watchPackage } = await import("../diff/watch-package.js");
  return withTemporaryFolder(async (temporary) => {
    let exitCode: ExitCode = EXIT.ok;
    for (const watched of contracts.map(parseWatchedContract)) {
      if (io.showsProgress) io.stderr(`comparing ${sanitizeLine(watched.package)} …\n`);
      const result = await watchPackage(watched, path.resolve(), temporary, timeLimit);
      printNotes(result.notes, options.format, io);
      const differences: ContractDifferences = result.differences ?? { findings: [], additions: [] };
      const headline = `${sanitizeLine(describeVersions(result))}: `;
      const code = reportDifferences(differences, { ...options, headline }, io);
      if (code !== EXIT.ok) exitCode = code;
    }
    return exitCode;
  });
}

function describeVersions({ package: name, installed, newest, range }: WatchResult): string {
  return installed === newest
    ? `${name} ${installed} is the newest version in ${range}`
    : `${name} ${installed} → ${newest}, the newest version in ${range}`;
}

/** The command `accrete watch`. */
export const watchCommand: CommandEntry = {
  name: "watch",
  summary: "compare installed npm contracts with their newest versions",
  operands: {
    syntax: "<contract...>",
    description:
      "NAME:PATH of a schema or folder in an installed package; a JSON pointer after # selects a part",
  },
  options: [failOnOption, timeLimitOption, formatOption],
  examples: [
    ["watch their-agent:schemas/events.json", "what an update would break"],
    ["watch their-agent:schemas/events.json --format markdown", "the same as a summary for a CI job"],
  ],
  run: (contracts, options, io) =>
    limitTime(options, io, (timeLimit, printer) =>
      runWatch(contracts, readDiffOptions(options), timeLimit, printer),
    ),
};
