import type { Protocol } from "../protocol/protocol.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import { listStatements } from "../schema/describe.js";

/** The texts about the first and the second of two things. */
export const TEXTS = ["qzalpha words", "qzgamma words"] as const;

/** An event type, and a payload field that takes any text. */
export interface TextField {
  readonly type: string;
  readonly field: string;
}

/** Returns the payload fields that take any text. */
export const listTextFields = memoizeByObject((model: Protocol): readonly TextField[] =>
  listPayloadFields(model).filter(({ merged: { types, values, description } }) => {
    const isLimited = (["pattern", "format", "maxLength", "items"] as const).some(
      (keyword) => listStatements(description, keyword).length > 0,
    );
    return types?.[0] === "string" && values === undefined && !isLimited;
  }),
);
