/** Learns in which parts of a declared range a consumer does not tell values apart. */
import { areEqual, type Json } from "../../json.js";
import type { SizeRange } from "../../protocol/lens.js";
import { createRandom } from "../../random.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import type { Adapter } from "../adapter.js";
import type { KitProtocol } from "../kit-protocol.js";
import { ignoreBrokenLaw, showEvents } from "../observe.js";
import type { Steps } from "../steps.js";
import { isAccepted, listValuesAt, mapValuesAt, type Target } from "./edit-places.js";
import { findOnlyRange, setSize } from "./ranges.js";

/** The number of parts of a range, unless it has fewer whole numbers. */
const MAX_PARTS = 8;

/** The largest number of streams in which sizes are compared. */
const MAX_STREAMS = 6;

/** A consumer, and streams for it. The first stream is one in which other values made a difference. */
interface Probe {
  readonly adapter: Adapter;
  readonly protocol: KitProtocol;
  readonly streams: readonly (readonly SampleEvent[])[];
}

/**
 * Returns the parts of the range of a target in which the consumer shows the same at both ends and between them in each stream,
 * joined where they meet. There are none if it shows the same everywhere, because then the streams do not show how values matter.
 */
export function* probeRange(
  { adapter, protocol, streams }: Probe,
  target: Target,
): Steps<readonly SizeRange[]> {
  const range = findOnlyRange(target.ranges);
  if (range === undefined) return [];
  const span = range.high - range.low;
  const parts = span < 2 ? MAX_PARTS : Math.min(MAX_PARTS, Math.round(span));
  const getSize = (position: number): number => {
    const size = range.low + (span * position) / parts;
    return span < 2 ? size : Math.round(size);
  };
  const isConstant = Array.from({ length: parts }, () => true);
  const chosen = streams
    .filter((events) => events.some((event) => hasTarget(protocol, event, target)))
    .slice(0, MAX_STREAMS);
  for (const [number, events] of chosen.entries()) {
    const random = createRandom(number);
    const show = (position: number): Steps<Json | undefined> => {
      const edited = setAll(protocol, events, target, { size: getSize(position), number });
      return edited === undefined ? skip() : ignoreBrokenLaw(showEvents(adapter, protocol, edited));
    };
    let atStart = yield* show(0);
    for (let part = 0; part < parts; part++) {
      const others = [yield* show(part + random.next()), yield* show(part + 1)];
      const start = atStart;
      const isSame = others.every(
        (view) => start !== undefined && view !== undefined && areEqual(view, start),
      );
      if (!isSame) isConstant[part] = false;
      atStart = others[1];
    }
  }
  if (chosen.length === 0 || isConstant.every((each) => each)) return [];
  return joinParts(isConstant).map(([from, to]) => ({ low: getSize(from), high: getSize(to) }));
}

function* skip(): Steps<undefined> {}

/** Returns the number of the first and the last end of each group of constant parts. */
function joinParts(isConstant: readonly boolean[]): [number, number][] {
  const joined: [number, number][] = [];
  for (const [part, each] of isConstant.entries()) {
    const last = joined.at(-1);
    if (each && last?.[1] === part) last[1] = part + 1;
    else if (each) joined.push([part, part + 1]);
  }
  return joined;
}

function hasTarget({ envelope }: KitProtocol, event: SampleEvent, { event: type, tokens }: Target): boolean {
  return (type === "" || type === event[envelope.discriminator]) && listValuesAt(event, tokens).length > 0;
}

/**
 * Gives the values of a target this size: in all events, or in every second one for streams with an odd number, because consumers
 * compare events. Returns undefined if readers refuse one of them.
 */
function setAll(
  protocol: KitProtocol,
  events: readonly SampleEvent[],
  target: Target,
  { size, number }: { readonly size: number; readonly number: number },
): readonly SampleEvent[] | undefined {
  const edited: SampleEvent[] = [];
  for (const [index, event] of events.entries()) {
    const isKept = !hasTarget(protocol, event, target) || (number % 2 === 1 && index % 2 === 1);
    const changed = isKept ? event : mapValuesAt(event, target.tokens, (value) => setSize(value, size));
    if (!isKept && !isAccepted(protocol, changed)) return undefined;
    edited.push(changed);
  }
  return edited;
}
