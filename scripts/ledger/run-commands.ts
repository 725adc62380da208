/**
 * Runs the commands of a ledger with the code of a tree, and prints one answer per line.
 *
 *     tsx scripts/ledger/run-commands.ts TREE INPUTS
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { compareTexts } from "../../generator/text.js";
import { type Answer, type Entry, hashContent } from "./entry.js";

const [tree = "", inputs = ""] = process.argv.slice(2);
// Commits until November 2026 have it in test/cli.
const runner = ["commands", "cli"]
  .map((folder) => path.resolve(tree, "test", folder, "run-in-process.ts"))
  .find((file) => existsSync(file));
if (runner === undefined) throw new Error(`${tree} has no test/commands/run-in-process.ts.`);
const { runAccrete } = (await import(
  pathToFileURL(runner).href
)) as typeof import("../../test/commands/run-in-process.js");
const entries: readonly Entry[] = JSON.parse(readFileSync(path.join(inputs, "entries.json"), "utf8"));
for (const entry of entries) process.stdout.write(`${JSON.stringify(await runEntry(entry))}\n`);

async function runEntry({ name, args, folder, writes }: Entry): Promise<Answer> {
  const source = path.resolve(inputs, folder);
  const place = writes ? mkdtempSync(path.join(tmpdir(), "accrete-ledger-")) : source;
  try {
    if (writes) cpSync(source, place, { recursive: true });
    const before = process.cwd();
    process.chdir(place);
    const { exitCode, stdout, stderr } = await runAccrete(args);
    process.chdir(before);
    return {
      name,
      command: `accrete ${args.join(" ")}`,
      exitCode,
      findings: listFindings(parseJson(stdout)).sort(compareTexts),
      printed: `${stdout}${stderr}`.replaceAll(place, ".").replaceAll(/"ms":[\d.]+/g, '"ms":0'),
      files: writes ? hashChanges(source, place) : {},
    };
  } finally {
    if (writes) rmSync(place, { recursive: true });
  }
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the findings of JSON output, in lists at any depth, and the answers of questions. */
function listFindings(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(listFindings);
  if (!isObject(value)) return [];
  if (typeof value.rule === "string") return [formatFinding(value)];
  if (typeof value.verdict === "string") return [`${value.id}: ${value.verdict}`];
  return Object.values(value).flatMap(listFindings);
}

function formatFinding({
  rule,
  severity,
  file,
  line,
  column,
  at,
  message,
  witness,
  stream,
}: JsonObject): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":") || at;
  const shown = [witness, stream].flatMap((each) => (each === undefined ? [] : [` ${JSON.stringify(each)}`]));
  return `${severity} ${rule} ${JSON.stringify(place)}: ${message}${shown.join("")}`;
}

/** Returns the hash of each file that differs from the source, and an empty text for each that was removed. */
function hashChanges(source: string, place: string): Answer["files"] {
  const files = new Set([...listFiles(source), ...listFiles(place)]);
  const changes = [...files].sort(compareTexts).flatMap((file) => {
    const hash = hashFile(path.join(place, file));
    return hash === hashFile(path.join(source, file)) ? [] : [[file, hash]];
  });
  return Object.fromEntries(changes);
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    statSync(path.join(folder, file)).isFile(),
  );
}

function hashFile(file: string): string {
  return existsSync(file) ? hashContent(readFileSync(file)) : "";
}
