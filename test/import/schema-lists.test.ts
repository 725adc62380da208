/** If this fails, an import of a list of schemas is refused, or gives many copies of one type. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bundleSchemas } from "../../generator/import/bundle.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";

const $schema = "http://json-schema.org/draft-07/schema#";

/** The schema of a message that uses the definition `Custom`, as in OCPP. */
function createMessage($id: string, custom: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    $schema,
    $id,
    definitions: { Custom: custom },
    type: "object",
    properties: { custom: { $ref: "#/definitions/Custom" } },
    required: ["custom"],
    ...more,
  };
}

const VENDOR = { type: "object", properties: { vendor: { type: "string" } }, required: ["vendor"] };
const SIZE = { type: "object", properties: { size: { type: "number" } }, required: ["size"] };

async function importDocument(document: Json) {
  const root = createTemporaryFolder({ "messages.json": JSON.stringify(document) });
  const folders = ["--schemas", path.join(root, "schemas"), "--fixtures", path.join(root, "fixtures")];
  const { stdout, stderr, exitCode } = await runAccrete([
    "import",
    path.join(root, "messages.json"),
    ...folders,
  ]);
  const file = path.join(root, "schemas/messages/v1/shared/definitions.schema.json");
  return {
    stdout,
    stderr,
    exitCode,
    readDefinitions: () => Object.keys(JSON.parse(readFileSync(file, "utf8")).$defs),
  };
}

describe("a list of schemas", () => {
  it("becomes one event per schema, named after the ends of the ids, with one copy of equal definitions", async () => {
    const { stdout, readDefinitions } = await importDocument([
      createMessage("urn:Start.req", VENDOR),
      createMessage("urn:Stop.req", VENDOR),
      createMessage("urn:Reset.req", SIZE),
    ]);
    expect(stdout).toContain("3 events, distinguished by the end of the $id");
    expect(stdout).toContain("3 of 3 events");
    expect(readDefinitions()).toEqual(["Custom", "Custom2"]);
  });

  it("is named after titles where there are no ids", async () => {
    const schemas = [
      createMessage("", VENDOR, { title: "start" }),
      createMessage("", SIZE, { title: "stop" }),
    ];
    const { stdout } = await importDocument(schemas.map(({ $id: _id, ...rest }) => rest));
    expect(stdout).toContain("2 events, distinguished by the title");
  });

  it.each([[[{ type: "started", at: 1 }]], [[{ type: "started", definitions: 1 }, { type: "stopped" }]]])(
    "is a list of events if a member has no keyword of schemas: %j",
    async (list) => {
      const { stdout } = await importDocument(list);
      expect(stdout).not.toContain("distinguished by the end");
      expect(stdout).toContain("imported messages/v1");
    },
  );
});

describe("equal definitions", () => {
  const bundle = (files: { readonly [name: string]: JsonObject }) =>
    bundleSchemas("root", { read: (name) => files[name] });
  const createList = (value: Json): JsonObject => ({
    definitions: { Item: { properties: { next: { $ref: "#/definitions/Item" }, value } } },
    $ref: "#/definitions/Item",
  });
  const root = { $schema, oneOf: [{ $ref: "a" }, { $ref: "b" }] };

  it.each([
    ["that refer to themselves are merged", { type: "string" }, { type: "string" }, ["a", "Item", "b"]],
    ["with other contents stay apart", { type: "string" }, { type: "number" }, ["a", "Item", "b", "Item2"]],
  ])("%s", (_title, valueA, valueB, names) => {
    const { definitions } = bundle({ root, a: createList(valueA), b: createList(valueB) });
    expect(Object.keys(definitions)).toEqual(names);
  });

  it("with other names stay apart, and what refers to them too", () => {
    const refer = (name: string): JsonObject => ({
      definitions: { Holder: { items: { $ref: `#/definitions/${name}` } }, [name]: { type: "string" } },
      $ref: "#/definitions/Holder",
    });
    const { definitions } = bundle({ root, a: refer("Text"), b: refer("Word") });
    expect(Object.keys(definitions)).toEqual(["a", "Holder", "Text", "b", "Holder2", "Word"]);
  });
});
