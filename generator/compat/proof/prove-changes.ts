/** Proves changes: finds events that show a change and that one side refuses, and finds out who is affected. */
import type { Containment } from "../../contain/contain.js";
import type { Json } from "../../json.js";
import {
  type Affected,
  type Change,
  type Direction,
  isAtOrBelow,
  isBreak,
  type Occurrence,
  type Proof,
  type ProvenChange,
  type Shows,
} from "../change.js";
import { inlineContent } from "../diff/walk.js";
import type { ChangeGroup } from "../renames/field-families.js";
import type { Subject } from "../subjects.js";
import {
  checkAddedType,
  checkInclusion,
  checkRemovedType,
  type EventPair,
  type InclusionChecks,
  isEventPair,
} from "./inclusion-checks.js";
import { type Focus, proveDirection } from "./prove.js";
import { acceptsMessage, createMessageSchema } from "./readings.js";

/** Both inclusions, in the order in which they are reported. */
export const DIRECTIONS: readonly Direction[] = ["backward", "forward"];
/** The greatest number of places at which a change is tried. */
const MAX_PLACES = 40;
const NOTHING: Proof = { affects: [] };
/** Stands for all event types. No event type has this name. */
const ANY_EVENT = "*";

/** The pairs of event types and resources that may differ, by type, and the checks of their inclusions. */
export interface ProofContext {
  readonly sides: InclusionChecks;
  readonly pairs: ReadonlyMap<string, EventPair>;
}

/**
 * Proves changes inside of events that both sides have. First searches for values that break only because of the
 * change: the exact search. If there are none, searches for any value that shows the change, unless another change may
 * account for the break: the rough search.
 */
export async function proveChanges(
  context: ProofContext,
  groups: readonly ChangeGroup[],
): Promise<ProvenChange[]> {
  const proofs = new Map<Change, Proof>();
  for (const { change, parts } of groups) {
    let proof = NOTHING;
    for (const direction of DIRECTIONS)
      proof = mergeProofs(proof, await proveAnyOf(context, parts, direction, "exact"));
    proofs.set(change, proof);
  }
  // Changes of whole values come first, so that they account for a break before changes of single keywords.
  const broadFirst = [...groups].sort((a, b) => Number(isNarrow(a.change)) - Number(isNarrow(b.change)));
  const roughlyProven = new Set<Change>();
  for (const direction of DIRECTIONS) {
    const provenPlaces = createPlaceIndex();
    for (const { change } of groups)
      if (proofs.get(change)?.[direction] !== undefined) provenPlaces.add(change);
    for (const { change, parts } of broadFirst) {
      const proof = proofs.get(change) ?? NOTHING;
      if (proof[direction] !== undefined || proof.undecided !== undefined) continue;
      const residualParts = parts.filter(
        (part) => isCertain(part.claim[direction]) || !provenPlaces.has(part),
      );
      const found = await proveAnyOf(context, residualParts, direction, "rough");
      if (!isBreak(found)) continue;
      provenPlaces.add(change);
      roughlyProven.add(change);
      proofs.set(change, mergeProofs(proof, found));
    }
  }
  return groups.map(({ change }) => ({
    ...(roughlyProven.has(change) ? addWholeContent(change, context) : change),
    proof: proofs.get(change) ?? NOTHING,
  }));
}

function isNarrow({ whole }: Change): boolean {
  return whole !== true;
}

/**
 * Replaces the content of the change by the complete schemas of the value, so that its fingerprint changes with any of
 * them. Other differences may have caused the break.
 */
function addWholeContent(change: Change, { sides }: ProofContext): Change {
  const { whole = false, views } = change;
  return whole || !views ? change : { ...change, content: inlineContent(sides, views), whole: true };
}

function mergeProofs(a: Proof, b: Proof): Proof {
  return { ...a, ...b, affects: [...new Set([...a.affects, ...b.affects])] };
}

/** Returns whether every event that shows the change breaks because of it. */
function isCertain(shows: Shows | undefined): boolean {
  return shows?.is === "absent" || (shows?.is === "present" && shows.open !== true);
}

/**
 * Creates an index of places of changes. `has` returns whether a change is at one of them, around it or inside of it.
 */
function createPlaceIndex() {
  const paths = new Map<string, Set<string>>();
  return {
    add({ occurrences }: Change): void {
      for (const { event, path } of occurrences)
        for (const key of event === "" ? [""] : [event, ANY_EVENT])
          paths.set(key, (paths.get(key) ?? new Set()).add(path));
    },
    has({ occurrences }: Change): boolean {
      return occurrences.some(({ event, path }) =>
        // A change of the envelope is in every event.
        [...(paths.get("") ?? []), ...(paths.get(event === "" ? ANY_EVENT : event) ?? [])].some(
          (other) => isAtOrBelow(path, other) || isAtOrBelow(other, path),
        ),
      );
    },
  };
}

/** Proves one of several changes that are reported as one. */
async function proveAnyOf(
  context: ProofContext,
  changes: readonly Change[],
  direction: Direction,
  focus: Focus,
): Promise<Proof> {
  // Changes that claim both inclusions are more informative, so they are tried first.
  const claiming = changes.filter(({ claim }) => claim[direction]);
  const oneSided = claiming.filter((each) => !isTwoSided(each));
  let undecided: Proof | undefined;
  for (const change of [...claiming.filter(isTwoSided), ...oneSided]) {
    const proof = await proveOne(context, change, direction, focus);
    if (proof[direction] !== undefined) return proof;
    if (proof.undecided !== undefined) undecided ??= proof;
  }
  return undecided ?? NOTHING;
}

function isTwoSided({ claim }: Change): boolean {
  return claim.backward !== undefined && claim.forward !== undefined;
}

async function proveOne(
  context: ProofContext,
  change: Change,
  direction: Direction,
  focus: Focus,
): Promise<Proof> {
  const { sides } = context;
  let undecided: Proof | undefined;
  let shown: Proof | undefined;
  for (const { place, pair } of listPlaces(context, change).slice(0, MAX_PLACES)) {
    if ((await checkInclusion(sides, pair, direction)).verdict === "contained") continue;
    const answer = await proveDirection(sides, change, place, pair, { direction, focus });
    if (answer.verdict === "undecided") undecided ??= { undecided: answer.reason, affects: [] };
    if (answer.verdict !== "not-contained") continue;
    const proof =
      direction === "forward"
        ? createWitnessProof(sides, pair, direction, answer.witness)
        : await proveBackward(context, change, place, pair, { focus, witness: answer.witness });
    // An event that current readers reject is more informative than one that only violates the contract.
    if (!proof.affects.includes("senders")) return proof;
    shown ??= proof;
  }
  return shown ?? undecided ?? NOTHING;
}

/** Prefers an event that current readers reject to one that they still accept. */
async function proveBackward(
  { sides }: ProofContext,
  change: Change,
  place: Occurrence,
  pair: EventPair,
  { focus, witness }: { readonly focus: Focus; readonly witness: Json },
): Promise<Proof> {
  const first = createWitnessProof(sides, pair, "backward", witness);
  if (!first.affects.includes("senders")) return first;
  const readerSchema = createMessageSchema("reader", sides.after, pair.after);
  const answer = await proveDirection(
    sides,
    change,
    place,
    pair,
    { direction: "backward", focus },
    readerSchema,
  );
  return answer.verdict === "not-contained"
    ? createWitnessProof(sides, pair, "backward", answer.witness)
    : first;
}

/** Returns the proof that consists of a witness, and who is affected. */
export function createWitnessProof(
  { after }: InclusionChecks,
  pair: EventPair,
  direction: Direction,
  witness: Json,
): Proof {
  if (direction === "forward") return { forward: witness, affects: ["baseline-readers"] };
  const isRead = acceptsMessage(createMessageSchema("reader", after, pair.after), witness);
  return { backward: witness, affects: [isRead ? "senders" : "current-readers"] };
}

/** Returns the places of a change; a change of the envelope has one in every event. */
function listPlaces(
  { pairs }: ProofContext,
  { occurrences }: Change,
): { place: Occurrence; pair: EventPair }[] {
  return occurrences.flatMap((place) => {
    if (place.event === "") return [...pairs.values()].filter(isEventPair).map((pair) => ({ place, pair }));
    const pair = pairs.get(place.event);
    return pair ? [{ place, pair }] : [];
  });
}

/** Returns whether current writers may send messages with the change that the baseline did not allow. */
export async function allowsMore({ sides, pairs }: ProofContext, change: Change): Promise<boolean> {
  const { before, after, cache } = sides;
  for (const { pair } of listPlaces({ sides, pairs }, change).slice(0, MAX_PLACES)) {
    const [now, old] = [
      createMessageSchema("writer", after, pair.after),
      createMessageSchema("writer", before, pair.before),
    ];
    if ((await cache.checkSubset(now, old)).verdict !== "contained") return true;
  }
  return false;
}

/** Proves the removal of an event type or resource: writers built against the baseline still send its messages. */
export async function proveRemoval(sides: InclusionChecks, event: Subject): Promise<Proof> {
  return createProof(await checkRemovedType(sides, event), (witness) => ({
    backward: witness,
    affects: ["senders"],
  }));
}

/** Proves that readers of the baseline refuse a new event type, if they do. They do not read a new resource. */
export async function proveAddition(sides: InclusionChecks, event: Subject): Promise<Proof> {
  if (event.resource !== undefined) return NOTHING;
  const affects: readonly Affected[] = ["baseline-readers"];
  return createProof(await checkAddedType(sides, event), (witness) => ({ forward: witness, affects }));
}

/** Returns what an answer about one inclusion proves. */
export function createProof(answer: Containment, show: (witness: Json) => Proof): Proof {
  switch (answer.verdict) {
    case "contained":
      return NOTHING;
    case "not-contained":
      return show(answer.witness);
    case "undecided":
      return { undecided: answer.reason, affects: [] };
  }
}
