/** Compiles schemas with an implementation that is independent of Ajv. */
import { registerSchema, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import type { Json } from "../../generator/json.js";
import type { Schema } from "../../generator/schema/json-schema.js";

let count = 0;

/** Returns a function that tells whether `schema`, a self-contained 2020-12 document, accepts a value. */
export async function compileIndependently(schema: Schema): Promise<(value: Json) => boolean> {
  const id = `https://accrete.test/${count++}`;
  registerSchema(schema as never, id, "https://json-schema.org/draft/2020-12/schema");
  try {
    const accepts = await validate(id);
    return (value) => accepts(value as never).valid;
  } finally {
    unregisterSchema(id);
  }
}
