import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The part of the compiler's interface that this file uses. The compiler's own types declare globals that Node does not have. */
interface Compiler {
  main(
    args: readonly string[],
    host: { writeFile(name: string, contents: string | Uint8Array): void },
  ): Promise<{ readonly error: Error | null; readonly stderr: { toString(): string } }>;
}

const COMPILER = path.resolve(".ci/tools/node_modules/assemblyscript/dist/asc.js");
const SOURCE = "generator/scan/assembly/scanner.ts";

/** Returns whether the compiler is installed, which `npm ci --prefix .ci/tools` does. */
export function hasCompiler(): boolean {
  return existsSync(COMPILER);
}

/** Compiles the scanner and returns the text of scanner-wasm.ts. Throws the messages of the compiler if there is an error. */
export async function compileScanner(): Promise<string> {
  const compiler: Compiler = (await import(pathToFileURL(COMPILER).href)).default;
  let binary: Uint8Array | undefined;
  const flags = ["-O3", "--enable", "simd", "--runtime", "stub", "--noAssert", "--importMemory"];
  const { error, stderr } = await compiler.main([SOURCE, ...flags, "--outFile", "scanner.wasm"], {
    writeFile: (_name, contents) => {
      if (typeof contents !== "string") binary = contents;
    },
  });
  if (error || binary === undefined) throw new Error(`${error?.message ?? "no output"}\n${stderr}`);
  const base64 = Buffer.from(binary).toString("base64");
  return [
    "/** assembly/scanner.ts as `npm run scanner` compiled it: WebAssembly in Base64. */",
    `export const SCANNER =\n  "${base64}";`,
    "",
  ].join("\n");
}
