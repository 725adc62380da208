import { createObject, type Json, type JsonObject } from "../json.js";
import { findPayloadCarrier, getEnvelopeFields } from "../protocol/message-layout.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { combineSeeds, createRandom } from "../random.js";
import type { Schema } from "../schema/json-schema.js";
import { makeDistinctText, makeFields, makeValue, type SamplingContext } from "./make-value.js";
import { createSchemaMerger } from "./merged-schema.js";

/** A generated event: one JSON object. */
export type SampleEvent = { [name: string]: Json };

/** Payload fields with the values that they must have. */
export type FixedFields = { readonly [field: string]: Json };

/** Describes the event to make. */
interface EventDraft {
  readonly type: string;
  /** Envelope fields with fixed values. */
  readonly envelope: JsonObject;
  /** Payload fields with fixed values. */
  readonly fixedFields: FixedFields;
  readonly seed: number;
  /** The probability of each optional field in the first attempts. */
  readonly fieldChance?: number | undefined;
  /** A further condition of the event. */
  readonly isWanted?: (event: SampleEvent) => boolean;
  /** Returns whether no further attempt can succeed. */
  readonly isGivenUp?: () => boolean;
  /** Changes the payload in place so that it fits the earlier events of the stream. */
  readonly adjustPayload?: (payload: { [name: string]: Json }) => void;
}

/** Makes events of a contract. The same draft yields the same event. */
export interface EventMaker {
  readonly protocol: Protocol;
  /** Returns an event that the contract accepts; undefined if none was found. */
  make(draft: EventDraft): SampleEvent | undefined;
  /**
   * Returns the envelope fields that are the same for all events of a stream. If it is typical, those with open lists have the first
   * known value.
   */
  makeEnvelope(seed: number, fixed: JsonObject, isTypical?: boolean): JsonObject;
  /** Returns the field that carries the payload of `type`; undefined if the payload is beside the envelope fields, or there is none. */
  findCarrier(type: string): string | undefined;
}

const MAX_ATTEMPTS = 24;
/** The plainest events hardly differ from attempt to attempt. */
const MAX_PLAIN_ATTEMPTS = 6;

/** Creates a maker of events of `protocol` that `accepts` accepts. */
export function createEventMaker(protocol: Protocol, accepts: (event: SampleEvent) => boolean): EventMaker {
  const { envelope, definitions, stream } = protocol;
  const { discriminator, placement, property } = envelope;
  const events = new Map(protocol.events.map((event) => [event.type, event]));
  const payloads = new Map(protocol.events.map(({ type, payload }) => [type, [payload]]));
  const mergeSchemas = createSchemaMerger(definitions);
  const namesOutsideSharedEnvelope = new Set(
    [discriminator, stream?.sequence, stream?.id, stream?.time, property].filter(isString),
  );
  const envelopeNames = new Set(Object.keys(getEnvelopeFields(envelope)));
  const namesOmittedFromPayload = placement === "inline" ? envelopeNames : new Set<string>();
  const perEventSchemas = listPerEventSchemas(protocol);
  const findCarrier = (type: string): string | undefined => findPayloadCarrier(envelope, events.get(type));

  const makeOnce = (
    event: EventType,
    { envelope: fixed, fixedFields, seed, fieldChance, adjustPayload }: EventDraft,
    isMinimal: boolean,
  ) => {
    const random = createRandom(seed);
    const context = { mergeSchemas, random, isMinimal, fieldChance };
    const payload = {
      ...makeFields(payloads.get(event.type) ?? [], context, namesOmittedFromPayload),
      ...fixedFields,
    };
    adjustPayload?.(payload);
    const envelopeOnly = { ...fixed, ...makePerEventFields(context, fixed) };
    return { ...envelopeOnly, [discriminator]: event.type, ...placePayload(event.type, payload) };
  };
  /** Returns the payload as fields of the event. */
  const placePayload = (type: string, payload: SampleEvent): SampleEvent => {
    const carrier = findCarrier(type);
    if (carrier !== undefined) return { [carrier]: payload };
    return placement === "keyed" ? {} : payload;
  };
  /** Makes the envelope fields that differ from event to event, except the fixed ones. */
  const makePerEventFields = (context: SamplingContext, fixed: JsonObject): JsonObject =>
    createObject(
      perEventSchemas
        .filter(([name]) => !Object.hasOwn(fixed, name))
        .map(([name, schemas]) => {
          const value = makeValue(schemas, context);
          return [name, name === stream?.id ? makeDistinctText(value, context) : value] as const;
        }),
    );
  return {
    protocol,
    findCarrier,
    make(draft) {
      const event = events.get(draft.type);
      if (!event) return undefined;
      const attempts = draft.seed === 0 ? MAX_PLAIN_ATTEMPTS : MAX_ATTEMPTS;
      for (let index = 0; index < attempts; index++) {
        const seed = combineSeeds(draft.seed, index);
        const fieldChance = index < MAX_ATTEMPTS / 4 ? draft.fieldChance : undefined;
        const isMinimal = draft.seed === 0 || index > MAX_ATTEMPTS / 2;
        const made = makeOnce(event, { ...draft, seed, fieldChance }, isMinimal);
        if (draft.isWanted?.(made) !== false && accepts(made)) return made;
        if (draft.isGivenUp?.()) return undefined;
      }
      return undefined;
    },
    makeEnvelope(seed, fixed, isTypical = false) {
      const context = {
        ...{ mergeSchemas, random: createRandom(seed), isMinimal: seed === 0 },
        ...(isTypical && { takesFirstKnown: true }),
      };
      return { ...makeFields([envelope.schema], context, namesOutsideSharedEnvelope), ...fixed };
    },
  };
}

/** Lists the envelope fields that differ from event to event, with their schemas. */
function listPerEventSchemas({ envelope, stream }: Protocol): (readonly [string, readonly Schema[]])[] {
  const properties = getEnvelopeFields(envelope);
  return [stream?.id, stream?.time]
    .filter(isString)
    .map((name) => [name, [(properties[name] ?? true) as Schema]] as const);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
