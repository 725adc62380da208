/** If this fails, an editor shows events twice, mixes parallel calls, or loses the content of unknown events. */
import { describe, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as framesV1 } from "../../generated/frames/v1/index.js";
import { protocol as framesV2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { createAcpTranslator } from "../../generator/acp/translator.js";
import { recordConsumer } from "../../generator/index.js";
import { type Adapter, describeConsumer, type KitProtocol } from "../../generator/kit/index.js";
import { createReader } from "../../generator/stream/index.js";
import type { ViewContract } from "../../generator/view/payload.js";
import { createEditor } from "./editor.js";

/** Returns an adapter for a consumer that translates events into messages and shows them in an editor. */
function createAcpAdapter(protocol: KitProtocol & ViewContract): Adapter {
  return {
    create() {
      const reader = createReader(protocol);
      const translator = createAcpTranslator(protocol, { showsReasoning: true });
      const editor = createEditor();
      return {
        push(event: never) {
          for (const message of translator.take(reader.read(event))) editor.show(message);
        },
        snapshot: () => ({
          ...{ texts: [...editor.texts.values()], calls: [...editor.calls.values()] },
          ...{ permissions: [...editor.permissions.values()], events: [...editor.events] },
        }),
        cursor: (stream) => reader.cursor(stream),
      };
    },
  };
}

for (const protocol of [hecate, framesV1, framesV2, evva] as unknown as (KitProtocol & ViewContract)[])
  describeConsumer("acp", createAcpAdapter(protocol), {
    // The kind of frontend that the record names for this consumer.
    kinds: ["acp"],
    protocol,
    describe,
    it,
    runs: 24,
    record: recordConsumer("fixtures/consumers.json"),
    lens: process.env.ACCRETE_TEST_LENSES !== undefined,
  });
