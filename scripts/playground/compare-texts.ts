/** Compares two JSON Schemas as `accrete diff` does, without files. */
import { diffContracts } from "../../generator/compat/diff-contracts.js";
import { startTimeLimit } from "../../generator/compat/proof/time-limit.js";
import { adoptEventType, COMPARED, type Contract, createContract } from "../../generator/diff/contract.js";
import { type Finding, formatLocatedMessage } from "../../generator/finding.js";
import { importFile } from "../../generator/import/import-file.js";
import { createOriginLocator } from "../../generator/import/locate-origin.js";
import { parseSource } from "../../generator/source/source.js";

/** The seconds after which the rest of a comparison is undecided. */
const TIME_LIMIT = 10;

/** The result of a comparison. */
export interface Comparison {
  readonly findings: readonly Finding[];
  readonly additions: readonly Finding[];
  /** Sentences about parts of the schemas that the comparison reads in another way than their authors wrote them. */
  readonly notes: readonly string[];
}

/** Compares two schemas, as if the second followed the first. Throws an error with a sentence for a text that is no schema. */
export async function compareTexts(before: string, after: string): Promise<Comparison> {
  const old = await readContract(before, "old.json");
  const current = adoptEventType(await readContract(after, "new.json"), old);
  const { findings, additions } = await diffContracts(old.side, current.side, [], startTimeLimit(TIME_LIMIT));
  return { findings, additions, notes: [...old.notes, ...current.notes] };
}

async function readContract(text: string, file: string): Promise<Contract> {
  const bytes = new TextEncoder().encode(text);
  const parsed = parseSource(file, bytes);
  const [error] = "findings" in parsed ? parsed.findings : [];
  if (!("source" in parsed)) throw new Error(error ? formatLocatedMessage(error) : `${file} is not JSON.`);
  const document = parsed.source.document;
  const read = (name: string) => (name === file ? document : undefined);
  const imported = importFile(file, { read, listFiles: () => [file], peek: read }, COMPARED, undefined);
  const readBytes = (name: string): Uint8Array | undefined => (name === file ? bytes : undefined);
  return createContract(imported, file, file, (origins) => createOriginLocator(origins, ".", readBytes));
}
