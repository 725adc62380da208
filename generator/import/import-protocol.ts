/** Imports a protocol: reads schemas or samples, creates the files, compares the events with the originals and writes the files. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { UsageError } from "../failure.js";
import { type Finding, formatLocatedMessage } from "../finding.js";
import { type Io, lstatIfExists, toForwardSlashes } from "../io.js";
import { EDITOR_SCHEMAS, referToEditorSchemas } from "../load/editor-schemas.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { findBlockingAncestor, findCommonFolder, resolveLinks } from "../output/paths.js";
import { changeFolder, type FileChange, recoverInterruptedRun } from "../output/transaction.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { IMPOSSIBLE_FIXTURE, MADE_FIXTURE, makeFixtures } from "../sample/make-fixtures.js";
import { formatCount, joinFirst, sanitizeLine } from "../text.js";
import type { Comparison } from "./compare.js";
import { isImported, type MergedImport, mergeImport, readExisting } from "./import-again.js";
import type { Imported } from "./import-union.js";
import { loadImported } from "./load-imported.js";
import { formatId } from "./protocol-files.js";
import { findOwnFolder, readImport, splitOperand } from "./read-import.js";
import { type SolvedFixtures, solveFixtures } from "./solve-fixtures.js";
import { suggestView } from "./suggest-view.js";

/** The options of `importProtocol`. */
export interface ImportOptions {
  /** A schema, a folder of schemas, or samples; `-` is standard input. */
  readonly operand: string;
  /** The name of the protocol; undefined for the name of the file. */
  readonly name: string | undefined;
  /** The field that holds the event type; undefined if the import looks for it. */
  readonly discriminator: string | undefined;
  /** The folder whose files references may lead to; undefined for the folder of the operand. */
  readonly root: string | undefined;
  /** The files that stand for URLs in references, by URL without fragment. */
  readonly map: ReadonlyMap<string, string>;
  /** The version, X.Y. */
  readonly version: string;
  /** The folder of all schemas. */
  readonly schemas: string;
  /** The folder of all fixtures. */
  readonly fixtures: string;
  /** True if existing folders of the same name and major version may be replaced. */
  readonly force: boolean;
  /** True if writers may send fields that the schemas do not list. */
  readonly open: boolean;
  /** True if the protocol exists, and what was added to it by hand stays. */
  readonly again: boolean;
  /** Other changes of the project; undefined if there are none. */
  readonly further?: FurtherChanges | undefined;
}

/** Changes that are made together with those of an import. */
export interface FurtherChanges {
  /** The folder that the paths of the changes are below. */
  readonly top: string;
  /** Lists the changes for the imported protocol. */
  list(id: string): readonly FileChange[];
}

/** An import that was written, or the errors in its schemas because of which it was not. */
export type ImportResult =
  | {
      readonly kind: "imported";
      /** The folder below the folder of all schemas, such as `shop/v1`. */
      readonly folder: string;
      readonly protocol: Protocol;
      /** Sentences about what was recognised, changed and lost. */
      readonly notes: readonly string[];
      readonly warnings: number;
      /** The protocol before it was imported again. */
      readonly before?: Protocol | undefined;
    }
  | { readonly kind: "refused"; readonly errors: readonly Finding[] };

/** Creates the protocol folder and its fixtures and writes all files or none. Throws a usage error for errors in the input. */
export async function importProtocol(options: ImportOptions, io: Io): Promise<ImportResult> {
  const { schemas, fixtures, further } = options;
  const { name: chosenName, version: chosenVersion } = checkSettings(options);
  const existing = options.again
    ? readExisting(schemas, formatId({ name: chosenName, version: chosenVersion }))
    : undefined;
  const before = existing && (await loadValidProtocols(schemas, [existing.id]))[0];
  const { open, discriminator, root, map } = options;
  const imported = await readImport(
    options.operand,
    {
      ...{ name: chosenName, version: existing?.nextVersion ?? chosenVersion },
      ...{ envelopeFields: existing?.envelopeFields, open, discriminator, root, map },
    },
    io.stdin,
  );
  const { name, version } = imported.parts;
  const folder = formatId({ name, version });
  const top = findTopFolder(schemas, [fixtures, ...(further ? [further.top] : [])]);
  recoverInterruptedRun(top, io);
  const schemaTarget: Target = {
    root: schemas,
    folder,
    files: [],
    isKept: (file) =>
      file.startsWith("releases/") || (existing !== undefined && !isImported(`${folder}/${file}`, folder)),
  };
  let merged: MergedImport | undefined;
  const fixtureTarget: Target = {
    root: fixtures,
    folder,
    files: imported.fixtures,
    isKept: (file) => isKeptFixture(file) || merged?.unchangedEvents.has(file.split("/")[1] ?? "") === true,
  };
  const replaces = options.force || options.again;
  checkTargets([schemaTarget, fixtureTarget], replaces);
  const originals =
    imported.originals && (options.root ?? findOwnFolder(splitOperand(options.operand).operand));
  const { files, protocol, errors, warnings, refusedExamples } = await loadImported(
    imported.parts,
    originals,
    (created) => {
      if (existing === undefined) return created;
      merged = mergeImport(created, existing);
      return merged.files;
    },
  );
  if (!protocol) return { kind: "refused", errors };
  const madeFixtures = await makeMissingFixtures(protocol, imported, fixtureTarget);
  const targets = [
    { ...fixtureTarget, files: [...imported.fixtures, ...madeFixtures.files] },
    { ...schemaTarget, files: referToInstalledSchemas(files, schemas) },
  ];
  const comparisons = await compareWithOriginals(protocol, imported, io);
  const listChanges = (): FileChange[] => {
    checkTargets(targets, replaces);
    return [
      ...targets.flatMap((target) => listChangesOfTarget(target, top)),
      ...(further ? movePaths(further.list(folder), further.top, top) : []),
    ];
  };
  changeFolder(top, listChanges, io);
  return {
    kind: "imported",
    folder,
    protocol,
    notes: [
      ...imported.notes,
      ...(merged?.notes ?? []),
      ...refusedExamples.map((finding) => `an example was left out: ${formatLocatedMessage(finding)}`),
      ...describeFixtures(madeFixtures),
      ...(protocol.view ? [] : suggestView(protocol)),
      ...describeComparisons(comparisons, imported.originals?.isNarrower === true),
    ],
    warnings,
    before,
  };
}

/** Refers the files to the schemas for editors, if the package is installed for the folder of schemas. */
function referToInstalledSchemas(files: readonly OutputFile[], schemas: string): readonly OutputFile[] {
  let folder = path.resolve(schemas);
  while (!lstatIfExists(path.join(folder, EDITOR_SCHEMAS))) {
    if (path.dirname(folder) === folder) return files;
    folder = path.dirname(folder);
  }
  const editorSchemas = path.relative(path.resolve(schemas), path.join(folder, EDITOR_SCHEMAS));
  return referToEditorSchemas(files, toForwardSlashes(editorSchemas));
}

function checkSettings({ operand, name, version }: ImportOptions): { name: string; version: string } {
  if (!/^(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version))
    throw new UsageError(`"${version}" is not a version; write X.Y, such as 1.0.`);
  if (operand === "-" && name === undefined)
    throw new UsageError("Standard input has no name. Name the protocol with --name, for example my-events.");
  const [fileName = ""] = path.basename(path.resolve(splitOperand(operand).operand)).split(".");
  const protocolName = name ?? fileName.toLowerCase();
  if (!/^[a-z][a-z0-9_-]*$/.test(protocolName))
    throw new UsageError(
      `"${protocolName}" cannot name a protocol; --name gives another, such as my-events.`,
    );
  return { name: protocolName, version };
}

/** A folder that an import writes, such as `shop/v1` below `root`. */
interface Target {
  readonly root: string;
  readonly folder: string;
  /** The files. Their paths are relative to `root`. */
  readonly files: readonly OutputFile[];
  /** Returns whether a file that is not written stays. The path is relative to the folder. */
  readonly isKept: (file: string) => boolean;
}

const SAMPLE_FIXTURE = /^valid\/[^/]+\/sample-\d+\.json$/;

/** Returns whether a fixture was written by a person, and not by an import. */
function isKeptFixture(file: string): boolean {
  return (
    ![IMPOSSIBLE_FIXTURE, MADE_FIXTURE].includes(path.posix.basename(file)) && !SAMPLE_FIXTURE.test(file)
  );
}

/** Makes events of the types that have neither samples nor fixtures of a person. */
async function makeMissingFixtures(
  protocol: Protocol,
  { originals }: Imported,
  { root, folder, files, isKept }: Target,
): Promise<SolvedFixtures> {
  const keptFiles = listFilesBelow(path.join(root, folder)).filter(isKept);
  const sampleFiles = files.map((file) => file.path.slice(folder.length + 1));
  const foldersInUse = new Set([...keptFiles, ...sampleFiles].map((file) => path.posix.dirname(file)));
  const made = makeFixtures(protocol, (fixtureFolder) => foldersInUse.has(fixtureFolder));
  if (!originals || made.incomplete.length === 0) return { ...made, impossible: [], excluded: [] };
  for (const file of made.files)
    foldersInUse.add(path.posix.dirname(file.path).slice(protocol.id.length + 1));
  const hasFixture = (fixtureFolder: string): boolean => foldersInUse.has(fixtureFolder);
  const solved = await solveFixtures(protocol, originals, made.incomplete, hasFixture);
  return { ...solved, files: [...made.files, ...solved.files] };
}

function describeFixtures({ files, incomplete, impossible, excluded }: SolvedFixtures): string[] {
  const notes: string[] = [];
  if (files.length > 0)
    notes.push(
      `${formatCount(files.length, "fixture")} made: ${MADE_FIXTURE}, a valid and an invalid event of each type that has none`,
    );
  if (incomplete.length > 0)
    notes.push(
      `no pair of a valid and an invalid event was found for ${formatCount(incomplete.length, "event type")}; write them: ${joinFirst(incomplete, 5)}`,
    );
  if (impossible.length > 0)
    notes.push(
      `the original accepts no message of these types, because its parts contradict each other: ${impossible.join(", ")}`,
    );
  const excludedNotes = excluded.map(
    (type) =>
      `CHANGED ${type}: writers can send none, because its closed objects exclude each other; --open keeps them open`,
  );
  return [...notes, ...excludedNotes];
}

/** Throws a usage error if a target cannot be written, or exists and `force` is false. */
function checkTargets(targets: readonly Target[], force: boolean): void {
  if (new Set(targets.map(({ root }) => path.resolve(root))).size < targets.length)
    throw new UsageError(
      "Schemas and fixtures need two folders; --schemas and --fixtures name the same one.",
    );
  for (const { root, folder } of targets) {
    // `x` stands for any file in the folder, so that the folder itself is examined too.
    const blocking = findBlockingAncestor(root, `${folder}/x`);
    if (blocking)
      throw new UsageError(
        `${path.join(root, blocking.path)} is a file or a link, not a folder. Nothing was imported.`,
      );
    if (lstatIfExists(path.join(root, folder)) && !force)
      throw new UsageError(`${path.join(root, folder)} exists already; --force replaces it.`);
  }
}

/** Returns the folder that holds schemas and fixtures, so that one transaction can change both. It is relative if `schemas` is. */
function findTopFolder(schemas: string, others: readonly string[]): string {
  const top = findCommonFolder(resolveLinks(schemas), others.map(resolveLinks));
  return path.isAbsolute(schemas) ? top : path.relative("", top) || ".";
}

/** Lists the changes that write the files of a target, and remove all others that are not kept. */
function listChangesOfTarget({ root, folder, files, isKept }: Target, top: string): FileChange[] {
  const existingPaths = listFilesBelow(path.join(root, folder)).map((file) => `${folder}/${file}`);
  const plannedPaths = new Set(files.map((file) => file.path));
  const isRemoved = (file: string): boolean =>
    !plannedPaths.has(file) && !isKept(file.slice(folder.length + 1));
  const changes = [
    ...files.map((file) => ({ ...file, exists: existingPaths.includes(file.path) })),
    ...existingPaths.filter(isRemoved).map((file) => ({ path: file, content: undefined, exists: true })),
  ];
  return movePaths(changes, root, top);
}

/** Makes the paths of changes below `folder` relative to `top`. */
function movePaths(changes: readonly FileChange[], folder: string, top: string): FileChange[] {
  const prefix = toForwardSlashes(path.relative(resolveLinks(top), resolveLinks(folder)));
  return changes.map((change) => ({ ...change, path: path.posix.join(prefix, change.path) }));
}

/** Lists the paths of everything below a folder except folders. Links are not followed. */
function listFilesBelow(folder: string): string[] {
  if (!lstatIfExists(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => toForwardSlashes(path.join(path.relative(folder, parentPath), name)));
}

async function compareWithOriginals(
  protocol: Protocol,
  { originals }: Imported,
  io: Io,
): Promise<Comparison[]> {
  if (!originals) return [];
  // Loaded on demand, because the containment check takes long to load.
  const { compareEvent } = await import("./compare.js");
  const comparisons: Comparison[] = [];
  for (const event of protocol.events) {
    const original = originals.schemas.get(event.type);
    if (!original) throw new Error(`the event ${event.type} has no original`);
    if (io.showsProgress) io.stderr(`comparing ${sanitizeLine(event.type)} …\n`);
    // The process can handle signals between two events.
    await nextTurn();
    comparisons.push(await compareEvent(protocol, event, original, originals));
  }
  return comparisons;
}

function describeComparisons(comparisons: readonly Comparison[], isNarrower: boolean): string[] {
  if (comparisons.length === 0) return [];
  const provenComparisons = comparisons.filter(
    ({ originalInEvent, eventInOriginal }) =>
      originalInEvent.verdict === "contained" && eventInOriginal.verdict === "contained",
  );
  const total = `${provenComparisons.length} of ${formatCount(comparisons.length, "event")}`;
  const loss = isNarrower
    ? "accepted by the original, now refused by readers"
    : "accepted by the original, no longer sent";
  return [
    isNarrower
      ? `proven within the original, formats ignored: ${total}: writers send nothing that it refuses, and readers accept everything that it accepts`
      : `proven equal to the original, formats ignored: ${total}`,
    ...comparisons.flatMap(({ type, originalInEvent, eventInOriginal }) => [
      ...describeInclusion(type, loss, originalInEvent),
      ...describeInclusion(type, "sent now, refused by the original", eventInOriginal),
    ]),
  ];
}

function describeInclusion(type: string, change: string, answer: Comparison["originalInEvent"]): string[] {
  switch (answer.verdict) {
    case "contained":
      return [];
    case "not-contained":
      return [`CHANGED ${type}: ${change}: ${JSON.stringify(answer.witness)}`];
    case "undecided":
      return [`UNDECIDED ${type}: ${change}? ${answer.reason}`];
  }
}
