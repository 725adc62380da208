/** If this fails, the property test compares with an oracle that reads schemas otherwise than documented. */
import { describe, expect, it } from "vitest";
import { createMessageSchema as createProductSchema } from "../../generator/compat/proof/readings.js";
import { listSubjects } from "../../generator/compat/subjects.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { createRandom } from "../../generator/random.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { enumerateMessages } from "./oracle/enumerate-messages.js";
import { buildReading, compileWithAjv, findBreaks, isBreakForHyperjump } from "./oracle/find-breaks.js";
import { mutateProtocol } from "./oracle/mutate-protocol.js";
import { getEventPath, getEventType, listMessagePaths, type ProtocolFiles } from "./oracle/protocol-files.js";
import { createRandomProtocol } from "./oracle/random-protocol.js";
import { createMessageSchema } from "./oracle/read-messages.js";
import { loadFiles } from "./oracle/run-compat.js";

const text = { type: "string", description: "Text." };
const number = { type: "integer", description: "A number." };
const EXPERIMENTAL = { "x-stability": "experimental" };
const TEXTS = { title: "T", description: "D." };

/** Creates a protocol with one event whose payload lies beside the fields of the envelope. */
function createProtocol(
  payload: JsonObject,
  envelope: JsonObject = {},
  shared: JsonObject = {},
): ProtocolFiles {
  const layout = { discriminator: "type", payload: { placement: "inline" } };
  return {
    "protocol.json": { name: "tea", major: 1, version: "1.0", ...TEXTS, envelope: layout },
    "envelope.schema.json": {
      ...TEXTS,
      "x-stability": "candidate",
      type: "object",
      properties: { type: text, ...envelope },
      required: ["type"],
    },
    "shared/common.schema.json": { ...TEXTS, $defs: shared },
    [getEventPath("tea.made")]: {
      ...TEXTS,
      "x-stability": "stable",
      "x-since": "1.0",
      type: "object",
      ...payload,
    },
  };
}

const PLACE_REFERENCE = { $ref: "../shared/common.schema.json#/$defs/Place" };
const createPlaceDefinition = (more: JsonObject) => ({ Place: { type: "object", ...more } });

/** Two versions, and the directions in which messages break between them, as found by hand. */
const CASES: {
  readonly [name: string]: {
    readonly before: ProtocolFiles;
    readonly after: ProtocolFiles;
    readonly breaks: readonly string[];
  };
} = {
  "a new optional field": {
    before: createProtocol({ properties: { a: text } }),
    after: createProtocol({ properties: { a: text, b: number } }),
    breaks: [],
  },
  "a new required experimental field": {
    before: createProtocol({ properties: { a: text } }),
    after: createProtocol({ properties: { a: text, b: { ...text, ...EXPERIMENTAL } }, required: ["b"] }),
    breaks: ["backward"],
  },
  "a new required experimental field of a definition": {
    before: createProtocol(
      { properties: { at: PLACE_REFERENCE } },
      {},
      createPlaceDefinition({ properties: { a: text } }),
    ),
    after: createProtocol(
      { properties: { at: PLACE_REFERENCE } },
      {},
      createPlaceDefinition({ properties: { b: { ...text, ...EXPERIMENTAL } }, required: ["b"] }),
    ),
    breaks: ["backward"],
  },
  "an experimental field with another type": {
    before: createProtocol({ properties: { a: { ...text, ...EXPERIMENTAL } } }),
    after: createProtocol({ properties: { a: { ...number, ...EXPERIMENTAL } } }),
    breaks: [],
  },
  "an experimental field that loses its label and its type": {
    before: createProtocol({ properties: { a: { ...text, ...EXPERIMENTAL } } }),
    after: createProtocol({ properties: { a: number } }),
    breaks: [],
  },
  "an experimental field that becomes required": {
    before: createProtocol({ properties: { a: { ...text, ...EXPERIMENTAL } } }),
    after: createProtocol({ properties: { a: { ...text, ...EXPERIMENTAL } }, required: ["a"] }),
    breaks: ["backward"],
  },
  "a field that becomes experimental and changes": {
    before: createProtocol({ properties: { a: text } }),
    after: createProtocol({ properties: { a: { ...number, ...EXPERIMENTAL } } }),
    breaks: ["backward", "forward"],
  },
  "a break beside that of an experimental field": {
    before: createProtocol({ properties: { a: { ...text, ...EXPERIMENTAL }, b: text } }),
    after: createProtocol({
      properties: { a: { ...number, ...EXPERIMENTAL }, b: { ...text, maxLength: 2 } },
    }),
    breaks: ["backward"],
  },
  "an experimental field in a removed object": {
    before: createProtocol({
      properties: { at: { properties: { a: { ...text, ...EXPERIMENTAL } }, description: "D." } },
    }),
    after: createProtocol({ properties: { other: text } }),
    breaks: ["backward"],
  },
  "an experimental field of the envelope": {
    before: createProtocol({ properties: { a: text } }, { trace: { ...text, ...EXPERIMENTAL } }),
    after: createProtocol({ properties: { a: text } }, { trace: { ...number, ...EXPERIMENTAL } }),
    breaks: [],
  },
  "a new known value": {
    before: createProtocol({ properties: { a: { ...text, "x-extensible-enum": ["x"] } } }),
    after: createProtocol({ properties: { a: { ...text, "x-extensible-enum": ["x", "y"] } } }),
    breaks: [],
  },
  "a new value of a closed enum": {
    before: createProtocol({ properties: { a: { ...text, enum: ["x"] } } }),
    after: createProtocol({ properties: { a: { ...text, enum: ["x", "y"] } } }),
    breaks: ["forward"],
  },
  "a removed event type": {
    before: createProtocol({ properties: { a: text } }),
    after: { ...createProtocol({}), [getEventPath("tea.made")]: undefined as never },
    breaks: ["backward"],
  },
};

describe("the oracle", () => {
  it.each(Object.entries(CASES))(
    "finds the breaks that messages show: %s",
    async (_, { before, after, breaks }) => {
      const found = [...findBreaks(before, after, { seed: 1 })];
      expect(found.map(({ inclusion }) => inclusion)).toEqual(breaks);
      for (const each of found) expect(await isBreakForHyperjump(each)).toBe(true);
    },
  );

  it("counts a break as reviewed if messages of the reviewed version lack the same field", () => {
    const createNested = (property: string, owner: JsonObject): ProtocolFiles => ({
      ...createProtocol({ properties: { owner } }),
      "protocol.json": {
        name: "tea",
        major: 1,
        version: "1.0",
        ...TEXTS,
        envelope: { discriminator: "type", payload: { placement: "nested", property } },
      },
      "envelope.schema.json": {
        ...TEXTS,
        "x-stability": "candidate",
        type: "object",
        properties: { type: text, [property]: {} },
        required: ["type", property],
      },
    });
    const nullable = { ...text, type: ["string", "null"] };
    const findUnreviewed = (after: ProtocolFiles, reviewed: ProtocolFiles) => [
      ...findBreaks(createNested("data", text), after, { seed: 1, reviewed }),
    ];
    expect(findUnreviewed(createNested("body", nullable), createNested("body", text))).toEqual([]);
    expect(findUnreviewed(createNested("body", nullable), createNested("data", number))).not.toEqual([]);
  });

  it("reads messages as the product does", async () => {
    let acceptedCount = 0;
    for (let seed = 0; seed < 30; seed++) {
      const random = createRandom(seed);
      const created = createRandomProtocol(random);
      const files = seed % 2 === 0 ? created : mutateProtocol(random, created, 1, 4).files;
      const { protocol } = await loadFiles(files);
      if (!protocol) continue;
      for (const path of listMessagePaths(files)) {
        const name = path.replace(/^resources\/(.*)\.schema\.json$/, "$1");
        const subject = listSubjects(protocol).find(
          ({ type, resource }) => (resource ?? type) === (getEventType(path) ?? name),
        );
        if (!subject) throw new Error(`${path} was not loaded`);
        for (const [reading, profile] of [
          ["emit", "writer"],
          ["read", "reader"],
        ] as const) {
          const schema = buildReading(reading, files, path);
          const acceptsInProduct = makeAjv({ ownProperties: true }).compile(
            createProductSchema(profile, protocol, subject),
          );
          const messages = enumerateMessages(createMessageSchema(files, path), true, seed);
          const accepts = compileWithAjv(schema);
          const acceptedMessages = messages.filter((message: Json) => accepts(message));
          acceptedCount += acceptedMessages.length;
          expect(messages.filter((message) => acceptsInProduct(message))).toEqual(acceptedMessages);
        }
      }
    }
    expect(acceptedCount).toBeGreaterThan(2000);
  });
});
