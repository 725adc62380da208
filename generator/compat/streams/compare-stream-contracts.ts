/** Compares two stream contracts. Finds the differences that break readers or senders, and streams that show them. */
import {
  areEqual,
  formatCanonicalJson,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
} from "../../json.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { EventType, Protocol, Stability, Stream } from "../../protocol/protocol.js";
import type { StreamRules } from "../../protocol/stream-rules.js";
import {
  type Affected,
  type Change,
  type ComparedChange,
  type Direction,
  NO_BREAK,
  type Proof,
  type Rule,
} from "../change.js";
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
import {
  describeDifferences,
  findStreamDifferences,
  listUnknownMembers,
  type StreamDifference,
} from "./stream-differences.js";
import { FRAME_MEMBERS, findFrameWitness } from "./stream-frame.js";
import { isValidEvent, makeSides } from "./stream-sides.js";
import { findRefusingRule, isWitness } from "./verify-witness.js";

/** Two stream contracts that are compared, and how many streams may still be tried. */
interface Comparison {
  readonly baseline: BaselineSide;
  readonly before: Protocol;
  readonly after: Protocol;
  readonly budget: StreamBudget;
}

const DIRECTIONS: readonly Direction[] = ["forward", "backward"];

/** Returns the changes between the stream contract of a baseline and the current one. */
export async function compareStreamContracts(
  baseline: BaselineSide,
  current: Side,
): Promise<ComparedChange[]> {
  const before = baseline.protocol;
  const after = current.protocol;
  const comparison = { baseline, before, after, budget: { remainingTries: STREAM_TRIES } };
  if (before.major !== after.major)
    return areEqual(toJson(before.stream), toJson(after.stream)) ? [] : [createHarmlessChange(comparison)];
  const changes = compareFrames(comparison);
  if (before.stream && after.stream) {
    changes.push(...(await compareRules(comparison, before.stream)));
    const isTimeAdded = before.stream.time === undefined && after.stream.time !== undefined;
    if (changes.length === 0 && isTimeAdded) changes.push(createHarmlessChange(comparison));
  }
  if (countGuarantees(after) < countGuarantees(before)) changes.push(createGuaranteeChange(comparison));
  return changes;
}

/** Returns the changes of rules. Both contracts are compared with the frame of the baseline. */
async function compareRules(comparison: Comparison, frame: Stream): Promise<ComparedChange[]> {
  const { before, after } = comparison;
  const old = readRules(before);
  const now = readRules(after);
  const unknownMemberChanges = [...new Set([...listUnknownMembers(old), ...listUnknownMembers(now)])]
    .filter((member) => !areEqual(old[member] ?? null, now[member] ?? null))
    .map((member) => createUnknownMemberChange(comparison, member, old[member], now[member]));
  const sameFrame = { ...comparison, after: replaceRules(after, frame, now) };
  const answers = await decideDirections(sameFrame, DIRECTIONS);
  const differences = [
    ...findStreamDifferences(old, now),
    ...findLifecycleMemberDifferences(comparison, old, now),
  ];
  const failingDirections = DIRECTIONS.filter((direction) => answers.get(direction)?.verdict !== "contained");
  const changes: ComparedChange[] = [];
  if (failingDirections.length > 0)
    for (const difference of differences) {
      const oneDifference = { ...sameFrame, after: replaceRules(after, frame, difference.apply()) };
      const isOnly = differences.length === 1;
      const answersForOne = isOnly ? answers : await decideDirections(oneDifference, failingDirections);
      changes.push(...reportDifference(sameFrame, difference, answersForOne));
    }
  // If no single difference explains a failing direction, all differences together are reported.
  const explainedDirections = new Set(changes.flatMap(({ proof }) => proof.stream?.directions ?? []));
  const residual = failingDirections.filter((direction) => !explainedDirections.has(direction));
  if (residual.length > 0) {
    const combinedDifferences = combineDifferences(differences, old, now);
    changes.push(...reportDifference(sameFrame, combinedDifferences, pickKeys(answers, residual)));
  }
  const harmless = differences.filter(
    (difference) => !changes.some((change) => change.places[0]?.path === createDifferencePath(difference)),
  );
  return [
    ...unknownMemberChanges,
    ...changes,
    ...reportHarmless(sameFrame, harmless, changes.length + unknownMemberChanges.length > 0),
  ];
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
  const brokenAnswers = [...answers].flatMap(([direction, answer]) =>
    answer.verdict === "broken" && isWitness(makeSides(before, after, direction), answer.witness.events)
      ? [{ direction, ...answer.witness }]
      : [],
  );
  const [first] = brokenAnswers;
  if (first) {
    const { direction, events, rule } = first;
    const directions = brokenAnswers.map((each) => each.direction);
    const rank = Math.max(...brokenAnswers.map((each) => each.rank));
    const affects = [findAffected(after, direction, events)];
    const proof = { affects, stream: { events, rule, directions } };
    return [createRuleChange(comparison, difference, selectPromiseRule(directions), rank, proof)];
  }
  const undecidedAnswers = [...answers].flatMap(([direction, answer]) =>
    answer.verdict === "undecided" ? [{ direction, ...answer }] : [],
  );
  const [firstUndecided] = undecidedAnswers;
  if (!firstUndecided) return [];
  const { rank, reason } = firstUndecided;
  const proof = {
    affects: [],
    undecided: reason,
    stream: { directions: undecidedAnswers.map(({ direction }) => direction) },
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
      createRuleChange(comparison, difference, rule, rank, NO_BREAK),
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
  const namedTypes = before.events.filter(({ type }) => text.includes(JSON.stringify(type)));
  return namedTypes.length === 0
    ? rankStability(deriveEnvelopeStability(before))
    : Math.max(...namedTypes.map(({ stability }) => rankStability(stability)));
}

/** Finds event types that joined or left a lifecycle, because their payload gained or lost the key of the lifecycle. */
function findLifecycleMemberDifferences(
  { before, after }: Comparison,
  old: JsonObject,
  now: JsonObject,
): StreamDifference[] {
  const oldEvents = new Map(before.events.map((event) => [event.type, event]));
  const hasKey = (protocol: Protocol, event: EventType, key: string): boolean =>
    collectEventFields(protocol, event).has(key);
  return listLifecycles(old).flatMap((declared, index): StreamDifference[] => {
    const key = String(declared.key);
    const isKept = listLifecycles(now).some((each) => each.key === key);
    const changedEvents = after.events.filter((event) => {
      const oldEvent = oldEvents.get(event.type);
      return oldEvent && hasKey(before, oldEvent, key) !== hasKey(after, event, key);
    });
    return !isKept
      ? []
      : changedEvents.map((event) => ({
          member: "lifecycles",
          identity: key,
          path: ["members"],
          isElement: true,
          declaration: declared,
          ...(hasKey(after, event, key) ? { to: event.type } : { from: event.type }),
          before: ["lifecycles", String(index)],
          after: [],
          apply: () => old,
        }));
  });
}

function listLifecycles({ lifecycles = [] }: JsonObject): readonly JsonObject[] {
  return lifecycles as readonly JsonObject[];
}

/** The member of a difference that is about several declarations. */
const ALL_RULES = "rules";

/** Returns all differences as one, for a break that none of them shows alone. */
function combineDifferences(
  differences: readonly StreamDifference[],
  old: JsonObject,
  now: JsonObject,
): StreamDifference {
  const [first, ...others] = differences;
  const isOneDeclaration =
    first && others.every((each) => each.member === first.member && areEqual(each.identity, first.identity));
  if (isOneDeclaration)
    return {
      ...first,
      path: [],
      isElement: false,
      from: old[first.member] ?? null,
      to: now[first.member] ?? null,
    };
  return {
    member: ALL_RULES,
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
  const identityToken = typeof identity === "string" ? identity : formatCanonicalJson(identity);
  return joinPointer("/stream/rules", member, identityToken, ...path, ...(isElement ? ["-"] : []));
}

/** Returns a change of the stream contract at `path`. Its stability is that of the envelope, unless given. */
function createChange(
  { baseline, before, after }: Comparison,
  rule: Rule,
  proof: Proof,
  change: Pick<Change, "name" | "from" | "to" | "detail"> & {
    readonly path: string;
    readonly event?: string;
    readonly stability?: Stability;
    /** The pointer tokens of the spots in protocol.json on both sides. */
    readonly tokens: { readonly before: readonly string[]; readonly after: readonly string[] };
  },
): ComparedChange {
  const { path, event = "", stability = deriveEnvelopeStability(before), tokens, ...details } = change;
  return {
    ...details,
    rule,
    proof,
    claim: {},
    places: [{ event, path, steps: [], stability }],
    before: createProtocolSpot(before, ...tokens.before),
    after: createProtocolSpot(after, ...tokens.after),
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
    name: formatDifferenceName(difference),
    detail: describeDetail(difference),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    path: createDifferencePath(difference),
    event: findFirstType(difference, [comparison.after, comparison.before]),
    stability: STABILITIES[rank] ?? "experimental",
    tokens: {
      before: ["stream", "rules", ...before],
      after: ["stream", "rules", ...after],
    },
  });
}

function formatDifferenceName({ member, identity }: StreamDifference): string {
  const suffix = typeof identity === "string" ? identity : collectTexts(identity).join(" ");
  return suffix === "" ? member : `${member} ${suffix}`;
}

function collectTexts(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  if (isObject(value)) return Object.values(value).flatMap(collectTexts);
  return value === null ? [] : [String(value)];
}

/** The number of differences that a finding describes. */
const MAX_DESCRIBED = 5;

/** Describes what differs, as a sentence without its full stop. */
function describeDetail({ member, path, isElement, index, from, to }: StreamDifference): string {
  const place = path.join(".");
  if (path.length === 0 && to === undefined) return "the declaration was removed";
  if (path.length === 0 && from === undefined) return "the declaration is new";
  if (isElement && to === undefined) return `${place} lost ${JSON.stringify(from)}`;
  if (isElement && from === undefined) return `${place} gained ${JSON.stringify(to)}`;
  const start = path.length === 0 && member !== ALL_RULES ? member : place;
  const clauses = describeDifferences(index === undefined ? start : `${place}[${index}]`, from, to);
  const further = clauses.length - MAX_DESCRIBED;
  const described = clauses.slice(0, MAX_DESCRIBED).join("; ");
  return further > 0 ? `${described}; and ${further} more` : described;
}

/** Returns the first event type that the declaration names. */
function findFirstType({ declaration, from, to }: StreamDifference, protocols: readonly Protocol[]): string {
  const knownTypes = new Set(protocols.flatMap(({ events }) => events.map(({ type }) => type)));
  return (
    [...collectTexts(declaration), ...collectTexts(from ?? null), ...collectTexts(to ?? null)].find((text) =>
      knownTypes.has(text),
    ) ?? ""
  );
}

/** Returns a change for each member of `stream` that orders or identifies events and differs. */
function compareFrames(comparison: Comparison): ComparedChange[] {
  const { before, after } = comparison;
  const old = before.stream;
  const now = after.stream;
  if (old === undefined || now === undefined)
    return old === now ? [] : [createFrameChange(comparison, "stream", [], toJson(old), toJson(now), after)];
  return FRAME_MEMBERS.flatMap((member) => {
    const from = toJson(readFrameMember(old, member));
    const to = toJson(readFrameMember(now, member));
    if (areEqual(from, to) || (member === "time" && from === null)) return [];
    const { [member]: _old, ...rest } = old;
    const stream = { ...rest, ...(to !== null && { [member]: to }) } as Stream;
    return [createFrameChange(comparison, member, [member], from, to, { ...after, stream })];
  });
}

/** Returns a member of the frame; undefined also for the default of `idScope`. */
function readFrameMember(stream: Stream, member: (typeof FRAME_MEMBERS)[number]): Stream[typeof member] {
  return member === "idScope" && stream.idScope === "stream" ? undefined : stream[member];
}

/** Returns the change of a member of the frame; `changed` is the contract in which only this member differs. */
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
    path: joinPointer("/stream", ...tokens),
    tokens: { before: locateMember(before, from), after: locateMember(after, to) },
  });
}

function createUnknownMemberChange(
  comparison: Comparison,
  member: string,
  from?: Json,
  to?: Json,
): ComparedChange {
  const reason = `no stream rule follows ${JSON.stringify(member)}`;
  const locateRule = (value: Json | undefined) => [
    "stream",
    "rules",
    ...(value === undefined ? [] : [member]),
  ];
  return createChange(
    comparison,
    STREAM_CONTRACT_RULES["stream-undecided"],
    { affects: [], undecided: reason, stream: { directions: [] } },
    {
      name: member,
      from: from ?? null,
      to: to ?? null,
      detail: "the declaration differs",
      path: joinPointer("/stream/rules", member),
      tokens: { before: locateRule(from), after: locateRule(to) },
    },
  );
}

function createGuaranteeChange(comparison: Comparison): ComparedChange {
  const { before, after } = comparison;
  return createChange(comparison, STREAM_CONTRACT_RULES["stream-guarantee-removed"], NO_BREAK, {
    name: "guarantees",
    from: countGuarantees(before),
    to: countGuarantees(after),
    path: "/guarantees",
    tokens: { before: ["guarantees"], after: after.guarantees.length > 0 ? ["guarantees"] : [] },
  });
}

/** Returns the note about differences that break nothing. */
function createHarmlessChange(comparison: Comparison): ComparedChange {
  const { before, after } = comparison;
  return createChange(comparison, STREAM_CONTRACT_RULES["stream-changed"], NO_BREAK, {
    name: "stream",
    from: toJson(before.stream),
    to: toJson(after.stream),
    path: "",
    tokens: { before: before.stream ? ["stream"] : [], after: after.stream ? ["stream"] : [] },
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
