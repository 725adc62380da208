/**
 * Compares consecutive published versions of real packages that hold event schemas, as `accrete diff` does, and judges
 * each witness by the published schemas with Ajv and hyperjump. npm fetches the packages. Prints a row per pair of
 * versions, and writes all witnesses as JSON Lines if a file is given. Ends with 1 if a witness is refuted, or cannot be judged. With
 * `--committed`, compares the two versions of each committed history of renames instead, which needs no network.
 *
 *   npm run prove:incidents -- [--package NAME] [--last 6] [--findings FILE] [--seed 1] [--committed]
 */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Json } from "../generator/json.js";
import { digest } from "../generator/protocol/digest.js";
import {
  compareLastVersions,
  compareVersions,
  openVersion,
  type VersionComparison,
} from "./incidents/compare-versions.js";
import { SCHEMA_PACKAGES } from "./incidents/packages.js";
import { readHistories } from "./renames/read-histories.js";

const { values } = parseArgs({
  options: {
    package: { type: "string" },
    last: { type: "string", default: "6" },
    findings: { type: "string" },
    seed: { type: "string", default: "1" },
    committed: { type: "boolean", default: false },
  },
});

const root = mkdtempSync(path.join(tmpdir(), "accrete-incidents-"));
const totals = { pairs: 0, errors: 0, witnesses: 0, refuted: 0, undecided: 0, unwitnessed: 0 };

try {
  console.log(
    "| package | from | to | errors | published | closed | opened | format | union | name | refuted | undecided | no witness | seconds |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
  const isWanted = (name: string): boolean => values.package === undefined || name === values.package;
  if (values.committed) {
    for (const { history, baseline, current } of readHistories().filter(({ isFetched }) => !isFetched))
      if (isWanted(history))
        printComparison(
          await compareVersions(
            { name: history, paths: [] },
            openVersion("baseline", baseline),
            openVersion("current", current),
          ),
        );
  } else
    for (const entry of SCHEMA_PACKAGES)
      if (isWanted(entry.name))
        for await (const comparison of compareLastVersions(entry, Number(values.last), root, console.log))
          printComparison(comparison);
  console.log(JSON.stringify(totals));
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = totals.refuted + totals.undecided > 0 ? 1 : 0;

function printComparison({ entry, from, to, errors, seconds }: VersionComparison): void {
  let unwitnessed = 0;
  const counts = {
    published: 0,
    closed: 0,
    opened: 0,
    format: 0,
    union: 0,
    name: 0,
    refuted: 0,
    undecided: 0,
  };
  for (const { finding, judged } of errors) {
    const { rule, message } = finding;
    for (const { judgement } of judged) counts[judgement]++;
    if (judged.length === 0) unwitnessed++;
    const drawn = { package: entry.name, from, to, rule, message };
    if (values.findings !== undefined)
      appendFileSync(values.findings, `${JSON.stringify({ draw: drawLot(drawn), ...drawn, judged })}\n`);
  }
  totals.pairs++;
  totals.errors += errors.length;
  totals.witnesses += Object.values(counts).reduce((sum, count) => sum + count, 0);
  totals.refuted += counts.refuted;
  totals.undecided += counts.undecided;
  totals.unwitnessed += unwitnessed;
  const cells = [
    entry.name,
    from,
    to,
    errors.length,
    ...Object.values(counts),
    unwitnessed,
    seconds.toFixed(1),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

/** Returns a random text for a finding. Those with the first texts are a sample, whatever the order of the comparisons is. */
function drawLot(finding: Json): string {
  return digest([values.seed, finding]);
}
