import { createObject, getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { extendOpenLists } from "../../schema/listed-values.js";
import { buildStreams, generateCoverage } from "../build-streams.js";
import { makeUnknownEvent } from "../edit-events.js";
import type { KitProtocol, KitSchemas } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { getPayload, setPayloadFields, TOKEN } from "../payload.js";
import { type GeneratorContext, prepareContext } from "../scenarios.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";

/** Laws about emitters that are older or newer than their consumers. */
export const versionLaws: readonly Law[] = [
  {
    id: "previous-version",
    law: "Events of every type of each earlier release of this major version are accepted, and shown although newer fields are missing.",
    findSkipReason: ({ releases }) =>
      releases.length === 0 ? "there is no earlier release of this major version" : undefined,
    streams: 2,
    *check(trial) {
      for (const { version, schemas } of trial.protocol.releases) {
        const context = prepareContext(trial.protocol, schemas, "writer");
        yield* trial.view(generateCoverage(context));
        yield* checkStreams(trial, context, generateCoverage(context));
        yield* checkNewFields(trial, context, version);
      }
    },
  },
  {
    id: "next-version",
    law: "Events of a later version are accepted and shown: with new fields, new values of open enumerations, and new types, which may refer to the same things.",
    streams: 2,
    *check(trial) {
      const unknownEvent = makeUnknownEvent(trial);
      yield* trial.requires("unknown-type", trial.view([...trial.events, unknownEvent]));
      const context = prepareContext(trial.protocol, extendSchemas(trial.protocol), "reader");
      const extendedEvents = trial.events.map((event) =>
        setPayloadFields(trial.protocol, event, { [TOKEN]: TOKEN }),
      );
      yield* checkStreams(trial, context, extendedEvents);
    },
  },
];

/**
 * Fails if a consumer of all events shows nothing of streams of another version, nor of `similarEvents` of that version,
 * although it shows those of this version. A consumer of a part may show no event type of these streams.
 */
function* checkStreams(
  trial: Trial,
  context: GeneratorContext,
  similarEvents: readonly SampleEvent[],
): Steps<void> {
  const { events } = buildStreams(context, trial.script, 2);
  yield* trial.view(events);
  if (events.length === 0 || !(yield* trial.inferShown()).isWhole) return;
  if (!(yield* trial.isShown({ before: [], added: similarEvents })))
    yield* trial.expectShownLike(
      { before: [], added: trial.events },
      { before: [], added: events },
      "Nothing is shown of its events",
    );
}

/** Fails if an event of an earlier release is shown only with fields that its type got later. */
function* checkNewFields(trial: Trial, earlier: GeneratorContext, version: string): Steps<void> {
  const { discriminator } = trial.protocol.envelope;
  const events = generateCoverage(earlier);
  const newFields = findNewFields(trial.model, earlier.maker.protocol);
  const candidates = events.filter((each) => newFields.has(String(each[discriminator])));
  const event = candidates[trial.random.below(candidates.length)];
  if (event === undefined) return;
  const before = events.slice(0, events.indexOf(event));
  const type = String(event[discriminator]);
  const names = newFields.get(type) ?? [];
  // A consumer may show an event for the sake of the new field alone.
  if (!(yield* trial.inferShown()).isWhole) return;
  const extendedEvents = [1, 2, 3]
    .map((seed) => addFields(trial, event, names, seed))
    .filter((each) => each !== undefined);
  const [first] = extendedEvents;
  if (first === undefined) return;
  for (const each of extendedEvents) if (!(yield* trial.isShown({ before, added: [each] }))) return;
  yield* trial.expectShownLike(
    { before, added: [first] },
    { before, added: [event] },
    `An event ${type} of release ${version} is not shown, although it is with ${names.join(" or ")}, which came later`,
  );
}

/** Returns the fields that event types got since an earlier release, by type. */
function findNewFields(current: Protocol, earlier: Protocol): ReadonlyMap<string, readonly string[]> {
  const earlierFields = new Map(
    earlier.events.map((event) => [event.type, collectEventFields(earlier, event)]),
  );
  return new Map(
    current.events.flatMap((event) => {
      const oldFields = earlierFields.get(event.type);
      if (oldFields === undefined) return [];
      const newFields = [...collectEventFields(current, event)].filter((name) => !oldFields.has(name));
      return newFields.length === 0 ? [] : [[event.type, newFields] as const];
    }),
  );
}

/** Returns an event with generated values of some of `names`; undefined if the contract does not allow them. */
function addFields(
  { protocol, maker }: Trial,
  event: SampleEvent,
  names: readonly string[],
  seed: number,
): SampleEvent | undefined {
  const pickAddedFields = (generatedEvent: SampleEvent) =>
    Object.entries(getPayload(protocol, generatedEvent)).filter(([name]) => names.includes(name));
  const generatedEvent = maker.make({
    type: String(event[protocol.envelope.discriminator]),
    envelope: event,
    fixedFields: getPayload(protocol, event),
    seed,
    // Optional fields are left to chance, and an event without any of these fields would check nothing.
    isWanted: (candidate) => pickAddedFields(candidate).length > 0,
  });
  if (generatedEvent === undefined) return undefined;
  const extendedEvent = setPayloadFields(protocol, event, createObject(pickAddedFields(generatedEvent)));
  return protocol.decodeEvent(extendedEvent, { profile: "writer" }).kind === "known"
    ? extendedEvent
    : undefined;
}

/**
 * Returns the schemas of a next version. It has a copy of every fifth event type under another name, a new field in each
 * payload, and new values in each open enumeration, so many that about half of the generated values are new.
 */
const extendSchemas = memoizeByObject(({ schemas }: KitProtocol): KitSchemas => {
  const types = Object.entries(schemas.events);
  const addedEvents = types
    .filter((_, index) => index % 5 === 0)
    .map(([type, event]) => [`${type}_${TOKEN}`, event] as const);
  const events = [...types, ...addedEvents].map(
    ([type, event]) =>
      [
        type,
        { ...event, payload: addField(extendOpenLists(event.payload as Json, TOKEN) as JsonObject) },
      ] as const,
  );
  const definitions = Object.entries(schemas.definitions).map(
    ([name, schema]) => [name, extendOpenLists(schema as Json, TOKEN)] as const,
  );
  return { ...schemas, events: createObject(events), definitions: createObject(definitions) };
});

function addField(payload: JsonObject): JsonObject {
  const properties = getOwn(payload, "properties");
  return {
    ...payload,
    properties: { ...(isObject(properties) ? properties : {}), [TOKEN]: { type: "string" } },
  };
}
