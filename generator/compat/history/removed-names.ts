/** Finds the names that were removed, and those that findings report already. */
import type { Protocol } from "../../protocol/protocol.js";
import { type ComparedChange, isAtOrBelow, isBreak } from "../change.js";
import type { Evidence } from "../rules/rule.js";
import { listResourceSubjects, parseResourceKey } from "../subjects.js";
import {
  createNameKey,
  dropSharedNames,
  type Name,
  type PastVersionNames,
  type ReleasedNames,
} from "./released-names.js";

/** Returns the name that another one declares to replace. */
export function getDeclaredOldName(name: Name): Name | undefined {
  if (name.renamedFrom === undefined) return undefined;
  return { ...name, name: name.renamedFrom, ...(name.kind === "event" && { event: name.renamedFrom }) };
}

/** A removed name, and the newest version that had it. */
interface RemovedName {
  readonly name: Name;
  readonly version: PastVersionNames;
}

/** Returns the removed names, without those that an error reports already. */
export function findRemovedNames({ releasedNames, changes }: Evidence): RemovedName[] {
  const found = new Map<string, RemovedName>();
  const bindingReleases = releasedNames.past.filter((each) => each.isRelease && each.isBinding);
  const isReported = createReportedNamesTest(changes);
  const isNarrowed = createNarrowedNamesTest(changes);
  for (const version of bindingReleases) {
    const { names, protocol, wasCompared } = version;
    const missing = [...names.values()].filter(
      (name) => !releasedNames.current.names.has(createNameKey(name)),
    );
    for (const name of dropSharedNames(missing)) {
      if (!isComparable(name, protocol, releasedNames) || name.isOnlyValue || isReported(name)) continue;
      if (!wasCompared || name.kind === "event" || isNarrowed(name))
        found.set(createNameKey(name), { name, version });
    }
  }
  const resources = new Set(listResourceSubjects(releasedNames.current.protocol).map(({ type }) => type));
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
 * Returns a test for names of subjects that were narrowed. If all values of a subject are still allowed, its names are
 * not removed; they are only stated differently.
 */
function createNarrowedNamesTest(changes: readonly ComparedChange[]): (name: Name) => boolean {
  const narrowing = changes.filter(
    ({ proof }) => proof.backward !== undefined || proof.undecided !== undefined,
  );
  const events = new Set(narrowing.flatMap(({ places }) => places.map(({ event }) => event)));
  return ({ event }) => events.has(event) || events.has("") || (event === "" && events.size > 0);
}

/**
 * Returns whether the path of a name leads to the same value in both versions. In messages with another layout it does
 * not.
 */
function isComparable(
  { kind, event }: Name,
  { envelope: old }: Protocol,
  { current }: ReleasedNames,
): boolean {
  const now = current.protocol.envelope;
  const isInMessageLayout = kind !== "event" && parseResourceKey(event) === undefined;
  return !isInMessageLayout || (old.placement === now.placement && old.property === now.property);
}

/** Returns whether one of the fields on the path of a name was removed. */
function isHolderRemoved({ event, path }: Name, { past, current }: ReleasedNames): boolean {
  const tokens = path.split("/").filter((token) => token !== "*");
  // The first token is empty, because a path begins with a slash.
  const fieldKeys = tokens
    .map((name, index) =>
      createNameKey({ kind: "field", event, path: tokens.slice(0, index).join("/"), name }),
    )
    .slice(1);
  return fieldKeys.some((key) => !current.names.has(key) && past.some(({ names }) => names.has(key)));
}

/** Returns a test for names whose removal an error reports already. */
export function createReportedNamesTest(changes: readonly ComparedChange[]): (name: Name) => boolean {
  const errors = changes.filter(
    ({ proof, otherMajor, waived, places }) =>
      !otherMajor &&
      waived !== true &&
      isBreak(proof) &&
      places.some(({ stability }) => stability !== "experimental"),
  );
  const known = new Set(
    errors.flatMap(({ name, from, places, rename }) => {
      const paths = [
        name,
        ...[from ?? []].flat().map(String),
        ...(rename?.members ?? []).map(([old]) => old),
      ];
      // A moved field is named by its old path.
      const names = paths.flatMap((each) => [each, each.slice(each.lastIndexOf("/") + 1)]);
      return places.flatMap(({ event }) => names.map((each) => `${event} ${each}`));
    }),
  );
  const places = errors.filter(({ rule }) => rule.coversNamesBelow).flatMap(({ places }) => places);
  const isInside = ({ event, path }: Name): boolean =>
    places.some((at) => (at.event === event || at.event === "") && isAtOrBelow(path, at.path));
  return (name) => known.has(`${name.event} ${name.name}`) || known.has(` ${name.name}`) || isInside(name);
}
