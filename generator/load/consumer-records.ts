import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createErrorFinding, type Finding, formatLocatedMessage } from "../finding.js";
import { getErrorCode, type Io, sleep } from "../io.js";
import type { Json, JsonObject } from "../json.js";
import type { Lens } from "../protocol/lens.js";
import { parseSource } from "../source/source.js";
import { compareTexts } from "../text.js";
import { createDocumentCheck } from "./document-check.js";
import { readBytes } from "./read-bytes.js";

/** The record of a frontend that passed the contract tests. */
export interface ConsumerRecord {
  /** The name of the frontend. */
  readonly consumer: string;
  /** The id of the protocol. */
  readonly protocol: string;
  /** The version of the protocol that was tested. */
  readonly version: string;
  /** The event types that were sent to the frontend. */
  readonly events: readonly string[];
  /** The kinds of frontends that this one stands for, such as "web" or "cli". */
  readonly kinds?: readonly string[];
  /** The event types and fields on which the frontend depends, as far as experiments showed it. */
  readonly lens?: Lens;
}

/** The schema of the file: records by protocol, then by frontend. */
const RECORDS_SCHEMA: JsonObject = {
  type: "object",
  additionalProperties: {
    type: "object",
    additionalProperties: {
      type: "object",
      required: ["version", "events"],
      properties: {
        version: { type: "string" },
        events: { type: "array", items: { type: "string" } },
        kinds: { type: "array", items: { type: "string" } },
        lens: {
          type: "object",
          additionalProperties: {
            type: "object",
            additionalProperties: { type: "array", items: { type: "string" } },
          },
        },
      },
    },
  },
};

const checkRecords = createDocumentCheck<Records>(RECORDS_SCHEMA);

/** Reads the records of a file. A missing file has no records, and errors in the file are findings. */
export function readConsumers(file: string): {
  readonly records: readonly ConsumerRecord[];
  readonly findings: readonly Finding[];
} {
  const bytes = readBytesIfPresent(file);
  if (bytes === undefined) return { records: [], findings: [] };
  const parsed = parseSource(file, bytes);
  if ("findings" in parsed) return { records: [], findings: parsed.findings };
  const { source } = parsed;
  const { value: records, errors } = checkRecords(source.document);
  if (records === undefined) {
    const [error] = errors;
    const message = `These are not records of frontends: ${error.instancePath || "the document"} ${error.message}.`;
    return {
      records: [],
      findings: [createErrorFinding("consumers-invalid", message, source.locate(error.instancePath))],
    };
  }
  return { records: listRecords(records), findings: [] };
}

/** Returns the records of a file. Prints errors in the file, and then returns no records. */
export function readRecordsIfValid(file: string, io: Io): readonly ConsumerRecord[] {
  const { records, findings } = readConsumers(file);
  io.stderr(findings.map((finding) => `${formatLocatedMessage(finding)}\n`).join(""));
  return records;
}

/** The document of a file of records: by protocol, then by frontend. */
interface Records {
  readonly [protocol: string]: {
    readonly [consumer: string]: Omit<ConsumerRecord, "consumer" | "protocol">;
  };
}

function listRecords(document: Records): ConsumerRecord[] {
  return Object.entries(document).flatMap(([protocol, consumers]) =>
    Object.entries(consumers).map(([consumer, record]) => ({ ...record, protocol, consumer })),
  );
}

function readBytesIfPresent(file: string): Buffer | undefined {
  try {
    return readBytes(file);
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Returns a function for the option `record` of `describeConsumer`. It adds a record to `file`, which should be committed,
 * and keeps the records of other frontends and protocols. Tests may call it at the same time. It throws if the file does not
 * hold records. A record without a lens keeps the lens that was recorded for the same version of the protocol.
 */
export function recordConsumer(file: string): (record: ConsumerRecord) => void {
  return (record) => {
    mkdirSync(path.dirname(file), { recursive: true });
    const unlock = lockFile(`${file}.lock`);
    try {
      saveRecord(file, record);
    } finally {
      unlock();
    }
  };
}

function saveRecord(file: string, record: ConsumerRecord): void {
  const { records, findings } = readConsumers(file);
  const [finding] = findings;
  if (finding) throw new Error(`${file}: ${finding.message}`);
  const isSame = ({ consumer, protocol }: ConsumerRecord): boolean =>
    consumer === record.consumer && protocol === record.protocol;
  const others = records.filter((each) => !isSame(each));
  const previous = records.find(isSame);
  const lens = record.lens ?? (previous?.version === record.version ? previous.lens : undefined);
  const newRecord = { ...record, ...(lens && { lens }) };
  const text = `${JSON.stringify(createDocument([...others, newRecord].sort(compareRecords)), undefined, 2)}\n`;
  if (text === readBytesIfPresent(file)?.toString()) return;
  const temporary = `${file}.part`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

/** Returns the document of records. Names may be `__proto__`, so objects are made from entries. */
function createDocument(records: readonly ConsumerRecord[]): Json {
  const protocols = new Map<string, [consumer: string, Json][]>();
  for (const { protocol, consumer, version, events, kinds, lens } of records) {
    const consumers = protocols.get(protocol) ?? [];
    protocols.set(protocol, consumers);
    const record = { version, ...(kinds && { kinds }), events: [...events].sort(), ...(lens && { lens }) };
    consumers.push([consumer, record]);
  }
  return Object.fromEntries(
    [...protocols].map(([protocol, consumers]) => [protocol, Object.fromEntries(consumers)]),
  );
}

/** The time that a test waits for another test to save its record. Saving takes milliseconds, so a slower test has crashed. */
const LOCK_TIMEOUT_MS = 5_000;

/** Creates a lock file and returns the function that removes it. A lock that does not change for too long is removed. */
function lockFile(lock: string): () => void {
  let lastCreatedAt: number | undefined;
  for (let waitedMs = 0; ; waitedMs += 10) {
    try {
      writeFileSync(lock, "", { flag: "wx" });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (getErrorCode(error) !== "EEXIST") throw error;
    }
    const createdAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (createdAt !== lastCreatedAt) waitedMs = 0;
    lastCreatedAt = createdAt;
    if (waitedMs >= LOCK_TIMEOUT_MS) rmSync(lock, { force: true });
    else sleep(10);
  }
}

function compareRecords(one: ConsumerRecord, other: ConsumerRecord): number {
  return compareTexts(`${one.protocol}\n${one.consumer}`, `${other.protocol}\n${other.consumer}`);
}
