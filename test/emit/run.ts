import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";

const TSC = path.resolve("node_modules/typescript/bin/tsc");

/** Returns the errors of the strict compiler about all files of `folder`; an empty text if there are none. */
export function checkTypes(folder: string, module: "nodenext" | "bundler"): string {
  const config = {
    compilerOptions: {
      target: "es2022",
      lib: ["es2022"],
      strict: true,
      noEmit: true,
      types: [],
      skipLibCheck: false,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      noPropertyAccessFromIndexSignature: true,
      isolatedModules: true,
      noUnusedLocals: true,
      ...(module === "nodenext" ? { module: "nodenext" } : { module: "esnext", moduleResolution: "bundler" }),
    },
    include: ["**/*.ts"],
    exclude: ["**/*.test.ts"],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
  const { stdout, status } = spawnSync(process.execPath, [TSC, "-p", folder], { encoding: "utf8" });
  return status === 0 ? "" : stdout || "tsc failed";
}

/** Runs `code` as a module in `folder` under plain Node. Returns the JSON value that it prints. */
export function runNode(folder: string, code: string, input: unknown, type?: "module"): unknown {
  if (type) writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type }));
  const file = path.join(folder, "main.mjs");
  writeFileSync(file, code);
  const { NODE_OPTIONS: _none, ...env } = process.env;
  const stdout = execFileSync(process.execPath, [file], {
    cwd: folder,
    env,
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return JSON.parse(stdout);
}
