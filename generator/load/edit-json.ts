import type { JSONPath } from "jsonc-parser";
import { getOwn, isObject, type Json } from "../json.js";
import { setJsonValue } from "../source/jsonc-package.js";

/** Returns a JSON text with one value replaced or inserted. Its other bytes stay as they are. */
export function setInJson(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return setJsonValue(text, path, value, { formattingOptions, isArrayInsertion });
}

/** Returns the text of a protocol.json with an entry of the list `key` replaced, or appended if there is no `index`. */
export function setInManifest(text: string, key: string, index: number | undefined, entry: Json): string {
  const document: Json = JSON.parse(text);
  const list = isObject(document) ? getOwn(document, key) : undefined;
  if (!Array.isArray(list)) return setInJson(text, [key], [entry]);
  return setInJson(text, [key, index ?? list.length], entry, index === undefined);
}
