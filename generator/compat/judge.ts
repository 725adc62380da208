/** Puts each change to the proof. */
import type { Containment } from "../contain/contain.js";
import type { Change, Hurt, Occurrence, Proof } from "./change.js";
import { proveHalf, stillRead } from "./prove.js";
import { messageSchema } from "./readings.js";
import { type EventPair, goneSandwich, type Half, newSandwich, type Sandwiches } from "./sandwich.js";
import type { Subject } from "./subjects.js";

/** Both, in the order in which they are told. */
export const HALVES: readonly Half[] = ["left", "right"];
/** How many of its places a change is tried at. */
const MOST_PLACES = 40;
const NOTHING: Proof = { hurts: [] };

/** The events that may differ, by type, and how to ask about them. */
export interface Court {
  readonly sides: Sandwiches;
  readonly pairs: ReadonlyMap<string, EventPair>;
}

/** The proof of a change inside of events that both sides have; of several that are said as one, that of any of them. */
export async function judge(court: Court, changes: readonly Change[]): Promise<Proof> {
  let proof = NOTHING;
  for (const half of HALVES) {
    // What claims both is worse than what claims one.
    const claiming = changes.filter(({ claim }) => claim[half]);
    const first = claiming.find(({ claim }) => claim.left && claim.right);
    let found = proof;
    for (const change of first ? [first, ...claiming.filter((each) => each !== first)] : claiming) {
      const next = await judgeHalf(court, change, half, proof);
      if (found === proof || next[half] !== undefined) found = next;
      if (found[half] !== undefined) break;
    }
    proof = { ...proof, ...found };
  }
  return proof;
}

async function judgeHalf(court: Court, change: Change, half: Half, proof: Proof): Promise<Proof> {
  let undecided: string | undefined;
  let shown: Proof | undefined;
  for (const { place, pair } of placesOf(court, change).slice(0, MOST_PLACES)) {
    const answer = await proveHalf(court.sides, change, place, pair, half);
    if (answer.verdict === "not-contained") {
      const hurt = await hurtBy(court, change, place, pair, half);
      shown ??= { [half]: answer.witness, hurts: [...proof.hurts, hurt] };
      // What breaks both ways somewhere may hurt more there than where it was met first.
      if (hurt !== "the contract alone" || !change.claim.right)
        return { [half]: answer.witness, hurts: [...proof.hurts, hurt] };
    }
    if (answer.verdict === "undecided") undecided ??= answer.reason;
  }
  if (shown) return shown;
  if (undecided === undefined) return proof;
  return {
    ...proof,
    undecided,
    hurts: [...proof.hurts, half === "left" ? "the contract alone" : "old readers of new events"],
  };
}

async function hurtBy(
  { sides }: Court,
  change: Change,
  place: Occurrence,
  pair: EventPair,
  half: Half,
): Promise<Hurt> {
  if (half === "right") return "old readers of new events";
  const { verdict } = await stillRead(sides, change, place, pair);
  return verdict === "not-contained" ? "new readers of old events" : "the contract alone";
}

/** Whether something can be sent where the change is met that could not be sent before. */
export async function saysMore(court: Court, change: Change): Promise<boolean> {
  const { before, after, oracle } = court.sides;
  for (const { pair } of placesOf(court, change).slice(0, MOST_PLACES)) {
    const [now, old] = [
      messageSchema("writer", after, pair.after),
      messageSchema("writer", before, pair.before),
    ];
    if ((await oracle.inside(now, old)).verdict !== "contained") return true;
  }
  return false;
}

/** Where the change is met; a change of the envelope is met in every event. */
function placesOf({ pairs }: Court, { occurrences }: Change): { place: Occurrence; pair: EventPair }[] {
  return occurrences.flatMap((place) => {
    if (place.event === "")
      return [...pairs.values()].flatMap((pair) =>
        pair.before.resource === undefined ? [{ place, pair }] : [],
      );
    const pair = pairs.get(place.event);
    return pair ? [{ place, pair }] : [];
  });
}

/** The proof that an event type or resource is gone: one of its messages. */
export async function judgeGone(sides: Sandwiches, event: Subject): Promise<Proof> {
  return proofOf(await goneSandwich(sides, event), "left", "the contract alone");
}

/** The proof that readers of the baseline do not let an unknown event type pass, if they do not. */
export async function judgeNew(sides: Sandwiches, event: Subject): Promise<Proof> {
  return proofOf(await newSandwich(sides, event), "right", "old readers of new events");
}

/** What an answer about one half proves. */
export function proofOf(answer: Containment, half: Half, hurt: Hurt): Proof {
  switch (answer.verdict) {
    case "contained":
      return NOTHING;
    case "not-contained":
      return { [half]: answer.witness, hurts: [hurt] };
    case "undecided":
      return { undecided: answer.reason, hurts: [hurt] };
  }
}
