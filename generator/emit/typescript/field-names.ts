/** Gives json-schema-to-typescript field names that it can handle. */

/**
 * Returns the name under which json-schema-to-typescript gets a field. It calls `hasOwnProperty` of the object that holds the
 * fields, so that none can have this name.
 */
export function encodeFieldName(name: string): string {
  return name.replace(/^hasOwnProperty_*$/, "$&_");
}

/** Returns code or a name with the names of fields that `encodeFieldName` encoded. */
export function decodeFieldNames(text: string): string {
  return text.replace(/^(hasOwnProperty_*)_(?=\??: |$)/gm, "$1");
}
