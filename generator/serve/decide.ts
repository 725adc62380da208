/** Answers the decisions of callers. The run goes on as it was recorded, or as protocol.json declares. */
import { getItem } from "../get-item.js";
import { createObject, getOwn, type Json, type JsonObject, joinPointer } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { DecisionAction, Outcome } from "../protocol/actions.js";
import { type Answer, createJsonAnswer, type Request } from "./answer.js";
import { type EventEdit, editEvent, findPayloadPath, makeEvent, readPayload } from "./edit-run-events.js";
import { createEventAnswer, type RunContext } from "./post-event.js";
import { checkPostedEvent, listDeliveredEvents } from "./posted-event.js";
import { HttpError } from "./problem.js";
import { quote } from "./query.js";
import { findOutcome, listQuestions, type Question, readQuestionId } from "./questions.js";
import { createBodyError, readJsonObject } from "./read-body.js";
import { parseRunEvent, type RunEvent } from "./run.js";

/** Lists the questions of one kind that a run has asked. */
export function answerQuestionList({ protocol, played }: RunContext, action: DecisionAction): Answer {
  const outcomes = Object.keys(action.outcomes);
  const questions = [...listQuestions(protocol, action, played.log.deliveries)];
  const data = questions.map(([id, { event, closedBy }]) => {
    const state = closedBy === undefined ? { open: true } : { open: false, closed_by: closedBy };
    return { id, ...state, outcomes, event: parseRunEvent(event) };
  });
  return createJsonAnswer({ object: "list", data });
}

/** Decides the question with the id `id`, as the body of the request states, and returns the event that reports it. */
export function answerDecision(
  context: RunContext,
  action: DecisionAction,
  id: string,
  request: Request,
): Answer {
  const { played, playback } = context;
  const question = findOpenQuestion(context, action, id);
  const body = readJsonObject(request);
  const choice = readChoice(action, body);
  const fields = readFields(action, choice, id, body);
  const branch =
    findRecordedBranch(context, action, choice, id, fields) ??
    createDeclaredBranch(context, action, choice, { id, question, fields });
  const delivered = listDeliveredEvents(played.log.deliveries);
  const places = new Map(Object.keys(fields).map((name) => [name, joinPointer("", name)]));
  const decided = getItem(branch.events, branch.index);
  const earlier = [...delivered, ...branch.events.slice(0, branch.index)];
  checkPostedEvent(context.validators, earlier, decided, places);
  playback.continueWith(played, branch.events, branch.index + 1);
  return createEventAnswer(decided);
}

function findOpenQuestion({ protocol, played }: RunContext, action: DecisionAction, id: string): Question {
  const question = listQuestions(protocol, action, played.log.deliveries).get(id);
  if (!question)
    throw new HttpError(
      "path-unknown",
      `The run has sent no ${action.request} with the id ${quote(id)} so far.`,
    );
  const { closedBy } = question;
  if (closedBy === undefined) return question;
  const reason = Object.hasOwn(action.outcomes, closedBy)
    ? `was decided: ${closedBy}`
    : `ended with ${closedBy}`;
  const hint = "Without `accrete serve --interactive`, recorded decisions have already happened.";
  throw new HttpError(
    "state-conflict",
    `${quote(id)} can no longer be decided, because it ${reason}. ${hint}`,
  );
}

/** Returns the outcome that the body names. */
function readChoice({ choice, outcomes }: DecisionAction, body: JsonObject): string {
  const names = Object.keys(outcomes);
  const name = getOwn(body, choice);
  if (typeof name === "string" && names.includes(name)) return name;
  const pointer = name === undefined ? "" : joinPointer("", choice);
  const expected = `${choice} must be one of ${names.join(", ")}`;
  const message =
    typeof name === "string" ? `${expected}, not ${quote(name)}${didYouMean(name, names)}` : `${expected}.`;
  throw createBodyError([{ pointer, message }]);
}

/** Returns the other fields of the body, which become fields of the event. They must not contradict the decision. */
function readFields(
  { choice, key, outcomes }: DecisionAction,
  name: string,
  id: string,
  body: JsonObject,
): JsonObject {
  const fixed: JsonObject = { ...getOwn(outcomes, name)?.when, [key]: id };
  const fields = Object.entries(body).filter(([field]) => field !== choice);
  const errors = fields.flatMap(([field, value]) => {
    const expected = getOwn(fixed, field);
    if (expected === undefined || expected === value) return [];
    return [
      { pointer: joinPointer("", field), message: `It must be ${JSON.stringify(expected)} or absent.` },
    ];
  });
  if (errors.length > 0) throw createBodyError(errors);
  return createObject(fields);
}

/** The events with which a run goes on, and the index of the one that reports the decision. */
interface Branch {
  readonly events: readonly RunEvent[];
  readonly index: number;
}

/** Returns the rest of the recording if it has this outcome, with the fields that the caller sent. */
function findRecordedBranch(
  { protocol, played }: RunContext,
  action: DecisionAction,
  choice: string,
  id: string,
  fields: JsonObject,
): Branch | undefined {
  const waiting = played.listWaiting();
  const index = waiting.findIndex(
    (event) =>
      findOutcome(protocol, action, event) === choice && readQuestionId(protocol, action, event) === id,
  );
  const recorded = waiting[index];
  if (!recorded) return undefined;
  const path = findPayloadPath(protocol, recorded.type) ?? [];
  const edits = Object.entries(fields).map(([name, value]): EventEdit => [[...path, name], value]);
  const decided = editEvent(protocol, recorded, edits);
  const isRecorded = (event: RunEvent): boolean =>
    event === recorded || (recorded.id !== undefined && event.id === recorded.id);
  return { events: waiting.map((event) => (isRecorded(event) ? decided : event)), index };
}

/** A decision of a caller: the id of the question, the question, and the other fields of the body. */
interface Decision {
  readonly id: string;
  readonly question: Question;
  readonly fields: JsonObject;
}

/** Creates the events that protocol.json declares for an outcome that was not recorded. */
function createDeclaredBranch(
  context: RunContext,
  action: DecisionAction,
  choice: string,
  { id, question, fields }: Decision,
): Branch {
  const { protocol, played } = context;
  const outcome = getOwn(action.outcomes, choice) as Outcome;
  if (!outcome.then) throw createMissingBranchError(context, action, choice, id);
  const asked = readPayload(protocol, question.event);
  const copied = (outcome.copy ?? []).flatMap((name): [string, Json][] => {
    const value = getOwn(asked, name);
    return value === undefined ? [] : [[name, value]];
  });
  const payload = {
    ...outcome.payload,
    ...createObject(copied),
    ...fields,
    ...outcome.when,
    [action.key]: id,
  };
  const number = played.getNextNumber();
  const template = played.log.deliveries.at(-1)?.event ?? question.event;
  const events = [{ type: outcome.type, payload }, ...outcome.then].map(({ type, payload = {} }, index) => {
    const sequence = number === undefined ? undefined : number + index;
    return makeEvent(protocol, template, { type, payload, sequence }, ["decision", id, choice, index]);
  });
  checkFollowingEvents(context, choice, events);
  return { events, index: 0 };
}

/** Throws if protocol.json declares events that no writer may send after this decision. */
function checkFollowingEvents(
  { validators, played }: RunContext,
  choice: string,
  [decided, ...following]: readonly RunEvent[],
): void {
  const earlier = [...listDeliveredEvents(played.log.deliveries), ...(decided ? [decided] : [])];
  for (const event of following) {
    try {
      checkPostedEvent(validators, earlier, event, new Map());
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const message = `The event ${event.type}, which protocol.json declares after ${quote(choice)}, cannot follow here: ${error.message}`;
      throw new HttpError("branch-missing", message);
    }
    earlier.push(event);
  }
}

function createMissingBranchError(
  { protocol, played }: RunContext,
  action: DecisionAction,
  choice: string,
  id: string,
): HttpError {
  const recorded = played
    .listWaiting()
    .filter((event) => readQuestionId(protocol, action, event) === id)
    .map((event) => findOutcome(protocol, action, event))
    .find((outcome) => outcome !== undefined);
  const other = recorded === undefined ? "" : ` The recording goes on with ${quote(recorded)}.`;
  return new HttpError(
    "branch-missing",
    `The recording has no outcome ${quote(choice)} of ${quote(id)}, and protocol.json declares no events after it.${other}`,
  );
}
