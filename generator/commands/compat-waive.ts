import { readFileSync } from "node:fs";
import path from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import type { Protocol, Waiver } from "../model/protocol.js";
import type { Io } from "./io.js";
import { type Change, transact } from "./transaction.js";

/** Adds a waiver to protocol.json, whose other bytes stay as they are, and says which file it is. */
export function addWaiver(
  schemas: string,
  { id, waivers }: Protocol,
  waiver: Omit<Waiver, "at">,
  io: Io,
): string {
  const file = path.join(schemas, id, "protocol.json");
  const text = readFileSync(file, "utf8");
  const known = waivers.findIndex(({ fingerprint }) => fingerprint === waiver.fingerprint);
  const missing = waivers.length === 0 && !("waivers" in JSON.parse(text));
  const place = missing ? ["waivers"] : ["waivers", known === -1 ? waivers.length : known];
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(text),
    tabSize: 2,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const edits = modify(text, place, missing ? [waiver] : waiver, {
    formattingOptions,
    isArrayInsertion: known === -1 && !missing,
  });
  const change: Change = { path: "protocol.json", content: applyEdits(text, edits), instead: "file" };
  transact(path.dirname(file), () => ({ changes: [change], superfluous: [] }), io);
  return file;
}
