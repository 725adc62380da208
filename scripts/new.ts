/**
 * Adds a compiling skeleton of a compatibility rule, an emitter or a stream rule, with a case and its row of docs/.
 *
 *     npm run new -- rule|emitter|stream-rule NAME
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Insertion, SKELETONS } from "./skeletons/skeletons.js";

const [kind = "", name = ""] = process.argv.slice(2);
const skeleton = SKELETONS.get(kind);
if (skeleton && /^[a-z]+(-[a-z]+)*$/.test(name)) addSkeleton(skeleton(name));
else {
  console.error(`Usage: npm run new -- ${[...SKELETONS.keys()].join("|")} NAME, with a name in kebab-case.`);
  process.exitCode = 2;
}

function addSkeleton({ files, insertions }: ReturnType<NonNullable<typeof skeleton>>): void {
  for (const file of files.keys()) if (existsSync(file)) throw new Error(`${file} exists already.`);
  const changed = new Map<string, string>();
  for (const insertion of insertions)
    changed.set(insertion.file, insert(changed.get(insertion.file), insertion));
  for (const [file, content] of [...files, ...changed]) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const sources = [...files.keys(), ...changed.keys()].filter((file) => file.endsWith(".ts"));
  execFileSync("npx", ["biome", "check", "--write", ...sources], { stdio: "ignore" });
  execFileSync("npx", ["tsx", "scripts/write-docs.ts"], { stdio: "inherit" });
  for (const file of files.keys()) console.log(`added   ${file}`);
  for (const file of changed.keys()) console.log(`changed ${file}`);
  console.log("updated docs/ and the published schemas, as npm run docs does");
  console.log("Replace what follows each TODO, and see CONTRIBUTING.md for the tests to run.");
}

function insert(content: string | undefined, { file, before, text }: Insertion): string {
  const old = content ?? readFileSync(file, "utf8");
  if ([...old.matchAll(new RegExp(before, `${before.flags}g`))].length !== 1)
    throw new Error(`${file} does not have ${before} exactly once.`);
  return old.replace(before, (match) => text + match);
}
