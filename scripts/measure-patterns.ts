/**
 * Prints how long the slowest validation of 100 KB of attack text takes in each generated validator. For each slow pattern, the
 * text is the one that the finder of slow texts builds. Fails if a validation takes more than 50 ms.
 *
 *   npm run measure:patterns [-- --only Go]
 */
import { parseArgs } from "node:util";
import { withTemporaryFolder } from "../test/folders.js";
import { createAttackEvents, loadAttackProtocol, MAX_MS, SLOW_PATTERNS } from "./patterns/attack-events.js";
import { measureValidator, VALIDATOR_NAMES } from "./patterns/generated-validators.js";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const protocol = await loadAttackProtocol();
const events = createAttackEvents();

console.log("| validator | patterns | median, ms | slowest, ms | slowest pattern |");
console.log("|---|---:|---:|---:|---|");
await withTemporaryFolder(async (folder) => {
  for (const name of VALIDATOR_NAMES.filter((each) => each.includes(values.only))) {
    const times = await measureValidator(name, protocol, events, folder);
    if (times === undefined) {
      console.log(`| ${name} | its tools are absent | | | |`);
      continue;
    }
    const slowest = Math.max(...times);
    const median = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    const pattern = (SLOW_PATTERNS[times.indexOf(slowest)] ?? "").replaceAll("|", "\\|");
    console.log(
      `| ${name} | ${times.length} | ${median.toFixed(1)} | ${slowest.toFixed(1)} | \`${pattern}\` |`,
    );
    if (slowest > MAX_MS) process.exitCode = 1;
  }
});
