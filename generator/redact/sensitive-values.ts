import { getOwn, isObject, type Json, joinPointer } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import {
  BRANCHES,
  createSpot,
  createSpotBelow,
  describeSchema,
  EVERYTHING,
  listHeldSchemas,
  listStatements,
  type Spot,
} from "../schema/describe.js";
import { mergeFields } from "../schema/merge.js";

/** A value whose schema says `x-sensitive`. */
interface SensitiveValue {
  readonly pointer: string;
  readonly value: Json;
  /** True if its schema limits its form, so that a mask may not be accepted. */
  readonly hasForm: boolean;
}

/** Returns the values of an event that its protocol declares `x-sensitive`, the outermost of each branch. */
export function findSensitiveValues(protocol: Protocol, event: Json): SensitiveValue[] {
  const { envelope, events, definitions } = protocol;
  const found: SensitiveValue[] = [];
  const visit = (value: Json, nodes: readonly Spot[], pointer: string): void => {
    if (nodes.length === 0) return;
    const about = describeSchema(nodes, definitions, EVERYTHING, BRANCHES);
    if (listStatements(about, "x-sensitive").some(({ value: flag }) => flag === true)) {
      const hasForm = [...listStatements(about, "pattern"), ...listStatements(about, "format")].length > 0;
      found.push({ pointer, value, hasForm });
    } else if (Array.isArray(value)) {
      const tuple = listStatements(about, "prefixItems");
      for (const [index, item] of value.entries()) {
        const own = tuple.flatMap(({ value: list, spot }) =>
          Array.isArray(list) && index < list.length ? [createSpotBelow(spot, list[index], index)] : [],
        );
        visit(item, own.length > 0 ? own : listHeldSchemas(about, "items"), joinPointer(pointer, index));
      }
    } else if (isObject(value)) {
      const fields = mergeFields(about);
      const others = listHeldSchemas(about, "additionalProperties");
      for (const [name, each] of Object.entries(value))
        visit(each, fields.get(name)?.spots ?? others, joinPointer(pointer, name));
    }
  };
  const type = isObject(event) ? getOwn(event, envelope.discriminator) : undefined;
  const declared = events.find((each) => each.type === type);
  visit(event, [createSpot(envelope.schema, envelope.at)], "");
  if (declared !== undefined && isObject(event)) {
    const carrier = findPayloadCarrier(envelope, declared);
    const payload = carrier === undefined ? event : getOwn(event, carrier);
    const pointer = carrier === undefined ? "" : joinPointer("", carrier);
    if (payload !== undefined) visit(payload, [createSpot(declared.payload, declared.at)], pointer);
  }
  return [...new Map(found.map((each) => [each.pointer, each])).values()];
}
