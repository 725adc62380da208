import { describe, expect, it } from "vitest";
import { emitAsyncapi } from "../../generator/emit/openapi/asyncapi.js";
import { PROTOCOLS } from "./fixtures.js";
import { hostileProtocols } from "./hostile-protocols.js";
import { MADE, madeProtocols, SEED } from "./made-protocols.js";
import { tool } from "./tool.js";

interface Diagnostic {
  readonly code: string | number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

interface Message {
  name(): string | undefined;
}

interface AsyncDocument {
  channels(): { all(): readonly { address(): string; messages(): { all(): readonly Message[] } }[] };
}

interface AsyncApi {
  readonly Parser: new () => {
    parse(
      text: string,
    ): Promise<{ readonly document?: AsyncDocument; readonly diagnostics: readonly Diagnostic[] }>;
  };
}

const asyncapi = tool<AsyncApi>("@asyncapi/parser");

// The parser takes seconds for each document.
const hostile = (await hostileProtocols()).filter(
  ({ name }) => name.startsWith("types-") || /^alone-[0-4]$/.test(name),
);

// The parser asks every object for its `hasOwnProperty`, and fails where a field has that name.
const made = (await madeProtocols(MADE, SEED)).filter(
  (protocol) => !emitAsyncapi(protocol).content.includes('"hasOwnProperty":'),
);

describe("AsyncAPI documents", () => {
  it("are the same for the same protocol", () => {
    for (const protocol of PROTOCOLS) {
      const { path, content } = emitAsyncapi(protocol);
      expect(path).toBe(`${protocol.id}/asyncapi.json`);
      expect(emitAsyncapi(structuredClone(protocol)).content).toBe(content);
    }
  });

  it
    .skipIf(!asyncapi)
    .each([...PROTOCOLS, ...hostile, ...made].map((protocol) => ({ id: protocol.id, protocol })))(
    "of $id parse without a word, with two channels of every event",
    { timeout: 120_000 },
    async ({ protocol }) => {
      const parser = asyncapi && new asyncapi.Parser();
      const result = await parser?.parse(emitAsyncapi(protocol).content);
      expect(
        result?.diagnostics.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`),
      ).toEqual([]);
      const channels = result?.document?.channels().all() ?? [];
      expect(channels.map((one) => one.address().startsWith(`/${protocol.id}/`))).toEqual([true, true]);
      for (const channel of channels) {
        const names = channel
          .messages()
          .all()
          .map((message) => message.name());
        expect(names).toEqual(protocol.events.map(({ type }) => type));
      }
    },
  );
});
