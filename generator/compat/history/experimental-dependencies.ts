/** Finds stable parts of a contract that depend on experimental ones: by reference, or as their replacement. */
import { isObject, type Json } from "../../json.js";
import type { EventType, Protocol, Stability } from "../../protocol/protocol.js";
import { createSpot, createSpotBelow, type Spot } from "../../schema/describe.js";
import { findTarget, getTargetName } from "../../schema/reference.js";
import { listSubschemas } from "../../schema/walk.js";
import type { UnclassifiedChange } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { deriveEnvelopeStability, parseStability } from "../side.js";
import { createRootPlace, listSubjects } from "../subjects.js";

/**
 * Returns the references of stable event types, envelopes and resources to experimental definitions, and the stable event
 * types that an experimental event type replaces.
 */
export function findExperimentalDependencies({ current }: Evidence): UnclassifiedChange[] {
  const { envelope, events } = current;
  // A resource that states no stability takes it from the event types, so it is stable without having promised it.
  const subjects = listSubjects(current).filter(
    ({ resource, payload }) => resource === undefined || payload["x-stability"] !== undefined,
  );
  const roots = [
    {
      event: "",
      stability: deriveEnvelopeStability(current),
      spot: createSpot(envelope.schema, envelope.at),
    },
    ...subjects.map(({ type, stability, payload, at }) => ({
      event: type,
      stability,
      spot: createSpot(payload, at),
    })),
  ];
  const changesByPlace = new Map<string, UnclassifiedChange>();
  for (const { event, stability, spot } of roots)
    for (const reference of findExperimentalReferences(spot, stability, current)) {
      const key = `${reference.spot.file}#${reference.spot.pointer}`;
      const change = createDependencyChange(event, reference.definition, reference.spot);
      const places = [...(changesByPlace.get(key)?.places ?? []), ...change.places];
      // The rule describes references and replacements differently. It tells them apart by this value.
      changesByPlace.set(key, { ...change, from: "reference", places });
    }
  return [
    ...changesByPlace.values(),
    ...events.flatMap((event) => findExperimentalReplacement(event, current)),
  ];
}

function createDependencyChange(event: string, to: string, after: Spot): UnclassifiedChange {
  const place = createRootPlace({ type: event, stability: "stable" });
  return { name: event, to, claim: {}, places: [place], after };
}

function findExperimentalReplacement(
  { type, stability, deprecated, payload, at }: EventType,
  { events }: Protocol,
): UnclassifiedChange[] {
  const replacement = events.find(({ type: other }) => other === deprecated?.replacedBy);
  if (stability !== "stable" || replacement?.stability !== "experimental") return [];
  return [
    createDependencyChange(
      type,
      replacement.type,
      createSpotBelow(createSpot(payload, at), replacement.type, "x-replaced-by"),
    ),
  ];
}

interface Reference {
  /** The spot of the keyword `$ref`. */
  readonly spot: Spot;
  /** The name of the definition. */
  readonly definition: string;
}

/** Returns references to experimental definitions from stable places. Each definition is entered once. */
function findExperimentalReferences(
  root: Spot,
  stability: Stability,
  { definitions }: Protocol,
): Reference[] {
  const found: Reference[] = [];
  const visitedSchemas = new Set<Json>();
  const visit = (spot: Spot, inherited: Stability): void => {
    const { schema } = spot;
    if (!isObject(schema) || visitedSchemas.has(schema)) return;
    visitedSchemas.add(schema);
    const here = parseStability(schema["x-stability"]) ?? inherited;
    if (here !== "stable") return;
    for (const sub of listSubschemas(schema))
      visit({ schema: sub.schema, file: spot.file, pointer: spot.pointer + sub.pointer }, here);
    const name = getTargetName(schema);
    const target = findTarget(schema, definitions);
    if (!target || name === undefined) return;
    const statedStability = isObject(target.schema)
      ? parseStability(target.schema["x-stability"])
      : undefined;
    if (statedStability === "experimental")
      found.push({ spot: createSpotBelow(spot, schema.$ref ?? null, "$ref"), definition: name });
    else visit(createSpot(target.schema, target.at), here);
  };
  visit(root, stability);
  return found;
}
