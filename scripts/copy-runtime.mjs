// The files of the package that are used as they stand, beside the compiled ones.
import { cpSync } from "node:fs";

cpSync("generator/runtime", "dist/runtime", { recursive: true });
cpSync("generator/load/protocol.schema.json", "dist/load/protocol.schema.json");
