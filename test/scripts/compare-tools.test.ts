/** If this fails, docs/comparison.md says something about accrete, or about a change, that is not true. */
import path from "node:path";
import { expect, it } from "vitest";
import { describeTruth, TYPICAL_CHANGES } from "../../scripts/tools/changes.js";
import { runAccrete } from "../commands/run-in-process.js";
import { readPage } from "../docs/blocks.js";
import { createTemporaryFolder } from "../folders.js";

it("lists what breaks by each change, and what accrete says", async () => {
  const rows = [
    ...readPage("docs/comparison.md").matchAll(/^\| (.+?) \| (.*?) \| (.*?) \| .* \| .* \| .* \|$/gm),
  ].map(([, ...cells]) => cells);
  const answers = [];
  for (const change of TYPICAL_CHANGES) {
    const folder = createTemporaryFolder({
      "before.json": JSON.stringify(change.before),
      "after.json": JSON.stringify(change.after),
    });
    const files = ["before.json", "after.json"].map((file) => path.join(folder, file));
    const { exitCode } = await runAccrete(["diff", ...files]);
    answers.push([change.name, describeTruth(change), exitCode === 0 ? "safe" : "breaking"]);
  }
  expect(rows.slice(1)).toEqual(answers);
});
