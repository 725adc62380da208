/**
 * Compiles generator/scan/assembly/scanner.ts to WebAssembly and writes it into generator/scan/scanner-wasm.ts, or with
 * `--check` says whether it stands there already.
 *
 *     npm run scanner
 */
import { readFileSync, writeFileSync } from "node:fs";
import { compiledScanner } from "./compile-scanner/compile.js";

const FILE = "generator/scan/scanner-wasm.ts";
const text = await compiledScanner();
if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
  console.error(`${FILE} is not what its source compiles to; run npm run scanner.`);
  process.exitCode = 1;
}
