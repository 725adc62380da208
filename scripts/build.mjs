/**
 * Builds the package into the folder of the first argument, or dist; further arguments go to the TypeScript compiler.
 * The library is compiled file by file, because users bundle it. The command line is bundled into few files, because
 * each costs Node about a millisecond: one holds what most commands need, others what single commands need.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { collectLicences } from "./licences.mjs";

const root = path.join(import.meta.dirname, "..");
const [out = "dist", ...flags] = process.argv.slice(2);
const getTarget = (...parts) => path.resolve(root, out, ...parts);
const getSource = (...parts) => path.join(root, "generator", ...parts);

/** Dependencies that every command loads. The others stay imports, and are loaded when they are needed. */
const INLINED = [
  "@apidevtools/json-schema-ref-parser",
  "@eslint-community/regexpp",
  "ajv-formats",
  "fastest-levenshtein",
  "picocolors",
];

/** The modules that the core file holds with all their imports: starting, checking schemas, and reading events. */
const CORE = /generator.commands.(program|validate)\.ts$/;

/** Files that are used as they stand, beside the compiled ones. */
const COPIED = [
  "runtime",
  "emit/go/package",
  "emit/python/package",
  "emit/rust/package",
  "load/config.schema.json",
  "load/event.schema.json",
  "load/protocol.schema.json",
  "kit-process/messages.schema.json",
  "report/report.schema.json",
  "serve/faults.schema.json",
  "serve/page",
  "site/assets",
];

rmSync(getTarget(), { recursive: true, force: true });
compileLibrary();
for (const name of COPIED)
  cpSync(getSource(name), getTarget(name), {
    recursive: true,
    filter: (file) => !file.endsWith("tsconfig.json"),
  });
await bundleCommands();
writeFileSync(getTarget("build-id"), hashBuild());
chmodSync(getTarget("cli.js"), 0o755);

/** Returns a hash of all files that were built. Caches do not use what another build wrote. */
function hashBuild() {
  const hash = createHash("sha256");
  const files = readdirSync(getTarget(), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of files)
    hash
      .update(`${path.relative(getTarget(), file)}\0`)
      .update(createHash("sha256").update(readFileSync(file)).digest());
  return hash.digest("hex");
}

function compileLibrary() {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", "tsconfig.build.json", "--outDir", getTarget(), ...flags];
  execFileSync(process.execPath, [tsc, ...options], { cwd: root, stdio: "inherit" });
}

/** Bundles the commands. All files but cli.js go into commands/, where relative paths lead to the same files as from generator/commands. */
async function bundleCommands() {
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const imported = installed.filter((name) => !INLINED.includes(name));
  const bundle = await rolldown({
    input: {
      cli: getSource("cli.ts"),
      worker: getSource("validate/worker.ts"),
      "emit-worker": getSource("emit/emit-worker.ts"),
      "parquet-worker": getSource("audit/parquet-worker.ts"),
    },
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    external: (id) => imported.some((name) => id === name || id.startsWith(`${name}/`)),
    logLevel: "silent",
  });
  const { output } = await bundle.write({
    dir: getTarget(),
    entryFileNames: ({ name }) => (name === "cli" ? "cli.js" : "commands/[name].js"),
    chunkFileNames: "commands/[name]-[hash].js",
    comments: { legal: true, annotation: false, jsdoc: false },
    // V8 holds a text with other characters in two bytes a character, and a script that starts has to be decoded.
    charset: "ascii",
    codeSplitting: { groups: [{ name: "core", test: CORE }] },
  });
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  writeFileSync(getTarget("commands", "LICENSES.txt"), collectLicences(modules));
}
