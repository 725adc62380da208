/** Finds the names that were removed, and those that findings report already. */
import type { Protocol } from "../../protocol/protocol.js";
import { type ComparedChange, type Difference, isAtOrBelow, isBreak } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { parseResourceKey, resourceSubjects } from "../subjects.js";
import {
  createNameKey,
  dropSharedNames,
  type Name,
  type PastNames,
  type ReleasedNames,
} from "./released-names.js";

/** Returns a difference about a name: the place of a current name is `after`, that of a released one `before`. */
export function createDifference(
  { name, event, path, stability, spot }: Name,
  side: "before" | "after",
  more: object = {},
): Difference {
  const occurrences = [{ event, path, steps: [], stability }];
  return { name, occurrences, claim: {}, [side]: spot, ...more };
}

/** Returns the name that another one declares to replace. */
export function getDeclaredOldName(name: Name): Name | undefined {
  if (name.renamedFrom === undefined) return undefined;
  return { ...name, name: name.renamedFrom, ...(name.kind === "event" && { event: name.renamedFrom }) };
}

/** Returns the removed names with the newest version that held each, without those that an error reports already. */
export function findRemovedNames({ releasedNames, changes }: Evidence): { name: Name; from: PastNames }[] {
  const found = new Map<string, { name: Name; from: PastNames }>();
  const binding = releasedNames.past.filter((each) => each.released && each.binding);
  const isReported = createReportedNamesTest(changes);
  const narrowed = createNarrowedNamesTest(changes);
  for (const version of binding) {
    const { names, protocol, compared } = version;
    const missing = [...names.values()].filter(
      (name) => !releasedNames.current.names.has(createNameKey(name)),
    );
    for (const name of dropSharedNames(missing)) {
      const key = createNameKey(name);
      const isRemoved = isComparable(name, protocol, releasedNames) && !name.fixed;
      if (isRemoved && !isReported(name) && (!compared || name.kind === "event" || narrowed(name)))
        found.set(key, { name, from: version });
    }
  }
  const resources = new Set(resourceSubjects(releasedNames.current.protocol).map(({ type }) => type));
  const isEventRemoved = ({ event, kind }: Name) =>
    kind !== "event" &&
    event !== "" &&
    !resources.has(event) &&
    !releasedNames.current.names.has(createNameKey({ kind: "event", name: event, event, path: "" }));
  // The removal of an event, resource or field removes the fields inside of it.
  return [...found.values()].filter(
    ({ name }) => !isEventRemoved(name) && !(name.kind !== "event" && isHolderRemoved(name, releasedNames)),
  );
}

/**
 * Returns whether events with the name were narrowed. Where all values are still allowed, the name is only written
 * differently.
 */
function createNarrowedNamesTest(changes: readonly ComparedChange[]): (name: Name) => boolean {
  const narrowing = changes.filter(
    ({ proof }) => proof.backward !== undefined || proof.undecided !== undefined,
  );
  const events = new Set(narrowing.flatMap(({ occurrences }) => occurrences.map(({ event }) => event)));
  return ({ event }) => events.has(event) || events.has("") || (event === "" && events.size > 0);
}

/**
 * Returns whether a name's place means the same in both versions, which it does not where messages have another layout.
 */
function isComparable(
  { kind, event }: Name,
  { envelope: old }: Protocol,
  { current }: ReleasedNames,
): boolean {
  const now = current.protocol.envelope;
  const isLaidOut = kind !== "event" && parseResourceKey(event) === undefined;
  return !isLaidOut || (old.placement === now.placement && old.property === now.property);
}

/** Returns whether one of the fields that lead to a name was removed. */
function isHolderRemoved({ event, path }: Name, { past, current }: ReleasedNames): boolean {
  const tokens = path.split("/").filter((token) => token !== "*");
  const keys = tokens.map((name, i) =>
    createNameKey({ kind: "field", event, path: tokens.slice(0, i).join("/"), name }),
  );
  return keys.slice(1).some((key) => !current.names.has(key) && past.some(({ names }) => names.has(key)));
}

/** Returns a test for names whose removal an error reports already. */
export function createReportedNamesTest(changes: readonly ComparedChange[]): (name: Name) => boolean {
  const errors = changes.filter(
    ({ proof, otherMajor, waived, occurrences }) =>
      !otherMajor &&
      waived !== true &&
      isBreak(proof) &&
      occurrences.some(({ stability }) => stability !== "experimental"),
  );
  const known = new Set(
    errors.flatMap(({ name, from, occurrences, rename }) => {
      const paths = [
        name,
        ...[from ?? []].flat().map(String),
        ...(rename?.members ?? []).map(([old]) => old),
      ];
      // A moved field is named by its old path.
      const names = paths.flatMap((each) => [each, each.slice(each.lastIndexOf("/") + 1)]);
      return occurrences.flatMap(({ event }) => names.map((each) => `${event} ${each}`));
    }),
  );
  const places = errors.filter(({ rule }) => rule.coversNamesBelow).flatMap(({ occurrences }) => occurrences);
  const isInside = ({ event, path }: Name): boolean =>
    places.some((at) => (at.event === event || at.event === "") && isAtOrBelow(path, at.path));
  return (name) => known.has(`${name.event} ${name.name}`) || known.has(` ${name.name}`) || isInside(name);
}
