/** If this fails, `accrete compat` reports the removal of a name again that another finding reports already. */
import { expect, it } from "vitest";
import type { ComparedChange } from "../../generator/compat/change.js";
import type { Name } from "../../generator/compat/history/released-names.js";
import { createReportedNamesTest } from "../../generator/compat/history/removed-names.js";

const NAME = { kind: "field", event: "tea.served", path: "/cups", name: "cups" } as Name;

/** Creates a break of the field `cups`. */
const createBreak = (more: {
  readonly event?: string;
  readonly stability?: string;
  readonly waived?: true;
}) => {
  const { event = "tea.served", stability = "stable", ...rest } = more;
  const places = [{ event, path: "/other", steps: [], stability }];
  const rule = { coversNamesBelow: false };
  return { name: "cups", rule, proof: { undecided: "x" }, places, ...rest } as unknown as ComparedChange;
};

it.each([
  ["reported if the event breaks", createBreak({}), true],
  ["reported if the envelope breaks, which every event has", createBreak({ event: "" }), true],
  ["not reported if another event breaks", createBreak({ event: "tea.spilled" }), false],
  ["not reported if an experimental event breaks", createBreak({ stability: "experimental" }), false],
  ["not reported if the break is waived", createBreak({ waived: true }), false],
])("the removal of a field is %s", (_what, change, isReported) => {
  expect(createReportedNamesTest([change])(NAME)).toBe(isReported);
});
