/** What is certain about the fields of events after steps that put values at places. */
import {
  ANYTHING,
  addShape,
  type Facts,
  findShape,
  joinShapes,
  NOTHING,
  type Path,
  replaceShape,
  SCALAR,
} from "../../contain/preimage/presence.js";
import { isObject, type Json } from "../../json.js";

/** Returns the shape after the fields at `sources` moved to the targets. `change` describes what becomes of the first one. */
export function moveShape(
  shape: Facts,
  sources: readonly Path[],
  targets: readonly Path[],
  change: (moved: Facts) => Facts = (moved) => moved,
): Facts {
  const found = sources.map((from) => findShape(shape, from));
  const [moved = NOTHING] = found.filter(({ presence }) => presence !== "never");
  if (moved.presence === "never") return shape;
  const isMoved = found.some(({ presence }) => presence === "always");
  const removed = sources.reduce((result, from) => replaceShape(result, from, NOTHING), shape);
  return targets.reduce((result, to) => {
    const present = findShape(removed, to);
    const value = joinShapes(present, change(moved));
    const isCertain = isMoved || present.presence === "always";
    return addShape(result, to, { ...value, presence: isCertain ? "always" : "maybe" });
  }, removed);
}

/** Returns the shape with another value at a place, if there is one. */
export function changeShapeAt(shape: Facts, path: Path, value: Facts): Facts {
  const { presence } = findShape(shape, path);
  return presence === "never" ? shape : replaceShape(shape, path, { ...value, presence });
}

/** Returns the shape where a value is added where there is none. */
export function addDefaultShape(shape: Facts, path: Path, value: Json): Facts {
  const present = findShape(shape, path);
  if (present.presence === "always") return shape;
  return addShape(shape, path, { ...joinShapes(present, describeValue(value)), presence: "always" });
}

/** Returns the shape of a value. */
export function describeValue(value: Json): Facts {
  return isObject(value) ? { ...ANYTHING, presence: "always", isObject: "always" } : SCALAR;
}

/** Returns the shape of a scalar that is there as often as another value. */
export function describeScalar({ presence }: Facts): Facts {
  return { ...SCALAR, presence };
}
