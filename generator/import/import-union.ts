/** A protocol out of JSON Schemas: one that is a union of events, or several of one event each. */
import type { Json, JsonObject } from "../json.js";
import type { OutputFile } from "../protocol/protocol.js";
import { definitionNameOf } from "../schema/reference.js";
import { type Bundle, bundle, type Documents, definitionNamed, MADE, statedDialect } from "./bundle.js";
import { eventTypes, sayRenamed, sayWrapped } from "./event-types.js";
import { Refused } from "./import-refusal.js";
import { withoutField } from "./inline.js";
import { Notes } from "./notes.js";
import { isSealed, type Opening, openObjects } from "./open-objects.js";
import { AROUND, type Parts } from "./protocol-files.js";
import { type Naming, tellApart } from "./tell-apart.js";
import { constants, type Leaf, type Lookup, leavesOf } from "./union.js";
import { type Upgraded, upgrade } from "./upgrade.js";

/** What to call the result, and how to read the schemas. */
export interface Identity {
  readonly name: string;
  readonly version: string;
  /** Whether writers may send fields that the schemas do not list; false unless it is said. */
  readonly open?: boolean;
}

/** A protocol that was made out of something else. */
export interface Imported {
  readonly parts: Parts;
  /** What was recognised and what was changed, a sentence each. */
  readonly notes: readonly string[];
  /** What each event was, to be compared; absent where there was no schema. */
  readonly originals?: Originals;
  /** Fixtures, their paths below the folder of all fixtures. */
  readonly fixtures: readonly OutputFile[];
}

/** The schema that each event type was, within a bundle. */
export interface Originals {
  readonly bundle: Bundle;
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** Whether writers may send less than the original accepts: no fields that it does not list. */
  readonly narrower: boolean;
}

/** What is known of a union besides its text. */
interface Known {
  /** What the user knows it by. */
  readonly source: string;
  /** How few events it may have. */
  readonly least: number;
  /** What the names of its alternatives are, for people. */
  readonly names: string;
}

/** Imports the union in `file`, or at the fragment in it. Throws `Refused` where it is none, or its events look alike. */
export function importUnion(
  file: string,
  documents: Documents,
  identity: Identity,
  fragment?: string,
): Imported {
  const known = { source: file, least: 2, names: "the name of the definition" };
  if (fragment === undefined) return importBundle(bundle(file, documents), identity, known);
  const $ref = `${encodeURIComponent(file)}#${fragment}`;
  const $schema = statedDialect(documents.read(file));
  const union = { ...($schema !== undefined && { $schema }), $ref };
  return importMade(union, documents, identity, { ...known, source: `${file}#${fragment}` });
}

/** Imports a union that stands in no file. Its references count from the folder of the documents. */
export function importMade(
  union: JsonObject,
  documents: Documents,
  identity: Identity,
  known: Known,
): Imported {
  const read = (file: string): Json | undefined => (file === MADE ? union : documents.read(file));
  return importBundle(bundle(MADE, { ...documents, read }), identity, known);
}

function importBundle(source: Bundle, { name, version, open = false }: Identity, known: Known): Imported {
  const file = known.source;
  const notes = new Notes();
  const upgraded = upgrade(source, notes);
  const before = leavesOf(source.schema, { nameOf: definitionNamed, definitions: source.definitions });
  const lookup = { nameOf: definitionNameOf, definitions: upgraded.$defs };
  const leaves = leavesOf(upgraded.schema, lookup);
  const naming = nameLeaves(file, leaves, lookup, known);
  if (before.length !== leaves.length)
    throw new Refused(`${file}: its alternatives cannot be distinguished in ${source.dialect}.`);
  const named = eventTypes(naming.types);
  // A type that is not what stands on the wire can only stand in an envelope of its own.
  const field = named.renamed.size > 0 ? undefined : naming.field;
  const { narrower, ...events } = payloads(leaves, { field, types: named.types }, upgraded, {
    all: open,
    notes,
  });
  const layout = field === undefined ? AROUND : { discriminator: field };
  return {
    parts: { name, version, ...events, source: file, layout, stability: "candidate" },
    notes: [
      ...recognise(file, source, naming, field),
      ...sayRenamed(named),
      ...notes.list(),
      ...(field === undefined ? [sayWrapped(named)] : []),
    ],
    originals: {
      ...{ bundle: source, narrower },
      schemas: new Map(before.map(({ schema }, i) => [named.types[i] ?? "", schema])),
    },
    fixtures: [],
  };
}

function nameLeaves(file: string, leaves: readonly Leaf[], lookup: Lookup, { least, names }: Known): Naming {
  if (leaves.length < least)
    throw new Refused(
      `${file} is not a union of events: its root has no oneOf or anyOf with at least two alternatives.`,
    );
  const fixed = leaves.map(({ schema }) => constants(schema, lookup));
  const naming = tellApart(leaves, fixed, names);
  if (!naming)
    throw new Refused(
      `${file}: its ${leaves.length} alternatives cannot be distinguished: they have no required field with a different constant each, and no names.`,
    );
  return naming;
}

function payloads(
  leaves: readonly Leaf[],
  { field, types }: Pick<Naming, "field" | "types">,
  { $defs }: Upgraded,
  opening: Opening,
): Pick<Parts, "events" | "$defs"> & Pick<Originals, "narrower"> {
  const roots = leaves.map(({ schema }) =>
    field === undefined
      ? { schema, closed: false, hasOthers: false }
      : { schema: withoutField(schema, field, $defs), closed: isSealed(schema, $defs), hasOthers: true },
  );
  const opened = openObjects(roots, $defs, opening);
  const events = types.map((type, i) => ({ type, payload: opened.schemas[i] ?? {} }));
  return {
    events: events.sort((a, b) => (a.type < b.type ? -1 : 1)),
    $defs: opened.$defs,
    narrower: opened.narrower,
  };
}

function recognise(
  file: string,
  { dialect, stated }: Bundle,
  { said, types }: Naming,
  field: string | undefined,
): string[] {
  const around =
    field === undefined
      ? [
          `no field of a message holds the event type: each message is wrapped in an envelope {${JSON.stringify(AROUND.discriminator)}: the event type, ${JSON.stringify(AROUND.property)}: the message}`,
        ]
      : [];
  return [
    `${file}: ${types.length} ${types.length === 1 ? "event" : "events"}, distinguished by ${said}`,
    ...around,
    stated
      ? `read as ${dialect}${dialect === "2020-12" ? "" : ", upgraded to 2020-12"}`
      : "it names no $schema and was read as 2020-12",
  ];
}
