import { type Json, type JsonObject, objectFrom } from "../json.js";
import { envelopeFields, payloadCarrier } from "../protocol/message-layout.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { combineSeeds, seededRandom } from "../random.js";
import type { Schema } from "../schema/json-schema.js";
import { makeFields, makeOwnWord, makeValue, type ValueContext } from "./make-value.js";
import { createDemandsReader } from "./merged-schema.js";

/** A generated event: one JSON object. */
export type KitEvent = { [name: string]: Json };

/** Payload fields whose values the caller chooses. */
export type WantedFields = { readonly [field: string]: Json };

/** The event to make. */
interface Draft {
  readonly type: string;
  /** Envelope fields whose values are known already. */
  readonly envelope: JsonObject;
  readonly wanted: WantedFields;
  readonly seed: number;
  /** Adjusts a payload to the earlier events of its stream; may change its argument. */
  readonly adjustPayload?: (payload: { [name: string]: Json }) => void;
}

/** Makes events of a contract. The same draft yields the same event. */
export interface EventMaker {
  readonly model: Protocol;
  /** Makes an event that the contract accepts; undefined if none was found. */
  make(draft: Draft): KitEvent | undefined;
  /** Makes the envelope fields that are the same for all events of a stream. */
  makeEnvelope(seed: number, fixed: JsonObject): JsonObject;
  /** Returns the field that carries the payload of `type`; undefined if it stands beside the envelope, or there is none. */
  findCarrier(type: string): string | undefined;
}

const ATTEMPTS = 24;

/** Creates a maker of events of `model` that `accepts` returns true for. */
export function createEventMaker(model: Protocol, accepts: (event: KitEvent) => boolean): EventMaker {
  const { envelope, definitions, stream } = model;
  const { discriminator, placement, property } = envelope;
  const events = new Map(model.events.map((event) => [event.type, event]));
  const payloads = new Map(model.events.map(({ type, payload }) => [type, [payload]]));
  const demands = createDemandsReader(definitions);
  const perEvent = new Set(
    [discriminator, stream?.sequence, stream?.id, stream?.time, property].filter(isText),
  );
  const inEnvelope = new Set(placement === "inline" ? Object.keys(envelopeFields(envelope)) : []);
  const ownFields = listOwnFields(model);
  const findCarrier = (type: string): string | undefined => payloadCarrier(envelope, events.get(type));

  const placePayload = (type: string, payload: JsonObject): JsonObject => {
    const carrier = findCarrier(type);
    if (carrier !== undefined) return { [carrier]: payload };
    return placement === "keyed" ? {} : payload;
  };
  /** Makes the id and the time of an event, unless they are fixed. */
  const makeOwnFields = (context: ValueContext, fixed: JsonObject): JsonObject =>
    objectFrom(
      ownFields
        .filter(([name]) => !Object.hasOwn(fixed, name))
        .map(([name, schemas]) => {
          const value = makeValue(schemas, context);
          return [name, name === stream?.id ? makeOwnWord(value, context) : value] as const;
        }),
    );
  const attempt = ({ type }: EventType, draft: Draft, plain: boolean): KitEvent => {
    const context = { demands, random: seededRandom(draft.seed), plain };
    const payload = { ...makeFields(payloads.get(type) ?? [], context, inEnvelope), ...draft.wanted };
    draft.adjustPayload?.(payload);
    return {
      ...draft.envelope,
      ...makeOwnFields(context, draft.envelope),
      [discriminator]: type,
      ...placePayload(type, payload),
    };
  };
  return {
    model,
    findCarrier,
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
    makeEnvelope(seed, fixed) {
      const context = { demands, random: seededRandom(seed), plain: seed === 0 };
      return { ...makeFields([envelope.schema], context, perEvent), ...fixed };
    },
  };
}

/** Returns the envelope fields of which each event has its own value, the id and the time, with their schemas. */
function listOwnFields({ envelope, stream }: Protocol): (readonly [string, readonly Schema[]])[] {
  const properties = envelopeFields(envelope);
  return [stream?.id, stream?.time]
    .filter(isText)
    .map((name) => [name, [(properties[name] ?? true) as Schema]] as const);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
