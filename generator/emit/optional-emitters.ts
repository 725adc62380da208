/**
 * The outputs that not every project wants, one row each: options, the schema of the configuration and docs/outputs.md take
 * their names from here. Rows import their code when it is needed, since each command reads this table.
 */
import type { Emitter } from "./emitter.js";

/** An output that projects name with `--emit` or in their configuration. */
interface OptionalEmitter extends Emitter {
  /** The file that it writes below `<name>/v<major>/`, and its content, both for the table of docs/outputs.md. */
  readonly file: string;
  readonly summary: string;
}

/** Every optional output, in the order of the documentation. */
export const OPTIONAL_EMITTERS = [
  {
    name: "go",
    file: "go/",
    summary:
      "a Go package: structs of events, payloads and definitions; `DecodeEvent`; `EventReader`; `StreamChecker`",
    emit: async (protocol) => (await import("./go/go.js")).emitGo(protocol),
  },
  {
    name: "go-types",
    file: "go/",
    summary: "the Go package with decoders that check [types alone](go.md#types-alone)",
    emit: async (protocol) => (await import("./go/go.js")).emitGo(protocol, "types"),
  },
  {
    name: "python",
    file: "python/",
    summary:
      "a Python package: pydantic models of events, payloads and definitions; `decode_event`; `EventReader`; `StreamChecker`",
    emit: async (protocol) => (await import("./python/python.js")).emitPython(protocol),
  },
  {
    name: "python-types",
    file: "python/",
    summary: "the Python package with decoders that check [types alone](python.md#types-alone)",
    emit: async (protocol) => (await import("./python/python.js")).emitPython(protocol, "types"),
  },
  {
    name: "rust",
    file: "rust/",
    summary:
      "a Rust crate: serde types of events, payloads and definitions; `decode_event`; `EventReader`; `StreamChecker`",
    emit: async (protocol) => (await import("./rust/rust.js")).emitRust(protocol),
  },
  {
    name: "rust-types",
    file: "rust/",
    summary: "the Rust crate with decoders that check [types alone](rust.md#types-alone)",
    emit: async (protocol) => (await import("./rust/rust.js")).emitRust(protocol, "types"),
  },
  {
    name: "vectors",
    file: "vectors.jsonl",
    summary:
      "events, valid and not, with the verdicts of both readings, against which [other decoders](vectors.md) are tested; `stream-vectors.jsonl`: streams with the findings about them",
    async emit(protocol, { readFixtureEvents, readFixtureStreams }) {
      const [{ emitVectors }, { emitStreamVectors }] = await Promise.all([
        import("./vectors/vectors.js"),
        import("./vectors/stream-vectors.js"),
      ]);
      const events = readFixtureEvents?.() ?? [];
      return [
        emitVectors(protocol, events),
        ...emitStreamVectors(protocol, readFixtureStreams?.() ?? [], events),
      ];
    },
  },
  {
    name: "sql",
    file: "sql/",
    summary:
      "[views over raw events](querying.md) for DuckDB, PostgreSQL and Spark: one per event type, things that begin and end, the streams, violations of stream rules",
    emit: async (protocol) => (await import("./sql/sql.js")).emitSql(protocol),
  },
  {
    name: "spark",
    file: "spark/",
    summary: "a job for Spark that [audits an archive on a cluster](auditing.md#on-a-cluster)",
    emit: async (protocol) => (await import("./spark/spark.js")).emitSpark(protocol),
  },
  {
    name: "openapi",
    file: "openapi.json",
    summary:
      "the paths of [`accrete serve`](serving.md) as OpenAPI 3.2; each message of a live stream has an `itemSchema`",
    emit: async (protocol) => [(await import("./openapi/openapi.js")).emitOpenapi(protocol)],
  },
  {
    name: "asyncapi",
    file: "asyncapi.json",
    summary: "the live streams and a message for each event type, as AsyncAPI 3.1",
    emit: async (protocol) => [(await import("./openapi/asyncapi.js")).emitAsyncapi(protocol)],
  },
] as const satisfies readonly OptionalEmitter[];

/** An output that a project asks for, with the folder for its files; that of all outputs if undefined. */
interface RequestedOutput {
  readonly name: string;
  readonly folder: string | undefined;
}

/** Reads an item of `emit`: `name`, or `name=folder`. */
export function parseRequestedOutput(item: string): RequestedOutput {
  const [name = "", ...folder] = item.split("=");
  return { name, folder: folder.length === 0 ? undefined : folder.join("=") };
}

/** The names that leave out an output that every protocol has otherwise, each with what it leaves out. */
export const OMISSIONS = {
  "no-typescript": "the TypeScript modules and the conformance tests",
  "no-tests": "the conformance tests",
  "no-schema": "`schema.json`, the bundled schema",
  "no-catalog": "the catalogue",
} as const;

/** A name that leaves out an output. */
export type Omission = keyof typeof OMISSIONS;

/** The names that `--emit` and the configuration accept. */
export const OUTPUT_NAMES: readonly string[] = [
  ...OPTIONAL_EMITTERS.map(({ name }) => name),
  ...Object.keys(OMISSIONS),
];
