import { streamKey } from "../../stream/stream-key.js";
import { copyOf } from "../copy.js";
import type { KitEvent } from "../event-maker.js";
import { type Law, needsIds, needsNumbers } from "../law.js";
import { nameOf } from "../show.js";
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
      if (events.length < 3) return;
      const once = trial.view(events);
      const from = random.below(events.length - 2);
      const to = from + 2 + random.below(events.length - from - 1);
      const repeated = (at: number): KitEvent[] => [
        ...events.slice(0, at),
        ...events.slice(from, from + 1),
        ...events.slice(at),
      ];
      // What counts twice even at once is for the law before.
      if (!sameView(once, trial.glance(repeated(from + 1)) ?? null)) return;
      const again = repeated(to);
      const name = nameOf(trial.protocol, events[from] ?? {});
      expectSame(trial, once, trial.view(again), `After ${name} came again, ${to - from - 1} events later`);
    },
  },
  {
    id: "resume-overlap",
    law: "A connection that is resumed too early repeats several events, which count once.",
    absent: needsIds,
    streams: 2,
    check(trial) {
      const { events, random } = trial;
      if (events.length < 3) return;
      const once = trial.view(events);
      const cut = 2 + random.below(events.length - 1);
      const back = Math.min(cut, 2 + random.below(6));
      // What counts twice when it comes again alone is for the laws before.
      const alone = events.slice(cut - back, cut).map((event) => {
        return trial.glance([...events.slice(0, cut), event, ...events.slice(cut)]);
      });
      if (!alone.every((view) => view !== undefined && sameView(once, view))) return;
      const resumed = [...events.slice(0, cut), ...events.slice(cut - back)];
      expectSame(
        trial,
        once,
        trial.view(resumed),
        `After a new connection that began ${back} events too early`,
      );
    },
  },
  {
    id: "cursor",
    law: "cursor(stream) is the highest sequence of that stream, whatever else is delivered, and never falls.",
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
