/** Calls the methods of consumers. An exception of a consumer breaks a law. */
import { isObject, type Json, type JsonObject, mapValues } from "../json.js";
import {
  type Adapter,
  type Consumer,
  ConsumerFailure,
  ConsumerUnavailable,
  createConsumer,
  describeThrown,
} from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import { awaitValue, type Steps } from "./steps.js";
import { toJson } from "./view.js";

/** Thrown when a consumer breaks a law. Any other exception is a bug of the kit. */
export class BrokenLaw extends Error {
  override name = "BrokenLaw";
  /**
   * `law` is the id of the broken law if it is not the one that is checked. `details` shows the expected and the actual
   * snapshot, in lines.
   */
  constructor(
    message: string,
    readonly law?: string,
    readonly details?: string,
  ) {
    super(message);
  }
}

/** Returns a deep copy of an event or of a list of events, faster than structuredClone. */
export function copyEvent<T>(value: T): T {
  return copyJson(value as Json) as T;
}

function copyJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyJson);
  return isObject(value) ? mapValues(value, copyJson) : value;
}

/** Gives a consumer an event. */
export function* pushEvent(protocol: KitProtocol, consumer: Consumer, event: object): Steps<void> {
  yield* callConsumer(
    () => `push of ${describeEvent(protocol, event)}`,
    () => consumer.push(event as never),
  );
}

/** Returns what a consumer shows. */
export function takeSnapshot(consumer: Consumer): Steps<Json> {
  return readConsumer("snapshot()", () => consumer.snapshot());
}

/** Returns the result of a method of a consumer as JSON. `call` names the method in messages. */
export function* readConsumer(call: string, read: () => unknown): Steps<Json> {
  const value = yield* callConsumer(() => call, read);
  return yield* callConsumer(
    () => call,
    () => toJson(value),
  );
}

/** Returns a new consumer that has received a copy of each event. */
export function* feedConsumer(
  adapter: Adapter,
  protocol: KitProtocol,
  events: readonly object[],
): Steps<Consumer> {
  const consumer = yield* createConsumer(adapter);
  for (const event of events) yield* pushEvent(protocol, consumer, copyEvent(event));
  return consumer;
}

/** Returns what a new consumer shows after `events`. */
export function* showEvents(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): Steps<Json> {
  const consumer = yield* feedConsumer(adapter, protocol, events);
  const view = yield* takeSnapshot(consumer);
  yield* dropConsumer(consumer);
  return view;
}

/** Tells a consumer that it is no longer needed. */
export function* dropConsumer(consumer: Consumer): Steps<void> {
  yield* callConsumer(
    () => "drop()",
    () => consumer.drop?.(),
  );
}

/** Returns the result of `view`, or undefined if the consumer throws. */
export function* ignoreBrokenLaw(view: Steps<Json>): Steps<Json | undefined> {
  try {
    return yield* view;
  } catch (error) {
    if (error instanceof BrokenLaw) return undefined;
    throw error;
  }
}

/** Returns the result of a call of a consumer. An exception breaks a law; `describeCall` names the call in its message. */
export function* callConsumer<T>(describeCall: () => string, call: () => T): Steps<Awaited<T>> {
  try {
    return yield* awaitValue(call());
  } catch (error) {
    if (error instanceof ConsumerUnavailable) throw error;
    if (error instanceof ConsumerFailure) throw new BrokenLaw(error.message);
    throw new BrokenLaw(`${describeCall()} threw ${describeThrown(error)}`);
  }
}

/** Describes an event in messages by its type and its number. */
export function describeEvent({ envelope, stream }: KitProtocol, event: object): string {
  const fields = event as JsonObject;
  const number = stream?.sequence === undefined ? undefined : fields[stream.sequence];
  return `${String(fields[envelope.discriminator])}${number === undefined ? "" : ` #${String(number)}`}`;
}
