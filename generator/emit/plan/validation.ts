/** Formats `validation.json`: the reader's schemas, from which packages in other languages check events. */
import { createPortablePattern, type PortablePattern } from "../../contain/regex/portable-pattern.js";
import type { Location } from "../../finding.js";
import { createObject } from "../../json.js";
import { createBodyReading, createEnvelopeReading } from "../../protocol/message-readings.js";
import type { Protocol } from "../../protocol/protocol.js";
import { getFormatPattern } from "../../schema/formats.js";
import type { Schema } from "../../schema/json-schema.js";
import { walk } from "../../schema/walk.js";
import { createBanner, formatLiteral } from "../../text.js";
import { markUnions } from "../../validators/repeated-definitions.js";

/** How a package checks events: against the whole contract, or by its types alone. */
export type Checks = "contract" | "types";

/** The content of `validation.json`. A package that checks types alone has schemas that accept everything. */
interface Validation {
  readonly $comment: string;
  readonly discriminator: string;
  /** The schemas have no annotations, and keywords of validators/recursive-unions.ts and validators/repeated-definitions.ts. */
  readonly envelope: Schema;
  /** By event type, what it adds to the envelope. */
  readonly events: { readonly [type: string]: Schema };
  readonly definitions: { readonly [name: string]: Schema };
  /** The patterns of `pattern` and `patternProperties` by their source, and those of formats by their name. */
  readonly patterns: { readonly [source: string]: PortablePattern };
  readonly formats: { readonly [name: string]: PortablePattern };
}

/** Returns the content of the file. Throws if `listUnsupportedPatterns` finds a pattern. */
export function formatValidationFile(
  protocol: Protocol,
  checks: Checks,
  formatJson: (value: object) => string = formatLiteral,
): string {
  const validation = checks === "contract" ? createValidation(protocol) : createTypeValidation(protocol);
  return `${formatJson(validation)}\n`;
}

function createTypeValidation({ envelope: { discriminator } }: Protocol): Validation {
  const nothing = { events: {}, definitions: {}, patterns: {}, formats: {} };
  return { $comment: createBanner(), discriminator, envelope: true, ...nothing };
}

function createValidation(protocol: Protocol): Validation {
  const envelope = createEnvelopeReading("reader", protocol);
  const bodies = protocol.events.map((event) => createBodyReading("reader", protocol, event));
  // The readings of one profile have the same schema under the same name. The marks of one depend on all.
  const { $defs } = markUnions({
    schema: { properties: createObject(bodies.map(({ schema }, index) => [String(index), schema])) },
    $defs: createObject([envelope, ...bodies].flatMap((reading) => Object.entries(reading.$defs))),
  });
  const patterns = new Map<string, PortablePattern>();
  const formats = new Map<string, PortablePattern>();
  for (const schema of [envelope.schema, ...bodies.map((body) => body.schema), ...Object.values($defs)])
    walk(schema, (node) => {
      for (const source of listPatterns(node)) patterns.set(source, requirePattern(source));
      const { format } = node;
      const source = typeof format === "string" ? getFormatPattern(format) : undefined;
      if (source !== undefined) formats.set(String(format), requirePattern(source));
    });
  return {
    $comment: createBanner(),
    discriminator: protocol.envelope.discriminator,
    envelope: envelope.schema,
    events: createObject(protocol.events.map(({ type }, index) => [type, bodies[index]?.schema ?? true])),
    definitions: $defs,
    patterns: createObject(patterns),
    formats: createObject(formats),
  };
}

function listPatterns({ pattern, patternProperties }: { readonly [keyword: string]: unknown }): string[] {
  const names = typeof patternProperties === "object" ? Object.keys(patternProperties ?? {}) : [];
  return typeof pattern === "string" ? [pattern, ...names] : names;
}

function requirePattern(source: string): PortablePattern {
  const pattern = createPortablePattern(source);
  if (pattern === undefined) throw new Error(`The pattern ${source} is not supported`);
  return pattern;
}

/** A pattern that packages in other languages cannot check, and its place. */
interface UnsupportedPattern {
  readonly pattern: string;
  readonly at: Location;
}

/** Lists the patterns that packages in other languages cannot check with the meaning of ECMAScript. */
export function listUnsupportedPatterns({ envelope, events, definitions }: Protocol): UnsupportedPattern[] {
  const found: UnsupportedPattern[] = [];
  const parts = [
    { schema: envelope.schema, at: envelope.at },
    ...events.map(({ payload, at }) => ({ schema: payload, at })),
    ...Object.values(definitions),
  ];
  for (const { schema, at } of parts)
    walk(schema, (node, pointer) => {
      for (const pattern of listPatterns(node))
        if (createPortablePattern(pattern) === undefined)
          found.push({ pattern, at: { ...at, pointer: at.pointer + pointer } });
    });
  return found;
}
