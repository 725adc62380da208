import { isObject, type Json, objectFrom } from "../../json.js";
import type { KitEvent } from "../../sample/event-maker.js";
import { firstDemands } from "../../sample/merged-schema.js";
import { remembered } from "../../sample/remembered.js";
import type { Schema } from "../../schema/json-schema.js";
import { listOf } from "../../schema/merge.js";
import { definitionsAmong } from "../../schema/reference.js";
import { inserted, payloadOf, TOKEN, unknownEvent, withPayload } from "../alter.js";
import { copyOf } from "../copy.js";
import type { KitProtocol } from "../kit-protocol.js";
import type { Law } from "../law.js";
import type { Trial } from "../trial.js";
import { plain, sameView, textsOf } from "../view.js";
import { expectSame } from "./basic.js";

/** What a contract that only grows may send tomorrow. */
export const unknownLaws: readonly Law[] = [
  {
    id: "unknown-type",
    law: "An event of an unknown type is kept and shown: its type is in the snapshot.",
    ended: false,
    check(trial) {
      const { events, unknown } = withUnknown(trial);
      const view = trial.view(events);
      for (const event of unknown)
        if (!showsType(trial, view, event))
          trial.fail(`An event of the unknown type ${typeOf(trial, event)} left no trace in the snapshot`);
    },
  },
  {
    id: "unknown-type-opaque",
    law: "opaque() returns the events of unknown types, and no others, unchanged and in order.",
    hook: "opaque",
    ended: false,
    check(trial) {
      const { events, unknown } = withUnknown(trial);
      const view = trial.tryView(events);
      const kept = view !== undefined && unknown.every((event) => showsType(trial, view, event));
      trial.requires("unknown-type", kept);
      trial.note(events);
      const consumer = trial.fresh();
      const given = events.map((event) => ({ event, copy: copyOf(event) }));
      for (const { copy } of given) trial.push(consumer, copy);
      // A consumer that changes what it was given shows it as it is now, and breaks another law.
      const wanted = given.filter(({ event }) => unknown.includes(event)).map(({ copy }) => plain(copy));
      expectSame(trial, wanted, plain(consumer.opaque?.()), "In opaque()");
    },
  },
  {
    id: "unknown-fields",
    law: "Unknown fields make no difference.",
    streams: 2,
    check(trial) {
      const { protocol, events } = trial;
      const grown = events
        .map((event) => ({
          ...withPayload(protocol, event, (payload) =>
            // Where there was nothing, one field would be the first, which is for the law of the order of keys.
            Object.keys(payload).length === 0 ? payload : { ...payload, [TOKEN]: TOKEN },
          ),
          [TOKEN]: TOKEN,
        }))
        .filter((event) => protocol.decodeEvent(event).kind === "known");
      if (grown.length < events.length) return;
      const without = trial.view(events);
      expectSame(
        trial,
        without,
        stripped(trial.view(grown)),
        `With one more field, "${TOKEN}", in each event and payload`,
      );
    },
  },
  {
    id: "unknown-values",
    law: "An event with an unknown value of an open enumeration is handled like one with a known value.",
    absent: (protocol) =>
      openFields(protocol).length === 0 ? "no payload of this protocol has an open enumeration" : undefined,
    check: checkValues,
  },
];

function typeOf({ protocol }: Trial, event: KitEvent): string {
  return String(event[protocol.envelope.discriminator]);
}

function showsType(trial: Trial, view: Json, event: KitEvent): boolean {
  const type = typeOf(trial, event);
  return textsOf(view).some((text) => text.includes(type));
}

function withUnknown(trial: Trial): { events: KitEvent[]; unknown: KitEvent[] } {
  const builder = trial.builder();
  let events: KitEvent[] = [...trial.events];
  const types: string[] = [];
  const cursor = builder.cursor(0);
  for (let index = 0; index < 2; index++) {
    const event = unknownEvent(trial, builder, cursor, { index, taken: events });
    types.push(typeOf(trial, event));
    // Not before the event that opens the stream.
    const at = Math.min(events.length, 1 + trial.random.below(events.length + 1));
    events = inserted(trial, events, at, event);
  }
  return { events, unknown: events.filter((event) => types.includes(typeOf(trial, event))) };
}

const IN_TEXT = new RegExp(`,?\\s*"${TOKEN}":\\s*"${TOKEN}"`, "g");

/** A view without the unknown fields, for consumers that show whole payloads. */
function stripped(view: Json): Json {
  if (typeof view === "string") return view.replace(IN_TEXT, "");
  if (Array.isArray(view)) return view.map(stripped);
  if (!isObject(view)) return view;
  const kept = Object.entries(view).filter(([name]) => name !== TOKEN);
  return objectFrom(kept.map(([name, member]) => [name, stripped(member)] as const));
}

interface OpenField {
  readonly type: string;
  readonly field: string;
  readonly known: readonly Json[];
}

/** The payload fields of open enumerations. */
const openFields = remembered(({ schemas }: KitProtocol): readonly OpenField[] => {
  const definitions = definitionsAmong(schemas.definitions as { readonly [name: string]: Json });
  return Object.entries(schemas.events).flatMap(([type, { payload }]) =>
    [...firstDemands([payload as Schema], definitions).properties].flatMap(([field, declared]) => {
      const open = listOf(firstDemands(declared, definitions).description, "open");
      return open === undefined ? [] : [{ type, field, known: open.values }];
    }),
  );
});

function checkValues(trial: Trial): void {
  const { protocol, events } = trial;
  const { discriminator } = protocol.envelope;
  const fields = openFields(protocol);
  const found = events.flatMap((event, index) =>
    fields
      .filter(
        ({ type, field }) =>
          type === event[discriminator] && typeof payloadOf(protocol, event)[field] === "string",
      )
      .map(({ field, known }) => ({ event, index, field, known })),
  );
  const chosen = found[trial.random.below(found.length)];
  if (chosen === undefined) return;
  const { event, index, field, known } = chosen;
  const having = (value: Json): KitEvent =>
    withPayload(protocol, event, (payload) => ({ ...payload, [field]: value }));
  const future = having(TOKEN);
  if (protocol.decodeEvent(future).kind !== "known") return;
  const before = events.slice(0, index);
  const without = trial.view(before);
  const changed = trial.view([...before, future]);
  const legal = known.map(having).filter((each) => protocol.decodeEvent(each).kind === "known");
  if (!legal.every((each) => trial.matters(before, [each]) === true)) return;
  if (sameView(without, changed))
    trial.fail(
      `An event whose ${field} is the new value "${TOKEN}" is not shown, although it is with each known value`,
    );
}
