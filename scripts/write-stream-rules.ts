/** Writes what is made of the table of stream rules, docs/stream-rules.md and the schema of protocol.json: `npm run stream-rules`. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { streamRulesPage, withStreamRules } from "./stream-rules-page.js";

const root = path.join(import.meta.dirname, "..");
const schema = path.join(root, "generator/load/protocol.schema.json");
writeFileSync(path.join(root, "docs/stream-rules.md"), streamRulesPage());
writeFileSync(schema, JSON.stringify(withStreamRules(JSON.parse(readFileSync(schema, "utf8")))));
execFileSync("npx", ["biome", "format", "--write", schema], { cwd: root, stdio: "ignore" });
