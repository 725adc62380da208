/**
 * Breaks that no change explains. A change that is as stable as the event which it is met in says enough of it. Beside
 * one that is less so, the events that do not show it are asked about: what may change hides no break of what may not.
 */
import type { Containment } from "../contain/contain.js";
import type { Json } from "../json.js";
import { carrierOf } from "../model/event.js";
import type { Change, Claim, Occurrence, Proof } from "./change.js";
import { type Court, HALVES, proofOf } from "./judge.js";
import { type Focus, focusOf, without } from "./prove.js";
import { type EventPair, envelopeApart, type Half, halfApart, halfOf, type Sandwiches } from "./sandwich.js";
import { rankOf } from "./side.js";

/** A failed inclusion of an event type. */
export interface Unexplained {
  readonly pair: EventPair;
  readonly half: Half;
  readonly proof: Proof;
}

/** A change with what came of it; without a proof it was said against a newer version. */
type Known = Change & { readonly proof?: Proof };

/** Where a change is met that explains a failure. */
interface Met {
  readonly change: Known;
  readonly place: Occurrence;
}

/**
 * Inclusions that fail although no proven change is met in the event, nor one that was `said` against a newer version.
 * Where one is met that is as stable as the event, nobody has to ask.
 */
export async function unexplained(
  court: Court,
  judged: readonly Known[],
  said: readonly Change[],
): Promise<Unexplained[]> {
  const found: Unexplained[] = [];
  for (const half of HALVES) {
    const met = metBy([...judged, ...said], half);
    const everywhere = met.get("") ?? [];
    const common = besideOf(court.sides, everywhere, half);
    for (const [type, pair] of court.pairs) {
      const own = met.get(type) ?? [];
      // A change of the envelope explains what is the matter with events, and says nothing of resources.
      const inEnvelope = pair.before.resource === undefined ? everywhere : [];
      const beside =
        own.length > 0 || inEnvelope !== everywhere
          ? besideOf(court.sides, [...inEnvelope, ...own], half)
          : common;
      const proof = await proofBeside(court, pair, half, beside);
      if (proof) found.push({ pair, half, proof });
    }
  }
  return found;
}

/** What is met in an event, and the envelope of those events that do not show it: asked about when it is needed, once. */
interface Beside {
  readonly met: readonly Met[];
  readonly limited: (schema: Json) => Json;
  readonly envelope: () => Promise<Containment>;
}

function besideOf(sides: Sandwiches, met: readonly Met[], half: Half): Beside {
  let focuses: readonly Focus[] | undefined;
  let envelope: Promise<Containment> | undefined;
  const limited = (schema: Json): Json => {
    focuses ??= met.map(({ change, place }) =>
      focusOf(sides, widest(sides, change, place, half), place, half),
    );
    return without(schema, focuses);
  };
  return {
    met,
    limited,
    envelope: () => {
      envelope ??= envelopeApart(sides, half, limited);
      return envelope;
    },
  };
}

/**
 * The change as one of the whole value where it is met: what else is the matter with that value is taken for the same.
 * A whole payload or envelope is not given away so; there only the change itself counts.
 */
function widest({ before }: Sandwiches, change: Known, { event, steps }: Occurrence, half: Half): Known {
  const type = before.events.find((each) => each.type === event);
  const carrier = type && carrierOf(before.envelope, type);
  const isWhole = steps.length === (carrier === undefined ? 0 : 1);
  if (isWhole || change.claim[half]?.is === "anything") return change;
  return { ...change, claim: { [half]: { is: "outside" } } };
}

async function proofBeside(
  { sides }: Court,
  pair: EventPair,
  half: Half,
  { met, limited, envelope }: Beside,
): Promise<Proof | undefined> {
  const rank = rankOf(pair.before.stability);
  if (met.some(({ place }) => rankOf(place.stability) >= rank)) return undefined;
  // Between major versions all is a note, so one is enough.
  if (met.length > 0 && sides.before.major !== sides.after.major) return undefined;
  const answer =
    met.length === 0
      ? await halfOf(sides, pair.before, pair.after, half)
      : await halfApart(sides, pair, half, { limited, envelope });
  if (answer.verdict === "contained") return undefined;
  // What could not be decided of the change cannot be decided beside it.
  if (answer.verdict === "undecided" && met.some(({ change }) => change.proof?.undecided !== undefined))
    return undefined;
  const hurt = half === "left" ? "new readers of old events" : "old readers of new events";
  return proofOf(answer, half, hurt);
}

/** The changes that explain a failure of `half`, by event type; those under "" explain it in all of them. */
function metBy(changes: readonly Known[], half: Half): Map<string, Met[]> {
  const found = new Map<string, Met[]>();
  for (const change of changes.filter((each) => explains(each, half)))
    for (const place of change.occurrences)
      found.set(place.event, [...(found.get(place.event) ?? []), { change, place }]);
  return found;
}

function explains({ proof, claim }: { readonly proof?: Proof; readonly claim: Claim }, half: Half): boolean {
  if (proof?.[half] !== undefined) return true;
  return (!proof || proof.undecided !== undefined) && claim[half] !== undefined;
}
