/** Summarises a run for the list of runs, without parsing all of its events. */
import { getItem } from "../get-item.js";
import type { Protocol } from "../protocol/protocol.js";
import { chooseView, type ResolvedView, type Tone } from "../protocol/view-roles.js";
import { formatLabel, getValueAt, readPayload } from "../view/payload.js";
import { shortenTitle } from "../view/summary.js";
import { createRoleFinder } from "../view/view.js";
import type { Delivery, Log } from "./log.js";
import { parseRunEvent, type RunEvent } from "./run.js";

/** The facts about a run in the list of runs. They change as long as the run continues. */
interface RunListEntry {
  /** The beginning of the first text of a user; of the first complete text of others as long as there is none. */
  readonly title?: string | undefined;
  /** True if the protocol declares which events end a run like this. */
  readonly expectsEnd: boolean;
  /** The event that ended the run, in words, and whether that is good or bad. */
  readonly outcome?: { readonly label: string; readonly tone: Tone } | undefined;
  /** The times of the first and the last event in milliseconds since 1970. */
  readonly started?: number | undefined;
  readonly latest?: number | undefined;
}

/** Returns a function that summarises what has happened in a run. `events` are all events of the recording. */
export function createRunSummary(
  protocol: Protocol,
  log: Log,
  events: readonly RunEvent[],
): () => RunListEntry {
  const view = chooseView(protocol);
  const expectsEnd = isEndExpected(protocol, events);
  const findTitle = createTitleFinder(protocol, view, log);
  return () => {
    const times = log.deliveries.flatMap(({ event }) => event.time ?? []);
    return {
      title: findTitle(),
      expectsEnd,
      outcome: describeOutcome(view, log.deliveries),
      started: times.reduce<number | undefined>((first, time) => Math.min(first ?? time, time), undefined),
      latest: times.reduce<number | undefined>((last, time) => Math.max(last ?? time, time), undefined),
    };
  };
}

/** Returns whether an event opens a run, so that another one has to end it. Streams of other things have no such events. */
function isEndExpected({ stream }: Protocol, events: readonly RunEvent[]): boolean {
  const { opens = [], types = [] } = stream?.rules?.terminal ?? {};
  return types.length > 0 && (opens.length === 0 || events.some(({ type }) => opens.includes(type)));
}

function describeOutcome(
  { ends = [], roles }: ResolvedView,
  deliveries: readonly Delivery[],
): RunListEntry["outcome"] {
  const type = deliveries.findLast(({ event }) => ends.includes(event.type))?.event.type;
  if (type === undefined) return undefined;
  const role = createRoleFinder({ roles })(type);
  return { label: formatLabel(type), tone: ("tone" in role ? role.tone : undefined) ?? "plain" };
}

/** The number of events at the beginning of a run among which its title is looked for. */
const MAX_TITLE_EVENTS = 200;

/** Returns a function that looks for the title in the events that it has not read yet. */
function createTitleFinder(
  { envelope, stream }: Protocol,
  view: ResolvedView,
  log: Log,
): () => string | undefined {
  const findRole = createRoleFinder(view);
  let next = 0;
  let title: string | undefined;
  let otherTitle: string | undefined;
  return () => {
    const last = Math.min(MAX_TITLE_EVENTS, log.deliveries.length);
    for (; title === undefined && next < last; next++) {
      const { event } = getItem(log.deliveries, next);
      const role = findRole(event.type);
      if (role.as !== "text" || role.part === true || role.speaker === "thinking") continue;
      const payload = readPayload({ envelope, ...(stream && { stream }) }, parseRunEvent(event));
      const text = getValueAt(payload, role.field);
      if (typeof text !== "string") continue;
      if (role.speaker === "user") title = shortenTitle(text);
      else otherTitle ??= shortenTitle(text);
    }
    return title ?? otherTitle;
  };
}
