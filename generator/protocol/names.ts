/**
 * Derives TypeScript identifiers and groups from names, and defines letter cases. Each derived name depends on one name only,
 * so that a new event never renames another one.
 */

import type { EventType } from "./protocol.js";

/** The parts of an event type from which names are derived. */
type NamedEvent = Pick<EventType, "type" | "name">;

/** Returns the identifier in PascalCase for a name: `ToolShellOutputChunk` for `tool.shell.output_chunk`. */
export function toPascalCase(name: string): string {
  // Compiling the Unicode classes takes longer than deriving all names of a protocol, so ASCII names do without them.
  const isAscii = !/[^ -~]/.test(name);
  const joined = name
    .split(isAscii ? /[^A-Za-z0-9]+/ : /[^\p{ID_Continue}]+|_+/u)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  const canBeIdentifier = (isAscii ? /^[A-Za-z]/ : /^\p{ID_Start}/u).test(joined);
  return canBeIdentifier ? joined : `_${joined}`;
}

/** Returns the name of an event type in file names and in generated code. */
export function getEventName({ type, name }: NamedEvent): string {
  return name ?? type;
}

/** Returns the name of an event's TypeScript interface. */
export function deriveEventName(event: NamedEvent): string {
  return `${toPascalCase(getEventName(event))}Event`;
}

/** Returns the name of an event payload's TypeScript type. */
export function derivePayloadName(event: NamedEvent): string {
  return `${toPascalCase(getEventName(event))}Payload`;
}

/** Returns the name of the TypeScript union of all events of a protocol. */
export function deriveUnionName(protocol: string): string {
  return `${toPascalCase(protocol)}Event`;
}

/** Returns the name of a resource's TypeScript interface. */
export function deriveResourceName(name: string): string {
  return `${toPascalCase(name)}Resource`;
}

/** Returns the default group of an event type: `tool.shell` for `tool.shell.exited`, `text` for `text_chunk`. */
export function deriveDefaultGroup(type: string): string {
  const dot = type.lastIndexOf(".");
  if (dot > 0) return type.slice(0, dot);
  const underscore = type.indexOf("_");
  return underscore > 0 ? type.slice(0, underscore) : type;
}

/** The letter cases that protocol.json may document, by name. */
export const LETTER_CASES: { readonly [name: string]: RegExp } = {
  snake_case: /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/,
  "dotted.snake_case": /^[a-z][a-z0-9]*(_[a-z0-9]+)*(\.[a-z][a-z0-9]*(_[a-z0-9]+)*)*$/,
  camelCase: /^[a-z][A-Za-z0-9]*$/,
  PascalCase: /^[A-Z][A-Za-z0-9]*$/,
  "kebab-case": /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
};
