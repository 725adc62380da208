/** Describes what is certain about the fields of events after a step. */
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
  wrapItem,
} from "../contain/preimage/presence.js";
import { isObject, type Json, splitPointer } from "../json.js";
import { enterList, ITEM, type NestedStep } from "../protocol/upcast.js";

/** Returns the shape of the events that a step made of events with this shape. Their type is the field `discriminator`. */
export function applyStepToShape(shape: Facts, step: NestedStep, discriminator: string): Facts {
  const changed = changeShape(shape, enterList(step), discriminator);
  return step.when === undefined ? changed : joinShapes(shape, changed);
}

function changeShape(shape: Facts, step: NestedStep, discriminator: string): Facts {
  switch (step.step) {
    case "rename-type":
      return addShape(shape, [discriminator], SCALAR);
    case "each": {
      const list = findShape(shape, splitPointer(step.list));
      if (list.presence === "never") return shape;
      if (step.selector !== "*") return forgetParts(shape, step.list);
      const item = step.inner.reduce(
        (before, inner) => applyStepToShape(before, inner, discriminator),
        wrapItem(list, ITEM),
      );
      const items = findShape(item, [ITEM]);
      return replaceShape(shape, splitPointer(step.list), { ...list, items });
    }
    case "deep":
      return forgetParts(shape, step.list);
    case "move":
      return moveShape(shape, splitPointer(step.from), [splitPointer(step.to)], (moved) => moved);
    case "split":
      return moveShape(shape, splitPointer(step.from), step.to.map(splitPointer), ({ presence }) => ({
        ...SCALAR,
        presence,
      }));
    case "map":
    case "scale": {
      const { presence } = findShape(shape, splitPointer(step.at));
      const value = step.step === "map" ? ANYTHING : SCALAR;
      return presence === "never"
        ? shape
        : replaceShape(shape, splitPointer(step.at), { ...value, presence });
    }
    case "constant":
      return addShape(shape, splitPointer(step.to), describeValue(step.value));
    case "default": {
      const present = findShape(shape, splitPointer(step.to));
      if (present.presence === "always") return shape;
      const value = joinShapes(present, describeValue(step.value));
      return addShape(shape, splitPointer(step.to), { ...value, presence: "always" });
    }
  }
}

/** Returns the shape where nothing is certain about the parts of the value at a place. */
function forgetParts(shape: Facts, pointer: string): Facts {
  const path = splitPointer(pointer);
  const { presence } = findShape(shape, path);
  return presence === "never" ? shape : replaceShape(shape, path, { ...ANYTHING, presence });
}

function describeValue(value: Json): Facts {
  return isObject(value) ? { ...ANYTHING, presence: "always", isObject: "always" } : SCALAR;
}

function moveShape(
  shape: Facts,
  from: Path,
  targets: readonly Path[],
  change: (moved: Facts) => Facts,
): Facts {
  const moved = findShape(shape, from);
  if (moved.presence === "never") return shape;
  const removed = replaceShape(shape, from, NOTHING);
  return targets.reduce((result, to) => {
    const present = findShape(removed, to);
    const value = joinShapes(present, change(moved));
    const isCertain = moved.presence === "always" || present.presence === "always";
    return addShape(result, to, { ...value, presence: isCertain ? "always" : "maybe" });
  }, removed);
}
