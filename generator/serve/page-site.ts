/** The files of the page at `/`, which are read before the server listens. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readBytes } from "../load/read-bytes.js";
import { readRuntime } from "../load/runtime.js";
import type { Protocol } from "../protocol/protocol.js";
import { chooseView } from "../protocol/view-roles.js";
import { literal } from "../text.js";
import type { SiteFile } from "./answer.js";
import type { Site } from "./site-routes.js";

/** The path of the page's modules. Below it, relative imports are the same as in this repository. */
const BASE = "/-";

const home = path.join(import.meta.dirname, "..");

/** Folders of modules that the page imports, besides the generated ones. */
const FOLDERS = ["stream", "view", "serve/page"] as const;

const TYPES: { readonly [ending: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
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
export async function pageSite(protocols: readonly Protocol[], out: string): Promise<Site> {
  const site = new Map<string, SiteFile>();
  const add = (at: string, text: string): void => {
    const type = TYPES[path.extname(at)];
    if (type !== undefined) site.set(`${BASE}/${at}`, { type, body: Buffer.from(text) });
  };
  for (const folder of FOLDERS)
    for (const [name, text] of await modulesOf(folder)) add(`${folder}/${name}`, text);
  for (const protocol of protocols) {
    for (const [name, text] of await generatedModules(protocol, out)) add(`generated/${name}`, text);
    add(`generated/${protocol.id}/view.js`, `export const view = ${literal(chooseView(protocol))};\n`);
  }
  const index = path.join(home, "serve/page/index.html");
  const headers = { "content-security-policy": POLICY, "referrer-policy": "no-referrer" };
  site.set("/", { type: TYPES[".html"] ?? "", body: readFileSync(index), headers });
  return site;
}

/** Returns the files of a folder by name. TypeScript is compiled, as in the published package. */
async function modulesOf(folder: string): Promise<[name: string, text: string][]> {
  const names = readdirSync(path.join(home, folder)).filter((name) => !name.endsWith(".d.ts"));
  const files = names.map((name) => [name, readFileSync(path.join(home, folder, name), "utf8")] as const);
  const sources = files.filter(([name]) => name.endsWith(".ts"));
  const ready = files
    .filter(([name]) => !name.endsWith(".ts"))
    .map(([name, text]): [string, string] => [name, text]);
  if (sources.length === 0) return ready;
  // Needed only if the tool runs from its sources.
  const { ts } = await import("ts-morph");
  const target = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  const compiled = sources.map(([name, text]): [string, string] => [
    name.replace(/\.ts$/, ".js"),
    ts.transpileModule(text, { compilerOptions: target }).outputText,
  ]);
  return [...ready, ...compiled];
}

/** Returns the modules of a protocol by their path below the folder of generated code. */
async function generatedModules(protocol: Protocol, out: string): Promise<[name: string, text: string][]> {
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
