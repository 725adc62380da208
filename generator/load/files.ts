import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { errorFinding, type Finding } from "../finding.js";
import { toForwardSlashes } from "../io.js";
import { parseSource, type Source } from "../source/source.js";

/**
 * Reads the JSON files below one folder, each of them once. It reads nothing outside of the folder: a path that leads out
 * of it, by `..` or by a symbolic link, is a finding.
 */
export interface Files {
  /** Findings of all files read so far. */
  readonly findings: readonly Finding[];
  /** Returns the parsed file at a path below the folder, with forward slashes; undefined, with a finding, if it cannot be read. */
  read(relative: string): Source | undefined;
  /** Returns whether the path is that of a file inside of the folder. */
  has(relative: string): boolean;
  /** Returns whether the path leads out of the folder, by a symbolic link. */
  leadsOut(relative: string): boolean;
  /** Returns the paths of all files below a folder, sorted by code unit. Symbolic links are not followed. */
  list(relative: string): string[];
  /** Returns the paths directly below a folder. Symbolic links are not followed. */
  contents(relative: string): FolderContents;
  /** Returns a path as the user would write it. */
  display(relative: string): string;
}

/** Returns the files below `folder`. */
export function openFiles(folder: string): Files {
  const root = realpathSync.native(folder);
  const entries = new Map<string, Entry | undefined>();
  const listed = new Map<string, FolderContents>();
  const prefix = path.posix.join(toForwardSlashes(folder), "x").slice(0, -1);
  const display = (relative: string): string => prefix + relative;
  const findEntry = (relative: string): Entry | undefined => {
    if (!entries.has(relative)) entries.set(relative, readEntry(path.join(root, relative)));
    return entries.get(relative);
  };
  const isInside = ({ real }: Entry): boolean => real === root || real.startsWith(root + path.sep);
  const findEntryInside = (relative: string): Entry | undefined => {
    const entry = findEntry(relative);
    return entry && isInside(entry) ? entry : undefined;
  };
  const leadsOut = (relative: string): boolean => {
    const entry = findEntry(relative);
    return entry !== undefined && !isInside(entry);
  };
  const { findings, read } = createReader((relative) => {
    const file = display(relative);
    const entry = findEntryInside(relative);
    if (entry?.kind === "file") return parseSource(file, readFileSync(entry.real));
    return { findings: [leadsOut(relative) ? createOutsideFinding(file) : createUnreadableFinding(file)] };
  });
  const listFolder = (relative: string): FolderContents => {
    if (leadsOut(relative)) findings.push(createOutsideFinding(display(relative)));
    const entry = findEntryInside(relative);
    const [folders, files]: [string[], string[]] = [[], []];
    const children = entry?.kind === "folder" ? readdirSync(entry.real, { withFileTypes: true }) : [];
    const above = path.join(entry?.real ?? "", path.sep);
    for (const child of children) {
      const below = relative === "" ? child.name : `${relative}/${child.name}`;
      const kind = classifyEntry(child);
      // Only links have another real path, so the file system need not be asked again.
      if (entry && kind !== "other") entries.set(below, { real: above + child.name, kind });
      (kind === "folder" ? folders : files).push(below);
    }
    return { folders, files };
  };
  const contents = (relative: string): FolderContents => {
    const found = listed.get(relative) ?? listFolder(relative);
    listed.set(relative, found);
    return found;
  };
  const list = (relative: string): string[] => {
    const { folders, files } = contents(relative);
    return [...files, ...folders.flatMap(list)].sort();
  };
  const has = (relative: string): boolean => findEntryInside(relative)?.kind === "file";
  return { findings, read, has, leadsOut, list, contents, display };
}

/** Returns files that are not written yet as if they were below `folder`. */
export function createFilesInMemory(
  folder: string,
  outputs: readonly { readonly path: string; readonly content: string }[],
): Files {
  const texts = new Map(outputs.map(({ path, content }) => [path, content]));
  const display = (relative: string): string => path.posix.join(toForwardSlashes(folder), relative);
  const list = (relative: string): string[] =>
    [...texts.keys()].filter((file) => relative === "" || file.startsWith(`${relative}/`)).sort();
  return {
    ...createReader((relative) => parseSource(display(relative), Buffer.from(texts.get(relative) ?? ""))),
    display,
    list,
    contents: (relative) => {
      const depth = relative === "" ? 1 : relative.split("/").length + 1;
      const deeper = list(relative).filter((file) => file.split("/").length > depth);
      return {
        folders: [...new Set(deeper.map((file) => file.split("/").slice(0, depth).join("/")))],
        files: list(relative).filter((file) => !deeper.includes(file)),
      };
    },
    has: (relative) => texts.has(relative),
    leadsOut: () => false,
  };
}

/** Creates a function that reads each file once. If a file cannot be read, its findings are added to `findings`. */
function createReader(parse: (relative: string) => ReturnType<typeof parseSource>) {
  const findings: Finding[] = [];
  const sources = new Map<string, Source | undefined>();
  const read = (relative: string): Source | undefined => {
    if (sources.has(relative)) return sources.get(relative);
    const parsed = parse(relative);
    if ("findings" in parsed) findings.push(...parsed.findings);
    const source = "source" in parsed ? parsed.source : undefined;
    sources.set(relative, source);
    return source;
  };
  return { findings, read };
}

/** The folders and the other paths directly below a folder. */
interface FolderContents {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** A path whose links were followed. */
interface Entry {
  readonly real: string;
  readonly kind: "file" | "folder" | "other";
}

function readEntry(file: string): Entry | undefined {
  try {
    const real = realpathSync.native(file);
    return { real, kind: classifyEntry(statSync(real)) };
  } catch {
    return undefined;
  }
}

function classifyEntry(found: Dirent | Stats): Entry["kind"] {
  if (found.isFile()) return "file";
  return found.isDirectory() ? "folder" : "other";
}

/** Returns the finding about a link that leads out of the schemas folder. */
export function createOutsideFinding(file: string): Finding {
  return errorFinding(
    "file-outside",
    "This leads out of the schemas folder and was not read.",
    { file, pointer: "" },
    "Put a copy inside of the folder instead of a link.",
  );
}

function createUnreadableFinding(file: string): Finding {
  return errorFinding(
    "file-unreadable",
    "This is not a file: it is a link to nothing, a folder or a device.",
    { file, pointer: "" },
    "Put a file in its place, or remove it.",
  );
}
