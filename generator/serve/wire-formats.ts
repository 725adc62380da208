/** The ways to send events, or the states that they lead to. The bytes of envelopes stay unchanged in each of them. */
import type { StateFeed } from "../protocol/state-feed.js";
import type { Delivery } from "./log.js";

/**
 * `spec`: as the protocol's specification describes it. `runtime`: as its runtime sends it today. `state`: like `runtime`,
 * but the live streams of runs send states.
 */
export type WireFormatName = "spec" | "runtime" | "state";

/** The form of the frames of a stream. */
interface FrameFormat {
  /** The name of server-sent events; `message` by default. */
  readonly eventName?: string;
  /** The text before and after the data of a frame. */
  readonly frame: { readonly head: string; readonly tail: string };
}

/** One way to send events. */
export interface WireFormat extends FrameFormat {
  /** The value of `object` in a list of one run's events. */
  readonly runList: string;
  /** The value of `object` in a list of all runs' events. */
  readonly feedList: string;
  /** True if the live stream of a run sends states, provided that its protocol declares them. */
  readonly sendsStates: boolean;
}

const RUNTIME: WireFormat = {
  runList: "run_events",
  feedList: "events",
  eventName: "event",
  frame: { head: 'data: {"object":"event","data":', tail: "}\n\n" },
  sendsStates: false,
};

/** All wire formats by name. */
export const WIRE_FORMATS: { readonly [name in WireFormatName]: WireFormat } = {
  spec: {
    runList: "list",
    feedList: "list",
    frame: { head: "data: ", tail: "\n\n" },
    sendsStates: false,
  },
  runtime: RUNTIME,
  state: { ...RUNTIME, sendsStates: true },
};

/** Returns whether a value names a wire format. */
export function isWireFormatName(name: unknown): name is WireFormatName {
  return typeof name === "string" && Object.hasOwn(WIRE_FORMATS, name);
}

/** Returns the form in which a state feed sends states. */
export function createStateFormat({ eventName, object }: StateFeed): FrameFormat {
  const frame =
    object === undefined
      ? { head: "data: ", tail: "\n\n" }
      : { head: `data: {"object":${JSON.stringify(object)},"data":`, tail: "}\n\n" };
  return eventName === undefined ? { frame } : { eventName, frame };
}

/** Returns the frame of a delivery with this data. */
export function createFrame(
  { eventName, frame }: FrameFormat,
  { cursor, isLate }: Delivery,
  data: Uint8Array,
): Buffer {
  const name = eventName === undefined ? "" : `event: ${eventName}\n`;
  const id = isLate ? "" : `id: ${cursor}\n`;
  return Buffer.concat([Buffer.from(name + id + frame.head), data, Buffer.from(frame.tail)]);
}
