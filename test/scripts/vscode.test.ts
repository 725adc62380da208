/** If this fails, the extension for Visual Studio Code cannot be installed, does not start, or has no licences. */
import { builtinModules } from "node:module";
import { strFromU8, unzipSync } from "fflate";
import { beforeAll, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { buildExtension } from "../../scripts/build-vscode.mjs";

let files: { readonly [name: string]: string };
let built: Awaited<ReturnType<typeof buildExtension>>;

beforeAll(async () => {
  built = await buildExtension();
  const entries = Object.entries(unzipSync(built.bytes));
  files = Object.fromEntries(entries.map(([name, bytes]) => [name, strFromU8(bytes)]));
});

const read = (name: string): string => files[name] ?? "";

/** Returns the values of an attribute of all elements with this name. */
function listAttributes(xml: string, element: string, attribute: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}\\s[^>]*\\b${attribute}="([^"]*)"`, "g"))].map(
    ([, value = ""]) => value,
  );
}

it("has the version of accrete, and the same bytes for the same sources", async () => {
  expect(built.name).toBe(`accrete-${manifest.version}.vsix`);
  expect(JSON.parse(read("extension/package.json"))).toMatchObject({ version: manifest.version });
  expect(listAttributes(read("extension.vsixmanifest"), "Identity", "Version")).toEqual([manifest.version]);
  expect(Buffer.from((await buildExtension()).bytes).equals(Buffer.from(built.bytes))).toBe(true);
});

it("has every file that its manifests name, and a type for each", () => {
  const { main } = JSON.parse(read("extension/package.json"));
  expect(Object.keys(files)).toContain(`extension/${main.replace("./", "")}`);
  const assets = listAttributes(read("extension.vsixmanifest"), "Asset", "Path");
  expect(assets.length).toBeGreaterThan(0);
  expect(assets.filter((asset) => files[asset] === undefined)).toEqual([]);
  const types = listAttributes(read("[Content_Types].xml"), "Default", "Extension");
  const isTyped = (name: string): boolean =>
    name.endsWith(".xml") || types.some((type) => name.endsWith(type));
  expect(Object.keys(files).filter((name) => !isTyped(name))).toEqual([]);
});

it("needs only modules that the editor has, and starts and stops", async () => {
  const client = read("extension/client.js");
  const required = [...client.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = ""]) => name);
  const known = ["vscode", ...builtinModules, ...builtinModules.map((name) => `node:${name}`)];
  expect(required).toContain("vscode");
  expect(required.filter((name) => !known.includes(name))).toEqual([]);
  const module: { exports: { activate?: unknown; deactivate?: () => Promise<void> } } = { exports: {} };
  const stub: unknown = new Proxy(class {}, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : stub),
  });
  const load = (name: string): unknown => (name === "vscode" ? stub : process.getBuiltinModule(name));
  new Function("module", "exports", "require", client)(module, module.exports, load);
  expect(module.exports.activate).toBeTypeOf("function");
  await module.exports.deactivate?.();
});

it("has the licences of the packages that it contains", () => {
  expect(read("extension/LICENSES.txt")).toMatch(/^vscode-languageclient$/m);
  expect(read("extension/LICENSE.txt")).toMatch(/MIT/);
});
