/**
 * Compares consecutive published versions of real packages that hold event schemas, as `accrete diff` does, and judges
 * each witness by the published schemas with Ajv and hyperjump. npm fetches the packages. Prints a row per pair of
 * versions, and writes all witnesses as JSON Lines if a file is given. Ends with 1 if a witness is refuted. With
 * `--committed`, compares the two versions of each committed history of renames instead, which needs no network.
 *
 *   npm run prove:incidents -- [--package NAME] [--last 6] [--findings FILE] [--seed 1] [--committed]
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { diffContracts } from "../generator/compat/diff-contracts.js";
import { readContract } from "../generator/diff/read-contract.js";
import { UsageError } from "../generator/failure.js";
import { isObject, type Json } from "../generator/json.js";
import { digest } from "../generator/protocol/digest.js";
import {
  createVersionTests,
  type Judgement,
  judgeWitness,
  type PublishedFiles,
  type PublishedPlace,
  readPublishedFiles,
  type VersionTests,
} from "./incidents/judge-witness.js";
import { makeSchema } from "./incidents/make-schema.js";
import { SCHEMA_PACKAGES, type SchemaPackage } from "./incidents/packages.js";
import { readHistories } from "./renames/read-histories.js";

const { values } = parseArgs({
  options: {
    package: { type: "string" },
    last: { type: "string", default: "6" },
    findings: { type: "string" },
    seed: { type: "string", default: "1" },
    committed: { type: "boolean", default: false },
  },
});

const root = mkdtempSync(path.join(tmpdir(), "accrete-incidents-"));
const totals = { pairs: 0, errors: 0, witnesses: 0, refuted: 0, unwitnessed: 0 };

try {
  console.log(
    "| package | from | to | errors | published | closed | opened | format | name | refuted | no witness | seconds |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|---|---|");
  const isWanted = (name: string): boolean => values.package === undefined || name === values.package;
  if (values.committed) {
    for (const { history, baseline, current } of readHistories().filter(({ isFetched }) => !isFetched))
      if (isWanted(history))
        await comparePair(
          { name: history, paths: [] },
          openVersion("baseline", baseline),
          openVersion("current", current),
        );
  } else for (const entry of SCHEMA_PACKAGES) if (isWanted(entry.name)) await compareVersions(entry);
  console.log(JSON.stringify(totals));
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = totals.refuted > 0 ? 1 : 0;

/** Compares each release of a package with the one before it, the newest first. Releases with equal schemas are skipped. */
async function compareVersions(entry: SchemaPackage): Promise<void> {
  let after: PublishedVersion | undefined;
  let remaining = Number(values.last);
  for (const version of [...(entry.versions ?? listReleases(entry.name))].reverse()) {
    const before = fetchVersion(entry, version);
    if (before === undefined || before.text === after?.text || !(await isReadable(entry, before))) continue;
    if (after !== undefined) {
      await comparePair(entry, before, after);
      if (--remaining === 0) return;
    }
    after = before;
  }
}

/** Returns the versions of a package without those before a release, the oldest first. */
function listReleases(name: string): string[] {
  const listed = execFileSync("npm", ["view", name, "versions", "--json"], { encoding: "utf8" });
  return ([JSON.parse(listed)].flat() as string[]).filter((version) => !version.includes("-"));
}

/** Returns whether accrete can read a version. Prints the error if it cannot. */
async function isReadable(entry: SchemaPackage, published: PublishedVersion): Promise<boolean> {
  try {
    await readVersion(entry, published);
    return true;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.log(`${entry.name}@${published.version} is skipped: ${error.message}`);
    return false;
  }
}

/** A fetched version and its schemas. */
interface PublishedVersion {
  readonly version: string;
  /** The file or folder of the schemas. */
  readonly path: string;
  readonly files: PublishedFiles;
  readonly tests: VersionTests;
  /** All schemas as one text, to find versions with equal schemas. */
  readonly text: string;
}

/** Fetches a version. Returns undefined if it has no schemas. */
function fetchVersion(entry: SchemaPackage, version: string): PublishedVersion | undefined {
  const { name, release = version, source } = entry;
  const paths = entry.paths.map((each) => each.replace("{version}", version));
  const folder = path.join(root, `${name}-${version}`.replace(/[^\w.-]/g, "-"));
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
function openVersion(version: string, fileOrFolder: string): PublishedVersion {
  const files = readPublishedFiles(fileOrFolder);
  const tests = createVersionTests(files);
  return { version, path: path.resolve(fileOrFolder), files, tests, text: JSON.stringify([...files]) };
}

type Contract = Awaited<ReturnType<typeof readContract>>;

async function comparePair(
  entry: SchemaPackage,
  before: PublishedVersion,
  after: PublishedVersion,
): Promise<void> {
  const start = process.cpuUsage();
  const baseline = await readVersion(entry, before);
  const current = await readVersion(entry, after);
  const { findings } = await diffContracts(baseline.side, current.side);
  const { user, system } = process.cpuUsage(start);
  const errors = findings.filter(({ severity }) => severity === "error");
  let unwitnessed = 0;
  const counts = { published: 0, closed: 0, opened: 0, format: 0, name: 0, refuted: 0 };
  for (const { rule, message, witness, opposite } of errors) {
    const judged: { readonly judgement: Judgement | "name"; readonly event: Json }[] = [];
    for (const event of [witness, opposite]) {
      if (event === undefined) continue;
      const judgement = await judgeEvent(event, [baseline, before], [current, after]);
      counts[judgement]++;
      judged.push({ judgement, event });
    }
    if (judged.length === 0) unwitnessed++;
    const finding = { package: entry.name, from: before.version, to: after.version, rule, message };
    if (values.findings !== undefined)
      appendFileSync(values.findings, `${JSON.stringify({ draw: drawLot(finding), ...finding, judged })}\n`);
  }
  totals.pairs++;
  totals.errors += errors.length;
  totals.witnesses += Object.values(counts).reduce((sum, count) => sum + count, 0);
  totals.refuted += counts.refuted;
  totals.unwitnessed += unwitnessed;
  const seconds = ((user + system) / 1e6).toFixed(1);
  const cells = [
    entry.name,
    before.version,
    after.version,
    errors.length,
    ...Object.values(counts),
    unwitnessed,
    seconds,
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

/** Returns a random text for a finding. Those with the first texts are a sample, whatever the order of the comparisons is. */
function drawLot(finding: Json): string {
  return digest([values.seed, finding]);
}

function readVersion({ name, pointer }: SchemaPackage, published: PublishedVersion): Promise<Contract> {
  const label = `${name}@${published.version}`;
  return readContract(
    { label, origin: undefined, path: published.path, fragment: pointer, folder: root },
    root,
  );
}

/** Judges a witness by the published schemas of its event type; by its name if one version lacks the type. */
async function judgeEvent(
  event: Json,
  [baseline, before]: readonly [Contract, PublishedVersion],
  [current, after]: readonly [Contract, PublishedVersion],
): Promise<Judgement | "name"> {
  const { discriminator, placement, property = "" } = baseline.side.protocol.envelope;
  if (!isObject(event)) throw new Error("an event is an object");
  const type = String(event[discriminator]);
  const placeBefore = findPublishedPlace(baseline, before, type);
  const placeAfter = findPublishedPlace(current, after, type);
  if (placeBefore === undefined || placeAfter === undefined) return "name";
  return judgeWitness(
    placement === "nested" ? (event[property] ?? null) : event,
    { tests: before.tests, at: placeBefore },
    { tests: after.tests, at: placeAfter },
  );
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
