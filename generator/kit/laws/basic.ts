import { equal, type Json } from "../../json.js";
import type { Law } from "../law.js";
import { copyEvent, describeEvent } from "../observe.js";
import type { Trial } from "../trial.js";
import { describeDifference } from "../view.js";

/** Laws that hold for all events. */
export const basicLaws: readonly Law[] = [
  {
    id: "never-throws",
    basic: true,
    covers: "fields",
    law: "No event that the contract allows makes a consumer throw, and snapshot() works after each event.",
    streams: 3,
    check(trial) {
      trial.setFixture(trial.events);
      showEach(trial);
    },
  },
  {
    id: "create-independent",
    basic: true,
    law: "create() returns a consumer without the state of earlier ones.",
    check(trial) {
      expectNoState(trial);
    },
  },
  {
    id: "deterministic",
    basic: true,
    law: "The same events always give the same snapshot. It contains no time, no random value and no counter of other consumers.",
    streams: 3,
    check(trial) {
      const first = trial.requires("never-throws", () => trial.view(trial.events));
      trial.requires("create-independent", () => expectNoState(trial));
      trial.expectSame(first, trial.view(trial.events), "After the same events in a second consumer");
    },
  },
  {
    id: "bulk-equals-stream",
    law: "Events that are loaded at once and events that are shown one by one give the same final snapshot: taking a snapshot changes nothing.",
    streams: 3,
    check(trial) {
      const bulk = trial.view(trial.events);
      trial.expectSame(bulk, showEach(trial), "When a snapshot was taken after each event");
    },
  },
  {
    id: "input-untouched",
    law: "A consumer does not change the events that it receives, because other code may hold them, too.",
    check(trial) {
      const { events, protocol } = trial;
      trial.view(events);
      const given = copyEvent(events);
      const consumer = trial.create();
      for (const event of given) trial.push(consumer, event);
      trial.show(consumer);
      for (const [index, event] of given.entries()) {
        const original = events[index] ?? {};
        if (!equal(original, event))
          trial.fail(
            `The event ${describeEvent(protocol, original)} was changed ${describeDifference(original, event)}`,
          );
      }
      const second = trial.create();
      for (const event of events) trial.push(second, deepFreeze(copyEvent(event)));
    },
  },
  {
    id: "key-order",
    law: "The order of an object's keys makes no difference.",
    check(trial) {
      const expected = trial.view(trial.events);
      const reversed = trial.events.map((event) => reverseKeys(event) as object);
      trial.expectSame(expected, trial.view(reversed), "With the keys of all objects in reverse order");
    },
  },
];

/** Fails if a new consumer shows something else after another consumer had events. */
function expectNoState(trial: Trial): void {
  const empty = trial.view([]);
  trial.requires("never-throws", () => trial.view(trial.events));
  const after = trial.view([]);
  trial.setFixture(trial.events);
  trial.expectSame(empty, after, "Before its first event, but after another consumer had some");
}

/** Takes a snapshot before and after each event, and returns the last one. */
function showEach(trial: Trial): Json {
  const consumer = trial.create();
  let view = trial.show(consumer);
  for (const event of trial.events) {
    trial.push(consumer, copyEvent(event));
    view = trial.show(consumer);
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
