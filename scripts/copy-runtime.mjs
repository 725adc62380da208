// The files of the package that are used as they stand, beside the compiled ones.
import { cpSync } from "node:fs";

cpSync("generator/runtime", "dist/runtime", { recursive: true });
cpSync("generator/load/protocol.schema.json", "dist/load/protocol.schema.json");
cpSync("generator/report/report.schema.json", "dist/report/report.schema.json");
cpSync("generator/serve/faults.schema.json", "dist/serve/faults.schema.json");
const isServed = (file) => !file.endsWith("tsconfig.json");
cpSync("generator/serve/page", "dist/serve/page", { recursive: true, filter: isServed });
