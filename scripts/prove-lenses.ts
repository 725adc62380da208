/**
 * Compares what `accrete diff` says about recorded consumers with what these consumers really show. For pairs of a consumer and
 * a change of hecate, the old consumer gets old events, and the new events that correspond to them.
 *
 *     tsx scripts/prove-lenses.ts [--pairs 400] [--seed 1]... [--language javascript|python] [--only "types only,texts alone"]
 *
 * Fails if a consumer shows something else although it is said not to be reached, or if more than 3 % of the pairs that are
 * said to be reached show the same.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { protocol as generated } from "../generated/hecate/v1/index.js";
import type { Adapter, KitProtocol } from "../generator/kit/index.js";
import { createAdapterAccess } from "../generator/kit-process/adapter-access.js";
import { connectAdapter } from "../generator/kit-process/remote-adapter.js";
import { PROTOCOLS } from "../test/emit/fixtures.js";
import { reducerAdapter } from "../test/kit/consumers/reducer.js";
import { writePythonAdapter } from "../test/kit-process/plant-python.js";
import { silentIo } from "../test/kit-process/silent-io.js";
import { CONSUMERS } from "../test/lens/consumers.js";
import { provePairs, recordLenses } from "../test/lens/prove-pairs.js";

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "400" },
    seed: { type: "string", multiple: true, default: ["1"] },
    only: { type: "string" },
    language: { type: "string", default: "javascript" },
  },
});
const kit = generated as unknown as KitProtocol;
const protocol = PROTOCOLS.find(({ id }) => id === kit.id);
if (protocol === undefined) throw new Error(`There is no protocol ${kit.id}.`);

const folder = mkdtempSync(path.join(tmpdir(), "accrete-lenses-"));
const open: { close(): void }[] = [];

/** The functions of test/kit-process/python/views.py. */
const PYTHON_VIEWS = ["totals", "kinds", "errors", "last", "commands", "approvals", "todos", "json"];

async function startPython(design: "panel" | "reducer" | "views", view = "totals"): Promise<Adapter> {
  const edits =
    design === "views" ? [{ find: "return show_totals", replacement: `return show_${view}` }] : [];
  const command = writePythonAdapter(mkdtempSync(path.join(folder, "python-")), design, kit, edits);
  const adapter = await connectAdapter(createAdapterAccess({ command }, 60_000, silentIo), kit);
  open.push(adapter);
  return adapter;
}

async function startPythonConsumers(): Promise<Map<string, Adapter>> {
  const consumers = new Map<string, Adapter>();
  for (const design of ["panel", "reducer"] as const) consumers.set(design, await startPython(design));
  for (const view of PYTHON_VIEWS) consumers.set(view, await startPython("views", view));
  return consumers;
}

try {
  const consumers =
    values.language === "python"
      ? await startPythonConsumers()
      : new Map([...CONSUMERS, ["reducer", reducerAdapter(kit)]]);
  const names = values.only?.split(",");
  const chosen = new Map([...consumers].filter(([name]) => names?.includes(name) ?? true));
  const report = (line: string): void => console.log(line);
  const lenses = await recordLenses({ kit, consumers: chosen, report });
  for (const seed of values.seed.map(Number)) {
    const pairs = Number(values.pairs);
    const counts = await provePairs({ protocol, kit, consumers: chosen, lenses, pairs, seed, report });
    console.log(`seed ${seed}:`, counts);
    if (counts.falselyUnreached > 0 || counts.falselyReached > counts.reached * 0.03) process.exitCode = 1;
  }
} finally {
  for (const each of open) each.close();
  rmSync(folder, { recursive: true, force: true });
}
