/** Adds what a contract needs to a package.json; nothing that somebody wrote is changed. */
import { applyEdits, modify } from "jsonc-parser";
import { isObject, type JsonObject, own } from "../json.js";
import { argument } from "../text.js";

/** The scripts by their names; `streams` is the folder of golden streams. One that does the same already is left as it is. */
const SCRIPTS: {
  readonly [name: string]: { readonly command: (streams: string) => string; readonly same: RegExp };
} = {
  generate: { command: () => "accrete generate", same: /\baccrete generate\b/ },
  check: {
    command: (streams) => `accrete lint && accrete generate --check && ${judging(streams)} && accrete compat`,
    same: /\baccrete compat\b/,
  },
  test: { command: () => "vitest run", same: /\bvitest\b/ },
};

/** The command that judges golden streams as an emitter may send them; generated tests judge their events one by one. */
export function judging(streams: string, options = ""): string {
  return `accrete validate --profile writer ${options}${argument(streams)}`;
}

/** What `npm init` writes where a script is to be. */
const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';

/** A package.json with the scripts in it. */
export interface PackageScripts {
  readonly text: string;
  /** The names under which the scripts stand: `contract:test` where `test` was taken. */
  readonly names: { readonly [name in "generate" | "check" | "test"]: string };
  /** The folder of golden streams, where the script that checks, which was there already, does not name it. */
  readonly unjudged?: string;
  /** Packages that were added to devDependencies and are to be installed. */
  readonly added: readonly string[];
}

/** A package.json for a folder that has none. */
export const NEW_PACKAGE = '{\n  "private": true,\n  "type": "module"\n}\n';

/** `text` is that of a JSON object; `tools` are the packages that the scripts call, with their ranges. */
export function withScripts(
  text: string,
  tools: { readonly [name: string]: string },
  streams: string,
): PackageScripts {
  const manifest = JSON.parse(text) as JsonObject;
  const scripts = objectAt(manifest, "scripts");
  const edit = editor(text);
  const names = Object.entries(SCRIPTS).map(([name, { command, same }]) => {
    const second = `contract:${name}`;
    const present = [name, second].find((each) => same.test(String(own(scripts, each) ?? "")));
    const free = [name, second].find((each) =>
      [undefined, PLACEHOLDER].includes(own(scripts, each) as string),
    );
    if (present === undefined && free !== undefined) edit.set(["scripts", free], command(streams));
    return [name, present ?? free ?? second] as const;
  });
  const known = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  const added = Object.keys(tools).filter(
    (name) => !known.some((field) => Object.hasOwn(objectAt(manifest, field), name)),
  );
  for (const name of added) edit.set(["devDependencies", name], tools[name]);
  const named = Object.fromEntries(names) as PackageScripts["names"];
  const check = own(objectAt(JSON.parse(edit.text()), "scripts"), named.check);
  const judges = String(check).includes(streams);
  return { text: edit.text(), names: named, ...(!judges && { unjudged: streams }), added };
}

function objectAt(manifest: JsonObject, field: string): JsonObject {
  const value = own(manifest, field);
  return isObject(value) ? value : {};
}

/** Changes JSON text; the bytes that are not concerned stay as they are. */
function editor(text: string): { set(path: string[], value: unknown): void; text(): string } {
  let current = text;
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return {
    set: (path, value) => {
      current = applyEdits(current, modify(current, path, value, { formattingOptions }));
    },
    text: () => current,
  };
}
