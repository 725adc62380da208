import type { Json } from "../../json.js";
import type { KitEvent } from "../../sample/event-maker.js";
import { payloadOf, withPayload } from "../alter.js";
import type { Law } from "../law.js";
import type { Trial } from "../trial.js";
import { sameView } from "../view.js";

/** Much of everything. */
export const costLaws: readonly Law[] = [
  {
    id: "large-chunk",
    law: "A text of one megabyte in one event is handled like any other.",
    once: true,
    ended: false,
    check(trial) {
      const [event, field] = textEvent(trial);
      if (event === undefined || field === undefined) return;
      const large = withPayload(trial.protocol, event, (payload) => ({
        ...payload,
        [field]: "déjà vu 🙂\n".repeat(80_000),
      }));
      const without = trial.view(trial.events);
      const shown = trial.view([...trial.events, large]);
      if (trial.matters(trial.events, [event]) === true && sameView(without, shown))
        trial.fail("The event is not shown, although it is with a short text");
      const blank = trial.tryView([
        ...trial.events,
        withPayload(trial.protocol, event, (payload) => ({ ...payload, [field]: "" })),
      ]);
      const short = trial.tryView([...trial.events, event]);
      if (blank !== undefined && short !== undefined && !sameView(blank, short) && sameView(blank, shown))
        trial.fail("The text is not shown, although a short one is");
    },
  },
  {
    id: "linear-cost",
    law: "The cost of an event does not depend on the number of earlier events: four times the events cause four times the work.",
    once: true,
    ended: false,
    check(trial) {
      const [event] = textEvent(trial);
      if (event === undefined) return;
      const [few, many] = [cost(trial, event, FEW), cost(trial, event, 4 * FEW)];
      if (few !== undefined && many !== undefined && many > 4 * few * 1.5 + 1000)
        trial.fail(
          `${FEW} events made ${few} reads of fields of events, ${4 * FEW} made ${many}: ${(many / few).toFixed(1)} times as many`,
        );
    },
  },
];

const FEW = 100;

/** An event with much text in it, as the next one of the stream, and the field with the text. */
function textEvent(trial: Trial): readonly [event?: KitEvent, field?: string] {
  const { rules, model } = trial;
  const texts = (rules.texts ?? []).map(({ delta, part }) => [delta, part] as const);
  const offsets = (rules.offsets ?? []).map(({ type, data }) => [type, data] as const);
  const singles = model.events.map(({ type }) => [type, undefined] as const);
  for (const [type, named] of [...texts, ...offsets, ...singles]) {
    const builder = trial.builder();
    const event = builder.send(
      builder.cursor(0),
      { type, wanted: named === undefined ? {} : { [named]: "short" } },
      1,
    );
    const field = named ?? textField(trial, event);
    if (event !== undefined && field !== undefined) return [event, field];
  }
  return [];
}

/** A field that takes any text. */
function textField(trial: Trial, event: KitEvent | undefined): string | undefined {
  if (event === undefined) return undefined;
  const envelope = Object.keys((trial.model.envelope.schema.properties ?? {}) as object);
  const names = Object.entries(payloadOf(trial.protocol, event)).flatMap(([name, value]) =>
    typeof value === "string" && !envelope.includes(name) ? [name] : [],
  );
  return names.find((name) => {
    const other = withPayload(trial.protocol, event, (payload) => ({
      ...payload,
      [name]: "any\ntext at all",
    }));
    return trial.protocol.decodeEvent(other, { profile: "writer" }).kind === "known";
  });
}

/** How often fields of events are read while `count` of them are taken, and one snapshot. */
function cost(trial: Trial, like: KitEvent, count: number): number | undefined {
  const { protocol } = trial;
  const { stream } = protocol;
  const reads = { count: 0 };
  const consumer = trial.fresh();
  const number = stream?.sequence === undefined ? 0 : Number(like[stream.sequence]);
  for (let index = 0; index < count; index++) {
    const event = {
      ...like,
      ...(stream?.sequence !== undefined && { [stream.sequence]: number + index }),
      ...(stream?.id !== undefined && { [stream.id]: numberedId(String(like[stream.id]), index) }),
    };
    if (index === 1 && protocol.decodeEvent(event).kind !== "known") return undefined;
    trial.push(consumer, counting(event, reads) as object);
  }
  trial.show(consumer);
  return reads.count;
}

/** An id of the same kind with a number in it. */
function numberedId(id: string, index: number): string {
  const digits = index.toString(10).padStart(6, "0");
  return id.length > digits.length ? id.slice(0, -digits.length) + digits : `${id}${digits}`;
}

/** A copy whose fields count how often they are read. Own, enumerable fields like any others. */
function counting(value: Json, reads: { count: number }): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => counting(item, reads));
  const copy = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = counting(member, reads);
    const get = (): unknown => {
      reads.count++;
      return inner;
    };
    Object.defineProperty(copy, name, { get, enumerable: true, configurable: true });
  }
  return copy;
}
