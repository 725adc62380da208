import { createObject, isObject, type Json, joinPointer } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import type { Law } from "../law.js";
import { getPayload } from "../payload.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";
import { findDifferences } from "../view.js";

/** Laws about times, and about figures that grow. */
export const orderLaws: readonly Law[] = [
  {
    id: "time-not-order",
    law: "Times do not order events: with other times, the same events are shown in the same order.",
    needs: "times",
    streams: 2,
    *check(trial) {
      const orderedEvents = setTimes(trial, (index) => index * 7);
      const orderedUnevenly = setTimes(trial, (index) => index * 7 + (index % 3) * 2 + 1);
      const orderedFarApart = setTimes(trial, (index) => (index + 1) * 61_000);
      const reversedEvents = setTimes(trial, (index) => (trial.events.length - index) * 7);
      if (!orderedEvents || !orderedUnevenly || !orderedFarApart || !reversedEvents) return;
      const view = yield* trial.view(orderedEvents);
      // A place that changes with other times in the same order shows a time or a duration.
      const timePlaces = new Set([
        ...findDifferences(view, yield* trial.view(orderedUnevenly)),
        ...findDifferences(view, yield* trial.view(orderedFarApart)),
      ]);
      const actual = yield* trial.view(reversedEvents);
      trial.expectSame(
        omitPlaces(view, timePlaces),
        omitPlaces(actual, timePlaces),
        "With the times of the events in reverse",
      );
    },
  },
  {
    id: "cumulative-not-summed",
    law: "A figure that the protocol declares as cumulative is a total: consumers do not add up its values.",
    needs: "rising",
    needsOneRun: true,
    *check(trial) {
      for (const { type, fields } of trial.rules.rising ?? []) yield* checkTotals(trial, type, fields);
    },
  },
];

/** The time of the first event: far from the end of a minute, an hour or a day. */
const START = Date.UTC(2026, 0, 5, 12, 30, 10);

/** Returns the events with other times; undefined if the contract does not allow them. */
function setTimes({ protocol, events }: Trial, offset: (index: number) => number): SampleEvent[] | undefined {
  const name = protocol.stream?.time ?? "";
  const changedEvents = events.map((event, index): SampleEvent => {
    const time = START + offset(index);
    return { ...event, [name]: typeof event[name] === "number" ? time : new Date(time).toISOString() };
  });
  return changedEvents.every((event) => protocol.decodeEvent(event).kind === "known")
    ? changedEvents
    : undefined;
}

/** Returns a view without the values at some JSON pointers. */
function omitPlaces(view: Json, omitted: ReadonlySet<string>, pointer = ""): Json {
  if (omitted.has(pointer)) return null;
  if (Array.isArray(view))
    return view.map((item, index) => omitPlaces(item, omitted, joinPointer(pointer, index)));
  if (!isObject(view)) return view;
  const members = Object.entries(view).filter(([name]) => !omitted.has(joinPointer(pointer, name)));
  return createObject(
    members.map(([name, member]) => [name, omitPlaces(member, omitted, joinPointer(pointer, name))] as const),
  );
}

/** An earlier and a later value of a cumulative figure, and what is added to each of them. */
const FIGURES = { earlier: 3_000_000, later: 9_000_000, added: 2_000_000 } as const;

/** Fails if a number is shown that grows with the earlier values of cumulative figures, and with the later ones. */
function* checkTotals(trial: Trial, type: string, fields: readonly string[]): Steps<void> {
  const { earlier, later, added } = FIGURES;
  const events = sendFigures(trial, type, fields, [earlier, later]);
  const eventsWithGrownEarlier = sendFigures(trial, type, fields, [earlier + added, later]);
  const eventsWithGrownLater = sendFigures(trial, type, fields, [earlier, later + added]);
  if (!events || !eventsWithGrownEarlier || !eventsWithGrownLater) return;
  const viewWithGrownEarlier = yield* trial.tryView(eventsWithGrownEarlier);
  const viewWithGrownLater = yield* trial.tryView(eventsWithGrownLater);
  const view = yield* trial.view(events);
  if (viewWithGrownEarlier === undefined || viewWithGrownLater === undefined) return;
  const numbersWithGrownEarlier = listNumbers(viewWithGrownEarlier);
  const numbersWithGrownLater = listNumbers(viewWithGrownLater);
  const isGreater = (number: number | undefined, value: number) => number !== undefined && number > value;
  for (const [place, value] of listNumbers(view))
    if (
      isGreater(numbersWithGrownEarlier.get(place), value) &&
      isGreater(numbersWithGrownLater.get(place), value)
    )
      trial.fail(
        `The snapshot shows ${value} after two events ${type}. This number grows with the figures of the first one (${fields.join(", ")}), although the second one has the totals`,
      );
}

/** Sends two events with these values of cumulative figures; undefined if the contract does not allow them. */
function sendFigures(
  trial: Trial,
  type: string,
  fields: readonly string[],
  figures: readonly number[],
): SampleEvent[] | undefined {
  const [template] = trial.send([{ type, fixedFields: {} }]);
  if (template === undefined) return undefined;
  const payload = getPayload(trial.protocol, template);
  const setFigure = (value: Json | undefined, figure: number): Json =>
    isObject(value) ? createObject(Object.keys(value).map((name) => [name, figure] as const)) : figure;
  const sent = trial.sendAll(
    figures.map((figure) => ({
      type,
      fixedFields: createObject(fields.map((field) => [field, setFigure(payload[field], figure)] as const)),
    })),
  );
  return sent && [...trial.events, ...sent];
}

/** Returns the numbers in a view, also those in texts, by their places. */
function listNumbers(view: Json, pointer = ""): ReadonlyMap<string, number> {
  if (typeof view === "number") return new Map([[pointer, view]]);
  if (typeof view === "string") {
    // Commas, underscores and spaces may separate the digits of a number.
    const numbers = view.match(/\d[\d,_ ]*(\.\d+)?/g) ?? [];
    return new Map(numbers.map((text, index) => [`${pointer} ${index}`, Number(text.replace(/[,_ ]/g, ""))]));
  }
  if (typeof view !== "object" || view === null) return new Map();
  return new Map(
    Object.entries(view).flatMap(([name, member]) => [...listNumbers(member, joinPointer(pointer, name))]),
  );
}
