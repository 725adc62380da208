import { setImmediate as yieldToEvents } from "node:timers/promises";
import { hashText } from "../../hash.js";
import { bodyReading, envelopeReading } from "../../protocol/message-readings.js";
import { deriveEventName, deriveResourceName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { PROFILES, type Profile, type Reading, readAs } from "../../schema/readings.js";
import { literal } from "../../text.js";
import {
  callSharedDefinitions,
  createSharedReadings,
  nameSharedFunction,
  type Shared,
} from "../../validators/share-definitions.js";
import { type CodeStyle, createValidatorCode } from "../../validators/validator-code.js";
import { BANNER, formatDocComment } from "../text.js";

/** The greatest number of event types in one module; a profile with more is split into several. */
export const CHUNK = 1000;

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

/** A protocol in one profile. */
interface Profiled {
  readonly profile: Profile;
  readonly protocol: Protocol;
  readonly shared: Shared;
}

/** A shared definition as a function. Its line of JavaScript is exported only if the profile has several modules. */
type Callee = Pick<Export, "name" | "code" | "imports">;

/**
 * Writes `reader.js` and `writer.js` with their declarations: a validator for each event, for the envelope and for each
 * resource. Every validator is one line that depends on its own schema alone. It calls the large definitions that it refers
 * to, which are a line each. Only a profile with more than `CHUNK` event types is split into several modules, by a hash of the
 * type, so that a new event moves no other.
 */
export async function emitValidators(protocol: Protocol): Promise<OutputFile[]> {
  const files: OutputFile[] = [];
  for (const profile of PROFILES) files.push(...(await emitProfile(protocol, profile)));
  return files;
}

async function emitProfile(protocol: Protocol, profile: Profile): Promise<OutputFile[]> {
  const profiled = { profile, protocol, shared: createSharedReadings(profile, protocol.definitions) };
  const shared = createSharedExports(profiled);
  const events: Export[] = [];
  for (const event of protocol.events) {
    events.push(createEventExport(profiled, event));
    // Lets the process handle signals, because thousands of events take long.
    await yieldToEvents();
  }
  const callees = collectCallees(profiled, [...shared, ...events]);
  const modules =
    events.length > CHUNK
      ? createChunkedModules(profiled, shared, events, callees)
      : [
          {
            name: `${profile}.js`,
            content: formatModule([...callees, ...shared, ...events], [], formatTables(protocol)),
          },
        ];
  return [
    ...modules.map(({ name, content }) => ({ path: `${protocol.id}/${name}`, content })),
    {
      path: `${protocol.id}/${profile}.d.ts`,
      content: formatDeclarations(profile, protocol, [...shared, ...events]),
    },
  ];
}

/** Creates the validators of the resources and of the envelope. The envelope also has a quick one for all events. */
function createSharedExports({ profile, protocol, shared }: Profiled): Export[] {
  const make = (name: string, type: string, whole: Reading, shape?: CodeStyle): Export => {
    const { reading, calls } = callSharedDefinitions(whole, shared);
    const { expression, imports } = createValidatorCode(reading, shape);
    return {
      name,
      type,
      code: `export const ${name} = /* @__PURE__ */ validator(${expression});`,
      declaration: `export declare const ${name}: Validator<${type}>;`,
      imports: ["validator", ...imports],
      calls,
    };
  };
  const envelope = envelopeReading(profile, protocol);
  return [
    make("validateEnvelope", "Envelope", envelope),
    make("envelope", "Envelope", envelope, "quick"),
    ...protocol.resources.map(({ name, schema }) => {
      const type = deriveResourceName(name);
      return make(`validate${type}`, type, readAs(profile, schema, protocol.definitions));
    }),
  ];
}

function createEventExport({ profile, protocol, shared }: Profiled, event: EventType): Export {
  const type = deriveEventName(event.type);
  const { reading, calls } = callSharedDefinitions(bodyReading(profile, protocol, event), shared);
  const { expression, imports } = createValidatorCode(reading);
  const given = [
    literal(protocol.envelope.discriminator),
    literal(event.type),
    "validateEnvelope",
    expression,
  ].join(", ");
  return {
    name: `validate${type}`,
    type,
    code: `export const validate${type} = /* @__PURE__ */ eventValidator(${given});`,
    declaration: `export declare const validate${type}: EventValidator<${type}>;`,
    imports: ["eventValidator", ...imports],
    calls,
  };
}

/** Collects the functions that `all` call, directly or through others, in the order of their names. */
function collectCallees({ shared }: Profiled, all: readonly Export[]): Callee[] {
  const made = new Map<string, Callee>();
  const make = (name: string): void => {
    const whole = shared[name];
    if (whole === undefined || made.has(name)) return;
    const { reading, calls } = callSharedDefinitions(whole, shared);
    const { expression, imports } = createValidatorCode(reading, "called");
    const code = `const ${nameSharedFunction(name)} = ${expression};`;
    made.set(name, { name: nameSharedFunction(name), code, imports });
    for (const each of calls) make(each);
  };
  for (const each of all.flatMap(({ calls }) => calls)) make(each);
  return [...made.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function formatModule(
  all: readonly Pick<Export, "code" | "imports">[],
  imports: readonly string[] = [],
  rest: Tables = { lines: [], imports: [] },
): string {
  const used = [...new Set([...all.flatMap((one) => one.imports), ...rest.imports])].sort();
  const runtime = used.length === 0 ? [] : [`import { ${used.join(", ")} } from "./runtime.js";`];
  return `${BANNER}\n${[...runtime, ...imports, "", ...all.map(({ code }) => code), ...rest.lines].join("\n")}\n`;
}

/** The end of a module: its lines, and the functions of the runtime that they call. */
interface Tables {
  readonly lines: readonly string[];
  readonly imports: readonly string[];
}

/** Formats the tables by name and `decodeEvent`, which uses them. They are separate exports, so that bundlers can drop them. */
function formatTables({ events, resources, envelope }: Protocol, exports: readonly string[] = []): Tables {
  const table = (name: string, rows: readonly (readonly [string, string])[]): string[] => [
    "",
    `export const ${name} = /* @__PURE__ */ new Map([`,
    ...rows.map(([key, type]) => `  [${literal(key)}, validate${type}],`),
    "]);",
  ];
  const lines = [
    ...exports,
    ...table(
      "events",
      events.map(({ type }) => [type, deriveEventName(type)]),
    ),
    ...table(
      "resources",
      resources.map(({ name }) => [name, deriveResourceName(name)]),
    ),
    "",
    `export const decodeEvent = /* @__PURE__ */ decoder(${literal(envelope.discriminator)}, { envelope, events });`,
  ];
  return { lines, imports: ["decoder"] };
}

/** Creates the modules of a profile with very many events: the shared validators, the chunks, and an index of all. */
function createChunkedModules(
  { profile, protocol }: Profiled,
  shared: readonly Export[],
  events: readonly Export[],
  callees: readonly Callee[],
) {
  const count = 2 ** Math.ceil(Math.log2(events.length / CHUNK) + 1);
  const chunks: Export[][] = Array.from({ length: count }, () => []);
  for (const event of events) chunks[hashText(event.name) % count]?.push(event);
  const parts = [shared, ...chunks].map((all, i) => ({
    all,
    name: `${profile}-${String(i).padStart(2, "0")}`,
  }));
  const envelope = [`import { validateEnvelope } from "./${profile}-00.js";`];
  const called = (all: readonly Export[]): string[] => {
    const names = [...new Set(all.flatMap(({ calls }) => calls))].sort().map(nameSharedFunction);
    return names.length === 0 ? [] : [`import { ${names.join(", ")} } from "./${profile}-shared.js";`];
  };
  const imports = parts.map(
    ({ all, name }) => `import { ${all.map((one) => one.name).join(", ")} } from "./${name}.js";`,
  );
  const exports = parts.map(({ name }) => `export * from "./${name}.js";`);
  return [
    ...parts.map(({ all, name }, i) => ({
      name: `${name}.js`,
      content: formatModule(all, [...(i === 0 ? [] : envelope), ...called(all)]),
    })),
    ...(callees.length === 0
      ? []
      : [
          {
            name: `${profile}-shared.js`,
            content: formatModule(callees.map((callee) => ({ ...callee, code: `export ${callee.code}` }))),
          },
        ]),
    { name: `${profile}.js`, content: formatModule([], imports, formatTables(protocol, exports)) },
  ];
}

const PROFILE_DOC: { readonly [profile in Profile]: string } = {
  reader: "What a tolerant consumer accepts: unknown fields, unknown values of extensible enums, opaque ids.",
  writer: "What a well-behaved emitter may produce: declared fields, known values, the writer's own rules.",
};

const DECODE_DOC: { readonly [profile in Profile]: string } = {
  reader: "Sorts a value into known event, unknown event or invalid.",
  writer: "Sorts a value into known event, unknown event or invalid, as strictly as writers are checked.",
};

function formatDeclarations(profile: Profile, protocol: Protocol, all: readonly Export[]): string {
  const union = deriveEventName(protocol.name);
  const types = [...new Set([...all.map(({ type }) => type), union, "UnknownEvent"])].sort();
  const lines = [
    `import type { DecodeEvent, EventValidator, Validator } from "./runtime.js";`,
    `import type { ${types.join(", ")} } from "./types.js";`,
    "",
    formatDocComment(PROFILE_DOC[profile]),
    ...all.map(({ declaration }) => declaration),
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
