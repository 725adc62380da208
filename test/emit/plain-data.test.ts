/** If this fails, a protocol that is stored as JSON and read back gives other generated files. */
import { describe, expect, it } from "vitest";
import { emitProtocol } from "../../generator/emit/emit.js";
import { loadSchemas } from "../../generator/load/load.js";
import { readRuntime } from "../../generator/load/runtime.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { chooseCases } from "../depth.js";
import { withTemporaryFolder, writeFiles } from "../folders.js";
import { PROTOCOLS } from "./fixtures.js";
import { loadHostileProtocols } from "./hostile-protocols.js";
import { createRandomProtocols, PROTOCOL_COUNT, SEED } from "./made-protocols.js";

/** Loads a protocol whose payload is recursive in several ways and repeats a field of the envelope. */
function loadRecursiveProtocol(): Promise<readonly Protocol[]> {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const note = { type: "string", description: "A note." };
  const words = { $schema, title: "Words", description: "Words.", type: "object" };
  const self = { $ref: "tree.grown.schema.json" };
  const files = {
    "protocol.json": {
      name: "tree",
      major: 1,
      version: "1.0",
      title: "Tree",
      description: "Trees.",
      envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
      tombstones: [],
      waivers: [],
    },
    "envelope.schema.json": {
      ...words,
      properties: {
        type: { type: "string", description: "The type." },
        data: { type: "object", description: "The payload.", properties: { note } },
      },
      required: ["type", "data"],
    },
    "events/tree.grown.schema.json": {
      ...words,
      "x-stability": "candidate",
      "x-since": "1.0",
      properties: {
        note,
        child: { ...self, description: "The child." },
        children: { type: "array", items: self, description: "The children." },
        either: { anyOf: [self, { type: "null" }], description: "A child or none." },
      },
      anyOf: [{ required: ["child"] }, { properties: { children: { minItems: 1 } } }],
    },
  };
  const written = Object.entries(files).map(([file, content]) => [
    `tree/v1/${file}`,
    JSON.stringify(content),
  ]);
  return withTemporaryFolder(async (root) => {
    writeFiles(root, Object.fromEntries(written));
    const { protocols, findings } = await loadSchemas(root);
    expect(findings.map(({ message, at }) => `${at.file} ${at.pointer}: ${message}`)).toEqual([]);
    return protocols;
  });
}

const together = (await loadHostileProtocols()).filter(({ name }) => name.startsWith("all-"));
const all = [
  ...PROTOCOLS,
  ...(await loadRecursiveProtocol()),
  ...together,
  ...(await createRandomProtocols(PROTOCOL_COUNT, SEED)),
];

async function emitFiles(protocol: Protocol): Promise<ReadonlyMap<string, string>> {
  const context = {
    runtime: readRuntime(),
    fixtures: `../../../fixtures/${protocol.id}`,
    releases: [protocol],
    optionalOutputs: ["go", "openapi", "asyncapi"],
  };
  const files = await emitProtocol(protocol, context);
  return new Map(files.map(({ path, content }) => [path, content]));
}

describe("every emitter writes the same bytes for a protocol that went through JSON", () => {
  it.each(chooseCases(all, 6).map((protocol) => [protocol.id, protocol] as const))(
    "%s",
    async (_id, protocol) => {
      const copy = JSON.parse(JSON.stringify(protocol)) as Protocol;
      expect(await emitFiles(copy)).toEqual(await emitFiles(protocol));
    },
  );
});
