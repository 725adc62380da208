/** If this fails, tools that do not know accrete cannot use schema.json. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { $RefParser } from "@apidevtools/json-schema-ref-parser";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";

const root = path.join(import.meta.dirname, "..", "..");
const readJson = (file: string): JsonObject => JSON.parse(readFileSync(file, "utf8"));

describe.each(["hecate/v1", "frames/v1", "frames/v2", "evva/v0"])("schema.json of %s", (id) => {
  const bundle = readJson(path.join(root, "generated", id, "schema.json"));

  it("contains only references to existing schemas of the same file", async () => {
    const parser = new $RefParser();
    const references = await parser.resolve(structuredClone(bundle), { resolve: { external: false } });
    expect(references.paths()).toHaveLength(1);
    const found = [...JSON.stringify(bundle).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = ""]) => target);
    expect(found.length).toBeGreaterThan(50);
    expect(found.filter((target) => !references.exists(target, {}))).toEqual([]);
  });

  it("accepts every valid fixture", () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    addFormats.default(ajv);
    const validate = ajv.compile(bundle);
    const folder = path.join(root, "fixtures", id, "valid");
    const events = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".json"),
    );
    const refused = events.filter((file) => !validate(readJson(path.join(folder, file)) as Json));
    expect(refused).toEqual([]);
    expect(events.length).toBeGreaterThan(20);
  });
});
