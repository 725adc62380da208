/**
 * Measures what a frontend adds to its page, minified and gzipped, and fails above the limits: one validator of an event
 * of hecate, all of them, what README.md imports, as esbuild, Rollup and Vite bundle it, and the playground.
 *
 *     tsx scripts/check-size.ts
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { buildPlayground } from "./build-playground.mjs";
import { BUNDLERS } from "./bundlers.mjs";

const FOLDER = "generated/hecate/v1";
const KIBIBYTE = 1024;
/** The greatest sizes, in bytes gzipped. */
const LIMITS = {
  oneValidator: 2 * KIBIBYTE,
  allValidators: 12.5 * KIBIBYTE,
  readmeWithoutFollow: 14 * KIBIBYTE,
  follow: 2 * KIBIBYTE,
  playground: 350 * KIBIBYTE,
};

interface Size {
  readonly name: string;
  readonly minified: number;
  readonly gzipped: number;
}

const tooLarge: string[] = [];

function measure(name: string, code: string | Uint8Array): Size {
  return { name, minified: Buffer.byteLength(code), gzipped: gzipSync(code, { level: 9 }).length };
}

function report({ name, minified, gzipped }: Size, limit: number | undefined): void {
  console.log(`| ${name} | ${minified} | ${gzipped} | ${limit ?? ""} |`);
  if (limit !== undefined && gzipped > limit)
    tooLarge.push(`${name}: ${gzipped} bytes gzipped, at most ${limit} are allowed`);
}

/** Measures a module that uses nothing but `exported` of reader.js. */
function measureReader(name: string, exported: string): Size {
  const { outputFiles } = buildSync({
    stdin: { contents: `export ${exported} from "./reader.js";`, resolveDir: FOLDER },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    legalComments: "none",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild wrote nothing");
  return measure(name, file.contents);
}

/** Returns the names that the programs of README.md import from each module of accrete-client; its tests are not shipped. */
function readReadmeImports(readme: string): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const [, file = "", code = ""] of readme.matchAll(/^```js (\S+)\n([\s\S]*?)^```$/gm)) {
    if (file.includes(".test.")) continue;
    const statements = [...code.matchAll(/^import \{ (.+) \} from "(accrete-client\/.+)";$/gm)];
    if (statements.length !== code.split(/["'`]accrete-client\b/).length - 1)
      throw new Error(
        `README.md, ${file}: this script reads only imports of the form import { NAME } from "accrete-client/MODULE";`,
      );
    for (const [, names = "", module = ""] of statements) {
      const known = imports.get(module) ?? new Set();
      for (const name of names.split(", ")) known.add(name);
      imports.set(module, known);
    }
  }
  return imports;
}

/** Throws if README.md promises other sizes than those that are checked. */
function checkPromises(readme: string): void {
  const text = readme.replace(/\s+/g, " ");
  for (const promise of [
    `they add less than ${LIMITS.readmeWithoutFollow / KIBIBYTE} KB to a page`,
    `\`follow\` adds less than ${LIMITS.follow / KIBIBYTE} KB`,
    `a single validator, which is about ${LIMITS.oneValidator / KIBIBYTE} KB`,
  ])
    if (!text.includes(promise))
      throw new Error(`README.md does not say "${promise}", which is checked here`);
}

/** Puts accrete-client into a new folder, as a project has it. Returns the folder. */
function installPackage(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "accrete-size-")));
  execFileSync(process.execPath, [
    "scripts/build-packages.mjs",
    path.join(folder, "node_modules"),
    "--noCheck",
  ]);
  return folder;
}

/** Measures what README.md imports, with and without `follow`, in all bundlers. */
async function measureReadme(): Promise<void> {
  const readme = readFileSync("README.md", "utf8");
  checkPromises(readme);
  const imports = readReadmeImports(readme);
  const all = [...imports].flatMap(([module, names]) => [...names].map((name) => ({ module, name })));
  const required = ["contract", "createReader", "createSseParser", "decodeEvent", "follow", "unwrap"];
  const missing = required.filter((name) => !all.some((each) => each.name === name));
  if (missing.length > 0) throw new Error(`README.md does not import ${missing.join(", ")}`);
  const folder = installPackage();
  const bundle = async (name: string, names: typeof all, bundler: (entry: string) => Promise<string>) => {
    const entry = path.join(folder, "entry.mjs");
    writeFileSync(entry, names.map((one) => `export { ${one.name} } from "${one.module}";\n`).join(""));
    return measure(name, await bundler(entry));
  };
  try {
    for (const [name, bundler] of Object.entries(BUNDLERS)) {
      const without = all.filter((one) => one.name !== "follow");
      const base = await bundle(`what README.md imports except follow, ${name}`, without, bundler);
      const whole = await bundle(`what README.md imports, ${name}`, all, bundler);
      const follow = { minified: whole.minified - base.minified, gzipped: whole.gzipped - base.gzipped };
      report(base, LIMITS.readmeWithoutFollow);
      report({ name: `what follow adds to it, ${name}`, ...follow }, LIMITS.follow);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const validators = [
  ...readFileSync(`${FOLDER}/reader.js`, "utf8").matchAll(/^export const (validate\w+Event)\b/gm),
]
  .map(([, name = ""]) => measureReader(name, `{ ${name} }`))
  .sort((a, b) => b.gzipped - a.gzipped || (a.name < b.name ? -1 : 1));

if (validators.length === 0) throw new Error(`${FOLDER}/reader.js exports no event validators`);

console.log("| part | minified | gzipped | limit |\n|---|---:|---:|---:|");
for (const size of validators) report(size, LIMITS.oneValidator);
report(measureReader("validateEnvelope, for events of any type", "{ validateEnvelope }"), undefined);
report(measureReader("all validators of reader.js", "*"), LIMITS.allValidators);
await measureReadme();
report(measure("the page of the playground", await buildPlayground()), LIMITS.playground);

if (tooLarge.length > 0) {
  console.error(["", "Too large:", ...tooLarge].join("\n"));
  process.exitCode = 1;
}
