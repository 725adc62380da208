/** Formats the parts of a protocol as Markdown: in full in running text, shortened in the cells of tables. */
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import {
  AUTHOR_KEYWORDS,
  createSpotWithoutPlace,
  type Description,
  describeSchema,
  type EdgePolicy,
  EVERYTHING,
  omitKeywords,
} from "../../schema/describe.js";
import type { Schema } from "../../schema/json-schema.js";
import { type Definitions, findTarget, getTargetName } from "../../schema/reference.js";
import { formatLiteral } from "../../text.js";
import { formatCode, formatLink, formatProse, type Place, shorten } from "./markdown.js";

/** The targets of links and of references. */
export interface Sections {
  /** The slug of each section, by the id that `createEventId` and the functions beside it return. */
  readonly slugs: Pick<ReadonlyMap<string, string>, "get">;
  readonly definitions: Definitions;
}

/** The maximum lengths of a text, of a name or value, and of a list of values. */
interface Limits {
  readonly text: number;
  readonly name: number;
  readonly list: number;
}

/** The limits in the cells of tables. */
export const BRIEF: Limits = { text: 400, name: 100, list: 24 };
/** The limits in running text, which is never shortened. */
export const UNLIMITED: Limits = { text: Infinity, name: Infinity, list: Infinity };

const IN_EVENT_SECTION = { reason: "the section of the event shows it", result: "unchanged" } as const;

/** The facets of schemas that the catalogue shows: everything that limits values. */
export const CATALOG_FACETS = {
  ...EVERYTHING,
  except: { ...AUTHOR_KEYWORDS, ...omitKeywords(IN_EVENT_SECTION, "title", "examples") },
} as const;

/** The schemas that apply to a value that the catalogue shows. */
export type CatalogDescription = Description<typeof CATALOG_FACETS>;

/** Formats the parts of a protocol for one kind of place. Methods that are named by a noun return Markdown for such a part. */
export interface Renderer {
  prose(text: string): string;
  /** Formats a name as code. */
  code(name: string): string;
  /** Formats a JSON value as it stands on the wire. */
  json(value: Json): string;
  /** Joins names or values, with `word` before the last one. */
  list(items: readonly string[], word: "and" | "or"): string;
  /** Formats a name as a link to its section, if it has one. */
  link(id: string, name: string): string;
  /** Describes the values of a schema. */
  describe(schema: Json, edgePolicy: EdgePolicy): CatalogDescription;
  /** Returns the definition that a schema refers to. */
  findDefinition(schema: JsonObject): { readonly name: string; readonly schema: Schema } | undefined;
}

/** Creates a renderer, which calls `onShorten` whenever it leaves out a part. */
export function createRenderer(
  { slugs, definitions }: Sections,
  place: Place,
  limits: Limits,
  onShorten?: () => void,
): Renderer {
  const limitLength = (text: string, limit: number): string => {
    if (text.length > limit) onShorten?.();
    return shorten(text, limit);
  };
  const formatName = (text: string): string => formatCode(limitLength(text, limits.name), place);
  return {
    prose: (text) => formatProse(limitLength(text, limits.text), place),
    code: formatName,
    json: (value) => formatName(formatLiteral(value)),
    list: (items, word) => {
      if (items.length > limits.list) {
        onShorten?.();
        return `${items.slice(0, limits.list).join(", ")}, … (${items.length} in all)`;
      }
      if (items.length < 2) return items.join();
      return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
    },
    link: (id, text) => {
      const slug = slugs.get(id);
      return slug ? formatLink(formatName(text), slug) : formatName(text);
    },
    describe: (schema, edgePolicy) =>
      describeSchema(createSpotWithoutPlace(schema), definitions, CATALOG_FACETS, edgePolicy),
    findDefinition: (schema) => {
      const definitionName = getTargetName(schema);
      const target = findTarget(schema, definitions);
      return definitionName !== undefined && target
        ? { name: definitionName, schema: target.schema }
        : undefined;
    },
  };
}

/** Returns the id of the section of an event type. */
export function createEventId(type: string): string {
  return `event ${type}`;
}

/** Returns the id of the section of a group of event types. */
export function createGroupId(group: string): string {
  return `group ${group}`;
}

/** Returns the id of the section of a shared definition. */
export function createDefinitionId(name: string): string {
  return `definition ${name}`;
}

/** Returns the id of the section of a resource. */
export function createResourceId(name: string): string {
  return `resource ${name}`;
}

/** Lists the schemas below `keyword`. Replaces `true` and `false` by equivalent objects. */
export function listBranches(schema: JsonObject, keyword: string): readonly JsonObject[] {
  const value = getOwn(schema, keyword);
  if (!Array.isArray(value)) return [];
  return value.map((item) => {
    if (isObject(item)) return item;
    return item === false ? { not: {} } : {};
  });
}

/** Lists the named subschemas below `keyword`, such as `properties`. */
export function listMembers(schema: JsonObject, keyword: string): readonly (readonly [string, Json])[] {
  const value = getOwn(schema, keyword);
  return isObject(value) ? Object.entries(value) : [];
}

/** Lists the names in a value such as that of `required`. */
export function listNames(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
