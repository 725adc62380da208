import { isObject, type Json, type JsonObject } from "../json.js";
import { combineSeeds, seededRandom } from "../random.js";
import type { EventMaker, KitEvent, Wanted } from "../sample/event-maker.js";
import { streamKey } from "../stream/stream-key.js";
import { type Judge, openJudge } from "./judge.js";
import { type Line, lineBase, openLine } from "./line.js";
import type { Proposal } from "./plan.js";
import type { Stage } from "./stage.js";

/** Writes streams, event by event. */
export interface Player {
  readonly maker: EventMaker;
  readonly events: KitEvent[];
  line(index: number): Line;
  /** Takes over what another player has sent, to go on from there. */
  resume(sent: readonly KitEvent[], streams: number): void;
  /** Opens a stream, if it is not open. */
  begin(line: Line): void;
  /** Sends what is proposed, unless it would break a rule; says which event it became. */
  send(line: Line, proposal: Proposal, seed: number): KitEvent | undefined;
  /** A value of a payload field that no other event has. */
  fresh(type: string, field: string, seed: number): Json;
}

/** What a player knows of what it has sent. */
interface Sent {
  readonly stage: Stage;
  readonly events: KitEvent[];
  readonly lines: Line[];
  readonly ids: Set<Json>;
  /** How many things were made, so that each is another one. */
  count: number;
  /** Opened when it is needed: most players only tell again what was judged before. */
  judge: Judge | undefined;
}

/** A player that has sent nothing. */
export function openPlayer(stage: Stage): Player {
  const sent: Sent = { stage, events: [], lines: [], ids: new Set(), count: 0, judge: undefined };
  return {
    ...{ maker: stage.maker, events: sent.events },
    line: (index) => lineAt(sent, index),
    resume: (events, streams) => resume(sent, events, streams),
    begin: (line) => begin(sent, line),
    send: (line, proposal, seed) => send(sent, line, proposal, seed),
    fresh: (type, field, seed) => fresh(sent, type, field, seed),
  };
}

function lineAt({ stage, lines }: Sent, index: number): Line {
  const { maker, lines: bases } = stage;
  for (let at = lines.length; at <= index; at++) {
    const known = bases[at] ?? lineBase(maker, at, bases);
    bases[at] = known;
    lines.push(openLine(known, maker.model));
  }
  return lines[index] as Line;
}

function resume(sent: Sent, events: readonly KitEvent[], streams: number): void {
  const { stream } = sent.stage.maker.model;
  const open = Array.from({ length: streams }, (_, index) => lineAt(sent, index));
  for (const event of events) {
    const at = open.find(({ key }) => key === streamKey(stream, event));
    if (at) take(sent, at, event);
  }
  sent.count = 10_000;
}

function begin(sent: Sent, line: Line): void {
  if (line.begun) return;
  line.begun = true;
  const { terminal, openings = [] } = sent.stage.maker.model.stream?.rules ?? {};
  const opening = terminal?.opens[0];
  if (opening !== undefined) send(sent, line, { type: opening, wanted: {} }, 0);
  for (const { type, after = [] } of openings)
    if (type !== opening && after.includes(opening ?? "") && sent.lines.indexOf(line) % 2 === 1)
      send(sent, line, { type, wanted: {} }, 0);
}

function send(sent: Sent, line: Line, proposal: Proposal, seed: number): KitEvent | undefined {
  begin(sent, line);
  sent.count++;
  const event = offer(sent, line, proposal, seed);
  if (event !== undefined) take(sent, line, event);
  return event;
}

/** How often an event is made anew that has the id of another or breaks a rule. */
const TRIES = 4;

/** The event of a proposal, if one can be made that breaks no rule. */
function offer(
  sent: Sent,
  line: Line,
  { type, wanted, skip = 0, gap }: Proposal,
  seed: number,
): KitEvent | undefined {
  const { maker } = sent.stage;
  const { stream } = maker.model;
  const sequence = line.next + skip;
  const named = {
    ...wanted,
    ...(gap?.first !== undefined && { [gap.first]: line.next }),
    ...(gap?.last !== undefined && { [gap.last]: sequence - 1 }),
  };
  const numbers = seededRandom(seed);
  const envelope = { ...line.base, ...(stream?.sequence !== undefined && { [stream.sequence]: sequence }) };
  for (let again = 0; again < TRIES; again++) {
    const event = maker.make({
      ...{ type, wanted: named, envelope },
      seed: combineSeeds(seed, again, sent.count) * Math.sign(seed || again),
      settle: (payload) => line.ledger.settle(type, payload, numbers),
    });
    if (event === undefined) return undefined;
    if (stream?.id !== undefined && sent.ids.has(event[stream.id] ?? null)) continue;
    if (judgeOf(sent).take(event).length === 0) return event;
    // It has seen what was not sent.
    sent.judge = undefined;
  }
  return undefined;
}

function judgeOf(sent: Sent): Judge {
  if (sent.judge) return sent.judge;
  sent.judge = openJudge(sent.stage.maker.model);
  for (const event of sent.events) sent.judge.take(event);
  return sent.judge;
}

/** Notes an event that was sent. */
function take({ stage, events, ids }: Sent, line: Line, event: KitEvent): void {
  const { maker } = stage;
  const { stream, envelope } = maker.model;
  events.push(event);
  if (stream?.id !== undefined) ids.add(event[stream.id] ?? null);
  line.next = stream?.sequence === undefined ? line.next + 1 : Number(event[stream.sequence]) + 1;
  line.begun = true;
  const type = String(event[envelope.discriminator]);
  const name = maker.carrier(type);
  const payload = name === undefined ? event : event[name];
  if (isObject(payload)) line.ledger.commit(type, payload);
}

/** A value of a field that no other event has, of the first kind that the field takes. */
function fresh(sent: Sent, type: string, field: string, seed: number): Json {
  const { maker, kinds } = sent.stage;
  sent.count++;
  const { count } = sent;
  const values: readonly Json[] = [`${field.slice(0, 4)}-${count}`, count, [`${field.slice(0, 4)}-${count}`]];
  const probe = (wanted: Wanted, seed: number): KitEvent | undefined =>
    maker.make({ type, envelope: probeEnvelope(sent), wanted, seed });
  const kind =
    kinds.get(`${type} ${field}`) ?? values.findIndex((value) => probe({ [field]: value }, 0) !== undefined);
  kinds.set(`${type} ${field}`, kind);
  if (kind >= 0) return values[kind] as Json;
  const made = probe({}, combineSeeds(seed, count));
  const name = maker.carrier(type);
  const payload = made && name !== undefined ? made[name] : made;
  return (isObject(payload) ? payload[field] : undefined) ?? `${field}-${count}`;
}

function probeEnvelope(sent: Sent): JsonObject {
  const { stream, envelope } = sent.stage.maker.model;
  return {
    ...lineAt(sent, 0).base,
    ...(stream?.sequence !== undefined && { [stream.sequence]: stream.first ?? 0 }),
    [envelope.discriminator]: "",
  };
}
