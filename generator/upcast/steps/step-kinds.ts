/** The table of the kinds of steps. */
import type { StepByName, UpcastStep } from "../../protocol/upcast.js";
import { readConversion } from "./conversion.js";
import { readNumberToText, readTextToNumber } from "./decimal-conversions.js";
import { readConstant, readDefault, readMove, readRenameType } from "./field-steps.js";
import { readFunction } from "./function-step.js";
import type { StepBehaviour } from "./step-kind.js";
import { readParse, readSplit, readTemplateStep } from "./text-steps.js";
import { readNumberToTime, readTimeToNumber } from "./time-conversions.js";
import { readMap, readScale } from "./value-conversions.js";

/** The functions that read steps, by the names of the steps. */
const STEP_KINDS: { readonly [name in keyof StepByName]: (step: StepByName[name]) => StepBehaviour } = {
  "rename-type": readRenameType,
  move: readMove,
  split: readSplit,
  template: readTemplateStep,
  parse: readParse,
  constant: readConstant,
  default: readDefault,
  map: (step) => readConversion(step.at, readMap(step)),
  scale: (step) => readConversion(step.at, readScale(step)),
  function: (step) => readConversion(step.at, readFunction(step)),
  "number-to-text": (step) => readConversion(step.at, readNumberToText()),
  "text-to-number": (step) => readConversion(step.at, readTextToNumber()),
  "number-to-time": (step) => readConversion(step.at, readNumberToTime(step)),
  "time-to-number": (step) => readConversion(step.at, readTimeToNumber(step)),
};

/** Returns what a step does, in every form. */
export function readStep(step: UpcastStep): StepBehaviour {
  return readStepOfKind(step.step, step);
}

function readStepOfKind<Name extends keyof StepByName>(name: Name, step: StepByName[Name]): StepBehaviour {
  return STEP_KINDS[name](step);
}
