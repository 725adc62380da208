/**
 * Fuzzes `accrete compat`: random versions of small protocols, compared by their messages alone (test/compat/oracle/).
 * If a message of a stable or candidate event breaks, compat must fail; if versions only add, it must pass.
 * The script reduces each disagreement and prints it as files.
 *
 *     tsx scripts/fuzz-compat.ts [--pairs 20000] [--seed 1] [--scenario NAME] [--question SEED]
 *
 * `--question` asks one question again, by the seed that a counterexample names, with the same `--scenario`.
 */
import { parseArgs } from "node:util";
import { formatCounterexample } from "../test/compat/oracle/format-counterexample.js";
import { type FuzzOptions, fuzzCompat } from "../test/compat/oracle/fuzz-compat.js";
import { SCENARIOS } from "../test/compat/oracle/scenarios.js";

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    scenario: { type: "string", multiple: true },
    question: { type: "string" },
  },
});

const unknown = values.scenario?.find((name) => SCENARIOS[name] === undefined);
if (unknown !== undefined)
  throw new Error(`There is no scenario "${unknown}". There are: ${Object.keys(SCENARIOS).join(", ")}.`);

const start = performance.now();
const formatSeconds = (): string => ((performance.now() - start) / 1000).toFixed(0);
let printed = 0;
const options: FuzzOptions = {
  seed: Number(values.seed),
  pairs: Number(values.pairs),
  ...(values.question !== undefined && { question: Number(values.question) }),
  ...(values.scenario && { scenarios: values.scenario }),
  onProgress: ({ pairs, counterexamples, kinds }) => {
    for (; printed < counterexamples.length; printed++) {
      const found = counterexamples[printed];
      if (found) console.log(`${formatCounterexample(found)}\n`);
    }
    if (pairs % (process.stderr.isTTY ? 20 : 1000) !== 0) return;
    const line = `${pairs} pairs, ${kinds.size} kinds of disagreement, ${formatSeconds()} s`;
    process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
  },
};
const { pairs, unloadable, unconfirmed, shown, kinds } = await fuzzCompat(options);
if (process.stderr.isTTY) process.stderr.write("\n");
console.log(`${pairs} pairs of seed ${values.seed} in ${formatSeconds()} s.`);
console.log(
  `${unloadable} were refused by lint, ${unconfirmed} disagreements were not confirmed by hyperjump.`,
);
for (const [name, count] of Object.entries(shown)) console.log(`${name}: ${count} had something to find.`);
for (const [kind, count] of kinds) console.log(`${count} times: ${kind}`);
if (kinds.size > 0) process.exitCode = 1;
