/** If this fails, every command starts 0.3 s later, because Ajv checks protocol.json if its shape does not admit it. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { matchesShape } from "../../generator/schema/shape/shape.js";
import { deriveShape } from "../../generator/schema/shape/shape-of.js";

const schema = JSON.parse(readFileSync("generator/load/protocol.schema.json", "utf8"));

it.each(["hecate/v1", "frames/v1", "frames/v2", "evva/v0"])(
  "admits %s/protocol.json, but not with an incomplete role",
  (id) => {
    const manifest = JSON.parse(readFileSync(`schemas/${id}/protocol.json`, "utf8"));
    const shape = deriveShape({ schema, $defs: schema.$defs });
    expect(matchesShape(shape, manifest)).toBe(true);
    expect(matchesShape(shape, { ...manifest, view: { x: { as: "cost" } } })).toBe(false);
  },
);
