import type { Json } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { StreamRules } from "../protocol/stream-rules.js";
import type { Random } from "../random.js";
import type { KitEvent } from "../sample/event-maker.js";
import { type Adapter, type Consumer, freshConsumer } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Script } from "./script.js";
import { BrokenLaw, feed, Inconclusive, ignoreBrokenLaw, push, show, showAfter } from "./show.js";
import type { StreamBuilder } from "./stream-builder.js";
import { sameView } from "./view.js";

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
  builder(): StreamBuilder;
  /** A consumer that has seen nothing. */
  fresh(): Consumer;
  /** A consumer that has taken a copy of each event. */
  feed(events: readonly object[]): Consumer;
  /** What a fresh consumer shows after `events`. */
  view(events: readonly object[]): Json;
  /** The same, or undefined if the consumer throws: for what another law speaks of. */
  tryView(events: readonly object[]): Json | undefined;
  /** Whether what is shown after `before` changes with `more`; undefined if the consumer throws. */
  matters(before: readonly object[], more: readonly object[]): boolean | undefined;
  /** Feeds a consumer that a law watches itself. */
  push(consumer: Consumer, event: object): void;
  /** What a consumer that a law watches itself shows. */
  show(consumer: Consumer): Json;
  /** Ends the trial unless the law with this id `holds`: what breaks that one cannot be judged by this one. */
  requires(law: string, holds: boolean): void;
  /** Notes what a failure shows as its fixture. */
  note(events: readonly object[]): void;
  fail(message: string): never;
}

/** What a trial is made of. */
interface TrialParts {
  readonly adapter: Adapter;
  readonly protocol: KitProtocol;
  readonly model: Protocol;
  readonly random: Random;
  readonly script: Script;
  /** The generated stream. */
  readonly events: readonly KitEvent[];
  /** What a fresh consumer shows after streams; absent where it must be looked at anew. */
  readonly shown?: WeakMap<readonly object[], Json> | undefined;
  builder(): StreamBuilder;
}

/** A trial, and the events that were fed last. */
export function openTrial(parts: TrialParts): { readonly trial: Trial; fed(): readonly object[] } {
  const { adapter, protocol, model, shown } = parts;
  let fed: readonly object[] = [];
  const look = (events: readonly object[]): Json => {
    const view = shown?.get(events) ?? showAfter(adapter, protocol, events);
    shown?.set(events, view);
    return view;
  };
  const view = (events: readonly object[]): Json => {
    fed = events;
    return look(events);
  };
  const tryView = (events: readonly object[]): Json | undefined => ignoreBrokenLaw(() => look(events));
  const trial: Trial = {
    ...{ protocol, model, random: parts.random, script: parts.script, events: parts.events },
    ...{ builder: parts.builder, view, tryView, show },
    rules: model.stream?.rules ?? {},
    fresh: () => freshConsumer(adapter),
    feed(events) {
      fed = events;
      return feed(adapter, protocol, events);
    },
    matters(before, more) {
      const [without, withMore] = [tryView(before), tryView([...before, ...more])];
      return without === undefined || withMore === undefined ? undefined : !sameView(without, withMore);
    },
    push: (consumer, event) => push(protocol, consumer, event),
    requires(law, holds) {
      if (!holds) throw new Inconclusive(law);
    },
    note: (events) => {
      fed = events;
    },
    fail(message) {
      throw new BrokenLaw(message);
    },
  };
  return { trial, fed: () => fed };
}
