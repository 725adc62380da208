import { type Json, type JsonObject, objectFrom } from "../json.js";
import { envelopeFields, payloadCarrier } from "../protocol/message-layout.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { combineSeeds, seededRandom } from "../random.js";
import type { Schema } from "../schema/json-schema.js";
import { type Making, makeFields, makeValue, ownWord } from "./make-value.js";
import { demandsReader } from "./merged-schema.js";

/** An event as the kit makes it: one JSON object. */
export type KitEvent = { [name: string]: Json };

/** Fields of a payload that somebody wants to have a certain value. */
export type Wanted = { readonly [field: string]: Json };

/** The event to make. */
interface Draft {
  readonly type: string;
  /** Envelope fields that are decided already. */
  readonly envelope: JsonObject;
  readonly wanted: Wanted;
  readonly seed: number;
  /** Brings a payload into line with what came before; may change its argument. */
  readonly settle?: (payload: { [name: string]: Json }) => void;
}

/** Makes events of a contract. Same draft, same event. */
export interface EventMaker {
  readonly model: Protocol;
  /** An event that the contract accepts, or undefined if none was found. */
  make(draft: Draft): KitEvent | undefined;
  /** Envelope fields that are the same for all events of a stream. */
  base(seed: number, fixed: JsonObject): JsonObject;
  /** The field that carries the payload of `type`; undefined where it lies beside the envelope, or there is none. */
  carrier(type: string): string | undefined;
}

const ATTEMPTS = 24;

/** Makes events of `model` that `accepts` takes. */
export function eventMaker(model: Protocol, accepts: (event: KitEvent) => boolean): EventMaker {
  const { envelope, definitions, stream } = model;
  const { discriminator, placement, property } = envelope;
  const events = new Map(model.events.map((event) => [event.type, event]));
  const payloads = new Map(model.events.map(({ type, payload }) => [type, [payload]]));
  const demands = demandsReader(definitions);
  const apart = new Set([discriminator, stream?.sequence, stream?.id, stream?.time, property].filter(isText));
  const declared = new Set(Object.keys(envelopeFields(envelope)));
  const omit = placement === "inline" ? declared : new Set<string>();
  const single = singleFields(model);
  const carrier = (type: string): string | undefined => payloadCarrier(envelope, events.get(type));

  const attempt = (event: EventType, { envelope: fixed, wanted, seed, settle }: Draft, plain: boolean) => {
    const numbers = seededRandom(seed);
    const making = { demands, random: numbers, plain };
    const payload = { ...makeFields(payloads.get(event.type) ?? [], making, omit), ...wanted };
    settle?.(payload);
    const envelopeOnly = { ...fixed, ...numbered(making, fixed) };
    const name = carrier(event.type);
    const bare = placement === "keyed" && name === undefined;
    return {
      ...envelopeOnly,
      [discriminator]: event.type,
      ...(name !== undefined ? { [name]: payload } : bare ? {} : payload),
    };
  };
  /** Fields that each event has its own value of, unless they are fixed. */
  const numbered = (making: Making, fixed: JsonObject): JsonObject =>
    objectFrom(
      single
        .filter(([name]) => !Object.hasOwn(fixed, name))
        .map(([name, schemas]) => {
          const value = makeValue(schemas, making);
          return [name, name === stream?.id ? ownWord(value, making) : value] as const;
        }),
    );
  return {
    model,
    carrier,
    make(draft) {
      const event = events.get(draft.type);
      if (!event) return undefined;
      for (let index = 0; index < ATTEMPTS; index++) {
        const seed = combineSeeds(draft.seed, index);
        const made = attempt(event, { ...draft, seed }, draft.seed === 0 || index > ATTEMPTS / 2);
        if (accepts(made)) return made;
      }
      return undefined;
    },
    base(seed, fixed) {
      const making = { demands, random: seededRandom(seed), plain: seed === 0 };
      return { ...makeFields([envelope.schema], making, apart), ...fixed };
    },
  };
}

/** The envelope fields that each event has its own value of, with their schemas. */
function singleFields({ envelope, stream }: Protocol): (readonly [string, readonly Schema[]])[] {
  const properties = envelopeFields(envelope);
  return [stream?.id, stream?.time]
    .filter(isText)
    .map((name) => [name, [(properties[name] ?? true) as Schema]] as const);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
