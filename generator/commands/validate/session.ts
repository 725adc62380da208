/**
 * Judges the values of all inputs, one after the other: each by the protocol that it belongs to, then in its stream.
 * While nothing is wrong, an event costs its decoding, one look at its stream and the rules that its type has.
 */
import { judgeEvent } from "../../conform/judge-event.js";
import type { Breach } from "../../conform/stream-rule.js";
import type { Validators } from "../../conform/validators.js";
import type { Finding, Location } from "../../finding.js";
import type { Json, JsonObject } from "../../json.js";
import type { Profile } from "../../model/profile.js";
import { streamKey } from "../../stream/stream-key.js";
import type { Content } from "../read/content.js";
import type { Input } from "../read/input.js";
import type { Problem } from "../read/json-text.js";
import { locate, type Place, type Sink } from "../read/place.js";
import type { StreamShare } from "../read/share.js";
import { type Followed, follow } from "./followed.js";
import { type Home, homeOf } from "./home.js";
import { type Marks, marksOf } from "./marks.js";
import { noteEvent, type Stats } from "./stats.js";
import { emptyTally, type Ordered, type Tally } from "./tally.js";
import { unreadableFinding } from "./text-findings.js";
import { sequenceFinding } from "./unsafe-sequence.js";

/** What a session is told. */
export interface SessionOptions {
  readonly inputs: readonly Input[];
  readonly validators: readonly Validators[];
  readonly profile: Profile;
  /** Whether events are judged one by one, without their streams. */
  readonly eventsOnly: boolean;
  /** The streams that are this thread's. */
  readonly share: StreamShare;
  readonly stats: Stats | undefined;
  /** Whether two contents stand for the same bytes. */
  same(one: unknown, other: unknown): boolean;
  report(found: Ordered): void;
  /** Whether there is room for another finding; where there is none, its exact place is not looked up. */
  hasRoom(): boolean;
}

/** Takes what the readers of the inputs find. */
export interface Session extends Sink {
  readonly tally: Tally;
  /** The next values are those of `input`. */
  begin(input: Input): void;
  /** That input had so many bytes, and was read to its end if it is `whole`. */
  finish(input: Input, bytes: number, whole: boolean): void;
  /** There is no more input. */
  end(): void;
}

/** Thrown when a raw line seemed to belong to another thread's stream than its event does. */
export class WrongShare extends Error {}

/** After so many bytes of input, the ids of the events before the last so many are forgotten. */
const GENERATION = 8 * 2 ** 20;

interface State {
  readonly options: SessionOptions;
  readonly followed: ReadonlyMap<string, Followed>;
  readonly tally: Tally;
  readonly marks: Marks;
  readonly asked: { readonly profile: Profile };
  home: Home;
  /** Whether the input has had anything yet. */
  any: boolean;
  /** The bytes of the inputs before this one. */
  base: number;
  /** The bytes of all inputs at which the next generation begins. */
  nextGeneration: number;
}

/** A session over these inputs. */
export function createSession(options: SessionOptions): Session {
  const { inputs, validators, profile, share } = options;
  const followed = validators.map((one) => follow(one, options));
  const state: State = {
    ...{ options, tally: emptyTally(), marks: marksOf(inputs), asked: { profile } },
    followed: new Map(followed.map((one) => [one.id, one])),
    home: homeOf(followed, share),
    ...{ any: false, base: 0, nextGeneration: GENERATION },
  };
  return {
    discriminators: [...new Set(validators.map(({ protocol }) => protocol.envelope.discriminator))],
    tally: state.tally,
    value: (value, place, content) => take(state, value, place, content),
    unreadable: (problems, place) => takeUnreadable(state, problems, place),
    begin: () => {
      state.home = homeOf(followed, share);
      state.any = false;
    },
    finish: (input, bytes, whole) => {
      state.base += bytes;
      if (!state.any && whole && share.index === 0)
        reportAt(state, noEvents(input), state.marks.orderOf({ input, line: 0 }), 0);
    },
    end: () => end(state),
  };
}

function noEvents({ name: file }: Input): Finding {
  const at = { file, pointer: "" };
  return { rule: "events-missing", severity: "warning", message: "There are no events here.", at };
}

function take(state: State, value: Json, place: Place, content: Content): void {
  state.any = true;
  const { home, options } = state;
  const sure = home.protocol;
  if (sure?.certain(value) && sure.decodeEvent(value, state.asked).kind === "known") {
    home.note(sure, true);
    settle(state, sure, value as JsonObject, place, content, true, NONE);
    return;
  }
  const where = (pointer: string, part?: "value" | "name"): Location =>
    options.hasRoom() ? locate(place, pointer, part) : rough(place, pointer);
  const judging = { protocols: options.validators, profile: options.profile, home: sure?.id };
  const verdict = judgeEvent(value, judging, where);
  const found = state.followed.get(verdict.protocol ?? "");
  if (found) home.note(found, verdict.kind === "known");
  if (found && verdict.kind !== "invalid")
    settle(state, found, value as JsonObject, place, content, verdict.kind === "known", verdict.findings);
  else takeInvalid(state, found, value, place, verdict.findings);
}

const NONE: readonly Finding[] = [];

function rough({ input, line, pointer: before }: Place, pointer: string): Location {
  return { file: input.name, pointer: before + pointer, line };
}

/** An event that is none, of `found` as far as can be told. */
function takeInvalid(
  state: State,
  found: Followed | undefined,
  value: Json,
  place: Place,
  findings: readonly Finding[],
): void {
  const { tally, options } = state;
  lose(state, place);
  if (!isMine(options.share, place)) return;
  const unsafe = found && sequenceFinding(found.sequence, value, place);
  const others = unsafe ? findings.filter(({ at }) => at.pointer !== unsafe.at.pointer) : findings;
  tally.events++;
  tally.invalid++;
  if (found) tally.protocols.set(found.id, (tally.protocols.get(found.id) ?? 0) + 1);
  report(state, place, unsafe ? [unsafe, ...others] : others);
}

function takeUnreadable(state: State, problems: readonly Problem[], place: Place): void {
  state.any = true;
  const errors = problems.filter(({ severity = "error" }) => severity === "error");
  if (errors.length > 0) lose(state, place);
  if (!isMine(state.options.share, place)) return;
  if (errors.length > 0) {
    state.tally.events++;
    state.tally.invalid++;
  }
  report(
    state,
    place,
    problems.map((problem) => unreadableFinding(problem, place)),
  );
}

/** Something cannot be followed, so its stream has a hole, or every stream if it cannot be told which. */
function lose(state: State, place: Place): void {
  if (state.options.eventsOnly) return;
  const stream = place.hint();
  if (stream !== undefined && state.home.protocol) state.home.protocol.checker.lost(stream);
  else for (const { checker } of state.followed.values()) checker.lost();
}

/** Parts without a stream are the thread's that the raw line hints at, or the first one's. */
function isMine(share: StreamShare, place: Place): boolean {
  if (share.of === 1) return true;
  const hint = place.hint();
  return (hint === undefined ? 0 : share.owner(hint)) === share.index;
}

/** An event that its protocol accepts. */
function settle(
  state: State,
  found: Followed,
  value: JsonObject,
  place: Place,
  content: Content,
  known: boolean,
  findings: readonly Finding[],
): void {
  const { tally, options, marks } = state;
  const { share, stats } = options;
  if (found.sequence !== undefined && (value[found.sequence] as number) >= Number.MAX_SAFE_INTEGER) {
    const unsafe = sequenceFinding(found.sequence, value, place);
    if (unsafe) {
      takeInvalid(state, found, value, place, [unsafe]);
      return;
    }
  }
  if (share.of > 1 && !belongs(options, found, value, place)) return;
  tally.events++;
  if (!known) tally.unknown++;
  tally.protocols.set(found.id, (tally.protocols.get(found.id) ?? 0) + 1);
  if (findings.length > 0) report(state, place, findings);
  if (options.eventsOnly || isAlone(place)) return;
  if (state.base + place.offset >= state.nextGeneration) age(state, state.base + place.offset);
  const placement = found.tracker.place(value, content);
  const mark = marks.of(place);
  const breaches = found.checker.check(value, placement, mark);
  if (breaches.length > 0)
    report(
      state,
      place,
      breaches.map((breach) => breachFinding(state, breach, breach.mark === mark ? place : undefined)),
    );
  if (stats) noteEvent(stats, { protocol: found.validators.protocol, value, known, placement, mark });
}

/** Whether an event is all that its input holds: it shows what such an event looks like, and no stream. */
function isAlone({ what, pointer }: Place): boolean {
  return what === "document" && pointer === "";
}

/** Whether an event is this thread's. */
function belongs({ share, eventsOnly }: SessionOptions, found: Followed, value: JsonObject, place: Place) {
  const owner = share.owner(streamKey(found.validators.protocol.stream, value));
  const hint = place.hint();
  if (hint === undefined || share.owner(hint) === owner) return owner === share.index;
  if (eventsOnly) return share.owner(hint) === share.index;
  throw new WrongShare();
}

function age(state: State, bytes: number): void {
  const generations = Math.floor((bytes - state.nextGeneration) / GENERATION) + 1;
  state.nextGeneration += generations * GENERATION;
  for (const { tracker, checker } of state.followed.values())
    for (let i = 0; i < Math.min(generations, 2); i++) {
      tracker.age();
      for (const stream of checker.age()) tracker.forget(stream);
    }
}

function end(state: State): void {
  const { marks, options, followed } = state;
  if (options.eventsOnly) return;
  const last = [...followed.values()]
    .flatMap(({ checker }) => checker.end())
    .sort((a, b) => marks.order(a.mark) - marks.order(b.mark));
  for (const breach of last) {
    const finding = breachFinding(state, breach, undefined);
    reportAt(state, finding, Number.MAX_SAFE_INTEGER, marks.order(breach.mark));
  }
}

function breachFinding(
  { marks, options }: State,
  { rule, severity, message, hint, pointer, mark }: Breach,
  place: Place | undefined,
): Finding {
  const about = { rule, severity, message };
  if (place)
    return { ...about, at: options.hasRoom() ? locate(place, pointer) : rough(place, pointer), hint };
  const at = marks.location(mark);
  return { ...about, at: { ...at, pointer: at.pointer + pointer }, hint };
}

function report(state: State, place: Place, findings: readonly Finding[]): void {
  const order = state.marks.orderOf(place);
  for (const finding of findings) reportAt(state, finding, order, place.item);
}

function reportAt({ tally, options }: State, finding: Finding, order: number, item: number): void {
  tally.findings++;
  if (finding.severity === "error") tally.errors++;
  options.report({ finding, order, item });
}
