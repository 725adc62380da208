/** Lists the npm packages of this repository and measures their installations. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { collectPlaces, measureFolder, measurePlaces } from "./dependencies.js";

const root = path.join(import.meta.dirname, "..", "..");

/** The members of a package.json below scripts/packages that are used. */
interface PackageTemplate {
  readonly name: string;
  readonly description: string;
  readonly exports: { readonly [specifier: string]: string | { readonly [condition: string]: string } };
  readonly dependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
  readonly peerDependenciesMeta?: { readonly [name: string]: { readonly optional: boolean } };
}

/** Reads the package.json of each package, in the order of their names. */
export function readPackageTemplates(): PackageTemplate[] {
  return readdirSync(path.join(root, "scripts/packages"))
    .sort()
    .map((name) =>
      JSON.parse(readFileSync(path.join(root, "scripts/packages", name, "package.json"), "utf8")),
    );
}

/** Returns a table of the packages in the folder that `npm run packages` wrote. */
export function formatPackageTable(folder: string): string {
  const rows = readPackageTemplates().map(({ name, description, dependencies = {} }) => {
    const places = new Set<string>();
    for (const dependency of Object.keys(dependencies)) collectPlaces(dependency, "", places);
    const bytes = measureFolder(path.join(folder, name)) + measurePlaces([...places]);
    return `| \`${name}\` | ${description} | ${places.size + 1} | ${(bytes / 1e6).toFixed(1)} |`;
  });
  return ["| package | content | packages installed | MB |", "|---|---|---:|---:|", ...rows].join("\n");
}
