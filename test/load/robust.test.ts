/** If this fails, a broken schemas folder makes commands crash or hang, or hides the errors of the real schemas. */
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { withTemporaryFolder } from "../folders.js";
import { readJson, writeCase } from "./case-folder.js";

const SCHEMAS = path.join(import.meta.dirname, "../../schemas");
const ALL = ["evva/v0", "frames/v1", "frames/v2", "hecate/v1"];

/** The families of tools of hecate/v1, whose first type is that of invoked tools. */
const FAMILIES_OF_TOOLS = [
  ...["shell", "mcp", "file", "file_read", "file_write", "edit", "multi_edit"],
  ...["glob", "grep", "todo_write", "http", "web_fetch", "web_search"],
];

const formatBriefly = ({ rule, severity, at }: Finding) =>
  `${severity} ${rule} ${path.basename(at.file)} ${at.pointer}`;
const loadIds = async (folder: string) => (await loadSchemas(folder)).protocols.map(({ id }) => id);

type Change = (folder: string) => void;
const createEdit =
  (file: string, change: (schema: { [key: string]: Json }) => void): Change =>
  (folder) => {
    const schema = readJson(path.join(folder, file)) as { [key: string]: Json };
    change(schema);
    writeFileSync(path.join(folder, file), JSON.stringify(schema, null, 2));
  };
const getField = (schema: JsonObject, name: string) =>
  (schema.properties as JsonObject)[name] as { [key: string]: Json };
const createMove =
  (from: string, to: string): Change =>
  (folder) =>
    renameSync(path.join(folder, from), path.join(folder, to));

const INVOKED = "events/tool.invoked.schema.json";

/** Changes that break a real protocol, and their findings. */
const MUTATIONS: readonly {
  about: string;
  protocol: string;
  change: Change;
  findings: readonly string[];
}[] = [
  {
    about: "a keyword is misspelt",
    protocol: "hecate/v1",
    change: createEdit(INVOKED, (schema) => {
      getField(schema, "kind").descriptoin = "…";
    }),
    findings: ["error keyword-unknown tool.invoked.schema.json /properties/kind/descriptoin"],
  },
  {
    about: "an event loses its description",
    protocol: "evva/v0",
    change: createEdit("events/text.schema.json", (schema) => delete schema.description),
    findings: ["error description-missing text.schema.json "],
  },
  {
    about: "a field loses its description",
    protocol: "hecate/v1",
    change: createEdit(
      "events/run.failed.schema.json",
      (schema) => delete getField(schema, "message").description,
    ),
    findings: ["warning description-missing run.failed.schema.json /properties/message"],
  },
  {
    about: "a file is named in the wrong case",
    protocol: "hecate/v1",
    change: createMove(INVOKED, "events/Tool.Invoked.schema.json"),
    findings: [
      "error event-type-invalid Tool.Invoked.schema.json ",
      "error name-case Tool.Invoked.schema.json ",
      "error declared-type-unknown protocol.json /stream/rules/lifecycles/0/start/0",
      "error declared-type-unknown protocol.json /stream/rules/lifecycles/0/restart/1",
      "error declared-type-unknown protocol.json /stream/rules/machines/0/changes/9/types/4",
      "error declared-type-unknown protocol.json /stream/rules/machines/0/changes/10/types/4",
      "error declared-type-unknown protocol.json /stream/rules/machines/0/forbids/12/types/2",
      "error declared-type-unknown protocol.json /stream/rules/machines/3/changes/0/types/0",
      "error declared-type-unknown protocol.json /stream/rules/offsets/0/start/0",
      "error declared-type-unknown protocol.json /stream/rules/only/0/of/type",
      "error declared-type-unknown protocol.json /stream/rules/only/1/of/type",
      "error declared-type-unknown protocol.json /stream/rules/only/2/of/type",
      "error declared-type-unknown protocol.json /stream/rules/constant/8/types/0",
      "error declared-type-unknown protocol.json /stream/rules/constant/9/restart/0",
      "error declared-type-unknown protocol.json /stream/rules/constant/10/restart/0",
      "error declared-type-unknown protocol.json /stream/rules/constant/11/restart/0",
      "error declared-type-unknown protocol.json /stream/rules/constant/12/restart/0",
      "error declared-type-unknown protocol.json /stream/rules/constant/13/restart/0",
      "error declared-type-unknown protocol.json /stream/rules/constant/14/restart/0",
      "error declared-type-unknown protocol.json /stream/rules/constant/15/restart/0",
      "error declared-type-unknown protocol.json /stream/rules/stages/0/stages/1/0",
      "error declared-type-unknown protocol.json /stream/rules/blocks/5/forbids/0",
      "error declared-type-unknown protocol.json /stream/rules/blocks/7/forbids/3",
      "error declared-type-unknown protocol.json /stream/rules/blocks/16/until/types/0",
      "error declared-type-unknown protocol.json /stream/rules/blocks/17/forbids/0",
      "error declared-type-unknown protocol.json /stream/rules/blocks/19/until/types/0",
      "error declared-type-unknown protocol.json /stream/rules/blocks/20/until/types/0",
      "error declared-type-unknown protocol.json /stateFeed/members/steps/events/1/type",
      "error declared-type-unknown protocol.json /view/roles/tool.invoked",
      ...FAMILIES_OF_TOOLS.map(
        (family) => `error declared-type-unknown protocol.json /promotion/families/${family}/0`,
      ),
      "error declared-type-unknown protocol.json /faults/calls/types/1",
    ],
  },
  {
    about: "a required field is renamed",
    protocol: "hecate/v1",
    change: createEdit(INVOKED, (schema) => {
      const { tool_name: name, ...others } = schema.properties as JsonObject;
      schema.properties = { ...others, tool: name as Json };
      delete schema.examples;
    }),
    findings: [
      "error required-undeclared tool.invoked.schema.json /required/1",
      "error declared-field-unknown protocol.json /stateFeed/members/steps/events/1/fields/tool_name",
      "error declared-field-unknown protocol.json /view/roles/tool.invoked/name",
    ],
  },
  {
    about: "a field is constrained so that its example is refused",
    protocol: "hecate/v1",
    change: createEdit(INVOKED, (schema) => {
      getField(schema, "tool_name").maxLength = 1;
    }),
    findings: ["error example-invalid tool.invoked.schema.json /examples/0/tool_name"],
  },
  {
    about: "a payload field takes an envelope field's name",
    protocol: "frames/v2",
    change: createEdit("events/output_text_delta.schema.json", (schema) => {
      schema.properties = { ...(schema.properties as JsonObject), seq: { description: "…" } };
    }),
    findings: ["error field-reserved output_text_delta.schema.json /properties/seq"],
  },
  {
    about: "a keyed event loses its payload property",
    protocol: "evva/v0",
    change: createEdit("events/text.schema.json", (schema) => delete schema["x-payload-property"]),
    findings: ["error payload-property-missing text.schema.json "],
  },
  {
    about: "a protocol loses its protocol.json",
    protocol: "hecate/v1",
    change: createMove("protocol.json", "protocol.jsn"),
    findings: ["error protocol-missing v1 "],
  },
];

describe("the real schemas", () => {
  it("have no findings", async () => {
    const { protocols, findings } = await loadSchemas(SCHEMAS);
    expect(findings).toEqual([]);
    expect(protocols.map(({ id }) => id)).toEqual(ALL);
  });

  it.each(MUTATIONS)("when $about", ({ protocol, change, findings }) =>
    withTemporaryFolder(async (folder) => {
      for (const id of [protocol, "frames/v1"])
        cpSync(path.join(SCHEMAS, id), path.join(folder, id), { recursive: true });
      change(path.join(folder, protocol));
      const loaded = await loadSchemas(folder);
      expect(loaded.findings.map(formatBriefly)).toEqual(findings);
      expect(loaded.protocols.map(({ id }) => id).sort()).toEqual(
        ["frames/v1", protocol]
          .filter((id) => id !== protocol || !findings.some((text) => text.startsWith("error")))
          .sort(),
      );
      // Findings about a file have a line and a column.
      for (const { rule, at } of loaded.findings)
        expect([at.line, at.column].every(Number.isInteger)).toBe(rule !== "protocol-missing");
    }),
  );

  it("load the same from another folder and through a link", () =>
    withTemporaryFolder(async (folder) => {
      cpSync(SCHEMAS, path.join(folder, "copy"), { recursive: true });
      symlinkSync("copy", path.join(folder, "link"));
      const loadText = async (name: string) =>
        JSON.stringify(await loadSchemas(path.join(folder, name), ["evva/v0"])).replaceAll(
          path.join(folder, name),
          "",
        );
      expect(await loadText("link")).toBe(await loadText("copy"));
    }));
});

describe("loading", () => {
  it("never throws, whatever value a file or one of its members has", () => {
    const nested = readJson(path.join(import.meta.dirname, "../cases/lint/base/nested.json")) as JsonObject;
    const { pointers, replace } = listPlaces(nested);
    const keyword = fc.constantFrom(
      "$ref",
      "allOf",
      "properties",
      "required",
      "type",
      "examples",
      "x-writer",
      "if",
      "$defs",
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(keyword, fc.jsonValue({ maxDepth: 1 })),
    );
    return fc.assert(
      fc.asyncProperty(fc.constantFrom(...pointers), value, (place, value) =>
        withTemporaryFolder(async (folder) => {
          const files = replace(place, value as Json) as { [path: string]: Json };
          const { protocols, findings } = await loadSchemas(writeCase(folder, { base: "none", files }));
          expect(protocols.length).toBe(findings.some(({ severity }) => severity === "error") ? 0 : 1);
        }),
      ),
      { numRuns: 200 },
    );
  });

  it("refuses 10,000 levels, in objects too, and does not crash", () => {
    const deep = `${'{"not":'.repeat(10_000)}true${"}".repeat(10_000)}`;
    return withTemporaryFolder(async (folder) => {
      const schemas = writeCase(folder, { files: { "shared/deep.schema.json": deep } });
      expect((await loadSchemas(schemas)).findings.map(formatBriefly)).toEqual([
        "error json-depth deep.schema.json ",
      ]);
    });
  });

  it("accepts the deepest allowed nesting", () => {
    const nestItems = (levels: number): JsonObject =>
      levels === 0 ? { type: "string" } : { items: nestItems(levels - 1) };
    const event = { ...EVENT, properties: { a: { description: "A", ...nestItems(250) } } };
    return withTemporaryFolder(async (folder) => {
      const schemas = writeCase(folder, { files: { "events/a.schema.json": event } });
      expect((await loadSchemas(schemas)).findings).toEqual([]);
    });
  });

  it("loads a schema of 5 MB in a few seconds", { timeout: 30_000 }, () => {
    const names = Array.from({ length: 30_000 }, (_, i) => `field_${i}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { description: "x".repeat(130), type: "string" }]),
    );
    return withTemporaryFolder(async (folder) => {
      const schemas = writeCase(folder, { files: { "events/a.schema.json": { ...EVENT, properties } } });
      expect(readFileSync(path.join(schemas, "demo/v1/events/a.schema.json")).length).toBeGreaterThan(5e6);
      const start = performance.now();
      expect((await loadSchemas(schemas)).findings).toEqual([]);
      expect(performance.now() - start).toBeLessThan(10_000);
    });
  });

  it("does not hang on folders that link to each other", () =>
    withTemporaryFolder(async (folder) => {
      const schemas = writeCase(folder, { files: { "notes/a.md": "x" } });
      const inside = path.join(schemas, "demo/v1");
      symlinkSync("..", path.join(inside, "notes/up"));
      symlinkSync("notes", path.join(inside, "down"));
      symlinkSync("loop", path.join(inside, "loop"));
      symlinkSync(".", path.join(inside, "resources"));
      // `resources` leads to the whole folder, whose files are then unexpected.
      expect((await loadSchemas(schemas)).protocols).toEqual([]);
      expect((await loadSchemas(schemas)).findings.map(({ rule }) => rule)).toContain("file-unexpected");
    }));

  it("does not return a protocol with a broken file, even if another protocol refers to the file first", () =>
    withTemporaryFolder(async (folder) => {
      const schemas = writeCase(folder, {
        files: {
          "events/a.schema.json": {
            ...EVENT,
            properties: { z: { $ref: "../../../zebra/v1/events/z.schema.json" } },
          },
        },
      });
      cpSync(path.join(schemas, "demo"), path.join(schemas, "zebra"), { recursive: true });
      const manifest = path.join(schemas, "zebra/v1/protocol.json");
      writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"demo"', '"zebra"'));
      writeFileSync(path.join(schemas, "zebra/v1/events/a.schema.json"), JSON.stringify(EVENT));
      mkdirSync(path.join(schemas, "other"));
      expect(await loadIds(schemas)).toEqual(["zebra/v1"]);
      writeFileSync(path.join(schemas, "zebra/v1/events/z.schema.json"), JSON.stringify(EVENT));
      expect(await loadIds(schemas)).toEqual(["demo/v1", "zebra/v1"]);
      writeFileSync(path.join(schemas, "zebra/v1/events/z.schema.json"), "{");
      expect(await loadIds(schemas)).toEqual([]);
    }));

  it("lists the existing protocols if the requested one does not exist", async () => {
    const { protocols, findings } = await loadSchemas(SCHEMAS, ["evva/v0", "hecate/v9"]);
    expect(protocols.map(({ id }) => id)).toEqual(["evva/v0"]);
    expect(findings.map(({ rule, message }) => [rule, ALL.every((id) => message.includes(id))])).toEqual([
      ["protocol-missing", true],
    ]);
    expect((await loadSchemas("/nowhere")).findings.map(({ rule }) => rule)).toEqual(["protocol-missing"]);
    expect((await loadSchemas(import.meta.filename)).findings.map(({ rule }) => rule)).toEqual([
      "protocol-missing",
    ]);
  });
});

const EVENT = { title: "T", description: "D", "x-stability": "stable", type: "object" };

/** Returns the paths of all values below `root`, and a function that returns `root` with another value at a path. */
function listPlaces(root: Json) {
  const pointers: string[][] = [];
  const visit = (value: Json, at: string[]): void => {
    if (at.length > 0) pointers.push(at);
    if (typeof value === "object" && value !== null)
      for (const [key, below] of Object.entries(value)) visit(below, [...at, key]);
  };
  visit(root, []);
  const put = (value: Json, [key, ...rest]: readonly string[], other: Json): Json => {
    if (key === undefined) return other;
    if (Array.isArray(value))
      return value.map((item, i) => (String(i) === key ? put(item, rest, other) : item));
    return isObject(value) ? { ...value, [key]: put(value[key] as Json, rest, other) } : value;
  };
  return { pointers, replace: (at: readonly string[], other: Json) => put(root, at, other) };
}
