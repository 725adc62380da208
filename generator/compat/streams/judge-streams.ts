/** Compares two stream contracts: what of the difference breaks whom, shown by a stream. */
import { canonical, equal, isObject, type Json, type JsonObject, join } from "../../json.js";
import { eventFields } from "../../model/event-fields.js";
import type { Protocol, Stability, Stream } from "../../model/protocol.js";
import type { StreamRules } from "../../model/stream-rules.js";
import type { Affected, Judged, Proof } from "../change.js";
import type { BaselineSide } from "../compare.js";
import { envelopeStability, factSpot, rankOf, type Side, STABILITIES } from "../side.js";
import { decideStreams, STREAM_TRIES, type StreamAnswer, type StreamWitness } from "./decide-streams.js";
import { countGuarantees } from "./guarantees.js";
import type { StreamBudget } from "./search-streams.js";
import { findAtoms, type StreamAtom, unknownMembers } from "./stream-atoms.js";
import { FRAME_MEMBERS, findFrameWitness } from "./stream-frame.js";
import { type Direction, makeSides } from "./stream-sides.js";
import { areValid, refusingRule } from "./verify-witness.js";

/** Two stream contracts that are compared. */
interface Comparison {
  readonly baseline: BaselineSide;
  readonly before: Protocol;
  readonly after: Protocol;
  readonly budget: StreamBudget;
}

const DIRECTIONS: readonly Direction[] = ["forward", "backward"];

/** The differences between the stream contracts of a baseline and the current one. */
export async function judgeStreams(baseline: BaselineSide, current: Side): Promise<Judged[]> {
  const [before, after] = [baseline.protocol, current.protocol];
  const comparison = { baseline, before, after, budget: { left: STREAM_TRIES } };
  const prose = countGuarantees(after) < countGuarantees(before) ? [guaranteeFact(comparison)] : [];
  if (before.major !== after.major)
    return canonical(json(before.stream)) === canonical(json(after.stream)) ? [] : [changedFact(comparison)];
  const frame = frameFacts(comparison);
  const rules = before.stream && after.stream ? await ruleFacts(comparison, before.stream) : [];
  const found = [...frame, ...rules];
  const isSilent = found.length === 0 && addsFrame(before.stream, after.stream);
  return [...found, ...(isSilent ? [changedFact(comparison)] : []), ...prose];
}

/** A time that is named is more than was said before, and takes nothing away. */
function addsFrame(before: Stream | undefined, after: Stream | undefined): boolean {
  return before !== undefined && before.time === undefined && after?.time !== undefined;
}

/** The findings about rules: both contracts with the frame of the baseline. */
async function ruleFacts(comparison: Comparison, frame: Stream): Promise<Judged[]> {
  const { before, after } = comparison;
  const [old, now] = [rulesOf(before), rulesOf(after)];
  const unknown = [...new Set([...unknownMembers(old), ...unknownMembers(now)])]
    .filter((member) => !equal(old[member] ?? null, now[member] ?? null))
    .map((member) => unknownFact(comparison, member, old[member], now[member]));
  const whole = { ...comparison, after: withRules(after, frame, now) };
  const answers = await askBoth(whole, DIRECTIONS);
  const atoms = [...findAtoms(old, now), ...memberAtoms(comparison, old, now)];
  const failing = DIRECTIONS.filter((direction) => answers.get(direction)?.verdict !== "contained");
  const found: Judged[] = [];
  for (const atom of failing.length === 0 ? [] : atoms) {
    const alone =
      atoms.length === 1
        ? answers
        : await askBoth({ ...whole, after: withRules(after, frame, atom.apply()) }, failing);
    found.push(...atomFacts(whole, atom, alone));
  }
  const explained = new Set(found.flatMap(({ proof }) => proof.stream?.directions ?? []));
  const rest = failing.filter((direction) => !explained.has(direction));
  if (rest.length > 0) found.push(...atomFacts(whole, wholeAtom(atoms, old, now), pick(answers, rest)));
  const harmless = atoms.filter((atom) => !found.some((fact) => fact.occurrences[0]?.path === pathOf(atom)));
  return [...unknown, ...found, ...harmlessFacts(whole, harmless, found.length + unknown.length > 0)];
}

function pick<K, V>(map: ReadonlyMap<K, V>, keys: readonly K[]): ReadonlyMap<K, V> {
  return new Map([...map].filter(([key]) => keys.includes(key)));
}

type Answers = ReadonlyMap<Direction, StreamAnswer>;

async function askBoth(
  { before, after, budget }: Comparison,
  directions: readonly Direction[],
): Promise<Answers> {
  const answers = new Map<Direction, StreamAnswer>();
  for (const direction of directions)
    answers.set(direction, await decideStreams(makeSides(before, after, direction), budget));
  return answers;
}

/** The findings about one difference: one of the breaks that are confirmed for the contracts as they are, one of what is undecided. */
function atomFacts(comparison: Comparison, atom: StreamAtom, answers: Answers): Judged[] {
  const broken = [...answers].flatMap(([direction, answer]) =>
    answer.verdict === "broken" && isConfirmed(comparison, direction, answer.witness)
      ? [{ direction, witness: answer.witness }]
      : [],
  );
  const open = [...answers].flatMap(([direction, answer]) =>
    answer.verdict === "undecided" ? [{ direction, answer }] : [],
  );
  const [first] = broken;
  if (first) {
    const kind =
      broken.length === 2
        ? "stream-promise-changed"
        : first.direction === "forward"
          ? "stream-promise-removed"
          : "stream-promise-added";
    const directions = broken.map(({ direction }) => direction);
    const rank = Math.max(...broken.map(({ witness }) => witness.rank));
    const { events, rule } = first.witness;
    const affects = [findAffected(comparison, first.direction, events)];
    return [factOf(comparison, atom, kind, rank, { affects, stream: { events, rule, directions } })];
  }
  const [unsure] = open;
  if (!unsure) return [];
  const directions = open.map(({ direction }) => direction);
  const { rank, reason } = unsure.answer;
  return [
    factOf(comparison, atom, "stream-undecided", rank, {
      affects: [],
      undecided: reason,
      stream: { directions },
    }),
  ];
}

/** Whether both contracts as they are say of the stream what was found of one difference alone. */
function isConfirmed(
  { before, after }: Comparison,
  direction: Direction,
  { events }: StreamWitness,
): boolean {
  const [small, large] = direction === "forward" ? [after, before] : [before, after];
  const profile = direction === "forward" ? "reader" : "writer";
  return (
    areValid(small, "writer", events) &&
    areValid(large, profile, events) &&
    refusingRule(small, "writer", events) === undefined &&
    refusingRule(large, profile, events) !== undefined
  );
}

/** Returns who is affected by a stream that one contract allows and the other refuses. */
function findAffected(
  { after }: Pick<Comparison, "after">,
  direction: Direction,
  events: StreamWitness["events"],
): Affected {
  if (direction === "forward") return "baseline-readers";
  const isRead = areValid(after, "reader", events) && refusingRule(after, "reader", events) === undefined;
  return isRead ? "senders" : "current-readers";
}

/** Differences that break nothing: a promise that readers may no longer rely on, another end, or one note for all others. */
function harmlessFacts(comparison: Comparison, atoms: readonly StreamAtom[], isSaid: boolean): Judged[] {
  const rank = rankOf(envelopeStability(comparison.before));
  const facts = atoms.flatMap((atom) => {
    const name = atom.path[0];
    if (name === "profile" && atom.to === "writer")
      return [
        factOf(comparison, atom, "stream-reliance-dropped", rankOfTypes(comparison, atom), { affects: [] }),
      ];
    if (atom.member === "terminal" && (name === "types" || name === "opens"))
      return [factOf(comparison, atom, "stream-end-changed", rank, { affects: [] })];
    return [];
  });
  return atoms.length > 0 && facts.length === 0 && !isSaid ? [changedFact(comparison)] : facts;
}

/** How stable the most stable event type is that a declaration names. */
function rankOfTypes({ before }: Comparison, { declaration }: StreamAtom): number {
  const text = JSON.stringify(declaration);
  const named = before.events.filter(({ type }) => text.includes(JSON.stringify(type)));
  return named.length === 0
    ? rankOf(envelopeStability(before))
    : Math.max(...named.map(({ stability }) => rankOf(stability)));
}

/** Event types that joined or left a lifecycle because their payload gained or lost its key. */
function memberAtoms({ before, after }: Comparison, old: JsonObject, now: JsonObject): StreamAtom[] {
  const known = new Map(before.events.map((event) => [event.type, event]));
  return ((old.lifecycles ?? []) as readonly JsonObject[]).flatMap((declared, index): StreamAtom[] => {
    const key = String(declared.key);
    const isKept = ((now.lifecycles ?? []) as readonly JsonObject[]).some((each) => each.key === key);
    const changed = after.events.filter((event) => {
      const past = known.get(event.type);
      return past && eventFields(before, past).has(key) !== eventFields(after, event).has(key);
    });
    return !isKept
      ? []
      : changed.map((event) => ({
          ...{
            member: "lifecycles",
            identity: key,
            path: ["members"],
            isElement: true,
            declaration: declared,
          },
          ...(eventFields(after, event).has(key) ? { to: event.type } : { from: event.type }),
          ...{ before: ["lifecycles", String(index)], after: [] },
          apply: () => old,
        }));
  });
}

/** All differences as one, where none of them breaks alone. */
function wholeAtom(atoms: readonly StreamAtom[], old: JsonObject, now: JsonObject): StreamAtom {
  const [first, ...others] = atoms;
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
    ...{ member: "rules", identity: "", path: [], isElement: false, from: old, to: now, declaration: {} },
    ...{ before: [], after: [], apply: () => now },
  };
}

/** The path of a difference in the contract; never a place in a list. An element of a list ends with a hyphen. */
function pathOf({ member, identity, path, isElement }: StreamAtom): string {
  const named = typeof identity === "string" ? identity : canonical(identity);
  return join("/stream/rules", member, named, ...path, ...(isElement ? ["-"] : []));
}

function factOf(
  { baseline, before, after }: Comparison,
  atom: StreamAtom,
  kind: string,
  rank: number,
  proof: Proof,
): Judged {
  const [old, now] = [atom.before, atom.after];
  return {
    ...{ kind, name: nameOf(atom), claim: {}, proof, detail: detailOf(atom) },
    ...(atom.from !== undefined && { from: atom.from }),
    ...(atom.to !== undefined && { to: atom.to }),
    occurrences: [
      {
        event: firstType(atom, [after, before]),
        path: pathOf(atom),
        steps: [],
        stability: stabilityOf(rank),
      },
    ],
    before: factSpot(before, "stream", "rules", ...old),
    after: factSpot(after, "stream", "rules", ...now),
    against: baseline.label,
    otherMajor: before.major !== after.major,
  };
}

function stabilityOf(rank: number): Stability {
  return STABILITIES[rank] ?? "experimental";
}

function nameOf({ member, identity }: StreamAtom): string {
  const named = typeof identity === "string" ? identity : flat(identity).join(" ");
  return named === "" ? member : `${member} ${named}`;
}

function flat(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(flat);
  if (isObject(value)) return Object.values(value).flatMap(flat);
  return value === null ? [] : [String(value)];
}

/** What differs, as a sentence without its full stop. */
function detailOf({ path, isElement, from, to }: StreamAtom): string {
  const place = path.join(".");
  const text = (value: Json | undefined): string => JSON.stringify(value) ?? "absent";
  if (path.length === 0)
    return to === undefined
      ? "the declaration is gone"
      : from === undefined
        ? "the declaration is new"
        : "the declaration differs";
  if (isElement) return to === undefined ? `${place} lost ${text(from)}` : `${place} gained ${text(to)}`;
  if (to === undefined) return `${place} ${text(from)} is gone`;
  return from === undefined
    ? `${place} is ${text(to)} now`
    : `${place} is ${text(to)} now and was ${text(from)}`;
}

/** The first event type that the declaration names. */
function firstType({ declaration, from, to }: StreamAtom, sides: readonly Protocol[]): string {
  const known = new Set(sides.flatMap(({ events }) => events.map(({ type }) => type)));
  return (
    [...flat(declaration), ...flat(from ?? null), ...flat(to ?? null)].find((text) => known.has(text)) ?? ""
  );
}

/** A member of `stream` that orders or identifies events, in one form for all findings about the frame. */
function frameFacts(comparison: Comparison): Judged[] {
  const { before, after } = comparison;
  const [old, now] = [before.stream, after.stream];
  if (old === undefined || now === undefined)
    return old === now ? [] : [frameFact(comparison, "stream", [], json(old), json(now), after)];
  return FRAME_MEMBERS.flatMap((member) => {
    const [from, to] = [json(old[member]), json(now[member])];
    if (equal(from, to) || (member === "time" && from === null)) return [];
    const { [member]: _old, ...rest } = old;
    const alone = { ...after, stream: { ...rest, ...(to !== null && { [member]: to }) } as Stream };
    return [frameFact(comparison, member, [member], from, to, alone)];
  });
}

function frameFact(
  { baseline, before, after }: Comparison,
  name: string,
  tokens: readonly string[],
  from: Json,
  to: Json,
  alone: Protocol,
): Judged {
  const witness = name === "time" ? undefined : findFrameWitness(before, alone);
  const proof: Proof = {
    unwitnessed: true,
    affects: witness ? [findAffected({ after: alone }, witness.direction, witness.events)] : [],
    stream: { directions: [], ...(witness && { events: witness.events, rule: witness.rule }) },
  };
  return {
    ...{ kind: "stream-frame-changed", name, from, to, claim: {}, proof },
    occurrences: [
      { event: "", path: join("/stream", ...tokens), steps: [], stability: envelopeStability(before) },
    ],
    before: factSpot(before, ...(before.stream ? ["stream", ...(from === null ? [] : tokens)] : [])),
    after: factSpot(after, ...(after.stream ? ["stream", ...(to === null ? [] : tokens)] : [])),
    against: baseline.label,
    otherMajor: false,
  };
}

function unknownFact(
  { baseline, before, after }: Comparison,
  member: string,
  from?: Json,
  to?: Json,
): Judged {
  const undecided = `no stream rule follows ${JSON.stringify(member)}`;
  return {
    ...{
      kind: "stream-undecided",
      name: member,
      from: from ?? null,
      to: to ?? null,
      claim: {},
      detail: "the declaration differs",
    },
    proof: { affects: [], undecided, stream: { directions: [] } },
    occurrences: [
      { event: "", path: join("/stream/rules", member), steps: [], stability: envelopeStability(before) },
    ],
    before: factSpot(before, "stream", "rules", ...(from === undefined ? [] : [member])),
    after: factSpot(after, "stream", "rules", ...(to === undefined ? [] : [member])),
    against: baseline.label,
    otherMajor: false,
  };
}

function guaranteeFact({ baseline, before, after }: Comparison): Judged {
  return {
    ...{ kind: "stream-guarantee-removed", name: "guarantees", claim: {}, proof: { affects: [] } },
    ...{ from: countGuarantees(before), to: countGuarantees(after) },
    occurrences: [{ event: "", path: "/guarantees", steps: [], stability: envelopeStability(before) }],
    before: factSpot(before, "guarantees"),
    after: factSpot(after, ...(after.guarantees.length > 0 ? ["guarantees"] : [])),
    against: baseline.label,
    otherMajor: before.major !== after.major,
  };
}

/** The note about a difference that breaks nothing. */
function changedFact({ baseline, before, after }: Comparison): Judged {
  return {
    ...{
      kind: "stream-changed",
      name: "stream",
      from: json(before.stream),
      to: json(after.stream),
      claim: {},
    },
    proof: { affects: [] },
    occurrences: [{ event: "", path: "", steps: [], stability: envelopeStability(before) }],
    before: factSpot(before, ...(before.stream ? ["stream"] : [])),
    after: factSpot(after, ...(after.stream ? ["stream"] : [])),
    against: baseline.label,
    otherMajor: before.major !== after.major,
  };
}

function rulesOf({ stream }: Protocol): JsonObject {
  const rules = json(stream?.rules);
  return isObject(rules) ? rules : {};
}

/** The same contract with another frame and other rules. */
function withRules(protocol: Protocol, frame: Stream, rules: JsonObject): Protocol {
  return { ...protocol, stream: { ...frame, rules: rules as StreamRules } };
}

function json(value: unknown): Json {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
