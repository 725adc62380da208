import { readFileSync } from "node:fs";
import path from "node:path";

/** The folder of this package, from its sources as from what is compiled. */
export const OWN_PACKAGE = path.join(import.meta.dirname, "..", "..");

/** What this package's own package.json says. */
interface OwnManifest {
  readonly version: string;
  readonly devDependencies: { readonly vitest: string };
}

/** Reads this package's own package.json. */
export function readOwnManifest(): OwnManifest {
  return JSON.parse(readFileSync(path.join(OWN_PACKAGE, "package.json"), "utf8"));
}
