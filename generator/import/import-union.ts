/** A protocol out of one JSON Schema that is a union of events. */
import type { JsonObject } from "../json.js";
import { type Bundle, bundle, definitionNamed, type ReadDocument } from "./bundle.js";
import { withoutField } from "./inline.js";
import { Notes } from "./notes.js";
import { isSealed, openObjects } from "./open-objects.js";
import { AROUND, type Parts } from "./protocol-files.js";
import { Refused } from "./refused.js";
import { type Naming, tellApart } from "./tell-apart.js";
import { constants, type Leaf, type Lookup, leavesOf } from "./union.js";
import { type Upgraded, upgrade } from "./upgrade.js";

/** What to call the result. */
export interface Identity {
  readonly name: string;
  readonly version: string;
}

/** A protocol that was made out of something else. */
export interface Imported {
  readonly parts: Parts;
  /** What was recognised and what was changed, a sentence each. */
  readonly notes: readonly string[];
  readonly bundle: Bundle;
  /** The schema that each event type was, within `bundle`. */
  readonly originals: ReadonlyMap<string, JsonObject>;
}

/** Imports the union in `file`. Throws `Refused` where it is none, or where nothing tells its events apart. */
export function importUnion(file: string, read: ReadDocument, identity: Identity): Imported {
  const source = bundle(file, read);
  const notes = new Notes();
  const upgraded = upgrade(source, notes);
  const before = leavesOf(source.schema, { nameOf: definitionNamed, definitions: source.definitions });
  const lookup = { nameOf: (ref: string) => ref.slice("#/$defs/".length), definitions: upgraded.$defs };
  const leaves = leavesOf(upgraded.schema, lookup);
  const naming = nameLeaves(file, leaves, lookup);
  if (before.length !== leaves.length)
    throw new Refused(`${file}: its alternatives cannot be told one by one in ${source.dialect}.`);
  const events = payloads(leaves, naming, upgraded, notes);
  const recognised = recognise(file, source, naming);
  return {
    parts: { ...identity, ...events, source: file, field: naming.field, stability: "candidate" },
    notes: [...recognised, ...notes.list()],
    bundle: source,
    originals: new Map(before.map(({ schema }, i) => [naming.types[i] ?? "", schema])),
  };
}

function nameLeaves(file: string, leaves: readonly Leaf[], lookup: Lookup): Naming {
  if (leaves.length < 2)
    throw new Refused(`${file} is no union of events: its root has no oneOf or anyOf of at least two.`);
  const fixed = leaves.map(({ schema }) => constants(schema, lookup));
  const naming = tellApart(leaves, fixed);
  if (!naming)
    throw new Refused(
      `${file}: nothing tells its ${leaves.length} alternatives apart: no required field with one value each, and no names.`,
    );
  const unfit = naming.types.find((type) => !/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(type));
  if (unfit !== undefined)
    throw new Refused(
      `${file}: the event type ${JSON.stringify(unfit)} cannot be the name of a file; types are letters, digits, dots, dashes and underscores.`,
    );
  return naming;
}

function payloads(
  leaves: readonly Leaf[],
  { field, types }: Naming,
  { $defs }: Upgraded,
  notes: Notes,
): Pick<Parts, "events" | "$defs"> {
  const roots = leaves.map(({ schema }) =>
    field === undefined
      ? { schema, closed: false }
      : { schema: withoutField(schema, field, $defs), closed: isSealed(schema, $defs) },
  );
  const opened = openObjects(roots, $defs, notes);
  const events = types.map((type, i) => ({ type, payload: opened.schemas[i] ?? {} }));
  return { events: events.sort((a, b) => (a.type < b.type ? -1 : 1)), $defs: opened.$defs };
}

function recognise(file: string, { dialect, stated }: Bundle, { field, said, types }: Naming): string[] {
  const around =
    field === undefined
      ? [
          `no single field tells them apart: each message is put into an envelope {${JSON.stringify(AROUND.discriminator)}: the event type, ${JSON.stringify(AROUND.property)}: the message}`,
        ]
      : [];
  return [
    `${file}: ${types.length} events, told apart by ${said}`,
    ...around,
    stated
      ? `read as ${dialect}${dialect === "2020-12" ? "" : ", upgraded to 2020-12"}`
      : "it names no $schema and was read as 2020-12",
  ];
}
