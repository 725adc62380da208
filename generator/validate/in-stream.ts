/** Judges events that their protocol accepts: by themselves, or in their streams. */
import type { Texts } from "../conform/text-measure.js";
import type { Place } from "../ingest/place.js";
import type { JsonObject } from "../json.js";
import type { Placement } from "../stream/delivery.js";
import type { Followed } from "./followed.js";
import { breachFinding, report, type State } from "./session-state.js";
import { noteEvent, noteType } from "./stats.js";

/** Whether an event is judged without its stream: because that was asked for, or as the only one of its input, which shows what such an event looks like. */
export function isJudgedAlone(
  state: State,
  found: Followed,
  value: JsonObject,
  place: Place,
  known: boolean,
): boolean {
  const { eventsOnly, stats } = state.options;
  if (!eventsOnly && (place.what !== "document" || place.pointer !== "")) return false;
  if (stats) noteType(stats, found.validators.protocol, value, known);
  return true;
}

/** An event in its stream. */
export function judgeInStream(
  state: State,
  found: Followed,
  type: string,
  value: JsonObject,
  placement: Placement,
  place: Place,
  known: boolean,
  texts?: Texts,
): void {
  const { marks, options } = state;
  const mark = marks.of(place);
  const breaches = found.checker.checkTyped(type, value, placement, mark, texts);
  if (breaches.length > 0)
    report(
      state,
      place,
      breaches.map((breach) => breachFinding(state, breach, breach.mark === mark ? place : undefined)),
    );
  const { stats } = options;
  if (!stats) return;
  const { protocol } = found.validators;
  noteEvent(stats, { protocol, value, known, placement, order: marks.order(mark), item: place.item });
}
