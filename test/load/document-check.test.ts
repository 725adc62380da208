/** If this fails, every command loads Ajv and compiles a schema before it reads anything, which doubles its start-up time. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { parseConfig } from "../../generator/load/config.js";
import { readConsumers } from "../../generator/load/consumer-records.js";
import { checkManifest } from "../../generator/load/manifest.js";
import { readReleaseDocument } from "../../generator/load/releases/release-facts.js";
import type { Reading } from "../../generator/schema/readings.js";
import { NOTHING } from "../../generator/schema/shape/shape.js";
import { deriveShape } from "../../generator/schema/shape/shape-of.js";
import { walk } from "../../generator/schema/walk.js";
import { parseSource, type Source } from "../../generator/source/source.js";
import { createTemporaryFolder } from "../folders.js";

vi.mock("../../generator/validators/ajv-package.js", () => ({
  loadAjv: () => {
    throw new Error("Ajv was loaded");
  },
}));

const FOLDERS = readdirSync("schemas").flatMap((name) =>
  readdirSync(path.join("schemas", name)).map((major) => `${name}/${major}`),
);

function readSource(file: string, text = readFileSync(file, "utf8")): Source {
  const parsed = parseSource(file, Buffer.from(text));
  if ("findings" in parsed) throw new Error(`${file} is not JSON`);
  return parsed.source;
}

describe("without Ajv", () => {
  it.each(["protocol", "config"])("each part of %s.schema.json has a shape", (name) => {
    const schema: JsonObject = JSON.parse(readFileSync(`generator/load/${name}.schema.json`, "utf8"));
    const $defs = (schema.$defs ?? {}) as Reading["$defs"];
    const unknown: string[] = [];
    walk(schema, (part, pointer) => {
      // A shape is not derived from a part of `not`, but from the objects that it refuses.
      if (!pointer.includes("/not") && deriveShape({ schema: part, $defs }) === NOTHING)
        unknown.push(pointer);
    });
    expect(unknown).toEqual([]);
  });

  it.each(FOLDERS)("protocol.json of %s is checked", (folder) => {
    expect(checkManifest(readSource(`schemas/${folder}/protocol.json`), folder).findings).toEqual([]);
  });

  it.each(FOLDERS.filter((folder) => readdirSync(`schemas/${folder}`).includes("releases")))(
    "the releases of %s are checked",
    (folder) => {
      for (const release of readdirSync(`schemas/${folder}/releases`))
        expect(
          readReleaseDocument(readSource(`schemas/${folder}/releases/${release}`)).error,
        ).toBeUndefined();
    },
  );

  it("the configuration of a project is checked", () => {
    const config = { schemas: "schemas", out: "generated", fixtures: "fixtures", emit: ["python"] };
    expect(parseConfig(readSource("accrete.config.json", JSON.stringify(config)), "")).toEqual({ config });
  });

  it("the records of frontends are checked", () => {
    const record = { version: "1.0", events: ["note.added"], kinds: ["web"] };
    const root = createTemporaryFolder({ "consumers.json": JSON.stringify({ "notes/v1": { app: record } }) });
    expect(readConsumers(`${root}/consumers.json`)).toMatchObject({ records: [record], findings: [] });
  });
});
