import type { Json, JsonObject } from "../json.js";
import type { Protocol } from "../model/protocol.js";
import type { StreamRules } from "../model/stream-rules.js";
import { type Adapter, type Consumer, freshConsumer } from "./adapter.js";
import type { KitEvent } from "./event-maker.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Player } from "./play.js";
import type { Random } from "./random.js";
import type { Script } from "./script.js";
import { plain, sameView } from "./view.js";

/** A consumer broke a law. Anything else that is thrown is the kit's own fault. */
export class BrokenLaw extends Error {
  override name = "BrokenLaw";
}

/** One stream, and consumers to try it on. */
export interface Trial {
  readonly protocol: KitProtocol;
  readonly model: Protocol;
  readonly rules: StreamRules;
  /** The generated stream. */
  readonly events: readonly KitEvent[];
  readonly random: Random;
  readonly script: Script;
  /** The generated stream once more, as far as it can be continued. */
  player(): Player;
  /** A consumer that has seen nothing. */
  fresh(): Consumer;
  /** What a fresh consumer shows after `events`. */
  view(events: readonly object[]): Json;
  /** The same, or undefined if the consumer throws: for what another law speaks of. */
  glance(events: readonly object[]): Json | undefined;
  /** Whether what is shown after `before` changes with `more`; undefined if the consumer throws. */
  matters(before: readonly object[], more: readonly object[]): boolean | undefined;
  /** Feeds a consumer that a law watches itself. */
  push(consumer: Consumer, event: object): void;
  /** What a consumer that a law watches itself shows. */
  show(consumer: Consumer): Json;
  /** Notes what a failure shows as its fixture. */
  note(events: readonly object[]): void;
  fail(message: string): never;
}

/** What a trial is made of. */
export interface TrialParts {
  readonly adapter: Adapter;
  readonly protocol: KitProtocol;
  readonly model: Protocol;
  readonly random: Random;
  readonly script: Script;
  player(): Player;
}

/** A trial, and the events that were fed last. */
export function openTrial({ adapter, protocol, model, random, script, player }: TrialParts): {
  readonly trial: Trial;
  fed(): readonly object[];
} {
  let fed: readonly object[] = [];
  const fresh = (): Consumer => freshConsumer(adapter);
  const fail = (message: string): never => {
    throw new BrokenLaw(message);
  };
  const guarded = <T>(what: string, act: () => T): T => {
    try {
      return act();
    } catch (error) {
      return fail(
        `${what} threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
      );
    }
  };
  const push = (consumer: Consumer, event: object): void => {
    guarded(`push of ${nameOf(protocol, event)}`, () => consumer.push(event as never));
  };
  const show = (consumer: Consumer): Json => guarded("snapshot()", () => plain(consumer.snapshot()));
  const view = (events: readonly object[]): Json => {
    fed = events;
    const consumer = fresh();
    for (const event of events) push(consumer, structuredClone(event));
    return show(consumer);
  };
  const glance = (events: readonly object[]): Json | undefined => {
    const before = fed;
    try {
      return view(events);
    } catch (error) {
      if (error instanceof BrokenLaw) return undefined;
      throw error;
    } finally {
      fed = before;
    }
  };
  const matters = (before: readonly object[], more: readonly object[]): boolean | undefined => {
    const [without, withMore] = [glance(before), glance([...before, ...more])];
    return without === undefined || withMore === undefined ? undefined : !sameView(without, withMore);
  };
  const trial: Trial = {
    ...{ protocol, model, random, script, player, fresh, view, glance, matters, push, show, fail },
    rules: model.stream?.rules ?? {},
    events: player().events,
    note: (events) => {
      fed = events;
    },
  };
  return { trial, fed: () => fed };
}

/** An event as messages name it. */
export function nameOf({ envelope, stream }: KitProtocol, event: object): string {
  const fields = event as JsonObject;
  const number = stream?.sequence === undefined ? undefined : fields[stream.sequence];
  return `${String(fields[envelope.discriminator])}${number === undefined ? "" : ` #${String(number)}`}`;
}
