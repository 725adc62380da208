/**
 * Writes the pages and tables of docs/ that follow from the sources: docs/rules.md, docs/stream-rules.md, the tables of
 * docs/contract-testing.md, and the picture of imports in docs/architecture.md.
 *
 *     npm run docs
 */
import { readFileSync, writeFileSync } from "node:fs";
import { rulesPage } from "../generator/commands/explain.js";
import { streamRulesPage } from "../test/conform/stream-rules-page.js";
import { importPicture } from "./architecture/import-picture.js";
import { withPart } from "./architecture/page-part.js";
import { readSources } from "./architecture/sources.js";
import { bugTable, lawTable } from "./pages/kit-tables.js";

function replaceParts(page: string, parts: { readonly [part: string]: string }): void {
  const text = readFileSync(page, "utf8");
  const written = Object.entries(parts).reduce((before, [part, now]) => withPart(before, part, now), text);
  writeFileSync(page, written);
}

writeFileSync("docs/rules.md", rulesPage());
writeFileSync("docs/stream-rules.md", streamRulesPage());
replaceParts("docs/contract-testing.md", { laws: lawTable(), bugs: bugTable() });
replaceParts("docs/architecture.md", { imports: importPicture(readSources()) });
