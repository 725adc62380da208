/** The ways to wrap events on the wire. The bytes of the envelope stay unchanged in each of them. */
import type { Delivery } from "./log.js";

/** `spec`: as the protocol's specification describes it. `runtime`: as its runtime sends it today. */
export type WireFormatName = "spec" | "runtime";

/** One way to wrap events. */
export interface WireFormat {
  /** The value of `object` in a list of one run's events. */
  readonly runList: string;
  /** The value of `object` in a list of all runs' events. */
  readonly feedList: string;
  /** The name of server-sent events; `message` by default. */
  readonly eventName?: string;
  /** The text before and after the envelope in a frame of a stream. */
  readonly frame: { readonly head: string; readonly tail: string };
}

/** All wire formats by name. */
export const WIRE_FORMATS: { readonly [name in WireFormatName]: WireFormat } = {
  spec: { runList: "list", feedList: "list", frame: { head: "data: ", tail: "\n\n" } },
  runtime: {
    runList: "run_events",
    feedList: "events",
    eventName: "event",
    frame: { head: 'data: {"object":"event","data":', tail: "}\n\n" },
  },
};

/** Returns the frame of a delivery. */
export function createFrame(format: WireFormat, { event, cursor, isLate }: Delivery): Buffer {
  const { eventName, frame } = format;
  const name = eventName === undefined ? "" : `event: ${eventName}\n`;
  const id = isLate ? "" : `id: ${cursor}\n`;
  return Buffer.concat([Buffer.from(name + id + frame.head), event.raw, Buffer.from(frame.tail)]);
}
