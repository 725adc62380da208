/** If this fails, OpenAPI or AsyncAPI documents are invalid or incomplete, or show text of schemas as HTML. */
import { describe, expect, it } from "vitest";
import { emitAsyncapi } from "../../generator/emit/openapi/asyncapi.js";
import { emitOpenapi } from "../../generator/emit/openapi/openapi.js";
import { getValueAtPointer, isObject, type Json, type JsonObject } from "../../generator/json.js";
import { resolveEndpoints } from "../../generator/protocol/endpoints.js";
import { chooseCases, quick } from "../depth.js";
import { PROTOCOLS } from "./fixtures.js";
import { loadHostileProtocols } from "./hostile-protocols.js";
import { createRandomProtocols, PROTOCOL_COUNT, SEED } from "./made-protocols.js";
import { loadTool } from "./tool.js";

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

interface Redocly {
  createConfig(config: JsonObject): Promise<unknown>;
  lintFromString(what: { source: string; absoluteRef: string; config: unknown }): Promise<readonly Problem[]>;
}

interface Diagnostic {
  readonly code: string | number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

interface Channel {
  address(): string;
  messages(): { all(): readonly { name(): string | undefined }[] };
}

interface ParsedAsyncApi {
  readonly document?: { channels(): { all(): readonly Channel[] } };
  readonly diagnostics: readonly Diagnostic[];
}

interface AsyncApi {
  readonly Parser: new () => { parse(text: string): Promise<ParsedAsyncApi> };
}

const redocly = loadTool<Redocly>("@redocly/openapi-core");

/** The recommended rules of Redocly, without two rules. */
const CONFIG = {
  extends: ["recommended"],
  rules: {
    // No protocol names a license.
    "info-license": "off",
    // A `then` may require fields that the surrounding schema declares. The rule looks for them only inside of `then`.
    "no-required-schema-properties-undefined": "off",
  },
};

/** The rules for generated protocols, without those about schemas that contradict themselves. */
const MADE_CONFIG = {
  ...CONFIG,
  rules: {
    ...CONFIG.rules,
    "no-enum-type-mismatch": "off",
    "no-illogical-composition-keywords": "off",
    "no-mixed-number-range-constraints": "off",
  },
};

const asyncapi = loadTool<AsyncApi>("@asyncapi/parser");

const allHostile = await loadHostileProtocols();
const made = await createRandomProtocols(PROTOCOL_COUNT, SEED);

// Redocly cannot read the payload with 50 levels.
const hostile = allHostile.filter(({ name }) => !name.startsWith("all-"));

/** A protocol whose stream is identified by fields with the names of parameters that every list has. */
const likeParameters = PROTOCOLS.slice(0, 1).map((protocol) => ({
  ...protocol,
  id: "like-parameters/v1",
  stream: { key: ["limit", "event_type", "after_sequence", "shop"] },
}));

const LINTED = [
  ...[...PROTOCOLS, ...hostile, ...likeParameters].map((protocol) => ({
    id: protocol.id,
    protocol,
    rules: CONFIG,
  })),
  ...made.map((protocol) => ({ id: protocol.id, protocol, rules: MADE_CONFIG })),
];

// The parser of AsyncAPI takes seconds for each document, and fails if a field is called `hasOwnProperty`.
const PARSED = [
  ...PROTOCOLS,
  ...allHostile.filter(({ name }) => name.startsWith("types-") || /^alone-[0-4]$/.test(name)),
  ...made.filter((protocol) => !emitAsyncapi(protocol).content.includes('"hasOwnProperty":')),
].map((protocol) => ({ id: protocol.id, protocol }));

/** Returns the parameters of an operation, with references resolved. */
function listParameters(document: JsonObject, operation: JsonObject): JsonObject[] {
  const listed = operation.parameters as readonly JsonObject[];
  return listed.map((one) =>
    typeof one.$ref === "string" ? (getValueAtPointer(document, one.$ref.slice(1)) as JsonObject) : one,
  );
}

/** Returns every `$ref` in `value`. */
function listReferences(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(listReferences);
  if (!isObject(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(listReferences)];
}

describe.each([
  ["openapi", emitOpenapi],
  ["asyncapi", emitAsyncapi],
] as const)("the %s document", (name, emit) => {
  quick.it.each([...PROTOCOLS, ...likeParameters].map((protocol) => ({ id: protocol.id, protocol })))(
    "of $id is the same each time, and its references have targets",
    ({ protocol }) => {
      const { path, content } = emit(protocol);
      expect(path).toBe(`${protocol.id}/${name}.json`);
      expect(emit(structuredClone(protocol)).content).toBe(content);
      const document = JSON.parse(content) as JsonObject;
      expect(
        listReferences(document).filter((ref) => getValueAtPointer(document, ref.slice(1)) === undefined),
      ).toEqual([]);
    },
  );

  quick.it("shows text from schemas without HTML and links", () => {
    for (const protocol of allHostile) {
      const descriptions = [...emit(protocol).content.matchAll(/^ *"description": (".*?"),?$/gm)];
      const texts = descriptions.map(([, json = '""']): string => JSON.parse(json).replace(/`[^`]*`/g, ""));
      expect(texts.filter((text) => /(?<!\\)<script|(?<!\\)<img/.test(text))).toEqual([]);
    }
  });
});

describe("OpenAPI documents", () => {
  quick.it.each([...PROTOCOLS, ...likeParameters].map((protocol) => ({ id: protocol.id, protocol })))(
    "of $id have the paths of lists and streams, and all event types",
    ({ protocol }) => {
      const document = JSON.parse(emitOpenapi(protocol).content) as JsonObject;
      const base = `/${protocol.id}`;
      const one = `${base}/${resolveEndpoints(protocol).stream}`;
      const paths = [`${one}/events`, `${one}/stream`, `${base}/events`, `${base}/events/stream`];
      expect(Object.keys(document.paths as JsonObject)).toEqual(expect.arrayContaining(paths));
      for (const path of paths) {
        const operation = (document.paths as { [path: string]: { get: JsonObject } })[path]?.get ?? {};
        const item = getValueAtPointer(operation, "/responses/200/content/text~1event-stream/itemSchema");
        const event = { $ref: "#/components/schemas/stream.Message" };
        const state = { $ref: "#/components/schemas/stream.State" };
        const sendsStates = protocol.stateFeed !== undefined && path === `${one}/stream`;
        expect(item, path).toEqual(sendsStates ? { anyOf: [event, state] } : event);
        const names = listParameters(document, operation).map(({ in: place, name }) => `${place} ${name}`);
        expect(new Set(names).size, path).toBe(names.length);
      }
      const known = getValueAtPointer(document, "/components/schemas/stream.Event/discriminator/mapping");
      expect(Object.keys(known as JsonObject)).toEqual(protocol.events.map(({ type }) => type));
    },
  );

  it.skipIf(!redocly).each(chooseCases(LINTED, 8))(
    "of $id have no lint errors",
    async ({ protocol, rules }) => {
      const config = await redocly?.createConfig(rules);
      const source = emitOpenapi(protocol).content;
      const problems =
        (await redocly?.lintFromString({ source, absoluteRef: "/openapi.json", config })) ?? [];
      const messages = problems.map(
        ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
      );
      expect(messages).toEqual([]);
    },
  );
});

describe("AsyncAPI documents", () => {
  it.skipIf(!asyncapi).each(chooseCases(PARSED, 4))(
    "of $id parse without diagnostics, with two channels of every event",
    async ({ protocol }) => {
      const parser = asyncapi && new asyncapi.Parser();
      const { document, diagnostics } = (await parser?.parse(emitAsyncapi(protocol).content)) ?? {};
      const messages = diagnostics?.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`);
      expect(messages).toEqual([]);
      const channels = document?.channels().all() ?? [];
      expect(channels.map((one) => one.address().startsWith(`/${protocol.id}/`))).toEqual([true, true]);
      const types = protocol.events.map(({ type }) => type);
      for (const channel of channels)
        expect(
          channel
            .messages()
            .all()
            .map((message) => message.name()),
        ).toEqual(types);
    },
  );
});
