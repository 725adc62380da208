/** Writes docs/stream-rules.md: `npx tsx test/conform/write-stream-rules-page.ts`. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { streamRulesPage } from "./stream-rules-page.js";

writeFileSync(path.join(import.meta.dirname, "../../docs/stream-rules.md"), streamRulesPage());
