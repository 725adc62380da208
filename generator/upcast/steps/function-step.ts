/** Steps that give a value to a function of the user. */
import { InexpressibleCondition } from "../../contain/preimage/pull-back-keywords.js";
import type { FunctionStep } from "../../protocol/upcast.js";
import { InexpressibleStep } from "../sql-forms.js";
import type { Conversion } from "./conversion.js";

/** Gives a value to a function. What it returns is not known before. */
export function readFunction(step: FunctionStep): Conversion {
  const { at, name, inverse } = step;
  return {
    domain: true,
    givesScalar: false,
    convert: (value, { callFunction }) =>
      callFunction?.(step, value) ?? {
        message: `The function ${name} is not loaded; name its file by --functions.`,
      },
    pull: () => {
      throw new InexpressibleCondition(`the function ${name} gives a value`);
    },
    fate: "computed",
    call: ["apply", name],
    formatSql: () => {
      throw new InexpressibleStep(`a function gives the value of ${at}`);
    },
    invert: () =>
      inverse === undefined
        ? `the function ${name} has no inverse.`
        : [{ step: "function", at, name: inverse, gives: {}, inverse: name }],
  };
}
