import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * Tests that look at what a fresh process loads or opens, whose libraries remember every schema that they saw, or that
 * work in another folder: playwright makes the process believe that it is still in the first one.
 */
const alone = [
  "test/contain/{cases,corpus}.test.ts",
  "test/model/fixtures.test.ts",
  "test/load/{document-check,reads}.test.ts",
  "test/compat/planted-bugs.test.ts",
  "test/serve/page.test.ts",
  "test/stream/follow-serve.test.ts",
  "test/cli/config.test.ts",
  "test/diff/*.test.ts",
  "test/hardening/{places,projects,writers}.test.ts",
  "test/import/page.test.ts",
  "test/docs/*.test.ts",
];

// Only a test that hangs may fail for its time: a loaded machine can take many times as long as a quiet one.
const common = { testTimeout: 240_000, hookTimeout: 240_000 };

// The others share processes: to load the same modules for each file anew would take a third of the time.
export default defineConfig({
  test: {
    // More than there are processors, because many tests wait for other processes and for delays.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    projects: [
      {
        test: {
          ...common,
          name: "shared",
          isolate: false,
          include: ["test/**/*.test.ts", "generated/**/*.test.ts"],
          exclude: alone,
        },
      },
      { test: { ...common, name: "alone", include: alone } },
    ],
  },
});
