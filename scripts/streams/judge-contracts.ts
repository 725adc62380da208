/** Judges answers about stream contracts by brute force: random short streams run through the checkers of both sides. */
import type { Direction } from "../../generator/compat/change.js";
import { decideStreams, STREAM_TRIES } from "../../generator/compat/streams/decide-streams.js";
import { makeSides } from "../../generator/compat/streams/stream-sides.js";
import { createStreamChecker, type StreamFinding } from "../../generator/conform/stream-checker.js";
import type { Json, JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createRandom, type Random } from "../../generator/random.js";
import type { Profile } from "../../generator/schema/readings.js";
import { createTracker } from "../../generator/stream/tracker.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { type ContractFields, type FieldKind, listFieldKinds, TYPES } from "./contracts.js";
import { listRefusals, type ReadEvent } from "./read-machines.js";

/** The judgement of one answer. */
export type Judgement =
  | { readonly kind: "right"; readonly verdict: "contained" | "broken" }
  | { readonly kind: "undecided"; readonly reason: string }
  | {
      readonly kind: "wrong";
      readonly verdict: string;
      readonly events: readonly JsonObject[];
      readonly why: string;
    };

/** A question: whether a change of stream rules affects somebody in one direction. */
export interface Question {
  readonly before: Protocol;
  readonly after: Protocol;
  readonly direction: Direction;
  readonly fields: ContractFields;
  readonly seed: number;
}

/** The number of streams that are tried, and of their events. */
const STREAMS = 200;
const MAX_EVENTS = 5;
/** The number of events that are tried until the sender's contract allows one. */
const EVENT_TRIES = 6;

/** A number of events that is too small to find most breaks. */
const FEW_TRIES = 20;

/** Decides a question with the product and judges the answer. */
export async function judgeQuestion(question: Question): Promise<Judgement> {
  const { before, after, direction } = question;
  const answer = await decideStreams(makeSides(before, after, direction), { remainingTries: STREAM_TRIES });
  const [sender, receiver] = direction === "forward" ? [after, before] : [before, after];
  const profile = direction === "forward" ? "reader" : "writer";
  const isRefuted = (events: readonly JsonObject[]): boolean =>
    check(sender, "writer", events) === "allowed" && check(receiver, profile, events) !== "allowed";
  const isMisread = (events: readonly JsonObject[]): boolean =>
    [sender, receiver].some((protocol) => misreadsMachines(protocol, events));
  if (answer.verdict === "broken") {
    const { events } = answer.witness;
    const isReal = areValid(sender, events) && areValid(receiver, events) && isRefuted(events);
    if (!isReal) return { kind: "wrong", verdict: "broken", events, why: "the stream does not show it" };
    const early = await decideStreams(makeSides(before, after, direction), { remainingTries: FEW_TRIES });
    return early.verdict === "contained"
      ? { kind: "wrong", verdict: "contained", events, why: `a stream breaks; asked with ${FEW_TRIES} tries` }
      : { kind: "right", verdict: "broken" };
  }
  if (answer.verdict === "undecided") return { kind: "undecided", reason: answer.reason };
  const found = findStream(question, sender, isRefuted, isMisread);
  if (found === undefined) return { kind: "right", verdict: "contained" };
  const why = isMisread(found)
    ? "the checker reads a declaration of machines in another way"
    : "a stream breaks";
  return { kind: "wrong", verdict: "contained", events: found, why };
}

/** Returns whether the checker says something else about declarations of `machines` than a plain reading of them. */
function misreadsMachines({ stream, ...protocol }: Protocol, events: readonly JsonObject[]): boolean {
  const { machines, gaps } = stream?.rules ?? {};
  const sequence = stream?.sequence;
  if (machines === undefined || gaps !== undefined || sequence === undefined) return false;
  const streams = [...new Set(events.map(({ id }) => id))].map((id) =>
    events.filter((event) => event.id === id),
  );
  // Where events are missing, states are not known.
  if (streams.some((own) => own.some((event, index) => event[sequence] !== index))) return false;
  return streams.some((own) => {
    const alone = { ...protocol, stream: { ...stream, key: stream?.key ?? [], rules: { machines } } };
    const read = own.map(
      ({ type, data }): ReadEvent => ({ type: String(type), payload: data as JsonObject }),
    );
    const refusals = machines.map((machine) => listRefusals(machine, read));
    const checker = createStreamChecker(alone, { profile: "writer" });
    const tracker = createTracker(alone.stream);
    return own.some((event, index) => {
      const isRefused = checker.check(event, tracker.place(event), index).length > 0;
      return isRefused !== refusals.some((refused) => refused[index] === true);
    });
  });
}

/**
 * Returns a stream for which `isWanted` or `isMisread` is true. Most streams are those that the sender's contract allows;
 * `isMisread` is also asked about others.
 */
function findStream(
  { before, after, fields, seed }: Question,
  sender: Protocol,
  isWanted: (events: readonly JsonObject[]) => boolean,
  isMisread: (events: readonly JsonObject[]) => boolean,
): readonly JsonObject[] | undefined {
  const random = createRandom(seed);
  const makeEvent = createEventMaker([before, after], fields, random);
  const addEvent = (events: readonly JsonObject[]): readonly JsonObject[] | undefined => {
    for (let attempt = 0; attempt < EVENT_TRIES; attempt++) {
      const event = makeEvent(events);
      const longer = [...events, event];
      const isValid = [before, after].every((protocol) => areValid(protocol, [event]));
      if (isValid && (isMisread(longer) || check(sender, "writer", longer) !== "refused")) return longer;
    }
    return undefined;
  };
  for (let index = 0; index < STREAMS; index++) {
    let events: readonly JsonObject[] | undefined = [];
    while (events !== undefined && events.length < MAX_EVENTS) {
      events = addEvent(events);
      if (events !== undefined && (isWanted(events) || isMisread(events))) return events;
    }
  }
  return undefined;
}

/** Returns a function that makes a random event after others. It may be invalid. */
function createEventMaker(
  protocols: readonly Protocol[],
  { isComplete, isNumbered, ...kinds }: ContractFields,
  random: Random,
): (earlier: readonly JsonObject[]) => JsonObject {
  const text = JSON.stringify(protocols.map(({ stream }) => stream?.rules ?? {}));
  const { payload, envelope } = listFieldKinds({ isComplete, isNumbered, ...kinds });
  const isNamed = (name: string): boolean => text.includes(`"${name}"`) || text.includes(`{${name}}`);
  const templates = [...text.matchAll(/"template":"([^"]*)"/g)].map(([, template = ""]) => template);
  const fields = Object.entries(payload).filter(([name]) => isComplete || isNamed(name));
  const envelopeFields = Object.entries(envelope).filter(([name]) => isNamed(name));
  const pick = (chosen: readonly (readonly [string, FieldKind])[], absence: number): JsonObject =>
    Object.fromEntries(
      chosen.flatMap(([name, { values }]): [string, Json][] =>
        random.chance(absence)
          ? []
          : [[name, random.chance(0.5) ? (values[0] ?? null) : random.pick(values)]],
      ),
    );
  return (earlier) => {
    const id = random.chance(0.9) ? "x" : "s";
    // A few numbers are left out.
    const last = earlier.findLast((event) => event.id === id)?.seq;
    const sequence = (typeof last === "number" ? last + 1 : 0) + (random.chance(0.1) ? 1 : 0);
    const data: { [field: string]: Json } = { ...pick(fields, isComplete ? 0 : 0.2) };
    // Some values follow from others.
    const others = [...earlier.map((event) => event.data as JsonObject), data];
    for (const [name, value] of Object.entries(data))
      if (isNamed(name) && random.chance(0.3)) data[name] = deriveValue(value, others, templates, random);
    return {
      type: random.pick(TYPES),
      id,
      ...(isNumbered && { seq: sequence }),
      ...pick(envelopeFields, 0.3),
      data,
    };
  };
}

/** Returns a value of the same type that follows from other payloads: a sum, a size, a joined text, or a filled template. */
function deriveValue(
  value: Json,
  payloads: readonly JsonObject[],
  templates: readonly string[],
  random: Random,
): Json {
  const values = payloads.flatMap((payload) => Object.values(payload));
  const texts = values.filter((each) => typeof each === "string");
  if (typeof value === "number") {
    const sizes = texts.map((each) => Buffer.byteLength(each));
    const numbers = [0, ...values.filter((each) => typeof each === "number"), ...sizes];
    return random.pick(numbers) + random.pick(numbers);
  }
  if (typeof value !== "string") return value;
  const last = payloads.at(-1) ?? {};
  const filled = templates.map((template) =>
    template.replace(/\{([^{}]+)\}/g, (_, name: string) => String(last[name] ?? "")),
  );
  return random.pick([...filled, random.pick(["", ...texts]) + random.pick(["", ...texts])]);
}

const validators = new WeakMap<readonly object[], ReturnType<typeof createValidators>>();

function areValid(protocol: Protocol, events: readonly JsonObject[]): boolean {
  const known = validators.get(protocol.events) ?? createValidators(protocol);
  validators.set(protocol.events, known);
  return events.every((event) => known.decodeEvent(event, { profile: "writer" }).kind === "known");
}

/** Returns what a contract says about a stream: `unfinished` if it only must not end here. */
function check(
  protocol: Protocol,
  profile: Profile,
  events: readonly JsonObject[],
): "allowed" | "unfinished" | "refused" {
  const checker = createStreamChecker(protocol, { profile });
  const tracker = createTracker(protocol.stream);
  const hasError = (findings: readonly StreamFinding[]): boolean =>
    findings.some(({ severity }) => severity === "error");
  for (const [index, event] of events.entries())
    if (hasError(checker.check(event, tracker.place(event), index))) return "refused";
  return hasError(checker.end()) ? "unfinished" : "allowed";
}
