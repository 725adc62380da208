// The files of the package that are used as they stand, beside the compiled ones in the folder that is named, or dist.
import { cpSync } from "node:fs";

const out = process.argv[2] ?? "dist";
const isServed = (file) => !file.endsWith("tsconfig.json");
for (const name of [
  "runtime",
  "load/config.schema.json",
  "load/protocol.schema.json",
  "report/report.schema.json",
  "serve/faults.schema.json",
  "serve/page",
])
  cpSync(`generator/${name}`, `${out}/${name}`, { recursive: true, filter: isServed });
