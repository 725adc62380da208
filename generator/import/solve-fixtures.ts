/** Makes the fixtures that random events do not yield. The containment check finds a message, or proves that there is none. */
import { isObject, type Json } from "../json.js";
import { getEventName } from "../protocol/names.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { createEventMaker, type SampleEvent } from "../sample/event-maker.js";
import {
  createInvalidFixture,
  findInvalidFixture,
  formatFixture,
  IMPOSSIBLE_FIXTURE,
  MADE_FIXTURE,
} from "../sample/make-fixtures.js";
import { createValidators } from "../validators/protocol-validators.js";
import type { Originals } from "./import-union.js";

/** The answers about the event types for which no fixtures were made. */
export interface SolvedFixtures {
  readonly files: readonly OutputFile[];
  /** The event types that still lack a fixture. */
  readonly incomplete: readonly string[];
  /** The event types of which the original accepts no message. */
  readonly impossible: readonly string[];
  /** The event types of which only writers can send no message. */
  readonly excluded: readonly string[];
}

/** Makes fixtures of the event types `types`, except for folders such as `valid/run.started` that have other fixtures. */
export async function solveFixtures(
  protocol: Protocol,
  originals: Originals,
  types: readonly string[],
  hasFixture: (folder: string) => boolean,
): Promise<SolvedFixtures> {
  // Loaded on demand, because the containment check takes long to load.
  const { findPossibility } = await import("./compare.js");
  const validators = createValidators(protocol);
  const files: OutputFile[] = [];
  const incomplete: string[] = [];
  const contradictory = { original: [] as string[], writers: [] as string[] };
  for (const event of protocol.events.filter(({ type }) => types.includes(type))) {
    const { type } = event;
    const name = getEventName(event);
    const addFile = (kind: "valid" | "invalid", file: string, content: Json | undefined): boolean => {
      if (hasFixture(`${kind}/${name}`)) return true;
      if (content !== undefined) files.push(formatFixture(`${protocol.id}/${kind}/${name}/${file}`, content));
      return content !== undefined;
    };
    const original = originals.schemas.get(type);
    const answer = original && (await findPossibility(protocol, event, original, originals));
    if (answer?.kind === "impossible") {
      contradictory[answer.cause].push(type);
      const invalid = createInvalidFixture(validators, makeAnyEvent(protocol, type, undefined));
      if (!addFile("invalid", IMPOSSIBLE_FIXTURE, invalid)) incomplete.push(type);
    } else {
      const valid = answer?.kind === "possible" ? makeAnyEvent(protocol, type, answer.message) : undefined;
      const isValid = valid && validators.decodeEvent(valid, { profile: "writer" }).kind === "known";
      const made = isValid ? valid : undefined;
      const hasBoth = [
        addFile("valid", MADE_FIXTURE, made),
        addFile("invalid", MADE_FIXTURE, made && findInvalidFixture(validators, made)),
      ];
      if (hasBoth.includes(false)) incomplete.push(type);
    }
  }
  return { files, incomplete, impossible: contradictory.original, excluded: contradictory.writers };
}

/** Makes an event that may be invalid. If there is a `message`, the event has it in place of the fields that the type adds. */
function makeAnyEvent(protocol: Protocol, type: string, message: Json | undefined): SampleEvent {
  const maker = createEventMaker(protocol, () => true);
  const envelope = maker.makeEnvelope(1, {});
  const event = maker.make({ type, envelope, fixedFields: {}, seed: 1 }) as SampleEvent;
  if (!isObject(message)) return event;
  const carrier = maker.findCarrier(type);
  return carrier === undefined
    ? { ...envelope, ...message, [protocol.envelope.discriminator]: type }
    : { ...event, [carrier]: message };
}
