import type { Ajv2020, ErrorObject } from "ajv/dist/2020.js";
import { isObject, type Json, type JsonObject, mapValues } from "../json.js";
import { readSubschema } from "../schema/json-schema.js";
import { matchesShape, type Shape } from "../schema/shape/shape.js";
import { deriveShape } from "../schema/shape/shape-of.js";
import { loadAjv } from "../validators/ajv-package.js";

/** A document as its type says, or the errors that it has. */
type CheckedDocument<T> =
  | { readonly value: T; readonly errors: readonly [] }
  | { readonly value?: undefined; readonly errors: readonly [ErrorObject, ...ErrorObject[]] };

/**
 * Returns a function that checks a document by a schema of this package. Most documents have no errors, and for them the
 * schema is not compiled. The schema itself is not checked, because tests do that. `T` is the type of the documents that
 * the schema accepts. It is asserted here, and only here, because the type checker cannot derive it from the schema.
 */
export function createDocumentCheck<T = Json>(
  schema: JsonObject,
): (document: Json | undefined) => CheckedDocument<T> {
  let shape: Shape | undefined;
  let validate: ReturnType<Ajv2020["compile"]> | undefined;
  return (document) => {
    shape ??= deriveShape({
      schema,
      $defs: isObject(schema.$defs) ? mapValues(schema.$defs, readSubschema) : {},
    });
    const accepted: CheckedDocument<T> = { value: document as unknown as T, errors: [] };
    if (document !== undefined && matchesShape(shape, document)) return accepted;
    const options = {
      allErrors: true,
      verbose: true,
      strict: false,
      meta: false,
      validateSchema: false,
      code: { optimize: false },
    };
    validate ??= new (loadAjv().Ajv2020)(options).compile(schema);
    const [error, ...others] = validate(document) ? [] : (validate.errors ?? []);
    return error === undefined ? accepted : { errors: [error, ...others] };
  };
}
