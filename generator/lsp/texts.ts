/** Changes the texts of JSON files, and describes the changes as edits of an editor. */

import type { WorkspaceEdit } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { getChild, type Json, parseJson, splitPointer } from "../json.js";
import { readIfPossible } from "../load/baseline/locate-place.js";
import { setInJson } from "../load/edit-json.js";
import { loadJsonc } from "../source/jsonc-package.js";

/** The texts of files by their paths, as far as they are changed. */
export type Texts = ReadonlyMap<string, string>;

/** Returns a text with the value at a pointer set; undefined removes it. */
export function setAtPointer(text: string, pointer: string, value: Json | undefined): string {
  return setInJson(text, findJsonPath(text, pointer), value);
}

/** Returns a text in which the member at a pointer has another name. */
export function renameMember(text: string, pointer: string, name: string): string {
  const { parseTree, findNodeAtLocation } = loadJsonc();
  const root = parseTree(text);
  const key = root && findNodeAtLocation(root, findJsonPath(text, pointer))?.parent?.children?.[0];
  if (key === undefined) return text;
  return text.slice(0, key.offset) + JSON.stringify(name) + text.slice(key.offset + key.length);
}

/** Returns the names and indexes that lead to a pointer. */
function findJsonPath(text: string, pointer: string): (string | number)[] {
  let value = parseJson(text);
  return splitPointer(pointer).map((token) => {
    const segment = Array.isArray(value) ? Number(token) : token;
    value = getChild(value, token);
    return segment;
  });
}

/** Returns the present text of a file, saved or not; undefined if there is no such file. */
export function readText(file: string): string | undefined {
  const bytes = readIfPossible(file);
  return bytes && new TextDecoder().decode(bytes);
}

/** Returns the edit that gives files these texts, and creates those that do not exist. */
export function createWorkspaceEdit(texts: Texts, toUri: (file: string) => string): WorkspaceEdit {
  return {
    documentChanges: [...texts].flatMap(([file, text]) => {
      const uri = toUri(file);
      const before = readText(file);
      const edits = [createTextEdit(uri, before ?? "", text)];
      const edit = { textDocument: { uri, version: null }, edits };
      return before === undefined ? [{ kind: "create" as const, uri }, edit] : [edit];
    }),
  };
}

/** Returns one edit for the part in which two texts differ. */
function createTextEdit(uri: string, before: string, after: string) {
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && before[start] === after[start]) start++;
  let end = 0;
  while (end < limit - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const document = TextDocument.create(uri, "json", 0, before);
  const range = { start: document.positionAt(start), end: document.positionAt(before.length - end) };
  return { range, newText: after.slice(start, after.length - end) };
}
