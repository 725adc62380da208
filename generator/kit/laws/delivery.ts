import type { KitEvent } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import { copyOf } from "../copy.js";
import { type Law, needsIds, needsNumbers } from "../law.js";
import { nameOf } from "../show.js";
import type { Trial } from "../trial.js";
import { sameView } from "../view.js";
import { expectSame } from "./basic.js";

/** What a feed that delivers at least once does. */
export const deliveryLaws: readonly Law[] = [
  {
    id: "duplicate-adjacent",
    law: "An event that is delivered twice in a row counts once.",
    absent: needsIds,
    streams: 2,
    check(trial) {
      const once = trial.view(trial.events);
      const twice = trial.events.flatMap((event) => (trial.random.chance(0.5) ? [event, event] : [event]));
      expectSame(trial, once, trial.view(twice), "After events that came twice in a row");
    },
  },
  {
    id: "duplicate-late",
    law: "An event that is delivered again after others counts once, at its first place.",
    absent: needsIds,
    streams: 2,
    check(trial) {
      const { events, random } = trial;
      if (events.length < FEW) return;
      const from = random.below(events.length - 2);
      const to = from + 2 + random.below(events.length - from - 1);
      trial.requires("duplicate-adjacent", countOnce(trial, repeating(events, [from, from + 1], from + 1)));
      const name = nameOf(trial.protocol, events[from] ?? {});
      const when = `After ${name} came again, ${to - from - 1} events later`;
      expectSame(trial, trial.view(events), trial.view(repeating(events, [from, from + 1], to)), when);
    },
  },
  {
    id: "resume-overlap",
    law: "If a connection resumes too early and repeats several events, each of them counts once.",
    absent: needsIds,
    streams: 2,
    check(trial) {
      const { events, random } = trial;
      if (events.length < FEW) return;
      const cut = 2 + random.below(events.length - 1);
      const back = Math.min(cut, 2 + random.below(6));
      for (let from = cut - back; from < cut; from++)
        trial.requires("duplicate-late", countOnce(trial, repeating(events, [from, from + 1], cut)));
      const when = `After a new connection that began ${back} events too early`;
      expectSame(trial, trial.view(events), trial.view(repeating(events, [cut - back, cut], cut)), when);
    },
  },
  {
    id: "cursor",
    law: "cursor(stream) is the highest sequence number of that stream, whatever else is delivered, and never decreases.",
    hook: "cursor",
    absent: needsNumbers,
    streams: 2,
    check(trial) {
      const { events, protocol, random } = trial;
      const highest = new Map<string, number>();
      const consumer = trial.fresh();
      const fed: object[] = [];
      for (const [index, event] of events.entries()) {
        const repeated = random.chance(0.2) ? events.slice(Math.max(0, index - 3), index) : [];
        for (const each of [event, ...(protocol.stream?.id === undefined ? [] : repeated)]) {
          fed.push(each);
          trial.note(fed);
          trial.push(consumer, copyOf(each));
          const key = streamKey(protocol.stream, each);
          const number = Number(each[protocol.stream?.sequence ?? ""]);
          highest.set(key, Math.max(number, highest.get(key) ?? number));
          const cursor = consumer.cursor?.(key);
          if (String(cursor) !== String(highest.get(key)))
            trial.fail(
              `After ${nameOf(protocol, each)}, cursor("${key}") is ${String(cursor)}, not ${highest.get(key)}`,
            );
        }
      }
    },
  },
];

/** Streams with fewer events have nothing between an event and its repetition. */
const FEW = 3;

/** `events` with some of them once more, behind the first `at`. */
function repeating(
  events: readonly KitEvent[],
  [from, to]: readonly [number, number],
  at: number,
): readonly KitEvent[] {
  return [...events.slice(0, at), ...events.slice(from, to), ...events.slice(at)];
}

/** Whether the events show what they would without repetitions. */
function countOnce(trial: Trial, repeated: readonly KitEvent[]): boolean {
  const view = trial.tryView(repeated);
  return view !== undefined && sameView(trial.view(trial.events), view);
}
