/**
 * Compares generated stream contracts and judges every answer by brute force: for each member of stream.rules, each property
 * of its declaration and each kind of value that a field may have, in both directions. Prints the wrong and the undecided
 * answers, and exits with 1 if an answer is wrong or more than 2 % are undecided.
 *
 *     npm run prove:streams [-- --member agree --every 10 --seed 1]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { judgeGeneratedContracts } from "./streams/generated-contracts.js";

const { values } = parseArgs({
  options: {
    member: { type: "string" },
    every: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
  },
});

/** The greatest share of undecided answers. */
const MAX_UNDECIDED = 0.02;

const folder = mkdtempSync(path.join(tmpdir(), "accrete-streams-"));
try {
  const start = performance.now();
  const counts = await judgeGeneratedContracts(
    folder,
    {
      ...(values.member !== undefined && { member: values.member }),
      every: Number(values.every),
      seed: Number(values.seed),
    },
    (line) => console.log(line),
  );
  const { contracts, answers, broken, contained, undecided, wrong } = counts;
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(
    `${contracts} pairs of contracts, ${answers} answers in ${seconds} s: ${broken} broken, ${contained} not affected, ${undecided} undecided, ${wrong} wrong.`,
  );
  process.exitCode = wrong > 0 || undecided > answers * MAX_UNDECIDED ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
