import { getItem } from "../../get-item.js";
import { areEqual, type Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import type { Law } from "../law.js";
import { callConsumer, copyEvent, describeEvent, readConsumer } from "../observe.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";

/** Laws about a feed that delivers events at least once. */
export const deliveryLaws: readonly Law[] = [
  {
    id: "duplicate-adjacent",
    law: "An event that is delivered twice in a row counts once.",
    needs: "ids",
    streams: 2,
    check: expectAdjacentOnce,
  },
  {
    id: "duplicate-late",
    law: "An event that is delivered again after others counts once, at its first place.",
    needs: "ids",
    streams: 2,
    *check(trial) {
      const { random } = trial;
      yield* requireAdjacent(trial);
      const views = yield* viewSteps(trial, (index) => index > 0);
      yield* expectSameSteps(trial, views, (index) => [index - 1], "came again after one other event");
      yield* expectSameSteps(trial, views, (index) => [random.below(index)], "came again after other events");
    },
  },
  {
    id: "resume-overlap",
    law: "If a connection resumes too early and repeats several events, each of them counts once.",
    needs: "ids",
    streams: 2,
    *check(trial) {
      yield* requireAdjacent(trial);
      const { random } = trial;
      const cuts = trial.events.map(() => random.below(3) === 0);
      const overlapSizes = trial.events.map(() => 2 + random.below(6));
      const listOverlap = (index: number): readonly number[] =>
        createRange(Math.max(0, index + 1 - (overlapSizes[index] ?? 0)), index);
      // The same repetitions one by one: each comes after other events, but no two in a row.
      const selectFirst = (index: number): readonly number[] => listOverlap(index).slice(0, 1);
      const views = yield* viewSteps(trial, (index) => cuts[index] === true);
      yield* trial.requires(
        "duplicate-late",
        expectSameSteps(trial, views, selectFirst, "came again after other events"),
      );
      const description = "came again, because a new connection began too early";
      yield* expectSameSteps(trial, views, listOverlap, description);
    },
  },
  {
    id: "reconnect",
    law: "reconnect() changes nothing that is shown, and events that come again after it count once.",
    hook: "reconnect",
    streams: 2,
    *check(trial) {
      const { events, protocol, random } = trial;
      const cut = 1 + random.below(events.length);
      const overlap = protocol.stream?.id === undefined ? 0 : Math.min(cut, random.below(4));
      const expectedView = yield* trial.view(events);
      yield* trial.requires("bulk-equals-stream", checkSnapshots(trial, cut, expectedView));
      yield* checkReconnection(trial, cut, 0, expectedView);
      if (overlap === 0) return;
      yield* requireAdjacent(trial);
      // The first of the repetitions comes after other events, unless there is only one.
      const views = yield* viewSteps(trial, (index) => index === cut - 1);
      yield* trial.requires(
        "duplicate-late",
        expectSameSteps(trial, views, () => [cut - overlap], "came again after other events"),
      );
      const repeatedEvents = [...events.slice(0, cut), ...events.slice(cut - overlap)];
      yield* trial.requires("resume-overlap", expectView(trial, repeatedEvents, expectedView));
      yield* checkReconnection(trial, cut, overlap, expectedView);
    },
  },
  {
    id: "cursor",
    law: "cursor(stream) is the highest sequence number of that stream, whatever else is delivered, and never decreases.",
    hook: "cursor",
    needs: "numbers",
    streams: 2,
    check: checkCursor,
  },
];

function* expectView(trial: Trial, events: readonly SampleEvent[], expected: Json): Steps<void> {
  trial.expectSame(expected, yield* trial.view(events), "After events that came again");
}

/** Fails if snapshots after `cut` events change what is shown. */
function* checkSnapshots(trial: Trial, cut: number, expected: Json): Steps<void> {
  const consumer = yield* trial.feed(trial.events.slice(0, cut));
  const before = yield* trial.show(consumer);
  trial.expectSame(before, yield* trial.show(consumer), "In a second snapshot of the same state");
  for (const event of trial.events.slice(cut)) yield* trial.push(consumer, copyEvent(event));
  trial.expectSame(expected, yield* trial.show(consumer), "When snapshots were taken before");
}

/** Reconnects after `cut` events. The new connection repeats the last `overlap` of them. */
function* checkReconnection(trial: Trial, cut: number, overlap: number, expected: Json): Steps<void> {
  const { events } = trial;
  const consumer = yield* trial.feed(events.slice(0, cut));
  const before = yield* trial.show(consumer);
  yield* readConsumer("reconnect()", () => consumer.reconnect?.());
  trial.expectSame(before, yield* trial.show(consumer), "After reconnect()");
  const rest = events.slice(cut - overlap);
  for (const event of rest) yield* trial.push(consumer, copyEvent(event));
  trial.setFixture([...events.slice(0, cut), ...rest]);
  const when = `After reconnect() and ${overlap} of the last events again`;
  trial.expectSame(expected, yield* trial.show(consumer), when);
}

function requireAdjacent(trial: Trial): Steps<void> {
  return trial.requires("duplicate-adjacent", expectAdjacentOnce(trial));
}

/** Fails if an event that comes twice in a row changes a snapshot. Several laws need this for the same streams. */
function* expectAdjacentOnce(trial: Trial): Steps<void> {
  const { events, observations } = trial;
  if (observations?.repeatable.has(events)) return;
  const views = yield* viewSteps(trial, () => true);
  yield* expectSameSteps(trial, views, (index) => [index], "came twice in a row");
  observations?.repeatable.add(events);
}

function createRange(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/**
 * Delivers events again after each event that `views` has a view for: what is shown after it without repetitions. Fails if
 * any of them changes the snapshot at that time, because later events may hide the change. `listRepeats` returns the indexes
 * of the events that come again after the one at `index`. `description` completes a message about these events.
 */
function* expectSameSteps(
  trial: Trial,
  views: readonly (Json | undefined)[],
  listRepeats: (index: number) => readonly number[],
  description: string,
): Steps<void> {
  const { events, protocol } = trial;
  const repeats = views.map((view, index) => (view === undefined ? [] : listRepeats(index)));
  const groups = events.map((event, index) => [
    event,
    ...getItem(repeats, index).map((repeat) => getItem(events, repeat)),
  ]);
  trial.setFixture(groups.flat());
  const viewsWithRepeats = yield* viewGroups(trial, groups, (index) => views[index] !== undefined);
  for (const [index, expected] of views.entries()) {
    const actual = viewsWithRepeats[index] ?? null;
    if (expected === undefined || areEqual(expected, actual)) continue;
    const names = getItem(groups, index)
      .slice(1)
      .map((event) => describeEvent(protocol, event));
    trial.setFixture(groups.slice(0, index + 1).flat());
    trial.expectSame(expected, actual, `After ${names.join(", ")} ${description}`);
  }
}

/** Returns what a new consumer shows after each event of the stream for which `isShown` returns true. */
function viewSteps(trial: Trial, isShown: (index: number) => boolean): Steps<readonly (Json | undefined)[]> {
  return viewGroups(
    trial,
    trial.events.map((event) => [event]),
    isShown,
  );
}

/** Feeds groups of events to a new consumer. Returns the snapshots after those for which `isShown` returns true. */
function* viewGroups(
  trial: Trial,
  groups: readonly (readonly SampleEvent[])[],
  isShown: (index: number) => boolean,
): Steps<readonly (Json | undefined)[]> {
  const consumer = yield* trial.create();
  const views: (Json | undefined)[] = [];
  for (const [index, group] of groups.entries()) {
    for (const event of group) yield* trial.push(consumer, copyEvent(event));
    views.push(isShown(index) ? yield* trial.show(consumer) : undefined);
  }
  return views;
}

function* checkCursor(trial: Trial): Steps<void> {
  const { events, protocol, random } = trial;
  const { stream } = protocol;
  const feed = events.flatMap((event, index) => {
    const repeats = random.chance(0.2) ? events.slice(Math.max(0, index - 3), index) : [];
    return [event, ...(stream?.id === undefined ? [] : repeats)];
  });
  const highest = new Map<string, number>();
  const consumer = yield* trial.create();
  for (const [index, event] of feed.entries()) {
    trial.setFixture(feed.slice(0, index + 1));
    yield* trial.push(consumer, copyEvent(event));
    const key = streamKey(stream, event);
    const number = Number(event[stream?.sequence ?? ""]);
    const expectedNumber = Math.max(number, highest.get(key) ?? number);
    highest.set(key, expectedNumber);
    const describeCall = (): string => `cursor("${key}")`;
    const value = yield* callConsumer(describeCall, () => consumer.cursor?.(key));
    const cursor = yield* callConsumer(describeCall, () => String(value));
    if (cursor !== String(expectedNumber))
      trial.fail(
        `After ${describeEvent(protocol, event)}, cursor("${key}") is ${cursor}, not ${expectedNumber}`,
      );
  }
}
