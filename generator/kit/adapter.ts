/** A frontend's consumer under test. Events are JSON values; a consumer never has to copy what it only reads. */
export interface Consumer {
  /** Takes the next event of a feed. */
  push(event: never): unknown;
  /** What the user sees now, as a JSON-like value: objects, arrays, maps, sets, texts, numbers. */
  snapshot(): unknown;
  /** The events of unknown type that are shown, in the order of their arrival, each as it came. */
  opaque?(): unknown;
  /** The holes that are known: `{ after?, before }` each, as `Gap` of accrete/stream. */
  gaps?(): unknown;
  /** What to resume a stream after: its highest sequence; undefined before its first event. */
  cursor?(stream: string): unknown;
  /** What the user sees of one stream. */
  viewRun?(stream: string): unknown;
  /** Takes the next bytes of a feed of server-sent events, cut anywhere. */
  ingest?(bytes: Uint8Array): unknown;
}

/** Makes consumers; or is one itself, that `create` empties. */
export interface Adapter extends Partial<Consumer> {
  /** A consumer that has seen nothing. One that returns nothing has emptied the adapter itself. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without result is one of the two forms
  create(): Consumer | void;
}

/** The members of a consumer that switch on laws. */
export type Hook = "opaque" | "gaps" | "cursor" | "viewRun" | "ingest";

/** A fresh consumer of `adapter`. */
export function freshConsumer(adapter: Adapter): Consumer {
  const consumer = adapter.create() ?? adapter;
  if (consumer instanceof Promise)
    throw new TypeError("The adapter's create() returns a promise; a consumer is made at once.");
  if (typeof consumer.push !== "function" || typeof consumer.snapshot !== "function")
    throw new TypeError("The adapter has no push and snapshot, and its create() returns nothing that has.");
  return consumer as Consumer;
}
