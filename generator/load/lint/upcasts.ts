import { createErrorFinding, type Finding, type RuleId } from "../../finding.js";
import { joinPointer, splitPointer } from "../../json.js";
import { findNearest } from "../../nearest.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import {
  EVERY_DEPTH,
  findSelectedPlace,
  listStepPlaces,
  type StepPlace,
} from "../../protocol/step-places.js";
import { matchesType, type UpcastStep } from "../../protocol/upcast.js";
import type { LintInput } from "./input.js";

/**
 * Checks that `upcasts` of protocol.json begin at earlier major versions, each once, and name things that exist.
 * `listEventTypes` returns the event types of another major version; none if the version is not there.
 */
export function lintUpcasts(
  { protocol, manifestSource }: LintInput,
  listEventTypes: (major: number) => readonly string[],
): Finding[] {
  const { upcasts = [], major } = protocol;
  const fields = listFields(protocol);
  const types = protocol.events.map(({ type }) => type);
  const findings: Finding[] = [];
  const report = (rule: RuleId, pointer: string, message: string, hint?: string) =>
    findings.push(createErrorFinding(rule, message, manifestSource.locate(pointer), hint));
  for (const [index, { from, steps }] of upcasts.entries()) {
    const pointer = joinPointer("/upcasts", index);
    const isRepeated = upcasts.findIndex((other) => other.from === from) < index;
    if (from >= major)
      report(
        "upcast-major-invalid",
        joinPointer(pointer, "from"),
        `Version ${from} is not earlier than ${major}.`,
      );
    if (isRepeated)
      report("upcast-major-invalid", joinPointer(pointer, "from"), `Version ${from} is listed twice.`);
    const known = { earlierTypes: listEventTypes(from), types, fields };
    for (const [place, step] of steps.entries())
      for (const { rule, at, message, hint } of findUnknownNames(step, known))
        report(rule, joinPointer(pointer, "steps", place) + at, message, hint);
  }
  return findings;
}

/** Returns the names of all fields that an event of a protocol may have at its top. */
function listFields(protocol: Protocol): string[] {
  const { envelope, events } = protocol;
  const payloadProperties = [
    envelope.property,
    ...events.map(({ payloadProperty }) => payloadProperty),
  ].filter((name) => name !== undefined);
  const inline = envelope.placement === "inline" ? events : [];
  const payloadFields = inline.flatMap((event) => [...collectEventFields(protocol, event)]);
  return [...Object.keys(getEnvelopeFields(envelope)), ...payloadProperties, ...payloadFields];
}

/** The names that a step may use. */
interface KnownNames {
  /** The event types of the earlier version; none if the version is not there. */
  readonly earlierTypes: readonly string[];
  readonly types: readonly string[];
  readonly fields: readonly string[];
}

interface UnknownName {
  readonly rule: RuleId;
  /** The place in the step. */
  readonly at: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

function findUnknownNames(step: UpcastStep, known: KnownNames): UnknownName[] {
  const conditions = [
    ...findUnknownConditions(step, known.earlierTypes),
    ...findUnknownPlaces(step),
    ...findOtherItems(step),
    ...findRepeatedPlaces(step),
  ];
  const results =
    step.step === "rename-type"
      ? findUnknownType(step.to, known.types)
      : findUnknownFields(step, known.fields);
  return [...conditions, ...results];
}

/** Returns the event types that the conditions of a step name and the earlier version does not have. */
function findUnknownConditions(step: UpcastStep, earlierTypes: readonly string[]): UnknownName[] {
  if (earlierTypes.length === 0) return [];
  return (["types", "streamsWith", "streamsWithout"] as const)
    .flatMap((member) =>
      (step[member] ?? []).map((name, index) => ({ name, at: joinPointer("", member, index) })),
    )
    .filter(({ name }) => !earlierTypes.some((type) => matchesType([name], type)))
    .map(({ name, at }): UnknownName => {
      const message = `The earlier version has no event type ${JSON.stringify(name)}.`;
      return { rule: "declared-type-unknown", at, message, hint: suggestName(name, earlierTypes) };
    });
}

/** Returns the places in the condition on values that are not JSON pointers. */
function findUnknownPlaces({ when = {} }: UpcastStep): UnknownName[] {
  return Object.keys(when)
    .filter((place) => !/^(\/([^/~]|~[01])+)+$/.test(place))
    .map((place): UnknownName => {
      const message = `${JSON.stringify(place)} is not the place of a field.`;
      return {
        rule: "declared-field-unknown",
        at: joinPointer("/when", place),
        message,
        hint: 'Write a JSON pointer, such as "/data/name".',
      };
    });
}

/** Returns the places of a step that lie in other items of a list than its first place. */
function findOtherItems(step: UpcastStep): UnknownName[] {
  const [{ pointer: first } = { pointer: "" }, ...others] = listStepPlaces(step);
  const items = findSelectedPlace(first);
  const createFinding = (pointer: string, at: string): UnknownName => ({
    rule: "declared-field-unknown",
    at,
    message: `${JSON.stringify(pointer)} does not lie in the items of ${JSON.stringify(first)}.`,
    hint: "A step changes each item of a list by itself. Write the same place up to the last *, {*}, [0] or ** everywhere.",
  });
  return [
    ...others
      .filter(({ pointer }) => findSelectedPlace(pointer) !== items)
      .map((place) => createFinding(place.pointer, formatMember(place))),
    ...Object.keys(step.when ?? {})
      .filter((pointer) => !`${items}/`.startsWith(`${findSelectedPlace(pointer)}/`))
      .map((pointer) => createFinding(pointer, joinPointer("/when", pointer))),
    ...findOtherLoops(first, step.through ?? []),
  ];
}

/** Returns the places that a text or a list of places names twice. */
function findRepeatedPlaces(step: UpcastStep): UnknownName[] {
  const places = listStepPlaces(step);
  return places.flatMap((place, position): UnknownName[] => {
    const { pointer, member } = place;
    const first = places.findIndex((each) => each.member === member && each.pointer === pointer);
    if (first === position) return [];
    const message = `The step names ${JSON.stringify(pointer)} twice.`;
    return [{ rule: "declared-field-unknown", at: formatMember(place), message }];
  });
}

/** Returns where a step states a place. */
function formatMember({ member, index }: StepPlace): string {
  return joinPointer("", member, ...(index === undefined ? [] : [index]));
}

/** Returns the places of `through` that do not lead from one of the values for which `**` stands to others. */
function findOtherLoops(place: string, through: readonly string[]): UnknownName[] {
  const tokens = place.split("/");
  const starts = tokens.flatMap((token, index) =>
    token === EVERY_DEPTH ? [`${tokens.slice(0, index + 1).join("/")}/`] : [],
  );
  const isLoop = (pointer: string): boolean =>
    starts.some(
      (start) => pointer.startsWith(start) && pointer.lastIndexOf(`/${EVERY_DEPTH}/`) < start.length - 1,
    );
  return through.flatMap((pointer, index): UnknownName[] => {
    if (isLoop(pointer)) return [];
    const message = `${JSON.stringify(pointer)} does not begin with a place up to ${EVERY_DEPTH} of ${JSON.stringify(place)}.`;
    const hint = `Write ${EVERY_DEPTH} in the place of the step, and the way from one value to the next behind it.`;
    return [{ rule: "declared-field-unknown", at: joinPointer("/through", index), message, hint }];
  });
}

/** Returns the new name of a renamed event type if no event type has it. */
function findUnknownType(name: string, types: readonly string[]): UnknownName[] {
  if (types.includes(name)) return [];
  const message = `There is no event type ${JSON.stringify(name)}.`;
  return [{ rule: "declared-type-unknown", at: "/to", message, hint: suggestName(name, types) }];
}

/** Returns the fields that a step writes and no event has. */
function findUnknownFields(step: UpcastStep, fields: readonly string[]): UnknownName[] {
  return listStepPlaces(step).flatMap((place): UnknownName[] => {
    const { pointer, use } = place;
    const [name = ""] = splitPointer(pointer);
    if (use !== "puts" || fields.includes(name)) return [];
    const message = `No event has a field ${JSON.stringify(name)}.`;
    const at = formatMember(place);
    return [{ rule: "declared-field-unknown", at, message, hint: suggestName(name, fields) }];
  });
}

function suggestName(name: string, known: readonly string[]): string | undefined {
  const near = findNearest(name, known);
  return near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
}
