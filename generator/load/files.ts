import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { Finding } from "../finding.js";
import { parseSource, type Source } from "./source.js";

/**
 * The JSON files below one folder, read once and remembered. Nothing outside the folder is ever read: a path that
 * leads out of it, by `..` or by a symbolic link, is a finding.
 */
export interface Files {
  /** Findings of all files read so far. */
  readonly findings: readonly Finding[];
  /** The parsed file at `relative` (forward slashes, below the folder), or undefined with a finding if it exists but is broken. */
  read(relative: string): Source | undefined;
  /** Whether a readable file stands there, inside of the folder. */
  has(relative: string): boolean;
  /** Paths of all files below `relative`, sorted by code unit. */
  list(relative: string): string[];
  /** The path of `relative` as the user would write it. */
  display(relative: string): string;
}

/** Opens `folder` for reading. */
export function openFiles(folder: string): Files {
  const root = realpathSync(folder);
  const findings: Finding[] = [];
  const sources = new Map<string, Source | undefined>();
  const display = (relative: string): string => path.posix.join(folder.split(path.sep).join("/"), relative);
  const inside = (relative: string): string | undefined => {
    try {
      const real = realpathSync(path.join(root, relative));
      return real === root || real.startsWith(root + path.sep) ? real : undefined;
    } catch {
      return undefined;
    }
  };
  const isFile = (relative: string): boolean => {
    const real = inside(relative);
    return real !== undefined && statSync(real).isFile();
  };
  const load = (relative: string): Source | undefined => {
    const file = display(relative);
    const real = inside(relative);
    if (real === undefined) {
      findings.push(outside(file));
      return undefined;
    }
    const parsed = parseSource(file, readFileSync(real));
    if ("source" in parsed) return parsed.source;
    findings.push(...parsed.findings);
    return undefined;
  };
  const list = (relative: string): string[] => {
    const real = inside(relative);
    if (real === undefined || !statSync(real).isDirectory()) return [];
    return readdirSync(real, { withFileTypes: true })
      .map((entry) => ({ below: path.posix.join(relative, entry.name), directory: entry.isDirectory() }))
      .flatMap(({ below, directory }) => (directory ? list(below) : [below]))
      .sort();
  };
  return {
    findings,
    display,
    list,
    has: isFile,
    read: (relative) => {
      if (!sources.has(relative)) sources.set(relative, load(relative));
      return sources.get(relative);
    },
  };
}

function outside(file: string): Finding {
  return {
    rule: "file-outside",
    severity: "error",
    message: "The file leads out of the schemas folder and was not read.",
    at: { file, pointer: "" },
    hint: "Put a copy inside of the folder instead of a link.",
  };
}
