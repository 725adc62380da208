import type { Ajv2020, ErrorObject } from "ajv/dist/2020.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import type { Reading } from "../schema/readings.js";
import { matchesShape, type Shape } from "../schema/shape/shape.js";
import { deriveShape } from "../schema/shape/shape-of.js";
import { loadAjv } from "../validators/ajv-package.js";

/**
 * Returns a function that finds the errors of a document by a schema of this package. Most documents have no errors, and
 * for them the schema is not compiled. The schema itself is not checked, because tests do that.
 */
export function createDocumentCheck(
  schema: JsonObject,
): (document: Json | undefined) => readonly ErrorObject[] {
  let shape: Shape | undefined;
  let validate: ReturnType<Ajv2020["compile"]> | undefined;
  return (document) => {
    shape ??= deriveShape({
      schema,
      $defs: isObject(schema.$defs) ? (schema.$defs as Reading["$defs"]) : {},
    });
    if (document !== undefined && matchesShape(shape, document)) return [];
    const options = {
      allErrors: true,
      verbose: true,
      strict: false,
      meta: false,
      validateSchema: false,
      code: { optimize: false },
    };
    validate ??= new (loadAjv().Ajv2020)(options).compile(schema);
    return validate(document) ? [] : (validate.errors ?? []);
  };
}
