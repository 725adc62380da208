import { readFileSync } from "node:fs";
import path from "node:path";
import type { Io } from "../io.js";
import { setInManifest } from "../load/edit-manifest.js";
import { changeFolder } from "../output/transaction.js";
import type { Protocol, Waiver } from "../protocol/protocol.js";

/** Adds a waiver to protocol.json, whose other bytes stay as they are, and says which file it is. */
export function addWaiver(
  schemas: string,
  { id, waivers }: Protocol,
  waiver: Omit<Waiver, "at">,
  io: Io,
): string {
  const file = path.join(schemas, id, "protocol.json");
  const known = waivers.findIndex(({ fingerprint }) => fingerprint === waiver.fingerprint);
  const index = known === -1 ? undefined : known;
  const content = setInManifest(readFileSync(file, "utf8"), "waivers", index, { ...waiver });
  changeFolder(path.dirname(file), [{ path: "protocol.json", content, exists: true }], io);
  return file;
}
