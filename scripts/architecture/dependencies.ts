/** Lists and measures the packages of an installation, from the lock file. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Source } from "./sources.js";

const root = path.join(import.meta.dirname, "..", "..");

/** The reason for each dependency. */
export const REASONS: { readonly [name: string]: string } = {
  "@apidevtools/json-schema-ref-parser": "finds the files to which references between schemas lead",
  "@eslint-community/regexpp":
    "syntax trees of regular expressions, for the proofs about patterns and the scanner",
  "@hyperjump/json-schema": "checks every witness, independently of Ajv",
  ajv: "compiles the validators, and checks every witness",
  "ajv-formats": "the formats of JSON Schema",
  anser: "colours in the output of tools",
  "fast-check": "texts that match a pattern, for the kit's contract tests",
  "fastest-levenshtein": "finds the known name that was probably meant",
  "github-slugger": "anchors of the catalogue as GitHub makes them",
  "json-schema-to-typescript": "types of payloads",
  "jsonc-parser": "line and column of every value; edits that leave the other bytes alone",
  picocolors: "colours at a terminal",
  "prom-client": "the metrics of `accrete monitor` in the format of Prometheus",
  refa: "regular expressions as automata, for the proofs about patterns",
  tinyglobby: "patterns of paths, where the shell expands none",
  yaml: "parses schemas in YAML (imports), with the places of their parts",
  "ts-morph": "writes declarations as a syntax tree instead of text",
};

interface LockedPackage {
  readonly dev?: boolean;
  readonly dependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
  readonly peerDependenciesMeta?: { readonly [name: string]: { readonly optional?: boolean } };
}

interface Lock {
  readonly packages: { readonly [place: string]: LockedPackage };
}

const lock: Lock = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));

/** Returns the places below node_modules of all packages of an installation. */
export function listInstalledPackages(): string[] {
  return Object.keys(lock.packages).filter((place) => place !== "" && !lock.packages[place]?.dev);
}

/** Returns the names of the direct dependencies, sorted. */
export function listDirectDependencies(): string[] {
  return Object.keys(lock.packages[""]?.dependencies ?? {}).sort();
}

/** Returns a table with a row for each dependency: its packages and their size, its users, and its reason. */
export function formatDependencyTable(sources: readonly Source[]): string {
  const rows = listDirectDependencies().map((name) => {
    const places = collectPlaces(name, "");
    const users = new Set(
      sources
        .filter(({ packages }) => packages.some((each) => `${each}/`.startsWith(`${name}/`)))
        .map(({ unit }) => unit),
    );
    return `| ${name} | ${places.size} | ${formatMegabytes([...places])} | ${[...users].sort().join(", ")} | ${REASONS[name] ?? ""} |`;
  });
  const all = listInstalledPackages();
  return [
    "| package | packages with it | MB | used in | what for |",
    "|---|---:|---:|---|---|",
    ...rows,
    `| all of them | ${all.length} | ${formatMegabytes(all)} | | |`,
  ].join("\n");
}

/** Collects the places of a package and its dependencies, as Node resolves them from `from`. */
export function collectPlaces(name: string, from: string, found = new Set<string>()): Set<string> {
  const place = resolvePackage(name, from);
  if (place === undefined || found.has(place)) return found;
  found.add(place);
  for (const next of listRequiredPackages(lock.packages[place])) collectPlaces(next, place, found);
  return found;
}

/** Returns the names of the packages that npm installs with a package. */
function listRequiredPackages({
  dependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}: LockedPackage = {}): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys(dependencies), ...peers];
}

/** Returns the place of a package as Node resolves it from `from`, or undefined. */
function resolvePackage(name: string, from: string): string | undefined {
  const here = path.posix.join(from, "node_modules", name);
  if (lock.packages[here]) return here;
  if (from === "") return undefined;
  const above = from.lastIndexOf("/node_modules/");
  return resolvePackage(name, above === -1 ? "" : from.slice(0, above));
}

/** Returns the bytes of all files of these packages, without nested packages, in millions. */
function formatMegabytes(places: readonly string[]): string {
  return (measurePlaces(places) / 1e6).toFixed(1);
}

/** Returns the bytes of all files of these packages, without nested packages. */
export function measurePlaces(places: readonly string[]): number {
  return places.reduce((sum, place) => sum + measureFolder(path.join(root, place)), 0);
}

/** Returns the bytes of all files of a folder, without nested packages. */
export function measureFolder(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => path.join(folder, entry.name))
    .reduce(
      (sum, file) => sum + (statSync(file).isDirectory() ? measureFolder(file) : statSync(file).size),
      0,
    );
}
