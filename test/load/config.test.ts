/** If this fails, a wrong configuration is accepted, or its error is reported in the wrong place. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { OUTPUT_NAMES } from "../../generator/emit/optional-emitters.js";
import { parseConfig } from "../../generator/load/config.js";
import { parseSource } from "../../generator/source/source.js";
import { readPart } from "../../scripts/architecture/page-part.js";
import { formatOutputTable } from "../../scripts/pages/optional-outputs.js";

const schema = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../../generator/load/config.schema.json"), "utf8"),
);

function parseText(text: string, pointer = "") {
  const source = parseSource("accrete.config.json", Buffer.from(text));
  if (!("source" in source)) throw new Error("no JSON");
  return parseConfig(source.source, pointer);
}

describe("the published schema", () => {
  it("is a schema", () => {
    const ajv = new Ajv2020({ allErrors: true });
    expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
  });

  it("lists all optional outputs (npm run docs)", () => {
    expect(schema.properties.emit.items.enum).toEqual(OUTPUT_NAMES);
    expect(readPart(readFileSync("docs/outputs.md", "utf8"), "outputs")).toBe(formatOutputTable());
  });
});

it.each(["{}", '{"$schema":"x","schemas":"../a b","out":"ö","fixtures":"f","emit":["go","asyncapi"]}'])(
  "reads %s",
  (text) => {
    expect(parseText(text)).toEqual({ config: JSON.parse(text) });
    expect(parseText(`{"name":"x","accrete":${text}}`, "/accrete")).toEqual({ config: JSON.parse(text) });
  },
);

type Place = readonly [line: number, column: number, message: RegExp];

const FAULTS: readonly { readonly text: string; readonly places: readonly Place[] }[] = [
  { text: '{\n  "shemas": "x"\n}', places: [[2, 3, /no key "shemas"; did you mean "schemas"\?/]] },
  {
    text: '{\n  "zzz": "x", "Out": 1\n}',
    places: [
      [2, 3, /no key "zzz"\.$/],
      [2, 15, /no key "Out"; did you mean "out"/],
    ],
  },
  { text: '{ "__proto__": 1 }', places: [[1, 3, /no key "__proto__"\.$/]] },
  { text: '{ "out": 1 }', places: [[1, 10, /^"out" must be a string, in double quotes\.$/]] },
  { text: '{ "out": "" }', places: [[1, 10, /^"out" must NOT have fewer than 1 characters\.$/]] },
  { text: '{ "emit": "go" }', places: [[1, 11, /^"emit" must be a list\.$/]] },
  {
    text: '{ "emit": ["go", "openap"] }',
    places: [[1, 18, /^Unknown output "openap"; did you mean "openapi"\?$/]],
  },
  { text: '{ "emit": [1] }', places: [[1, 12, /^It must be one of .*openapi.*, not 1\.$/]] },
  { text: '{ "emit": ["go", "go"] }', places: [[1, 11, /^"emit" must NOT have duplicate items/]] },
  { text: "[]", places: [[1, 1, /^The configuration must be object\.$/]] },
  { text: "null", places: [[1, 1, /^The configuration must be object\.$/]] },
];

it.each(FAULTS)("refuses $text", ({ text, places }) => {
  const result = parseText(text);
  const findings = "findings" in result ? result.findings : [];
  expect(findings.map(({ at, message }) => [at.line, at.column, message])).toEqual(
    places.map(([line, column, message]) => [line, column, expect.stringMatching(message)]),
  );
});

it("locates an error in package.json", () => {
  const result = parseText('{\n  "accrete": {\n    "emits": []\n  }\n}', "/accrete");
  expect(result).toMatchObject({
    findings: [{ at: { line: 3, column: 5 }, message: expect.stringContaining('"emit"') }],
  });
});
