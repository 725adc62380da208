/** Without these tests, an editor would show events twice, mix parallel calls, or lose what an unknown event says. */
import { describe, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as framesV1 } from "../../generated/frames/v1/index.js";
import { protocol as framesV2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { createAcpTranslator } from "../../generator/acp/translator.js";
import { recordConsumer } from "../../generator/index.js";
import { type Adapter, describeConsumer, type KitProtocol } from "../../generator/kit/index.js";
import { loadSchemas } from "../../generator/load/load.js";
import { chooseView } from "../../generator/protocol/view-roles.js";
import { createReader } from "../../generator/stream/index.js";
import type { ViewProtocol } from "../../generator/view/payload.js";
import { createEditor } from "./editor.js";

const views = new Map((await loadSchemas("schemas")).protocols.map((each) => [each.id, chooseView(each)]));

/** An editor behind the translator, as a consumer of events. */
function acpAdapter(protocol: KitProtocol & ViewProtocol): Adapter {
  return {
    create() {
      const reader = createReader(protocol);
      const translator = createAcpTranslator(
        { ...protocol, view: views.get(protocol.id) },
        { showsReasoning: true },
      );
      const editor = createEditor();
      return {
        push(event: never) {
          for (const message of translator.take(reader.read(event))) editor.show(message);
        },
        snapshot: () => structuredClone({ ...editor, show: undefined }),
        cursor: (stream) => reader.cursor(stream),
      };
    },
  };
}

for (const protocol of [hecate, framesV1, framesV2, evva] as unknown as (KitProtocol & ViewProtocol)[])
  describeConsumer("acp", acpAdapter(protocol), {
    kinds: ["acp"],
    ...{ protocol, describe, it, runs: 24 },
    record: recordConsumer("fixtures/consumers.json"),
  });
