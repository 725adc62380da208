/**
 * The last check of a comparison. For each event type, the verdict must agree with the two inclusions over complete
 * messages: emit(baseline) ⊆ emit(current) ⊆ read(baseline). Reported changes can explain a broken inclusion, but they
 * cannot show that an inclusion holds.
 */
import type { Containment } from "../../contain/contain.js";
import type { JsonObject } from "../../json.js";
import type { Protocol, Stability } from "../../protocol/protocol.js";
import type { Change, Direction, Place, Proof } from "../change.js";
import type { LessStableField } from "../diff/record-changes.js";
import { rankStability } from "../side.js";
import { allowAnyFields, editProtocol, forbidFields, type ObjectField } from "./edit-schemas.js";
import {
  checkInclusion,
  createMessageSchemas,
  findSubject,
  type InclusionChecks,
  isEventPair,
  type SubjectPair,
} from "./inclusion-checks.js";
import { describeShowingMessages, excludeMessages } from "./prove.js";
import { createProof, createWitnessProof, DIRECTIONS, type ProofContext } from "./prove-changes.js";

/** A broken inclusion of an event type that no reported change accounts for. */
export interface ResidualBreak {
  readonly pair: SubjectPair;
  readonly direction: Direction;
  /** The stability of the event, or of the less stable fields that cause the break. */
  readonly stability: Stability;
  readonly proof: Proof;
}

/** A change, and one of its places. */
interface PlacedChange {
  readonly change: Change;
  readonly place: Place;
}

/**
 * Finds broken inclusions that are not reported as an error already. A waived change accounts for the messages that
 * show it. A field that is less stable than the event in the baseline accounts for messages that break only because of
 * the value of the field. Breaks at the stability of such fields are searched for separately.
 */
export async function findResidualBreaks(
  { checks, pairs }: ProofContext,
  reported: readonly Change[],
  lessStableFields: readonly LessStableField[],
): Promise<ResidualBreak[]> {
  const breaks: ResidualBreak[] = [];
  for (const direction of DIRECTIONS) {
    const changesByEvent = groupChangesByEvent(reported, direction);
    for (const pair of pairs.values()) {
      const envelopeChanges = isEventPair(pair) ? (changesByEvent.get("") ?? []) : [];
      const changes = [...envelopeChanges, ...(changesByEvent.get(pair.before.type) ?? [])];
      const residual = await findMostStableBreak(checks, pair, direction, { changes, lessStableFields });
      if (residual) breaks.push(residual);
    }
  }
  return breaks;
}

/** The changes and fields that may account for a broken inclusion of one event type. */
interface Explanations {
  readonly changes: readonly PlacedChange[];
  readonly lessStableFields: readonly LessStableField[];
}

/** Returns the most stable break that nothing accounts for. */
async function findMostStableBreak(
  checks: InclusionChecks,
  pair: SubjectPair,
  direction: Direction,
  explanations: Explanations,
): Promise<ResidualBreak | undefined> {
  for (const stability of listStabilities(pair, explanations.lessStableFields)) {
    if (isReported(explanations.changes, stability, checks)) return undefined;
    const answer = await checkInclusion(checks, pair, direction);
    if (answer.verdict === "contained") return undefined;
    const questions = listQuestions(checks, pair, direction, { ...explanations, stability });
    const failure = await findFirstFailure(questions, answer, checks);
    if (failure.verdict === "contained") continue;
    const proof = createProof(failure, (witness) => createWitnessProof(checks, pair, direction, witness));
    return { pair, direction, stability, proof };
  }
  return undefined;
}

/**
 * Returns the stability of the event and that of less stable fields, the most stable first. Experimental fields are
 * left out, because their breaks are not errors.
 */
function listStabilities({ before }: SubjectPair, lessStableFields: readonly LessStableField[]): Stability[] {
  const hasCandidateField = lessStableFields.some(({ stability }) => stability === "candidate");
  return before.stability === "stable" && hasCandidateField ? ["stable", "candidate"] : [before.stability];
}

/**
 * Returns whether a change is reported already: as an error of this stability or, between major versions, as a note.
 */
function isReported(
  changes: readonly PlacedChange[],
  stability: Stability,
  checks: InclusionChecks,
): boolean {
  if (checks.before.major !== checks.after.major) return changes.length > 0;
  return changes.some(
    ({ change, place }) =>
      change.waived !== true && rankStability(place.stability) >= rankStability(stability),
  );
}

/** The question whether the schema `small` is a subset of the schema `large`. */
type Question = readonly [small: JsonObject, large: JsonObject];

/** Returns the questions that remain about a broken inclusion after waivers and less stable fields are taken into account. */
function listQuestions(
  checks: InclusionChecks,
  pair: SubjectPair,
  direction: Direction,
  { changes, lessStableFields, stability }: Explanations & { readonly stability: Stability },
): Question[] {
  const rank = rankStability(stability);
  const fields = lessStableFields.filter((field) => rankStability(field.stability) < rank);
  const waivedChanges = changes.filter(
    ({ change, place }) => change.waived === true && rankStability(place.stability) >= rank,
  );
  if (fields.length === 0 && waivedChanges.length === 0) return [];
  const waivedMessages = waivedChanges.map(({ change, place }) =>
    describeShowingMessages(
      checks,
      change,
      place,
      direction,
      change.hasWholeContent === true ? "rough" : "cause",
    ),
  );
  const createQuestion = (edits: EditedProtocols): Question => {
    const schemas = createMessageSchemas({ ...checks, ...edits }, replacePair(pair, edits), direction);
    const [small, large] = schemas;
    return [waivedMessages.length === 0 ? small : excludeMessages(small, waivedMessages), large];
  };
  if (fields.length === 0) return [createQuestion({})];
  const small = direction === "backward" ? "before" : "after";
  const large = direction === "backward" ? "after" : "before";
  const listFieldPlaces = (side: "before" | "after"): ObjectField[] => fields.map((field) => field[side]);
  return [
    // The larger side accepts any value of the fields, so only messages that break for another reason remain.
    createQuestion({ [large]: editProtocol(checks[large], allowAnyFields(listFieldPlaces(large))) }),
    // The smaller side refuses the fields, so only messages that break without them remain.
    createQuestion({ [small]: editProtocol(checks[small], forbidFields(listFieldPlaces(small))) }),
  ];
}

/** The edited versions of a comparison. */
type EditedProtocols = { readonly [side in "before" | "after"]?: Protocol };

/** Returns the pair with the subjects of the edited versions. */
function replacePair({ before, after }: SubjectPair, edits: EditedProtocols): SubjectPair {
  return {
    before: edits.before ? findSubject(edits.before, before) : before,
    after: edits.after ? findSubject(edits.after, after) : after,
  };
}

/** Returns the first answer other than "contained". Without questions it is the known answer to the whole inclusion. */
async function findFirstFailure(
  questions: readonly Question[],
  answer: Containment,
  { cache }: InclusionChecks,
): Promise<Containment> {
  if (questions.length === 0) return answer;
  for (const [small, large] of questions) {
    const next = await cache.checkSubset(small, large);
    if (next.verdict !== "contained") return next;
  }
  return { verdict: "contained" };
}

/** Returns the changes that account for a broken inclusion, by event type. The key "" has those of every event. */
function groupChangesByEvent(changes: readonly Change[], direction: Direction): Map<string, PlacedChange[]> {
  const changesByEvent = new Map<string, PlacedChange[]>();
  for (const change of changes.filter((each) => canExplain(each, direction)))
    for (const place of change.places)
      changesByEvent.set(place.event, [...(changesByEvent.get(place.event) ?? []), { change, place }]);
  return changesByEvent;
}

/** Returns whether a change explains a break. An undecided change, and one without a proof, explains what it claims. */
function canExplain({ proof, claim }: Change, direction: Direction): boolean {
  if (proof?.[direction] !== undefined) return true;
  return (proof === undefined || proof.undecided !== undefined) && claim[direction] !== undefined;
}
