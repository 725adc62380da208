import type { Cache } from "../cache/cache.js";
import type { Json } from "../json.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import type { Recordings } from "./catalog/recordings.js";
import type { FixtureStream } from "./fixture-stream.js";

/** The input of emitters besides the protocol. */
export interface EmitContext {
  /** Reads the events of the fixtures; none if absent. */
  readonly readFixtureEvents?: () => readonly FixtureEvent[];
  /** Reads the streams of the fixtures; none if absent. */
  readonly readFixtureStreams?: () => readonly FixtureStream[];
  /** The runtime's own files, which are copied into every version. */
  readonly runtime: readonly OutputFile[];
  /** The folder of the version's fixtures, relative to its generated folder, with forward slashes. */
  readonly fixtures: string;
  /** Earlier releases of the same major version, oldest first, none by default. */
  readonly releases?: readonly Protocol[];
  /** The optional outputs to emit, each as `name` or `name=folder`; none by default. */
  readonly optionalOutputs?: readonly string[];
  /** The thread that emits some outputs. Without it, this thread emits all. */
  readonly thread?: EmitThread | undefined;
  /** Remembers the parts of outputs that depend on one event type. Without it, all are made. */
  readonly cache?: Cache;
}

/** An output that another thread may emit, because it takes long. */
export type SeparateOutput = "types" | "catalog";

/** Another thread that emits. */
export interface EmitThread {
  /** Emits one output of a protocol. Rejects if the thread fails or was closed. */
  emitSeparately(
    output: SeparateOutput,
    protocol: Protocol,
    recordings: Recordings,
  ): Promise<readonly OutputFile[]>;
  /** Returns whether the thread has loaded its libraries. Before that, it does not answer. */
  isReady(): boolean;
}

/** An output of `accrete generate`. `emit` is a pure function, so the same protocol gives the same bytes. */
export interface Emitter {
  readonly name: string;
  emit(protocol: Protocol, context: EmitContext): readonly OutputFile[] | Promise<readonly OutputFile[]>;
}

/** An event of a fixture, valid or not, and the path of its file. */
export interface FixtureEvent {
  readonly id: string;
  readonly event: Json;
}
