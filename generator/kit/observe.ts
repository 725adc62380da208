/** Calls the methods of consumers. An exception of a consumer breaks a law. */
import { isObject, type Json, type JsonObject, objectFrom } from "../json.js";
import { type Adapter, type Consumer, createConsumer } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import { toJson } from "./view.js";

/** Thrown when a consumer breaks a law. Any other exception is a bug of the kit. */
export class BrokenLaw extends Error {
  override name = "BrokenLaw";
  /** `law` is the id of the broken law if it is not the one that is checked. */
  constructor(
    message: string,
    readonly law?: string,
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
  if (!isObject(value)) return value;
  return objectFrom(Object.entries(value).map(([name, member]) => [name, copyJson(member)] as const));
}

/** Gives a consumer an event. */
export function pushEvent(protocol: KitProtocol, consumer: Consumer, event: object): void {
  callConsumer(
    () => `push of ${describeEvent(protocol, event)}`,
    () => consumer.push(event as never),
  );
}

/** Returns what a consumer shows. */
export function takeSnapshot(consumer: Consumer): Json {
  return callConsumer(
    () => "snapshot()",
    () => toJson(consumer.snapshot()),
  );
}

/** Returns a new consumer that has received a copy of each event. */
export function feedConsumer(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): Consumer {
  const consumer = createConsumer(adapter);
  for (const event of events) pushEvent(protocol, consumer, copyEvent(event));
  return consumer;
}

/** Returns what a new consumer shows after `events`. */
export function showEvents(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): Json {
  return takeSnapshot(feedConsumer(adapter, protocol, events));
}

/** Returns the result of `view`, or undefined if the consumer throws. */
export function ignoreBrokenLaw(view: () => Json): Json | undefined {
  try {
    return view();
  } catch (error) {
    if (error instanceof BrokenLaw) return undefined;
    throw error;
  }
}

function callConsumer<T>(describeCall: () => string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new BrokenLaw(`${describeCall()} threw ${text}`);
  }
}

/** Describes an event in messages by its type and its number. */
export function describeEvent({ envelope, stream }: KitProtocol, event: object): string {
  const fields = event as JsonObject;
  const number = stream?.sequence === undefined ? undefined : fields[stream.sequence];
  return `${String(fields[envelope.discriminator])}${number === undefined ? "" : ` #${String(number)}`}`;
}
