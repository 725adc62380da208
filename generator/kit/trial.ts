import { areEqual, type Json } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { StreamRules } from "../protocol/stream-rules.js";
import type { Random } from "../random.js";
import type { EventMaker, SampleEvent } from "../sample/event-maker.js";
import { type Adapter, type Consumer, createConsumer } from "./adapter.js";
import type { Observations } from "./basic-laws.js";
import type { Claim } from "./claims.js";
import { describeDifferences } from "./describe-differences.js";
import { findStreamErrors } from "./find-stream-errors.js";
import { inferShown, type Shown } from "./infer-shown.js";
import type { KitProtocol } from "./kit-protocol.js";
import { BrokenLaw, dropConsumer, feedConsumer, pushEvent, showEvents, takeSnapshot } from "./observe.js";
import type { ProposedEvent } from "./rule-scenarios.js";
import type { GeneratorContext } from "./scenarios.js";
import { listTokens, subtractItems } from "./scene.js";
import type { Script } from "./script.js";
import type { Steps } from "./steps.js";
import type { StreamBuilder } from "./stream-builder.js";

/** An event to be sent after the generated ones, and the index of its stream (0 by default). */
interface StreamProposal extends ProposedEvent {
  readonly stream?: number;
}

/** Events that follow others. */
interface Addition {
  readonly before: readonly object[];
  readonly added: readonly object[];
}

/** A generated stream on which a law is checked, and consumers to feed it to. */
export interface Trial {
  readonly protocol: KitProtocol;
  readonly context: GeneratorContext;
  readonly maker: EventMaker;
  readonly model: Protocol;
  readonly rules: StreamRules;
  /** The generated stream. */
  readonly events: readonly SampleEvent[];
  readonly random: Random;
  readonly script: Script;
  /** What the consumer claims to show. */
  readonly claims: readonly Claim[];
  /** What laws have seen of the consumers so far; absent if each snapshot must be taken again. */
  readonly observations?: Observations | undefined;
  /** Returns a builder that continues the generated stream. */
  createBuilder(): StreamBuilder;
  /**
   * Returns events that continue the generated stream; those that would break a rule are left out. `fieldChance` is the
   * probability of optional fields; by default, there are none.
   */
  send(proposals: readonly StreamProposal[], fieldChance?: number): SampleEvent[];
  /** Returns the same, or undefined if one of them would break a rule. */
  sendAll(proposals: readonly StreamProposal[], fieldChance?: number): SampleEvent[] | undefined;
  /** Returns a value of a payload field that no other event has. */
  makeUnusedValue(type: string, field: string): Json;
  /** Returns what the consumer shows in plain streams. */
  inferShown(): Steps<Shown>;
  /** Returns a new consumer. */
  create(): Steps<Consumer>;
  /** Returns a new consumer that has received a copy of each event. */
  feed(events: readonly object[]): Steps<Consumer>;
  /** Returns what a new consumer shows after `events`. */
  view(events: readonly object[]): Steps<Json>;
  /** Returns the same, or undefined if the consumer throws at events that the contract does not allow. */
  tryView(events: readonly object[]): Steps<Json | undefined>;
  /** Returns whether an addition changes what is shown; false if the consumer throws. */
  isShown(addition: Addition): Steps<boolean>;
  /** Fails unless `tested` changes what is shown, if `plain` does. The failure shows what `plain` changes. */
  expectShownLike(plain: Addition, tested: Addition, message: string): Steps<void>;
  /** Fails unless two views show the same. `when` begins the message. */
  expectSame(expected: Json, actual: Json, when: string): void;
  /** Gives a consumer an event. */
  push(consumer: Consumer, event: object): Steps<void>;
  /** Returns what a consumer shows. */
  show(consumer: Consumer): Steps<Json>;
  /** Returns the result of `check`. If it fails, the consumer breaks the law with this id, on which the checked one depends. */
  requires<T>(law: string, check: Steps<T>): Steps<T>;
  /** Sets the events that a failure prints as its fixture. */
  setFixture(events: readonly object[]): void;
  /** Ends the trial: the consumer breaks the law. The failure shows the differences of the two views, if they are given. */
  fail(message: string, expected?: Json, actual?: Json): never;
}

/** The parts of a trial that the caller provides. */
interface TrialParts
  extends Pick<
    Trial,
    "protocol" | "context" | "random" | "script" | "claims" | "events" | "observations" | "createBuilder"
  > {
  readonly adapter: Adapter;
  /** True if the events of the context have the values that they need to be shown. */
  readonly fitsConsumer: boolean;
  /** The laws that are known to be broken. */
  readonly broken: ReadonlySet<string>;
}

/** Returns whether the contract allows these events. */
function isAllowed(protocol: KitProtocol, model: Protocol, events: readonly object[]): boolean {
  return (
    events.every((event) => protocol.decodeEvent(event).kind !== "invalid") &&
    findStreamErrors(model, events).length === 0
  );
}

/** An open trial. */
interface OpenTrial {
  readonly trial: Trial;
  /** Returns the events that a consumer received last. */
  fixture(): readonly object[];
  /** Tells the consumers of the trial that they are no longer needed. */
  dropConsumers(): Steps<void>;
}

/** Opens a trial. */
export function openTrial(parts: TrialParts): OpenTrial {
  const { adapter, protocol, context, createBuilder } = parts;
  const { maker } = context;
  let fixture: readonly object[] = [];
  const consumers: Consumer[] = [];
  const setFixture = (events: readonly object[]): void => {
    fixture = events;
  };
  const { view, tryView } = createViewFunctions(parts, setFixture);
  const send: Trial["send"] = (proposals, fieldChance = 0) => {
    const stream = createBuilder();
    const sent = proposals.map((proposal, index) =>
      stream.send(stream.getCursor(proposal.stream ?? 0), proposal, index + 1, fieldChance),
    );
    return sent.filter((event) => event !== undefined);
  };
  let values: StreamBuilder | undefined;
  const trial: Trial = {
    protocol,
    context,
    maker,
    random: parts.random,
    script: parts.script,
    claims: parts.claims,
    events: parts.events,
    observations: parts.observations,
    createBuilder,
    send,
    view,
    tryView,
    show: takeSnapshot,
    fail,
    model: maker.protocol,
    rules: maker.protocol.stream?.rules ?? {},
    sendAll(proposals, fieldChance) {
      const events = send(proposals, fieldChance);
      return events.length === proposals.length ? events : undefined;
    },
    makeUnusedValue(type, field) {
      values ??= createBuilder();
      return values.makeUnusedValue(type, field, 1);
    },
    *inferShown() {
      const shown = yield* inferShown(adapter, protocol, context);
      return (parts.fitsConsumer ? shown.fitted : undefined) ?? shown;
    },
    *create() {
      const consumer = yield* createConsumer(adapter);
      consumers.push(consumer);
      return consumer;
    },
    *feed(events) {
      fixture = events;
      const consumer = yield* feedConsumer(adapter, protocol, events);
      consumers.push(consumer);
      return consumer;
    },
    *isShown(addition) {
      return (yield* findChange(tryView, addition)) !== undefined;
    },
    *expectShownLike(plain, { before, added }, message) {
      const change = yield* findChange(tryView, plain);
      if (change === undefined) return;
      const testedView = yield* view(before);
      if (!areEqual(testedView, yield* view([...before, ...added]))) return;
      if (!canChangeAlike(change, testedView)) return;
      fail(`${message}. In a plain stream, it changes the snapshot`, change.after, change.before);
    },
    expectSame(expected, actual, when) {
      if (!areEqual(expected, actual)) fail(`${when}, the snapshot differs`, expected, actual);
    },
    push: (consumer, event) => pushEvent(protocol, consumer, event),
    requires: (law, check) => checkRequiredLaw(parts.broken, law, check),
    setFixture,
  };
  const dropConsumers = function* (): Steps<void> {
    for (const consumer of consumers) yield* dropConsumer(consumer);
  };
  return { trial, fixture: () => fixture, dropConsumers };
}

/** Returns the functions of a trial that show streams. They call `setFixture` with the stream of a failure. */
function createViewFunctions(
  { adapter, protocol, context, observations, broken }: TrialParts,
  setFixture: Trial["setFixture"],
): Pick<Trial, "view" | "tryView"> {
  const model = context.maker.protocol;
  const cachedView = function* (events: readonly object[]): Steps<Json> {
    if (observations === undefined) return yield* showEvents(adapter, protocol, events);
    const { views, viewsByContent } = observations;
    const known = views.get(events);
    if (known !== undefined) return known;
    const key = observations.describeContent(events);
    const view = viewsByContent.get(key) ?? (yield* showEvents(adapter, protocol, events));
    views.set(events, view);
    viewsByContent.set(key, view);
    return view;
  };
  return {
    *view(events) {
      setFixture(events);
      try {
        return yield* cachedView(events);
      } catch (error) {
        const isKnown = error instanceof BrokenLaw && broken.has("never-throws");
        if (isKnown && isAllowed(protocol, model, events)) throw new BrokenLaw(error.message, "never-throws");
        throw error;
      }
    },
    *tryView(events) {
      try {
        return yield* cachedView(events);
      } catch (error) {
        if (!(error instanceof BrokenLaw)) throw error;
        if (!isAllowed(protocol, model, events)) return undefined;
        setFixture(events);
        const isUnknown = events.some((event) => protocol.decodeEvent(event).kind === "unknown");
        throw new BrokenLaw(error.message, isUnknown ? "unknown-type" : "never-throws");
      }
    },
  };
}

/** Returns the snapshots before and after an addition if they differ; undefined if the consumer throws. */
function* findChange(
  tryView: Trial["tryView"],
  { before, added }: Addition,
): Steps<{ readonly before: Json; readonly after: Json } | undefined> {
  const without = yield* tryView(before);
  const after = yield* tryView([...before, ...added]);
  if (without === undefined || after === undefined || areEqual(without, after)) return undefined;
  return { before: without, after };
}

/**
 * Returns whether a change that is made to one view could change another one: it shows more, or what it takes away or replaces is
 * in the other view, too.
 */
function canChangeAlike(change: { readonly before: Json; readonly after: Json }, other: Json): boolean {
  const [before, after, shown] = [listTokens(change.before), listTokens(change.after), listTokens(other)];
  const [gained, lost] = [subtractItems(after, before), subtractItems(before, after)];
  if (lost.length === 0) return gained.length > 0;
  if (gained.length === 0) return subtractItems(lost, shown).length === 0;
  return gained.some((token) => !shown.includes(token));
}

function fail(message: string, expected?: Json, actual?: Json): never {
  const isCompared = expected !== undefined && actual !== undefined;
  throw new BrokenLaw(message, undefined, isCompared ? describeDifferences(expected, actual) : undefined);
}

/** Runs a check for which `law` must hold. Throws a BrokenLaw that names this law if it is broken or the check fails. */
function* checkRequiredLaw<Result>(
  broken: ReadonlySet<string>,
  law: string,
  check: Steps<Result>,
): Steps<Result> {
  // A consumer that throws at some events is checked on streams without them.
  if (broken.has(law) && law !== "never-throws") throw new BrokenLaw("", law);
  try {
    return yield* check;
  } catch (error) {
    throw error instanceof BrokenLaw ? new BrokenLaw(error.message, error.law ?? law, error.details) : error;
  }
}
