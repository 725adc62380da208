/**
 * Writes the pages and tables of docs/ that follow from the sources: docs/rules.md, docs/stream-rules.md, the tables of
 * docs/contract-testing.md, the picture of imports in docs/architecture.md, and the schema of `stream.rules` in
 * generator/load/protocol.schema.json.
 *
 *     npm run docs
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { rulesPage } from "../generator/commands/explain.js";
import { importPicture } from "./architecture/import-picture.js";
import { withPart } from "./architecture/page-part.js";
import { readSources } from "./architecture/sources.js";
import { bugTable, lawTable } from "./pages/kit-tables.js";
import { streamRulesPage, withStreamRules } from "./pages/stream-rules.js";

function replaceParts(page: string, parts: { readonly [part: string]: string }): void {
  const text = readFileSync(page, "utf8");
  const written = Object.entries(parts).reduce((before, [part, now]) => withPart(before, part, now), text);
  writeFileSync(page, written);
}

writeFileSync("docs/rules.md", rulesPage());
writeFileSync("docs/stream-rules.md", streamRulesPage());
replaceParts("docs/contract-testing.md", { laws: lawTable(), bugs: bugTable() });
replaceParts("docs/architecture.md", { imports: importPicture(readSources()) });

const schema = "generator/load/protocol.schema.json";
writeFileSync(schema, JSON.stringify(withStreamRules(JSON.parse(readFileSync(schema, "utf8")))));
execFileSync("npx", ["biome", "format", "--write", schema], { stdio: "ignore" });
