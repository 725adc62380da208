/** Adds scripts and packages to a package.json without changing what it contains. */
import { getOwn, isObject, type JsonObject } from "../json.js";
import { setInJson } from "../load/edit-json.js";
import { formatArgument } from "../text.js";

/** The scripts by name. `streams` matches the golden streams if there are some. An existing script that matches `similar` is kept. */
const SCRIPTS: {
  readonly [name: string]: {
    readonly command: (streams: string | undefined) => string;
    readonly similar: RegExp;
  };
} = {
  generate: { command: () => "accrete generate", similar: /\baccrete generate\b/ },
  check: {
    command: (streams) =>
      streams === undefined
        ? "accrete check"
        : `accrete check && accrete ${formatValidateArguments(streams)}`,
    similar: /\baccrete (check|compat)\b/,
  },
  test: { command: () => "vitest run", similar: /\bvitest\b/ },
};

/** Returns the arguments of accrete that check golden streams by what a writer may send. Generated tests check single events. */
export function formatValidateArguments(streams: string, options = ""): string {
  return `validate --profile writer ${options}${formatArgument(streams)}`;
}

/** The script that `npm init` writes. */
const PLACEHOLDER_SCRIPT = 'echo "Error: no test specified" && exit 1';

/** A package.json with the scripts. */
export interface PackageScripts {
  readonly text: string;
  /** The names of the scripts in package.json, such as `contract:test` if `test` was taken. */
  readonly names: { readonly [name in "generate" | "check" | "test"]: string };
  /** The pattern of golden streams, if the script `check` existed and does not name it. */
  readonly unchecked?: string;
  /** The packages that were added to devDependencies and must be installed. */
  readonly added: readonly string[];
}

/** A package.json for a folder that has none. */
export const NEW_PACKAGE = '{\n  "private": true,\n  "type": "module"\n}\n';

/** Adds scripts to the text of a package.json. `packages` holds the packages that the scripts call, with their ranges. */
export function addScripts(
  text: string,
  packages: { readonly [name: string]: string },
  streams: string | undefined,
): PackageScripts {
  const manifest: JsonObject = JSON.parse(text);
  const scripts = readObject(manifest, "scripts");
  let edited = text;
  const names: { [name: string]: string } = {};
  for (const [name, { command, similar }] of Object.entries(SCRIPTS)) {
    const alternative = `contract:${name}`;
    const presentName = [name, alternative].find((each) => similar.test(String(getOwn(scripts, each) ?? "")));
    const freeName = [name, alternative].find((each) =>
      [undefined, PLACEHOLDER_SCRIPT].includes(getOwn(scripts, each) as string),
    );
    if (presentName === undefined && freeName !== undefined)
      edited = setInJson(edited, ["scripts", freeName], command(streams));
    names[name] = presentName ?? freeName ?? alternative;
  }
  const dependencyFields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  const added = Object.keys(packages).filter(
    (name) => !dependencyFields.some((field) => Object.hasOwn(readObject(manifest, field), name)),
  );
  for (const name of added) edited = setInJson(edited, ["devDependencies", name], packages[name]);
  const finalNames = names as PackageScripts["names"];
  const check = getOwn(readObject(JSON.parse(edited), "scripts"), finalNames.check);
  const isUnchecked = streams !== undefined && !String(check).includes(streams);
  return { text: edited, names: finalNames, ...(isUnchecked && { unchecked: streams }), added };
}

function readObject(manifest: JsonObject, field: string): JsonObject {
  const value = getOwn(manifest, field);
  return isObject(value) ? value : {};
}
