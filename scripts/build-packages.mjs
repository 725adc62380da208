/**
 * Builds and packs the npm packages of scripts/packages: a folder and a tarball for each, in the folder of the first
 * argument, or in dist/packages. Further arguments go to the TypeScript compiler. The packages have the version of this
 * repository.
 *
 *     npm run packages
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const templates = path.join(import.meta.dirname, "packages");
const [folder = "dist/packages", ...flags] = process.argv.slice(2);
const out = path.resolve(root, folder);
const compiled = path.join(out, "compiled");
const repository = readJson(path.join(root, "package.json"));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
execFileSync(process.execPath, ["scripts/build.mjs", path.join(compiled, "dist"), ...flags], {
  cwd: root,
  stdio: "inherit",
});
const names = readdirSync(templates);
for (const name of names) buildPackage(name);
rmSync(compiled, { recursive: true });
execFileSync("npm", ["pack", "--ignore-scripts", "--silent", ...names.map((name) => `./${name}`)], {
  cwd: out,
  stdio: ["ignore", "ignore", "inherit"],
});

function buildPackage(name) {
  const template = readJson(path.join(templates, name, "package.json"));
  const parts = template.files ?? collectImports(listTargets(template.exports));
  for (const part of parts.filter((part) => !part.startsWith("!")))
    cpSync(locate(part), path.join(out, name, part), { recursive: true });
  cpSync(path.join(root, "LICENSE"), path.join(out, name, "LICENSE"));
  cpSync(path.join(templates, name, "README.md"), path.join(out, name, "README.md"));
  const manifest = completeManifest(template);
  writeFileSync(path.join(out, name, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Adds the fields that all packages share, and the versions of the dependencies. */
function completeManifest(template) {
  const { name, description, ...rest } = template;
  const { version, license, type, engines, repository: source, bugs } = repository;
  // npm accepts the provenance of a package only if `repository` names where it was built.
  const publisher = source === undefined ? {} : { repository: source, bugs };
  const manifest = { name, version, description, license, type, engines, ...publisher, ...rest };
  for (const field of ["dependencies", "peerDependencies", "devDependencies"])
    if (template[field])
      manifest[field] = Object.fromEntries(
        Object.keys(template[field]).map((name) => [name, repository[field][name]]),
      );
  return manifest;
}

/** Returns the path of a file of a package: a compiled one, or one of the repository. */
function locate(file) {
  return path.join(file.startsWith("dist") ? compiled : root, file);
}

/** Returns the modules and declarations of an exports map, such as `dist/kit/index.js`. */
function listTargets(exports) {
  return Object.values(exports)
    .flatMap((target) => (typeof target === "string" ? [] : Object.values(target)))
    .map((target) => path.posix.normalize(target));
}

/** Returns these files and all files that they import, types included. */
function collectImports(entries) {
  const files = new Set(entries);
  // The loop also visits the files that it adds.
  for (const file of files)
    for (const [, target] of readFileSync(locate(file), "utf8").matchAll(
      /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g,
    ))
      files.add(resolveImport(file, target));
  return [...files];
}

/** Returns the file that an import names. In declarations, `./types.js` is `./types.d.ts` or `./types.ts`. */
function resolveImport(file, target) {
  const module = path.posix.join(path.posix.dirname(file), target);
  const declarations = [".d.ts", ".ts"].map((end) => module.replace(/\.js$/, end));
  const candidates = file.endsWith(".ts") ? declarations : [module];
  const found = candidates.find((candidate) => existsSync(locate(candidate)));
  if (found === undefined) throw new Error(`${file} imports ${target}, which does not exist`);
  return found;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
