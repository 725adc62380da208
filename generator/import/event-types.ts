/** Turns names into event types, which become the names of files and of types in generated code. */
import { toPascalCase } from "../protocol/names.js";
import { formatWrapper } from "./protocol-files.js";

/** The event types for a list of names. */
interface EventTypes {
  /** The event types, in the order of the names. */
  readonly types: readonly string[];
  /** The event type of each name that had to change. */
  readonly renamed: ReadonlyMap<string, string>;
}

const EVENT_TYPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Assigns a different event type to each name: `textDocument/didOpen` becomes `textDocument.didOpen`. */
export function assignEventTypes(names: readonly string[]): EventTypes {
  const taken = new Set<string>();
  const claimName = (type: string): boolean => {
    // Some file systems ignore letter case, and `a.b` and `a_b` are one name in TypeScript.
    const key = toPascalCase(type).toLowerCase();
    const isFree = !taken.has(key);
    taken.add(key);
    return isFree;
  };
  const unchanged = new Set(names.filter((name) => EVENT_TYPE.test(name) && claimName(name)));
  const renamed = new Map<string, string>();
  const types = names.map((name) => {
    if (unchanged.has(name)) return name;
    const base = toFileName(name);
    let type = base;
    for (let n = 2; !claimName(type); n++) type = `${base}.${n}`;
    renamed.set(name, type);
    return type;
  });
  return { types, renamed };
}

function toFileName(name: string): string {
  const cleaned = name.replace(/[^A-Za-z0-9_-]+/g, ".").replace(/^[^A-Za-z0-9]+|\.+$/g, "");
  return cleaned.slice(0, 150) || "event";
}

/** Describes the names that were changed in a sentence. Returns no sentence if none was. */
export function describeRenames({ renamed }: EventTypes): string[] {
  if (renamed.size === 0) return [];
  const pairs = [...renamed].slice(0, 5).map(([name, type]) => `${JSON.stringify(name)} is ${type}`);
  const more = renamed.size > 5 ? `, and ${renamed.size - 5} more` : "";
  return [
    `some event names cannot be names of files and types, and were changed: ${pairs.join(", ")}${more}`,
  ];
}

/** Describes how messages have to be wrapped before they are valid. */
export function describeWrapper({ types, renamed }: EventTypes): string {
  const [renaming] = renamed;
  const type = renaming === undefined ? types[0] : renaming[1];
  const wrapped = formatWrapper(JSON.stringify(type));
  const alternative =
    renaming === undefined
      ? ""
      : `, or let the sender call ${JSON.stringify(renaming[0])} ${type} and so on, and import again: then no envelope is needed`;
  return `WRAPPED: recordings are not valid in their current form. Put each message into ${wrapped} before it is validated or served${alternative}`;
}
