/** Mutations of whole protocols, and mutations that only add. */
import {
  ENVELOPE,
  getEventPath,
  listEventTypes,
  MANIFEST,
  type ProtocolFiles,
  readLayout,
  SHARED,
} from "./protocol-files.js";
import {
  addRandomLabel,
  createRandomEvent,
  createRandomObject,
  createRandomScalar,
  createRandomSchema,
  DEFINITIONS,
} from "./random-protocol.js";
import {
  addField,
  addTombstone,
  hasFields,
  type MutationContext,
  type MutationResult,
  makeFieldOptional,
  requireField,
} from "./schema-mutations.js";
import { listSchemaPlaces, type Place } from "./schema-places.js";

/** A change of a whole protocol. */
export type ProtocolMutation = (context: MutationContext) => MutationResult;

/** Changes of a whole protocol, by name. */
export const PROTOCOL_MUTATIONS: { readonly [name: string]: ProtocolMutation } = {
  "remove an event type": ({ draft, random }) => {
    const types = listEventTypes(draft as ProtocolFiles);
    const type = random.pick(types);
    if (types.length < 2) return false;
    delete draft[getEventPath(type)];
    if (random.chance(0.5)) addTombstone(draft, { kind: "event", name: type });
  },
  "remove a resource": ({ draft }) => {
    const path = Object.keys(draft).find((each) => each.startsWith("resources/"));
    if (path === undefined) return false;
    delete draft[path];
  },
  "rename an event type": ({ draft, random }) => {
    const type = random.pick(listEventTypes(draft as ProtocolFiles));
    const declared = random.chance(0.5) ? { "x-renamed-from": type } : {};
    draft[getEventPath("cup.broken")] = { ...draft[getEventPath(type)], ...declared };
    delete draft[getEventPath(type)];
  },
  "add an event type": ({ draft, random }) => {
    draft[getEventPath("tea.poured")] = createRandomEvent(
      random,
      "tea.poured",
      readLayout(draft as ProtocolFiles).placement,
    );
  },
  "move a field into the envelope": ({ draft, random }) => {
    const event = draft[getEventPath(random.pick(listEventTypes(draft as ProtocolFiles)))];
    const [name] = Object.keys(event.properties ?? {});
    if (name === undefined) return false;
    draft[ENVELOPE].properties[name] = event.properties[name];
    if (event.required?.includes(name)) requireField(draft[ENVELOPE], name);
    delete event.properties[name];
    makeFieldOptional(event, name);
  },
  "rename the discriminator": ({ draft }) => {
    const envelope = draft[ENVELOPE];
    if (envelope.properties.type === undefined) return false;
    envelope.properties.event_type = envelope.properties.type;
    delete envelope.properties.type;
    makeFieldOptional(envelope, "type");
    requireField(envelope, "event_type");
    draft[MANIFEST].envelope.discriminator = "event_type";
  },
  "limit the discriminator": ({ draft, random }) => {
    draft[ENVELOPE].properties[draft[MANIFEST].envelope.discriminator] = {
      type: "string",
      description: "What happened.",
      ...random.pick([
        { maxLength: 40 },
        { pattern: "^[a-z.]+$" },
        { enum: listEventTypes(draft as ProtocolFiles) },
      ]),
    };
  },
  "rename the payload property": ({ draft }) => {
    const { placement, property } = readLayout(draft as ProtocolFiles);
    const envelope = draft[ENVELOPE];
    if (placement !== "nested" || property === undefined || property === "body") return false;
    envelope.properties.body = envelope.properties[property];
    delete envelope.properties[property];
    makeFieldOptional(envelope, property);
    requireField(envelope, "body");
    draft[MANIFEST].envelope.payload.property = "body";
  },
  "rename a payload key": ({ draft }) => {
    const event = Object.values(draft).find((each) => each["x-payload-property"] !== undefined);
    if (!event) return false;
    event["x-payload-property"] = "body";
  },
  "give every payload a field": ({ draft, random }) => {
    const { property } = readLayout(draft as ProtocolFiles);
    const data = draft[ENVELOPE].properties[property ?? ""];
    if (data === undefined) return false;
    data.properties = {
      ...data.properties,
      everywhere: addRandomLabel(random, createRandomSchema(random, 0)),
    };
    if (random.chance(0.5)) requireField(data, "everywhere");
  },
  "change a definition": ({ draft, random }) => {
    const definitions = draft[SHARED].$defs;
    const name = random.pick(DEFINITIONS);
    const label = definitions[name]["x-stability"];
    definitions[name] = {
      ...(name === "Place" ? createRandomObject(random, 0) : createRandomScalar(random)),
      ...(label !== undefined && { "x-stability": label }),
    };
  },
};

/** Changes that only add. They must pass whatever the stability is. */
export const ADDITIONS: { readonly [name: string]: ProtocolMutation } = {
  "add an optional field": (context) => {
    const isOpen = Object.values(context.draft).some(
      (document) => document.additionalProperties !== undefined,
    );
    const closed = listSchemaPlaces(context.draft).filter(
      (place) => hasFields(place) && isPlainObject(place) && !(isOpen && place.file === ENVELOPE),
    );
    return closed.length > 0 && addField(context.random.pick(closed), context, false, {});
  },
  "add an event type": (context) => PROTOCOL_MUTATIONS["add an event type"]?.(context),
  "add a known value": ({ draft, random }) => {
    const open = listSchemaPlaces(draft).filter(({ schema }) => Array.isArray(schema["x-extensible-enum"]));
    if (open.length === 0) return false;
    const { schema } = random.pick(open);
    schema["x-extensible-enum"].push("brand_new");
  },
  "add a definition": ({ draft, random }) => {
    draft[SHARED].$defs.Unused = createRandomObject(random, 0);
  },
  "add a resource": ({ draft, random }) => {
    draft["resources/extra.schema.json"] = {
      title: "More",
      description: "Something else.",
      ...createRandomObject(random, 1),
    };
  },
  reword: ({ draft, random }) => {
    random.pick(listSchemaPlaces(draft)).schema.description = "Said better.";
  },
};

/** Returns true if one more optional field has no other effect on the schema. */
function isPlainObject({ schema, kind, pointer }: Place): boolean {
  const allowed = ["type", "properties", "required", "title", "description", "x-stability", "x-since"];
  return (
    kind !== "branch" &&
    !/\/(anyOf|oneOf|then|else|allOf|not|if|contains|propertyNames|dependentSchemas|x-writer)\b/.test(
      pointer,
    ) &&
    Object.keys(schema).every((keyword) => [...allowed, "x-payload-property"].includes(keyword))
  );
}
