/**
 * The last check of a comparison: for each event type the verdict equals the two inclusions over complete messages,
 * emit(baseline) ⊆ emit(current) ⊆ read(baseline). Reported changes explain a broken inclusion. They never decide that
 * there is none.
 */
import type { Containment } from "../../contain/contain.js";
import type { JsonObject } from "../../json.js";
import type { Protocol, Stability } from "../../protocol/protocol.js";
import type { Change, Direction, Occurrence, Proof } from "../change.js";
import type { LabelledField } from "../diff/walk.js";
import { rankStability } from "../side.js";
import { listSubjects } from "../subjects.js";
import { editProtocol, type FieldPlace, forbidFields, freeFields } from "./edit-schemas.js";
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
  /** How stable what breaks is: the event, or the labelled fields that are at fault. */
  readonly stability: Stability;
  readonly proof: Proof;
}

interface PlacedChange {
  readonly change: Change;
  readonly place: Occurrence;
}

/**
 * Finds broken inclusions that are not reported as an error already. A change that is waived accounts for the messages
 * that show it. A field that the baseline labels less stable than the event accounts for the messages that carry it and
 * break because of its value alone. Breaks of less stable fields are searched for, too, down to the label of the field.
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

/** What may account for a broken inclusion of one event type. */
interface Accounts {
  readonly changes: readonly PlacedChange[];
  readonly labelled: readonly LabelledField[];
}

/** Returns the most stable break that nothing accounts for. */
async function findResidual(
  sides: InclusionChecks,
  pair: EventPair,
  direction: Direction,
  accounts: Accounts,
): Promise<ResidualBreak | undefined> {
  for (const stability of listStabilities(pair, accounts.labelled)) {
    if (isReported(accounts.changes, stability, sides)) return undefined;
    const answer = await checkInclusion(sides, pair, direction);
    if (answer.verdict === "contained") return undefined;
    const questions = listQuestions(sides, pair, direction, { ...accounts, stability });
    const rest = await findFirstFailure(questions, answer, sides);
    if (rest.verdict === "contained") continue;
    const proof = createProof(rest, (witness) => createWitnessProof(sides, pair, direction, witness));
    return { pair, direction, stability, proof };
  }
  return undefined;
}

/** Returns the stability of the event and those of less stable fields, the most stable first. A break of experimental parts is no error. */
function listStabilities({ before }: EventPair, labelled: readonly LabelledField[]): Stability[] {
  const isBelow = labelled.some(({ stability }) => stability === "candidate");
  return before.stability === "stable" && isBelow ? ["stable", "candidate"] : [before.stability];
}

/** Whether a change is reported already: as an error of this stability or, between major versions, as a note. */
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
  { changes, labelled, stability }: Accounts & { readonly stability: Stability },
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
  const limit = ([small, large]: Question): Question => [
    shown.length === 0 ? small : excludeMessages(small, shown),
    large,
  ];
  const ask = (edits: Partial<Record<Direction | "before" | "after", Protocol>>): Question =>
    limit(createMessageSchemas({ ...sides, ...edits }, editPair(pair, edits), direction));
  if (fields.length === 0) return [ask({})];
  const [small, large] =
    direction === "backward" ? (["before", "after"] as const) : (["after", "before"] as const);
  const places = (side: "before" | "after"): FieldPlace[] => fields.map((field) => field[side]);
  return [
    // Only the values of the fields break: the messages pass if these may have any value.
    ask({ [large]: editProtocol(sides[large], freeFields(places(large))) }),
    // Messages without the fields pass.
    ask({ [small]: editProtocol(sides[small], forbidFields(places(small))) }),
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

/** Returns the answer to the first question that is not contained; `answer` where there is nothing left to ask. */
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

/** Returns the changes that account for a broken inclusion, by event type; those under "" concern every event. */
function groupChangesByEvent(changes: readonly Change[], direction: Direction): Map<string, PlacedChange[]> {
  const found = new Map<string, PlacedChange[]>();
  for (const change of changes.filter((each) => accountsFor(each, direction)))
    for (const place of change.occurrences)
      found.set(place.event, [...(found.get(place.event) ?? []), { change, place }]);
  return found;
}

/** A change that could not be decided, or was reported without a proof, accounts for what it claims. */
function accountsFor({ proof, claim }: Change, direction: Direction): boolean {
  if (proof?.[direction] !== undefined) return true;
  return (proof === undefined || proof.undecided !== undefined) && claim[direction] !== undefined;
}
