/**
 * Carries generated events of all cases of test/upcast over with the emitted TypeScript and Python modules, and checks that the
 * results are equal and that readers accept them: `npm run prove:upcast -- --events 1000000 --first 0`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { areEqual } from "../generator/json.js";
import { certifyPlan } from "../generator/upcast/certify-plan.js";
import { planUpcast } from "../generator/upcast/plan-upcast.js";
import { areEventsValid } from "../test/compat/streams/stream-oracle.js";
import { loadPython, loadTypescript, makeEvents } from "../test/upcast/carry-events.js";
import { PROVEN_CASES } from "../test/upcast/cases.js";

const { values } = parseArgs({
  options: { events: { type: "string", default: "1000000" }, first: { type: "string", default: "0" } },
});
const eventsPerCase = Math.ceil(Number(values.events) / PROVEN_CASES.length);
const CHUNK = 10_000;

const root = mkdtempSync(path.join(tmpdir(), "accrete-upcast-"));
let total = 0;
let faults = 0;
for (const { name, load } of PROVEN_CASES) {
  const pair = await load(mkdtempSync(path.join(root, "schemas-")));
  const steps = planUpcast(pair.from, pair.to).steps.map(({ step }) => step);
  const question = { ...pair, steps };
  const certificates = await certifyPlan(question);
  const isProven = certificates.every(({ kind }) => kind === "proven");
  const folder = mkdtempSync(path.join(root, "modules-"));
  const carryInTypescript = await loadTypescript(question, folder);
  const carryInPython = loadPython(question, folder);
  if (carryInPython === undefined) throw new Error("Python is absent.");
  const counts = { events: 0, refused: 0, different: 0 };
  for (let start = 0; start < eventsPerCase; start += CHUNK) {
    const count = Math.min(CHUNK, eventsPerCase - start);
    const events = makeEvents(question, count, Number(values.first) + start);
    const results = carryInTypescript(events);
    const pythonResults = carryInPython(events);
    counts.events += events.length;
    counts.refused += results.filter((each) => !areEventsValid(pair.to, "reader", [each as never])).length;
    counts.different += results.filter((each, index) => !areEqual(each, pythonResults[index] ?? null)).length;
  }
  total += counts.events;
  faults += counts.refused + counts.different + (isProven ? 0 : 1);
  console.log(`${name}: ${isProven ? "proven" : "not proven"}, ${JSON.stringify(counts)}`);
}
rmSync(root, { recursive: true });
console.log(`${total} events, ${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
