/** Finds stable parts of a contract that depend on experimental ones: by reference, or as their replacement. */
import { isObject, type Json } from "../../json.js";
import type { EventType, Protocol, Stability } from "../../protocol/protocol.js";
import { findTarget, getTargetName } from "../../schema/reference.js";
import { listSubschemas } from "../../schema/walk.js";
import type { Difference } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { createSpot, createSpotBelow, deriveEnvelopeStability, parseStability, type Spot } from "../side.js";
import { createWholePlace, listSubjects } from "../subjects.js";

/** Returns the stable event types, envelopes and resources that refer to an experimental definition or that an experimental event type replaces. */
export function findExperimentalDependencies({ current }: Evidence): Difference[] {
  const { envelope, events } = current;
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
  const found = new Map<string, Difference>();
  for (const { event, stability, spot } of roots)
    for (const { at, to } of findExperimentalReferences(spot, stability, current)) {
      const key = `${at.file}#${at.pointer}`;
      const difference = createDifference(event, to, at);
      const occurrences = [...(found.get(key)?.occurrences ?? []), ...difference.occurrences];
      found.set(key, { ...difference, from: "reference", occurrences });
    }
  return [...found.values(), ...events.flatMap((event) => findExperimentalReplacement(event, current))];
}

function createDifference(event: string, to: string, after: Spot): Difference {
  const place = createWholePlace({ type: event, stability: "stable" });
  return { name: event, to, claim: {}, occurrences: [place], after };
}

function findExperimentalReplacement(
  { type, stability, deprecated, payload, at }: EventType,
  { events }: Protocol,
): Difference[] {
  const replacement = events.find(({ type: other }) => other === deprecated?.replacedBy);
  if (stability !== "stable" || replacement?.stability !== "experimental") return [];
  return [
    createDifference(
      type,
      replacement.type,
      createSpotBelow(createSpot(payload, at), replacement.type, "x-replaced-by"),
    ),
  ];
}

interface Reference {
  readonly at: Spot;
  /** The name of the definition. */
  readonly to: string;
}

/** Returns references to experimental definitions from stable places. Each definition is entered once. */
function findExperimentalReferences(
  root: Spot,
  stability: Stability,
  { definitions }: Protocol,
): Reference[] {
  const found: Reference[] = [];
  const entered = new Set<Json>();
  const visit = (spot: Spot, inherited: Stability): void => {
    const { schema } = spot;
    if (!isObject(schema) || entered.has(schema)) return;
    entered.add(schema);
    const here = parseStability(schema["x-stability"]) ?? inherited;
    if (here !== "stable") return;
    for (const sub of listSubschemas(schema))
      visit({ schema: sub.schema, file: spot.file, pointer: spot.pointer + sub.pointer }, here);
    const name = getTargetName(schema);
    const target = findTarget(schema, definitions);
    if (!target || name === undefined) return;
    const stated = isObject(target.schema) ? parseStability(target.schema["x-stability"]) : undefined;
    if (stated === "experimental")
      found.push({ at: createSpotBelow(spot, schema.$ref ?? null, "$ref"), to: name });
    else visit(createSpot(target.schema, target.at), here);
  };
  visit(root, stability);
  return found;
}
