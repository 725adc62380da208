import { setImmediate as yieldToEvents } from "node:timers/promises";
import type { Cache } from "../../cache/cache.js";
import type { Pieces } from "../../cache/pieces.js";
import { mayBacktrack } from "../../contain/regex/may-backtrack.js";
import { hashText } from "../../hash.js";
import { createBodyReading, createEnvelopeReading } from "../../protocol/message-readings.js";
import { deriveEventName, deriveResourceName, deriveUnionName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { PROFILES, type Profile, type Reading, readAs } from "../../schema/readings.js";
import { hasSchemaWith } from "../../schema/walk.js";
import { sha256Hex } from "../../sha256.js";
import { formatLiteral } from "../../text.js";
import {
  callSharedDefinitions,
  createSharedReadings,
  nameSharedFunction,
  type SharedReadings,
} from "../../validators/share-definitions.js";
import { type CodeStyle, createValidatorCode, type FindMatcher } from "../../validators/validator-code.js";
import type { EmitContext } from "../emitter.js";
import { createEventKeys } from "../event-keys.js";
import { BANNER, formatDocComment } from "../text.js";

/** The maximum number of event types in one module. A profile with more is split into several modules. */
export const MAX_MODULE_EVENTS = 1000;

/** One exported validator: its line of JavaScript and its declaration. */
interface Export {
  readonly name: string;
  readonly code: string;
  readonly declaration: string;
  /** Functions of the runtime that the code calls. */
  readonly imports: readonly string[];
  /** Names of the shared definitions that the code calls. */
  readonly calls: readonly string[];
  /** The name of its values' type in types.ts. */
  readonly type: string;
}

/** A profile, a protocol, and the shared definitions of the protocol as the profile reads them. */
interface ProfileContext {
  readonly profile: Profile;
  readonly protocol: Protocol;
  readonly shared: SharedReadings;
  readonly createCode: CreateCode;
  readonly findMatcher: FindMatcher | undefined;
}

/** Creates the code of a validator, or takes it from a cache. */
type CreateCode = (reading: Reading, style?: CodeStyle) => ReturnType<typeof createValidatorCode>;

/** A shared definition as a function. Its line of JavaScript is exported only if the profile has several modules. */
type Callee = Pick<Export, "name" | "code" | "imports">;

/**
 * Writes `reader.js` and `writer.js` with their declarations: a validator for each event, for the envelope and for each
 * resource. Every validator is one line that depends on its own schema alone. It calls the large definitions that it refers
 * to, which are a line each. A profile with more than `MAX_MODULE_EVENTS` event types is split into several modules by a hash
 * of the type, so that a new event does not move others to another module.
 */
export async function emitValidators(
  protocol: Protocol,
  { cache }: Pick<EmitContext, "cache"> = {},
): Promise<OutputFile[]> {
  const files: OutputFile[] = [];
  const findMatcher = await loadFindMatcher(protocol);
  for (const profile of PROFILES) files.push(...(await emitProfile(protocol, profile, cache, findMatcher)));
  return files;
}

/** Loads the function that finds slow patterns. A protocol without a pattern that repeats something does not need it. */
async function loadFindMatcher({ envelope, events, definitions, resources }: Protocol) {
  const schemas = [
    envelope.schema,
    ...events.map(({ payload }) => payload),
    ...Object.values(definitions).map(({ schema }) => schema),
    ...resources.map(({ schema }) => schema),
  ];
  const mayBeSlow = schemas.some((schema) =>
    hasSchemaWith(schema, ({ pattern = "", patternProperties }) =>
      [pattern, ...Object.keys(patternProperties ?? {})].some((each) => mayBacktrack(String(each))),
    ),
  );
  return mayBeSlow ? (await import("../../contain/regex/linear-matcher.js")).findLinearMatcher : undefined;
}

async function emitProfile(
  protocol: Protocol,
  profile: Profile,
  cache: Cache | undefined,
  findMatcher: FindMatcher | undefined,
): Promise<OutputFile[]> {
  const shared = createSharedReadings(profile, protocol.definitions);
  const createCode = rememberCode(protocol, profile, cache, findMatcher);
  const context = { profile, protocol, shared, createCode, findMatcher };
  const commonExports = createCommonExports(context);
  const createExport = rememberExports(context, cache);
  const events: Export[] = [];
  for (const event of protocol.events) {
    events.push(createExport(event));
    // Lets the process handle signals, because thousands of events take long.
    if (events.length % 10 === 0) await yieldToEvents();
  }
  const exports = [...commonExports, ...events];
  const callees = collectCallees(context, exports);
  let modules: Module[];
  if (events.length > MAX_MODULE_EVENTS)
    modules = createChunkedModules(context, commonExports, events, callees);
  else {
    const content = formatModule([...callees, ...exports], [], formatTables(protocol));
    modules = [{ name: `${profile}.js`, content }];
  }
  return [
    ...modules.map(({ name, content }) => ({ path: `${protocol.id}/${name}`, content })),
    {
      path: `${protocol.id}/${profile}.d.ts`,
      content: formatDeclarations(profile, protocol, exports),
    },
  ];
}

/** A file of JavaScript. */
interface Module {
  readonly name: string;
  readonly content: string;
}

/** Creates the validators of the resources and of the envelope. The envelope also has a quick one for all events. */
function createCommonExports({ profile, protocol, shared, createCode }: ProfileContext): Export[] {
  const createExport = (name: string, type: string, wholeReading: Reading, style?: CodeStyle): Export => {
    const { reading, calls } = callSharedDefinitions(wholeReading, shared);
    const { expression, imports } = createCode(reading, style);
    return {
      name,
      type,
      code: `export const ${name} = /* @__PURE__ */ validator(${expression});`,
      declaration: `export declare const ${name}: Validator<${type}>;`,
      imports: ["validator", ...imports],
      calls,
    };
  };
  const envelope = createEnvelopeReading(profile, protocol);
  return [
    createExport("validateEnvelope", "Envelope", envelope),
    createExport("envelope", "Envelope", envelope, "quick"),
    ...protocol.resources.map(({ name, schema }) => {
      const type = deriveResourceName(name);
      return createExport(`validate${type}`, type, readAs(profile, schema, protocol.definitions));
    }),
  ];
}

/** Returns `createValidatorCode` with a cache, for readings that no event type has. */
function rememberCode(
  protocol: Protocol,
  profile: Profile,
  cache: Cache | undefined,
  findMatcher: FindMatcher | undefined,
): CreateCode {
  const createCode: CreateCode = (reading, style) => createValidatorCode(reading, style, findMatcher);
  if (cache === undefined) return createCode;
  const pieces = openValidatorPieces(protocol, profile, cache);
  return (reading, style) => {
    const key = `${style} ${sha256Hex(JSON.stringify(reading))}`;
    const known = pieces.find(key);
    if (known !== undefined) return JSON.parse(known);
    const code = createCode(reading, style);
    pieces.add(key, JSON.stringify(code));
    return code;
  };
}

/** Returns a function that creates the validator of an event type, or takes it from the cache. */
function rememberExports(context: ProfileContext, cache: Cache | undefined): (event: EventType) => Export {
  if (cache === undefined) return (event) => createEventExport(context, event);
  const { profile, protocol } = context;
  const pieces = openValidatorPieces(protocol, profile, cache);
  const createEventKey = createEventKeys(protocol, profile);
  return (event) => {
    const key = createEventKey(event);
    const known = pieces.find(key);
    if (known !== undefined) {
      const start = known.indexOf("\n") + 1;
      return { ...JSON.parse(known.slice(0, start)), code: known.slice(start) };
    }
    const created = createEventExport(context, event);
    // JSON would take long to escape the code.
    pieces.add(key, `${JSON.stringify({ ...created, code: undefined })}\n${created.code}`);
    return created;
  };
}

function openValidatorPieces({ id }: Protocol, profile: Profile, cache: Cache): Pieces {
  return cache.openPieces(`${profile}-${id.replaceAll("/", "-")}`);
}

function createEventExport(
  { profile, protocol, shared, findMatcher }: ProfileContext,
  event: EventType,
): Export {
  const type = deriveEventName(event);
  const { reading, calls } = callSharedDefinitions(createBodyReading(profile, protocol, event), shared);
  const { expression, imports } = createValidatorCode(reading, "small", findMatcher);
  const callArguments = [
    formatLiteral(protocol.envelope.discriminator),
    formatLiteral(event.type),
    "validateEnvelope",
    expression,
  ].join(", ");
  return {
    name: `validate${type}`,
    type,
    code: `export const validate${type} = /* @__PURE__ */ eventValidator(${callArguments});`,
    declaration: `export declare const validate${type}: EventValidator<${type}>;`,
    imports: ["eventValidator", ...imports],
    calls,
  };
}

/** Collects the functions that validators call, directly or through others, in the order of their names. */
function collectCallees({ shared, createCode }: ProfileContext, exports: readonly Export[]): Callee[] {
  const callees = new Map<string, Callee>();
  const addCallee = (name: string): void => {
    const wholeReading = shared[name];
    if (wholeReading === undefined || callees.has(name)) return;
    const { reading, calls } = callSharedDefinitions(wholeReading, shared);
    const { expression, imports } = createCode(reading, "called");
    const code = `const ${nameSharedFunction(name)} = ${expression};`;
    callees.set(name, { name: nameSharedFunction(name), code, imports });
    for (const calledName of calls) addCallee(calledName);
  };
  for (const name of exports.flatMap(({ calls }) => calls)) addCallee(name);
  return [...callees.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function formatModule(
  exports: readonly Pick<Export, "code" | "imports">[],
  imports: readonly string[] = [],
  tables: Tables = { lines: [], imports: [] },
): string {
  const names = [...new Set([...exports.flatMap((each) => each.imports), ...tables.imports])].sort();
  const runtimeImports = names.length === 0 ? [] : [`import { ${names.join(", ")} } from "./runtime.js";`];
  const lines = [...runtimeImports, ...imports, "", ...exports.map(({ code }) => code), ...tables.lines];
  return `${BANNER}\n${lines.join("\n")}\n`;
}

/** The end of a module: its lines, and the functions of the runtime that they call. */
interface Tables {
  readonly lines: readonly string[];
  readonly imports: readonly string[];
}

/** Formats the tables by name and `decodeEvent`, which uses them. They are separate exports, so that bundlers can drop them. */
function formatTables({ events, resources, envelope }: Protocol, exports: readonly string[] = []): Tables {
  const formatTable = (name: string, rows: readonly (readonly [string, string])[]): string[] => [
    "",
    `export const ${name} = /* @__PURE__ */ new Map([`,
    ...rows.map(([key, type]) => `  [${formatLiteral(key)}, validate${type}],`),
    "]);",
  ];
  const lines = [
    ...exports,
    ...formatTable(
      "events",
      events.map((event) => [event.type, deriveEventName(event)]),
    ),
    ...formatTable(
      "resources",
      resources.map(({ name }) => [name, deriveResourceName(name)]),
    ),
    "",
    `export const decodeEvent = /* @__PURE__ */ decoder(${formatLiteral(envelope.discriminator)}, { envelope, events });`,
  ];
  return { lines, imports: ["decoder"] };
}

/** Creates the modules of a profile with very many events: the validators of no event, the chunks, and an index of all. */
function createChunkedModules(
  { profile, protocol }: ProfileContext,
  commonExports: readonly Export[],
  events: readonly Export[],
  callees: readonly Callee[],
): Module[] {
  // The chunks are on average half full, because a hash does not fill them evenly.
  const count = 2 ** Math.ceil(Math.log2(events.length / MAX_MODULE_EVENTS) + 1);
  const chunks: Export[][] = Array.from({ length: count }, () => []);
  for (const event of events) chunks[hashText(event.name) % count]?.push(event);
  const parts = [commonExports, ...chunks].map((exports, i) => ({
    exports,
    name: `${profile}-${String(i).padStart(2, "0")}`,
  }));
  const envelopeImport = `import { validateEnvelope } from "./${profile}-00.js";`;
  const formatCalleeImports = (exports: readonly Export[]): string[] => {
    const names = [...new Set(exports.flatMap(({ calls }) => calls))].sort().map(nameSharedFunction);
    return names.length === 0 ? [] : [`import { ${names.join(", ")} } from "./${profile}-shared.js";`];
  };
  const modules: Module[] = parts.map(({ exports, name }, i) => ({
    name: `${name}.js`,
    content: formatModule(exports, [...(i === 0 ? [] : [envelopeImport]), ...formatCalleeImports(exports)]),
  }));
  if (callees.length > 0) {
    const exportedCallees = callees.map((callee) => ({ ...callee, code: `export ${callee.code}` }));
    modules.push({ name: `${profile}-shared.js`, content: formatModule(exportedCallees) });
  }
  const imports = parts.map(
    ({ exports, name }) => `import { ${exports.map((each) => each.name).join(", ")} } from "./${name}.js";`,
  );
  const reexports = parts.map(({ name }) => `export * from "./${name}.js";`);
  modules.push({
    name: `${profile}.js`,
    content: formatModule([], imports, formatTables(protocol, reexports)),
  });
  return modules;
}

const PROFILE_DOC: { readonly [profile in Profile]: string } = {
  reader: "What a tolerant consumer accepts: unknown fields, unknown values of extensible enums, opaque ids.",
  writer: "What a well-behaved emitter may produce: declared fields, known values, the writer's own rules.",
};

const DECODE_DOC: { readonly [profile in Profile]: string } = {
  reader: "Sorts a value into known event, unknown event or invalid.",
  writer: "Sorts a value into known event, unknown event or invalid, as strictly as writers are checked.",
};

function formatDeclarations(profile: Profile, protocol: Protocol, exports: readonly Export[]): string {
  const union = deriveUnionName(protocol.name);
  const types = [...new Set([...exports.map(({ type }) => type), union, "UnknownEvent"])].sort();
  const lines = [
    `import type { DecodeEvent, EventValidator, Validator } from "./runtime.js";`,
    `import type { ${types.join(", ")} } from "./types.js";`,
    "",
    formatDocComment(PROFILE_DOC[profile]),
    ...exports.map(({ declaration }) => declaration),
    "",
    formatDocComment("The validators of all events by type."),
    `export declare const events: ReadonlyMap<string, EventValidator<${union}>>;`,
    "",
    formatDocComment("The validators of the shapes around events by name."),
    "export declare const resources: ReadonlyMap<string, Validator<unknown>>;",
    "",
    formatDocComment(DECODE_DOC[profile]),
    `export declare const decodeEvent: DecodeEvent<${union}, UnknownEvent>;`,
  ];
  return `${BANNER}\n${lines.join("\n")}\n`;
}
