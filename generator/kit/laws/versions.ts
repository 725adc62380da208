import { isObject, type Json, objectFrom, own } from "../../json.js";
import { eventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import { eventMaker, type KitEvent } from "../../sample/event-maker.js";
import { remembered } from "../../sample/remembered.js";
import { payloadOf, TOKEN, unknownEvent, withPayload } from "../alter.js";
import { buildStreams, generateCoverage } from "../build-streams.js";
import { type KitProtocol, type KitSchemas, modelOf } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { createGeneratorContext, type GeneratorContext } from "../scenarios.js";
import type { Trial } from "../trial.js";
import { sameView } from "../view.js";

/** Emitters are older or newer than their consumers. */
export const versionLaws: readonly Law[] = [
  {
    id: "previous-version",
    law: "Events of every type of each earlier release of this major version are accepted, and shown although newer fields are missing.",
    absent: ({ releases }) =>
      releases.length === 0 ? "there is no earlier release of this major version" : undefined,
    streams: 2,
    check(trial) {
      for (const { version, schemas } of trial.protocol.releases) {
        const context = contextFor(trial.protocol, schemas, "writer");
        trial.view(generateCoverage(context));
        passes(trial, context);
        showsOlder(trial, context, version);
      }
    },
  },
  {
    id: "next-version",
    law: "Events of a later version are accepted and shown: with new fields, new values of open enumerations, and new types, which may refer to the same things.",
    streams: 2,
    check(trial) {
      const builder = trial.builder();
      const unknown = unknownEvent(trial, builder, builder.cursor(0));
      trial.requires("unknown-type", trial.tryView([...trial.events, unknown]) !== undefined);
      passes(trial, contextFor(trial.protocol, grown(trial.protocol), "reader"));
    },
  },
];

const contexts = remembered((_protocol: KitProtocol) => new Map<KitSchemas, GeneratorContext>());

function contextFor(
  protocol: KitProtocol,
  schemas: KitSchemas,
  profile: "reader" | "writer",
): GeneratorContext {
  const context =
    contexts(protocol).get(schemas) ??
    createGeneratorContext(
      eventMaker(modelOf(protocol, schemas), (event) => {
        const { kind } = protocol.decodeEvent(event, { profile });
        return kind === "known" || (profile === "reader" && kind === "unknown");
      }),
    );
  contexts(protocol).set(schemas, context);
  return context;
}

function passes(trial: Trial, context: GeneratorContext): void {
  const { events } = buildStreams(context, trial.script, 2);
  const ours = [trial.tryView([]), trial.tryView(trial.events)] as const;
  const shown = trial.view(events);
  const [empty, sound] = ours;
  if (empty === undefined || sound === undefined || sameView(empty, sound) || events.length === 0) return;
  if (sameView(empty, shown)) trial.fail("Nothing is shown of its events");
}

/** An event of an earlier release counts as much as the same event with fields that its type got since. */
function showsOlder(trial: Trial, older: GeneratorContext, version: string): void {
  const { protocol, random } = trial;
  const { discriminator } = protocol.envelope;
  const events = generateCoverage(older);
  const grew = newFields(trial.builder().maker.model, older.maker.model);
  const places = events.flatMap((event, at) => (grew.has(String(event[discriminator])) ? [at] : []));
  const at = places[random.below(places.length)];
  const event = at === undefined ? undefined : events[at];
  if (event === undefined) return;
  const before = events.slice(0, at);
  const type = String(event[discriminator]);
  const today = [1, 2, 3].flatMap((seed) => withFields(trial, event, grew.get(type) ?? [], seed));
  if (today.length === 0 || !today.every((each) => trial.matters(before, [each]) === true)) return;
  if (trial.matters(before, [event]) === false)
    trial.fail(
      `An event ${type} of release ${version} is not shown, although it is with ${(grew.get(type) ?? []).join(" or ")}, which came later`,
    );
}

/** The fields that event types got since an earlier release, by type. */
function newFields(today: Protocol, older: Protocol): ReadonlyMap<string, readonly string[]> {
  const before = new Map(older.events.map((event) => [event.type, eventFields(older, event)]));
  return new Map(
    today.events.flatMap((event) => {
      const known = before.get(event.type);
      const added =
        known === undefined ? [] : [...eventFields(today, event)].filter((name) => !known.has(name));
      return added.length === 0 ? [] : [[event.type, added] as const];
    }),
  );
}

/** An event with some of `names`, if the contract lets it have them. */
function withFields(trial: Trial, event: KitEvent, names: readonly string[], seed: number): KitEvent[] {
  const { protocol } = trial;
  const type = String(event[protocol.envelope.discriminator]);
  const draft = { type, envelope: event, wanted: payloadOf(protocol, event), seed };
  const made = trial.builder().maker.make(draft);
  const payload = made === undefined ? {} : payloadOf(protocol, made);
  const added = Object.entries(payload).filter(([name]) => names.includes(name));
  const larger = withPayload(protocol, event, (own) => ({ ...own, ...objectFrom(added) }));
  const fits = protocol.decodeEvent(larger, { profile: "writer" }).kind === "known";
  return added.length > 0 && fits ? [larger] : [];
}

/** The schemas of a next version that only adds. */
const grown = remembered((protocol: KitProtocol): KitSchemas => {
  const { envelope, events, definitions } = protocol.schemas;
  const types = Object.entries(events);
  const more = types
    .filter((_, index) => index % 5 === 0)
    .map(([type, event]) => [`${type}_${TOKEN}`, event] as const);
  const larger = [...types, ...more].map(
    ([type, event]) => [type, { ...event, payload: withField(widened(event.payload as Json)) }] as const,
  );
  return {
    envelope,
    events: Object.fromEntries(larger),
    definitions: Object.fromEntries(
      Object.entries(definitions).map(([name, schema]) => [name, widened(schema as Json)]),
    ),
  };
});

function withField(payload: Json): Json {
  if (!isObject(payload)) return payload;
  const properties = own(payload, "properties");
  return {
    ...payload,
    properties: { ...(isObject(properties) ? properties : {}), [TOKEN]: { type: "string" } },
  };
}

/** A schema whose open enumerations have one more value. */
function widened(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(widened);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      keyword === "x-extensible-enum" && Array.isArray(value)
        ? [...(value as readonly Json[]), TOKEN]
        : keyword === "const" || keyword === "enum"
          ? value
          : widened(value),
    ]),
  );
}
