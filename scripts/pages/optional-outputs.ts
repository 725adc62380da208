/** The table of docs/outputs.md and the names in the schema of the configuration, both from the table of optional outputs. */
import { OMISSIONS, OPTIONAL_EMITTERS, OUTPUT_NAMES } from "../../generator/emit/optional-emitters.js";
import { isObject, type JsonObject } from "../../generator/json.js";

/** Formats the table of optional outputs, and of the names that leave out another one. */
export function formatOutputTable(): string {
  const rows = [
    ...OPTIONAL_EMITTERS.map(({ name, file, summary }) => `| \`${name}\` | \`${file}\` | ${summary} |`),
    ...Object.entries(OMISSIONS).map(([name, omitted]) => `| \`${name}\` | none | leaves out ${omitted} |`),
  ];
  return ["| name | file below `<name>/v<major>/` | content |", "|---|---|---|", ...rows].join("\n");
}

/** Returns the schema of the configuration with the names that `emit` and `folders` may have. */
export function addOutputNames(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const items = { enum: OUTPUT_NAMES };
  const emit = isObject(properties.emit) ? { ...properties.emit, items } : { items };
  const folder = { type: "string", minLength: 1, pattern: "^[^\\u0000]*$" };
  const folders = {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(OPTIONAL_EMITTERS.map(({ name }) => [name, folder])),
    default: {},
    description: "Folders of outputs that are not written into the folder of the generated code.",
  };
  return { ...schema, properties: { ...properties, emit, folders } };
}
