/**
 * A schema as a comparison sees it: references followed and in-place allOf merged, so that inlining, extracting,
 * splitting and reordering make no difference. Every part remembers where it stands.
 */
import { isObject, type Json, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { BRANCHES, CONJUNCTION, type Description, describeSchema } from "../../schema/describe.js";
import { fieldsOf } from "../../schema/merge.js";
import { type Definitions, targetName } from "../../schema/reference.js";
import { mapSubschemas } from "../../schema/walk.js";
import type { Spot } from "../side.js";

/** A comparison looks at everything that a schema can say. */
const EVERYTHING = {
  types: "used",
  values: "used",
  bounds: "used",
  texts: "used",
  properties: "used",
  otherProperties: "used",
  items: "used",
  contains: "used",
  references: "used",
  composition: "used",
  alternatives: "used",
  conditions: "used",
  writer: "used",
  annotations: "used",
} as const;

/** All object schemas that apply to one value in place. */
export type View = Description<typeof EVERYTHING>;

/** The view of several schemas that all apply to one value. */
export function viewOf(spots: readonly Spot[], { definitions }: Protocol): View {
  return describeSchema(spots, definitions, EVERYTHING, CONJUNCTION);
}

/** The names of fields that only alternatives of the value declare, in place and at any depth. */
export function branchFields({ nodes }: View, { definitions }: Protocol): Set<string> {
  const fields = fieldsOf(describeSchema(nodes, definitions, EVERYTHING, BRANCHES));
  return new Set([...fields.values()].flatMap(({ name, certain }) => (certain ? [] : [name])));
}

/** `schema` with its references replaced by what they refer to and without texts: the same contract, the same JSON. */
export function inlined(schema: Json, definitions: Definitions, open: readonly string[] = []): Json {
  if (!isObject(schema)) return schema;
  const { $ref: _r, title: _t, description: _d, examples: _e, $comment: _c, ...rest } = schema;
  const plain = mapSubschemas(rest, (sub) => inlined(sub, definitions, open));
  const name = targetName(schema);
  if (name === undefined) return plain;
  if (open.includes(name)) return { ...plain, $ref: name };
  const target = inlined(own(definitions, name)?.schema ?? true, definitions, [...open, name]);
  if (!isObject(target)) return target === true ? plain : false;
  return Object.keys(plain).length === 0 ? target : { allOf: [plain, target] };
}
