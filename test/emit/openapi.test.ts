import { describe, expect, it } from "vitest";
import { emitOpenapi } from "../../generator/emit/openapi/openapi.js";
import { isObject, type Json, type JsonObject, valueAt } from "../../generator/json.js";
import { resolveEndpoints } from "../../generator/protocol/endpoints.js";
import { PROTOCOLS } from "./fixtures.js";
import { hostileProtocols } from "./hostile-protocols.js";
import { MADE, madeProtocols, SEED } from "./made-protocols.js";
import { tool } from "./tool.js";

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

interface Redocly {
  createConfig(config: JsonObject): Promise<unknown>;
  lintFromString(what: { source: string; absoluteRef: string; config: unknown }): Promise<readonly Problem[]>;
}

const redocly = tool<Redocly>("@redocly/openapi-core");

/** Redocly's recommended rules, but for what the protocol does not know and what the linter does not see. */
const CONFIG = {
  extends: ["recommended"],
  rules: {
    // No protocol names a license.
    "info-license": "off",
    // A `then` may require what the schema around it declares; the rule looks for it inside only.
    "no-required-schema-properties-undefined": "off",
  },
};

/** What it says of schemas that contradict themselves, as made ones do: an author's own affair. */
const MADE_CONFIG = {
  ...CONFIG,
  rules: {
    ...CONFIG.rules,
    "no-enum-type-mismatch": "off",
    "no-illogical-composition-keywords": "off",
    "no-mixed-number-range-constraints": "off",
  },
};

// Redocly reads no document as deep as that of the payload with 50 levels.
const hostile = (await hostileProtocols()).filter(({ name }) => !name.startsWith("all-"));

/** One whose streams are told apart by fields that are called like parameters of every list. */
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
  ...(await madeProtocols(MADE, SEED)).map((protocol) => ({ id: protocol.id, protocol, rules: MADE_CONFIG })),
];

/** The parameters of an operation, references followed. */
function parameters(document: JsonObject, operation: JsonObject): JsonObject[] {
  const listed = operation.parameters as readonly JsonObject[];
  return listed.map((one) =>
    typeof one.$ref === "string" ? (valueAt(document, one.$ref.slice(1)) as JsonObject) : one,
  );
}

/** Every `$ref` in `value`. */
function references(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

describe("OpenAPI documents", () => {
  it.each([...PROTOCOLS, ...likeParameters].map((protocol) => ({ id: protocol.id, protocol })))(
    "of $id are whole",
    ({ protocol }) => {
      const { path, content } = emitOpenapi(protocol);
      const document = JSON.parse(content) as JsonObject;
      expect(path).toBe(`${protocol.id}/openapi.json`);
      expect(emitOpenapi(structuredClone(protocol)).content).toBe(content);
      const missing = references(document).filter((ref) => valueAt(document, ref.slice(1)) === undefined);
      expect(missing).toEqual([]);
      const base = `/${protocol.id}`;
      const one = `${base}/${resolveEndpoints(protocol).stream}`;
      const paths = [`${one}/events`, `${one}/stream`, `${base}/events`, `${base}/events/stream`];
      expect(Object.keys(document.paths as JsonObject)).toEqual(paths);
      for (const path of paths) {
        const operation = (document.paths as { [path: string]: { get: JsonObject } })[path]?.get ?? {};
        const stream = valueAt(operation, "/responses/200/content/text~1event-stream/itemSchema/$ref");
        expect(stream, path).toBe("#/components/schemas/stream.Message");
        const names = parameters(document, operation).map(({ in: place, name }) => `${place} ${name}`);
        expect(new Set(names).size, path).toBe(names.length);
      }
      const known = valueAt(document, "/components/schemas/stream.Event/discriminator/mapping");
      expect(Object.keys(known as JsonObject)).toEqual(protocol.events.map(({ type }) => type));
    },
  );

  it.skipIf(!redocly).each(LINTED)("of $id lint clean", { timeout: 120_000 }, async ({ protocol, rules }) => {
    const config = await redocly?.createConfig(rules);
    const source = emitOpenapi(protocol).content;
    const problems = (await redocly?.lintFromString({ source, absoluteRef: "/openapi.json", config })) ?? [];
    const said = problems.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
    );
    expect(said).toEqual([]);
  });

  it("shows text from schemas as that text: no HTML, no links", async () => {
    for (const protocol of await hostileProtocols()) {
      const text = emitOpenapi(protocol).content;
      const descriptions = [...text.matchAll(/^ *"description": (".*?"),?$/gm)].map(([, one = '""']) =>
        JSON.parse(one),
      );
      expect(
        descriptions.filter((one: string) => /(?<!\\)<script|(?<!\\)<img/.test(one.replace(/`[^`]*`/g, ""))),
      ).toEqual([]);
    }
  });
});
