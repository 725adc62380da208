/** A small project, and edits of it by which a cache could be misled. */
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";

/** The texts of the files of a project, by relative path. */
export type ProjectFiles = { readonly [relative: string]: string };

/** A change of a project. */
export interface Edit {
  readonly name: string;
  apply(files: ProjectFiles): ProjectFiles;
}

const ROOT = "schemas/tea/v1";
const SHARED = "../shared/common.schema.json#/$defs";
const TYPES = ["cup.filled", "cup.emptied", "pot.boiled", "pot.lost"];
const DEFINITIONS = ["Name", "Amount", "Person", "Place"];

/** Field schemas, with every way to refer to something outside of the event. */
const FIELDS: readonly JsonObject[] = [
  { type: "string", maxLength: 20 },
  { type: "integer", minimum: 0 },
  { enum: ["a", "b"] },
  { type: "string", "x-extensible-enum": ["a", "b"] },
  { type: "array", items: { $ref: `${SHARED}/Person` } },
  ...DEFINITIONS.map((name) => ({ $ref: `${SHARED}/${name}` })),
  { oneOf: [{ $ref: `${SHARED}/Person` }, { $ref: `${SHARED}/Place` }, { type: "null" }] },
  {
    type: "object",
    properties: { by: { $ref: `${SHARED}/Name` }, "x`|y": { type: "boolean" } },
    required: ["by"],
  },
  { allOf: [{ $ref: `${SHARED}/Person` }], unevaluatedProperties: false },
  { $ref: `${TYPES[3]}.schema.json` },
  {
    type: "object",
    properties: { a: { type: "string", description: "A." } },
    "x-writer": { properties: { a: { minLength: 1 } } },
  },
];

const write = (value: Json): string => JSON.stringify(value, null, 2);

function createEvent(type: string, index: number): JsonObject {
  return {
    title: `Step ${index}`,
    description: `Sent at \`${type}\`.`,
    "x-stability": "stable",
    "x-since": "1.0",
    type: "object",
    properties: {
      first: { description: "The first.", ...FIELDS[index] },
      second: { description: "The second.", ...FIELDS[index + 5] },
      third: { description: "The third.", ...FIELDS.at(-1 - index) },
    },
    required: ["first"],
  };
}

/** Returns a project with a protocol of four event types, whose definitions refer to each other. */
export function createProject(): ProjectFiles {
  const events = TYPES.map((type, index) => [
    `${ROOT}/events/${type}.schema.json`,
    write(createEvent(type, index)),
  ]);
  return {
    "package.json": "{}",
    [`${ROOT}/protocol.json`]: write({
      ...{ name: "tea", major: 1, version: "1.0", title: "Tea", description: "About tea." },
      envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
      stream: { key: ["id"], sequence: "sequence", first: 0 },
    }),
    [`${ROOT}/envelope.schema.json`]: write({
      ...{ title: "Envelope", description: "Around every event.", type: "object" },
      properties: {
        type: { type: "string", description: "What happened." },
        id: { $ref: "shared/common.schema.json#/$defs/Name", description: "Which stream." },
        sequence: { type: "integer", description: "The place in the stream.", minimum: 0 },
        data: { type: "object", description: "The payload.", properties: {} },
      },
      required: ["type", "id", "sequence", "data"],
    }),
    [`${ROOT}/shared/common.schema.json`]: write({
      $defs: {
        Name: { type: "string", description: "A name.", minLength: 1 },
        Amount: { type: "integer", description: "An amount.", minimum: 0 },
        Person: {
          ...{ type: "object", description: "A person." },
          properties: {
            name: { $ref: "#/$defs/Name" },
            at: { $ref: "#/$defs/Place", description: "Where the person is." },
          },
          required: ["name"],
        },
        Place: {
          ...{ type: "object", description: "A place." },
          properties: { name: { type: "string", description: "Its name." } },
        },
      },
    }),
    "fixtures/tea/v1/valid/cup.filled/one.json": write({
      ...{ type: "cup.filled", id: "a", sequence: 0, data: { first: "x" } },
    }),
    ...Object.fromEntries(events),
  };
}

/** Replaces the JSON document in a file, if there is such a file. */
function change(files: ProjectFiles, file: string, edit: (document: JsonObject) => JsonObject): ProjectFiles {
  const document: Json | undefined = files[file] === undefined ? undefined : JSON.parse(files[file]);
  return isObject(document) ? { ...files, [file]: write(edit(document)) } : files;
}

/** Replaces the member of an object at a path; undefined removes it. */
function setMember(document: JsonObject, path: readonly string[], value: Json | undefined): JsonObject {
  const [name = "", ...rest] = path;
  const below = isObject(document[name]) ? document[name] : {};
  const next = rest.length === 0 ? value : setMember(below, rest, value);
  const { [name]: _, ...others } = document;
  return next === undefined ? others : { ...document, [name]: next };
}

/** Edits that each change one thing that a part of the outputs depends on besides its own event type. */
export const FAR_EDITS: readonly (readonly [
  what: string,
  file: string,
  path: readonly string[],
  value: Json,
])[] = [
  ["a definition", "shared/common.schema.json", ["$defs", "Amount", "minimum"], 7],
  ["the text of a definition", "shared/common.schema.json", ["$defs", "Place", "description"], "Elsewhere."],
  [
    "a definition behind another",
    "shared/common.schema.json",
    ["$defs", "Place", "properties", "name", "minLength"],
    2,
  ],
  [
    "the use of unevaluatedItems in any definition",
    "shared/common.schema.json",
    ["$defs", "Amount"],
    { type: "array", description: "Amounts.", prefixItems: [{ type: "string" }], unevaluatedItems: false },
  ],
  [
    "a payload field of the envelope",
    "envelope.schema.json",
    ["properties", "data", "properties"],
    { first: { description: "The first.", type: "string", maxLength: 20 } },
  ],
  ["the place of the payload", "protocol.json", ["envelope", "payload"], { placement: "inline" }],
  ["a heading to which others link", `events/${TYPES[3]}.schema.json`, ["x-type"], "person"],
  ["the title", "protocol.json", ["title"], "Coffee"],
];

/** Returns the files with the member of one of the documents of the protocol replaced. */
export function editProtocol(
  files: ProjectFiles,
  file: string,
  path: readonly string[],
  value: Json,
): ProjectFiles {
  return change(files, `${ROOT}/${file}`, (document) => setMember(document, path, value));
}

const text = fc.constantFrom(
  "Plain.",
  "Other.",
  "With `code` | bar.",
  "Two\n\nparagraphs.",
  "*/ @end",
  "é\u202e",
);
const field = fc.constantFrom(...FIELDS);
const member = fc.constantFrom("first", "second", "third", "name", "id", "__proto__");
const eventFile = fc.constantFrom(...TYPES).map((type) => `${ROOT}/events/${type}.schema.json`);

/** Edits of one member of a document: its file, the path of the member, and its new value. */
const settings: readonly fc.Arbitrary<readonly [string, readonly string[], Json | undefined]>[] = [
  fc.tuple(eventFile, fc.constantFrom(["title"], ["description"]), text),
  fc.tuple(
    eventFile,
    member.map((name) => ["properties", name]),
    field,
  ),
  fc.tuple(
    eventFile,
    member.map((name) => ["properties", name]),
    fc.constant(undefined),
  ),
  fc.tuple(
    eventFile,
    member.map((name) => ["properties", name, "description"]),
    text,
  ),
  fc.tuple(eventFile, fc.constant(["required"]), fc.constantFrom<Json>([], ["second"], ["first", "second"])),
  fc.tuple(eventFile, fc.constant(["x-group"]), fc.constantFrom("cup", "tea-room", undefined)),
  fc.tuple(eventFile, fc.constant(["x-stability"]), fc.constantFrom("experimental", "stable")),
  fc.tuple(eventFile, fc.constant(["x-type"]), fc.constantFrom("cup.renamed", undefined)),
  fc.tuple(eventFile, fc.constant(["examples"]), fc.constantFrom<Json>([{ first: "x" }], [])),
  fc.tuple(
    fc.constant(`${ROOT}/shared/common.schema.json`),
    fc.constantFrom(...DEFINITIONS).map((name) => ["$defs", name, "description"]),
    text,
  ),
  fc.tuple(
    fc.constant(`${ROOT}/shared/common.schema.json`),
    fc.constantFrom(["$defs", "Name", "minLength"], ["$defs", "Amount", "minimum"]),
    fc.integer({ min: 0, max: 3 }),
  ),
  fc.tuple(
    fc.constant(`${ROOT}/shared/common.schema.json`),
    fc.constantFrom(["$defs", "Person", "properties", "at"], ["$defs", "Place", "properties", "extra"]),
    fc.constantFrom<Json>(
      { $ref: "#/$defs/Amount", description: "How much." },
      { $ref: "#/$defs/Person", description: "Who." },
      { type: "array", description: "Items.", prefixItems: [{ type: "string" }], unevaluatedItems: false },
    ),
  ),
  fc.tuple(
    fc.constant(`${ROOT}/envelope.schema.json`),
    fc.constantFrom(["properties", "sequence", "description"], ["description"]),
    text,
  ),
  fc.tuple(
    fc.constant(`${ROOT}/envelope.schema.json`),
    fc.constantFrom(["properties", "data", "properties", "first"], ["properties", "extra"]),
    fc.constantFrom<Json | undefined>({ type: "string", description: "Common." }, undefined),
  ),
  fc.tuple(fc.constant(`${ROOT}/protocol.json`), fc.constantFrom(["title"], ["description"]), text),
  fc.tuple(fc.constant(`${ROOT}/protocol.json`), fc.constant(["version"]), fc.constantFrom("1.0", "1.1")),
  fc.tuple(
    fc.constant(`${ROOT}/protocol.json`),
    fc.constant(["envelope", "payload"]),
    fc.constantFrom<Json>({ placement: "nested", property: "data" }, { placement: "inline" }),
  ),
  fc.tuple(
    fc.constant("fixtures/tea/v1/valid/cup.filled/one.json"),
    fc.constant(["data", "first"]),
    fc.constantFrom("x", "y"),
  ),
];

const setting: fc.Arbitrary<Edit> = fc.oneof(...settings).map(([file, path, value]) => ({
  name: `${file} ${path.join("/")} = ${JSON.stringify(value)}`,
  apply: (files) => change(files, file, (document) => setMember(document, path, value)),
}));

const addition: fc.Arbitrary<Edit> = fc
  .tuple(fc.constantFrom("cup.broken", "pot-cup.filled", "cup.renamed"), fc.nat({ max: 3 }))
  .map(([type, index]) => ({
    name: `add ${type}`,
    apply: (files) => ({
      ...files,
      [`${ROOT}/events/${type}.schema.json`]: write(createEvent(type, index)),
    }),
  }));

const removal: fc.Arbitrary<Edit> = eventFile.map((file) => ({
  name: `remove ${file}`,
  apply: ({ [file]: _, ...others }) => others,
}));

/** Any edit of the files that a user writes. */
export const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 8, arbitrary: setting },
  { weight: 1, arbitrary: addition },
  { weight: 1, arbitrary: removal },
);
