/** The files of the page at `/`, which are read before the server listens. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { readBytes } from "../load/read-bytes.js";
import { readRuntime } from "../load/runtime.js";
import type { Protocol } from "../protocol/protocol.js";
import { chooseView } from "../protocol/view-roles.js";
import { formatLiteral } from "../text.js";
import { describeTypes } from "./describe-types.js";
import type { Site, SiteFile } from "./site-routes.js";

/** The path of the page's modules. Below it, relative imports are the same as in this repository. */
const BASE = "/-";

const GENERATOR = path.join(import.meta.dirname, "..");

/** Folders of modules that the page imports, besides the generated ones. */
const FOLDERS = ["stream", "view", "serve/page"] as const;

const TYPES: { readonly [ending: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
};

/** Allows only files and answers of the server, and no script or style inside the document. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Returns the page with the modules of these protocols: those below `out`, or generated ones if there are none. */
export async function readSite(protocols: readonly Protocol[], out: string): Promise<Site> {
  const site = new Map<string, SiteFile>();
  const add = (file: string, text: string): void => {
    const type = TYPES[path.extname(file)];
    if (type !== undefined) site.set(`${BASE}/${file}`, { type, body: Buffer.from(text) });
  };
  for (const folder of FOLDERS)
    for (const [name, text] of await readModules(folder)) add(`${folder}/${name}`, text);
  for (const protocol of protocols) {
    for (const [name, text] of await readGeneratedModules(protocol, out)) add(`generated/${name}`, text);
    add(`generated/${protocol.id}/view.js`, `export const view = ${formatLiteral(chooseView(protocol))};\n`);
    add(`generated/${protocol.id}/types.json`, JSON.stringify(describeTypes(protocol)));
  }
  for (const name of PACKAGES) add(`packages/${name}.js`, readPackage(name));
  const index = path.join(GENERATOR, "serve/page/index.html");
  const headers = { "content-security-policy": POLICY, "referrer-policy": "no-referrer" };
  site.set("/", { type: TYPES[".html"] ?? "", body: readFileSync(index), headers });
  return site;
}

/** Packages that the page uses. Each of them is one CommonJS file without imports. */
const PACKAGES = ["anser"] as const;

/** Returns a package as a module, so that a browser can import it. */
function readPackage(name: (typeof PACKAGES)[number]): string {
  const file = createRequire(import.meta.url).resolve(name);
  return `const module = { exports: {} };\n${readFileSync(file, "utf8")}\nexport default module.exports;\n`;
}

/** Returns the files of a folder by name. TypeScript is compiled, as in the published package. */
async function readModules(folder: string): Promise<[name: string, text: string][]> {
  const modules: [name: string, text: string][] = [];
  for (const name of readdirSync(path.join(GENERATOR, folder))) {
    const text = readFileSync(path.join(GENERATOR, folder, name), "utf8");
    if (!name.endsWith(".ts")) modules.push([name, text]);
    else if (!name.endsWith(".d.ts")) modules.push([name.replace(/\.ts$/, ".js"), await compileModule(text)]);
  }
  return modules;
}

/** Compiles TypeScript. Needed only if the tool runs from its sources. */
async function compileModule(text: string): Promise<string> {
  const { ts } = await import("ts-morph");
  const target = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  return ts.transpileModule(text, { compilerOptions: target }).outputText;
}

/** Returns the modules of a protocol by their path below the folder of generated code. */
async function readGeneratedModules(
  protocol: Protocol,
  out: string,
): Promise<[name: string, text: string][]> {
  const folder = path.join(out, protocol.id);
  if (existsSync(path.join(folder, "index.js"))) {
    const names = readdirSync(folder).filter((name) => name.endsWith(".js"));
    return names.map((name) => [
      `${protocol.id}/${name}`,
      readBytes(path.join(folder, name)).toString("utf8"),
    ]);
  }
  const { emitProtocol } = await import("../emit/emit.js");
  const files = await emitProtocol(protocol, { runtime: readRuntime(), fixtures: "" });
  return files.map((file) => [file.path, file.content]);
}
