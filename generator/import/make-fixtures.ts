/** Makes fixtures for imported event types, so that the generated tests pass at once. */
import { type Json, tokens } from "../json.js";
import { getEventName } from "../protocol/names.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { changeField, changeFields } from "../sample/change-fields.js";
import { createEventMaker, type SampleEvent } from "../sample/event-maker.js";
import { createValidators, type Validators } from "../validators/protocol-validators.js";

/** Fixtures that were made, and the event types for which some could not be made. */
export interface MadeFixtures {
  /** Their paths are relative to the folder of all fixtures. */
  readonly files: readonly OutputFile[];
  /** The event types for which no valid event was found, or that accept every changed one. */
  readonly incomplete: readonly string[];
}

/** The name of files with made events. */
export const MADE_FIXTURE = "made.json";

/** Makes a valid and an invalid event of each type. `hasFixture` returns whether a folder such as `valid/run.started` has other fixtures, so that none is made. */
export function makeFixtures(protocol: Protocol, hasFixture: (folder: string) => boolean): MadeFixtures {
  const validators = createValidators(protocol);
  const accepts = (event: SampleEvent): boolean =>
    validators.decodeEvent(event, { profile: "writer" }).kind === "known";
  const maker = createEventMaker(protocol, accepts);
  const envelope = maker.makeEnvelope(1, {});
  const files: OutputFile[] = [];
  const incomplete: string[] = [];
  for (const event of protocol.events) {
    const add = (kind: "valid" | "invalid", content: Json): void => {
      const folder = `${kind}/${getEventName(event)}`;
      if (!hasFixture(folder))
        files.push({
          path: `${protocol.id}/${folder}/${MADE_FIXTURE}`,
          content: `${JSON.stringify(content, undefined, 2)}\n`,
        });
    };
    const valid = maker.make({ type: event.type, envelope, wantedFields: {}, seed: 1, fieldChance: 1 });
    const invalid = valid && findRefusedCopy(validators, valid);
    if (valid) add("valid", valid);
    if (invalid) add("invalid", invalid);
    else incomplete.push(event.type);
  }
  return { files, incomplete };
}

/** Returns a copy of the event that the validators refuse, with the place of the first issue. Fields of the payload are changed first. */
function findRefusedCopy({ decodeEvent, protocol }: Validators, valid: SampleEvent): Json | undefined {
  const { discriminator, property } = protocol.envelope;
  const isInPayload = (pointer: string): boolean => tokens(pointer)[0] === property;
  const isOther = (pointer: string): boolean => !isInPayload(pointer) && tokens(pointer)[0] !== discriminator;
  const copies = function* (): Generator<Json> {
    for (const { event } of changeFields(valid, isInPayload)) yield event;
    for (const { event } of changeFields(valid, isOther)) yield event;
    const path = property === undefined ? [] : [property];
    yield changeField(valid, [...path, "unknown_field"], true);
  };
  for (const event of copies())
    for (const profile of ["reader", "writer"] as const) {
      const result = decodeEvent(event, { profile });
      const [issue] = result.kind === "invalid" ? result.issues : [];
      if (issue) return { profile, pointer: issue.pointer, keyword: issue.keyword, event };
    }
  return undefined;
}
