/** If this fails, editors cannot use the published schemas of protocol.json and of reports. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";

// Commands do not check these schemas when they compile them.
it.each(["load/event.schema.json", "load/protocol.schema.json", "report/report.schema.json"])(
  "%s is a schema",
  (file) => {
    const schema = JSON.parse(readFileSync(path.join(import.meta.dirname, "../../generator", file), "utf8"));
    const ajv = new Ajv2020({ allErrors: true });
    expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
  },
);
