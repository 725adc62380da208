import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { errorFinding, type Finding } from "../finding.js";
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
  /** Whether something stands there that leads out of the folder. */
  leadsOut(relative: string): boolean;
  /** Paths of all files below `relative`, sorted by code unit; symbolic links are not followed. */
  list(relative: string): string[];
  /** The path of `relative` as the user would write it. */
  display(relative: string): string;
}

/** Opens `folder` for reading. */
export function openFiles(folder: string): Files {
  const root = realpathSync.native(folder);
  const findings: Finding[] = [];
  const sources = new Map<string, Source | undefined>();
  const followed = new Map<string, string | undefined>();
  const display = (relative: string): string => path.posix.join(folder.split(path.sep).join("/"), relative);
  const follow = (relative: string): string | undefined => {
    if (!followed.has(relative)) followed.set(relative, realPath(path.join(root, relative)));
    return followed.get(relative);
  };
  const isInside = (real: string): boolean => real === root || real.startsWith(root + path.sep);
  const inside = (relative: string): string | undefined => {
    const real = follow(relative);
    return real !== undefined && isInside(real) ? real : undefined;
  };
  const isFile = (relative: string): boolean => {
    const real = inside(relative);
    return real !== undefined && statSync(real).isFile();
  };
  const leadsOut = (relative: string): boolean => {
    const real = follow(relative);
    return real !== undefined && !isInside(real);
  };
  const load = (relative: string): Source | undefined => {
    const file = display(relative);
    const real = inside(relative);
    if (real === undefined || !statSync(real).isFile()) {
      findings.push(leadsOut(relative) ? outside(file) : unreadable(file));
      return undefined;
    }
    const parsed = parseSource(file, readFileSync(real));
    if ("source" in parsed) return parsed.source;
    findings.push(...parsed.findings);
    return undefined;
  };
  const list = (relative: string): string[] => {
    const real = inside(relative);
    if (leadsOut(relative)) findings.push(outside(display(relative)));
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
    leadsOut,
    read: (relative) => {
      if (!sources.has(relative)) sources.set(relative, load(relative));
      return sources.get(relative);
    },
  };
}

/** The path behind all links, or undefined if there is nothing. */
function realPath(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** The finding of a file that a link leads to, out of the schemas folder. */
export function outside(file: string): Finding {
  return errorFinding(
    "file-outside",
    "This leads out of the schemas folder and was not read.",
    { file, pointer: "" },
    "Put a copy inside of the folder instead of a link.",
  );
}

function unreadable(file: string): Finding {
  return errorFinding(
    "file-unreadable",
    "This is a link to nothing, a folder or a device, and no file that can be read.",
    { file, pointer: "" },
    "Put a file in its place, or remove it.",
  );
}
