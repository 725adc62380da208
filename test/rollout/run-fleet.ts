/** Runs `accrete rollout` on a fleet of small contracts. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import type { FleetParts } from "./judge-fleets.js";
import { type Form, type SmallContract, writeContract } from "./small-contracts.js";

/** The result of the command. */
export interface RolloutResult {
  readonly safe: boolean;
  /** The parts that are deployed: "reader web". */
  readonly steps: readonly string[];
  readonly readings: readonly {
    readonly writer: string;
    readonly reader: string;
    readonly refused: readonly { readonly witness?: JsonObject; readonly reason?: string }[];
  }[];
}

/** Writes the contracts in the given forms into an empty folder, and runs the command. Throws what it prints about errors. */
export async function runFleet(
  folder: string,
  contracts: { readonly [name: string]: SmallContract },
  parts: FleetParts,
  chooseForm: (name: string) => Form,
): Promise<RolloutResult> {
  const versions = Object.fromEntries(
    Object.entries(contracts).map(([name, each]) => [
      name,
      writeContract(folder, name, each, chooseForm(name)),
    ]),
  );
  const file = path.join(folder, "fleet.json");
  writeFileSync(file, JSON.stringify({ versions, ...parts }));
  const { stdout, stderr } = await runAccrete(["rollout", file, "--json"]);
  if (stderr !== "") throw new Error(stderr);
  const { safe, steps, readings } = JSON.parse(stdout);
  const names = steps.map((step: JsonObject) =>
    typeof step.reader === "string" ? `reader ${step.reader}` : `writer ${String(step.writer)}`,
  );
  return { safe, steps: names, readings };
}
