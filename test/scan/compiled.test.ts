/** If this fails, the scanner in use is not the one that its source compiles to. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileScanner, hasCompiler } from "../../scripts/compile-scanner/compile.js";

const isChecked = hasCompiler();
if (!isChecked) console.warn("skipped: compiling the scanner, because .ci/tools is not installed");

describe("scanner-wasm.ts", () => {
  it.skipIf(!isChecked)(
    "is what its source compiles to (skipped without npm ci --prefix .ci/tools)",
    async () => {
      expect(await compileScanner()).toBe(readFileSync("generator/scan/scanner-wasm.ts", "utf8"));
    },
  );
});
