import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compiledScanner } from "../../scripts/compile-scanner/compile.js";

describe("scanner-wasm.ts", () => {
  const isThere = existsSync("node_modules/assemblyscript/package.json");
  it.skipIf(!isThere)(
    "is what its source compiles to (skipped where AssemblyScript is not installed)",
    async () => {
      expect(await compiledScanner()).toBe(readFileSync("generator/scan/scanner-wasm.ts", "utf8"));
    },
  );
});
