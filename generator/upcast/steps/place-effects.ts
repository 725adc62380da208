/** The effects of steps that put values at places, as conditions on places. */
import { and, not, or, type Places } from "../../contain/preimage/predicate.js";
import type { Path } from "../../contain/preimage/presence.js";
import { InexpressibleCondition } from "../../contain/preimage/pull-back-keywords.js";
import type { Source } from "../../contain/preimage/pull-back-schema.js";
import type { Schema } from "../../schema/json-schema.js";
import type { PlacedSource, StepEffect } from "./step-kind.js";

/** Fields that a step takes away, which must satisfy a schema. If one is there, all must be. */
interface TakenFields {
  readonly paths: readonly Path[];
  readonly schema: Schema;
}

/** Returns the effect of replacing fields by others. */
export function describeReplacement(
  { paths, schema }: TakenFields,
  changes: readonly PlacedSource[],
  places: Places,
): StepEffect {
  const blockages = changes.map(({ path }) => {
    // A field that is removed first is not in the way.
    if (paths.some((from) => startsWith(path, from))) return false;
    return paths.some((from) => startsWith(from, path)) ? true : isBlocked(path, places);
  });
  return {
    isActive: or(...paths.map((path) => places.isPresentAt(path))),
    domain: and(
      ...(paths.length > 1 ? paths.map((path) => places.isPresentAt(path)) : []),
      ...paths.map((path) => places.holdsAt(path, schema)),
      not(or(...blockages)),
    ),
    changes: [
      ...paths.map((path): PlacedSource => ({ path, source: { kind: "absent" } })),
      ...changes.filter(({ path }) => !paths.some((from) => isAncestor(path, from))),
    ],
  };
}

/** Returns the effect of moving a field to a place that may hold it already under its new name. */
export function describeAlias(from: Path, to: Path, source: Source, places: Places): StepEffect {
  if (startsWith(to, from)) throw new InexpressibleCondition("a step moves a value into itself");
  const hasBoth = places.isPresentAt(to);
  const { isActive, domain, changes } = describeReplacement(
    { paths: [from], schema: true },
    [{ path: to, source: { kind: "choice", if: hasBoth, then: { kind: "same", path: to }, else: source } }],
    places,
  );
  return { isActive, domain: or(hasBoth, domain), changes };
}

/** Returns the condition that a value prevents adding one at `path`. */
export function isBlocked(path: Path, places: Places): Schema {
  return or(places.isPresentAt(path), ...listParents(path).map((each) => places.isNonObjectAt(each)));
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((name, index) => path[index] === name);
}

function isAncestor(path: Path, of: Path): boolean {
  return path.length < of.length && startsWith(of, path);
}

function listParents(path: Path): Path[] {
  return path.slice(1).map((_, index) => path.slice(0, index + 1));
}
