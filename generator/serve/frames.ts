/** Makes the frames of live streams: one for each event, or one for each state. */
import type { Protocol } from "../protocol/protocol.js";
import type { StateFeed } from "../protocol/state-feed.js";
import type { Delivery, Log } from "./log.js";
import { createRunState } from "./states.js";
import { createFrame, createStateFormat, type WireFormat } from "./wire-formats.js";

/** Makes the frame of the delivery at an index of a log. The indexes of one connection only increase. */
export type FrameMaker = (delivery: Delivery, index: number) => Buffer;

/** Creates the maker of frames that hold events. */
export function createEventFrameMaker(format: WireFormat): FrameMaker {
  return (delivery) => createFrame(format, delivery, delivery.event.raw);
}

/** Creates the maker of frames that hold the states after each delivery. A redelivered event leads to no other state. */
export function createStateFrameMaker(protocol: Protocol, feed: StateFeed, log: Log): FrameMaker {
  const format = createStateFormat(feed);
  const state = createRunState(protocol, feed);
  let next = 0;
  return (delivery, index) => {
    for (const { event, isRepeated } of log.deliveries.slice(next, index + 1))
      if (!isRepeated) state.add(event);
    next = index + 1;
    return createFrame(format, delivery, Buffer.from(JSON.stringify(state.describe(delivery.event.type))));
  };
}
