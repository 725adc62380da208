import { combineSeeds } from "../random.js";
import type { KitEvent } from "../sample/event-maker.js";
import { remembered } from "../sample/remembered.js";
import { buildStreams } from "./build-streams.js";
import type { GeneratorContext } from "./scenarios.js";
import type { Operation } from "./script.js";

/** How often each event type is tried: one that does not fit at first may fit later. */
const ROUNDS = 2;

/** Streams that tell of every event type of a contract at least once, as far as its rules let them: one for each way to end. */
export const generateCoverage = remembered((context: GeneratorContext): readonly KitEvent[] => {
  const { terminal } = context.maker.model.stream?.rules ?? {};
  const streams = Math.max(2, terminal?.types.length ?? 0);
  const types = Array.from({ length: ROUNDS }, () => [...context.coverageOrder.keys()]).flat();
  const operations = types.map(
    (pick, index): Operation => ({
      ...{ pick, stream: index % streams, seed: combineSeeds(index, 11), size: 1, together: false },
    }),
  );
  return buildStreams(context, { operations, ended: true }, streams).events;
});
