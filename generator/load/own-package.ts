import { readFileSync } from "node:fs";
import path from "node:path";

/** The root folder of this package, seen from its sources and from the compiled files, which are equally deep. */
export const OWN_PACKAGE = path.join(import.meta.dirname, "..", "..");

/** The members of this package's own package.json that are used. */
interface OwnManifest {
  readonly version: string;
  readonly dependencies: { readonly [name: string]: string };
  readonly devDependencies: { readonly vitest: string };
}

/** Reads this package's own package.json. */
export function readOwnManifest(): OwnManifest {
  return JSON.parse(readFileSync(path.join(OWN_PACKAGE, "package.json"), "utf8"));
}
