/** Describes what is certain about the fields of events after a step. */
import {
  ANYTHING,
  type Facts,
  findShape,
  joinShapes,
  replaceShape,
  wrapItem,
} from "../contain/preimage/presence.js";
import { splitPointer } from "../json.js";
import { enterList, ITEM, type NestedStep } from "../protocol/nested-steps.js";
import { changeShapeAt } from "./steps/place-shapes.js";
import { readStep } from "./steps/step-kinds.js";

/** Returns the shape of the events that a step made of events with this shape. Their type is the field `discriminator`. */
export function applyStepToShape(shape: Facts, step: NestedStep, discriminator: string): Facts {
  const changed = changeShape(shape, enterList(step), discriminator);
  return step.when === undefined ? changed : joinShapes(shape, changed);
}

function changeShape(shape: Facts, step: NestedStep, discriminator: string): Facts {
  if (step.step === "deep") return forgetParts(shape, step.list);
  if (step.step !== "each") return readStep(step).changeShape(shape, discriminator);
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

/** Returns the shape where nothing is certain about the parts of the value at a place. */
function forgetParts(shape: Facts, pointer: string): Facts {
  return changeShapeAt(shape, splitPointer(pointer), ANYTHING);
}
