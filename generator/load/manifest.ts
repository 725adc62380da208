import { readFileSync } from "node:fs";
import type { ErrorObject } from "ajv/dist/2020.js";
import type { Finding } from "../finding.js";
import type { Envelope, Message, Stream, Tombstone, Waiver, Withdrawal } from "../protocol/protocol.js";
import type { ToolMembers } from "../protocol/tool-members.js";
import type { Source } from "../source/source.js";
import { createDocumentCheck } from "./document-check.js";
import { createDocumentFinding, type DocumentWords } from "./document-finding.js";

/** The content of a protocol.json that matches its schema. */
export interface Manifest extends ToolMembers {
  readonly name: string;
  readonly major: number;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** The letter cases of event types and fields: names of `LETTER_CASES`. */
  readonly naming?: { readonly event?: string; readonly field?: string };
  readonly groups?: { readonly [name: string]: string };
  readonly envelope: {
    readonly discriminator: string;
    readonly payload: { readonly placement: Envelope["placement"]; readonly property?: string };
    /** The envelope field that states the major version, and its value. */
    readonly version?: { readonly field: string; readonly value: string };
    readonly message?: Message;
  };
  readonly stream?: Stream;
  readonly guarantees?: readonly string[];
  readonly evolution?: readonly string[];
  readonly tombstones?: readonly Omit<Tombstone, "at">[];
  readonly waivers?: readonly Omit<Waiver, "at">[];
  readonly withdrawn?: readonly Omit<Withdrawal, "at">[];
}

const protocolSchema = JSON.parse(
  readFileSync(new URL("../load/protocol.schema.json", import.meta.url), "utf8"),
);

const checkDocument = createDocumentCheck<Manifest>(protocolSchema);

const WORDS: DocumentWords = { rule: "protocol-invalid", document: "protocol.json" };

/** Checks a protocol.json. The manifest is absent if the file does not match its schema. */
export function checkManifest(
  source: Source,
  id: string,
): { readonly manifest?: Manifest; readonly findings: readonly Finding[] } {
  const { value: manifest, errors } = checkDocument(source.document);
  if (manifest === undefined)
    return {
      findings: errors
        .filter((error) => !isConsequence(error, errors))
        .map((error) => createDocumentFinding(error, WORDS, source)),
    };
  return { manifest, findings: checkConsistency(manifest, source, id) };
}

/** Returns whether an error only follows from other errors: from a failed condition, or from an unknown value. */
function isConsequence({ keyword, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (keyword === "if") return true;
  const hasUnknownValue = all.some(
    (other) => other.keyword === "enum" && other.instancePath.startsWith(`${instancePath}/`),
  );
  return keyword === "not" && hasUnknownValue;
}

/** Checks that the names fit the folder, and that versions, waivers and withdrawals fit each other. */
function checkConsistency(
  { name, formerNames = [], major, version, waivers = [], withdrawn = [] }: Manifest,
  source: Source,
  id: string,
): Finding[] {
  const findings: Finding[] = [];
  const report = (pointer: string, message: string): number =>
    findings.push({ rule: "protocol-invalid", severity: "error", message, at: source.locate(pointer) });
  const isOtherFolder = `${name}/v${major}` !== id;
  if (isOtherFolder)
    report(
      id.startsWith(`${name}/`) ? "/major" : "/name",
      `The folder is ${id}, but protocol.json says ${name}/v${major}.`,
    );
  if (formerNames.includes(name))
    report(
      `/formerNames/${formerNames.indexOf(name)}`,
      `${JSON.stringify(name)} is the name of the protocol.`,
    );
  if (!isOtherFolder && !version.startsWith(`${major}.`))
    report("/version", `The version ${version} does not belong to major ${major}.`);
  for (const [index, { fingerprint }] of waivers.entries())
    if (waivers.slice(0, index).some((earlier) => earlier.fingerprint === fingerprint))
      report(
        `/waivers/${index}/fingerprint`,
        `The waiver ${fingerprint} is listed twice; an exception has one reason and one end.`,
      );
  for (const [index, { version: released, digest }] of withdrawn.entries()) {
    if (!released.startsWith(`${major}.`))
      report(
        `/withdrawn/${index}/version`,
        `The withdrawn release ${released} does not belong to major ${major}.`,
      );
    const earlier = withdrawn.slice(0, index);
    if (earlier.some((each) => each.version === released && each.digest === digest))
      report(`/withdrawn/${index}`, `This withdrawal of the release ${released} is listed twice.`);
  }
  return findings;
}
