/**
 * Builds the package into the folder that is named, or dist; whatever else is said goes to the TypeScript compiler. The
 * library is compiled file by file, as users bundle it. The command line is put together into few files, because each
 * costs Node about a millisecond: one holds what most commands need, and each command has what it needs besides.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

const root = path.join(import.meta.dirname, "..");
const [out = "dist", ...flags] = process.argv.slice(2);
const to = (...parts) => path.resolve(root, out, ...parts);
const from = (...parts) => path.join(root, "generator", ...parts);

/** Dependencies that every command loads. The others stay imports, and are loaded when they are needed. */
const INLINED = [
  "@apidevtools/json-schema-ref-parser",
  "@eslint-community/regexpp",
  "ajv-formats",
  "fastest-levenshtein",
  "jsonc-parser",
  "picocolors",
];

/** What the first of the files holds, with all that these import: starting, checking schemas, and reading events. */
const CORE = /generator.commands.(program|validate)\.ts$/;

/** Files that are used as they stand, beside the compiled ones. */
const COPIED = [
  "runtime",
  "load/config.schema.json",
  "load/protocol.schema.json",
  "report/report.schema.json",
  "serve/faults.schema.json",
  "serve/page",
];

rmSync(to(), { recursive: true, force: true });
compileLibrary();
for (const name of COPIED)
  cpSync(from(name), to(name), { recursive: true, filter: (file) => !file.endsWith("tsconfig.json") });
await bundleCommands();
chmodSync(to("cli.js"), 0o755);

function compileLibrary() {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", "tsconfig.build.json", "--outDir", to(), ...flags];
  execFileSync(process.execPath, [tsc, ...options], { cwd: root, stdio: "inherit" });
}

/** All but cli.js goes into one folder, from which files are found by their places as from generator/commands. */
async function bundleCommands() {
  const { dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const imported = Object.keys(dependencies).filter((name) => !INLINED.includes(name));
  const bundle = await rolldown({
    input: {
      cli: from("cli.ts"),
      worker: from("validate/worker.ts"),
      "emit-worker": from("emit/emit-worker.ts"),
    },
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    external: (id) => imported.some((name) => id === name || id.startsWith(`${name}/`)),
    logLevel: "silent",
  });
  const { output } = await bundle.write({
    dir: to(),
    entryFileNames: ({ name }) => (name === "cli" ? "cli.js" : "commands/[name].js"),
    chunkFileNames: "commands/[name]-[hash].js",
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: { groups: [{ name: "core", test: CORE }] },
  });
  writeFileSync(to("commands", "LICENSES.txt"), licences(output.flatMap(({ moduleIds = [] }) => moduleIds)));
}

/** The licences of the packages that these modules are from, which ask to go with every copy. */
function licences(modules) {
  const folders = modules.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
      if (file === undefined) throw new Error(`${folder} has no licence`);
      return `${path.basename(folder)}\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
    })
    .join("\n\n");
}
