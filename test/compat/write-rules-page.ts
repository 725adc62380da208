/** Writes docs/rules.md: `npx tsx test/compat/write-rules-page.ts`. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { rulesPage } from "../../generator/commands/explain.js";

writeFileSync(path.join(import.meta.dirname, "../../docs/rules.md"), rulesPage());
