import path from "node:path";
import { expect, it } from "vitest";
import {
  checkCompat,
  checkContainment,
  loadSchemas,
  locateOnDisk,
  openBaseline,
  openOracle,
  parseBaseline,
  REPORTERS,
  RULES,
} from "../generator/index.js";
import { CASES } from "./compat/case-folders.js";

const folder = (side: string): string => path.join(CASES, "field-removed-optional", side);

it("compares two versions as the documentation says", async () => {
  const [protocol] = loadSchemas(folder("after")).protocols;
  if (!protocol) throw new Error("the case has errors");
  const baseline = openBaseline(parseBaseline(`dir:${folder("before")}`), protocol.id, folder("after"));
  const { findings, additions } = await checkCompat({
    current: { protocol, locate: locateOnDisk() },
    baselines: [baseline],
    history: [],
    complete: false,
    oracle: openOracle(),
  });
  expect(findings.map(({ rule }) => rule)).toEqual(["field-removed-optional"]);
  expect(additions).toEqual([]);
  expect(RULES.map(({ id }) => id)).toContain("field-removed-optional");
  expect(REPORTERS.text(findings)).toContain("error field-removed-optional");
});

it("asks whether one schema is inside another", async () => {
  expect(await checkContainment({ type: "integer" }, { type: "number" })).toEqual({ verdict: "contained" });
});
