import { createBodyReading, createEnvelopeReading } from "../protocol/message-readings.js";
import type { Protocol } from "../protocol/protocol.js";
import type { DecodeWithProfile, Issue, ProfileValidators } from "../runtime/runtime.js";
import { decoder, eventValidator, profileDecoder, validator } from "../runtime/runtime.js";
import { type Profile, readAs } from "../schema/readings.js";
import { createLazyCheck } from "./check.js";

/** The validators of a protocol. They use the same runtime as generated validators. */
export interface Validators {
  readonly protocol: Protocol;
  readonly profiles: { readonly [profile in Profile]: ProfileValidators };
  readonly decodeEvent: DecodeWithProfile<unknown, unknown>;
}

/** Returns the validators of `protocol`. A reading is compiled when it checks its first value, so unused event types cost nothing. */
export function createValidators(protocol: Protocol): Validators {
  const profiles = {
    reader: createProfileValidators("reader", protocol),
    writer: createProfileValidators("writer", protocol),
  };
  const { discriminator } = protocol.envelope;
  const reader = decoder(discriminator, profiles.reader);
  const writer = decoder(discriminator, profiles.writer);
  return { protocol, profiles, decodeEvent: profileDecoder({ reader, writer }) };
}

function createProfileValidators(profile: Profile, protocol: Protocol): ProfileValidators {
  const envelope = validator(createLazyCheck(() => createEnvelopeReading(profile, protocol)));
  const { discriminator } = protocol.envelope;
  const events = protocol.events.map((event) => {
    const body = createLazyCheck(() => createBodyReading(profile, protocol, event));
    return [event.type, eventValidator(discriminator, event.type, envelope, body)] as const;
  });
  return { envelope, events: new Map(events) };
}

/** Returns a function that lists what a resource of a protocol does not allow in a value. */
export function createResourceCheck(
  profile: Profile,
  { resources, definitions }: Protocol,
  name: string,
): (value: unknown) => readonly Issue[] {
  const schema = resources.find((resource) => resource.name === name)?.schema ?? {};
  return validator(createLazyCheck(() => readAs(profile, schema, definitions))).issues;
}

/** Lists the names of the fields that name event types, each once. */
export function listDiscriminators(validators: readonly Validators[]): string[] {
  return [...new Set(validators.map(({ protocol }) => protocol.envelope.discriminator))];
}
