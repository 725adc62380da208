/** Reads the former names of protocols, which `formerNames` of protocol.json lists. Releases and commits may hold them. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { isObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { parseIfPossible, readIfPossible } from "../baseline/locate-place.js";

/** The former names of protocols by their current names. Protocols without one are absent. */
export type FormerNames = ReadonlyMap<string, readonly string[]>;

/** Returns the former names of all protocols of a schemas folder. */
export function listFormerNames(schemas: string): FormerNames {
  const names = listEntries(schemas).map((name) => [name, readFormerNames(schemas, name)] as const);
  return new Map(names.filter(([, formerNames]) => formerNames.length > 0));
}

/** Returns the former names of the protocol `name`. Each of its majors may list some. */
export function readFormerNames(schemas: string, name: string): string[] {
  const names = listMajors(schemas, name).flatMap((major) => {
    const file = path.join(schemas, name, major, "protocol.json");
    const document = parseIfPossible(file, readIfPossible(file))?.document;
    const listed = isObject(document) && Array.isArray(document.formerNames) ? document.formerNames : [];
    return listed.filter((each) => typeof each === "string");
  });
  return [...new Set(names)];
}

/** Returns a protocol that has a former name of the protocol `name` under this name, and others unchanged. */
export function useCurrentName(protocol: Protocol, name: string, formerNames: readonly string[]): Protocol {
  const isFormer = formerNames.includes(protocol.name);
  return isFormer ? { ...protocol, name, id: `${name}/v${protocol.major}` } : protocol;
}

/** Returns the folders of the majors of the protocol `name`. */
export function listMajors(schemas: string, name: string): string[] {
  return listEntries(path.join(schemas, name)).filter((entry) => /^v\d+$/.test(entry));
}

/** Returns the names in a folder; none if it cannot be read. */
export function listEntries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
