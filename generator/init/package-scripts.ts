/** Adds scripts and packages to a package.json. Nothing that somebody wrote is changed. */
import { isObject, type JsonObject, own } from "../json.js";
import { setInJson } from "../load/edit-json.js";
import { argument } from "../text.js";

/** The scripts by their names; `streams` is the folder of golden streams. A script that is `similar` is left as it is. */
const SCRIPTS: {
  readonly [name: string]: { readonly command: (streams: string) => string; readonly similar: RegExp };
} = {
  generate: { command: () => "accrete generate", similar: /\baccrete generate\b/ },
  check: {
    command: (streams) =>
      `accrete lint && accrete generate --check && ${validateCommand(streams)} && accrete compat`,
    similar: /\baccrete compat\b/,
  },
  test: { command: () => "vitest run", similar: /\bvitest\b/ },
};

/** Returns the command that checks golden streams by what an emitter may send. Generated tests check single events. */
export function validateCommand(streams: string, options = ""): string {
  return `accrete validate --profile writer ${options}${argument(streams)}`;
}

/** The script that `npm init` writes. */
const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';

/** A package.json with the scripts in it. */
export interface PackageScripts {
  readonly text: string;
  /** The names under which the scripts stand: `contract:test` where `test` was taken. */
  readonly names: { readonly [name in "generate" | "check" | "test"]: string };
  /** The folder of golden streams, if the script `check` existed and does not name it. */
  readonly unchecked?: string;
  /** Packages that were added to devDependencies and are to be installed. */
  readonly added: readonly string[];
}

/** A package.json for a folder that has none. */
export const NEW_PACKAGE = '{\n  "private": true,\n  "type": "module"\n}\n';

/** Adds scripts to the text of a JSON object; `tools` are the packages that they call, with their ranges. */
export function withScripts(
  text: string,
  tools: { readonly [name: string]: string },
  streams: string,
): PackageScripts {
  const manifest = JSON.parse(text) as JsonObject;
  const scripts = objectAt(manifest, "scripts");
  let edited = text;
  const names = Object.entries(SCRIPTS).map(([name, { command, similar }]) => {
    const second = `contract:${name}`;
    const present = [name, second].find((each) => similar.test(String(own(scripts, each) ?? "")));
    const free = [name, second].find((each) =>
      [undefined, PLACEHOLDER].includes(own(scripts, each) as string),
    );
    if (present === undefined && free !== undefined)
      edited = setInJson(edited, ["scripts", free], command(streams));
    return [name, present ?? free ?? second] as const;
  });
  const known = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  const added = Object.keys(tools).filter(
    (name) => !known.some((field) => Object.hasOwn(objectAt(manifest, field), name)),
  );
  for (const name of added) edited = setInJson(edited, ["devDependencies", name], tools[name]);
  const named = Object.fromEntries(names) as PackageScripts["names"];
  const check = own(objectAt(JSON.parse(edited), "scripts"), named.check);
  const checksStreams = String(check).includes(streams);
  return { text: edited, names: named, ...(!checksStreams && { unchecked: streams }), added };
}

function objectAt(manifest: JsonObject, field: string): JsonObject {
  const value = own(manifest, field);
  return isObject(value) ? value : {};
}
