/**
 * Compares `accrete rollout` on random fleets with trying all events and all orders: fleets of bare schemas, bundles and protocol
 * folders, with strict readers, rollbacks and archives. An own Ajv decides about the events.
 *
 *     tsx scripts/prove-rollout.ts [--fleets 1000] [--seed 1]
 *
 * Fails at the first fleet about which both differ.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { proveRandomFleet } from "../test/rollout/random-fleets.js";

const { values } = parseArgs({
  options: { fleets: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
});
const counts = { safe: 0, unsafe: 0 };
const first = Number(values.seed) * 1_000_000;
for (let index = 0; index < Number(values.fleets); index++) {
  const folder = mkdtempSync(path.join(tmpdir(), "accrete-fleet-"));
  try {
    counts[await proveRandomFleet(first + index, folder)]++;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if ((index + 1) % 100 === 0) console.log(JSON.stringify(counts));
}
console.log(`${values.fleets} fleets agree:`, counts);
