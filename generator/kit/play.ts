/**
 * Streams out of scripts. Every event is taken by the validators of writers and by the stream checker before it counts:
 * what they refuse is left out, so the rules of a protocol need no code here. Same script, same streams.
 */
import { streamChecker } from "../conform/stream-checker.js";
import type { Breach } from "../conform/stream-rule.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import type { Protocol } from "../model/protocol.js";
import { streamKey } from "../stream/stream-key.js";
import { createTracker } from "../stream/tracker.js";
import type { EventMaker, KitEvent } from "./event-maker.js";
import { type Ledger, ledger } from "./ledger.js";
import { type Happening, happenings, type Proposal } from "./plan.js";
import { mixed, random } from "./random.js";
import type { Operation, Script } from "./script.js";

/** Breaches of the stream rules by `events`, as far as they are errors. */
export function breachesOf(model: Protocol, events: readonly object[]): readonly Breach[] {
  const judge = openJudge(model);
  const found = events.flatMap((event) => judge.take(event));
  return [...found, ...judge.end()];
}

interface Judge {
  take(event: object): readonly Breach[];
  end(): readonly Breach[];
}

function openJudge(model: Protocol): Judge {
  const checker = streamChecker(model, { profile: "writer" });
  const tracker = createTracker(model.stream);
  const errors = (breaches: readonly Breach[]): readonly Breach[] =>
    breaches.filter(({ severity }) => severity === "error");
  let mark = 0;
  return {
    take: (event) => errors(checker.check(event, tracker.place(event), mark++)),
    end: () => errors(checker.end()),
  };
}

/** One stream that is being written. */
export interface Line {
  readonly key: string;
  readonly base: JsonObject;
  readonly ledger: Ledger;
  next: number;
  begun: boolean;
}

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

/** What all streams of a contract are made with. */
export interface Stage {
  readonly maker: EventMaker;
  readonly table: readonly Happening[];
  /** How a fresh value of a field is made, by event type and field. */
  readonly kinds: Map<string, number>;
  /** Streams that were written, by their scripts. */
  readonly written: Map<string, readonly KitEvent[]>;
}

/** The stage of a contract. */
export function stageOf(maker: EventMaker): Stage {
  return { maker, table: happenings(maker.model), kinds: new Map(), written: new Map() };
}

/** The streams of `script`: at most `streams` of them, interleaved. */
export function play(stage: Stage, script: Script, streams: number): Player {
  const player = openPlayer(stage);
  const { table, maker } = stage;
  for (const group of grouped(script.operations)) {
    const queues = group.map((operation) => {
      const line = player.line(operation.stream % streams);
      const numbers = random(operation.seed);
      const fresh = (type: string, field: string): Json => player.fresh(type, field, operation.seed);
      const happening = table[operation.pick % table.length];
      const proposals = happening?.propose({ random: numbers, size: operation.size, fresh }) ?? [];
      return { line, operation, proposals: [...proposals] };
    });
    for (let round = 0; queues.some(({ proposals }) => round < proposals.length); round++)
      for (const { line, operation, proposals } of queues) {
        const proposal = proposals[round];
        if (proposal) player.send(line, proposal, operation.seed === 0 ? 0 : mixed(operation.seed, round));
      }
  }
  const ends = maker.model.stream?.rules?.terminal?.types ?? [];
  const [end] = ends;
  if (script.ended && end !== undefined)
    for (let index = 0; index < streams; index++) {
      const line = player.line(index);
      if (line.begun)
        player.send(
          line,
          { type: ends[(script.operations.length + index) % ends.length] ?? end, wanted: {} },
          0,
        );
    }
  return player;
}

/** Operations that go on at the same time. */
function grouped(operations: readonly Operation[]): Operation[][] {
  const groups: Operation[][] = [];
  for (const operation of operations) {
    const last = groups.at(-1);
    if (last && operation.together && last.length < 3) last.push(operation);
    else groups.push([operation]);
  }
  return groups;
}

/** A player that has sent nothing. */
export function openPlayer({ maker, kinds }: Stage): Player {
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
    for (let at = lines.length; at <= index; at++) lines.push(openLine(maker, at, lines));
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

/** The stream with number `index`, whose key none of `lines` has. */
function openLine({ model, base }: EventMaker, index: number, lines: readonly Line[]): Line {
  const { stream } = model;
  const { hierarchy, aliases = [] } = stream?.rules ?? {};
  const fields = (seed: number): { [name: string]: Json } => {
    const made: { [name: string]: Json } = { ...base(seed, {}) };
    if (hierarchy) made[hierarchy.parent] = index % 2 === 0 ? "" : (lines[0]?.base[hierarchy.id] ?? "");
    if (hierarchy && typeof made[hierarchy.id] === "string")
      made[hierarchy.id] = `${made[hierarchy.id]}-${index}`;
    for (const field of aliases.map(({ field }) => field)) delete made[field];
    return made;
  };
  for (let attempt = 0; ; attempt++) {
    const made = fields(mixed(index, attempt, 7));
    const text = stream?.key.find((name) => attempt > 4 && typeof made[name] === "string");
    if (text !== undefined && attempt > 8) made[text] = `${made[text]}${index}`;
    const key = streamKey(stream, made);
    if (attempt < 40 && lines.some((line) => line.key === key)) continue;
    return { key, base: made, ledger: ledger(stream?.rules ?? {}), next: stream?.first ?? 0, begun: false };
  }
}
