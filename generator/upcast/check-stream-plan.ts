/**
 * Checks that a plan keeps streams: events of one stream stay together and apart from those of other streams, and keep their
 * numbers, ids and times. These values may get another name, and no other step may touch them.
 */
import { createMessageSchema } from "../compat/proof/readings.js";
import { type Definitions, describeFacts, type Facts, findShape } from "../contain/preimage/presence.js";
import { formatCanonicalJson, type Json } from "../json.js";
import type { EventType, Protocol, Stream } from "../protocol/protocol.js";
import { listPlaces } from "../protocol/step-places.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import { listStreamChoices, type UpcastQuestion } from "./certify-plan.js";
import { selectSteps } from "./upcast-event.js";

/** Returns the ways in which a plan breaks streams, as sentences; none if it keeps them. */
export function findStreamFaults({ from, to, steps }: UpcastQuestion): string[] {
  const [old, now] = [from.stream, to.stream];
  if (old === undefined || now === undefined) return [];
  const choices = listStreamChoices(steps, from.events);
  if (choices === undefined) return ["The steps depend on too many event types of the stream."];
  const shapes = new Map(from.events.map((event) => [event.type, describeEvents(from, event)]));
  const faults = new Set<string>(findScopeFaults(old, now));
  for (const choice of choices) {
    const origins = new Set<string>();
    for (const [type, shape] of shapes) {
      if (!isPossibleInStream(type, choice, steps)) continue;
      const { discriminator } = from.envelope;
      const selected = selectSteps(steps, { type, discriminator, streamTypes: new Set([...choice, type]) });
      for (const fault of findFaultsOfType(old, now, { id: from.id, steps: selected, shape }))
        faults.add(`${type}: ${fault}`);
      origins.add(formatCanonicalJson(listAddedKeys(old, now, { id: from.id, steps: selected, shape })));
    }
    if (origins.size > 1)
      faults.add(`Events of one stream get different values of ${now.key.join(" and ")}.`);
  }
  return [...faults];
}

/** Returns the differences between what the numbers and ids of two versions mean. */
function findScopeFaults(old: Stream, now: Stream): string[] {
  const counts = old.sequence !== undefined && now.sequence !== undefined && now.first !== undefined;
  const isWidened = old.id !== undefined && now.id !== undefined && now.idScope === "protocol";
  return [
    ...(counts && old.first !== now.first
      ? [
          `Streams begin with ${old.first === undefined ? "any number" : `the number ${old.first}`} before and with ${now.first} afterwards.`,
        ]
      : []),
    ...(isWidened && old.idScope !== "protocol"
      ? ["Events of different streams may have the same id before, and not afterwards (stream.idScope)."]
      : []),
  ];
}

function describeEvents(protocol: Protocol, event: EventType): Facts {
  const schema = createMessageSchema("writer", protocol, event);
  return describeFacts(schema, (schema.$defs ?? {}) as Definitions);
}

/** The steps for the events of one type, and what is certain about these events. */
interface TypePlan {
  /** The version that the events have before the steps. */
  readonly id: string;
  readonly steps: readonly UpcastStep[];
  readonly shape: Facts;
}

/** Returns whether an event of a type may be in a stream of which the conditions of the steps see only these types. */
function isPossibleInStream(type: string, choice: readonly string[], steps: readonly UpcastStep[]): boolean {
  const conditions = steps.flatMap(({ streamsWith, streamsWithout }) => [
    ...(streamsWith ?? []),
    ...(streamsWithout ?? []),
  ]);
  return conditions.every(
    (name) => !matchesType([name], type) || choice.some((each) => matchesType([name], each)),
  );
}

function findFaultsOfType(old: Stream, now: Stream, plan: TypePlan): string[] {
  const roles = (["sequence", "id", "time"] as const).flatMap((role) => {
    const [name, newName] = [old[role], now[role]];
    if (newName === undefined) return [];
    if (name === undefined)
      return role !== "time" && listWriters(newName, plan.steps).some((step) => "value" in step)
        ? [`${plan.id} has no ${role}, so different events get the same ${newName}.`]
        : [];
    const place = traceField(name, plan);
    return place === `/${newName}` ? [] : describeFault(`${role} of ${plan.id}`, name, place, newName);
  });
  const keys = old.key.flatMap((name) => {
    const place = traceField(name, plan);
    const isKey = now.key.some((newName) => place === `/${newName}`);
    return isKey ? [] : describeFault(`stream key of ${plan.id}`, name, place, now.key.join(" or "));
  });
  const varying = listAddedNames(old, now, plan).flatMap((name) =>
    isFixed(name, plan) ? [] : [`The events of one stream may get different values of ${name}.`],
  );
  return [...roles, ...keys, ...varying];
}

/** Returns whether all events that the steps make have the same value of a field, or none of them has one. */
function isFixed(name: string, { steps, shape }: TypePlan): boolean {
  const isNew = findShape(shape, [name]).presence === "never";
  const writers = listWriters(name, steps);
  return writers.length === 0
    ? isNew
    : writers.every(
        (step) => step.when === undefined && (step.step === "constant" || (step.step === "default" && isNew)),
      );
}

function describeFault(role: string, name: string, place: string | undefined, newName: string): string[] {
  return place === undefined
    ? [`A step changes ${name}, the ${role}.`]
    : [`${name}, the ${role}, becomes ${place.slice(1)} instead of ${newName}.`];
}

/** Returns the place of a field after the steps; undefined if a step may change its value. */
function traceField(name: string, { steps, shape }: TypePlan): string | undefined {
  const isOptional = findShape(shape, [name]).presence === "maybe";
  let place = `/${name}`;
  for (const step of steps) {
    const isWithin = (pointer: string) => `${place}/`.startsWith(`${pointer}/`);
    if (step.step === "move" && isWithin(step.from)) {
      if (step.when !== undefined) return undefined;
      place = step.to + place.slice(step.from.length);
    } else if (listPlaces(step).some(isWithin)) {
      // Steps that add a value change events without the field only.
      const adds =
        step.step === "move" ||
        step.step === "default" ||
        (step.step === "constant" && step.replaces === undefined);
      if (isOptional || !adds) return undefined;
    }
  }
  return place;
}

/** Returns the values of the key fields of the later version that are no key fields of the earlier one. */
function listAddedKeys(old: Stream, now: Stream, plan: TypePlan): Json {
  const added = listAddedNames(old, now, plan);
  return added.map(
    (name): Json => [
      name,
      ...listWriters(name, plan.steps).map((step) => ("value" in step ? step.value : null)),
    ],
  );
}

function listAddedNames(old: Stream, now: Stream, plan: TypePlan): string[] {
  const kept = old.key.map((name) => traceField(name, plan));
  return now.key.filter((name) => !kept.includes(`/${name}`));
}

function listWriters(name: string, steps: readonly UpcastStep[]): UpcastStep[] {
  return steps.filter((step) => listPlaces(step).includes(`/${name}`));
}
