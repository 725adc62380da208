/** Proves changes: finds events that show a change and that one side refuses, and finds out who is affected. */
import type { Containment } from "../../contain/contain.js";
import type { Json } from "../../json.js";
import {
  type Affected,
  areNestedPaths,
  type Change,
  type Direction,
  isBreak,
  NO_BREAK,
  type Place,
  type Proof,
  type ProvenChange,
  type WitnessCondition,
} from "../change.js";
import { inlineContent } from "../diff/record-changes.js";
import type { ChangeGroup } from "../renames/field-families.js";
import type { Subject } from "../subjects.js";
import {
  checkAddedType,
  checkInclusion,
  checkRemovedType,
  type InclusionChecks,
  isEventPair,
  type SubjectPair,
} from "./inclusion-checks.js";
import { type Focus, proveDirection } from "./prove.js";
import { acceptsMessage, createMessageSchema } from "./readings.js";

/** Both inclusions, in the order in which they are reported. */
export const DIRECTIONS: readonly Direction[] = ["backward", "forward"];
/** The greatest number of places at which a change is tried. */
const MAX_PLACES = 40;
/** Stands for all event types. No event type has this name. */
const ANY_EVENT = "*";

/** The pairs of event types and resources that may differ, by type, and the checks of their inclusions. */
export interface ProofContext {
  readonly checks: InclusionChecks;
  readonly pairs: ReadonlyMap<string, SubjectPair>;
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
    let proof = NO_BREAK;
    for (const direction of DIRECTIONS)
      proof = mergeProofs(proof, await proveAnyOf(context, parts, direction, "exact"));
    proofs.set(change, proof);
  }
  // Changes of whole values come first, so that they account for a break before changes of single keywords.
  const wholeValuesFirst = [
    ...groups.filter(({ change }) => change.hasWholeContent === true),
    ...groups.filter(({ change }) => change.hasWholeContent !== true),
  ];
  const roughlyProven = new Set<Change>();
  for (const direction of DIRECTIONS) {
    const provenPlaces = createPlaceIndex();
    for (const { change } of groups)
      if (proofs.get(change)?.[direction] !== undefined) provenPlaces.add(change);
    for (const { change, parts } of wholeValuesFirst) {
      const proof = proofs.get(change) ?? NO_BREAK;
      if (proof[direction] !== undefined || proof.undecided !== undefined) continue;
      const residualParts = parts.filter(
        (part) => isCertain(part.claim[direction]) || !provenPlaces.hasOverlap(part),
      );
      const outcome = await proveAnyOf(context, residualParts, direction, "rough");
      if (!isBreak(outcome)) continue;
      provenPlaces.add(change);
      roughlyProven.add(change);
      proofs.set(change, mergeProofs(proof, outcome));
    }
  }
  return groups.map(({ change }) => ({
    ...(roughlyProven.has(change) ? addWholeContent(change, context) : change),
    proof: proofs.get(change) ?? NO_BREAK,
  }));
}

/**
 * Replaces the content of the change by the complete schemas of the value, so that its fingerprint changes with any of
 * them. Other differences may have caused the break.
 */
function addWholeContent(change: Change, { checks }: ProofContext): Change {
  const { hasWholeContent = false, views } = change;
  return hasWholeContent || !views
    ? change
    : { ...change, content: inlineContent(checks, views), hasWholeContent: true };
}

function mergeProofs(a: Proof, b: Proof): Proof {
  return { ...a, ...b, affects: [...new Set([...a.affects, ...b.affects])] };
}

/** Returns whether every event that fulfils the condition breaks because of the change. */
function isCertain(condition: WitnessCondition | undefined): boolean {
  if (condition?.kind === "present") return condition.isAcceptedUndeclared !== true;
  return condition?.kind === "absent";
}

/** Creates an index of the paths of changes by their subjects. */
function createPlaceIndex() {
  const paths = new Map<string, Set<string>>();
  return {
    /** Adds the places of a change. */
    add({ places }: Change): void {
      for (const { event, path } of places)
        for (const key of event === "" ? [""] : [event, ANY_EVENT])
          paths.set(key, (paths.get(key) ?? new Set()).add(path));
    },
    /** Returns whether a place of the change is at, above or below a place in the index. */
    hasOverlap({ places }: Change): boolean {
      return places.some(({ event, path }) =>
        // A change of the envelope is in every event.
        [...(paths.get("") ?? []), ...(paths.get(event === "" ? ANY_EVENT : event) ?? [])].some((other) =>
          areNestedPaths(path, other),
        ),
      );
    },
  };
}

/** Proves several changes that are reported as one: returns the first proof with a witness. */
async function proveAnyOf(
  context: ProofContext,
  changes: readonly Change[],
  direction: Direction,
  focus: Focus,
): Promise<Proof> {
  const claimingChanges = changes.filter(({ claim }) => claim[direction]);
  // Changes that claim both inclusions are more informative, so they are tried first.
  const sortedChanges = [
    ...claimingChanges.filter(claimsBothDirections),
    ...claimingChanges.filter((each) => !claimsBothDirections(each)),
  ];
  let undecided: Proof | undefined;
  for (const change of sortedChanges) {
    const proof = await proveOne(context, change, direction, focus);
    if (proof[direction] !== undefined) return proof;
    if (proof.undecided !== undefined) undecided ??= proof;
  }
  return undecided ?? NO_BREAK;
}

function claimsBothDirections({ claim }: Change): boolean {
  return claim.backward !== undefined && claim.forward !== undefined;
}

/** Proves one change: searches its places until an event shows the break. */
async function proveOne(
  context: ProofContext,
  change: Change,
  direction: Direction,
  focus: Focus,
): Promise<Proof> {
  const { checks } = context;
  let undecided: Proof | undefined;
  let provenForSenders: Proof | undefined;
  for (const { place, pair } of listPlacedPairs(context, change).slice(0, MAX_PLACES)) {
    if ((await checkInclusion(checks, pair, direction)).verdict === "contained") continue;
    const answer = await proveDirection(checks, change, place, pair, { direction, focus });
    if (answer.verdict === "undecided") undecided ??= { undecided: answer.reason, affects: [] };
    if (answer.verdict !== "not-contained") continue;
    const proof =
      direction === "forward"
        ? createWitnessProof(checks, pair, direction, answer.witness)
        : await proveBackward(context, change, place, pair, { focus, witness: answer.witness });
    // An event that current readers reject is more informative than one that only violates the contract.
    if (!proof.affects.includes("senders")) return proof;
    provenForSenders ??= proof;
  }
  return provenForSenders ?? undecided ?? NO_BREAK;
}

/**
 * Returns the proof of a broken backward inclusion. If current readers still accept the witness, searches for an event
 * that they reject, and prefers it.
 */
async function proveBackward(
  { checks }: ProofContext,
  change: Change,
  place: Place,
  pair: SubjectPair,
  { focus, witness }: { readonly focus: Focus; readonly witness: Json },
): Promise<Proof> {
  const first = createWitnessProof(checks, pair, "backward", witness);
  if (!first.affects.includes("senders")) return first;
  const readerSchema = createMessageSchema("reader", checks.after, pair.after);
  const answer = await proveDirection(
    checks,
    change,
    place,
    pair,
    { direction: "backward", focus },
    readerSchema,
  );
  return answer.verdict === "not-contained"
    ? createWitnessProof(checks, pair, "backward", answer.witness)
    : first;
}

/** Returns the proof that consists of a witness, and who is affected. */
export function createWitnessProof(
  { after }: InclusionChecks,
  pair: SubjectPair,
  direction: Direction,
  witness: Json,
): Proof {
  if (direction === "forward") return { forward: witness, affects: ["baseline-readers"] };
  const isRead = acceptsMessage(createMessageSchema("reader", after, pair.after), witness);
  return { backward: witness, affects: [isRead ? "senders" : "current-readers"] };
}

/** A place of a change, and the versions of its subject. */
interface PlacedPair {
  readonly place: Place;
  readonly pair: SubjectPair;
}

/** Returns the places of a change. A change of the envelope has a place in every event. */
export function listPlacedPairs({ pairs }: ProofContext, { places }: Change): PlacedPair[] {
  return places.flatMap((place) => {
    if (place.event === "") return [...pairs.values()].filter(isEventPair).map((pair) => ({ place, pair }));
    const pair = pairs.get(place.event);
    return pair ? [{ place, pair }] : [];
  });
}

/** Returns whether current writers may send messages with the change that the baseline did not allow. */
export async function allowsMore({ checks, pairs }: ProofContext, change: Change): Promise<boolean> {
  const { before, after, cache } = checks;
  for (const { pair } of listPlacedPairs({ checks, pairs }, change).slice(0, MAX_PLACES)) {
    const now = createMessageSchema("writer", after, pair.after);
    const old = createMessageSchema("writer", before, pair.before);
    if ((await cache.checkSubset(now, old)).verdict !== "contained") return true;
  }
  return false;
}

/** Proves the removal of an event type or resource: writers built against the baseline still send its messages. */
export async function proveRemoval(checks: InclusionChecks, event: Subject): Promise<Proof> {
  return createProof(await checkRemovedType(checks, event), (witness) => ({
    backward: witness,
    affects: ["senders"],
  }));
}

/** Searches for an event of a new type that readers of the baseline refuse. They do not read a new resource. */
export async function proveAddition(checks: InclusionChecks, event: Subject): Promise<Proof> {
  if (event.resource !== undefined) return NO_BREAK;
  const affects: readonly Affected[] = ["baseline-readers"];
  return createProof(await checkAddedType(checks, event), (witness) => ({ forward: witness, affects }));
}

/** Returns the proof that follows from an answer about an inclusion; `createFromWitness` creates that of a failed one. */
export function createProof(answer: Containment, createFromWitness: (witness: Json) => Proof): Proof {
  switch (answer.verdict) {
    case "contained":
      return NO_BREAK;
    case "not-contained":
      return createFromWitness(answer.witness);
    case "undecided":
      return { undecided: answer.reason, affects: [] };
  }
}
