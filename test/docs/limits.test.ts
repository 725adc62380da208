/** If this fails, the pages state other limits than those that hold. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../generator/contain/budget.js";
import { MAX_SITES } from "../../generator/upcast/collect-sites.js";

it.each([
  ["compatibility", DEFAULT_LIMITS.maxSteps, "steps of the proof"],
  ["compatibility", DEFAULT_LIMITS.maxValues, "values in a schema"],
  ["compatibility", DEFAULT_LIMITS.maxAppliedSchemas, "schemas that apply to one value"],
  ["upcasting", MAX_SITES, "places"],
])("docs/%s.md says %d %s", (page, limit, subject) => {
  const text = readFileSync(`docs/${page}.md`, "utf8").replace(/\s+/g, " ");
  expect(text).toContain(`${limit.toLocaleString("en")} ${subject}`);
});
