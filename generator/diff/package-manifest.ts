import path from "node:path";
import { getOwn, isObject, parseJson } from "../json.js";
import { BaselineError } from "../load/baseline/baseline-spec.js";
import { readIfPossible } from "../load/baseline/locate-place.js";

/** The members of a package.json that a comparison needs. */
interface PackageManifest {
  readonly name: string;
  readonly version: string;
  /** The range of each dependency of any kind. */
  readonly dependencies: ReadonlyMap<string, string>;
}

const DEPENDENCY_MEMBERS = ["peerDependencies", "optionalDependencies", "devDependencies", "dependencies"];

/** Reads the package.json of a folder. Throws a BaselineError if there is none, or if it is not JSON. */
export function readPackageManifest(folder: string): PackageManifest {
  const file = path.join(folder, "package.json");
  const manifest = parseJson(Buffer.from(readIfPossible(file) ?? []).toString("utf8"));
  if (!isObject(manifest)) throw new BaselineError(`${file} cannot be read, or is not a JSON object.`);
  const ranges = DEPENDENCY_MEMBERS.flatMap((member) => {
    const dependencies = getOwn(manifest, member);
    return isObject(dependencies) ? Object.entries(dependencies) : [];
  });
  return {
    name: String(manifest.name),
    version: String(manifest.version),
    dependencies: new Map(ranges.map(([name, range]) => [name, String(range)])),
  };
}
