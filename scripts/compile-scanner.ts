/**
 * Compiles generator/scan/assembly/scanner.ts to WebAssembly and writes it into generator/scan/scanner-wasm.ts. Needs
 * `npm ci --prefix .ci/tools`; a test checks that the file is up to date.
 *
 *     npm run scanner
 */
import { writeFileSync } from "node:fs";
import { compileScanner, hasCompiler } from "./compile-scanner/compile.js";

if (hasCompiler()) writeFileSync("generator/scan/scanner-wasm.ts", await compileScanner());
else {
  console.error("AssemblyScript is not installed: npm ci --prefix .ci/tools");
  process.exitCode = 2;
}
