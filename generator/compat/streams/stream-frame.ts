/** Compares the fields that order and identify events. Readers resume by them, so a change is a break without a search. */
import { getOwn, type Json, type JsonObject } from "../../json.js";
import type { Protocol, Stream } from "../../protocol/protocol.js";
import type { Direction } from "../change.js";
import { createWriterEventMaker, makeSides, type StreamSides } from "./stream-sides.js";
import { findRefusingRule } from "./verify-witness.js";

/** The frame: the members of `stream` that order and identify events. */
export const FRAME_MEMBERS = ["key", "sequence", "first", "id", "idScope", "time"] as const;

/** A stream that shows a changed frame. */
interface FrameWitness {
  readonly direction: Direction;
  readonly events: readonly JsonObject[];
  readonly rule: string;
}

/** The greatest number of streams that are tried. */
const MAX_TRACES = 20_000;
const MAX_EVENTS = 3;
/** The greatest number of events of one type that differ in the fields of the frame. */
const MAX_VARIANTS = 16;

/** Returns the shortest stream of at most three plain events that one frame allows and the other refuses, forward first. */
export function findFrameWitness(before: Protocol, after: Protocol): FrameWitness | undefined {
  for (const direction of ["forward", "backward"] as const) {
    const sides = makeSides(before, after, direction);
    const refusedStream = findRefusedStream(sides);
    if (refusedStream) return { direction, ...refusedStream };
  }
  return undefined;
}

function findRefusedStream(
  sides: StreamSides,
): { readonly events: readonly JsonObject[]; readonly rule: string } | undefined {
  const frameEvents = createFrameEvents(sides);
  let traces: JsonObject[][] = [[]];
  let tries = 0;
  for (let length = 1; length <= MAX_EVENTS; length++) {
    const nextTraces: JsonObject[][] = [];
    for (const trace of traces)
      for (const event of frameEvents) {
        tries += 1;
        if (tries > MAX_TRACES) return undefined;
        const events = [...trace, event];
        const rule = findRefusingRule(sides.large, sides.profile, events);
        const isAllowed = findRefusingRule(sides.small, "writer", events) === undefined;
        if (rule !== undefined && isAllowed) return { events, rule };
        if (isAllowed || sides.small.stream?.sequence !== undefined) nextTraces.push(events);
      }
    traces = nextTraces;
  }
  return undefined;
}

/** Creates plain events with two values of each field of the frames. */
function createFrameEvents(sides: StreamSides): JsonObject[] {
  const { small, large } = sides;
  const maker = createWriterEventMaker(small);
  const numbers = listFrameFields(small.stream, large.stream, ["sequence"]);
  const names = listFrameFields(small.stream, large.stream, ["key", "id"]).filter(
    (field) => !numbers.includes(field),
  );
  const plain: JsonObject = {
    ...maker.makeEnvelope(0, {}),
    ...Object.fromEntries(numbers.map((field) => [field, 0])),
  };
  const make = (type: string, fields: JsonObject): JsonObject | undefined => {
    const event = maker.make({ type, envelope: { ...plain, ...fields }, fixedFields: {}, seed: 0 });
    return event && sides.accepts(event) ? event : undefined;
  };
  const isPlain = (type: string): boolean => {
    const event = make(type, {});
    return (
      event !== undefined &&
      findRefusingRule({ ...small, stream: { key: [] } } as Protocol, "writer", [event]) === undefined
    );
  };
  const types = [...sides.types.keys()].filter(isPlain).slice(0, 2);
  return types.flatMap((type) => {
    const event = make(type, {}) as JsonObject;
    const first = small.stream?.first ?? 0;
    let rows: JsonObject[] = [{}];
    for (const field of [...numbers, ...names]) {
      const values = numbers.includes(field)
        ? [first, first + 1]
        : chooseTwoValues(sides, type, field, getOwn(event, field), (fields) => make(type, fields));
      if (rows.length * values.length <= MAX_VARIANTS)
        rows = rows.flatMap((row) => values.map((value) => ({ ...row, [field]: value })));
    }
    return rows.map((row) => make(type, row)).filter((frameEvent) => frameEvent !== undefined);
  });
}

/** Returns at most two values that a field accepts, the value of the plain event first. */
function chooseTwoValues(
  { small }: StreamSides,
  type: string,
  field: string,
  plainValue: Json | undefined,
  make: (fields: JsonObject) => JsonObject | undefined,
): Json[] {
  const maker = createWriterEventMaker(small);
  const sequence: JsonObject = small.stream?.sequence === undefined ? {} : { [small.stream.sequence]: 0 };
  const generatedValues = [1, 2, 3, 4, 5, 6].flatMap((seed) => {
    const envelope = { ...maker.makeEnvelope(seed, {}), ...sequence };
    const event = maker.make({ type, envelope, fixedFields: {}, seed });
    return event?.[field] ?? [];
  });
  const others = [...generatedValues, "a", "b"].filter(
    (value) => JSON.stringify(value) !== JSON.stringify(plainValue),
  );
  const acceptedValues = others.filter((value) => make({ [field]: value }) !== undefined);
  return [...(plainValue === undefined ? [] : [plainValue]), ...acceptedValues].slice(0, 2);
}

function listFrameFields(
  small: Stream | undefined,
  large: Stream | undefined,
  members: readonly ("key" | "sequence" | "id")[],
): string[] {
  const fields = members.flatMap((member) => [small?.[member] ?? [], large?.[member] ?? []].flat());
  return [...new Set(fields)];
}
