import type { Location } from "../../finding.js";
import type { Protocol } from "../../protocol/protocol.js";
import { compareTexts } from "../../text.js";
import { listSubjectNames } from "../subjects.js";
import { collectProtocolNames, type Name } from "./released-names.js";

/** A deprecated name. */
export interface NewDeprecation {
  readonly kind: Name["kind"];
  readonly name: string;
  /** The event types that have it, sorted; "*" for the envelope of all of them. */
  readonly events: readonly string[];
  /** The resources that have it, sorted; absent if there are none. */
  readonly resources?: readonly string[];
  /** The release that deprecated it, if the schema states it. */
  readonly since?: string;
  /** The replacement; null if the contract states that nothing replaces it. */
  readonly replacedBy?: string | null;
  readonly at: Pick<Location, "file" | "pointer">;
}

/** Returns the names that `after` deprecates and `before` does not, each spot once, in order of events. */
export function listNewDeprecations(before: Protocol, after: Protocol): NewDeprecation[] {
  const oldNames = collectProtocolNames(before);
  const bySpot = new Map<string, { name: Name; subjects: Set<string> }>();
  for (const name of collectProtocolNames(after).listed.values()) {
    if (!name.deprecated || oldNames.find(name)?.deprecated) continue;
    const { file, pointer } = name.spot;
    const spotKey = `${name.kind} ${name.name} ${file}#${pointer}`;
    const subjects = (bySpot.get(spotKey)?.subjects ?? new Set<string>()).add(name.event);
    bySpot.set(spotKey, { name, subjects });
  }
  return [...bySpot.values()]
    .map(({ name, subjects }) => createDeprecation(name, [...subjects].sort()))
    .sort((a, b) => compareTexts(createSortKey(a), createSortKey(b)));
}

function createDeprecation(name: Name, subjects: readonly string[]): NewDeprecation {
  const { kind, spot, deprecatedSince: since, replacedBy } = name;
  const { events, resources } = listSubjectNames(subjects);
  return {
    kind,
    name: name.name,
    events,
    ...(resources.length > 0 && { resources }),
    ...(since !== undefined && { since }),
    ...(replacedBy !== undefined && { replacedBy }),
    at: { file: spot.file, pointer: spot.pointer },
  };
}

function createSortKey({ kind, name, events, at }: NewDeprecation): string {
  return [kind === "event" ? 0 : 1, events[0] ?? "", name, at.file, at.pointer].join("\n");
}
