/**
 * The last check of a comparison. For each event type, the verdict must agree with the two inclusions over complete
 * messages: emit(baseline) ⊆ emit(current) ⊆ read(baseline). Reported changes can explain a broken inclusion, but they
 * cannot show that an inclusion holds.
 */
import type { Containment } from "../../contain/contain.js";
import type { JsonObject } from "../../json.js";
import type { Protocol, Stability } from "../../protocol/protocol.js";
import type { Change, Direction, Occurrence, Proof } from "../change.js";
import type { LabelledField } from "../diff/walk.js";
import { rankStability } from "../side.js";
import { listSubjects } from "../subjects.js";
import { allowAnyFields, editProtocol, type FieldPlace, forbidFields } from "./edit-schemas.js";
import {
  checkInclusion,
  createMessageSchemas,
  type EventPair,
  type InclusionChecks,
  isEventPair,
} from "./inclusion-checks.js";
import { describeShowingMessages, excludeMessages } from "./prove.js";
import { createProof, createWitnessProof, DIRECTIONS, type ProofContext } from "./prove-changes.js";

/** A broken inclusion of an event type that no reported change accounts for. */
export interface ResidualBreak {
  readonly pair: EventPair;
  readonly direction: Direction;
  /** The stability of the event, or of the labelled fields that cause the break. */
  readonly stability: Stability;
  readonly proof: Proof;
}

interface PlacedChange {
  readonly change: Change;
  readonly place: Occurrence;
}

/**
 * Finds broken inclusions that are not reported as an error already. A waived change accounts for the messages that
 * show it. A field that the baseline labels less stable than the event accounts for messages that break only because of
 * the value of the field. Breaks at the stability of such fields are searched for separately.
 */
export async function findResidualBreaks(
  { sides, pairs }: ProofContext,
  reported: readonly Change[],
  labelled: readonly LabelledField[],
): Promise<ResidualBreak[]> {
  const found: ResidualBreak[] = [];
  for (const direction of DIRECTIONS) {
    const byEvent = groupChangesByEvent(reported, direction);
    for (const pair of pairs.values()) {
      const everywhere = isEventPair(pair) ? (byEvent.get("") ?? []) : [];
      const changes = [...everywhere, ...(byEvent.get(pair.before.type) ?? [])];
      const residual = await findResidual(sides, pair, direction, { changes, labelled });
      if (residual) found.push(residual);
    }
  }
  return found;
}

/** The changes and fields that may account for a broken inclusion of one event type. */
interface Explanations {
  readonly changes: readonly PlacedChange[];
  readonly labelled: readonly LabelledField[];
}

/** Returns the most stable break that nothing accounts for. */
async function findResidual(
  sides: InclusionChecks,
  pair: EventPair,
  direction: Direction,
  explanations: Explanations,
): Promise<ResidualBreak | undefined> {
  for (const stability of listStabilities(pair, explanations.labelled)) {
    if (isReported(explanations.changes, stability, sides)) return undefined;
    const answer = await checkInclusion(sides, pair, direction);
    if (answer.verdict === "contained") return undefined;
    const questions = listQuestions(sides, pair, direction, { ...explanations, stability });
    const rest = await findFirstFailure(questions, answer, sides);
    if (rest.verdict === "contained") continue;
    const proof = createProof(rest, (witness) => createWitnessProof(sides, pair, direction, witness));
    return { pair, direction, stability, proof };
  }
  return undefined;
}

/**
 * Returns the stability of the event and that of less stable fields, the most stable first. Experimental fields are
 * left out, because their breaks are not errors.
 */
function listStabilities({ before }: EventPair, labelled: readonly LabelledField[]): Stability[] {
  const hasCandidateField = labelled.some(({ stability }) => stability === "candidate");
  return before.stability === "stable" && hasCandidateField ? ["stable", "candidate"] : [before.stability];
}

/**
 * Returns whether a change is reported already: as an error of this stability or, between major versions, as a note.
 */
function isReported(changes: readonly PlacedChange[], stability: Stability, sides: InclusionChecks): boolean {
  if (sides.before.major !== sides.after.major) return changes.length > 0;
  return changes.some(
    ({ change, place }) =>
      change.waived !== true && rankStability(place.stability) >= rankStability(stability),
  );
}

type Question = readonly [small: JsonObject, large: JsonObject];

/** Returns the questions that remain about a broken inclusion after waivers and labels are taken into account. */
function listQuestions(
  sides: InclusionChecks,
  pair: EventPair,
  direction: Direction,
  { changes, labelled, stability }: Explanations & { readonly stability: Stability },
): Question[] {
  const rank = rankStability(stability);
  const fields = labelled.filter((field) => rankStability(field.stability) < rank);
  const waived = changes.filter(
    ({ change, place }) => change.waived === true && rankStability(place.stability) >= rank,
  );
  if (fields.length === 0 && waived.length === 0) return [];
  const shown = waived.map(({ change, place }) =>
    describeShowingMessages(sides, change, place, direction, change.whole === true ? "rough" : "cause"),
  );
  const excludeShownMessages = ([small, large]: Question): Question => [
    shown.length === 0 ? small : excludeMessages(small, shown),
    large,
  ];
  const createQuestion = (edits: Partial<Record<Direction | "before" | "after", Protocol>>): Question =>
    excludeShownMessages(createMessageSchemas({ ...sides, ...edits }, editPair(pair, edits), direction));
  if (fields.length === 0) return [createQuestion({})];
  const [small, large] =
    direction === "backward" ? (["before", "after"] as const) : (["after", "before"] as const);
  const listFieldPlaces = (side: "before" | "after"): FieldPlace[] => fields.map((field) => field[side]);
  return [
    // The larger side accepts any value of the fields, so only messages that break for another reason remain.
    createQuestion({ [large]: editProtocol(sides[large], allowAnyFields(listFieldPlaces(large))) }),
    // The smaller side refuses the fields, so only messages that break without them remain.
    createQuestion({ [small]: editProtocol(sides[small], forbidFields(listFieldPlaces(small))) }),
  ];
}

function editPair(
  { before, after }: EventPair,
  edits: { readonly before?: Protocol; readonly after?: Protocol },
): EventPair {
  const find = (protocol: Protocol | undefined, type: string) =>
    protocol && listSubjects(protocol).find((subject) => subject.type === type);
  return {
    before: find(edits.before, before.type) ?? before,
    after: find(edits.after, after.type) ?? after,
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
  const found = new Map<string, PlacedChange[]>();
  for (const change of changes.filter((each) => canExplain(each, direction)))
    for (const place of change.occurrences)
      found.set(place.event, [...(found.get(place.event) ?? []), { change, place }]);
  return found;
}

/** Returns whether a change explains a break. An undecided change, and one without a proof, explains what it claims. */
function canExplain({ proof, claim }: Change, direction: Direction): boolean {
  if (proof?.[direction] !== undefined) return true;
  return (proof === undefined || proof.undecided !== undefined) && claim[direction] !== undefined;
}
