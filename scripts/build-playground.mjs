/**
 * Builds the playground, a page that compares two schemas in the browser, as one HTML file: in the folder of the first
 * argument, or in dist/playground.
 *
 *     npm run playground
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as esbuild from "esbuild";
import { packNumbers } from "./playground/pack-numbers.mjs";

const folder = path.join(import.meta.dirname, "playground");

/** Modules that a comparison of two schemas never calls. They become modules whose functions throw. */
const ABSENT = [
  // Imported schemas declare no streams, and equal contracts of streams are not compared.
  /[\\/]compare-stream-contracts\.js$/,
  // References lead to the same file, so no other file is searched for.
  /^@apidevtools\/json-schema-ref-parser$/,
  /^node:/,
];

const STREAM_RULES = path.join(import.meta.dirname, "../generator/conform/stream-rules.js");

/** Replaces the modules of Node by those of the folder node, packs refa, and leaves out the absent modules. */
const replaceModules = {
  name: "replace-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/stream-rules\.js$/ }, ({ path: name, resolveDir }) =>
      path.resolve(resolveDir, name) === STREAM_RULES
        ? { path: path.join(folder, "no-stream-rules.js") }
        : undefined,
    );
    onResolve({ filter: /.*/ }, ({ path: name }) => {
      const base = path.join(folder, "node", name.replace(/^node:/, "").replace("/", "-"));
      const file = [".js", ".cjs"].map((end) => base + end).find((each) => existsSync(each));
      if (name.startsWith("node:") && file !== undefined) return { path: file };
      return ABSENT.some((pattern) => pattern.test(name)) ? { path: name, namespace: "absent" } : undefined;
    });
    onLoad({ filter: /.*/, namespace: "absent" }, ({ path: name }) => ({
      contents: `module.exports = require("./absent.cjs")(${JSON.stringify(name)});`,
      resolveDir: path.join(folder, "node"),
    }));
    // The descriptions are for authors.
    onLoad({ filter: /\.schema\.json$/ }, ({ path: file }) => ({
      contents: JSON.stringify(JSON.parse(readFileSync(file, "utf8"), dropDescription)),
      loader: "json",
    }));
    onLoad({ filter: /[\\/]refa[\\/]index\.js$/ }, ({ path: file }) => ({
      contents: packNumbers(readFileSync(file, "utf8")),
    }));
  },
};

/** Returns a value of a schema; undefined for a text that describes it. */
function dropDescription(name, value) {
  return name === "description" && typeof value === "string" ? undefined : value;
}

async function bundle(file) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(folder, file)],
    ...{ bundle: true, minify: true, target: "es2022", format: "iife", platform: "browser" },
    // One text of ASCII is a half of the memory of another one.
    ...{ charset: "ascii", legalComments: "none", write: false, logLevel: "warning" },
    // Only the names of files are read from it.
    define: { "import.meta.url": '"file:///"' },
    // package.json says which modules have side effects once they are built.
    ignoreAnnotations: true,
    mainFields: ["browser", "module", "main"],
    plugins: [replaceModules],
  });
  return outputFiles[0].text;
}

/** Returns the page with its style, its script and the code of its worker. */
export async function buildPlayground() {
  const [worker, script] = await Promise.all([bundle("worker.js"), bundle("page.js")]);
  const read = (file) => readFileSync(path.join(folder, file), "utf8");
  const parts = { style: read("style.css"), worker: escapeEnd(worker), script: escapeEnd(script) };
  return read("page.html").replace(/\/\* (style|worker|script) \*\//g, (_all, part) => parts[part]);
}

/** Returns code that can stand in a script element, which ends at the first end tag in its text. */
function escapeEnd(code) {
  if (code.includes("<!--")) throw new Error("The code holds the beginning of a comment of HTML.");
  return code.replaceAll("</script", "<\\/script");
}

if (process.argv[1] === import.meta.filename) {
  const out = path.resolve(process.argv[2] ?? "dist/playground");
  mkdirSync(out, { recursive: true });
  writeFileSync(path.join(out, "index.html"), await buildPlayground());
}
