/** Compares two stream contracts. Finds which differences break readers or senders, and a stream that shows it. */
import { canonical, equal, isObject, type Json, type JsonObject, join } from "../../json.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol, Stability, Stream } from "../../protocol/protocol.js";
import type { StreamRules } from "../../protocol/stream-rules.js";
import type { Affected, Change, ComparedChange, Direction, Proof, Rule } from "../change.js";
import { STREAM_CONTRACT_RULES } from "../rules/streams.js";
import {
  type BaselineSide,
  createProtocolSpot,
  deriveEnvelopeStability,
  rankStability,
  type Side,
  STABILITIES,
} from "../side.js";
import { decideStreams, STREAM_TRIES, type StreamAnswer, type StreamWitness } from "./decide-streams.js";
import type { StreamBudget } from "./search-streams.js";
import { findStreamDifferences, listUnknownMembers, type StreamDifference } from "./stream-differences.js";
import { FRAME_MEMBERS, findFrameWitness } from "./stream-frame.js";
import { isValidEvent, makeSides } from "./stream-sides.js";
import { findRefusingRule, isWitness } from "./verify-witness.js";

/** Two stream contracts that are compared. */
interface Comparison {
  readonly baseline: BaselineSide;
  readonly before: Protocol;
  readonly after: Protocol;
  readonly budget: StreamBudget;
}

const UNAFFECTED: Proof = { affects: [] };
const DIRECTIONS: readonly Direction[] = ["forward", "backward"];

/** Returns the changes between the stream contract of a baseline and the current one. */
export async function compareStreamContracts(
  baseline: BaselineSide,
  current: Side,
): Promise<ComparedChange[]> {
  const [before, after] = [baseline.protocol, current.protocol];
  const comparison = { baseline, before, after, budget: { left: STREAM_TRIES } };
  const prose = countGuarantees(after) < countGuarantees(before) ? [createGuaranteeChange(comparison)] : [];
  if (before.major !== after.major)
    return equal(toJson(before.stream), toJson(after.stream)) ? [] : [createHarmlessChange(comparison)];
  const frame = compareFrames(comparison);
  const rules = before.stream && after.stream ? await compareRules(comparison, before.stream) : [];
  const found = [...frame, ...rules];
  const isTimeAdded = before.stream?.time === undefined && after.stream?.time !== undefined;
  const isOnlyTime = found.length === 0 && isTimeAdded && before.stream !== undefined;
  return [...found, ...(isOnlyTime ? [createHarmlessChange(comparison)] : []), ...prose];
}

/** Returns the changes of rules. Both contracts are compared with the frame of the baseline. */
async function compareRules(comparison: Comparison, frame: Stream): Promise<ComparedChange[]> {
  const { before, after } = comparison;
  const [old, now] = [readRules(before), readRules(after)];
  const unknown = [...new Set([...listUnknownMembers(old), ...listUnknownMembers(now)])]
    .filter((member) => !equal(old[member] ?? null, now[member] ?? null))
    .map((member) => createUnknownMemberChange(comparison, member, old[member], now[member]));
  const whole = { ...comparison, after: replaceRules(after, frame, now) };
  const answers = await decideDirections(whole, DIRECTIONS);
  const differences = [...findStreamDifferences(old, now), ...findMemberDifferences(comparison, old, now)];
  const failing = DIRECTIONS.filter((direction) => answers.get(direction)?.verdict !== "contained");
  const found: ComparedChange[] = [];
  for (const difference of failing.length === 0 ? [] : differences) {
    const alone =
      differences.length === 1
        ? answers
        : await decideDirections(
            { ...whole, after: replaceRules(after, frame, difference.apply()) },
            failing,
          );
    found.push(...reportDifference(whole, difference, alone));
  }
  const explained = new Set(found.flatMap(({ proof }) => proof.stream?.directions ?? []));
  const rest = failing.filter((direction) => !explained.has(direction));
  if (rest.length > 0)
    found.push(
      ...reportDifference(whole, combineDifferences(differences, old, now), pickKeys(answers, rest)),
    );
  const harmless = differences.filter(
    (difference) => !found.some((change) => change.places[0]?.path === createDifferencePath(difference)),
  );
  return [...unknown, ...found, ...reportHarmless(whole, harmless, found.length + unknown.length > 0)];
}

function pickKeys<K, V>(map: ReadonlyMap<K, V>, keys: readonly K[]): ReadonlyMap<K, V> {
  return new Map([...map].filter(([key]) => keys.includes(key)));
}

type Answers = ReadonlyMap<Direction, StreamAnswer>;

async function decideDirections(
  { before, after, budget }: Comparison,
  directions: readonly Direction[],
): Promise<Answers> {
  const answers = new Map<Direction, StreamAnswer>();
  for (const direction of directions)
    answers.set(direction, await decideStreams(makeSides(before, after, direction), budget));
  return answers;
}

/** Returns the rule for a break of these directions. */
function selectPromiseRule([direction, ...others]: readonly Direction[]): Rule {
  if (others.length > 0) return STREAM_CONTRACT_RULES["stream-promise-changed"];
  return STREAM_CONTRACT_RULES[direction === "forward" ? "stream-promise-removed" : "stream-promise-added"];
}

/**
 * Returns the change for one difference: a break, if a stream confirms it for the complete contracts; otherwise an
 * undecided change, if a direction is undecided.
 */
function reportDifference(
  comparison: Comparison,
  difference: StreamDifference,
  answers: Answers,
): ComparedChange[] {
  const { before, after } = comparison;
  const broken = [...answers].flatMap(([direction, answer]) =>
    answer.verdict === "broken" && isWitness(makeSides(before, after, direction), answer.witness.events)
      ? [{ direction, ...answer.witness }]
      : [],
  );
  const [first] = broken;
  if (first) {
    const { direction, events, rule } = first;
    const directions = broken.map((each) => each.direction);
    const rank = Math.max(...broken.map((each) => each.rank));
    const affects = [findAffected(after, direction, events)];
    const proof = { affects, stream: { events, rule, directions } };
    return [createRuleChange(comparison, difference, selectPromiseRule(directions), rank, proof)];
  }
  const open = [...answers].flatMap(([direction, answer]) =>
    answer.verdict === "undecided" ? [{ direction, ...answer }] : [],
  );
  const [undecided] = open;
  if (!undecided) return [];
  const { rank, reason } = undecided;
  const proof = {
    affects: [],
    undecided: reason,
    stream: { directions: open.map(({ direction }) => direction) },
  };
  return [createRuleChange(comparison, difference, STREAM_CONTRACT_RULES["stream-undecided"], rank, proof)];
}

/** Returns who is affected by a stream that one contract allows and the other refuses. */
function findAffected(after: Protocol, direction: Direction, events: StreamWitness["events"]): Affected {
  if (direction === "forward") return "baseline-readers";
  const isRead =
    events.every((event) => isValidEvent(after, "reader", event)) &&
    findRefusingRule(after, "reader", events) === undefined;
  return isRead ? "senders" : "current-readers";
}

/** Returns the changes for differences that break nothing. Those without a rule of their own share one note. */
function reportHarmless(
  comparison: Comparison,
  differences: readonly StreamDifference[],
  isReported: boolean,
): ComparedChange[] {
  const changes = differences.flatMap((difference) => {
    const [name] = difference.path;
    const create = (rule: Rule, rank: number) => [
      createRuleChange(comparison, difference, rule, rank, UNAFFECTED),
    ];
    if (name === "profile" && difference.to === "writer")
      return create(STREAM_CONTRACT_RULES["stream-reliance-dropped"], rankTypes(comparison, difference));
    if (difference.member === "terminal" && (name === "types" || name === "opens"))
      return create(
        STREAM_CONTRACT_RULES["stream-end-changed"],
        rankStability(deriveEnvelopeStability(comparison.before)),
      );
    return [];
  });
  return differences.length > 0 && changes.length === 0 && !isReported
    ? [createHarmlessChange(comparison)]
    : changes;
}

/** Returns the rank of the most stable event type that a declaration names. */
function rankTypes({ before }: Comparison, { declaration }: StreamDifference): number {
  const text = JSON.stringify(declaration);
  const named = before.events.filter(({ type }) => text.includes(JSON.stringify(type)));
  return named.length === 0
    ? rankStability(deriveEnvelopeStability(before))
    : Math.max(...named.map(({ stability }) => rankStability(stability)));
}

/** Finds event types that joined or left a lifecycle because their payload gained or lost its key. */
function findMemberDifferences(
  { before, after }: Comparison,
  old: JsonObject,
  now: JsonObject,
): StreamDifference[] {
  const known = new Map(before.events.map((event) => [event.type, event]));
  return ((old.lifecycles ?? []) as readonly JsonObject[]).flatMap((declared, index): StreamDifference[] => {
    const key = String(declared.key);
    const isKept = ((now.lifecycles ?? []) as readonly JsonObject[]).some((each) => each.key === key);
    const changed = after.events.filter((event) => {
      const past = known.get(event.type);
      return past && collectEventFields(before, past).has(key) !== collectEventFields(after, event).has(key);
    });
    return !isKept
      ? []
      : changed.map((event) => ({
          member: "lifecycles",
          identity: key,
          path: ["members"],
          isElement: true,
          declaration: declared,
          ...(collectEventFields(after, event).has(key) ? { to: event.type } : { from: event.type }),
          before: ["lifecycles", String(index)],
          after: [],
          apply: () => old,
        }));
  });
}

/** Returns all differences as one, for a break that none of them shows alone. */
function combineDifferences(
  differences: readonly StreamDifference[],
  old: JsonObject,
  now: JsonObject,
): StreamDifference {
  const [first, ...others] = differences;
  const isOne =
    first && others.every((each) => each.member === first.member && equal(each.identity, first.identity));
  if (isOne)
    return {
      ...first,
      path: [],
      isElement: false,
      from: old[first.member] ?? null,
      to: now[first.member] ?? null,
    };
  return {
    member: "rules",
    identity: "",
    path: [],
    isElement: false,
    from: old,
    to: now,
    declaration: {},
    before: [],
    after: [],
    apply: () => now,
  };
}

/** Returns the path of a difference in the contract, without list indexes. The path of a list element ends with a hyphen. */
function createDifferencePath({ member, identity, path, isElement }: StreamDifference): string {
  const named = typeof identity === "string" ? identity : canonical(identity);
  return join("/stream/rules", member, named, ...path, ...(isElement ? ["-"] : []));
}

/** Returns a change of the stream contract at `path`; unless given, its stability is that of the envelope. */
function createChange(
  { baseline, before, after }: Comparison,
  rule: Rule,
  proof: Proof,
  change: Pick<Change, "name" | "from" | "to" | "detail"> & {
    readonly path: string;
    readonly event?: string;
    readonly stability?: Stability;
    /** Tokens of the places in protocol.json on both sides. */
    readonly places: readonly [before: readonly string[], after: readonly string[]];
  },
): ComparedChange {
  const { path, event = "", stability = deriveEnvelopeStability(before), places, ...difference } = change;
  return {
    ...difference,
    rule,
    proof,
    claim: {},
    places: [{ event, path, steps: [], stability }],
    before: createProtocolSpot(before, ...places[0]),
    after: createProtocolSpot(after, ...places[1]),
    against: baseline.label,
    otherMajor: before.major !== after.major,
  };
}

/** Returns the change of a rule for one difference. */
function createRuleChange(
  comparison: Comparison,
  difference: StreamDifference,
  rule: Rule,
  rank: number,
  proof: Proof,
): ComparedChange {
  const { from, to, before, after } = difference;
  return createChange(comparison, rule, proof, {
    name: nameDifference(difference),
    detail: describeDetail(difference),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    path: createDifferencePath(difference),
    event: findFirstType(difference, [comparison.after, comparison.before]),
    stability: STABILITIES[rank] ?? "experimental",
    places: [
      ["stream", "rules", ...before],
      ["stream", "rules", ...after],
    ],
  });
}

function nameDifference({ member, identity }: StreamDifference): string {
  const named = typeof identity === "string" ? identity : collectTexts(identity).join(" ");
  return named === "" ? member : `${member} ${named}`;
}

function collectTexts(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  if (isObject(value)) return Object.values(value).flatMap(collectTexts);
  return value === null ? [] : [String(value)];
}

/** Describes a difference in a sentence without its full stop. */
function describeDetail({ path, isElement, from, to }: StreamDifference): string {
  const place = path.join(".");
  const formatValue = (value: Json | undefined): string => JSON.stringify(value) ?? "absent";
  if (path.length === 0) {
    if (to === undefined) return "the declaration was removed";
    return from === undefined ? "the declaration is new" : "the declaration differs";
  }
  if (isElement)
    return to === undefined ? `${place} lost ${formatValue(from)}` : `${place} gained ${formatValue(to)}`;
  if (to === undefined) return `${place} ${formatValue(from)} was removed`;
  return from === undefined
    ? `${place} is ${formatValue(to)} now`
    : `${place} is ${formatValue(to)} now and was ${formatValue(from)}`;
}

/** Returns the first event type that the declaration names. */
function findFirstType({ declaration, from, to }: StreamDifference, sides: readonly Protocol[]): string {
  const known = new Set(sides.flatMap(({ events }) => events.map(({ type }) => type)));
  return (
    [...collectTexts(declaration), ...collectTexts(from ?? null), ...collectTexts(to ?? null)].find((text) =>
      known.has(text),
    ) ?? ""
  );
}

/** Returns a change for each member of `stream` that orders or identifies events and differs. */
function compareFrames(comparison: Comparison): ComparedChange[] {
  const { before, after } = comparison;
  const [old, now] = [before.stream, after.stream];
  if (old === undefined || now === undefined)
    return old === now ? [] : [createFrameChange(comparison, "stream", [], toJson(old), toJson(now), after)];
  return FRAME_MEMBERS.flatMap((member) => {
    const [from, to] = [toJson(readFrameMember(old, member)), toJson(readFrameMember(now, member))];
    if (equal(from, to) || (member === "time" && from === null)) return [];
    const { [member]: _old, ...rest } = old;
    const alone = { ...after, stream: { ...rest, ...(to !== null && { [member]: to }) } as Stream };
    return [createFrameChange(comparison, member, [member], from, to, alone)];
  });
}

/** Returns a member of the frame; undefined also for the default of `idScope`. */
function readFrameMember(stream: Stream, member: (typeof FRAME_MEMBERS)[number]): Stream[typeof member] {
  return member === "idScope" && stream.idScope === "stream" ? undefined : stream[member];
}

function createFrameChange(
  comparison: Comparison,
  name: string,
  tokens: readonly string[],
  from: Json,
  to: Json,
  changed: Protocol,
): ComparedChange {
  const { before, after } = comparison;
  const witness = name === "time" ? undefined : findFrameWitness(before, changed);
  const proof: Proof = {
    unwitnessed: true,
    affects: witness ? [findAffected(changed, witness.direction, witness.events)] : [],
    stream: { directions: [], ...(witness && { events: witness.events, rule: witness.rule }) },
  };
  const locateMember = ({ stream }: Protocol, value: Json): string[] =>
    stream ? ["stream", ...(value === null ? [] : tokens)] : [];
  return createChange(comparison, STREAM_CONTRACT_RULES["stream-frame-changed"], proof, {
    name,
    from,
    to,
    path: join("/stream", ...tokens),
    places: [locateMember(before, from), locateMember(after, to)],
  });
}

function createUnknownMemberChange(
  comparison: Comparison,
  member: string,
  from?: Json,
  to?: Json,
): ComparedChange {
  const undecided = `no stream rule follows ${JSON.stringify(member)}`;
  const locateRule = (value: Json | undefined) => [
    "stream",
    "rules",
    ...(value === undefined ? [] : [member]),
  ];
  return createChange(
    comparison,
    STREAM_CONTRACT_RULES["stream-undecided"],
    { affects: [], undecided, stream: { directions: [] } },
    {
      name: member,
      from: from ?? null,
      to: to ?? null,
      detail: "the declaration differs",
      path: join("/stream/rules", member),
      places: [locateRule(from), locateRule(to)],
    },
  );
}

function createGuaranteeChange(comparison: Comparison): ComparedChange {
  const { before, after } = comparison;
  return createChange(comparison, STREAM_CONTRACT_RULES["stream-guarantee-removed"], UNAFFECTED, {
    name: "guarantees",
    from: countGuarantees(before),
    to: countGuarantees(after),
    path: "/guarantees",
    places: [["guarantees"], after.guarantees.length > 0 ? ["guarantees"] : []],
  });
}

/** Returns the note about differences that break nothing. */
function createHarmlessChange(comparison: Comparison): ComparedChange {
  const { before, after } = comparison;
  return createChange(comparison, STREAM_CONTRACT_RULES["stream-changed"], UNAFFECTED, {
    name: "stream",
    from: toJson(before.stream),
    to: toJson(after.stream),
    path: "",
    places: [before.stream ? ["stream"] : [], after.stream ? ["stream"] : []],
  });
}

/** Returns the number of sentences in the guarantees of a contract. */
function countGuarantees({ guarantees }: Protocol): number {
  return guarantees.reduce((sum, text) => sum + countSentences(text), 0);
}

/** Counts the sentences of a text. Without a full stop it is one sentence, and an empty text has none. */
function countSentences(text: string): number {
  if (text.trim() === "") return 0;
  return Math.max(1, text.match(/[.!?](?=\s+["“(]?\p{Lu}|\s*$)/gu)?.length ?? 0);
}

function readRules({ stream }: Protocol): JsonObject {
  const rules = toJson(stream?.rules);
  return isObject(rules) ? rules : {};
}

/** Returns the contract with another frame and other rules. */
function replaceRules(protocol: Protocol, frame: Stream, rules: JsonObject): Protocol {
  return { ...protocol, stream: { ...frame, rules: rules as StreamRules } };
}

function toJson(value: unknown): Json {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
