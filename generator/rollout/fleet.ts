/** Reads the description of a fleet: which parts write, read and keep events, and which versions they go through. */
import { getSystemErrorReason, UsageError } from "../failure.js";
import { formatLocatedMessage } from "../finding.js";
import { type JsonObject, join } from "../json.js";
import { createDocumentCheck } from "../load/document-check.js";
import { createDocumentFinding } from "../load/document-finding.js";
import { readBytes } from "../load/read-bytes.js";
import { didYouMean } from "../nearest.js";
import { parseSource, type Source } from "../source/source.js";

/** A part of a fleet that is deployed. */
export interface Component {
  readonly name: string;
  readonly role: "writer" | "reader";
  /** The names of its versions in the order in which they are deployed: the first one runs now, the last one is the goal. */
  readonly versions: readonly string[];
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
  readonly components: readonly Component[];
  readonly archives: readonly Archive[];
}

const NAMES: JsonObject = {
  type: "array",
  minItems: 1,
  uniqueItems: true,
  items: { type: "string", minLength: 1 },
};

const FLEET_SCHEMA: JsonObject = {
  type: "object",
  required: ["versions", "writers", "readers"],
  additionalProperties: false,
  properties: {
    versions: { type: "object", additionalProperties: { type: "string", minLength: 1 } },
    writers: { type: "object", minProperties: 1, additionalProperties: NAMES },
    readers: { type: "object", minProperties: 1, additionalProperties: NAMES },
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
  readonly readers: { readonly [name: string]: readonly string[] };
  readonly archives?: { readonly [name: string]: Pick<Archive, "holds" | "readers"> };
}

const findErrors = createDocumentCheck(FLEET_SCHEMA);

/** Reads a fleet. Throws a UsageError with the place of the first mistake. */
export function readFleet(file: string): Fleet {
  const source = readSource(file);
  const [error] = findErrors(source.document);
  if (error !== undefined) {
    const words = { rule: "config-invalid", document: "The fleet" } as const;
    throw new UsageError(formatLocatedMessage(createDocumentFinding(error, words, source)));
  }
  const { versions, writers, readers, archives = {} } = source.document as unknown as FleetDocument;
  const createComponents = (role: Component["role"], parts: FleetDocument["writers"]): Component[] =>
    Object.entries(parts).map(([name, each]) => ({ name, role, versions: each }));
  const fleet: Fleet = {
    versions: new Map(Object.entries(versions)),
    components: [...createComponents("writer", writers), ...createComponents("reader", readers)],
    archives: Object.entries(archives).map(([name, archive]) => ({ name, ...archive })),
  };
  checkNames(fleet, source);
  return fleet;
}

function readSource(file: string): Source {
  let bytes: Uint8Array;
  try {
    bytes = readBytes(file);
  } catch (error) {
    throw new UsageError(`${file}: ${getSystemErrorReason(error) ?? (error as Error).message}`);
  }
  const parsed = parseSource(file, bytes);
  if ("source" in parsed) return parsed.source;
  const [finding] = parsed.findings;
  throw new UsageError(finding === undefined ? `${file} is not JSON.` : formatLocatedMessage(finding));
}

/** Throws a UsageError for the name of a version or of a reader that is not declared. */
function checkNames({ versions, components, archives }: Fleet, source: Source): void {
  const check = (kind: string, known: readonly string[], names: readonly string[], pointer: string): void => {
    for (const [index, name] of names.entries())
      if (!known.includes(name)) {
        const message = `There is no ${kind} ${JSON.stringify(name)}${didYouMean(name, known)}`;
        throw new UsageError(formatLocatedMessage({ message, at: source.locate(`${pointer}/${index}`) }));
      }
  };
  const versionNames = [...versions.keys()];
  const readers = components.filter(({ role }) => role === "reader").map(({ name }) => name);
  for (const { name, role, versions: names } of components)
    check("version", versionNames, names, join("", `${role}s`, name));
  for (const { name, holds, readers: names } of archives) {
    check("version", versionNames, holds, join("", "archives", name, "holds"));
    check("reader", readers, names, join("", "archives", name, "readers"));
  }
}
