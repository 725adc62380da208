/** Event types are names of files: what they become where the name on the wire cannot be one. */

import { pascalCase } from "../protocol/names.js";
import { AROUND } from "./protocol-files.js";

/** Types for names, one each and in order, that no file system confuses; and the names that had to change. */
interface EventTypes {
  readonly types: readonly string[];
  /** Each name on the wire that is no event type, and the type it became. */
  readonly renamed: ReadonlyMap<string, string>;
}

const FIT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** A type for each of `names`, all of them different: `textDocument/didOpen` becomes `textDocument.didOpen`. */
export function eventTypes(names: readonly string[]): EventTypes {
  const taken = new Set<string>();
  const renamed = new Map<string, string>();
  const take = (type: string): boolean => {
    // What differs in case alone is one file on some systems, and `a.b` and `a_b` are one TypeScript name.
    const key = pascalCase(type).toLowerCase();
    return !taken.has(key) && taken.add(key).has(key);
  };
  const kept = new Set(names.filter((name) => FIT.test(name) && take(name)));
  const types = names.map((name) => {
    if (kept.has(name)) return name;
    const plain = fileName(name);
    let type = plain;
    for (let n = 2; !take(type); n++) type = `${plain}.${n}`;
    renamed.set(name, type);
    return type;
  });
  return { types, renamed };
}

function fileName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, ".").replace(/^[^A-Za-z0-9]+|\.+$/g, "");
  return plain.slice(0, 150) || "event";
}

/** Says what became of names that are no event types; empty where each of them is one. */
export function sayRenamed({ renamed }: EventTypes): string[] {
  if (renamed.size === 0) return [];
  const pairs = [...renamed].slice(0, 5).map(([name, type]) => `${JSON.stringify(name)} is ${type}`);
  const more = renamed.size > 5 ? `, and ${renamed.size - 5} more` : "";
  return [
    `some event names cannot be names of files and types, and were changed: ${pairs.join(", ")}${more}`,
  ];
}

/** Says, last and loud, that messages as they are recorded are only the payload of what the protocol describes. */
export function sayWrapped({ types, renamed }: EventTypes): string {
  const [example = [undefined, types[0]]] = renamed;
  const [name, type] = example;
  const around = `{${JSON.stringify(AROUND.discriminator)}: ${JSON.stringify(type)}, ${JSON.stringify(AROUND.property)}: the message}`;
  const otherwise =
    name === undefined
      ? ""
      : `, or let the sender call ${JSON.stringify(name)} ${type} and so on, and import again: then no envelope is needed`;
  return `WRAPPED: recordings are not valid in their current form. Put each message into ${around} before it is validated or served${otherwise}`;
}
