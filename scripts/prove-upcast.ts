/**
 * Carries generated events of the cases of test/upcast over with the emitted TypeScript and Python modules, and checks that the
 * results are equal and that readers accept them. Prints a row for each case. Ends with 1 if there is a fault.
 *
 *   npm run prove:upcast -- [--events 1000000] [--case TEXT] [--first 0]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { areEqual } from "../generator/json.js";
import { certifyPlan } from "../generator/upcast/certify-plan.js";
import { findStreamFaults } from "../generator/upcast/check-stream-plan.js";
import { planUpcast } from "../generator/upcast/plan-upcast.js";
import { areEventsValid } from "../test/compat/streams/stream-oracle.js";
import { loadPython, loadTypescript, makeEvents } from "../test/upcast/carry-events.js";
import { PROVEN_CASES } from "../test/upcast/cases.js";

const { values } = parseArgs({
  options: {
    /** The number of events for each case. */
    events: { type: "string", default: "1000000" },
    /** A part of the names of the cases to run; all by default. */
    case: { type: "string", default: "" },
    /** The seed of the first event. */
    first: { type: "string", default: "0" },
  },
});
/** The number of events in memory. */
const CHUNK = 20_000;

const root = mkdtempSync(path.join(tmpdir(), "accrete-upcast-"));
let faults = 0;
console.log("| case | types | certificate | events | refused | different | events/s | CPU s | MB |");
console.log("|---|---:|---|---:|---:|---:|---:|---:|---:|");
try {
  for (const { name, load } of PROVEN_CASES)
    if (name.includes(values.case)) faults += await proveCase(name, load);
} finally {
  rmSync(root, { recursive: true });
}
process.exitCode = faults === 0 ? 0 : 1;

/** Carries events of one case over, prints the row, and returns the number of faults. */
async function proveCase(name: string, load: (typeof PROVEN_CASES)[number]["load"]): Promise<number> {
  const pair = await load(mkdtempSync(path.join(root, "schemas-")));
  const question = { ...pair, steps: planUpcast(pair.from, pair.to).steps.map(({ step }) => step) };
  const unproven = (await certifyPlan(question)).filter(({ kind }) => kind !== "proven").length;
  const streamFaults = findStreamFaults(question).length;
  const folder = mkdtempSync(path.join(root, "modules-"));
  const carryInTypescript = await loadTypescript(question, folder);
  const carryInPython = loadPython(question, folder);
  if (carryInPython === undefined) throw new Error("Python is absent.");
  const wanted = Number(values.events);
  const counts = { events: 0, refused: 0, different: 0 };
  const [start, cpuStart] = [performance.now(), process.cpuUsage()];
  for (let seed = Number(values.first); counts.events < wanted; seed += CHUNK) {
    const events = makeEvents(question, Math.min(CHUNK, wanted - counts.events), seed);
    if (events.length === 0) throw new Error(`No event of ${name} can be made.`);
    const results = carryInTypescript(events);
    const pythonResults = carryInPython(events);
    counts.events += events.length;
    counts.refused += results.filter((each) => !areEventsValid(pair.to, "reader", [each as never])).length;
    counts.different += results.filter((each, index) => !areEqual(each, pythonResults[index] ?? null)).length;
  }
  const cpu = process.cpuUsage(cpuStart);
  const row = [
    name,
    pair.from.events.length,
    unproven + streamFaults === 0 ? "proven" : `${unproven} types unproven, ${streamFaults} stream faults`,
    ...Object.values(counts),
    Math.round(counts.events / ((performance.now() - start) / 1000)),
    // Without the time of Python, which runs in processes of its own.
    Math.round((cpu.user + cpu.system) / 1e6),
    Math.round(process.resourceUsage().maxRSS / 1024),
  ];
  console.log(`| ${row.join(" | ")} |`);
  return counts.refused + counts.different + unproven + streamFaults;
}
