/** Makes a protocol from JSON Schemas: from a union of events, or from several schemas of one event each. */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import type { OutputFile } from "../protocol/protocol.js";
import { type Definitions, targetName } from "../schema/reference.js";
import { counted } from "../text.js";
import { type Bundle, bundle, type Documents, MADE, statedDialect } from "./bundle.js";
import { isSealed } from "./closed-objects.js";
import { describeRenames, describeWrapper, toEventTypes } from "./event-types.js";
import { ImportError } from "./import-error.js";
import { type EventNames, nameEvents } from "./name-events.js";
import { Notes } from "./notes.js";
import { type Opening, openObjects } from "./open-objects.js";
import { type Parts, WRAPPER, wrapperText } from "./protocol-files.js";
import { fixedFields, type Leaf, leavesOf } from "./union.js";
import { type Upgraded, upgrade } from "./upgrade.js";

/** The name of the new protocol, and how to read the schemas. */
export interface ImportSettings {
  readonly name: string;
  readonly version: string;
  /** Whether writers may send fields that the schemas do not list. The default is false. */
  readonly open?: boolean;
}

/** A protocol that was made from something else. */
export interface Imported {
  readonly parts: Parts;
  /** What was recognised and what was changed, a sentence each. */
  readonly notes: readonly string[];
  /** The original schemas of the events, for a comparison; absent if there were none. */
  readonly originals?: Originals;
  /** Fixtures. Their paths are below the folder of all fixtures. */
  readonly fixtures: readonly OutputFile[];
}

/** The original schemas of the events within a bundle, by event type. */
export interface Originals {
  readonly bundle: Bundle;
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** Whether writers may send less than the original accepts: no fields that it does not list. */
  readonly narrower: boolean;
}

/** What is known about a union besides its text. */
interface UnionFacts {
  /** The file or folder, as the user named it. */
  readonly source: string;
  /** The least number of events. */
  readonly least: number;
  /** What the names of its alternatives are, for people. */
  readonly namesAre: string;
}

/** Imports the union in `file`, or at the fragment in it. Throws an ImportError if it is none, or if its events look alike. */
export function importUnion(
  file: string,
  documents: Documents,
  settings: ImportSettings,
  fragment?: string,
): Imported {
  const facts = { source: file, least: 2, namesAre: "the name of the definition" };
  if (fragment === undefined) return importBundle(bundle(file, documents), settings, facts);
  const $ref = `${encodeURIComponent(file)}#${fragment}`;
  const $schema = statedDialect(documents.read(file));
  const union = { ...($schema !== undefined && { $schema }), $ref };
  return importMade(union, documents, settings, { ...facts, source: `${file}#${fragment}` });
}

/** Imports a union that is in no file. Its references are relative to the folder of the documents. */
export function importMade(
  union: JsonObject,
  documents: Documents,
  settings: ImportSettings,
  facts: UnionFacts,
): Imported {
  const read = (file: string): Json | undefined => (file === MADE ? union : documents.read(file));
  return importBundle(bundle(MADE, { ...documents, read }), settings, facts);
}

function importBundle(
  source: Bundle,
  { name, version, open = false }: ImportSettings,
  facts: UnionFacts,
): Imported {
  const file = facts.source;
  const notes = new Notes();
  const upgraded = upgrade(source, notes);
  const originals = leavesOf(source.schema, source.definitions);
  const leaves = leavesOf(upgraded.schema, upgraded.definitions);
  const names = nameLeaves(leaves, upgraded.definitions, facts);
  if (originals.length !== leaves.length)
    throw new ImportError(`${file}: its alternatives cannot be distinguished in ${source.dialect}.`);
  const eventTypes = toEventTypes(names.types);
  // If a type is not the name in the message, the type needs an envelope around the message.
  const field = eventTypes.renamed.size > 0 ? undefined : names.field;
  const { types } = eventTypes;
  const { narrower, ...contents } = makePayloads(leaves, field, types, upgraded, { all: open, notes });
  const layout = field === undefined ? WRAPPER : { discriminator: field };
  return {
    parts: { name, version, ...contents, source: file, layout, stability: "candidate" },
    notes: [
      ...describeUnion(file, source, names, field),
      ...describeRenames(eventTypes),
      ...notes.list(),
      ...(field === undefined ? [describeWrapper(eventTypes)] : []),
    ],
    originals: {
      bundle: source,
      narrower,
      schemas: new Map(originals.map(({ schema }, i) => [types[i] ?? "", schema])),
    },
    fixtures: [],
  };
}

function nameLeaves(
  leaves: readonly Leaf[],
  definitions: Definitions,
  { source, least, namesAre }: UnionFacts,
): EventNames {
  if (leaves.length < least)
    throw new ImportError(
      `${source} is not a union of events: its root has no oneOf or anyOf with at least two alternatives.`,
    );
  const fixed = leaves.map(({ schema }) => fixedFields(schema, definitions));
  const names = nameEvents(leaves, fixed, namesAre);
  if (!names)
    throw new ImportError(
      `${source}: its ${leaves.length} alternatives cannot be distinguished: they have no required field with a different constant each, and no names.`,
    );
  return names;
}

/** Returns the payload of each event: its whole message, or without `field`, which holds the event type. */
function makePayloads(
  leaves: readonly Leaf[],
  field: string | undefined,
  types: readonly string[],
  { definitions }: Upgraded,
  opening: Opening,
): Pick<Parts, "events" | "definitions"> & Pick<Originals, "narrower"> {
  const roots = leaves.map(({ schema }) =>
    field === undefined
      ? { schema, isClosed: false, hasOtherFields: false }
      : {
          schema: withoutField(schema, field, definitions),
          isClosed: isSealed(schema, definitions),
          hasOtherFields: true,
        },
  );
  const { schemas, ...opened } = openObjects(roots, definitions, opening);
  const events = types.map((type, i) => ({ type, payload: schemas[i] ?? {} }));
  return { ...opened, events: events.sort((a, b) => (a.type < b.type ? -1 : 1)) };
}

/** Returns `schema` without the field `name`. Definitions and members of `allOf` that declare it are copied. */
function withoutField(
  schema: JsonObject,
  name: string,
  definitions: Definitions,
  open: readonly Json[] = [],
): JsonObject {
  if (open.includes(schema)) return schema;
  const copy = (part: Json): Json =>
    isObject(part) ? withoutField(part, name, definitions, [...open, schema]) : part;
  const { properties, required, additionalProperties, $ref: _copied, ...rest } = schema;
  const target = targetName(schema);
  const definition = target === undefined ? undefined : own(definitions, target);
  const fields = isObject(properties) && Object.entries(properties).filter(([each]) => each !== name);
  const needed = Array.isArray(required) ? required.filter((each) => each !== name) : [];
  const parts = [
    ...(definition ? [copy(definition.schema)] : []),
    ...(Array.isArray(rest.allOf) ? rest.allOf.map(copy) : []),
  ];
  // The writer reading closes the whole message, which has the fields of the envelope.
  const isClosed = additionalProperties === undefined || additionalProperties === false;
  return {
    ...rest,
    ...(fields && { properties: Object.fromEntries(fields) }),
    ...(needed.length > 0 && { required: needed }),
    ...(parts.length > 0 && { allOf: parts }),
    ...(!isClosed && { additionalProperties }),
  };
}

function describeUnion(
  file: string,
  { dialect, isStated }: Bundle,
  { source, types }: EventNames,
  field: string | undefined,
): string[] {
  return [
    `${file}: ${counted(types.length, "event")}, distinguished by ${source}`,
    ...(field === undefined
      ? [
          `no field of a message holds the event type: each message is wrapped in an envelope ${wrapperText("the event type")}`,
        ]
      : []),
    isStated
      ? `read as ${dialect}${dialect === "2020-12" ? "" : ", upgraded to 2020-12"}`
      : "it names no $schema and was read as 2020-12",
  ];
}
