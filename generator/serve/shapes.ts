/** How events are wrapped on the wire. The envelope's own bytes stand in each of them unchanged. */
import type { Entry } from "./log.js";

/** `spec`: as the protocol's design describes it. `runtime`: as its runtime sends it today. */
export type ShapeName = "spec" | "runtime";

/** One way to wrap events. */
export interface Shape {
  /** The value of `object` in the list of one run's events. */
  readonly runList: string;
  /** The value of `object` in the list of all runs' events. */
  readonly feedList: string;
  /** What stands in a stream before the number and behind it, and behind the envelope; lines end with a line feed. */
  readonly frame: { readonly head: string; readonly tail: string };
  /** The SSE event name; absent for `message`. */
  readonly event?: string;
}

/** Every shape by name. */
export const SHAPES: { readonly [name in ShapeName]: Shape } = {
  spec: { runList: "list", feedList: "list", frame: { head: "data: ", tail: "\n\n" } },
  runtime: {
    runList: "run_events",
    feedList: "events",
    event: "event",
    frame: { head: 'data: {"object":"event","data":', tail: "}\n\n" },
  },
};

/** What precedes the envelope in an entry's frame. */
function frameHead({ event, frame }: Shape, { cursor, late }: Entry): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}${late ? "" : `id: ${cursor}\n`}${frame.head}`;
}

/** An entry's frame. */
export function frameOf(shape: Shape, entry: Entry): Buffer {
  const { raw } = entry.event;
  return Buffer.concat([Buffer.from(frameHead(shape, entry)), raw, Buffer.from(shape.frame.tail)]);
}
