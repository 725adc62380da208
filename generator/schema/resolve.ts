/**
 * Locates schemas and resolves references by `$id`, anchors and pointers, in the document as it was written, before
 * anything is rewritten. Nothing is fetched: a reference out of the document is unsupported, unless it leads to the
 * metaschema of a known dialect.
 */
import {
  formatCanonicalJson,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  splitPointer,
} from "../json.js";
import {
  type Dialect,
  getIdKeyword,
  hidesSiblings,
  isAtLeast,
  parseDialectName,
  UnsupportedSchema,
} from "./dialects.js";
import { findMalformation, isSchema } from "./malformation.js";
import { listSubschemas } from "./walk.js";

/** A schema resource: the root of a document, or a schema with an `$id`. */
export interface Resource {
  readonly uri: string;
  readonly dialect: Dialect;
  readonly root: Json;
  /** Targets of dynamic references by name; the empty name stands for `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, SchemaPlace>;
  /** The targets of the references in this resource that were resolved. */
  readonly targets: Map<string, SchemaPlace>;
}

/** A schema and the resource that contains it. */
export interface SchemaPlace {
  readonly schema: Json;
  readonly resource: Resource;
}

/** Thrown if a reference leads to a document that is not in the library. */
export class MissingDocument extends UnsupportedSchema {
  constructor(readonly uri: string) {
    super(`the reference to ${uri} leads out of the document`);
  }
}

/** All schemas of one document, and of the metaschemas that it refers to. */
export class Library {
  private readonly places = new Map<JsonObject, SchemaPlace>();
  private readonly anchors = new Map<string, SchemaPlace>();
  private readonly resources = new Map<string, Resource>();

  /** Adds a document and returns the place of its root. Its `$schema` takes precedence over `dialect`. */
  add(document: Json, uri: string, dialect: Dialect): SchemaPlace {
    const stated = isObject(document) ? getOwn(document, "$schema") : undefined;
    const actual = typeof stated === "string" ? parseDialectName(stated) : dialect;
    if (!isSchema(document, actual))
      throw new UnsupportedSchema(`${abbreviate(document)} is not a schema of ${actual}`);
    const resource = this.registerResource(document, uri, actual);
    return this.registerSchema(document, resource);
  }

  /** Returns whether the library has a document or an embedded schema with this identifier. */
  has(uri: string): boolean {
    return this.resources.has(uri);
  }

  /** Returns the place to which a reference at `from` leads. */
  resolve(reference: string, from: SchemaPlace): SchemaPlace {
    const { targets } = from.resource;
    const known = targets.get(reference);
    if (known) return known;
    const target = this.findTarget(reference, from);
    targets.set(reference, target);
    return target;
  }

  private findTarget(reference: string, from: SchemaPlace): SchemaPlace {
    const target = resolveUri(reference, from.resource.uri);
    const hash = target.indexOf("#");
    const uri = hash < 0 ? target : target.slice(0, hash);
    const fragment = hash < 0 ? "" : decodeFragment(target.slice(hash + 1));
    const resource = this.resources.get(uri);
    if (!resource) throw new MissingDocument(uri);
    if (fragment === "" || fragment.startsWith("/")) return this.followPointer(resource, fragment);
    const anchored = this.anchors.get(`${uri}#${fragment}`);
    if (!anchored) throw new UnsupportedSchema(`there is no anchor ${JSON.stringify(reference)}`);
    return anchored;
  }

  /** Returns the place of a direct subschema of `parent`. */
  getPlace(schema: Json, parent: SchemaPlace): SchemaPlace {
    return (isObject(schema) ? this.places.get(schema) : undefined) ?? { schema, resource: parent.resource };
  }

  private followPointer(resource: Resource, pointer: string): SchemaPlace {
    let place: SchemaPlace = this.getPlace(resource.root, { schema: resource.root, resource });
    let value: Json | undefined = resource.root;
    for (const token of splitPointer(pointer)) {
      if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
      else value = isObject(value) ? getOwn(value, token) : undefined;
      if (!isObject(value)) continue;
      place = this.places.get(value) ?? place;
      if (!this.places.has(value)) rejectIdentifier(value, place.resource.dialect);
    }
    if (value === undefined) throw new UnsupportedSchema(`there is nothing at ${resource.uri}#${pointer}`);
    if (!isSchema(value, place.resource.dialect))
      throw new UnsupportedSchema(`${abbreviate(value)} at ${resource.uri}#${pointer} is not a schema`);
    if (!isObject(value) || this.places.has(value)) return this.getPlace(value, place);
    return this.registerSchema(value, place.resource, "pointer");
  }

  /** Registers the schema resource with `root`. Two equal documents may have the same identifier. */
  private registerResource(root: Json, base: string, dialect: Dialect): Resource {
    const id = isObject(root) ? readIdentifier(root, dialect) : undefined;
    const uri = id === undefined ? base : removeFragment(resolveUri(id, base));
    const known = this.resources.get(uri);
    if (known && formatCanonicalJson(known.root) === formatCanonicalJson(root)) return known;
    if (known) throw new UnsupportedSchema(`two schemas claim the identifier ${uri}`);
    const resource: Resource = { uri, dialect, root, dynamicAnchors: new Map(), targets: new Map() };
    this.resources.set(uri, resource);
    return resource;
  }

  /** Registers a schema and those below it. `foundBy` is "pointer" if no keyword declares the schema. */
  private registerSchema(
    schema: Json,
    outer: Resource,
    foundBy: "keyword" | "pointer" = "keyword",
  ): SchemaPlace {
    if (!isObject(schema)) return { schema, resource: outer };
    if (foundBy === "pointer") rejectIdentifier(schema, outer.dialect);
    const resource = this.findResource(schema, outer);
    const malformation = findMalformation(removeHiddenKeywords(schema, resource.dialect), resource.dialect);
    if (malformation !== undefined)
      throw new UnsupportedSchema(`${malformation}, ${describePlace(schema, resource)}`);
    const place = { schema, resource };
    this.places.set(schema, place);
    this.registerAnchors(schema, place);
    for (const child of listDirectSubschemas(schema, resource.dialect))
      this.registerSchema(child, resource, foundBy);
    return place;
  }

  private findResource(schema: JsonObject, outer: Resource): Resource {
    if (schema === outer.root) return outer;
    const stated = getOwn(schema, "$schema");
    const dialect = typeof stated === "string" ? parseDialectName(stated) : outer.dialect;
    const id = readIdentifier(schema, dialect);
    if (id !== undefined && !id.startsWith("#")) return this.registerResource(schema, outer.uri, dialect);
    if (dialect === outer.dialect) return outer;
    throw new UnsupportedSchema(
      `"$schema" changes the dialect of a schema without identifier, ${describePlace(schema, outer)}`,
    );
  }

  private registerAnchors(schema: JsonObject, place: SchemaPlace): void {
    const { uri, dialect, dynamicAnchors } = place.resource;
    if (!isAtLeast(dialect, "2019-09")) {
      const id = readIdentifier(schema, dialect);
      if (id?.includes("#")) this.registerAnchor(uri, decodeFragment(id.slice(id.indexOf("#") + 1)), place);
      return;
    }
    const anchor = getOwn(schema, "$anchor");
    if (typeof anchor === "string") this.registerAnchor(uri, anchor, place);
    const dynamic = dialect === "2020-12" ? getOwn(schema, "$dynamicAnchor") : undefined;
    if (typeof dynamic === "string") {
      this.registerAnchor(uri, dynamic, place);
      dynamicAnchors.set(dynamic, place);
    }
    const recursive =
      dialect === "2019-09" && schema === place.resource.root && getOwn(schema, "$recursiveAnchor");
    if (recursive === true) dynamicAnchors.set("", place);
  }

  private registerAnchor(uri: string, anchor: string, place: SchemaPlace): void {
    if (anchor === "") return;
    const key = `${uri}#${anchor}`;
    const known = this.anchors.get(key);
    if (known && formatCanonicalJson(known.schema) !== formatCanonicalJson(place.schema)) {
      throw new UnsupportedSchema(`two schemas claim the anchor ${key}`);
    }
    if (!known) this.anchors.set(key, place);
  }
}

/** Returns the direct subschemas of a schema. Keywords that its dialect does not define have none. */
export function listDirectSubschemas(schema: JsonObject, dialect: Dialect): readonly Json[] {
  return listSubschemas(removeHiddenKeywords(schema, dialect), "", dialect).map((sub) => sub.schema);
}

/** Removes the keywords that a `$ref` hides up to draft-07. These are all keywords except `definitions`. */
function removeHiddenKeywords(schema: JsonObject, dialect: Dialect): JsonObject {
  const { $ref, definitions } = schema;
  if ($ref === undefined || !hidesSiblings(schema, dialect)) return schema;
  return { $ref, ...(definitions !== undefined && { definitions }) };
}

/**
 * Throws if an object that no keyword declares as a schema has an identifier. JSON Schema does not define what such an
 * identifier means.
 */
function rejectIdentifier(schema: JsonObject, dialect: Dialect): void {
  const keywords = [getIdKeyword(dialect), ...(isAtLeast(dialect, "2019-09") ? ANCHOR_KEYWORDS : [])];
  const keyword = keywords.find((each) => ["string", "boolean"].includes(typeof getOwn(schema, each)));
  if (keyword !== undefined)
    throw new UnsupportedSchema(
      `a reference leads to or through "${keyword}" at a place where no schema is expected`,
    );
}

const ANCHOR_KEYWORDS = ["$anchor", "$dynamicAnchor", "$recursiveAnchor"];

/** Returns the place of a schema in its resource, for messages. */
function describePlace(schema: JsonObject, { root, uri }: Resource): string {
  const findPointer = (value: Json, pointer: string): string | undefined => {
    if (value === schema) return pointer;
    if (typeof value !== "object" || value === null) return undefined;
    for (const [key, child] of Object.entries(value)) {
      const found = findPointer(child, joinPointer(pointer, key));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return `in schema ${uri}#${findPointer(root, "") ?? ""}`;
}

/** Returns the beginning of a value as JSON, for messages. */
function abbreviate(value: Json): string {
  return JSON.stringify(value).slice(0, 50);
}

/** Returns the identifier of a schema; undefined if it has none, or if a `$ref` hides it. */
function readIdentifier(schema: JsonObject, dialect: Dialect): string | undefined {
  const id = getOwn(schema, getIdKeyword(dialect));
  return typeof id === "string" && !hidesSiblings(schema, dialect) ? id : undefined;
}

/** Matches characters that a URI reference cannot contain. A URI parser would drop or change them without an error. */
const NOT_IN_URI = /^ | $|[\\\p{Cc}]/u;

function resolveUri(reference: string, base: string): string {
  try {
    if (NOT_IN_URI.test(reference)) throw new TypeError(reference);
    return new URL(reference, base).href.replace(/#$/, "");
  } catch {
    throw new UnsupportedSchema(`${JSON.stringify(reference)} is not a URI reference`);
  }
}

function removeFragment(uri: string): string {
  return uri.replace(/#.*$/s, "");
}

/** Returns the fragment with its percent-encoding decoded; the fragment itself if the encoding is malformed. */
export function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
