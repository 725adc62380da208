/**
 * Compiles generator/scan/assembly/scanner.ts to WebAssembly and writes it into generator/scan/scanner-wasm.ts. Needs
 * `npm ci --prefix .ci/tools`; a test holds that what stands there is what the source compiles to.
 *
 *     npm run scanner
 */
import { writeFileSync } from "node:fs";
import { compiledScanner, hasCompiler } from "./compile-scanner/compile.js";

if (hasCompiler()) writeFileSync("generator/scan/scanner-wasm.ts", await compiledScanner());
else {
  console.error("AssemblyScript is not there: npm ci --prefix .ci/tools");
  process.exitCode = 2;
}
