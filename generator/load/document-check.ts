import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../json.js";

/**
 * What is wrong with a document by a schema of this package, nothing if it is sound. The schema is compiled when the first
 * document comes: most runs meet few kinds. Tests hold that these schemas themselves are sound.
 */
export function documentCheck(schema: JsonObject): (document: Json | undefined) => readonly ErrorObject[] {
  let validate: ReturnType<Ajv2020["compile"]> | undefined;
  return (document) => {
    const ajv = {
      allErrors: true,
      strict: false,
      meta: false,
      validateSchema: false,
      code: { optimize: false },
    };
    validate ??= new Ajv2020(ajv).compile(schema);
    return validate(document) ? [] : (validate.errors ?? []);
  };
}
