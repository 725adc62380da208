import { areEqual, type Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import type { Law } from "../law.js";
import { getPayload, setPayloadFields } from "../payload.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";
import { repeatEvent } from "./content.js";

/** Laws about large events and many events. */
export const costLaws: readonly Law[] = [
  {
    id: "large-chunk",
    law: "A text of one megabyte in one event is handled like any other.",
    needsOneRun: true,
    excludesTerminalEvents: true,
    *check(trial) {
      const text = makeTextEvent(trial);
      if (text === undefined) return;
      const { events } = trial;
      const setText = (value: string): SampleEvent =>
        setPayloadFields(trial.protocol, text.event, { [text.field]: value });
      const large = setText("déjà vu 🙂\n".repeat(80_000));
      const view = yield* trial.view([...events, large]);
      yield* trial.expectShownLike(
        { before: events, added: [text.event] },
        { before: events, added: [large] },
        "The event is not shown, although it is with a short text",
      );
      const blank = yield* trial.tryView([...events, setText("")]);
      const short = yield* trial.tryView([...events, text.event]);
      if (blank !== undefined && short !== undefined && !areEqual(blank, short) && areEqual(blank, view))
        trial.fail("The text is not shown, although a short one is");
    },
  },
  {
    id: "linear-cost",
    law: "The cost of an event does not depend on the number of earlier events: four times the events cause four times the work.",
    needsOriginals: true,
    needsOneRun: true,
    excludesTerminalEvents: true,
    *check(trial) {
      const text = makeTextEvent(trial);
      if (text === undefined) return;
      const fewReads = yield* countReads(trial, text.event, EVENTS);
      const manyReads = yield* countReads(trial, text.event, 4 * EVENTS);
      if (fewReads === undefined || manyReads === undefined) return;
      // Half as many reads again and 1000 more are allowed, for example for caches.
      if (manyReads > 4 * fewReads * 1.5 + 1000)
        trial.fail(
          `${EVENTS} events made ${fewReads} reads of fields of events, ${4 * EVENTS} made ${manyReads}: ${(manyReads / fewReads).toFixed(1)} times as many`,
        );
    },
  },
];

/** The number of events that a consumer receives first. Then it receives four times as many. */
const EVENTS = 100;

/** Makes the next event of the stream, with a field that takes any text. */
function makeTextEvent(trial: Trial): { readonly event: SampleEvent; readonly field: string } | undefined {
  const { rules, model } = trial;
  const candidates = [
    ...(rules.texts ?? []).map(({ delta, part }) => ({ type: delta, field: part })),
    ...(rules.offsets ?? []).map(({ type, data }) => ({ type, field: data })),
    ...model.events.map(({ type }) => ({ type, field: undefined })),
  ];
  for (const { type, field: declaredField } of candidates) {
    const fixedFields = declaredField === undefined ? {} : { [declaredField]: "short" };
    const [event] = trial.send([{ type, fixedFields }]);
    const field = event && (declaredField ?? findTextField(trial, event));
    if (event !== undefined && field !== undefined) return { event, field };
  }
  return undefined;
}

function findTextField({ protocol, model }: Trial, event: SampleEvent): string | undefined {
  const envelope = Object.keys((model.envelope.schema.properties ?? {}) as object);
  const names = Object.entries(getPayload(protocol, event)).flatMap(([name, value]) =>
    typeof value === "string" && !envelope.includes(name) ? [name] : [],
  );
  return names.find((name) => {
    const changedEvent = setPayloadFields(protocol, event, { [name]: "any\ntext at all" });
    return protocol.decodeEvent(changedEvent, { profile: "writer" }).kind === "known";
  });
}

/** Counts how often a consumer reads fields of events while it takes `count` events and one snapshot. */
function* countReads(trial: Trial, template: SampleEvent, count: number): Steps<number | undefined> {
  const { protocol } = trial;
  const reads = { count: 0 };
  const consumer = yield* trial.create();
  for (let index = 0; index < count; index++) {
    const event = repeatEvent(trial, template, index);
    if (index === 1 && protocol.decodeEvent(event).kind !== "known") return undefined;
    yield* trial.push(consumer, copyWithCounters(event, reads) as object);
  }
  yield* trial.show(consumer);
  return reads.count;
}

/** Returns a copy with the same fields, which count how often they are read. */
function copyWithCounters(value: Json, reads: { count: number }): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyWithCounters(item, reads));
  const copy = {};
  for (const [name, member] of Object.entries(value)) {
    const copiedMember = copyWithCounters(member, reads);
    const get = (): unknown => {
      reads.count++;
      return copiedMember;
    };
    Object.defineProperty(copy, name, { get, enumerable: true, configurable: true });
  }
  return copy;
}
