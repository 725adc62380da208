import { setImmediate as yieldToEvents } from "node:timers/promises";
import type { Cache } from "../cache/cache.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { emitBundle } from "./bundle.js";
import { NO_RECORDINGS, type Recordings, readRecordings } from "./catalog/recordings.js";
import { isCatalogRemembered } from "./catalog/remember-blocks.js";
import type { EmitContext, Emitter, SeparateOutput } from "./emitter.js";
import { type Omission, OPTIONAL_EMITTERS, parseRequestedOutput } from "./optional-emitters.js";
import { BANNER } from "./text.js";
import { emitConformance } from "./typescript/conformance.js";
import { emitCore } from "./typescript/core-module.js";
import { emitIndex } from "./typescript/index-module.js";
import { emitMetadata } from "./typescript/metadata.js";
import { emitSchemas } from "./typescript/schemas-module.js";
import { emitValidators } from "./typescript/validators.js";

/** An output that every protocol has, unless one of these names leaves it out. */
interface DefaultEmitter extends Emitter {
  readonly omissions: readonly Omission[];
}

const TYPESCRIPT: readonly Omission[] = ["no-typescript"];

/** The outputs that every protocol has by default. */
const EMITTERS: readonly DefaultEmitter[] = [
  {
    name: "types",
    omissions: TYPESCRIPT,
    emit: (protocol, context) => emitSeparately("types", protocol, context),
  },
  { name: "validators", omissions: TYPESCRIPT, emit: emitValidators },
  {
    name: "runtime",
    omissions: TYPESCRIPT,
    emit: (protocol, { runtime }) => runtime.map((file) => createRuntimeFile(protocol, file)),
  },
  { name: "metadata", omissions: TYPESCRIPT, emit: emitMetadata },
  { name: "index", omissions: TYPESCRIPT, emit: emitIndex },
  { name: "core", omissions: TYPESCRIPT, emit: emitCore },
  {
    name: "schemas",
    omissions: TYPESCRIPT,
    emit: (protocol, { releases = [] }) => emitSchemas(protocol, releases),
  },
  { name: "schema", omissions: ["no-schema"], emit: (protocol) => [emitBundle(protocol)] },
  {
    name: "catalog",
    omissions: ["no-catalog"],
    emit: (protocol, context) => emitSeparately("catalog", protocol, context),
  },
  {
    name: "conformance",
    omissions: ["no-tests", "no-typescript"],
    emit: (protocol, { fixtures }) => [emitConformance(protocol, fixtures)],
  },
];

/** Emits all files of one protocol version. Returns them sorted by path. */
export async function emitProtocol(protocol: Protocol, context: EmitContext): Promise<readonly OutputFile[]> {
  const { optionalOutputs = [] } = context;
  const folders = new Map(
    optionalOutputs.map(parseRequestedOutput).map(({ name, folder }) => [name, folder] as const),
  );
  const names = [...folders.keys()];
  const emitters: readonly Emitter[] = [
    ...EMITTERS.filter(({ omissions }) => !omissions.some((name) => folders.has(name))),
    ...OPTIONAL_EMITTERS.filter(({ name }) => isWanted(name, names)),
  ];
  const outputs: Promise<readonly OutputFile[]>[] = [];
  for (const { name, emit } of emitters) {
    const folder = folders.get(name);
    const output = (async () => {
      const files = await emit(protocol, context);
      return folder === undefined ? files : files.map((file) => ({ ...file, folder }));
    })();
    // An error is thrown below, when all emitters have been called.
    output.catch(() => {});
    outputs.push(output);
    // The process handles signals between two outputs.
    await yieldToEvents();
  }
  return (await Promise.all(outputs)).flat().sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns whether to emit an optional output. An output with types alone has the files of the one that checks the contract. */
function isWanted(name: string, wanted: readonly string[]): boolean {
  return wanted.includes(name) && !wanted.some((other) => name === `${other}-types`);
}

/** The emitters that another thread may run. Their code is imported when it is needed. */
const SEPARATE_EMITTERS = {
  types: async (protocol: Protocol, _recordings: Recordings, cache?: Cache) => [
    await (await import("./typescript/types.js")).emitTypes(protocol, cache),
  ],
  catalog: async (protocol: Protocol, recordings: Recordings, cache?: Cache) =>
    (await import("./catalog/catalog.js")).emitCatalog(protocol, recordings, cache),
};

async function emitSeparately(
  output: SeparateOutput,
  protocol: Protocol,
  { thread, cache, readFixtureStreams }: EmitContext,
): Promise<readonly OutputFile[]> {
  const recordings =
    output === "catalog" ? readRecordings(protocol, readFixtureStreams?.() ?? []) : NO_RECORDINGS;
  // To describe what is in the cache takes less time than the thread needs to load its libraries.
  const isQuick = output === "catalog" && thread?.isReady() === false && isCatalogRemembered(protocol, cache);
  return thread === undefined || isQuick
    ? SEPARATE_EMITTERS[output](protocol, recordings, cache)
    : thread.emitSeparately(output, protocol, recordings);
}

function createRuntimeFile(protocol: Protocol, { path, content }: OutputFile): OutputFile {
  return { path: `${protocol.id}/${path}`, content: `${BANNER}\n${content}` };
}
