/** If this fails, generated validators do not run outside of this repository, throw, or break Standard Schema. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as evva from "../../generated/evva/v0/index.js";
import * as framesV1 from "../../generated/frames/v1/index.js";
import * as framesV2 from "../../generated/frames/v2/index.js";
import * as hecate from "../../generated/hecate/v1/index.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { CASES, type DecodeCase } from "../cases/emit/decode.js";
import { PROTOCOLS, readValidFixtures } from "../emit/fixtures.js";
import { UNUSUAL_VALUES } from "../emit/mutations.js";
import { runNode } from "../emit/run.js";
import { anyValue } from "../emit/schemas.js";
import { createSharedFolder } from "../folders.js";

const root = createSharedFolder();

const MODULES = { "hecate/v1": hecate, "frames/v1": framesV1, "frames/v2": framesV2, "evva/v0": evva };
const ALL_PROTOCOLS = Object.values(MODULES).map(({ protocol }) => protocol);
const PROFILES = ["reader", "writer"] as const;

const MAIN = `
let text = ""; for await (const chunk of process.stdin) text += chunk;
const { cases } = JSON.parse(text);
const results = [];
for (const { id, event, profile } of cases) {
  const { decodeEvent } = await import("./" + id + "/" + profile + ".js");
  results.push(decodeEvent(event).kind);
}
console.log(JSON.stringify({ results, require: typeof require }));
`;

describe("generated validators", () => {
  it("run in a bare folder under plain Node, all fixtures known", () => {
    const modules = PROTOCOLS.map(({ id }) => `generated/${id}`);
    for (const folder of modules) {
      const target = path.join(root, folder.slice("generated/".length));
      mkdirSync(target, { recursive: true });
      for (const file of readdirSync(folder).filter((name) => name.endsWith(".js")))
        copyFileSync(path.join(folder, file), path.join(target, file));
    }
    const cases = PROTOCOLS.flatMap((protocol) =>
      protocol.events.flatMap(({ type }) =>
        readValidFixtures(protocol, type).flatMap((event) =>
          PROFILES.map((profile) => ({ id: protocol.id, event, profile })),
        ),
      ),
    );
    // The folder has its own package.json, which declares ES modules.
    const { results } = runNode(root, MAIN, { cases }, "module") as { results: string[] };
    expect(new Set(results)).toEqual(new Set(["known"]));
    expect(results.length).toBe(cases.length);
  });

  it("use no require, and import only files of their folder", () => {
    for (const { id } of PROTOCOLS)
      for (const file of readdirSync(`generated/${id}`).filter((name) => name.endsWith(".js"))) {
        const code = readFileSync(`generated/${id}/${file}`, "utf8");
        expect(code).not.toMatch(/\brequire\b|\bimport\(|\beval\b|new Function/);
        for (const [, from] of code.matchAll(/^(?:import|export) .*?from "([^"]+)"/gm))
          expect(from).toMatch(/^\.\/[\w-]+\.js$/);
      }
  });
});

describe("decodeEvent", () => {
  it.each(CASES)("$what", ({ id, event, profile = "reader", kind, issues = [] }: DecodeCase) => {
    const before = JSON.stringify(event);
    const result = MODULES[id].protocol.decodeEvent(event, { profile });
    expect(result.kind).toBe(kind);
    expect(JSON.stringify(event)).toBe(before);
    if (result.kind === "invalid")
      expect(result.issues.map(({ pointer, keyword }) => [pointer, keyword])).toEqual(issues);
    else expect(result.event).toBe(event);
  });

  it("never throws and never changes a value, whatever it is", () => {
    const types = ALL_PROTOCOLS.flatMap(({ metadata }) => Object.keys(metadata));
    const type = fc.oneof(
      fc.constantFrom(...types),
      fc.constantFrom("constructor", "__proto__", "toString", ""),
    );
    const event = fc.tuple(type, anyValue, anyValue, fc.boolean()).map(([name, data, rest, inline]) => ({
      ...(inline && typeof rest === "object" && !Array.isArray(rest) ? rest : {}),
      type: name,
      Kind: name,
      data,
      schema_version: "1",
    }));
    const value = fc.oneof(
      event,
      anyValue,
      fc.jsonValue(),
      fc.constantFrom(...UNUSUAL_VALUES),
    ) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(value, fc.constantFrom(...PROFILES), (input, profile) => {
        const before = JSON.stringify(input);
        for (const { decodeEvent } of ALL_PROTOCOLS) {
          const result = decodeEvent(input, { profile });
          if (result.kind === "invalid") {
            expect(result.issues.length).toBeGreaterThan(0);
            for (const { pointer, path: tokens, keyword, message } of result.issues) {
              expect(`${keyword}${message}`).not.toMatch(/undefined|\[object/);
              expect(tokens.map((t) => `/${t.replace(/~/g, "~0").replace(/\//g, "~1")}`).join("")).toBe(
                pointer,
              );
            }
          } else expect(result.event).toBe(input);
        }
        expect(JSON.stringify(input)).toBe(before);
      }),
      { numRuns: 2000 },
    );
  });

  it("does not fail on values that are nested deeper than the stack", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(50_000)}${"]}".repeat(50_000)}`);
    for (const { decodeEvent, metadata, envelope } of ALL_PROTOCOLS)
      for (const type of Object.keys(metadata))
        for (const profile of PROFILES)
          expect(["known", "invalid"]).toContain(
            decodeEvent(
              { [envelope.discriminator]: type, data: deep, input: deep, schema: deep },
              { profile },
            ).kind,
          );
  });
});

/** Tests the parts of https://standardschema.dev that a consumer of version 1 relies on. */
describe("~standard", () => {
  const all = ALL_PROTOCOLS.flatMap(({ id, validators }) =>
    PROFILES.flatMap((profile) => {
      const { envelope, events } = validators[profile];
      return [...events, ["envelope", envelope] as const].map(([type, validate]) => ({
        id,
        profile,
        type,
        validate,
      }));
    }),
  );

  it("conforms to version 1", () => {
    for (const { validate } of all) {
      const standard = validate["~standard"];
      expect(standard.version).toBe(1);
      expect(standard.vendor).toBe("accrete");
      const result = standard.validate({});
      expect(result).not.toBeInstanceOf(Promise);
      expect("value" in result).toBe(false);
      for (const issue of result.issues ?? []) {
        expect(typeof issue.message).toBe("string");
        expect(issue.path?.every((key) => ["string", "number", "symbol"].includes(typeof key))).toBe(true);
      }
    }
  });

  it("returns the value itself and no issues if the validator accepts it", () => {
    const [protocol] = PROTOCOLS.filter(({ id }) => id === "hecate/v1");
    for (const [type, validate] of hecate.protocol.validators.reader.events)
      for (const event of protocol ? readValidFixtures(protocol, type) : []) {
        const result = validate["~standard"].validate(event) as { value?: unknown; issues?: unknown };
        expect(result.value).toBe(event);
        expect(result.issues).toBeUndefined();
        expect(validate(event)).toBe(true);
        expect(validate.issues(event)).toEqual([]);
      }
  });

  it("refuses events of other types", () => {
    const event: JsonObject = { type: "run.queued" };
    const issues = hecate.protocol.validators.reader.events.get("run.started")?.issues(event) ?? [];
    expect(issues).toContainEqual({
      pointer: "/type",
      keyword: "const",
      message: 'must be "run.started"',
      path: ["type"],
    });
  });
});
