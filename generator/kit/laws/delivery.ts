import { equal } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import type { Law } from "../law.js";
import { copyEvent, describeEvent } from "../observe.js";
import type { Trial } from "../trial.js";

/** Laws about a feed that delivers events at least once. */
export const deliveryLaws: readonly Law[] = [
  {
    id: "duplicate-adjacent",
    law: "An event that is delivered twice in a row counts once.",
    needs: "ids",
    streams: 2,
    check(trial) {
      const once = trial.view(trial.events);
      const twice = trial.events.flatMap((event) => (trial.random.chance(0.5) ? [event, event] : [event]));
      trial.expectSame(once, trial.view(twice), "After events that came twice in a row");
    },
  },
  {
    id: "duplicate-late",
    law: "An event that is delivered again after others counts once, at its first place.",
    needs: "ids",
    streams: 2,
    check(trial) {
      const { events, random } = trial;
      if (events.length < MIN_EVENTS) return;
      const from = random.below(events.length - 2);
      const to = from + 2 + random.below(events.length - from - 1);
      trial.requires("duplicate-adjacent", countsOnce(trial, repeat(events, from, from + 1, from + 1)));
      const name = describeEvent(trial.protocol, events[from] ?? {});
      const when = `After ${name} came again, ${to - from - 1} events later`;
      trial.expectSame(trial.view(events), trial.view(repeat(events, from, from + 1, to)), when);
    },
  },
  {
    id: "resume-overlap",
    law: "If a connection resumes too early and repeats several events, each of them counts once.",
    needs: "ids",
    streams: 2,
    check(trial) {
      const { events, random } = trial;
      if (events.length < MIN_EVENTS) return;
      const cut = 2 + random.below(events.length - 1);
      const count = Math.min(cut, 2 + random.below(6));
      for (let from = cut - count; from < cut; from++)
        trial.requires("duplicate-late", countsOnce(trial, repeat(events, from, from + 1, cut)));
      const when = `After a new connection that began ${count} events too early`;
      trial.expectSame(trial.view(events), trial.view(repeat(events, cut - count, cut, cut)), when);
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

/** The least number of events of a stream in which other events can come between an event and its repetition. */
const MIN_EVENTS = 3;

/** Repeats the events from `from` to `to` (exclusive) at `index`. */
function repeat(
  events: readonly SampleEvent[],
  from: number,
  to: number,
  index: number,
): readonly SampleEvent[] {
  return [...events.slice(0, index), ...events.slice(from, to), ...events.slice(index)];
}

/** Returns whether the consumer shows the same for repeated events as for the stream without repetitions. */
function countsOnce(trial: Trial, repeated: readonly SampleEvent[]): boolean {
  const view = trial.tryView(repeated);
  return view !== undefined && equal(trial.view(trial.events), view);
}

function checkCursor(trial: Trial): void {
  const { events, protocol, random } = trial;
  const { stream } = protocol;
  const feed = events.flatMap((event, index) => {
    const repeats = random.chance(0.2) ? events.slice(Math.max(0, index - 3), index) : [];
    return [event, ...(stream?.id === undefined ? [] : repeats)];
  });
  const highest = new Map<string, number>();
  const consumer = trial.create();
  for (const [index, event] of feed.entries()) {
    trial.setFixture(feed.slice(0, index + 1));
    trial.push(consumer, copyEvent(event));
    const key = streamKey(stream, event);
    const number = Number(event[stream?.sequence ?? ""]);
    const expected = Math.max(number, highest.get(key) ?? number);
    highest.set(key, expected);
    const cursor = String(consumer.cursor?.(key));
    if (cursor !== String(expected))
      trial.fail(`After ${describeEvent(protocol, event)}, cursor("${key}") is ${cursor}, not ${expected}`);
  }
}
