/** Random changes of small protocols: what pull requests do to a contract, and what an adversary would hide in one. */
import { isObject, type Json } from "../../../generator/json.js";
import type { Random } from "../../contain/random.js";
import {
  copyFiles,
  type Draft,
  ENVELOPE,
  eventPath,
  eventTypes,
  layoutOf,
  MANIFEST,
  type ProtocolFiles,
  SHARED,
} from "./protocol-files.js";
import {
  DEFINITIONS,
  labelled,
  randomEvent,
  randomObject,
  randomScalar,
  randomSchema,
  resolveReferences,
  STABILITIES,
} from "./random-protocol.js";

// biome-ignore lint/suspicious/noExplicitAny: a schema that mutations change in place
type Editable = { [keyword: string]: any };

/** A schema in a draft and what it is. */
interface Place {
  readonly file: string;
  readonly pointer: string;
  readonly schema: Editable;
  readonly kind: "root" | "field" | "item" | "branch" | "definition" | "other";
  /** Whether it or a schema around it has a label. */
  readonly isLabelled: boolean;
  /** Replaces the schema. */
  readonly replace: (schema: Json) => void;
}

type Context = { readonly random: Random; readonly draft: Draft };

/** Whether a mutation changed something; false where it does not apply. */
// biome-ignore lint/suspicious/noConfusingVoidType: most mutations apply wherever they are tried and return nothing
type Applied = boolean | void;

type SchemaMutation = (place: Place, context: Context) => Applied;

/** A change of the protocol as a whole. */
type ProtocolMutation = (context: Context) => Applied;

const isFields = ({ schema }: Place): boolean => isObject(schema.properties);
const EXPERIMENTAL = { "x-stability": "experimental" };

function names({ schema }: Place): string[] {
  return Object.keys(schema.properties ?? {});
}

function require(schema: Editable, name: string): void {
  schema.required = [...new Set([...(schema.required ?? []), name])];
}

function unrequire(schema: Editable, name: string): void {
  schema.required = (schema.required ?? []).filter((each: string) => each !== name);
  if (schema.required.length === 0) delete schema.required;
}

/** The field that an object mutation is about, never one that the layout of messages names. */
function pickField(place: Place, { random, draft }: Context): string | undefined {
  const { discriminator, property } = layoutOf(draft as ProtocolFiles);
  const fixed = place.file === ENVELOPE ? [discriminator, property] : [];
  const free = names(place).filter((name) => !fixed.includes(name));
  return free.length > 0 ? random.pick(free) : undefined;
}

const NEW_FIELDS = ["fresh", "added", "tenant"];

function addField(place: Place, { random }: Context, isRequired: boolean, label: object): boolean {
  const name = random.pick(NEW_FIELDS);
  if (!isFields(place) || names(place).includes(name)) return false;
  place.schema.properties[name] = { ...randomSchema(random, 1), description: "New.", ...label };
  if (isRequired) require(place.schema, name);
  return true;
}

function onField(
  change: (schema: Editable, name: string, context: Context, place: Place) => Applied,
): SchemaMutation {
  return (place, context) => {
    const name = isFields(place) ? pickField(place, context) : undefined;
    return name === undefined ? false : change(place.schema, name, context, place);
  };
}

const BOUNDS = [
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "multipleOf"],
  ...["minProperties", "maxProperties", "exclusiveMinimum", "exclusiveMaximum"],
];
const NEW_BOUNDS: { readonly [type: string]: readonly string[] } = {
  string: ["minLength", "maxLength"],
  integer: ["minimum", "maximum", "multipleOf", "exclusiveMinimum"],
  number: ["minimum", "maximum", "multipleOf"],
  array: ["minItems", "maxItems", "uniqueItems"],
  object: ["minProperties", "maxProperties"],
};

/** Changes of one schema, by name. */
export const SCHEMA_MUTATIONS: { readonly [name: string]: SchemaMutation } = {
  "add an optional field": (place, context) => addField(place, context, false, {}),
  "add an optional experimental field": (place, context) => addField(place, context, false, EXPERIMENTAL),
  "add a required field": (place, context) => addField(place, context, true, {}),
  "add a required experimental field": (place, context) => addField(place, context, true, EXPERIMENTAL),
  "remove a field": onField((schema, name) => {
    delete schema.properties[name];
    unrequire(schema, name);
  }),
  "remove a field with a tombstone": onField((schema, name, { draft }, { file }) => {
    delete schema.properties[name];
    unrequire(schema, name);
    bury(draft, { kind: "field", name, ...(file.startsWith("events/") && { in: typeOf(file) }) });
  }),
  "rename a field": onField((schema, name, { random }) => {
    const to = random.pick(NEW_FIELDS);
    if (schema.properties[to] !== undefined) return false;
    const declared = random.chance(0.5) ? { "x-renamed-from": name } : {};
    schema.properties[to] = { ...schema.properties[name], ...declared };
    delete schema.properties[name];
    if (schema.required?.includes(name)) require(schema, to);
    unrequire(schema, name);
  }),
  "require a field": onField((schema, name) => {
    if (schema.required?.includes(name)) return false;
    require(schema, name);
  }),
  "make a field optional": onField((schema, name) => {
    if (!schema.required?.includes(name)) return false;
    unrequire(schema, name);
  }),
  "replace a field": onField((schema, name, { random }) => {
    const label = schema.properties[name]?.["x-stability"];
    schema.properties[name] = {
      ...randomSchema(random, 1),
      description: "Other.",
      ...(label !== undefined && random.chance(0.7) && { "x-stability": label }),
    };
  }),
  "label a field": onField((schema, name, { random }) => {
    schema.properties[name]["x-stability"] = random.pick(STABILITIES);
  }),
  "make one field depend on another": onField((schema, name, { random }) => {
    const other = random.pick(Object.keys(schema.properties));
    if (other === name) return false;
    schema.dependentRequired = { ...schema.dependentRequired, [name]: [other] };
  }),
  "add a condition": onField((schema, name, { random }, { file }) => {
    if (schema.if !== undefined || file === ENVELOPE) return false;
    const other = random.pick(Object.keys(schema.properties));
    schema.if = random.chance(0.5) ? { required: [name] } : { properties: { [name]: { const: "x" } } };
    schema[random.pick(["then", "else"])] = random.chance(0.5)
      ? { required: [other] }
      : { properties: { [other]: randomScalar(random) } };
  }),
  "drop a condition": ({ schema }) => {
    const condition = ["if", "dependentRequired", "not", "propertyNames", "contains"].filter(
      (k) => k in schema,
    );
    if (condition.length === 0) return false;
    for (const keyword of [...condition, "then", "else"]) delete schema[keyword];
  },
  "forbid a field": onField((schema, name, { random }, { file }) => {
    if (schema.not !== undefined || file === ENVELOPE) return false;
    schema.not = random.chance(0.5)
      ? { required: [name] }
      : { properties: { [name]: { const: "x" } }, required: [name] };
  }),
  "limit the names": (place, { random }) => {
    if (!isFields(place) || place.kind === "root") return false;
    place.schema.propertyNames = random.chance(0.5) ? { maxLength: 4 } : { pattern: "^[a-z]" };
  },
  "open or close an object": ({ schema, kind, file }, { random }) => {
    if (!isObject(schema.properties) || (kind === "root" && file === ENVELOPE)) return false;
    if (schema.additionalProperties !== undefined) delete schema.additionalProperties;
    else schema.additionalProperties = random.chance(0.6) ? true : randomScalar(random);
  },
  "wrap the fields in allOf": ({ schema, file }) => {
    if (!isObject(schema.properties) || file === ENVELOPE || schema.additionalProperties !== undefined)
      return false;
    const { properties, required } = schema;
    schema.allOf = [...(schema.allOf ?? []), { properties, ...(required && { required }) }];
    delete schema.properties;
    delete schema.required;
  },
  "move a bound": ({ schema }, { random }) => {
    const present = BOUNDS.filter((keyword) => typeof schema[keyword] === "number");
    if (present.length === 0) return false;
    const keyword = random.pick(present);
    schema[keyword] = Math.max(keyword === "multipleOf" ? 1 : 0, schema[keyword] + random.pick([-1, 1]));
  },
  "drop a bound": ({ schema }, { random }) => {
    const present = [...BOUNDS, "pattern", "uniqueItems"].filter((keyword) => schema[keyword] !== undefined);
    if (present.length === 0) return false;
    delete schema[random.pick(present)];
  },
  "add a bound": ({ schema, kind, file }, { random }) => {
    const type = [schema.type].flat().find((each) => NEW_BOUNDS[String(each)]);
    if (type === undefined || (kind === "root" && file === ENVELOPE)) return false;
    const keyword = random.pick(NEW_BOUNDS[type] ?? []);
    if (schema[keyword] !== undefined) return false;
    schema[keyword] = keyword === "uniqueItems" ? true : 1 + random.below(3);
  },
  "change the type": (place, { random }) => {
    const { schema } = place;
    if (schema.type === undefined || place.kind === "root") return false;
    schema.type = random.pick(["string", "integer", "number", "boolean", "array", "object"]);
  },
  "widen the type": ({ schema, kind }, { random }) => {
    if (schema.type === undefined || kind === "root") return false;
    const more = random.pick(["null", "null", "integer", "number", "boolean", "string", "object"]);
    schema.type = [...new Set([schema.type, more].flat())];
  },
  "narrow the type": ({ schema }, { random }) => {
    if (!Array.isArray(schema.type) || schema.type.length < 2) return false;
    schema.type = random.pick(schema.type);
  },
  "drop the type": ({ schema, kind }) => {
    if (kind === "root" || schema.type === undefined) return false;
    delete schema.type;
  },
  "change the values": ({ schema }, { random }) => {
    const keyword = ["enum", "x-extensible-enum"].find((each) => Array.isArray(schema[each]));
    if (keyword === undefined) {
      if (schema.const === undefined) return false;
      if (random.chance(0.5)) schema.const = random.pick(["x", "y", "ab", 1]);
      else {
        schema.enum = [schema.const, "new"];
        delete schema.const;
      }
      return true;
    }
    const values: Json[] = schema[keyword];
    const kept = random.chance(0.5) ? values : values.slice(1);
    schema[keyword] = kept.length === 0 || random.chance(0.6) ? [...kept, random.pick(["new", "ab1"])] : kept;
    return JSON.stringify(values) !== JSON.stringify(schema[keyword]);
  },
  "open or close an enum": ({ schema }) => {
    const [from, to] = Array.isArray(schema.enum)
      ? ["enum", "x-extensible-enum"]
      : ["x-extensible-enum", "enum"];
    if (!Array.isArray(schema[from])) return false;
    schema[to] = schema[from];
    delete schema[from];
    schema.type ??= "string";
  },
  "change the writer's rule": ({ schema, kind }, { random }) => {
    if (schema["x-writer"] !== undefined) {
      if (random.chance(0.5)) delete schema["x-writer"];
      else schema["x-writer"] = { maxLength: 1 };
    } else if (kind !== "root")
      schema["x-writer"] = random.pick([{ maxLength: 2 }, { minimum: 2 }, { not: { const: "x" } }]);
    else return false;
  },
  "label or unlabel": ({ schema, kind }, { random }) => {
    if (kind === "branch") return false;
    if (schema["x-stability"] !== undefined && kind !== "root" && random.chance(0.5))
      delete schema["x-stability"];
    else schema["x-stability"] = random.pick(STABILITIES);
  },
  "add an alternative": ({ schema }, { random }) => {
    const keyword = ["anyOf", "oneOf"].find((each) => Array.isArray(schema[each]));
    if (keyword === undefined) return false;
    schema[keyword].push(random.pick([{ type: "null" }, { type: "boolean" }, randomObject(random, 0)]));
  },
  "remove an alternative": ({ schema }) => {
    const keyword = ["anyOf", "oneOf", "allOf"].find((each) => schema[each]?.length > 1);
    if (keyword === undefined) return false;
    schema[keyword].pop();
  },
  "exchange anyOf and oneOf": ({ schema }) => {
    const [from, to] = Array.isArray(schema.anyOf) ? ["anyOf", "oneOf"] : ["oneOf", "anyOf"];
    if (!Array.isArray(schema[from])) return false;
    schema[to] = schema[from];
    delete schema[from];
  },
  "offer an alternative": ({ schema, kind, replace }, { random }) => {
    if (kind !== "field" && kind !== "item") return false;
    const { description, "x-stability": label, ...rest } = schema;
    replace({
      ...{ [random.pick(["anyOf", "oneOf"])]: [rest, randomScalar(random)], description },
      ...(label !== undefined && { "x-stability": label }),
    });
  },
  "change the items": ({ schema }, { random }) => {
    if (schema.items === undefined && schema.prefixItems === undefined) return false;
    const choice = random.below(4);
    if (choice === 0 && isObject(schema.items)) {
      schema.prefixItems = [schema.items];
      delete schema.items;
    } else if (choice === 1) schema.contains = randomScalar(random);
    else if (schema.items !== undefined) schema.items = labelled(random, randomSchema(random, 0));
    else schema.prefixItems[0] = labelled(random, randomSchema(random, 0));
  },
  "describe the fields of any value": ({ schema, kind }, { random }) => {
    const isFree = ["type", "properties", "$ref", "const", "enum", "items"].every(
      (each) => schema[each] === undefined,
    );
    if (!isFree || (kind !== "field" && kind !== "item")) return false;
    schema.properties = randomObject(random, 0).properties;
  },
  "change a hidden rule": ({ schema, kind }, { random }) => {
    if (kind === "root" || kind === "branch") return false;
    const rule = random.pick([
      { maxLength: 2 },
      { multipleOf: 2 },
      { pattern: "^x" },
      { minProperties: 1 },
      { minItems: 1 },
    ]);
    const list: Json[] = schema.allOf ?? [];
    schema.allOf = random.chance(0.5) ? [...list, rule] : [...list, { not: rule }];
  },
  "refer to a definition": ({ kind, replace, schema }, { random }) => {
    if (kind !== "field" && kind !== "item") return false;
    const label = schema["x-stability"];
    replace({
      ...{ $ref: `definition:${random.pick(DEFINITIONS)}`, description: "Shared." },
      ...(label !== undefined && random.chance(0.5) && { "x-stability": label }),
    });
  },
  "extract a definition": ({ kind, schema, replace }, { random, draft }) => {
    if (kind !== "field" || schema.$ref !== undefined || JSON.stringify(schema).includes("$ref"))
      return false;
    const { description, ...rest } = schema;
    draft[SHARED].$defs.Extracted = rest;
    replace({ $ref: "definition:Extracted", ...(random.chance(0.5) && { description }) });
  },
};

/** Changes of the protocol as a whole, by name. */
export const PROTOCOL_MUTATIONS: { readonly [name: string]: ProtocolMutation } = {
  "remove an event type": ({ draft, random }) => {
    const types = eventTypes(draft as ProtocolFiles);
    const type = random.pick(types);
    if (types.length < 2) return false;
    delete draft[eventPath(type)];
    if (random.chance(0.5)) bury(draft, { kind: "event", name: type });
  },
  "remove a resource": ({ draft }) => {
    const path = Object.keys(draft).find((each) => each.startsWith("resources/"));
    if (path === undefined) return false;
    delete draft[path];
  },
  "rename an event type": ({ draft, random }) => {
    const type = random.pick(eventTypes(draft as ProtocolFiles));
    const declared = random.chance(0.5) ? { "x-renamed-from": type } : {};
    draft[eventPath("cup.broken")] = { ...draft[eventPath(type)], ...declared };
    delete draft[eventPath(type)];
  },
  "add an event type": ({ draft, random }) => {
    draft[eventPath("tea.poured")] = randomEvent(
      random,
      "tea.poured",
      layoutOf(draft as ProtocolFiles).placement,
    );
  },
  "move a field into the envelope": ({ draft, random }) => {
    const event = draft[eventPath(random.pick(eventTypes(draft as ProtocolFiles)))];
    const [name] = Object.keys(event.properties ?? {});
    if (name === undefined) return false;
    draft[ENVELOPE].properties[name] = event.properties[name];
    if (event.required?.includes(name)) require(draft[ENVELOPE], name);
    delete event.properties[name];
    unrequire(event, name);
  },
  "rename the discriminator": ({ draft }) => {
    const envelope = draft[ENVELOPE];
    if (envelope.properties.type === undefined) return false;
    envelope.properties.event_type = envelope.properties.type;
    delete envelope.properties.type;
    unrequire(envelope, "type");
    require(envelope, "event_type");
    draft[MANIFEST].envelope.discriminator = "event_type";
  },
  "limit the discriminator": ({ draft, random }) => {
    draft[ENVELOPE].properties[draft[MANIFEST].envelope.discriminator] = {
      ...{ type: "string", description: "What happened." },
      ...random.pick([
        { maxLength: 40 },
        { pattern: "^[a-z.]+$" },
        { enum: eventTypes(draft as ProtocolFiles) },
      ]),
    };
  },
  "rename the payload property": ({ draft }) => {
    const { placement, property } = layoutOf(draft as ProtocolFiles);
    const envelope = draft[ENVELOPE];
    if (placement !== "nested" || property === undefined || property === "body") return false;
    envelope.properties.body = envelope.properties[property];
    delete envelope.properties[property];
    unrequire(envelope, property);
    require(envelope, "body");
    draft[MANIFEST].envelope.payload.property = "body";
  },
  "rename a payload key": ({ draft }) => {
    const event = Object.values(draft).find((each) => each["x-payload-property"] !== undefined);
    if (!event) return false;
    event["x-payload-property"] = "body";
  },
  "give every payload a field": ({ draft, random }) => {
    const { property } = layoutOf(draft as ProtocolFiles);
    const data = draft[ENVELOPE].properties[property ?? ""];
    if (data === undefined) return false;
    data.properties = { ...data.properties, everywhere: labelled(random, randomSchema(random, 0)) };
    if (random.chance(0.5)) require(data, "everywhere");
  },
  "change a definition": ({ draft, random }) => {
    const definitions = draft[SHARED].$defs;
    const name = random.pick(DEFINITIONS);
    const label = definitions[name]["x-stability"];
    definitions[name] = {
      ...(name === "Place" ? randomObject(random, 0) : randomScalar(random)),
      ...(label !== undefined && { "x-stability": label }),
    };
  },
};

function bury(draft: Draft, tombstone: object): void {
  const manifest = draft[MANIFEST];
  manifest.tombstones = [
    ...(manifest.tombstones ?? []),
    { ...tombstone, removedIn: manifest.version, reason: "Nobody drinks it." },
  ];
}

function typeOf(file: string): string {
  return file.slice("events/".length, -".schema.json".length);
}

/** A changed protocol and what was changed. */
export interface Mutated {
  readonly files: ProtocolFiles;
  readonly mutations: readonly string[];
}

/** Which mutation is made, and of which schema; without a place it is one of the protocol as a whole. */
interface Choice {
  readonly name: string;
  readonly place?: Pick<Place, "file" | "pointer">;
}

/** Changes a copy of a protocol `count` times; the copy is the version `1.<minor>`. */
export function mutateProtocol(random: Random, files: ProtocolFiles, minor: number, count: number): Mutated {
  const draft = copyFiles(files);
  draft[MANIFEST].version = `1.${minor}`;
  const made: Choice[] = [];
  for (let tries = 0; made.length < count && tries < count * 30; tries++) {
    const choice = chooseMutation(random, draft);
    if (applyMutation(choice, { random, draft })) made.push(choice);
  }
  return { files: resolveReferences(draft), mutations: made.map(describeChoice) };
}

/** Two versions that differ from a protocol by the same mutation at the same place, made with other details. */
export function mutateAlike(random: Random, files: ProtocolFiles): readonly [Mutated, Mutated] {
  for (;;) {
    const choice = chooseMutation(random, copyFiles(files));
    const [one, two] = [copyFiles(files), copyFiles(files)];
    for (const draft of [one, two]) draft[MANIFEST].version = "1.1";
    if (!applyMutation(choice, { random, draft: one })) continue;
    if (!applyMutation(choice, { random, draft: two })) continue;
    const mutations = [describeChoice(choice)];
    return [
      { files: resolveReferences(one), mutations },
      { files: resolveReferences(two), mutations },
    ];
  }
}

function describeChoice({ name, place }: Choice): string {
  return place ? `${name} at ${place.file}#${place.pointer}` : name;
}

function chooseMutation(random: Random, draft: Draft): Choice {
  if (random.chance(0.08)) return { name: random.pick(Object.keys(PROTOCOL_MUTATIONS)) };
  const places = placesOf(draft);
  // Labelled parts and what surrounds them are where holes would be.
  const near = places.filter(({ isLabelled, schema }) => isLabelled || hasLabel(schema));
  const place = random.pick(near.length > 0 && random.chance(0.4) ? near : places);
  return { name: random.pick(Object.keys(SCHEMA_MUTATIONS)), place };
}

function applyMutation({ name, place }: Choice, context: Context): boolean {
  if (!place) return PROTOCOL_MUTATIONS[name]?.(context) !== false;
  const found = placesOf(context.draft).find(
    ({ file, pointer }) => file === place.file && pointer === place.pointer,
  );
  return found !== undefined && SCHEMA_MUTATIONS[name]?.(found, context) !== false;
}

function hasLabel({ properties, items }: Editable): boolean {
  const below: unknown[] = [...Object.values(properties ?? {}), items];
  return below.some((each) => isObject(each as Json) && "x-stability" in (each as Editable));
}

function placesOf(draft: Draft): Place[] {
  return Object.entries(draft).flatMap(([file, document]) => {
    if (file === MANIFEST) return [];
    if (file !== SHARED)
      return [...walk({ file, pointer: "", schema: document, kind: "root" }, false, () => {})];
    const definitions: Editable = document.$defs;
    return Object.entries(definitions).flatMap(([name, schema]) => {
      const replace = (value: Json) => {
        definitions[name] = value;
      };
      return [...walk({ file, pointer: `/$defs/${name}`, schema, kind: "definition" }, false, replace)];
    });
  });
}

const KINDS: { readonly [keyword: string]: Place["kind"] } = {
  ...{ properties: "field", items: "item", prefixItems: "item", additionalProperties: "item" },
  ...{ allOf: "branch", anyOf: "branch", oneOf: "branch", then: "branch", else: "branch" },
  ...{ dependentSchemas: "branch", patternProperties: "item", "x-writer": "other" },
  ...{ not: "other", if: "other", contains: "other", propertyNames: "other" },
};

const MAPS = ["properties", "patternProperties", "dependentSchemas"];

function* walk(
  here: Pick<Place, "file" | "pointer" | "schema" | "kind">,
  around: boolean,
  replace: (schema: Json) => void,
): Generator<Place> {
  const { file, pointer, schema, kind } = here;
  if (!isObject(schema as Json)) return;
  const isLabelled = around || (kind !== "root" && schema["x-stability"] !== undefined);
  yield { ...here, isLabelled, replace };
  for (const [keyword, value] of Object.entries(schema)) {
    const below = KINDS[keyword];
    if (below === undefined || typeof value !== "object" || value === null) continue;
    const isSchema = !Array.isArray(value) && !MAPS.includes(keyword);
    const members: [string, Editable][] = isSchema ? [["", value]] : Object.entries(value);
    for (const [key, member] of members) {
      const at = `${pointer}/${keyword}${isSchema ? "" : `/${key}`}`;
      const put = (changed: Json) => {
        if (isSchema) schema[keyword] = changed;
        else value[key] = changed;
      };
      yield* walk({ file, pointer: at, schema: member, kind: below }, isLabelled, put);
    }
  }
}

/** Changes that only add: whatever the stability, they must pass. */
export const ADDITIONS: { readonly [name: string]: ProtocolMutation } = {
  "add an optional field": (context) => {
    const isOpen = Object.values(context.draft).some(
      (document) => document.additionalProperties !== undefined,
    );
    const closed = placesOf(context.draft).filter(
      (place) => isFields(place) && isPlainObject(place) && !(isOpen && place.file === ENVELOPE),
    );
    return closed.length > 0 && addField(context.random.pick(closed), context, false, {});
  },
  "add an event type": (context) => PROTOCOL_MUTATIONS["add an event type"]?.(context),
  "add a known value": ({ draft, random }) => {
    const open = placesOf(draft).filter(({ schema }) => Array.isArray(schema["x-extensible-enum"]));
    if (open.length === 0) return false;
    const { schema } = random.pick(open);
    schema["x-extensible-enum"].push("brand_new");
  },
  "add a definition": ({ draft, random }) => {
    draft[SHARED].$defs.Unused = randomObject(random, 0);
  },
  "add a resource": ({ draft, random }) => {
    draft["resources/extra.schema.json"] = {
      ...{ title: "More", description: "Something else." },
      ...randomObject(random, 1),
    };
  },
  reword: ({ draft, random }) => {
    random.pick(placesOf(draft)).schema.description = "Said better.";
  },
};

/** An object that takes one more optional field without any other effect. */
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

/** A copy with one addition. */
export function addToProtocol(random: Random, files: ProtocolFiles): Mutated {
  for (;;) {
    const draft = copyFiles(files);
    draft[MANIFEST].version = "1.1";
    const name = random.pick(Object.keys(ADDITIONS));
    if (ADDITIONS[name]?.({ random, draft }) === false) continue;
    return { files: resolveReferences(draft), mutations: [name] };
  }
}
