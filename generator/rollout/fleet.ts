/** Reads the description of a fleet: which parts write, read and keep events, and which versions they go through. */
import { UsageError } from "../failure.js";
import { formatLocatedMessage } from "../finding.js";
import { type JsonObject, joinPointer } from "../json.js";
import { createDocumentCheck } from "../load/document-check.js";
import { createDocumentFinding } from "../load/document-finding.js";
import { readJsonFile } from "../load/read-bytes.js";
import { didYouMean } from "../nearest.js";
import type { Source } from "../source/source.js";

/** A part of a fleet that is deployed. */
export interface Component {
  readonly name: string;
  readonly role: "writer" | "reader";
  /**
   * The names of its versions in the order in which they are deployed: the first one runs now, the last one is the goal. A
   * version may come again, but not directly after itself. Those of a writer are names of contracts, and those of a reader are
   * names of `Reading`s.
   */
  readonly versions: readonly string[];
}

/** How a version of a reader reads events. */
export interface Reading {
  /** The name of the contract. */
  readonly version: string;
  /** True if it accepts only events that writers of its contract may send, so that a new field is refused. */
  readonly isStrict: boolean;
  /** The names of the contracts whose events it carries over to its own contract before it reads them. */
  readonly upcasts: readonly string[];
}

/** Stored events, to which all writers add theirs. */
export interface Archive {
  readonly name: string;
  /** The names of the versions whose writers may have sent the events in it. */
  readonly holds: readonly string[];
  /** The names of the readers that open it. */
  readonly readers: readonly string[];
}

/** Writers, readers and archives of the events of one protocol. Every reader receives the events of every writer. */
export interface Fleet {
  /** The contract of each version, as an operand of `accrete diff`. */
  readonly versions: ReadonlyMap<string, string>;
  /** How readers read, by the names of their versions. */
  readonly readings: ReadonlyMap<string, Reading>;
  readonly components: readonly Component[];
  readonly archives: readonly Archive[];
}

/** The versions of a writer, one after the other. A version may come again. */
const VERSIONS: JsonObject = { type: "array", minItems: 1, items: { type: "string", minLength: 1 } };

const NAMES: JsonObject = { ...VERSIONS, uniqueItems: true };

/** The versions of a reader. Those that read in the usual way are stated by their names alone. */
const READINGS: JsonObject = {
  ...VERSIONS,
  items: {
    type: ["string", "object"],
    minLength: 1,
    required: ["version"],
    additionalProperties: false,
    properties: {
      version: { type: "string", minLength: 1 },
      strict: { type: "boolean" },
      upcasts: NAMES,
    },
  },
};

const FLEET_SCHEMA: JsonObject = {
  type: "object",
  required: ["versions", "writers", "readers"],
  additionalProperties: false,
  properties: {
    versions: { type: "object", additionalProperties: { type: "string", minLength: 1 } },
    writers: { type: "object", minProperties: 1, additionalProperties: VERSIONS },
    readers: { type: "object", minProperties: 1, additionalProperties: READINGS },
    archives: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["holds", "readers"],
        additionalProperties: false,
        properties: { holds: NAMES, readers: NAMES },
      },
    },
  },
};

/** A document that satisfies `FLEET_SCHEMA`. */
interface FleetDocument {
  readonly versions: { readonly [name: string]: string };
  readonly writers: { readonly [name: string]: readonly string[] };
  readonly readers: { readonly [name: string]: readonly (string | ReadingDocument)[] };
  readonly archives?: { readonly [name: string]: Pick<Archive, "holds" | "readers"> };
}

interface ReadingDocument {
  readonly version: string;
  readonly strict?: boolean;
  readonly upcasts?: readonly string[];
}

const checkFleet = createDocumentCheck<FleetDocument>(FLEET_SCHEMA);

/** Reads a fleet. Throws a UsageError with the place of the first mistake. */
export function readFleet(file: string): Fleet {
  const source = readJsonFile(file);
  const { value: fleet, errors } = checkFleet(source.document);
  if (fleet === undefined) {
    const words = { rule: "config-invalid", document: "The fleet" } as const;
    throw new UsageError(formatLocatedMessage(createDocumentFinding(errors[0], words, source)));
  }
  const { versions, writers, readers, archives = {} } = fleet;
  const readings = new Map<string, Reading>();
  const nameReading = (declared: string | ReadingDocument): string => {
    const {
      version,
      strict = false,
      upcasts = [],
    }: ReadingDocument = typeof declared === "string" ? { version: declared } : declared;
    const carried = upcasts.length === 0 ? "" : ` with upcasts from ${upcasts.join(" and ")}`;
    const name = `${version}${strict ? " strict" : ""}${carried}`;
    const reading: Reading = { version, isStrict: strict, upcasts };
    if (JSON.stringify(readings.get(name) ?? reading) !== JSON.stringify(reading))
      throw new UsageError(
        `${file}: ${JSON.stringify(name)} names two versions of readers. Rename one of them.`,
      );
    readings.set(name, reading);
    return name;
  };
  checkNames(fleet, source);
  const components: readonly Component[] = [
    ...Object.entries(writers).map(([name, each]) => ({ name, role: "writer" as const, versions: each })),
    ...Object.entries(readers).map(([name, each]) => ({
      name,
      role: "reader" as const,
      versions: each.map(nameReading),
    })),
  ];
  for (const component of components) refuseRepeatedVersion(component, source);
  return {
    versions: new Map(Object.entries(versions)),
    readings,
    components,
    archives: Object.entries(archives).map(([name, archive]) => ({ name, ...archive })),
  };
}

/** Throws a UsageError for a version that directly follows itself: its deployment would change nothing. */
function refuseRepeatedVersion({ name, role, versions }: Component, source: Source): void {
  const index = versions.findIndex((version, position) => version === versions[position - 1]);
  if (index < 0) return;
  const message = `The ${role} ${JSON.stringify(name)} has the version ${JSON.stringify(versions[index])} twice in a row. Remove one of them.`;
  const at = source.locate(joinPointer("", `${role}s`, name, String(index)));
  throw new UsageError(formatLocatedMessage({ message, at }));
}

/** Throws a UsageError for the name of a version or of a reader that is not declared. */
function checkNames({ versions, writers, readers, archives = {} }: FleetDocument, source: Source): void {
  const check = (kind: string, known: object, name: string, ...place: readonly string[]): void => {
    if (Object.hasOwn(known, name)) return;
    const message = `There is no ${kind} ${JSON.stringify(name)}${didYouMean(name, Object.keys(known))}`;
    throw new UsageError(formatLocatedMessage({ message, at: source.locate(joinPointer("", ...place)) }));
  };
  const checkVersions = (names: readonly (string | ReadingDocument)[], ...place: readonly string[]): void => {
    for (const [index, each] of names.entries()) {
      const at = [...place, String(index)];
      if (typeof each === "string") check("version", versions, each, ...at);
      else {
        check("version", versions, each.version, ...at, "version");
        checkVersions(each.upcasts ?? [], ...at, "upcasts");
      }
    }
  };
  for (const [name, names] of Object.entries(writers)) checkVersions(names, "writers", name);
  for (const [name, names] of Object.entries(readers)) checkVersions(names, "readers", name);
  for (const [name, { holds, readers: names }] of Object.entries(archives)) {
    checkVersions(holds, "archives", name, "holds");
    for (const [index, reader] of names.entries())
      check("reader", readers, reader, "archives", name, "readers", String(index));
  }
}
