/**
 * Compares consecutive published versions of packages that hold event contracts, and writes a site with the breaks that
 * Ajv and hyperjump confirm by the published schemas. npm fetches the packages.
 *
 *   npm run track -- [--out track] [--package NAME] [--last 6] [--render]
 *
 * The results are in OUT/breaks.json. With `--package`, the results of other packages are kept; with `--render`, nothing is
 * compared. docs/tracker.md gets the table when the results of all packages are there.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { formatJson, getErrorMessage } from "../generator/text.js";
import { replacePart } from "./architecture/page-part.js";
import { compareLastVersions } from "./incidents/compare-versions.js";
import { SCHEMA_PACKAGES, type SchemaPackage } from "./incidents/packages.js";
import { formatTrackerTable, renderTracker } from "./tracker/render-tracker.js";
import {
  describeContract,
  type TrackedPackage,
  type TrackedPair,
  trackComparison,
} from "./tracker/tracked-package.js";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "track" },
    package: { type: "string" },
    last: { type: "string", default: "6" },
    render: { type: "boolean", default: false },
  },
});

const PAGE = "docs/tracker.md";
const results = path.join(values.out, "breaks.json");
const names = [...new Set(SCHEMA_PACKAGES.map(({ name }) => name))];
const wanted = values.render ? [] : names.filter((name) => [undefined, name].includes(values.package));
if (wanted.length === 0 && !values.render) throw new Error(`no package is named ${values.package}`);

for (const name of wanted) {
  const tracked = await trackPackage(SCHEMA_PACKAGES.filter((entry) => entry.name === name));
  writeResults([...readResults().filter((each) => each.name !== name), tracked]);
  const breaks = tracked.pairs.reduce((sum, pair) => sum + pair.breaks.length, 0);
  console.log(`${name}: ${tracked.pairs.length} comparisons, ${breaks} breaks`);
}

const tracked = readResults().filter(({ name }) => names.includes(name));
for (const { path: file, content } of renderTracker(tracked)) {
  const target = path.join(values.out, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}
if (tracked.length === names.length)
  writeFileSync(PAGE, replacePart(readFileSync(PAGE, "utf8"), "tracker", formatTrackerTable(tracked)));
else console.log(`${PAGE} is not written: ${tracked.length} of ${names.length} packages have results`);

/** Compares the versions of a package. Its later entries hold newer versions. */
async function trackPackage(entries: readonly SchemaPackage[]): Promise<TrackedPackage> {
  const [first] = entries;
  if (first === undefined) throw new Error("a package has an entry");
  const root = mkdtempSync(path.join(tmpdir(), "accrete-track-"));
  const pairs: TrackedPair[] = [];
  const skipped: string[] = [];
  try {
    for (const entry of [...entries].reverse()) {
      const skip = (sentence: string) => skipped.push(sentence.replaceAll(root, ""));
      for await (const comparison of compareLastVersions(entry, Number(values.last), root, skip))
        pairs.push(trackComparison(comparison));
    }
  } catch (error) {
    skipped.push(`The comparison ended: ${getErrorMessage(error).replaceAll(root, "")}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return { name: first.name, contract: describeContract(first), pairs, skipped };
}

function readResults(): TrackedPackage[] {
  return existsSync(results) ? (JSON.parse(readFileSync(results, "utf8")) as TrackedPackage[]) : [];
}

function writeResults(packages: readonly TrackedPackage[]): void {
  mkdirSync(values.out, { recursive: true });
  writeFileSync(results, formatJson(packages));
}
