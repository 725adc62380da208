import { applyEdits, modify } from "jsonc-parser";
import { isObject, type Json } from "../json.js";

/**
 * Returns the text of a protocol.json with an entry of the list `key` replaced, or appended where there is no `index`. Its
 * other bytes stay as they are.
 */
export function setInManifest(text: string, key: string, index: number | undefined, entry: Json): string {
  const document: Json = JSON.parse(text);
  const list = isObject(document) ? document[key] : undefined;
  const length = Array.isArray(list) ? list.length : undefined;
  const place = length === undefined ? [key] : [key, index ?? length];
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(text),
    tabSize: 2,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const edits = modify(text, place, length === undefined ? [entry] : entry, {
    formattingOptions,
    isArrayInsertion: length !== undefined && index === undefined,
  });
  return applyEdits(text, edits);
}
