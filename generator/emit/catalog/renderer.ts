/** Writes the parts of a protocol as Markdown: in full in running text, shortened in the cells of tables. */
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import {
  AUTHOR_KEYWORDS,
  type Description,
  describeSchema,
  nodeWithoutPlace,
  omitKeywords,
  type Through,
} from "../../schema/describe.js";
import type { Schema } from "../../schema/json-schema.js";
import { type Definitions, targetName, targetOf } from "../../schema/reference.js";
import { literal } from "../../text.js";
import { code, link, type Place, prose, shorten } from "./markdown.js";

/** The targets of links and of references. */
export interface Sections {
  /** Section id (see `eventId` and its neighbours) → slug. */
  readonly slugs: ReadonlyMap<string, string>;
  readonly definitions: Definitions;
}

/** The greatest lengths: of a text, of a name or value, of a list of values. */
interface Limits {
  readonly text: number;
  readonly name: number;
  readonly list: number;
}

export const BRIEF: Limits = { text: 400, name: 100, list: 24 };
export const WHOLE: Limits = { text: Infinity, name: Infinity, list: Infinity };

const OF_EVENTS = { omitted: "the section of the event shows it", result: "unchanged" } as const;

/** The catalogue states everything that limits values. */
export const SHOWN = {
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
  except: { ...AUTHOR_KEYWORDS, ...omitKeywords(OF_EVENTS, "title", "examples") },
} as const;

/** The schemas that apply to a value that the catalogue shows. */
export type Described = Description<typeof SHOWN>;

/** Writes the parts of a protocol at one kind of place. */
export interface Renderer {
  prose(text: string): string;
  /** A name as code. */
  code(name: string): string;
  /** A JSON value as it stands on the wire. */
  json(value: Json): string;
  /** Names or values, the last one joined by `word`. */
  list(items: readonly string[], word: "and" | "or"): string;
  /** A name that leads to its section, if it has one. */
  link(id: string, name: string): string;
  /** Describes the values of a schema. */
  describe(schema: Json, through: Through): Described;
  /** The definition that a schema refers to. */
  definition(schema: JsonObject): { readonly name: string; readonly schema: Schema } | undefined;
}

export function createRenderer({ slugs, definitions }: Sections, place: Place, limits: Limits): Renderer {
  const name = (text: string): string => code(shorten(text, limits.name), place);
  return {
    prose: (text) => prose(shorten(text, limits.text), place),
    code: name,
    json: (value) => name(literal(value)),
    list: (items, word) => {
      if (items.length > limits.list)
        return `${items.slice(0, limits.list).join(", ")}, … (${items.length} in all)`;
      const [last = "", ...before] = [...items].reverse();
      return before.length === 0 ? last : `${before.reverse().join(", ")} ${word} ${last}`;
    },
    link: (id, text) => {
      const slug = slugs.get(id);
      return slug ? link(name(text), slug) : name(text);
    },
    describe: (schema, through) => describeSchema(nodeWithoutPlace(schema), definitions, SHOWN, through),
    definition: (schema) => {
      const [name, found] = [targetName(schema), targetOf(schema, definitions)];
      return name !== undefined && found ? { name, schema: found.schema } : undefined;
    },
  };
}

export function eventId(type: string): string {
  return `event ${type}`;
}

export function groupId(group: string): string {
  return `group ${group}`;
}

export function definitionId(name: string): string {
  return `definition ${name}`;
}

export function resourceId(name: string): string {
  return `resource ${name}`;
}

/** The schemas in the list below `keyword`; `true` and `false` as the objects that mean the same. */
export function branches(schema: JsonObject, keyword: string): readonly JsonObject[] {
  const value = own(schema, keyword);
  return Array.isArray(value)
    ? value.map((item) => (isObject(item) ? item : item === false ? { not: {} } : {}))
    : [];
}

/** The subschemas by name below `keyword`, e.g. `properties`. */
export function members(schema: JsonObject, keyword: string): readonly (readonly [string, Json])[] {
  const value = own(schema, keyword);
  return isObject(value) ? Object.entries(value) : [];
}

/** The names in a list such as `required`. */
export function names(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
