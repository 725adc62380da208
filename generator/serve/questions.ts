/** The questions that runs ask, such as approvals, and the events that decide them. */
import { getOwn } from "../json.js";
import type { DecisionAction, Outcome } from "../protocol/actions.js";
import type { Protocol } from "../protocol/protocol.js";
import { readPayload } from "./edit-run-events.js";
import type { Delivery } from "./log.js";
import type { HoldTest } from "./play.js";
import type { RunEvent } from "./run.js";

/** A question that a run has asked. */
export interface Question {
  readonly event: RunEvent;
  /** The name of its outcome, or the event type that ended the run; absent if the question can still be decided. */
  readonly closedBy?: string;
}

/** Returns the questions that a run has asked, by their ids. */
export function listQuestions(
  protocol: Protocol,
  action: DecisionAction,
  deliveries: readonly Delivery[],
): ReadonlyMap<string, Question> {
  const terminal = protocol.stream?.rules?.terminal?.types ?? [];
  const questions = new Map<string, Question>();
  for (const { event } of deliveries) {
    if (event.type === action.request) {
      const id = readQuestionId(protocol, action, event);
      if (id !== undefined && !questions.has(id)) questions.set(id, { event });
    } else if (terminal.includes(event.type)) {
      for (const [id, question] of questions) questions.set(id, { closedBy: event.type, ...question });
    } else {
      const outcome = findOutcome(protocol, action, event);
      const id = outcome === undefined ? undefined : readQuestionId(protocol, action, event);
      const question = id === undefined ? undefined : questions.get(id);
      if (id !== undefined && outcome !== undefined && question)
        questions.set(id, { closedBy: outcome, ...question });
    }
  }
  return questions;
}

/** Returns whether a run has asked a question that can still be decided. */
export function hasOpenQuestion(protocol: Protocol, deliveries: readonly Delivery[]): boolean {
  return (protocol.actions?.decisions ?? []).some((action) =>
    [...listQuestions(protocol, action, deliveries).values()].some(({ closedBy }) => closedBy === undefined),
  );
}

/** Returns the id of the question that an event asks or decides. */
export function readQuestionId(
  protocol: Protocol,
  { key }: DecisionAction,
  event: RunEvent,
): string | undefined {
  const id = getOwn(readPayload(protocol, event), key);
  return typeof id === "string" ? id : undefined;
}

/** Returns the name of the outcome that an event reports; undefined if it decides no question of this kind. */
export function findOutcome(
  protocol: Protocol,
  { outcomes }: DecisionAction,
  event: RunEvent,
): string | undefined {
  const candidates = Object.entries(outcomes).filter(([, { type }]) => type === event.type);
  if (candidates.length === 0) return undefined;
  const payload = readPayload(protocol, event);
  const matches = ({ when = {} }: Outcome): boolean =>
    Object.entries(when).every(([field, value]) => getOwn(payload, field) === value);
  return candidates.find(([, outcome]) => matches(outcome))?.[0];
}

/** Returns whether an event asks a question that callers decide, or reports its outcome. */
export function isPartOfDecision(protocol: Protocol, event: RunEvent): boolean {
  const decisions = protocol.actions?.decisions ?? [];
  return decisions.some(
    (action) => event.type === action.request || findOutcome(protocol, action, event) !== undefined,
  );
}

/** Returns a test that lets runs wait before the recorded decision of a question, and before the end while a question is open. */
export function createHoldTest(protocols: readonly Protocol[]): HoldTest {
  return ({ protocol: id }, deliveries, next) => {
    const protocol = protocols.find((each) => each.id === id);
    return (protocol?.actions?.decisions ?? []).some((action) => {
      if (!protocol || (next && findOutcome(protocol, action, next) === undefined)) return false;
      const questions = listQuestions(protocol, action, deliveries);
      if (!next) return [...questions.values()].some(({ closedBy }) => closedBy === undefined);
      const question = questions.get(readQuestionId(protocol, action, next) ?? "");
      return question !== undefined && question.closedBy === undefined;
    });
  };
}
