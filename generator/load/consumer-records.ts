import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { errorFinding, type Finding } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import { parseSource } from "../source/source.js";
import { documentCheck } from "./document-check.js";
import { readBytes } from "./read-bytes.js";

/** What a run of the contract tests leaves behind of a frontend that passed them. */
export interface ConsumerRecord {
  /** The frontend's name. */
  readonly consumer: string;
  /** The protocol's id, and the version that was played. */
  readonly protocol: string;
  readonly version: string;
  /** The event types that were played to it. */
  readonly events: readonly string[];
}

/** By protocol, then by frontend. */
const SCHEMA: JsonObject = {
  type: "object",
  additionalProperties: {
    type: "object",
    additionalProperties: {
      type: "object",
      required: ["version", "events"],
      properties: { version: { type: "string" }, events: { type: "array", items: { type: "string" } } },
    },
  },
};

const errorsOf = documentCheck(SCHEMA);

/** The records of a file; none if there is no such file. What is wrong with it is told at its place. */
export function readConsumers(file: string): {
  readonly records: readonly ConsumerRecord[];
  readonly findings: readonly Finding[];
} {
  const bytes = bytesOf(file);
  if (bytes === undefined) return { records: [], findings: [] };
  const parsed = parseSource(file, bytes);
  if ("findings" in parsed) return { records: [], findings: parsed.findings };
  const { source } = parsed;
  const [fault] = errorsOf(source.document);
  if (fault !== undefined) {
    const message = `These are no records of frontends: ${fault.instancePath || "the document"} ${fault.message}.`;
    return {
      records: [],
      findings: [errorFinding("consumers-invalid", message, source.locate(fault.instancePath))],
    };
  }
  return { records: recordsIn(source.document as unknown as Records), findings: [] };
}

interface Records {
  readonly [protocol: string]: {
    readonly [consumer: string]: { readonly version: string; readonly events: readonly string[] };
  };
}

function recordsIn(document: Records): ConsumerRecord[] {
  return Object.entries(document).flatMap(([protocol, consumers]) =>
    Object.entries(consumers).map(([consumer, { version, events }]) => ({
      protocol,
      consumer,
      version,
      events,
    })),
  );
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readBytes(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * What `describeConsumer` may be given as `record`: keeps what it is told in `file`, which is to be committed, beside what
 * stands there of other frontends and protocols, also of those that are tested at the same time. Throws if the file is
 * there and holds something else.
 */
export function recordConsumer(file: string): (record: ConsumerRecord) => void {
  return (record) => {
    mkdirSync(path.dirname(file), { recursive: true });
    const release = waitFor(`${file}.lock`);
    try {
      keep(file, record);
    } finally {
      release();
    }
  };
}

function keep(file: string, record: ConsumerRecord): void {
  const { records, findings } = readConsumers(file);
  const [fault] = findings;
  if (fault) throw new Error(`${file}: ${fault.message}`);
  const others = records.filter(
    ({ consumer, protocol }) => consumer !== record.consumer || protocol !== record.protocol,
  );
  const text = `${JSON.stringify(documentOf([...others, record].sort(inOrder)), undefined, 2)}\n`;
  if (text === bytesOf(file)?.toString()) return;
  const whole = `${file}.part`;
  writeFileSync(whole, text);
  renameSync(whole, file);
}

/** Names may be anything, `__proto__` too: objects are made of entries. */
function documentOf(records: readonly ConsumerRecord[]): Json {
  const protocols = new Map<string, [consumer: string, Json][]>();
  for (const { protocol, consumer, version, events } of records) {
    const consumers = protocols.get(protocol) ?? [];
    protocols.set(protocol, consumers);
    consumers.push([consumer, { version, events: [...events].sort() }]);
  }
  return Object.fromEntries(
    [...protocols].map(([protocol, consumers]) => [protocol, Object.fromEntries(consumers)]),
  );
}

/** How long a test waits for another that keeps its record, which takes milliseconds: a test that takes longer has crashed. */
const PATIENCE_MS = 5_000;

/** Makes a file that nobody else can make meanwhile; what is returned removes it. Only a lock that stays is taken away. */
function waitFor(lock: string): () => void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let held: number | undefined;
  for (let waited = 0; ; waited += 10) {
    try {
      writeFileSync(lock, "", { flag: "wx" });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (made !== held) waited = 0;
    held = made;
    if (waited >= PATIENCE_MS) rmSync(lock, { force: true });
    else Atomics.wait(pause, 0, 0, 10);
  }
}

function inOrder(one: ConsumerRecord, other: ConsumerRecord): number {
  const [a, b] = [`${one.protocol}\n${one.consumer}`, `${other.protocol}\n${other.consumer}`];
  return a < b ? -1 : a > b ? 1 : 0;
}
