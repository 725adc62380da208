import { protocol as hecate } from "../generated/hecate/v1/index.js";
import type { KitProtocol } from "../generator/kit/index.js";
import { recordLens } from "../generator/kit/lens/record-lens.js";
import { runSteps } from "../generator/kit/steps.js";
import type { Lens } from "../generator/protocol/lens.js";
import { createRandom } from "../generator/random.js";
import { PROTOCOLS } from "../test/emit/fixtures.js";
import { listChanges } from "../test/lens/changes.js";
import { CONSUMERS } from "../test/lens/consumers.js";
import { createTruth, readVerdicts } from "../test/lens/truth.js";

const kit = hecate as unknown as KitProtocol;
const protocol = PROTOCOLS.find(({ id }) => id === "hecate/v1")!;
const names = process.argv[3]?.split(",") ?? [...CONSUMERS.keys()];
const seed = Number(process.argv[4] ?? 1);
const lenses = new Map<string, Lens>();
for (const name of names) {
  const s = process.cpuUsage();
  lenses.set(name, await runSteps(recordLens(CONSUMERS.get(name)!, kit)));
  console.log(name, process.cpuUsage(s).user / 1e6, "s", JSON.stringify(lenses.get(name)).length);
  if (process.argv[5]) console.log(JSON.stringify(lenses.get(name), undefined, 1));
}
const truths = new Map(names.map((name) => [name, createTruth(CONSUMERS.get(name)!, kit, 99)]));
const changes = listChanges(protocol);
console.log(changes.length, "changes");
const random = createRandom(seed);
const counts: Record<string, number> = {};
for (let i = 0; i < Number(process.argv[2] ?? 20); i++) {
  const change = changes[random.below(changes.length)]!;
  const verdicts = await readVerdicts(protocol, change, lenses);
  for (const name of names) {
    const verdict = verdicts.get(name) ?? "none";
    const truth = await truths.get(name)!(change);
    const key = `${verdict}/${truth}`;
    counts[key] = (counts[key] ?? 0) + 1;
    if (key === "unreached/true" || key === "reached/false") console.log(key, name, "|", change.name);
  }
}
console.log(counts, process.cpuUsage());
