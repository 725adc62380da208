/** The score of a consumer: which facts of events its snapshot shows, and which it never shows or confuses. */
import { areEqual } from "../json.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import type { Adapter } from "./adapter.js";
import { type Course, type End, listCourses } from "./declared-ends.js";
import {
  isAllowed,
  listEventVariants,
  listPaths,
  listPresenceVariants,
  listValueVariants,
  tryVariants,
  type Variants,
} from "./facts.js";
import type { FactResult, ScoredFact } from "./format-score.js";
import type { KitProtocol } from "./kit-protocol.js";
import { repeatEvent } from "./laws/content.js";
import { formatEnd, listPairs, looksAlike, makeName, playEnds, propose } from "./laws/ends.js";
import { prepareShownContext } from "./only.js";
import { getPayload } from "./payload.js";
import { findFailure } from "./run-law.js";
import { makeScene } from "./scene.js";
import type { Steps } from "./steps.js";
import type { Trial } from "./trial.js";

/** Returns the facts of a protocol, and whether the consumers of `adapter` show them. */
export function* scoreConsumer(
  adapter: Adapter,
  protocol: KitProtocol,
  only?: readonly string[],
): Steps<readonly ScoredFact[]> {
  const facts: ScoredFact[] = [];
  const law = {
    id: "score",
    law: "",
    makesStreams: true,
    fitsConsumer: true as const,
    *check(trial: Trial) {
      for (const { type } of trial.model.events) yield* scoreType(trial, type, facts);
      for (const course of listCourses(protocol)) yield* scoreCourse(trial, course, facts);
    },
  };
  const context = prepareShownContext(protocol, only);
  const found = yield* findFailure(law, { adapter, protocol, context, seed: 1, runs: 1, broken: new Set() });
  // Without snapshots that can be compared there are no facts.
  return found === undefined ? facts : [];
}

/** Scores the facts of one event type. */
function* scoreType(trial: Trial, type: string, facts: ScoredFact[]): Steps<void> {
  const { model } = trial;
  const required = listPayloadFields(model).flatMap((each) =>
    each.type === type && each.isRequired ? [each.field] : [],
  );
  const paths = listPaths(model, type);
  const add = (change: ScoredFact["change"], result: FactResult, field?: string): void => {
    facts.push({ type, ...(field !== undefined && { field }), change, result });
  };
  add("presence", yield* tryVariants(trial, listEventVariants(trial, type)));
  add("repetition", yield* tryVariants(trial, listRepetitions(trial, type)));
  for (const field of paths) {
    const result = yield* tryVariants(trial, listValueVariants(trial, type, field));
    add("value", result, field);
    // Without a difference of values there is none of presence.
    if (!field.includes("/") && !required.includes(field) && result.outcome !== "blind")
      add("presence", yield* tryVariants(trial, listPresenceVariants(trial, type, field)), field);
  }
  const fields = paths.filter((path) => !path.includes("/"));
  add("order", yield* tryVariants(trial, listOrders(trial, type, fields)));
}

/** Yields streams with an event, and with a second one of the same content. */
function* listRepetitions(trial: Trial, type: string): Generator<Variants> {
  const scene = makeScene(trial.context, [{ type, fixedFields: {} }]);
  const [event] = scene?.sent ?? [];
  if (scene === undefined || event === undefined) return;
  const twice = [...scene.events, repeatEvent(trial, event, 1)];
  if (isAllowed(trial, twice)) yield { streams: [scene.events, twice], values: ["once", "twice"] };
}

/** Yields streams with two events that differ in one field, in both orders. */
function* listOrders(trial: Trial, type: string, fields: readonly string[]): Generator<Variants> {
  for (const field of fields)
    for (const { streams } of listValueVariants(trial, type, field)) {
      const values = streams.flatMap((events) => events.slice(-1));
      const [first, second] = values.map((event) => getPayload(trial.protocol, event)[field]);
      if (first === undefined || second === undefined) break;
      const make = (one: typeof first, other: typeof first) =>
        makeScene(trial.context, [propose(type, { [field]: one }), propose(type, { [field]: other })])
          ?.events;
      const [forth, back] = [make(first, second), make(second, first)];
      if (forth && back) yield { streams: [forth, back], values: ["one order", "the other order"] };
      break;
    }
}

/** Scores the ends of things, or of the stream itself. */
function* scoreCourse(trial: Trial, course: Course, facts: ScoredFact[]): Steps<void> {
  const played = yield* playEnds(trial, course);
  for (const [index, each] of played.entries()) {
    const others = played.filter((_, at) => at !== index);
    let result: FactResult = { outcome: others.length === 0 ? "untried" : "shown" };
    for (const other of others)
      if (yield* looksAlike(trial, each, other)) {
        const isBlind = areEqual(each.started, each.ended) && areEqual(other.started, other.ended);
        const alike = [formatEnd(each.end), formatEnd(other.end)] as const;
        result = { outcome: isBlind ? "blind" : "confused", alike };
        if (!isBlind) break;
      }
    facts.push({ type: formatEnd(each.end), change: "end", result });
  }
  const { key } = course;
  if (key === undefined) return;
  for (const end of course.ends) {
    const type = formatEnd(end);
    const thing = yield* tryVariants(trial, listThings(trial, course, key, end));
    facts.push({ type, field: key, change: "thing", result: thing });
    facts.push({ type, change: "run", result: yield* tryVariants(trial, listRuns(trial, course, end)) });
    const lost = yield* tryVariants(trial, listLostStarts(trial, course, end));
    facts.push({ type, change: "lost start", result: lost });
  }
}

/** Yields streams with two open things that are alike but for one text, or their ids, of which one or the other one ends. */
function* listThings(trial: Trial, course: Course, key: string, end: End): Generator<Variants> {
  // The last pair differs in the ids alone.
  for (const { names, starts } of [...listPairs(trial, course, key)].toReversed()) {
    const [first, second] = names.map(
      (name) => makeScene(trial.context, [...starts, propose(end.type, name, end.fields)])?.events,
    );
    if (first && second) yield { streams: [first, second], values: ["the first one", "the second one"] };
  }
}

/** Yields streams with a thing of the same id in two runs, of which one or the other one ends. */
function* listRuns(trial: Trial, course: Course, end: End): Generator<Variants> {
  const name = makeName(trial, course);
  const [start = ""] = course.starts;
  for (let other = 1; other < 4; other++) {
    const [first, second] = [0, other].map(
      (stream) =>
        makeScene(trial.context, [
          { ...propose(start, name), stream: 0 },
          { ...propose(start, name), stream: other },
          { ...propose(end.type, name, end.fields), stream },
        ])?.events,
    );
    if (first && second) yield { streams: [first, second], values: ["the first run", "the second run"] };
  }
}

/** Yields streams with and without the end of a thing whose start was lost. */
function* listLostStarts(trial: Trial, course: Course, end: End): Generator<Variants> {
  for (const start of course.starts) {
    const name = makeName(trial, course);
    const scene = makeScene(trial.context, [propose(start, name), propose(end.type, name, end.fields)]);
    if (scene === undefined) continue;
    const rest = scene.events.filter((event) => event !== scene.sent[0]);
    const none = rest.filter((event) => event !== scene.sent[1]);
    yield { streams: [none, rest], values: ["no end", "the end"] };
  }
}
