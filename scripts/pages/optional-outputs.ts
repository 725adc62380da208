/** The table of docs/outputs.md and the names in the schema of the configuration, both from the table of optional outputs. */
import { OPTIONAL_EMITTERS } from "../../generator/emit/optional-emitters.js";
import { isObject, type JsonObject } from "../../generator/json.js";

/** Formats the table of optional outputs. */
export function formatOutputTable(): string {
  const rows = OPTIONAL_EMITTERS.map(
    ({ name, file, summary }) => `| \`${name}\` | \`${file}\` | ${summary} |`,
  );
  return ["| name | file below `<name>/v<major>/` | content |", "|---|---|---|", ...rows].join("\n");
}

/** Returns the schema of the configuration with the names of all optional outputs. */
export function addOutputNames(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const items = { enum: OPTIONAL_EMITTERS.map(({ name }) => name) };
  const emit = isObject(properties.emit) ? { ...properties.emit, items } : { items };
  return { ...schema, properties: { ...properties, emit } };
}
