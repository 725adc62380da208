import { readFileSync } from "node:fs";
import type { Finding } from "../finding.js";
import type { Json } from "../json.js";
import type { Envelope, Stream, Tombstone, Waiver } from "../model/protocol.js";
import { documentCheck } from "./document-check.js";
import { type DocumentWords, documentFault } from "./document-fault.js";
import type { Source } from "./source.js";

/** protocol.json after validation: what its schema guarantees. */
export interface Manifest {
  readonly name: string;
  readonly major: number;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly naming?: { readonly event?: string; readonly field?: string };
  readonly groups?: { readonly [name: string]: string };
  readonly envelope: {
    readonly discriminator: string;
    readonly payload: { readonly placement: Envelope["placement"]; readonly property?: string };
  };
  readonly stream?: Stream;
  readonly guarantees?: readonly string[];
  readonly evolution?: readonly string[];
  readonly tombstones?: readonly Omit<Tombstone, "at">[];
  readonly waivers?: readonly Omit<Waiver, "at">[];
}

const protocolSchema = JSON.parse(readFileSync(new URL("./protocol.schema.json", import.meta.url), "utf8"));

const manifestErrors = documentCheck(protocolSchema);

const WORDS: DocumentWords = {
  rule: "protocol-invalid",
  document: "protocol.json",
  value: "not possible here",
};

/** Whether a document is what the schema of protocol.json describes. */
export function isManifest(document: Json): boolean {
  return manifestErrors(document).length === 0;
}

export function checkManifest(source: Source, id: string): Finding[] {
  const findings: Finding[] = [];
  const errors = manifestErrors(source.document).filter(({ keyword }) => keyword !== "if");
  findings.push(...errors.map((error) => documentFault(error, WORDS, source)));
  if (errors.length === 0) {
    const { name, major, version, waivers = [] } = source.document as unknown as Manifest;
    const complain = (pointer: string, message: string): number =>
      findings.push({ rule: "protocol-invalid", severity: "error", message, at: source.locate(pointer) });
    if (`${name}/v${major}` !== id)
      complain("/name", `The folder is ${id}, but protocol.json says ${name}/v${major}.`);
    if (!version.startsWith(`${major}.`))
      complain("/version", `The version ${version} does not belong to major ${major}.`);
    for (const [index, { fingerprint }] of waivers.entries())
      if (waivers.findIndex((each) => each.fingerprint === fingerprint) < index)
        complain(
          `/waivers/${index}/fingerprint`,
          `The waiver ${fingerprint} stands twice; an exception has one reason and one end.`,
        );
  }
  return findings;
}
