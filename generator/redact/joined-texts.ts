/** Joins the texts and outputs that a stream sends in pieces, so that a secret is found across its pieces. */
import { getOwn, getValueAtPointer, isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { chooseView, type Role } from "../protocol/view-roles.js";
import { streamKey } from "../stream/stream-key.js";
import { createRoleFinder } from "../view/view.js";

/** An event with its protocol. */
interface StreamEvent {
  readonly value: Json;
  readonly protocol: Protocol | undefined;
}

/** A piece of a text, and the events that deliver it: one, or several redeliveries. */
interface Piece<E> {
  readonly events: E[];
  readonly pointer: string;
  readonly text: string;
}

/** Returns the texts of all streams, each as its pieces in the order of their numbers. */
export function joinTexts<E extends StreamEvent>(events: readonly E[]): Piece<E>[][] {
  return [...groupByStream(events).values()].flatMap((stream) => joinStreamTexts(orderEvents(stream)));
}

/** An event of a stream, whose protocol is known. */
interface MemberEvent<E> {
  readonly event: E;
  readonly value: JsonObject;
  readonly protocol: Protocol;
}

function groupByStream<E extends StreamEvent>(events: readonly E[]): Map<string, MemberEvent<E>[]> {
  const streams = new Map<string, MemberEvent<E>[]>();
  for (const event of events) {
    const { value, protocol } = event;
    if (!isObject(value) || protocol === undefined) continue;
    const key = JSON.stringify([protocol.id, streamKey(protocol.stream, value)]);
    const stream = streams.get(key) ?? [];
    streams.set(key, stream);
    stream.push({ event, value, protocol });
  }
  return streams;
}

/** Sorts the events of a stream by their numbers. Redeliveries come after the first delivery. */
function orderEvents<E>(events: readonly MemberEvent<E>[]): readonly MemberEvent<E>[] {
  const getNumber = ({ value, protocol }: MemberEvent<E>): number => {
    const { sequence } = protocol.stream ?? {};
    const number = sequence === undefined ? undefined : getOwn(value, sequence);
    return typeof number === "number" ? number : Number.NaN;
  };
  if (events.some((each) => Number.isNaN(getNumber(each)))) return events;
  return [...events].sort((a, b) => getNumber(a) - getNumber(b));
}

function joinStreamTexts<E>(events: readonly MemberEvent<E>[]): Piece<E>[][] {
  const texts = new Map<string, Piece<E>[]>();
  const delivered = new Map<string, Piece<E>[]>();
  /** Counts the events after which texts begin again. */
  let round = 0;
  let lastTextType: string | undefined;
  for (const { event, value, protocol } of events) {
    const { findRole, restarts } = getJoining(protocol);
    const type = String(getOwn(value, protocol.envelope.discriminator));
    const role = findRole(type);
    if (restarts.has(type) || (role.as === "notice" && role.endsTexts)) round++;
    if (role.as === "text" && type !== lastTextType && !role.key) round++;
    if (!(role.as === "notice" && role.aside)) lastTextType = type;
    for (const { key, pointer } of findPieces(protocol, value, type, role)) {
      const text = getValueAtPointer(value, pointer);
      if (typeof text !== "string") continue;
      const { id: idField, sequence } = protocol.stream ?? {};
      const identity = [idField, sequence].map((name) =>
        name === undefined ? null : (getOwn(value, name) ?? null),
      );
      const known = identity.includes(null)
        ? undefined
        : delivered.get(JSON.stringify([...identity, pointer]));
      const same = known?.find((piece) => piece.text === text);
      if (same) {
        same.events.push(event);
        continue;
      }
      const piece = { events: [event], pointer, text };
      delivered.set(JSON.stringify([...identity, pointer]), [...(known ?? []), piece]);
      const name = JSON.stringify([role.as === "text" ? round : 0, key]);
      const pieces = texts.get(name) ?? [];
      texts.set(name, pieces);
      pieces.push(piece);
    }
  }
  return [...texts.values()];
}

/** How the texts of a protocol are joined. */
interface Joining {
  readonly findRole: (type: string) => Role;
  /** The event types after which texts begin again. */
  readonly restarts: ReadonlySet<string>;
}

const joinings = new WeakMap<Protocol, Joining>();

function getJoining(protocol: Protocol): Joining {
  const known = joinings.get(protocol);
  if (known) return known;
  const restarts = (protocol.stream?.rules?.texts ?? []).flatMap(({ restart = [] }) => restart);
  const joining = { findRole: createRoleFinder(chooseView(protocol)), restarts: new Set(restarts) };
  joinings.set(protocol, joining);
  return joining;
}

/** Returns the fields of an event that hold a piece of a text or of an output, with a key that the pieces of one text share. */
function findPieces(
  protocol: Protocol,
  value: JsonObject,
  type: string,
  role: Role,
): { readonly key: readonly unknown[]; readonly pointer: string }[] {
  const declared = protocol.events.find((each) => each.type === type);
  const carrier = findPayloadCarrier(protocol.envelope, declared);
  const base = carrier === undefined ? "" : joinPointer("", carrier);
  const locate = (path: string): string => joinPointer(base, ...path.split("/"));
  const read = (path: string | undefined) =>
    path === undefined ? null : (getValueAtPointer(value, locate(path)) ?? null);
  if (role.as === "text" && role.part)
    return [{ key: [role.speaker, ...(role.key ?? []).map(read)], pointer: locate(role.field) }];
  if (role.as !== "tool" || role.output === undefined) return [];
  const channel = role.channelName ?? read(role.channel);
  return [{ key: [read(role.key), channel], pointer: locate(role.output) }];
}
