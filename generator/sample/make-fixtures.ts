/** Makes fixtures for event types without any, so that the generated tests pass at once. */
import { type Json, splitPointer } from "../json.js";
import { getEventName } from "../protocol/names.js";
import type { Envelope, OutputFile, Protocol } from "../protocol/protocol.js";
import { createValidators, type Validators } from "../validators/protocol-validators.js";
import { changeField, changeFields } from "./change-fields.js";
import { createEventMaker, type SampleEvent } from "./event-maker.js";

/** Fixtures that were made, and the event types for which some could not be made. */
interface MadeFixtures {
  /** Their paths are relative to the folder of all fixtures. */
  readonly files: readonly OutputFile[];
  /** The event types that still lack a fixture: no valid event was found, or the type accepts every changed one. */
  readonly incomplete: readonly string[];
}

/** The name of files with made events. */
export const MADE_FIXTURE = "made.json";
/** The name of an invalid fixture of a type that no event can have. The type needs no valid fixture. */
export const IMPOSSIBLE_FIXTURE = "impossible.json";

/** Makes a valid and an invalid event of each type, except for folders such as `valid/run.started` that have other fixtures. */
export function makeFixtures(protocol: Protocol, hasFixture: (folder: string) => boolean): MadeFixtures {
  const validators = createValidators(protocol);
  const accepts = (event: SampleEvent): boolean =>
    validators.decodeEvent(event, { profile: "writer" }).kind === "known";
  const maker = createEventMaker(protocol, accepts);
  const { sequence, first = 0 } = protocol.stream ?? {};
  const envelope = maker.makeEnvelope(1, sequence === undefined ? {} : { [sequence]: first });
  const files: OutputFile[] = [];
  const incomplete: string[] = [];
  for (const event of protocol.events) {
    const name = getEventName(event);
    const missing = (["valid", "invalid"] as const).filter((kind) => !hasFixture(`${kind}/${name}`));
    if (missing.length === 0) continue;
    const valid = maker.make({ type: event.type, envelope, fixedFields: {}, seed: 1, fieldChance: 1 });
    const made = { valid, invalid: valid && findInvalidFixture(validators, valid) };
    for (const kind of missing) {
      const content = made[kind];
      if (content !== undefined)
        files.push(formatFixture(`${protocol.id}/${kind}/${name}/${MADE_FIXTURE}`, content));
    }
    if (missing.some((kind) => made[kind] === undefined)) incomplete.push(event.type);
  }
  return { files, incomplete };
}

/** Returns the file of a fixture. */
export function formatFixture(path: string, content: Json): OutputFile {
  return { path, content: `${JSON.stringify(content, undefined, 2)}\n` };
}

/** Returns a fixture with the first changed copy of the event that the validators refuse. */
export function findInvalidFixture(validators: Validators, valid: SampleEvent): Json | undefined {
  for (const event of changeEvent(valid, validators.protocol.envelope)) {
    const fixture = createInvalidFixture(validators, event);
    if (fixture) return fixture;
  }
  return undefined;
}

/** Returns an invalid fixture with the event; undefined if the validators accept the event. */
export function createInvalidFixture({ decodeEvent }: Validators, event: Json): Json | undefined {
  for (const profile of ["reader", "writer"] as const) {
    const result = decodeEvent(event, { profile });
    const [issue] = result.kind === "invalid" ? result.issues : [];
    if (issue) {
      const { pointer, keyword, message } = issue;
      return { why: `${pointer || "The event"} ${message}.`, profile, pointer, keyword, event };
    }
  }
  return undefined;
}

/** Yields copies of an event with one change each: in the payload first, then in the envelope, then an unknown field. */
function* changeEvent(event: SampleEvent, { discriminator, property }: Envelope): Generator<Json> {
  const isInPayload = (pointer: string): boolean => splitPointer(pointer)[0] === property;
  const isInEnvelope = (pointer: string): boolean =>
    !isInPayload(pointer) && splitPointer(pointer)[0] !== discriminator;
  for (const isChanged of [isInPayload, isInEnvelope])
    for (const copy of changeFields(event, isChanged)) yield copy.event;
  const path = property === undefined ? [] : [property];
  yield changeField(event, [...path, "unknown_field"], true);
}
