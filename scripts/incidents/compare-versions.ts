/** Fetches published versions of a package with npm, compares them as `accrete diff` does, and judges the witnesses. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { diffContracts } from "../../generator/compat/diff-contracts.js";
import { readContract } from "../../generator/diff/read-contract.js";
import { UsageError } from "../../generator/failure.js";
import type { Finding } from "../../generator/finding.js";
import { isObject, type Json } from "../../generator/json.js";
import { getErrorMessage } from "../../generator/text.js";
import {
  createVersionTests,
  type Judgement,
  judgeWitness,
  type PublishedFiles,
  type PublishedPlace,
  readPublishedFiles,
  type VersionTests,
} from "./judge-witness.js";
import { makeSchema } from "./make-schema.js";
import type { SchemaPackage } from "./packages.js";

/** A fetched version and its schemas. */
export interface PublishedVersion {
  readonly version: string;
  /** The file or folder of the schemas. */
  readonly path: string;
  readonly files: PublishedFiles;
  readonly tests: VersionTests;
  /** All schemas as one text, to find versions with equal schemas. */
  readonly text: string;
}

/**
 * An event that shows an error, and how the published schemas differ about it. It is `name` if one version lacks its type,
 * and `undecided` if Ajv and hyperjump differ, or cannot read a schema.
 */
export interface JudgedEvent {
  readonly judgement: Judgement | "name" | "undecided";
  readonly event: Json;
}

/** An error of a comparison, and its events. */
export interface JudgedError {
  readonly finding: Finding;
  readonly judged: readonly JudgedEvent[];
}

/** What a comparison of two versions gave. */
export interface VersionComparison {
  readonly entry: SchemaPackage;
  readonly from: string;
  readonly to: string;
  readonly errors: readonly JudgedError[];
  /** The time that the comparison took, without the judging. */
  readonly seconds: number;
}

/** After this number of versions without schemas, the versions before them are not fetched. */
const MAX_MISSING = 3;

type Contract = Awaited<ReturnType<typeof readContract>>;

/**
 * Compares the last versions of a package that have different schemas, each with the one before it, the newest first.
 * `skip` gets a sentence about each version that accrete cannot read. Packages are unpacked below `root`.
 */
export async function* compareLastVersions(
  entry: SchemaPackage,
  last: number,
  root: string,
  skip: (sentence: string) => void,
): AsyncGenerator<VersionComparison> {
  let after: PublishedVersion | undefined;
  let remaining = last;
  let missing = 0;
  for (const version of [...(entry.versions ?? listReleases(entry))].reverse()) {
    const before = fetchVersion(entry, version, root);
    if (before === undefined) {
      // Packages that begin to ship schemas have many releases without them.
      if (after !== undefined && ++missing === MAX_MISSING) return;
      continue;
    }
    if (before.text === after?.text) continue;
    const reason = await findReadError(entry, before);
    if (reason !== undefined) {
      skip(`${entry.name}@${version} is skipped: ${reason}`);
      continue;
    }
    if (after !== undefined) {
      yield await compareVersions(entry, before, after);
      if (--remaining === 0) return;
    }
    after = before;
  }
}

/** Returns the versions of a package without those before a release, the oldest first. With a step, only the last one of each minor version. */
function listReleases({ name, step }: SchemaPackage): string[] {
  const listed = execFileSync("npm", ["view", name, "versions", "--json"], { encoding: "utf8" });
  const releases = ([JSON.parse(listed)].flat() as string[]).filter((version) => !version.includes("-"));
  if (step === undefined) return releases;
  const lastOfEach = new Map(releases.map((version) => [version.split(".", 2).join("."), version]));
  return releases.filter((version) => new Set(lastOfEach.values()).has(version));
}

/** Returns why accrete cannot read a version; undefined if it can. */
async function findReadError(entry: SchemaPackage, published: PublishedVersion): Promise<string | undefined> {
  try {
    await readVersion(entry, published);
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
}

/** Fetches a version. Returns undefined if it has no schemas. */
function fetchVersion(entry: SchemaPackage, version: string, root: string): PublishedVersion | undefined {
  const { name, release = version, source } = entry;
  const paths = entry.paths.map((each) => each.replace("{version}", version));
  const folder = path.join(root, `${name}-${version}`.replace(/[^\w.-]/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const options = { cwd: folder, encoding: "utf8", stdio: "pipe" } as const;
  const tarball = execFileSync("npm", ["pack", "--silent", `${name}@${release}`], options).trim();
  execFileSync("tar", ["xzf", tarball], options);
  rmSync(path.join(folder, tarball));
  if (source !== undefined && !makeSchema(source, path.join(folder, "package"))) return undefined;
  const found = paths.map((each) => path.join(folder, "package", each)).find((each) => existsSync(each));
  if (found === undefined) return undefined;
  return openVersion(version, found);
}

/** Opens the schemas of a version: a file or a folder. */
export function openVersion(version: string, fileOrFolder: string): PublishedVersion {
  const files = readPublishedFiles(fileOrFolder);
  const tests = createVersionTests(files);
  return { version, path: path.resolve(fileOrFolder), files, tests, text: JSON.stringify([...files]) };
}

/** Compares two versions, and judges the events of all errors. */
export async function compareVersions(
  entry: SchemaPackage,
  before: PublishedVersion,
  after: PublishedVersion,
): Promise<VersionComparison> {
  const start = process.cpuUsage();
  const baseline = await readVersion(entry, before);
  const current = await readVersion(entry, after);
  const { findings } = await diffContracts(baseline.side, current.side);
  const { user, system } = process.cpuUsage(start);
  const errors: JudgedError[] = [];
  for (const finding of findings.filter(({ severity }) => severity === "error")) {
    const judged: JudgedEvent[] = [];
    for (const event of [finding.witness, finding.opposite])
      if (event !== undefined)
        judged.push({
          judgement: await judgeEvent(entry, event, [baseline, before], [current, after]).catch(
            reportUndecided,
          ),
          event,
        });
    errors.push({ finding, judged });
  }
  return { entry, from: before.version, to: after.version, errors, seconds: (user + system) / 1e6 };
}

function reportUndecided(error: unknown): "undecided" {
  console.error(getErrorMessage(error).slice(0, 300));
  return "undecided";
}

function readVersion({ name, pointer }: SchemaPackage, published: PublishedVersion): Promise<Contract> {
  const label = `${name}@${published.version}`;
  const folder = path.dirname(published.path);
  return readContract({ label, origin: undefined, path: published.path, fragment: pointer, folder }, folder);
}

/** Judges a witness by the published schemas of its event type; if one version lacks the type, by the published unions. */
async function judgeEvent(
  { pointer = "" }: SchemaPackage,
  event: Json,
  [baseline, before]: readonly [Contract, PublishedVersion],
  [current, after]: readonly [Contract, PublishedVersion],
): Promise<Judgement | "name"> {
  const { discriminator, placement, property = "" } = baseline.side.protocol.envelope;
  if (!isObject(event)) throw new Error("an event is an object");
  const type = String(event[discriminator]);
  const placeBefore = findPublishedPlace(baseline, before, type);
  const placeAfter = findPublishedPlace(current, after, type);
  if (placeBefore !== undefined && placeAfter !== undefined)
    return judgeWitness(
      placement === "nested" ? (event[property] ?? null) : event,
      { tests: before.tests, at: placeBefore },
      { tests: after.tests, at: placeAfter },
    );
  const [unionBefore, unionAfter] = [before, after].map((each) => path.basename(each.path));
  const isUnion =
    placement !== "nested" &&
    unionBefore !== undefined &&
    unionAfter !== undefined &&
    before.files.has(unionBefore) &&
    after.files.has(unionAfter);
  if (!isUnion) return "name";
  const judgement = await judgeWitness(
    event,
    { tests: before.tests, at: { file: unionBefore, pointer } },
    { tests: after.tests, at: { file: unionAfter, pointer } },
  );
  return judgement === "published" ? "union" : "name";
}

/** Returns the place of an event type in the published files; undefined if the version has no such type. */
function findPublishedPlace(
  { side }: Contract,
  { path: published, files }: PublishedVersion,
  type: string,
): PublishedPlace | undefined {
  const event = side.protocol.events.find((each) => each.type === type);
  if (event === undefined) return undefined;
  const at = side.locate(event.at.file, "");
  const folder = statSync(published).isDirectory() ? published : path.dirname(published);
  const file = path.relative(folder, at.file);
  if (files.has(file)) return { file, pointer: at.pointer };
  // The file is a list of schemas.
  const [, index, pointer = ""] = /^\/(\d+)(.*)$/.exec(at.pointer) ?? [];
  return { file: `${file}/${index}`, pointer };
}
