import path from "node:path";
import { expect, it } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import { readRuns } from "../../generator/serve/read-runs.js";
import { protocolValidators } from "../../generator/validators/protocol-validators.js";
import { createTemporaryFolder, createTinySchemas } from "./folders.js";
import { runAccrete } from "./run-in-process.js";

/** Two protocols that accept the same events, and a stream in the folder of each. */
function project(): { schemas: string; streams: (name: string) => string } {
  const inSchemas = Object.entries({ ...createTinySchemas("alpha"), ...createTinySchemas("beta") });
  const event = JSON.stringify({ type: "tea.served", data: { cups: 1 } });
  const root = createTemporaryFolder({
    ...Object.fromEntries(inSchemas.map(([name, text]) => [`schemas/${name}`, text])),
    "fixtures/alpha/v1/streams/one.jsonl": `${event}\n`,
    "fixtures/beta/v1/streams/one.jsonl": `${event}\n${event}\n`,
  });
  return {
    schemas: path.join(root, "schemas"),
    streams: (name) => path.join(root, "fixtures", name, "v1", "streams", "one.jsonl"),
  };
}

it.each(["alpha", "beta"])("validate assigns a stream in the folder of %s to that protocol", async (name) => {
  const { schemas, streams } = project();
  const { stdout } = await runAccrete(["validate", streams(name), "--schemas", schemas, "--format", "json"]);
  expect(Object.keys(JSON.parse(stdout).summary.protocols)).toEqual([`${name}/v1`]);
});

it("serve has a run of each", async () => {
  const { schemas, streams } = project();
  const validators = (await loadSchemas(schemas, [])).protocols.map(protocolValidators);
  const nothing = (async function* () {})();
  const { runs, findings } = await readRuns([streams("beta"), streams("alpha")], validators, nothing);
  expect(findings).toEqual([]);
  expect(runs.map(({ protocol }) => protocol)).toEqual(["beta/v1", "alpha/v1"]);
});
