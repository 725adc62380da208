import { existsSync, statSync } from "node:fs";
import { createErrorFinding, type Finding } from "../finding.js";
import type { Protocol } from "../protocol/protocol.js";
import { compareTexts } from "../text.js";
import { type Files, openFiles } from "./files.js";
import { type LoadedProtocol, type LoadOptions, loadProtocol } from "./protocol.js";

/** The result of loading a schemas folder. */
export interface LoadResult {
  /** The protocols without errors, sorted by id. */
  readonly protocols: readonly Protocol[];
  /** The findings of all files, in order of file and position. */
  readonly findings: readonly Finding[];
  /** The findings about declarations, if the options leave them out. */
  readonly declarationFindings?: readonly Finding[];
}

/**
 * Loads the protocols below `folder`: those whose id is in `selectedIds` (`orders/v1`), or all if it is empty. Reports every
 * error as a finding. Reads no file outside of `folder` and nothing from a network.
 */
export async function loadSchemas(
  folder: string,
  selectedIds: readonly string[] = [],
  options: LoadOptions = { examples: true },
): Promise<LoadResult> {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    return { protocols: [], findings: [createMissingFinding(folder, "The schemas folder does not exist.")] };
  return await loadFiles(openFiles(folder), folder, selectedIds, options);
}

/** Loads the protocols of `files` as `loadSchemas` does. */
export async function loadFiles(
  files: Files,
  folder: string,
  selectedIds: readonly string[] = [],
  options: LoadOptions = { examples: true },
): Promise<LoadResult> {
  const { ids, foldersWithoutManifest } = listProtocolIds(files);
  const unknown = selectedIds.filter((id) => !ids.includes(id));
  if (ids.length + foldersWithoutManifest.length === 0)
    return { protocols: [], findings: [createMissingFinding(folder, "The folder holds no protocol.")] };
  const idsToLoad = selectedIds.length > 0 ? ids.filter((id) => selectedIds.includes(id)) : ids;
  const results: LoadedProtocol[] = [];
  // Protocols are loaded one after the other, because new findings of the files belong to the protocol that is being loaded.
  for (const id of idsToLoad) results.push(await loadProtocol(files, id, options));
  return {
    protocols: results.flatMap(({ protocol }) => (protocol ? [protocol] : [])),
    findings: sortFindings([
      ...unknown.map((id) =>
        createMissingFinding(
          folder,
          `There is no protocol ${JSON.stringify(id)} here; the protocols are ${ids.join(", ")}.`,
        ),
      ),
      ...foldersWithoutManifest.map((id) =>
        createMissingFinding(files.formatPath(id), "The protocol has no protocol.json."),
      ),
      ...files.findings,
      ...results.flatMap(({ findings }) => findings),
    ]),
    declarationFindings: results.flatMap(({ declarationFindings = [] }) => declarationFindings),
  };
}

/** Returns the ids (`orders/v1`) of the protocols, and the folders with an envelope but no protocol.json, both sorted. */
export function listProtocolIds(files: Files): { ids: string[]; foldersWithoutManifest: string[] } {
  const folders = files.listDirectly("").folders.flatMap((name) => files.listDirectly(name).folders);
  const ids = folders.filter((id) => files.listDirectly(id).files.includes(`${id}/protocol.json`)).sort();
  const foldersWithoutManifest = folders.filter(
    (id) => !ids.includes(id) && files.listDirectly(id).files.includes(`${id}/envelope.schema.json`),
  );
  return { ids, foldersWithoutManifest: foldersWithoutManifest.sort() };
}

function createMissingFinding(file: string, message: string): Finding {
  const hint = "A protocol is in <schemas folder>/<name>/v<major>/ and has a protocol.json.";
  return createErrorFinding("protocol-missing", message, { file, pointer: "" }, hint);
}

function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) =>
      compareTexts(a.at.file, b.at.file) ||
      (a.at.line ?? 0) - (b.at.line ?? 0) ||
      (a.at.column ?? 0) - (b.at.column ?? 0) ||
      compareTexts(a.rule, b.rule),
  );
}
