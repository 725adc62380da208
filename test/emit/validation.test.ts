/** If this fails, packages in other languages ignore a keyword, or `generate` writes patterns that they cannot check. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { emitProtocol } from "../../generator/emit/emit.js";
import { formatValidationFile, listUnsupportedPatterns } from "../../generator/emit/plan/validation.js";
import { makeOutputs } from "../../generator/generate/generate.js";
import { getKeywords } from "../../generator/schema/keywords.js";
import { PROTOCOLS } from "./fixtures.js";

const RUNTIMES = ["go/package/validation.go", "python/package/validation.py", "rust/package/validation.rs"];

/** Keywords that are read together with another one. */
const READ_WITH_OTHERS = new Set(["then", "else", "minContains", "maxContains", "$defs"]);

const [protocol] = PROTOCOLS;
if (protocol === undefined) throw new Error("there is no protocol");
const [first, ...others] = protocol.events;
if (first === undefined) throw new Error("there is no event type");

/** A protocol with a pattern whose group matches many texts and is referred to. */
const unsupported = {
  ...protocol,
  events: [{ ...first, payload: { properties: { a: { pattern: "^(.+)\\1$" } } } }, ...others],
};

describe("validation in other languages", () => {
  it.each(RUNTIMES)("knows every keyword of a reading: %s", (file) => {
    const source = readFileSync(`generator/emit/${file}`, "utf8");
    const keywords = [...getKeywords()].flatMap(([name, { facet, unsupported: reason }]) =>
      facet === "annotations" || reason !== undefined || name.startsWith("x-") ? [] : [name],
    );
    const checked = keywords.filter((name) => !READ_WITH_OTHERS.has(name));
    expect(checked.length).toBeGreaterThan(30);
    // A row of the table of keywords begins with the name.
    const isRow = (name: string): boolean =>
      new RegExp(`^\\s*(?:assert\\(|limit\\(|[{(])?"${name.replace("$", "\\$")}"[:,]`, "m").test(source);
    expect(checked.filter((name) => !isRow(name))).toEqual([]);
  });

  it("names the place of a pattern that has no automaton", async () => {
    expect(listUnsupportedPatterns(unsupported)).toEqual([
      { pattern: "^(.+)\\1$", at: { ...first.at, pointer: `${first.at.pointer}/properties/a` } },
    ]);
    const options = { schemas: "schemas", out: "generated", fixtures: "fixtures", cache: undefined };
    await expect(makeOutputs([unsupported], { ...options, emit: ["python"] })).rejects.toThrow(
      `${first.at.file}${first.at.pointer}/properties/a: the output "python" cannot check the pattern "^(.+)\\\\1$"`,
    );
  });

  it("has no schemas where types alone are checked", () => {
    const { envelope, events, patterns } = JSON.parse(formatValidationFile(unsupported, "types"));
    expect([envelope, events, patterns]).toEqual([true, {}, {}]);
  });

  it("is written once if an output is named with and without validation", async () => {
    const context = { runtime: [], fixtures: "", optionalOutputs: ["python-types", "python"] };
    const outputs = await emitProtocol({ ...protocol, events: [first] }, context);
    const files = outputs.filter(({ path }) => path.endsWith("/validation.json"));
    expect(files.map(({ content }) => JSON.parse(content).envelope)).toEqual([
      expect.objectContaining({ type: "object" }),
    ]);
  });
});
