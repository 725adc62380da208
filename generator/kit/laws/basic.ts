import type { Json } from "../../json.js";
import { copyOf } from "../copy.js";
import type { Law } from "../law.js";
import { nameOf } from "../show.js";
import type { Trial } from "../trial.js";
import { describeDifference, sameView } from "../view.js";

/** Fails unless `found` shows what `wanted` does. */
export function expectSame(trial: Trial, wanted: Json, found: Json, when: string): void {
  if (!sameView(wanted, found))
    trial.fail(`${when}, the snapshot differs ${describeDifference(wanted, found)}`);
}

/** What holds for any event at all. */
export const basicLaws: readonly Law[] = [
  {
    id: "never-throws",
    basic: true,
    law: "No event that the contract allows makes a consumer throw, and snapshot() works after each event.",
    streams: 3,
    check(trial) {
      trial.note(trial.events);
      const consumer = trial.fresh();
      trial.show(consumer);
      for (const event of trial.events) {
        trial.push(consumer, copyOf(event));
        trial.show(consumer);
      }
    },
  },
  {
    id: "deterministic",
    basic: true,
    law: "The same events always give the same snapshot. It contains no time, no random value and no counter of other consumers.",
    streams: 3,
    check(trial) {
      const first = trial.tryView(trial.events);
      trial.requires("never-throws", first !== undefined);
      trial.requires("create-anew", leavesNothing(trial));
      expectSame(
        trial,
        first ?? null,
        trial.view(trial.events),
        "After the same events in a second consumer",
      );
    },
  },
  {
    id: "create-anew",
    basic: true,
    law: "create() returns a consumer without the state of earlier ones.",
    check(trial) {
      const empty = trial.view([]);
      trial.requires("never-throws", trial.tryView(trial.events) !== undefined);
      expectSame(trial, empty, trial.view([]), "Before its first event, but after another consumer had some");
    },
  },
  {
    id: "bulk-equals-stream",
    law: "Events that are loaded at once and events that are shown one by one give the same final snapshot: taking a snapshot changes nothing.",
    streams: 3,
    check(trial) {
      const bulk = trial.view(trial.events);
      const consumer = trial.fresh();
      for (const event of trial.events) {
        trial.show(consumer);
        trial.push(consumer, copyOf(event));
        trial.show(consumer);
      }
      expectSame(trial, bulk, trial.show(consumer), "When a snapshot was taken after each event");
    },
  },
  {
    id: "input-untouched",
    law: "A consumer does not change the events that it receives, because other code may hold them, too.",
    check(trial) {
      const { events, protocol } = trial;
      trial.view(events);
      const given = copyOf(events) as object[];
      const loose = trial.fresh();
      for (const event of given) trial.push(loose, event);
      trial.show(loose);
      for (const [index, event] of given.entries())
        if (!sameView(events[index] as Json, event as Json))
          trial.fail(
            `The event ${nameOf(protocol, events[index] ?? {})} was changed ${describeDifference(events[index] as Json, event as Json)}`,
          );
      const frozen = trial.fresh();
      for (const event of events) trial.push(frozen, deepFrozen(copyOf(event)) as object);
    },
  },
  {
    id: "key-order",
    law: "The order of an object's keys makes no difference.",
    check(trial) {
      const straight = trial.view(trial.events);
      const turned = trial.events.map((event) => reversed(event) as object);
      expectSame(trial, straight, trial.view(turned), "With the keys of all objects in reverse order");
    },
  },
];

/** Whether a consumer is empty after another one had events: if not, that is the law it breaks. */
function leavesNothing(trial: Trial): boolean {
  const empty = trial.tryView([]);
  return (
    empty !== undefined &&
    trial.tryView(trial.events) !== undefined &&
    sameView(empty, trial.tryView([]) ?? null)
  );
}

function deepFrozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}

function reversed(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
