import { isObject, type Json, type JsonObject } from "../json.js";
import { streamKey } from "../stream/stream-key.js";
import type { EventMaker, KitEvent } from "./event-maker.js";
import { type Judge, openJudge } from "./judge.js";
import { type Line, lineBase, openLine } from "./line.js";
import type { Proposal } from "./plan.js";
import { mixed, random } from "./random.js";
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

/** A player that has sent nothing. */
export function openPlayer({ maker, kinds, lines: bases }: Stage): Player {
  const { model } = maker;
  const { stream, envelope } = model;
  const rules = stream?.rules ?? {};
  const lines: Line[] = [];
  const events: KitEvent[] = [];
  const ids = new Set<Json>();
  // Opened when it is needed: most players only tell again what was judged before.
  let judge: Judge | undefined;
  const judged = (): Judge => {
    if (judge) return judge;
    judge = openJudge(model);
    for (const sent of events) judge.take(sent);
    return judge;
  };
  let count = 0;

  const line = (index: number): Line => {
    for (let at = lines.length; at <= index; at++) {
      const known = bases[at] ?? lineBase(maker, at, bases);
      bases[at] = known;
      lines.push(openLine(known, model));
    }
    return lines[index] as Line;
  };
  const offer = (at: Line, { type, wanted, skip = 0, gap }: Proposal, seed: number): KitEvent | undefined => {
    const sequence = at.next + skip;
    const named = {
      ...wanted,
      ...(gap?.first !== undefined && { [gap.first]: at.next }),
      ...(gap?.last !== undefined && { [gap.last]: sequence - 1 }),
    };
    const numbers = random(seed);
    const fixed = { ...at.base, ...(stream?.sequence !== undefined && { [stream.sequence]: sequence }) };
    for (let again = 0; again < 4; again++) {
      const event = maker.make({
        ...{
          type,
          wanted: named,
          envelope: fixed,
          seed: mixed(seed, again, count) * Math.sign(seed || again),
        },
        settle: (payload) => at.ledger.settle(type, payload, numbers),
      });
      if (event === undefined) return undefined;
      if (stream?.id !== undefined && ids.has(event[stream.id] ?? null)) continue;
      if (judged().take(event).length === 0) return event;
      judge = undefined;
    }
    return undefined;
  };
  const send = (at: Line, proposal: Proposal, seed: number): KitEvent | undefined => {
    begin(at);
    count++;
    const event = offer(at, proposal, seed);
    if (event === undefined) return undefined;
    take(at, event);
    return event;
  };
  /** Notes an event that was sent. */
  const take = (at: Line, event: KitEvent): void => {
    events.push(event);
    if (stream?.id !== undefined) ids.add(event[stream.id] ?? null);
    at.next = stream?.sequence === undefined ? at.next + 1 : Number(event[stream.sequence]) + 1;
    at.begun = true;
    const type = String(event[envelope.discriminator]);
    const name = maker.carrier(type);
    const payload = name === undefined ? event : event[name];
    if (isObject(payload)) at.ledger.commit(type, payload);
  };
  const resume = (sent: readonly KitEvent[], streams: number): void => {
    const open = Array.from({ length: streams }, (_, index) => line(index));
    for (const event of sent) {
      const at = open.find(({ key }) => key === streamKey(stream, event));
      if (at) take(at, event);
    }
    count = 10_000;
  };
  const begin = (at: Line): void => {
    if (at.begun) return;
    at.begun = true;
    const opening = rules.terminal?.opens[0];
    if (opening !== undefined) send(at, { type: opening, wanted: {} }, 0);
    for (const { type, after = [] } of rules.openings ?? [])
      if (type !== opening && after.includes(opening ?? "") && lines.indexOf(at) % 2 === 1)
        send(at, { type, wanted: {} }, 0);
  };
  const fresh = (type: string, field: string, seed: number): Json => {
    count++;
    const called = `${field.slice(0, 4)}-${count}`;
    const values: readonly Json[] = [called, count, [called]];
    const known = kinds.get(`${type} ${field}`);
    const kind =
      known ??
      values.findIndex(
        (value) => maker.make({ type, envelope: probe(), wanted: { [field]: value }, seed: 0 }) !== undefined,
      );
    kinds.set(`${type} ${field}`, kind);
    if (kind >= 0) return values[kind] as Json;
    const made = maker.make({ type, envelope: probe(), wanted: {}, seed: mixed(seed, count) });
    const name = maker.carrier(type);
    const payload = made && name !== undefined ? made[name] : made;
    return (isObject(payload) ? payload[field] : undefined) ?? `${field}-${count}`;
  };
  const probe = (): JsonObject => ({
    ...line(0).base,
    ...(stream?.sequence !== undefined && { [stream.sequence]: stream.first ?? 0 }),
    [envelope.discriminator]: "",
  });
  return { maker, events, line, begin, resume, send, fresh };
}
