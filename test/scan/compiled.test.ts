/** If this fails, the scanner in use is not the one that its source compiles to. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileScanner, hasCompiler } from "../../scripts/compile-scanner/compile.js";

describe("scanner-wasm.ts", () => {
  it.skipIf(!hasCompiler())(
    "is what its source compiles to (skipped without npm ci --prefix .ci/tools)",
    async () => {
      expect(await compileScanner()).toBe(readFileSync("generator/scan/scanner-wasm.ts", "utf8"));
    },
  );
});
