import type { Json, JsonObject } from "../json.js";
import { type Adapter, type Consumer, freshConsumer } from "./adapter.js";
import { copyOf } from "./copy.js";
import type { KitProtocol } from "./kit-protocol.js";
import { plain } from "./view.js";

/** A consumer broke a law. Anything else that is thrown is the kit's own fault. */
export class BrokenLaw extends Error {
  override name = "BrokenLaw";
}

/** A law cannot be checked, because the consumer breaks the law on which it rests. */
export class Inconclusive extends Error {
  override name = "Inconclusive";
  /** `law` is the id of the broken one. */
  constructor(readonly law: string) {
    super(`not judged, because ${law} is broken`);
  }
}

/** Feeds a consumer; if it throws, that breaks a law. */
export function push(protocol: KitProtocol, consumer: Consumer, event: object): void {
  guarded(
    () => `push of ${nameOf(protocol, event)}`,
    () => consumer.push(event as never),
  );
}

/** What a consumer shows; if it throws, that breaks a law. */
export function show(consumer: Consumer): Json {
  return guarded(
    () => "snapshot()",
    () => plain(consumer.snapshot()),
  );
}

/** A fresh consumer that has taken a copy of each event. */
export function feed(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): Consumer {
  const consumer = freshConsumer(adapter);
  for (const event of events) push(protocol, consumer, copyOf(event));
  return consumer;
}

/** What a fresh consumer shows after `events`. */
export function showAfter(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): Json {
  return show(feed(adapter, protocol, events));
}

/** The same, or undefined if the consumer throws. */
export function ignoreBrokenLaw(look: () => Json): Json | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof BrokenLaw) return undefined;
    throw error;
  }
}

function guarded<T>(what: () => string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new BrokenLaw(`${what()} threw ${said}`);
  }
}

/** An event as messages name it. */
export function nameOf({ envelope, stream }: KitProtocol, event: object): string {
  const fields = event as JsonObject;
  const number = stream?.sequence === undefined ? undefined : fields[stream.sequence];
  return `${String(fields[envelope.discriminator])}${number === undefined ? "" : ` #${String(number)}`}`;
}
