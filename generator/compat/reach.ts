/** Determines which recorded consumers a change reaches, by the lenses that contract tests recorded. */
import {
  findReach,
  LENS_EDITS,
  type Lens,
  type LensEdit,
  type LensPlace,
  REFUSED_TYPES,
  type Reach,
} from "../protocol/lens.js";
import { deriveTypes } from "../schema/merge.js";
import type { Change, Effect, NameKey, Place, WitnessCondition } from "./change.js";
import { parseResourceKey } from "./subjects.js";

/** A consumer that passed the contract tests, and its lens if one was recorded. */
export interface RecordedConsumer {
  readonly consumer: string;
  readonly lens?: Lens;
}

/** Whether a change reaches a recorded consumer; "unknown" if that is not known. */
export interface ConsumerReach {
  readonly consumer: string;
  readonly reach: Reach;
}

/** A place that a change edits, and the edits to which the change may amount. */
interface Question {
  readonly place: LensPlace;
  readonly edits: readonly LensEdit[];
  /** True if the experiments edited the value in other ways as well, so that their effects are no evidence. */
  readonly isVague?: boolean;
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
    const reaches = questions.map(({ place, edits, isVague }) => {
      const reach = findReach(lens, place, edits);
      return isVague === true && reach === "reached" ? "unknown" : reach;
    });
    const [worst = "unknown"] = REACHES.filter((reach) => reaches.includes(reach));
    return { consumer, reach: worst };
  });
}

/** The answers to several questions, the one that decides first. */
const REACHES: readonly Reach[] = ["reached", "unknown", "unreached"];

/** Returns what to ask the lenses about a change. The list is empty if they know nothing about it. */
function listQuestions(change: Change): Question[] {
  const { rule, proof, claim, places } = change;
  if (proof?.stream !== undefined || places.some(({ event }) => parseResourceKey(event) !== undefined))
    return [];
  const valueEdits = listValueEdits(change);
  const removedNames = rule.removedNames?.(change);
  if (removedNames) return removedNames.map((name) => createNameQuestion(name, change, valueEdits));
  const conditions = [claim.backward, claim.forward].filter((each) => each !== undefined);
  return conditions.flatMap((condition) =>
    places.map((place) => ({
      ...createPlaceQuestion(place, condition, valueEdits),
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

function createPlaceQuestion(
  { event, path }: Place,
  condition: WitnessCondition,
  valueEdits: readonly LensEdit[],
): Question {
  if (condition.kind === "outside") return { place: { event, path }, edits: valueEdits };
  if (condition.kind === "undeclared" || condition.kind === "anything")
    return { place: { event, path }, edits: LENS_EDITS };
  return { place: { event, path: `${path}/${condition.field}` }, edits: ["removed"] };
}

function createNameQuestion(
  { kind, event, path, name }: NameKey,
  { rule: { id, effect }, rename }: Change,
  valueEdits: readonly LensEdit[],
): Question {
  // Events of a type that was certainly renamed are still sent. A suspected rename may be a removal.
  if (kind === "event")
    return { place: { event, path: "" }, edits: rename?.declared ? ["renamed"] : ["removed", "renamed"] };
  // What is sent instead of a removed value is another listed one. A new name is a value that the consumer does not know.
  if (kind === "value")
    return { place: { event, path, ...(effect !== "narrows" && { value: name }) }, edits: valueEdits };
  // The object of a renamed field has as many fields as before, and that of a field that moved has not.
  return {
    place: { event, path: `${path}/${name}` },
    edits: id === "field-renamed" ? ["renamed"] : ["removed"],
  };
}

/** Returns a sentence that says which consumers a change reaches; undefined without consumers. */
export function describeReaches(change: Change, reaches: readonly ConsumerReach[]): string | undefined {
  const list = (wanted: Reach): string[] =>
    reaches.filter(({ reach }) => reach === wanted).map(({ consumer }) => consumer);
  const [reached, unreached, unknown] = [list("reached"), list("unreached"), list("unknown")];
  const [question] = listQuestions(change);
  const object = question === undefined ? "this" : describePlace(question.place);
  const hasSubject = reached.length + unreached.length > 0;
  const clauses: string[] = [];
  if (reached.length > 0)
    clauses.push(`${joinNames(reached)} ${reached.length > 1 ? "depend" : "depends"} on ${object}`);
  if (unreached.length > 0) {
    const dependence = reached.length === 0 ? ` depend on ${object}` : "";
    clauses.push(`${joinNames(unreached)} ${unreached.length > 1 ? "do" : "does"} not${dependence}`);
  }
  if (unknown.length > 0)
    clauses.push(`for ${joinNames(unknown)} that is unknown${hasSubject ? "" : " from the records"}`);
  return clauses.length === 0 ? undefined : `Recorded consumers: ${clauses.join("; ")}.`;
}

/** Returns names as a list. Quotes those that look like several. */
function joinNames(names: readonly string[]): string {
  const quoted = names.map((name) => (/,| and /.test(name) ? `"${name}"` : name));
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

function describePlace({ event, path, value }: LensPlace): string {
  const field = path.slice(1).replaceAll("/", ".");
  if (field === "") return event;
  return value === undefined ? field : `${JSON.stringify(value)} in ${field}`;
}
