/** If this fails, users run a scanner that was not compiled from its current source. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileScanner, hasCompiler } from "../../scripts/compile-scanner/compile.js";

const canCompile = hasCompiler();
if (!canCompile) console.warn("skipped: compiling the scanner, because .ci/tools is not installed");

describe("scanner-wasm.ts", () => {
  it.skipIf(!canCompile)(
    "is what its source compiles to (skipped without npm ci --prefix .ci/tools)",
    async () => {
      expect(await compileScanner()).toBe(readFileSync("generator/scan/scanner-wasm.ts", "utf8"));
    },
  );
});
