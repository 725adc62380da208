/** If this fails, the functions that the package exports do not work as docs/ describes them. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  checkCompat,
  checkContainment,
  createContainmentCache,
  createStreamChecker,
  loadSchemas,
  locateOnDisk,
  openBaseline,
  parseBaseline,
  REPORTERS,
  RULES,
} from "../generator/index.js";
import { writeExample } from "./compat/examples.js";

it("compares two versions as the documentation says", async () => {
  const rule = RULES.find(({ id }) => id === "field-removed-optional");
  if (!rule) throw new Error("there is no such rule");
  const { before, after } = writeExample(rule.example);
  const [protocol] = (await loadSchemas(after)).protocols;
  if (!protocol) throw new Error("the case has errors");
  const baseline = await openBaseline(parseBaseline(`dir:${before}`), protocol.id, after);
  const { findings, additions } = await checkCompat({
    current: { protocol, locate: locateOnDisk() },
    baselines: [baseline],
    history: [],
    hasAllBaselines: false,
    cache: createContainmentCache(),
  });
  expect(findings.map(({ rule }) => rule)).toEqual(["field-removed-optional"]);
  expect(additions).toEqual([]);
  expect(REPORTERS.text(findings)).toContain("error field-removed-optional");
});

it("checks events in their streams, and goes on from a saved state", async () => {
  const { protocols } = await loadSchemas("schemas", ["hecate/v1"]);
  const [protocol] = protocols;
  if (!protocol) throw new Error("there is no hecate/v1");
  const lines = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8").trim().split("\n");
  const first = createStreamChecker(protocol, { profile: "writer" });
  const found = lines.slice(0, 6).flatMap((line) => first.push(JSON.parse(line)));
  const second = createStreamChecker(protocol, { profile: "writer", state: first.save() });
  found.push(...lines.slice(7).flatMap((line) => second.push(JSON.parse(line))), ...second.end());
  expect(found.map(({ rule, index }) => [rule, index])).toEqual([["sequence-gap", 6]]);
});

it("checks whether one schema is contained in another", async () => {
  expect(await checkContainment({ type: "integer" }, { type: "number" })).toEqual({ verdict: "contained" });
});
