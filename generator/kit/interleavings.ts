/** Generates streams with two calls, or two other things with an id, in every order of their events. */
import { listLifecycleMembers } from "../conform/rules/lifecycles.js";
import { getItem } from "../get-item.js";
import type { Lifecycle } from "../protocol/stream-rules.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import type { ProposedEvent } from "./rule-scenarios.js";
import type { GeneratorContext } from "./scenarios.js";
import { createStreamBuilder } from "./stream-builder.js";
import { listTextFields, TEXTS, type TextField } from "./text-fields.js";

/** Two calls, first one after the other, then with their events in a certain order. */
export interface Interleaving {
  readonly rule: Lifecycle;
  /** The order of the events: A is the first call, B the second one. */
  readonly order: string;
  /** The event type that ends the calls; undefined if nothing ends them. */
  readonly end: string | undefined;
  /** The text field that has one of `TEXTS` in the events of each call. */
  readonly text: TextField | undefined;
  readonly sequential: readonly SampleEvent[];
  readonly interleaved: readonly SampleEvent[];
}

/** The events of one call: its start, an event about it, and its end, as far as the contract has them. */
interface CallEvents {
  readonly types: readonly string[];
  readonly text: TextField | undefined;
}

/** The indexes of the streams of two calls. */
type StreamPair = readonly [number, number];

/** The pairs of streams that are tried: one stream first, then two. */
const STREAM_PAIRS: readonly StreamPair[] = [
  [0, 0],
  [1, 1],
  [1, 2],
  [2, 3],
];

/** The number of orders after which the first variant is tried first again. */
const ROTATION = 10;

/** Returns two calls of each lifecycle in every order of their events, with every end. */
export const listInterleavings = memoizeByObject((context: GeneratorContext): readonly Interleaving[] => {
  const lifecycles = context.maker.protocol.stream?.rules?.lifecycles ?? [];
  return lifecycles.flatMap((rule) =>
    listEnds(rule).flatMap((end) => createInterleavings(context, rule, end)),
  );
});

/** Returns every order of two calls with these numbers of events. The calls are alike, so the first event is one of A. */
function listOrders(events: number): readonly string[] {
  const extend = (order: string, a: number, b: number): string[] => {
    if (a === events && b === events) return [order];
    return [
      ...(a < events ? extend(`${order}A`, a + 1, b) : []),
      ...(b < events ? extend(`${order}B`, a, b + 1) : []),
    ];
  };
  return extend("A", 1, 0);
}

/** Returns the number of orders of two calls that the contract has, over all lifecycles and their ends. */
export function countOrders(context: GeneratorContext): number {
  const lifecycles = context.maker.protocol.stream?.rules?.lifecycles ?? [];
  return lifecycles
    .flatMap((rule) => listEnds(rule).map((end) => listCallVariants(context, rule, end)[0]?.types.length))
    .reduce<number>((sum, events) => sum + (events === undefined ? 0 : listOrders(events).length), 0);
}

function listEnds({ end }: Lifecycle): readonly (string | undefined)[] {
  return end.length === 0 ? [undefined] : end;
}

function createInterleavings(
  context: GeneratorContext,
  rule: Lifecycle,
  end: string | undefined,
): readonly Interleaving[] {
  const variants = listCallVariants(context, rule, end);
  const [first] = variants;
  if (first === undefined) return [];
  const createSequentialOrder = (events: number): string => `${"A".repeat(events)}${"B".repeat(events)}`;
  // All orders of one variant are compared with the same stream.
  const sendInSequence = memoizeByObject((variant: CallEvents) =>
    memoizeByObject((streams: StreamPair) =>
      sendCalls(context, rule, variant, createSequentialOrder(variant.types.length), streams),
    ),
  );
  return listOrders(first.types.length).flatMap((order, index) => {
    // Each order begins with another variant, so that together they have many event types.
    const from = Math.floor((index * variants.length) / ROTATION) % variants.length;
    const rotatedVariants = [...variants.slice(from), ...variants.slice(0, from)];
    for (const variant of rotatedVariants)
      for (const streams of STREAM_PAIRS) {
        const sequential = sendInSequence(variant)(streams);
        const interleavedEvents = sequential && sendCalls(context, rule, variant, order, streams);
        if (interleavedEvents)
          return [{ rule, order, end, text: variant.text, sequential, interleaved: interleavedEvents }];
      }
    return [];
  });
}

/** Returns the variants of a call, one for each text field of an event about it. All have the same number of events. */
function listCallVariants(
  { maker }: GeneratorContext,
  rule: Lifecycle,
  end: string | undefined,
): readonly CallEvents[] {
  const [start] = rule.start;
  if (start === undefined) return [];
  const last = end === undefined ? [] : [end];
  const members = listLifecycleMembers(maker.protocol, rule);
  const texts = listTextFields(maker.protocol);
  const memberTexts = texts.filter(({ type }) => members.includes(type));
  if (memberTexts.length > 0)
    return memberTexts.map((text) => ({ types: [start, text.type, ...last], text }));
  const text = texts.find(({ type, field }) => field !== rule.key && [start, ...last].includes(type));
  return [{ types: [start, ...last], text }];
}

/** Sends the events of two calls in an order; undefined if the contract does not allow one of them. */
function sendCalls(
  context: GeneratorContext,
  { key }: Lifecycle,
  { types, text }: CallEvents,
  order: string,
  streams: StreamPair,
): readonly SampleEvent[] | undefined {
  const builder = createStreamBuilder(context);
  const [start = ""] = types;
  const ids = [0, 1].map(() => builder.makeUnusedValue(start, key, 1));
  const sentEvents = { A: 0, B: 0 };
  for (const letter of order as Iterable<"A" | "B">) {
    const call = letter === "A" ? 0 : 1;
    const type = getItem(types, sentEvents[letter]);
    sentEvents[letter]++;
    const textField = type === text?.type ? { [text.field]: TEXTS[call] } : {};
    const proposal: ProposedEvent = { type, fixedFields: { [key]: ids[call] ?? null, ...textField } };
    if (!builder.send(builder.getCursor(streams[call]), proposal, sentEvents[letter], 0)) return undefined;
  }
  return builder.events;
}
