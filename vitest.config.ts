import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { globSync } from "tinyglobby";
import { defineConfig } from "vitest/config";

/**
 * Tests that look at what a fresh process loads or opens, whose libraries remember every schema that they saw, or that
 * work in another folder: playwright makes the process believe that it is still in the first one.
 */
const alone = [
  "test/contain/{cases,corpus.deep}.test.ts",
  "test/validators/fixtures.test.ts",
  "test/load/{document-check,reads}.test.ts",
  "test/compat/planted-bugs.deep.test.ts",
  "test/serve/page.deep.test.ts",
  "test/stream/follow-serve.deep.test.ts",
  "test/commands/{config,year.deep}.test.ts",
  "test/diff/*.test.ts",
  "test/hardening/{doubling.deep,hostile-inputs.deep,places.deep,projects,writers.deep}.test.ts",
  "test/import/page.test.ts",
  "test/docs/*.test.ts",
];

/** Deep tests that take longest, for which CI has no time. `ACCRETE_TEST_ALL=1 npm run test:deep` runs them, too. */
const longest = [
  "test/acp/kit.deep.test.ts",
  "test/audit/{disorder,hostile,parquet}.deep.test.ts",
  "test/cache/cache.deep.test.ts",
  "test/commands/year.deep.test.ts",
  "test/compat/{history,mutations,planted-bugs}.deep.test.ts",
  "test/compat/streams/stream-mutations.deep.test.ts",
  "test/emit/{determinism,rust}.deep.test.ts",
  "test/hardening/{doubling,environments}.deep.test.ts",
  "test/kit/{coverage,reference-view}.deep.test.ts",
  "test/kit-process/{compiled,faults,python}.deep.test.ts",
  "test/lens/shop/shop.deep.test.ts",
  "test/monitor/brokers/brokers.deep.test.ts",
  "test/rollout/fleets.deep.test.ts",
  "test/scripts/{binary,new}.deep.test.ts",
  "test/serve/page-stories.deep.test.ts",
  "test/upcast/random-plans.deep.test.ts",
  "test/validate/threads.deep.test.ts",
];

/** Returns true if a file has tests for a run of this depth. test/depth.ts says which tests are deep. */
function isChosen(file: string, isDeep: boolean): boolean {
  if (file.endsWith(".deep.test.ts"))
    return isDeep && (process.env.ACCRETE_TEST_ALL === "1" || !globSync(longest).includes(file));
  return !isDeep || /from "[./]+\/depth\.js"/.test(readFileSync(file, "utf8"));
}

const all = ["test/**/*.test.ts", "generated/**/*.test.ts"];

// Only a test that hangs may fail for its time: a loaded machine can take many times as long as a quiet one.
const common = { testTimeout: 240_000, hookTimeout: 240_000 };

// The others share processes: to load the same modules for each file anew would take a third of the time.
export default defineConfig(({ mode }) => {
  const leftOut = globSync(all).filter((file) => !isChosen(file, mode === "deep"));
  // Projects in temporary folders have no package.json, so their caches would be in the home of the user.
  const caches = path.join(import.meta.dirname, "node_modules/.cache/accrete-test-caches");
  const env = { ACCRETE_TEST_DEPTH: mode, XDG_CACHE_HOME: caches };
  return {
    test: {
      // More than there are processors, because many tests wait for other processes and for delays.
      maxWorkers: Math.ceil(1.5 * availableParallelism()),
      projects: [
        {
          test: {
            ...{ ...common, env, name: "shared", isolate: false },
            ...{ include: all, exclude: [...alone, ...leftOut] },
          },
        },
        { test: { ...common, env, name: "alone", include: alone, exclude: leftOut } },
      ],
    },
  };
});
