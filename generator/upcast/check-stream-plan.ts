/**
 * Checks that a plan keeps streams: events of one stream stay together and apart from those of other streams, and keep their
 * numbers, ids and times. These values may get another name, and no other step may touch them.
 */
import { formatCanonicalJson, type Json } from "../json.js";
import type { Stream } from "../protocol/protocol.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import { listStreamChoices, type UpcastQuestion } from "./certify-plan.js";
import { listPlaces } from "./plan-upcast.js";
import { selectSteps } from "./upcast-event.js";

/** Returns the ways in which a plan breaks streams, as sentences; none if it keeps them. */
export function findStreamFaults({ from, to, steps }: UpcastQuestion): string[] {
  const [old, now] = [from.stream, to.stream];
  if (old === undefined || now === undefined) return [];
  const choices = listStreamChoices(steps, from.events);
  if (choices === undefined) return ["The steps depend on too many event types of the stream."];
  const faults = new Set<string>();
  if (old.sequence !== undefined && now.sequence !== undefined && (old.first ?? null) !== (now.first ?? null))
    faults.add(`Streams begin with the number ${old.first} before and with ${now.first} afterwards.`);
  for (const choice of choices) {
    const origins = new Set<string>();
    for (const { type } of from.events) {
      if (!isPossibleInStream(type, choice, steps)) continue;
      const { discriminator } = from.envelope;
      const selected = selectSteps(steps, { type, discriminator, streamTypes: new Set([...choice, type]) });
      for (const fault of findFaultsOfType(old, now, selected)) faults.add(`${type}: ${fault}`);
      origins.add(formatCanonicalJson(listAddedKeys(old, now, selected)));
    }
    if (origins.size > 1)
      faults.add(`Events of one stream get different values of ${now.key.join(" and ")}.`);
  }
  return [...faults];
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

function findFaultsOfType(old: Stream, now: Stream, steps: readonly UpcastStep[]): string[] {
  const roles = (["sequence", "id", "time"] as const).flatMap((role) => {
    const [name, newName] = [old[role], now[role]];
    if (name === undefined || newName === undefined) return [];
    const place = traceField(`/${name}`, steps);
    return place === `/${newName}` ? [] : describeFault(role, name, place, newName);
  });
  const keys = old.key.flatMap((name) => {
    const place = traceField(`/${name}`, steps);
    const isKey = now.key.some((newName) => place === `/${newName}`);
    return isKey ? [] : describeFault("stream key", name, place, now.key.join(" or "));
  });
  const varying = listAddedNames(old, now, steps).flatMap((name) => {
    const isFixed = listWriters(name, steps).every((step) => "value" in step && step.when === undefined);
    return isFixed ? [] : [`The events of one stream may get different values of ${name}.`];
  });
  return [...roles, ...keys, ...varying];
}

function describeFault(role: string, name: string, place: string | undefined, newName: string): string[] {
  return place === undefined
    ? [`A step changes ${name}, the ${role} of the earlier version.`]
    : [`${name}, the ${role} of the earlier version, becomes ${place.slice(1)} instead of ${newName}.`];
}

/** Returns the place of a field after the steps; undefined if a step changes its value. */
function traceField(field: string, steps: readonly UpcastStep[]): string | undefined {
  let place = field;
  for (const step of steps) {
    const isWithin = (pointer: string) => `${place}/`.startsWith(`${pointer}/`);
    if (step.step === "move" && isWithin(step.from)) {
      if (step.when !== undefined) return undefined;
      place = step.to + place.slice(step.from.length);
    } else if (
      step.step === "constant" ||
      step.step === "split" ||
      step.step === "map" ||
      step.step === "scale"
    ) {
      const isReplaced = step.step !== "constant" || step.replaces !== undefined;
      if (isReplaced && listPlaces(step).some((pointer) => isWithin(pointer))) return undefined;
    }
  }
  return place;
}

/** Returns the values of the key fields of the later version that are no key fields of the earlier one. */
function listAddedKeys(old: Stream, now: Stream, steps: readonly UpcastStep[]): Json {
  const added = listAddedNames(old, now, steps);
  return added.map(
    (name): Json => [name, ...listWriters(name, steps).map((step) => ("value" in step ? step.value : null))],
  );
}

function listAddedNames(old: Stream, now: Stream, steps: readonly UpcastStep[]): string[] {
  const kept = old.key.map((name) => traceField(`/${name}`, steps));
  return now.key.filter((name) => !kept.includes(`/${name}`));
}

function listWriters(name: string, steps: readonly UpcastStep[]): UpcastStep[] {
  return steps.filter((step) => listPlaces(step).includes(`/${name}`));
}
