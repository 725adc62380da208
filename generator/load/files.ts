import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { errorFinding, type Finding } from "../finding.js";
import { slashes } from "../io.js";
import { parseSource, type Source } from "../source/source.js";

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
  /** The folders, and the other things, right below `relative`, by their paths; symbolic links are not followed. */
  look(relative: string): Contents;
  /** The path of `relative` as the user would write it. */
  display(relative: string): string;
}

/** Opens `folder` for reading. */
export function openFiles(folder: string): Files {
  const root = realpathSync.native(folder);
  const findings: Finding[] = [];
  const sources = new Map<string, Source | undefined>();
  const entries = new Map<string, Entry | undefined>();
  const looked = new Map<string, Contents>();
  const shown = path.posix.join(folder.split(path.sep).join("/"), "x").slice(0, -1);
  const display = (relative: string): string => shown + relative;
  const follow = (relative: string): Entry | undefined => {
    if (!entries.has(relative)) entries.set(relative, entryAt(path.join(root, relative)));
    return entries.get(relative);
  };
  const isInside = ({ real }: Entry): boolean => real === root || real.startsWith(root + path.sep);
  const inside = (relative: string): Entry | undefined => {
    const entry = follow(relative);
    return entry && isInside(entry) ? entry : undefined;
  };
  const leadsOut = (relative: string): boolean => {
    const entry = follow(relative);
    return entry !== undefined && !isInside(entry);
  };
  const load = (relative: string): Source | undefined => {
    const file = display(relative);
    const entry = inside(relative);
    if (entry?.kind !== "file") {
      findings.push(leadsOut(relative) ? outside(file) : unreadable(file));
      return undefined;
    }
    const parsed = parseSource(file, readFileSync(entry.real));
    if ("source" in parsed) return parsed.source;
    findings.push(...parsed.findings);
    return undefined;
  };
  const lookAnew = (relative: string): Contents => {
    if (leadsOut(relative)) findings.push(outside(display(relative)));
    const entry = inside(relative);
    const [folders, files]: [string[], string[]] = [[], []];
    const children = entry?.kind === "folder" ? readdirSync(entry.real, { withFileTypes: true }) : [];
    const above = path.join(entry?.real ?? "", path.sep);
    for (const child of children) {
      const below = relative === "" ? child.name : `${relative}/${child.name}`;
      const kind = kindOf(child);
      // What is no link is where it seems to be, so that the system need not be asked again.
      if (entry && kind !== "other") entries.set(below, { real: above + child.name, kind });
      (kind === "folder" ? folders : files).push(below);
    }
    return { folders, files };
  };
  const look = (relative: string): Contents => {
    const contents = looked.get(relative) ?? lookAnew(relative);
    looked.set(relative, contents);
    return contents;
  };
  const list = (relative: string): string[] => {
    const { folders, files } = look(relative);
    return [...files, ...folders.flatMap(list)].sort();
  };
  return {
    findings,
    display,
    list,
    look,
    has: (relative) => inside(relative)?.kind === "file",
    leadsOut,
    read: (relative) => {
      if (!sources.has(relative)) sources.set(relative, load(relative));
      return sources.get(relative);
    },
  };
}

/** Returns files that are not written yet as if they were below `folder`. */
export function filesInMemory(
  folder: string,
  outputs: readonly { readonly path: string; readonly content: string }[],
): Files {
  const contents = new Map(outputs.map(({ path, content }) => [path, content]));
  const findings: Finding[] = [];
  const sources = new Map<string, Source | undefined>();
  const display = (relative: string): string => path.posix.join(slashes(folder), relative);
  const list = (relative: string): string[] =>
    [...contents.keys()].filter((file) => relative === "" || file.startsWith(`${relative}/`)).sort();
  return {
    findings,
    display,
    list,
    look: (relative) => {
      const depth = relative === "" ? 1 : relative.split("/").length + 1;
      const above = list(relative).filter((file) => file.split("/").length > depth);
      return {
        folders: [...new Set(above.map((file) => file.split("/").slice(0, depth).join("/")))],
        files: list(relative).filter((file) => !above.includes(file)),
      };
    },
    has: (relative) => contents.has(relative),
    leadsOut: () => false,
    read: (relative) => {
      if (sources.has(relative)) return sources.get(relative);
      const parsed = parseSource(display(relative), Buffer.from(contents.get(relative) ?? ""));
      if ("findings" in parsed) findings.push(...parsed.findings);
      const source = "source" in parsed ? parsed.source : undefined;
      sources.set(relative, source);
      return source;
    },
  };
}

/** What is right below a folder. */
interface Contents {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** What stands at a path, behind all links. */
interface Entry {
  readonly real: string;
  readonly kind: "file" | "folder" | "other";
}

function entryAt(file: string): Entry | undefined {
  try {
    const real = realpathSync.native(file);
    return { real, kind: kindOf(statSync(real)) };
  } catch {
    return undefined;
  }
}

function kindOf(found: Dirent | Stats): Entry["kind"] {
  return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
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
