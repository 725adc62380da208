/**
 * Times the containment engine on a file of labelled pairs (JSON lines `{id, a, b, aSubB, bSubA}`).
 *
 *   npm run bench:contain -- [FILE.jsonl] [--dialect draft7]
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkContainment } from "../generator/contain/contain.js";
import { parseDialectName } from "../generator/schema/dialects.js";
import { readLabelledQuestions } from "./race/labelled-questions.js";

const { values, positionals } = parseArgs({
  options: { dialect: { type: "string" } },
  allowPositionals: true,
});
const file = positionals[0] ?? "../shared/data/containment-2020-12.jsonl";
if (existsSync(file)) await measureQuestions(file);
else console.log(`${file} is not there; nothing to measure.`);

async function measureQuestions(file: string): Promise<void> {
  const options = values.dialect === undefined ? {} : { dialect: parseDialectName(values.dialect) };
  const times: number[] = [];
  const sizes: number[] = [];
  const verdicts = { contained: 0, "not-contained": 0, undecided: 0 };
  for (const { a, b } of readLabelledQuestions(file)) {
    const start = performance.now();
    const answer = await checkContainment(a, b, options);
    times.push(performance.now() - start);
    verdicts[answer.verdict]++;
    if (answer.verdict === "not-contained") sizes.push(JSON.stringify(answer.witness).length);
  }
  const formatQuantile = (share: number) => `${getQuantile(times, share).toFixed(2)} ms`;
  console.log(`${times.length} questions: ${JSON.stringify(verdicts)}`);
  console.log(
    `per question: median ${formatQuantile(0.5)}, 99th percentile ${formatQuantile(0.99)}, slowest ${formatQuantile(1)}`,
  );
  console.log(`witness: median ${getQuantile(sizes, 0.5)} bytes, longest ${getQuantile(sizes, 1)}`);
  console.log(`memory: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB resident`);
}

function getQuantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
