import type { Ajv2020, ErrorObject } from "ajv/dist/2020.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import type { Reading } from "../schema/readings.js";
import { admits, type Shape } from "../schema/shape/shape.js";
import { shapeOf } from "../schema/shape/shape-of.js";
import { ajvPackage } from "../validators/ajv-package.js";

/**
 * What is wrong with a document by a schema of this package, nothing if it is sound. Most documents are, and then the
 * schema is not even compiled. Tests hold that these schemas themselves are sound.
 */
export function documentCheck(schema: JsonObject): (document: Json | undefined) => readonly ErrorObject[] {
  let shape: Shape | undefined;
  let validate: ReturnType<Ajv2020["compile"]> | undefined;
  return (document) => {
    shape ??= shapeOf({ schema, $defs: isObject(schema.$defs) ? (schema.$defs as Reading["$defs"]) : {} });
    if (document !== undefined && admits(shape, document)) return [];
    const ajv = {
      allErrors: true,
      verbose: true,
      strict: false,
      meta: false,
      validateSchema: false,
      code: { optimize: false },
    };
    validate ??= new (ajvPackage().Ajv2020)(ajv).compile(schema);
    return validate(document) ? [] : (validate.errors ?? []);
  };
}
