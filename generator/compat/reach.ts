/** Determines which recorded consumers a change reaches, by the lenses that contract tests recorded. */
import { groupBy } from "../group-by.js";
import {
  createUnknownAnswer,
  describePlace,
  findReach,
  LENS_EDITS,
  type Lens,
  type LensEdit,
  type LensPlace,
  type LostRange,
  REFUSED_TYPES,
  type Reach,
  type ReachAnswer,
} from "../protocol/lens.js";
import { deriveTypes } from "../schema/merge.js";
import type { Change, Effect, NameKey, Place, WitnessCondition } from "./change.js";
import { parseResourceKey } from "./subjects.js";

/** A consumer that passed the contract tests, and its lens if one was recorded. */
export interface RecordedConsumer {
  readonly consumer: string;
  readonly lens?: Lens;
}

/** Whether a change reaches a recorded consumer, with a clause that says why it is not known. */
export type ConsumerReach = { readonly consumer: string } & ReachAnswer;

/** A place that a change edits, and the edits to which the change may amount. */
interface Question {
  readonly place: LensPlace;
  readonly edits: readonly LensEdit[];
  /** True if the experiments edited the value in other ways as well, so that their effects are no evidence. */
  readonly isVague?: boolean;
  /** True if it is not certain to which of the edits the change amounts. */
  readonly isSuspected?: boolean;
}

/** The effects of changes that may make a difference to consumers of events. */
const EFFECTS: readonly Effect[] = ["withdraws", "narrows", "widens", "narrows-or-widens", "reinterprets"];

/** Returns whether a change reaches each of the consumers; nothing if the change is not about events that consumers receive. */
export function findConsumerReaches(
  change: Change,
  consumers: readonly RecordedConsumer[],
): readonly ConsumerReach[] {
  const { effect, field } = change.rule;
  // A consumer of the baseline does not know a field that is new.
  if (!EFFECTS.includes(effect) || field?.change === "added") return [];
  const questions = listQuestions(change);
  return consumers.map(({ consumer, lens }) => {
    const answers = questions.map((question) => answerQuestion(lens, question));
    const [worst] = REACHES.flatMap((reach) => answers.find((answer) => answer.reach === reach) ?? []);
    return {
      consumer,
      ...(worst ?? createUnknownAnswer("lenses are about fields and event types of events")),
    };
  });
}

/** The answers to several questions, the one that decides first. */
const REACHES: readonly Reach[] = ["reached", "unknown", "unreached"];

function answerQuestion(
  lens: Lens | undefined,
  { place, edits, isVague, isSuspected }: Question,
): ReachAnswer {
  const answer = findReach(lens, place, edits);
  if (isVague === true && answer.reach === "reached")
    return createUnknownAnswer(
      `the experiments gave ${describePlace(place)} other values than the change does`,
    );
  if (isSuspected !== true || answer.reach !== "reached") return answer;
  const isCertain = edits.every((edit) => findReach(lens, place, [edit]).reach === "reached");
  return isCertain ? answer : createUnknownAnswer(`${describePlace(place)} may be renamed or removed`);
}

/** Returns what to ask the lenses about a change. The list is empty if they know nothing about it. */
function listQuestions(change: Change): Question[] {
  const { rule, proof, claim, places } = change;
  if (proof?.stream !== undefined || places.some(({ event }) => parseResourceKey(event) !== undefined))
    return [];
  const valueEdits = listValueEdits(change);
  const removedNames = rule.removedNames?.(change);
  if (removedNames) return removedNames.map((name) => createNameQuestion(name, change, valueEdits));
  const lost = findLostRange(change);
  const conditions = [claim.backward, claim.forward].filter((each) => each !== undefined);
  return conditions.flatMap((condition) =>
    places.map((place) => ({
      ...createPlaceQuestion(place, lost, condition, valueEdits),
      // The experiments do not know which combinations of fields a condition allows.
      isVague: condition.kind === "outside" && isObjectOnly(change),
    })),
  );
}

/** Returns the edits to which other values than before may amount. */
function listValueEdits({ proof, claim, views }: Change): readonly LensEdit[] {
  // New values that old readers accept are no refused ones.
  if (proof?.forward === undefined && proof?.undecided === undefined) return ["changed"];
  if (views === undefined) return ["changed", ...REFUSED_TYPES];
  const [before, after] = [views.before, views.after].map((view) => {
    const types = [...deriveTypes(view).set].map((type) => (type === "integer" ? "number" : type));
    return REFUSED_TYPES.filter((type) => types.includes(type));
  }) as [LensEdit[], LensEdit[]];
  const added = after.filter((type) => !before.includes(type));
  const refused = added.length > 0 ? added : after;
  // If earlier values are no longer allowed, others are sent instead, of an earlier type as well.
  const isNarrowed = claim.backward !== undefined && after.length > added.length;
  return isNarrowed || proof.forward === undefined ? ["changed", ...refused] : refused;
}

/** Returns whether the values that a change is about were and are objects. */
function isObjectOnly({ views }: Change): boolean {
  return [views?.before, views?.after].every(
    (view) => view !== undefined && [...deriveTypes(view).set].join() === "object",
  );
}

/** Bounds of numbers, of the lengths of texts and of the counts of items. */
const SIZE_BOUNDS: readonly string[] = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
];

/** Returns the values that are no longer sent because a bound allows less; undefined if they are not known. */
function findLostRange({ rule, name, from, to }: Change): LostRange | undefined {
  if (rule.id !== "bound-tightened" || !SIZE_BOUNDS.includes(name)) return undefined;
  return typeof from === "number" && typeof to === "number" ? { oldBound: from, newBound: to } : undefined;
}

function createPlaceQuestion(
  { event, path }: Place,
  lost: LostRange | undefined,
  condition: WitnessCondition,
  valueEdits: readonly LensEdit[],
): Question {
  if (condition.kind === "outside")
    return { place: { event, path, ...(lost && { lost }) }, edits: valueEdits };
  if (condition.kind === "undeclared" || condition.kind === "anything")
    return { place: { event, path }, edits: LENS_EDITS };
  return { place: { event, path: `${path}/${condition.field}` }, edits: ["removed"] };
}

function createNameQuestion(
  { kind, event, path, name }: NameKey,
  { rule: { id }, rename }: Change,
  valueEdits: readonly LensEdit[],
): Question {
  if (kind === "event") {
    const isRemoved = id === "event-removed";
    // Events of a type that was certainly renamed are still sent. A suspected rename may be a removal.
    const isSuspected = !isRemoved && rename?.declared !== true;
    const edits: readonly LensEdit[] = isSuspected
      ? ["removed", "renamed"]
      : [isRemoved ? "removed" : "renamed"];
    return { place: { event, path: "" }, edits, isSuspected };
  }
  // Whatever is sent instead of a value that is gone, a consumer loses nothing if it treats the value like one that it does not know.
  if (kind === "value") return { place: { event, path, value: name }, edits: valueEdits };
  // The object of a renamed field has as many fields as before, and that of a field that moved has not.
  return {
    place: { event, path: `${path}/${name}` },
    edits: id === "field-renamed" ? ["renamed"] : ["removed"],
  };
}

/** Returns a sentence that says which consumers a change reaches, and why that is not known of others; undefined without consumers. */
export function describeReaches(change: Change, reaches: readonly ConsumerReach[]): string | undefined {
  const list = (wanted: Reach): string[] =>
    reaches.filter(({ reach }) => reach === wanted).map(({ consumer }) => consumer);
  const [reached, unreached] = [list("reached"), list("unreached")];
  const reasons = groupBy(
    reaches.flatMap((each) => (each.reach === "unknown" ? [each] : [])),
    ({ reason }) => reason,
  );
  const [question] = listQuestions(change);
  const object = question === undefined ? "this" : describePlace(question.place);
  const clauses: string[] = [];
  if (reached.length > 0)
    clauses.push(`${joinNames(reached)} ${reached.length > 1 ? "depend" : "depends"} on ${object}`);
  if (unreached.length > 0) {
    const dependence = reached.length === 0 ? ` depend on ${object}` : "";
    clauses.push(`${joinNames(unreached)} ${unreached.length > 1 ? "do" : "does"} not${dependence}`);
  }
  for (const [reason, unknown] of reasons)
    clauses.push(
      `for ${joinNames(unknown.map(({ consumer }) => consumer))} that is unknown, because ${reason}`,
    );
  return clauses.length === 0 ? undefined : `Recorded consumers: ${clauses.join("; ")}.`;
}

/** Returns names as a list. Quotes those that look like several. */
function joinNames(names: readonly string[]): string {
  const quoted = names.map((name) => (/,| and /.test(name) ? `"${name}"` : name));
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}
