import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { createErrorFinding, type Finding } from "../finding.js";
import { toForwardSlashes } from "../io.js";
import { parseSource, type Source } from "../source/source.js";
import { readUnsaved } from "./read-bytes.js";

/**
 * Reads the files below one folder, each of them once. It reads nothing outside of the folder: a path that leads out
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
  listBelow(relative: string): string[];
  /** Returns the paths directly below a folder. Symbolic links are not followed. */
  listDirectly(relative: string): FolderContents;
  /** Returns a path as the user would write it. */
  formatPath(relative: string): string;
}

/** Opens a folder, whose files are read on demand. Schemas of protocols are JSON; imports pass a parser that reads YAML, too. */
export function openFiles(folder: string, parse: typeof parseSource = parseSource): Files {
  const root = realpathSync.native(folder);
  const entries = new Map<string, Entry | undefined>();
  const contents = new Map<string, FolderContents>();
  const normalized = path.posix.normalize(`${toForwardSlashes(folder)}/`);
  const prefix = normalized === "./" ? "" : normalized;
  const formatPath = (relative: string): string => prefix + relative;
  const findEntry = (relative: string): Entry | undefined => {
    if (!entries.has(relative)) entries.set(relative, readEntry(path.join(root, relative)));
    return entries.get(relative);
  };
  const isInside = ({ realPath }: Entry): boolean =>
    realPath === root || realPath.startsWith(root + path.sep);
  const findEntryInside = (relative: string): Entry | undefined => {
    const entry = findEntry(relative);
    return entry && isInside(entry) ? entry : undefined;
  };
  const leadsOut = (relative: string): boolean => {
    const entry = findEntry(relative);
    return entry !== undefined && !isInside(entry);
  };
  const { findings, read } = createReader((relative) => {
    const file = formatPath(relative);
    const entry = findEntryInside(relative);
    if (entry?.kind === "file")
      return parse(file, readUnsaved(entry.realPath) ?? readFileSync(entry.realPath));
    return { findings: [leadsOut(relative) ? createOutsideFinding(file) : createUnreadableFinding(file)] };
  });
  const listFolder = (relative: string): FolderContents => {
    if (leadsOut(relative)) findings.push(createOutsideFinding(formatPath(relative)));
    const entry = findEntryInside(relative);
    const folders: string[] = [];
    const files: string[] = [];
    const children = entry?.kind === "folder" ? readdirSync(entry.realPath, { withFileTypes: true }) : [];
    const realFolder = path.join(entry?.realPath ?? "", path.sep);
    for (const child of children) {
      const childPath = relative === "" ? child.name : `${relative}/${child.name}`;
      const kind = classifyEntry(child);
      // A child that is a file or folder, and not a link, has this real path.
      if (entry && kind !== "other") entries.set(childPath, { realPath: realFolder + child.name, kind });
      if (kind === "folder") folders.push(childPath);
      else files.push(childPath);
    }
    return { folders, files };
  };
  const listDirectly = (relative: string): FolderContents => {
    const found = contents.get(relative) ?? listFolder(relative);
    contents.set(relative, found);
    return found;
  };
  const listBelow = (relative: string): string[] => {
    const { folders, files } = listDirectly(relative);
    return [...files, ...folders.flatMap(listBelow)].sort();
  };
  const has = (relative: string): boolean => findEntryInside(relative)?.kind === "file";
  return { findings, read, has, leadsOut, listBelow, listDirectly, formatPath };
}

const UTF_8 = new TextEncoder();

/** Returns files that are not written yet as if they were below `folder`. */
export function createFilesInMemory(
  folder: string,
  outputs: readonly { readonly path: string; readonly content: string }[],
): Files {
  const texts = new Map(outputs.map(({ path, content }) => [path, content]));
  const formatPath = (relative: string): string => path.posix.join(toForwardSlashes(folder), relative);
  const listBelow = (relative: string): string[] =>
    [...texts.keys()].filter((file) => relative === "" || file.startsWith(`${relative}/`)).sort();
  return {
    ...createReader((relative) => parseSource(formatPath(relative), UTF_8.encode(texts.get(relative)))),
    formatPath,
    listBelow,
    listDirectly: (relative) => {
      const depth = relative === "" ? 1 : relative.split("/").length + 1;
      const deeper = listBelow(relative).filter((file) => file.split("/").length > depth);
      return {
        folders: [...new Set(deeper.map((file) => file.split("/").slice(0, depth).join("/")))],
        files: listBelow(relative).filter((file) => !deeper.includes(file)),
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

/** A file or folder, with its path after links were followed. */
interface Entry {
  readonly realPath: string;
  readonly kind: "file" | "folder" | "other";
}

function readEntry(file: string): Entry | undefined {
  try {
    const realPath = realpathSync.native(file);
    return { realPath, kind: classifyEntry(statSync(realPath)) };
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
  return createErrorFinding(
    "file-outside",
    "This leads out of the schemas folder and was not read.",
    { file, pointer: "" },
    "Put a copy inside of the folder instead of a link.",
  );
}

function createUnreadableFinding(file: string): Finding {
  return createErrorFinding(
    "file-unreadable",
    "This is not a file: it is a link to nothing, a folder or a device.",
    { file, pointer: "" },
    "Put a file in its place, or remove it.",
  );
}
