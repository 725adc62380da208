import type { Json } from "../../json.js";
import { findPayloadCarrier, getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import {
  createSpotWithoutPlace,
  describeSchema,
  EVERYTHING,
  listStatements,
  type Spot,
} from "../../schema/describe.js";
import { listStatedValues, mergeFields } from "../../schema/merge.js";
import { findRanges, joinRanges, type Ranges } from "./ranges.js";

/** A declared field or item of the events of a type. */
export interface DeclaredPlace {
  /** The event type; "" for the envelope of every event. */
  readonly event: string;
  /** The names of the fields that lead to it; a star is every item, or every field without a declaration. */
  readonly tokens: readonly string[];
  /** The values that the schema lists for it. */
  readonly values: readonly Json[];
  /** The ranges that the schema declares for it. */
  readonly ranges: Ranges;
}

/** Returns the declared places of a protocol: those of the envelope, and those of each payload. */
export function listDeclaredPlaces({ envelope, events, definitions }: Protocol): readonly DeclaredPlace[] {
  const places = new Map<string, DeclaredPlace>();
  const add = ({ event, tokens, values, ranges }: DeclaredPlace): void => {
    const key = JSON.stringify([event, tokens]);
    const known = places.get(key);
    places.set(key, {
      event,
      tokens,
      values: [...(known?.values ?? []), ...values],
      ranges: joinRanges(known?.ranges ?? {}, ranges),
    });
  };
  const enter = (
    nodes: readonly Spot[],
    event: string,
    at: readonly string[],
    ancestors: readonly Json[],
  ) => {
    const description = describeSchema(nodes, definitions, EVERYTHING, (edge) =>
      edge === "not" ? "skip" : "conditional",
    );
    const schemas = description.parts.map(({ schema }) => schema);
    if (schemas.some((schema) => ancestors.includes(schema))) return;
    const inner = [...ancestors, ...schemas];
    if (at.length > 0)
      add({
        event,
        tokens: at,
        values: listStatedValues(description).map(({ value }) => value),
        ranges: findRanges(description),
      });
    for (const { name, spots } of mergeFields(description).values())
      if (at.length > 0 || event === "" || !inheritedNames.has(name))
        enter(spots, event, [...at, name], inner);
    for (const keyword of ["items", "prefixItems", "additionalProperties"] as const)
      for (const { value } of listStatements(description, keyword))
        for (const schema of [value].flat())
          if (typeof schema === "object") enter([createSpotWithoutPlace(schema)], event, [...at, "*"], inner);
  };
  // Events of an inline protocol have the fields of the payload beside those of the envelope.
  const inheritedNames = new Set(
    envelope.placement === "inline" ? Object.keys(getEnvelopeFields(envelope)) : [],
  );
  enter([createSpotWithoutPlace(envelope.schema)], "", [], []);
  for (const event of events) {
    const carrier = findPayloadCarrier(envelope, event);
    if (carrier === undefined && envelope.placement === "keyed") continue;
    enter([createSpotWithoutPlace(event.payload)], event.type, carrier === undefined ? [] : [carrier], []);
  }
  return [...places.values()];
}
