/** Contracts that can be compared, from imported schemas. Reads no files. */
import type { BaselineSide } from "../compat/side.js";
import { UsageError } from "../failure.js";
import { formatLocatedMessage } from "../finding.js";
import { cutFileName } from "../import/bundle.js";
import { closesObjects } from "../import/closed-objects.js";
import type { Imported, ImportSettings } from "../import/import-union.js";
import { createProtocolFiles, listOrigins, type Origin } from "../import/protocol-files.js";
import type { LocatePlace } from "../load/baseline/locate-place.js";
import { createFilesInMemory } from "../load/files.js";
import { loadFiles } from "../load/load.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { declareRequiredFields } from "./declare-required.js";

/** A contract that can be compared. */
export interface Contract {
  readonly side: BaselineSide;
  /** True if the contract is one schema without an event type, which is named by its file. */
  readonly isNamedByFile?: boolean;
  /** Notes about parts of the schemas that the comparison reads in another way than their authors wrote them. */
  readonly notes: readonly string[];
}

/** The settings of an import that is compared. No event has the name, which would be that of the type of all events. */
export const COMPARED: ImportSettings = { name: "compared-contract", version: "1.0", isCompared: true };

/**
 * Creates a contract from the import of a file or folder with the path `file`. Messages call it `label`. Throws a UsageError
 * if it cannot be compared.
 */
export async function createContract(
  { parts, readings, originals }: Imported,
  file: string,
  label: string,
  createLocator: (origins: readonly Origin[]) => LocatePlace,
): Promise<Contract> {
  const files = createProtocolFiles({ ...parts, stability: "stable" });
  const load = (loaded: typeof files) => loadFiles(createFilesInMemory("", loaded), "", [], CONTRACT_ONLY);
  const first = await load(files);
  const declared = declareRequiredFields(files, first.findings);
  const { protocols, findings } = declared ? await load(declared) : first;
  const [protocol] = protocols;
  if (!protocol) {
    const error = findings.find(({ severity }) => severity === "error");
    throw new UsageError(
      `${label} cannot be compared: ${error ? formatLocatedMessage(error) : "it is empty"}`,
    );
  }
  const imported = { closesObjects: originals !== undefined && closesObjects(originals.bundle) };
  const side = { protocol, label, locate: createLocator(listOrigins(parts)), imported };
  const errors = declared ? first.findings.filter(({ severity }) => severity === "error") : [];
  const undeclared = new Set(errors.map(({ message }) => `${message} Any value was taken for it.`));
  const isNamedByFile = protocol.events.length === 1 && protocol.events[0]?.type === cutFileName(file);
  return { side, isNamedByFile, notes: [...readings, ...undeclared].map((note) => `${label}: ${note}`) };
}

/** Returns a contract under the type of another one, if both are single schemas in files with different names. */
export function adoptEventType(contract: Contract, { side: other, isNamedByFile }: Contract): Contract {
  const [event] = contract.side.protocol.events;
  const [otherEvent] = other.protocol.events;
  if (!contract.isNamedByFile || !isNamedByFile || !event || !otherEvent) return contract;
  const protocol = { ...contract.side.protocol, events: [{ ...event, type: otherEvent.type }] };
  return { ...contract, side: { ...contract.side, protocol } };
}
