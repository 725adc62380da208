/** If this fails, recordings are validated or served as events of another protocol that accepts the same events. */
import path from "node:path";
import { expect, it } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import { readRuns } from "../../generator/serve/read-runs.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";

/** Creates two protocols that accept the same events, each with a stream in its fixtures folder. */
function createProject(): { schemas: string; streams: (name: string) => string } {
  const schemaFiles = Object.entries({ ...createTinySchemas("alpha"), ...createTinySchemas("beta") });
  const event = JSON.stringify({ type: "tea.served", data: { cups: 1 } });
  const root = createTemporaryFolder({
    ...Object.fromEntries(schemaFiles.map(([name, text]) => [`schemas/${name}`, text])),
    "fixtures/alpha/v1/streams/one.jsonl": `${event}\n`,
    "fixtures/beta/v1/streams/one.jsonl": `${event}\n${event}\n`,
  });
  return {
    schemas: path.join(root, "schemas"),
    streams: (name) => path.join(root, "fixtures", name, "v1", "streams", "one.jsonl"),
  };
}

it.each(["alpha", "beta"])("validate assigns a stream in the folder of %s to that protocol", async (name) => {
  const { schemas, streams } = createProject();
  const { stdout } = await runAccrete(["validate", streams(name), "--schemas", schemas, "--format", "json"]);
  expect(Object.keys(JSON.parse(stdout).summary.protocols)).toEqual([`${name}/v1`]);
});

it("serve assigns each stream to the protocol of its folder", async () => {
  const { schemas, streams } = createProject();
  const validators = (await loadSchemas(schemas, [])).protocols.map(createValidators);
  const emptyStdin = (async function* () {})();
  const { runs, findings } = await readRuns([streams("beta"), streams("alpha")], validators, emptyStdin);
  expect(findings).toEqual([]);
  expect(runs.map(({ protocol }) => protocol)).toEqual(["beta/v1", "alpha/v1"]);
});
