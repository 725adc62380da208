import { awaitValue, type Steps } from "./steps.js";

/**
 * A frontend's consumer under test. Events are JSON values; a consumer never has to copy what it only reads. Each method
 * may return a promise, which the kit awaits before it calls the next method.
 */
export interface Consumer {
  /** Takes the next event of a feed. When it has returned, or its promise is fulfilled, snapshot() shows the event. */
  push(event: never): unknown;
  /** Returns what the user sees now, as a JSON-like value: objects, arrays, maps, sets, texts, numbers. */
  snapshot(): unknown;
  /** Returns the shown events of unknown types, unchanged and in the order of their arrival. */
  opaque?(): unknown;
  /** Returns the known gaps: `{ after?, before }` each, as `Gap` of accrete-client/stream. */
  gaps?(): unknown;
  /** Returns the highest sequence number of a stream, to resume after it; undefined before its first event. */
  cursor?(stream: string): unknown;
  /** Returns what the user sees of one stream. */
  viewRun?(stream: string): unknown;
  /** Takes the next bytes of a feed of server-sent events, cut anywhere. */
  ingest?(bytes: Uint8Array): unknown;
  /** Is called when the connection was lost, and a new one continues the feed. */
  reconnect?(): unknown;
  /** Is called when the kit no longer needs the consumer. */
  drop?(): unknown;
}

/** Makes consumers, or is itself the consumer, which `create` resets. */
export interface Adapter extends Partial<Consumer> {
  /** True if consumers receive copies of the events, for example in another process. Then some laws cannot be checked. */
  readonly receivesCopies?: boolean;
  /** Returns a consumer without any events, or a promise of one. If it returns nothing, it has reset the adapter itself. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without result is one of the forms
  create(): Consumer | void | PromiseLike<Consumer | void>;
}

/**
 * A failure of a consumer whose message names the call. A consumer in another process may fail at a later call than the one
 * that is the cause.
 */
export class ConsumerFailure extends Error {
  override name = "ConsumerFailure";
}

/** Thrown by a consumer that cannot be tested any longer. It ends the check and breaks no law. */
export class ConsumerUnavailable extends Error {
  override name = "ConsumerUnavailable";
}

/** The optional methods of a consumer. Each enables the laws that need it. */
export const HOOKS = ["opaque", "gaps", "cursor", "viewRun", "ingest", "reconnect"] as const;

/** The name of an optional method of a consumer. */
export type Hook = (typeof HOOKS)[number];

/** Creates a consumer with `adapter`. If that is not possible, no law can be checked. */
export function* createConsumer(adapter: Adapter): Steps<Consumer> {
  const consumer = (yield* callCreate(adapter)) ?? adapter;
  if (typeof consumer.push !== "function" || typeof consumer.snapshot !== "function")
    throw new TypeError(
      "The adapter has no push and snapshot, and its create() returns no object with them.",
    );
  return consumer as Consumer;
}

function* callCreate(adapter: Adapter): Steps<Partial<Consumer> | undefined> {
  try {
    return (yield* awaitValue(adapter.create())) ?? undefined;
  } catch (error) {
    if (error instanceof ConsumerUnavailable) throw error;
    const message = describeCreateFailure(`threw ${describeThrown(error)}`);
    throw new ConsumerUnavailable(message, { cause: error });
  }
}

/** Describes that an adapter makes no consumer. `event` is the predicate of the sentence: what its create() did. */
export function describeCreateFailure(event: string): string {
  return `The adapter makes no consumer: create() ${event}. The kit creates a consumer for each stream, also while it uses others, so create() has to succeed at each call`;
}

/** Returns the name and the message of an error, or the text of another value that was thrown. */
export function describeThrown(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "a value that cannot be converted to a text";
  }
}

/** Returns the optional methods that a consumer has. */
export function listHooks(consumer: Partial<Consumer>): ReadonlySet<Hook> {
  return new Set(HOOKS.filter((hook) => typeof consumer[hook] === "function"));
}
