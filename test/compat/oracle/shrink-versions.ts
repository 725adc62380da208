/** Makes a counterexample small: deletes files, members and items if the rest is still a counterexample. */
import type { Json } from "../../../generator/json.js";
import { type Draft, ENVELOPE, MANIFEST, type ProtocolFiles } from "./protocol-files.js";

type Path = readonly (string | number)[];

/** Deletes parts of the versions while `holds` returns true. With `isTogether`, each part is deleted in all versions. */
export async function shrinkVersions(
  versions: readonly ProtocolFiles[],
  holds: (versions: readonly ProtocolFiles[]) => Promise<boolean>,
  isTogether = false,
): Promise<readonly ProtocolFiles[]> {
  let smallest = versions;
  for (let changed = true; changed; ) {
    changed = false;
    for (const index of smallest.keys()) {
      const candidate = smallest.toSpliced(index, 1);
      if (candidate.length < 2 || !(await isHeld(candidate))) continue;
      smallest = candidate;
      changed = true;
      break;
    }
    for (const path of listPaths(smallest)) {
      for (const where of isTogether ? [[...smallest.keys()]] : listVersionSelections(smallest.length)) {
        const candidate = smallest.map((files, index) =>
          where.includes(index) ? removeAtPath(files, path) : files,
        );
        if (JSON.stringify(candidate) === JSON.stringify(smallest) || !(await isHeld(candidate))) continue;
        smallest = candidate;
        changed = true;
        break;
      }
    }
  }
  return smallest;

  async function isHeld(candidate: readonly ProtocolFiles[]): Promise<boolean> {
    try {
      return await holds(candidate);
    } catch {
      return false;
    }
  }
}

/** Returns the indexes of all versions together, then of each alone. */
function listVersionSelections(count: number): number[][] {
  const all = Array.from({ length: count }, (_, index) => index);
  return [all, ...all.map((index) => [index])];
}

/** Returns the paths of all parts of the versions, larger parts first. */
function listPaths(versions: readonly ProtocolFiles[]): Path[] {
  const found = new Map<string, Path>();
  const visit = (value: Json, path: Path): void => {
    if (path.length > 0) found.set(JSON.stringify(path), path);
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) for (const [index, each] of value.entries()) visit(each, [...path, index]);
    else for (const [key, each] of Object.entries(value)) visit(each, [...path, key]);
  };
  for (const files of versions) visit(files, []);
  const needed = new Set([JSON.stringify([MANIFEST]), JSON.stringify([ENVELOPE])]);
  return [...found]
    .flatMap(([key, path]) => (needed.has(key) ? [] : [path]))
    .sort((a, b) => a.length - b.length);
}

function removeAtPath(files: ProtocolFiles, path: Path): ProtocolFiles {
  const draft = structuredClone(files) as Draft;
  let holder = draft;
  for (const step of path.slice(0, -1)) {
    holder = holder?.[step];
    if (typeof holder !== "object" || holder === null) return files;
  }
  const last = path.at(-1) ?? "";
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else if (Object.hasOwn(holder, last)) delete holder[last];
  return draft;
}
