/** If this fails, the property test no longer finds holes that are planted into the comparison. */
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Change } from "../../generator/compat/change.js";
import type * as Describe from "../../generator/compat/describe.js";
import type * as ReportedBreaks from "../../generator/compat/history/reported-breaks.js";
import type * as Policy from "../../generator/compat/policy.js";
import type * as Side from "../../generator/compat/side.js";
import type * as Subjects from "../../generator/compat/subjects.js";

/** A module of the comparison with some of its exports replaced. */
interface Plant {
  readonly module: string;
  // biome-ignore lint/suspicious/noExplicitAny: each replacement knows the module that it is made for
  readonly replace: (original: any) => object;
}

interface Hole {
  readonly plants: readonly Plant[];
  /** The scenarios that are asked. */
  readonly scenarios: readonly string[];
  readonly finds: "hole" | "false alarm";
}

const weakFingerprint = (original: typeof Describe, change: Change, id: string): string => {
  const { content: _content, from: _from, to: _to, ...weak } = change;
  return original.computeFingerprint(weak, id);
};

const HOLES: { readonly [name: string]: Hole } = {
  "without the backstop": {
    plants: [{ module: "proof/backstop.ts", replace: () => ({ findResidualBreaks: async () => [] }) }],
    scenarios: ["a changed folder"],
    finds: "hole",
  },
  "where parts without a label are experimental": {
    plants: [
      {
        module: "side.ts",
        replace: ({ parseStability }: typeof Side): Partial<typeof Side> => ({
          parseStability: (value) => parseStability(value) ?? "experimental",
        }),
      },
    ],
    scenarios: ["a changed folder"],
    finds: "hole",
  },
  "with a policy that ignores the label of candidates": {
    plants: [
      {
        module: "policy.ts",
        replace: ({ decideVerdict, findHighestStability }: typeof Policy): Partial<typeof Policy> => ({
          decideVerdict: (change) =>
            findHighestStability(change) === "candidate" ? "note" : decideVerdict(change),
        }),
      },
    ],
    scenarios: ["a changed folder"],
    finds: "hole",
  },
  "with a policy that ignores the label of experimental contracts": {
    plants: [
      {
        module: "policy.ts",
        replace: ({ decideVerdict }: typeof Policy): Partial<typeof Policy> => ({
          decideVerdict: (change) => (change.proof ? "error" : decideVerdict(change)),
        }),
      },
    ],
    scenarios: ["an experimental protocol"],
    finds: "false alarm",
  },
  "where additions are errors": {
    plants: [
      {
        module: "policy.ts",
        replace: ({ decideVerdict }: typeof Policy): Partial<typeof Policy> => ({
          decideVerdict: (change) => (change.rule.effect === "adds" ? "error" : decideVerdict(change)),
        }),
      },
    ],
    scenarios: ["an addition"],
    finds: "false alarm",
  },
  "where older releases show nothing": {
    plants: [
      {
        module: "history/reported-breaks.ts",
        replace: ({ trackReports }: typeof ReportedBreaks): Partial<typeof ReportedBreaks> => ({
          trackReports: (current) => ({ ...trackReports(current), findReport: () => ({ waived: false }) }),
        }),
      },
    ],
    scenarios: ["several releases"],
    finds: "hole",
  },
  "with fingerprints that ignore what changed": {
    plants: [
      {
        module: "describe.ts",
        replace: (original: typeof Describe): Partial<typeof Describe> => ({
          computeFingerprint: (change, id) => weakFingerprint(original, change, id),
          describe: (change, places) => ({
            ...original.describe(change, places),
            fingerprint: weakFingerprint(original, change, places.current.protocol.id),
          }),
        }),
      },
    ],
    scenarios: ["waivers and another change of the same kind"],
    finds: "hole",
  },
  "where resources are not compared": {
    plants: [
      {
        module: "subjects.ts",
        replace: (): Partial<typeof Subjects> => ({
          listSubjects: ({ events }) => [...events],
          resourceSubjects: () => [],
        }),
      },
    ],
    scenarios: ["a changed folder"],
    finds: "hole",
  },
};

const MAX_PAIRS = 600;
/** Seconds on an idle core; many times that on a busy one. */
const TIMEOUT = 180_000;
const planted: string[] = [];

afterEach(() => {
  for (const module of planted.splice(0)) vi.doUnmock(module);
  vi.resetModules();
});

describe("the oracle finds the hole in a comparison", () => {
  it.each(Object.entries(HOLES))(
    "%s",
    async (_, { plants, scenarios, finds }) => {
      vi.resetModules();
      for (const { module, replace } of plants) {
        const file = path.join(import.meta.dirname, "../../generator/compat", module);
        planted.push(file);
        vi.doMock(file, async (importOriginal) => {
          const original = await importOriginal<object>();
          return { ...original, ...replace(original) };
        });
      }
      const { fuzzCompat } = await import("./oracle/fuzz-compat.js");
      const options = { seed: 1, pairs: MAX_PAIRS, most: 1, shrink: false, scenarios };
      const { counterexamples } = await fuzzCompat(options);
      expect(counterexamples.map(({ is }) => is)).toEqual([finds]);
    },
    TIMEOUT,
  );
});
