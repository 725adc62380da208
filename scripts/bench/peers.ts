/** Creates validators of other libraries that accept the same events, each in the fastest form that its library documents. */
import { Ajv2020 } from "ajv/dist/2020.js";
import * as typeboxFormat from "typebox/format";
import { Compile } from "typebox/schema";
import * as v from "valibot";
import * as z from "zod";
import type { JsonObject } from "../../generator/json.js";
import { FORMATS } from "../../generator/schema/formats.js";
import { type Library, translateSchema } from "./shape.js";

/** A library's validator of one event, as its users would call it. */
export interface Peer {
  readonly name: string;
  readonly accepts: (value: unknown) => boolean;
}

/** Creates the validators for these schemas of event types. */
export function createPeers(schemas: ReadonlyMap<string, JsonObject>): Peer[] {
  return [
    createAjvUnion(schemas),
    createTypeboxMap(schemas),
    createZodUnion(schemas),
    createValibotVariant(schemas),
  ];
}

function createAjvUnion(schemas: ReadonlyMap<string, JsonObject>): Peer {
  const ajv = new Ajv2020({ discriminator: true, strict: false, logger: false });
  for (const [name, { pattern }] of FORMATS) ajv.addFormat(name, pattern);
  const validate = ajv.compile({
    type: "object",
    discriminator: { propertyName: "type" },
    required: ["type"],
    oneOf: [...schemas.values()],
  });
  return { name: "Ajv, oneOf with discriminator", accepts: (value) => validate(value) };
}

function createTypeboxMap(schemas: ReadonlyMap<string, JsonObject>): Peer {
  for (const [name, { pattern }] of FORMATS) typeboxFormat.Set(name, (text) => pattern.test(text));
  const byType = new Map([...schemas].map(([type, schema]) => [type, Compile(schema)]));
  return {
    name: "typebox, compiled, a Map by type",
    accepts: (value) => byType.get((value as { type: string }).type)?.Check(value) ?? false,
  };
}

const ZOD: Library<z.ZodType> = {
  any: () => z.unknown(),
  literal: (value) => z.literal(value),
  string: (patterns, minLength) =>
    patterns.reduce(
      (type, pattern) => type.regex(pattern),
      minLength > 0 ? z.string().min(minLength) : z.string(),
    ),
  number: (integer, minimum, maximum) => {
    const type = integer ? z.int() : z.number();
    const above = minimum === undefined ? type : type.min(minimum);
    return maximum === undefined ? above : above.max(maximum);
  },
  boolean: () => z.boolean(),
  array: (items, minItems) => (minItems > 0 ? z.array(items).min(minItems) : z.array(items)),
  object: (fields, rules) =>
    rules.reduce<z.ZodObject>(
      (type, rule) => type.refine(rule),
      z.looseObject(
        Object.fromEntries(fields.map(([name, type, required]) => [name, required ? type : type.optional()])),
      ),
    ),
  union: (options) => z.union(options),
};

function createZodUnion(schemas: ReadonlyMap<string, JsonObject>): Peer {
  const [first, ...rest] = [...schemas.values()].map(
    (schema) => translateSchema(schema, ZOD) as z.ZodObject<{ type: z.ZodLiteral<string> }>,
  );
  if (first === undefined) throw new Error("there are no events");
  const union = z.discriminatedUnion("type", [first, ...rest]);
  return { name: "zod, discriminatedUnion", accepts: (value) => union.safeParse(value).success };
}

type Valibot = v.GenericSchema<unknown>;

const VALIBOT: Library<Valibot> = {
  any: () => v.unknown(),
  literal: (value) => (value === null ? v.null() : v.literal(value)),
  string: (patterns, minLength) => {
    const checks = [
      ...(minLength > 0 ? [v.minLength<string, number>(minLength)] : []),
      ...patterns.map((pattern) => v.regex(pattern)),
    ];
    return checks.length === 0 ? v.string() : v.pipe(v.string(), ...checks);
  },
  number: (integer, minimum, maximum) => {
    const checks = [
      ...(integer ? [v.integer<number>()] : []),
      ...(minimum === undefined ? [] : [v.minValue<number, number>(minimum)]),
      ...(maximum === undefined ? [] : [v.maxValue<number, number>(maximum)]),
    ];
    return checks.length === 0 ? v.number() : v.pipe(v.number(), ...checks);
  },
  boolean: () => v.boolean(),
  array: (items, minItems) => (minItems > 0 ? v.pipe(v.array(items), v.minLength(minItems)) : v.array(items)),
  object: (fields, rules) => {
    const type = v.looseObject(
      Object.fromEntries(
        fields.map(([name, field, required]) => [name, required ? field : v.optional(field)]),
      ),
    );
    return rules.length === 0 ? type : v.pipe(type, ...rules.map((rule) => v.check(rule)));
  },
  union: (options) => v.union(options),
};

function createValibotVariant(schemas: ReadonlyMap<string, JsonObject>): Peer {
  const options = [...schemas.values()].map((schema) =>
    translateSchema(schema, VALIBOT),
  ) as unknown as v.VariantOptions<"type">;
  const variant = v.variant("type", options);
  return { name: "valibot, variant", accepts: (value) => v.is(variant, value) };
}
