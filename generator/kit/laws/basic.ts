import { areEqual, type Json } from "../../json.js";
import type { Consumer } from "../adapter.js";
import type { Law } from "../law.js";
import { copyEvent, describeEvent } from "../observe.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";

/** The time after which a browser has drawn a change. */
const WAIT_MS = 20;

/** The timer of the platform, also where a test replaces it by a fake one later. */
const setTimer = globalThis.setTimeout;

/** Laws that hold for all events. */
export const basicLaws: readonly Law[] = [
  {
    id: "never-throws",
    isBasic: true,
    covers: "fields",
    law: "No event that the contract allows makes a consumer throw, and snapshot() works after each event.",
    streams: 3,
    *check(trial) {
      trial.setFixture(trial.events);
      yield* showEach(trial);
    },
  },
  {
    id: "create-independent",
    isBasic: true,
    law: "create() returns a consumer without the state of earlier ones.",
    check: (trial) => expectNoState(trial),
  },
  {
    id: "deterministic",
    isBasic: true,
    law: "The same events always give the same snapshot. It contains no time, no random value and no counter of other consumers.",
    streams: 3,
    *check(trial) {
      const first = yield* trial.requires("never-throws", trial.view(trial.events));
      yield* trial.requires("create-independent", expectNoState(trial));
      trial.expectSame(first, yield* trial.view(trial.events), "After the same events in a second consumer");
    },
  },
  {
    id: "bulk-equals-stream",
    law: "Events that are loaded at once and events that are shown one by one give the same final snapshot: taking a snapshot changes nothing.",
    streams: 3,
    *check(trial) {
      const bulk = yield* trial.view(trial.events);
      trial.expectSame(bulk, yield* showEach(trial), "When a snapshot was taken after each event");
    },
  },
  {
    id: "complete-after-push",
    law: "When push() has returned, or its promise is fulfilled, the snapshot is complete: nothing is shown later.",
    streams: 3,
    coveringOnly: true,
    waits: true,
    *check(trial) {
      const consumer = yield* trial.feed(trial.events);
      const view = yield* trial.show(consumer);
      yield* trial.requires("bulk-equals-stream", expectSameAgain(trial, consumer, view));
      yield new Promise((resolve) => setTimer(resolve, WAIT_MS));
      const when = `push() starts work whose promise it does not return. ${WAIT_MS} ms after the last push()`;
      trial.expectSame(view, yield* trial.show(consumer), when);
    },
  },
  {
    id: "input-untouched",
    law: "A consumer does not change the events that it receives, because other code may hold them, too.",
    needsOriginals: true,
    *check(trial) {
      const { events, protocol } = trial;
      yield* trial.view(events);
      const copies = copyEvent(events);
      const consumer = yield* trial.create();
      for (const event of copies) yield* trial.push(consumer, event);
      yield* trial.show(consumer);
      for (const [index, event] of copies.entries()) {
        const original = events[index] ?? {};
        if (!areEqual(original, event))
          trial.fail(`The event ${describeEvent(protocol, original)} was changed`, original, event);
      }
      const second = yield* trial.create();
      for (const event of events) yield* trial.push(second, deepFreeze(copyEvent(event)));
    },
  },
  {
    id: "key-order",
    law: "The order of an object's keys makes no difference.",
    *check(trial) {
      const expectedView = yield* trial.view(trial.events);
      const reversedEvents = trial.events.map((event) => reverseKeys(event) as object);
      trial.expectSame(
        expectedView,
        yield* trial.view(reversedEvents),
        "With the keys of all objects in reverse order",
      );
    },
  },
];

/** Fails if a new consumer shows something else after another consumer had events. */
function* expectNoState(trial: Trial): Steps<void> {
  const empty = yield* trial.view([]);
  yield* trial.requires("never-throws", trial.view(trial.events));
  const after = yield* trial.view([]);
  trial.setFixture(trial.events);
  trial.expectSame(empty, after, "Before its first event, but after another consumer had some");
}

/** Fails if another snapshot differs from `view`. */
function* expectSameAgain(trial: Trial, consumer: Consumer, view: Json): Steps<void> {
  trial.expectSame(view, yield* trial.show(consumer), "In a second snapshot of the same state");
}

/** Takes a snapshot before and after each event, and returns the last one. */
function* showEach(trial: Trial): Steps<Json> {
  const consumer = yield* trial.create();
  let view = yield* trial.show(consumer);
  for (const event of trial.events) {
    yield* trial.push(consumer, copyEvent(event));
    view = yield* trial.show(consumer);
  }
  return view;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

function reverseKeys(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reverseKeys);
  const entries = Object.entries(value).map(([key, member]) => [key, reverseKeys(member)] as const);
  return Object.fromEntries(entries.reverse());
}
