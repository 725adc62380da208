/**
 * Writes the pages and tables of docs/ that follow from the sources: docs/rules.md, docs/stream-rules.md, the tables of
 * docs/contract-testing.md and docs/outputs.md, the picture of imports in docs/architecture.md, and the parts of the
 * published schemas that list keywords, stream rules and outputs.
 *
 *     npm run docs
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { renderRulesPage } from "../generator/commands/explain.js";
import { GO_FACETS } from "../generator/emit/go/types.js";
import { PYTHON_FACETS } from "../generator/emit/python/types.js";
import { RUST_FACETS } from "../generator/emit/rust/types.js";
import { formatImportPicture } from "./architecture/import-picture.js";
import { replacePart } from "./architecture/page-part.js";
import { readSources } from "./architecture/sources.js";
import { createEventSchema } from "./pages/event-schema.js";
import { formatBugTable, formatLawTable } from "./pages/kit-tables.js";
import { addOutputNames, formatOutputTable } from "./pages/optional-outputs.js";
import { addStreamRules, formatStreamRulesPage } from "./pages/stream-rules.js";
import { formatUncheckedKeywords } from "./pages/unchecked-keywords.js";

function replaceParts(page: string, parts: { readonly [part: string]: string }): void {
  const text = readFileSync(page, "utf8");
  const written = Object.entries(parts).reduce((before, [part, now]) => replacePart(before, part, now), text);
  writeFileSync(page, written);
}

writeFileSync("docs/rules.md", renderRulesPage());
writeFileSync("docs/stream-rules.md", formatStreamRulesPage());
replaceParts("docs/contract-testing.md", { laws: formatLawTable(), bugs: formatBugTable() });
replaceParts("docs/architecture.md", { imports: formatImportPicture(readSources()) });
replaceParts("docs/outputs.md", { outputs: formatOutputTable() });
replaceParts("docs/go.md", { unchecked: formatUncheckedKeywords(GO_FACETS) });
replaceParts("docs/python.md", { unchecked: formatUncheckedKeywords(PYTHON_FACETS) });
replaceParts("docs/rust.md", { unchecked: formatUncheckedKeywords(RUST_FACETS) });

const EVENT_SCHEMA = "generator/load/event.schema.json";
writeFileSync(EVENT_SCHEMA, JSON.stringify(createEventSchema()));
const SCHEMAS = [
  ["generator/load/protocol.schema.json", addStreamRules],
  ["generator/load/config.schema.json", addOutputNames],
] as const;
for (const [file, update] of SCHEMAS)
  writeFileSync(file, JSON.stringify(update(JSON.parse(readFileSync(file, "utf8")))));
execFileSync("npx", ["biome", "format", "--write", EVENT_SCHEMA, ...SCHEMAS.map(([file]) => file)], {
  stdio: "ignore",
});
