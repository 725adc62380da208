/** If this fails, the property test no longer finds bugs that are planted into the comparison. */
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Change } from "../../generator/compat/change.js";
import type * as CreateFinding from "../../generator/compat/create-finding.js";
import type * as ReportedBreaks from "../../generator/compat/history/reported-breaks.js";
import type * as Policy from "../../generator/compat/policy.js";
import type * as Side from "../../generator/compat/side.js";
import type * as Subjects from "../../generator/compat/subjects.js";
import type { Disagreement } from "./oracle/scenarios.js";

/** A module of the comparison with some of its exports replaced. */
interface ModuleReplacement {
  readonly module: string;
  // biome-ignore lint/suspicious/noExplicitAny: each replacement knows the module that it is made for
  readonly replace: (original: any) => object;
}

interface PlantedBug {
  readonly replacements: readonly ModuleReplacement[];
  readonly scenarios: readonly string[];
  readonly expected: Disagreement["kind"];
}

const computeWeakFingerprint = (original: typeof CreateFinding, change: Change, id: string): string => {
  const { content: _content, from: _from, to: _to, ...weak } = change;
  return original.computeFingerprint(weak, id);
};

const PLANTED_BUGS: { readonly [name: string]: PlantedBug } = {
  "without the backstop": {
    replacements: [{ module: "proof/backstop.ts", replace: () => ({ findResidualBreaks: async () => [] }) }],
    scenarios: ["a changed folder"],
    expected: "missed-break",
  },
  "where parts without a label are experimental": {
    replacements: [
      {
        module: "side.ts",
        replace: ({ parseStability }: typeof Side): Partial<typeof Side> => ({
          parseStability: (value) => parseStability(value) ?? "experimental",
        }),
      },
    ],
    scenarios: ["a changed folder"],
    expected: "missed-break",
  },
  "with a policy that ignores the label of candidates": {
    replacements: [
      {
        module: "policy.ts",
        replace: ({ decideVerdict, findHighestStability }: typeof Policy): Partial<typeof Policy> => ({
          decideVerdict: (change) =>
            findHighestStability(change) === "candidate" ? "note" : decideVerdict(change),
        }),
      },
    ],
    scenarios: ["a changed folder"],
    expected: "missed-break",
  },
  "with a policy that ignores the label of experimental contracts": {
    replacements: [
      {
        module: "policy.ts",
        replace: ({ decideVerdict }: typeof Policy): Partial<typeof Policy> => ({
          decideVerdict: (change) => (change.proof ? "error" : decideVerdict(change)),
        }),
      },
    ],
    scenarios: ["an experimental protocol"],
    expected: "false-alarm",
  },
  "where additions are errors": {
    replacements: [
      {
        module: "policy.ts",
        replace: ({ decideVerdict }: typeof Policy): Partial<typeof Policy> => ({
          decideVerdict: (change) => (change.rule.effect === "adds" ? "error" : decideVerdict(change)),
        }),
      },
    ],
    scenarios: ["an addition"],
    expected: "false-alarm",
  },
  "where older releases show nothing": {
    replacements: [
      {
        module: "history/reported-breaks.ts",
        replace: ({ trackReports }: typeof ReportedBreaks): Partial<typeof ReportedBreaks> => ({
          trackReports: (current) => ({ ...trackReports(current), findReport: () => ({ waived: false }) }),
        }),
      },
    ],
    scenarios: ["several releases"],
    expected: "missed-break",
  },
  "with fingerprints that ignore what changed": {
    replacements: [
      {
        module: "create-finding.ts",
        replace: (original: typeof CreateFinding): Partial<typeof CreateFinding> => ({
          computeFingerprint: (change, id) => computeWeakFingerprint(original, change, id),
          createFinding: (change, context) => ({
            ...original.createFinding(change, context),
            fingerprint: computeWeakFingerprint(original, change, context.current.protocol.id),
          }),
        }),
      },
    ],
    scenarios: ["waivers and another change of the same kind"],
    expected: "missed-break",
  },
  "where resources are not compared": {
    replacements: [
      {
        module: "subjects.ts",
        replace: (): Partial<typeof Subjects> => ({
          listSubjects: ({ events }) => [...events],
          listResourceSubjects: () => [],
        }),
      },
    ],
    scenarios: ["a changed folder"],
    expected: "missed-break",
  },
};

const MAX_PAIRS = 600;
/** A test takes seconds on an idle core, and minutes on a busy one. */
const TIMEOUT = 180_000;
const mockedFiles: string[] = [];

afterEach(() => {
  for (const module of mockedFiles.splice(0)) vi.doUnmock(module);
  vi.resetModules();
});

describe("the oracle finds the bug in a comparison", () => {
  it.each(Object.entries(PLANTED_BUGS))(
    "%s",
    async (_, { replacements, scenarios, expected }) => {
      vi.resetModules();
      for (const { module, replace } of replacements) {
        const file = path.join(import.meta.dirname, "../../generator/compat", module);
        mockedFiles.push(file);
        vi.doMock(file, async (importOriginal) => {
          const original = await importOriginal<object>();
          return { ...original, ...replace(original) };
        });
      }
      const { fuzzCompat } = await import("./oracle/fuzz-compat.js");
      const options = { seed: 1, pairs: MAX_PAIRS, maxCounterexamples: 1, shrink: false, scenarios };
      const { counterexamples } = await fuzzCompat(options);
      expect(counterexamples.map(({ kind }) => kind)).toEqual([expected]);
    },
    TIMEOUT,
  );
});
