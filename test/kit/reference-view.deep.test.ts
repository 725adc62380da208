/** If this fails, the view that `accrete serve` and `accrete replay` show breaks laws of the kit. */
import { describe, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as framesV1 } from "../../generated/frames/v1/index.js";
import { protocol as framesV2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { recordConsumer } from "../../generator/index.js";
import { type Adapter, describeConsumer, type KitProtocol } from "../../generator/kit/index.js";
import { createReader } from "../../generator/stream/index.js";
import type { Block } from "../../generator/view/block.js";
import type { ViewContract } from "../../generator/view/payload.js";
import { createView } from "../../generator/view/view.js";

/** Creates an adapter that shows the same blocks as the page of `accrete serve` and `accrete replay`, each in its last state. */
function createViewAdapter(protocol: KitProtocol & ViewContract): Adapter {
  return {
    create() {
      const reader = createReader(protocol);
      const view = createView(protocol);
      const blocks = new Map<number, Block>();
      const shown = (keep: (block: Block) => boolean): object[] =>
        [...blocks.values()].filter(keep).map(({ id: _id, ...rest }) => rest);
      return {
        push(event: never) {
          for (const block of view.take(reader.read(event))) blocks.set(block.id, structuredClone(block));
        },
        snapshot: () => shown(() => true),
        opaque: () =>
          [...blocks.values()].flatMap((block) => (block.kind === "unknown" ? [block.value] : [])),
        gaps: () => reader.streams().flatMap((stream) => reader.gaps(stream)),
        cursor: (stream) => reader.cursor(stream),
        viewRun: (stream) => shown((block) => block.stream === stream),
      };
    },
  };
}

// Enough for every event type to be played.
for (const protocol of [hecate, framesV1, framesV2, evva] as unknown as (KitProtocol & ViewContract)[])
  describeConsumer("page and terminal", createViewAdapter(protocol), {
    ...{ protocol, describe, it, runs: 24, kinds: ["web", "cli"] },
    record: recordConsumer("fixtures/consumers.json"),
    lens: process.env.ACCRETE_TEST_LENSES !== undefined,
  });
