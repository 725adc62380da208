import { writeFileSync } from "node:fs";
import path from "node:path";
import { Option } from "commander";
import type { TimeLimit } from "../compat/proof/time-limit.js";
import { UsageError } from "../failure.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { BaselineError } from "../load/baseline/baseline-spec.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Fleet } from "../rollout/fleet.js";
import { sanitizeText } from "../text.js";
import type { CommandEntry } from "./command.js";
import { printNotes, withTemporaryFolder } from "./diff.js";
import { limitTime, timeLimitOption } from "./limit-time.js";
import { parseNonEmpty, readOptionalText } from "./options.js";

interface RolloutOptions {
  readonly json: boolean;
  readonly timeLimit: TimeLimit;
  readonly witness: string | undefined;
}

async function runRollout(
  [file, ...others]: readonly string[],
  { json, witness, timeLimit }: RolloutOptions,
  io: Io,
): Promise<ExitCode> {
  if (file === undefined || others.length > 0)
    throw new UsageError("Name one file that describes the fleet.");
  // The proof engine takes longer to load than most commands need to run.
  const [{ createContainmentCache }, { readFleet }, { proveReadings }, { planRollout }, descriptions] =
    await Promise.all([
      import("../compat/proof/readings.js"),
      import("../rollout/fleet.js"),
      import("../rollout/reading-table.js"),
      import("../rollout/plan-rollout.js"),
      import("../rollout/describe-rollout.js"),
    ]);
  const fleet = readFleet(file);
  const protocols = await readVersions(fleet, path.dirname(file), io);
  const table = await proveReadings(fleet, protocols, createContainmentCache(timeLimit));
  const canRead = (sent: string, read: string): boolean => table.find(sent, read)?.refused.length === 0;
  const plan = planRollout(fleet, canRead);
  if (witness !== undefined && plan.kind === "blocked") {
    const events = descriptions.findWitness(plan, table);
    if (events === undefined) io.stderr("no complete stream with a refused event was found\n");
    else writeFileSync(witness, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  }
  const lines = [...descriptions.formatReadingTable(table), "", ...descriptions.describePlan(plan, table)];
  io.stdout(
    json
      ? `${JSON.stringify(descriptions.exportPlan(plan, table), null, 2)}\n`
      : `${lines.map(sanitizeText).join("\n")}\n`,
  );
  return plan.kind === "ordered" ? EXIT.ok : EXIT.findings;
}

/** Reads the contracts of the versions, and prints notes about them. Their paths are relative to the folder of the fleet file. */
async function readVersions({ versions }: Fleet, folder: string, io: Io): Promise<Map<string, Protocol>> {
  const [{ readContract }, { parseContractOperand }] = await Promise.all([
    import("../diff/read-contract.js"),
    import("../diff/contract-operand.js"),
  ]);
  return withTemporaryFolder(async (temporary) => {
    const protocols = new Map<string, Protocol>();
    for (const [name, operand] of versions) {
      const { side, notes } = await readContract(parseContractOperand(operand, folder), temporary).catch(
        (error: unknown) => {
          if (!(error instanceof UsageError || error instanceof BaselineError)) throw error;
          throw new UsageError(`Version ${JSON.stringify(name)} of the fleet: ${error.message}`);
        },
      );
      printNotes(notes, "text", io);
      protocols.set(name, side.protocol);
    }
    return protocols;
  });
}

/** The command `accrete rollout`. */
export const rolloutCommand: CommandEntry = {
  name: "rollout",
  summary: "find a safe order in which writers and readers can be deployed",
  operands: {
    syntax: "<fleet>",
    description:
      "a JSON file with the versions, writers, readers and archives. A version is a protocol folder, a release, a schema, git:REF:PATH or npm:NAME@RANGE:PATH; paths are relative to the file",
  },
  options: [
    new Option(
      "--witness <file>",
      "write the first refused stream as JSON Lines, for accrete serve",
    ).argParser(parseNonEmpty),
    timeLimitOption,
    new Option("--json", "print JSON"),
  ],
  examples: [
    ["rollout fleet.json", "who can read whom, and the order of deployment"],
    ["rollout fleet.json --witness refused.jsonl", "also a stream that no order gets past"],
  ],
  exits: "0 there is a safe order, 1 there is none, 2 wrong usage or unreadable input.",
  run: (operands, options, io) =>
    limitTime(options, io, (timeLimit, printer) =>
      runRollout(
        operands,
        {
          json: options.json === true,
          witness: readOptionalText(options, "witness"),
          timeLimit,
        },
        printer,
      ),
    ),
};
