/**
 * Where schemas are and what references mean. `$id`, anchors and pointers are all resolved here, on the document as
 * it was written, before anything is rewritten. Nothing is fetched: a reference that leads out of the document and
 * is not a metaschema of a known dialect makes the question unsupported.
 */
import { canonical, isObject, type Json, type JsonObject, join, own, tokens } from "../json.js";
import { type Dialect, dialectNamed, hidesSiblings, idKeyword, since, Unsupported } from "./dialects.js";
import { isSchema, malformation } from "./malformation.js";
import { subschemas } from "./walk.js";

/** A schema with an identifier of its own: the unit of `$id` and of dynamic scope. */
export interface Resource {
  readonly uri: string;
  readonly dialect: Dialect;
  readonly root: Json;
  /** Targets of dynamic references by name; the empty name stands for `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, Place>;
}

/** A schema and the resource it lies in. */
export interface Place {
  readonly schema: Json;
  readonly resource: Resource;
}

/** A reference leads to a document that is not here. */
export class Missing extends Unsupported {
  constructor(readonly uri: string) {
    super(`the reference to ${uri} leads out of the document`);
  }
}

/** All schemas of one document, and of the metaschemas that it refers to. */
export class Library {
  private readonly places = new Map<JsonObject, Place>();
  private readonly anchors = new Map<string, Place>();
  private readonly resources = new Map<string, Resource>();

  /** Reads a document; the place of its root. Its `$schema` decides over `dialect`. */
  add(document: Json, uri: string, dialect: Dialect): Place {
    const stated = isObject(document) ? own(document, "$schema") : undefined;
    const actual = typeof stated === "string" ? dialectNamed(stated) : dialect;
    if (!isSchema(document, actual)) throw new Unsupported(`${shown(document)} is no schema of ${actual}`);
    const resource = this.resource(document, uri, actual);
    return this.walk(document, resource);
  }

  /** Returns whether a document or embedded schema with this identifier is here. */
  has(uri: string): boolean {
    return this.resources.has(uri);
  }

  /** Returns the place that a reference found at `from` names. */
  resolve(reference: string, from: Place): Place {
    const target = absolute(reference, from.resource.uri);
    const hash = target.indexOf("#");
    const uri = hash < 0 ? target : target.slice(0, hash);
    const fragment = hash < 0 ? "" : decode(target.slice(hash + 1));
    const resource = this.resources.get(uri);
    if (!resource) throw new Missing(uri);
    if (fragment === "" || fragment.startsWith("/")) return this.follow(resource, fragment);
    const anchored = this.anchors.get(`${uri}#${fragment}`);
    if (!anchored) throw new Unsupported(`there is no anchor ${JSON.stringify(reference)}`);
    return anchored;
  }

  /** Returns the place of a subschema that lies directly in `parent`. */
  place(schema: Json, parent: Place): Place {
    return (isObject(schema) ? this.places.get(schema) : undefined) ?? { schema, resource: parent.resource };
  }

  private follow(resource: Resource, pointer: string): Place {
    let place: Place = this.place(resource.root, { schema: resource.root, resource });
    let value: Json | undefined = resource.root;
    for (const token of tokens(pointer)) {
      if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
      else value = isObject(value) ? own(value, token) : undefined;
      if (!isObject(value)) continue;
      place = this.places.get(value) ?? place;
      if (!this.places.has(value)) refuseIdentifier(value, place.resource.dialect);
    }
    if (value === undefined) throw new Unsupported(`there is nothing at ${resource.uri}#${pointer}`);
    if (!isSchema(value, place.resource.dialect))
      throw new Unsupported(`${shown(value)} at ${resource.uri}#${pointer} is no schema`);
    if (!isObject(value) || this.places.has(value)) return this.place(value, place);
    return this.walk(value, place.resource, true);
  }

  private resource(root: Json, base: string, dialect: Dialect): Resource {
    const id = isObject(root) ? ownId(root, dialect) : undefined;
    const uri = id === undefined ? base : withoutFragment(absolute(id, base));
    const known = this.resources.get(uri);
    if (known && canonical(known.root) === canonical(root)) return known; // a copy means the same
    if (known) throw new Unsupported(`two schemas claim the identifier ${uri}`);
    const resource: Resource = { uri, dialect, root, dynamicAnchors: new Map() };
    this.resources.set(uri, resource);
    return resource;
  }

  /** Registers a schema and those below it. `isHidden`: only a pointer led here, no keyword that holds schemas. */
  private walk(schema: Json, outer: Resource, isHidden = false): Place {
    if (!isObject(schema)) return { schema, resource: outer };
    if (isHidden) refuseIdentifier(schema, outer.dialect);
    const resource = this.resourceOf(schema, outer);
    const fault = malformation(effective(schema, resource.dialect), resource.dialect);
    if (fault !== undefined) throw new Unsupported(`${fault}, ${whereabouts(schema, resource)}`);
    const place = { schema, resource };
    this.places.set(schema, place);
    this.nameAnchors(schema, place);
    for (const child of directSubschemas(schema, resource.dialect)) this.walk(child, resource, isHidden);
    return place;
  }

  private resourceOf(schema: JsonObject, outer: Resource): Resource {
    if (schema === outer.root) return outer;
    const stated = own(schema, "$schema");
    const dialect = typeof stated === "string" ? dialectNamed(stated) : outer.dialect;
    const id = ownId(schema, dialect);
    if (id !== undefined && !id.startsWith("#")) return this.resource(schema, outer.uri, dialect);
    if (dialect === outer.dialect) return outer;
    throw new Unsupported(
      `"$schema" changes the dialect of a schema without identifier, ${whereabouts(schema, outer)}`,
    );
  }

  private nameAnchors(schema: JsonObject, place: Place): void {
    const { uri, dialect, dynamicAnchors } = place.resource;
    const id = since(dialect, "2019-09") ? undefined : ownId(schema, dialect);
    if (id?.includes("#")) this.name(uri, decode(id.slice(id.indexOf("#") + 1)), place);
    if (!since(dialect, "2019-09")) return;
    const anchor = own(schema, "$anchor");
    if (typeof anchor === "string") this.name(uri, anchor, place);
    const dynamic = dialect === "2020-12" ? own(schema, "$dynamicAnchor") : undefined;
    if (typeof dynamic === "string") {
      this.name(uri, dynamic, place);
      dynamicAnchors.set(dynamic, place);
    }
    const recursive =
      dialect === "2019-09" && schema === place.resource.root && own(schema, "$recursiveAnchor");
    if (recursive === true) dynamicAnchors.set("", place);
  }

  private name(uri: string, anchor: string, place: Place): void {
    if (anchor === "") return;
    const key = `${uri}#${anchor}`;
    const known = this.anchors.get(key);
    if (known && canonical(known.schema) !== canonical(place.schema)) {
      throw new Unsupported(`two schemas claim the anchor ${key}`);
    }
    if (!known) this.anchors.set(key, place);
  }
}

/** Returns the subschemas that lie directly in a schema, as far as its dialect defines the keywords that hold them. */
export function directSubschemas(schema: JsonObject, dialect: Dialect): readonly Json[] {
  return subschemas(effective(schema, dialect), "", dialect).map((sub) => sub.schema);
}

/** Returns the schema without what a `$ref` hides up to draft-07: all but the definitions beside it. */
function effective(schema: JsonObject, dialect: Dialect): JsonObject {
  const { $ref, definitions } = schema;
  if ($ref === undefined || !hidesSiblings(schema, dialect)) return schema;
  return { $ref, ...(definitions !== undefined && { definitions }) };
}

/** Refuses identifiers at a place that no keyword makes a schema: what they name there is not defined. */
function refuseIdentifier(schema: JsonObject, dialect: Dialect): void {
  const keywords = [idKeyword(dialect), ...(since(dialect, "2019-09") ? ANCHORS : [])];
  const keyword = keywords.find((each) => ["string", "boolean"].includes(typeof own(schema, each)));
  if (keyword !== undefined)
    throw new Unsupported(
      `a reference leads to or through "${keyword}" at a place where no schema is expected`,
    );
}

const ANCHORS = ["$anchor", "$dynamicAnchor", "$recursiveAnchor"];

/** Returns where a schema stands in its resource. */
function whereabouts(schema: JsonObject, { root, uri }: Resource): string {
  const find = (value: Json, pointer: string): string | undefined => {
    if (value === schema) return pointer;
    if (typeof value !== "object" || value === null) return undefined;
    for (const [key, child] of Object.entries(value)) {
      const found = find(child as Json, join(pointer, key));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return `in schema ${uri}#${find(root, "") ?? ""}`;
}

function shown(value: Json): string {
  return JSON.stringify(value).slice(0, 50);
}

/** Returns the identifier of a schema; a `$ref` beside it hides it up to draft-07. */
function ownId(schema: JsonObject, dialect: Dialect): string | undefined {
  const id = own(schema, idKeyword(dialect));
  return typeof id === "string" && !hidesSiblings(schema, dialect) ? id : undefined;
}

/** What a URI parser would silently drop or turn around, and a URI reference cannot hold. */
const NO_URI = /^ | $|[\\\p{Cc}]/u;

function absolute(reference: string, base: string): string {
  try {
    if (NO_URI.test(reference)) throw new TypeError(reference);
    return new URL(reference, base).href.replace(/#$/, "");
  } catch {
    throw new Unsupported(`${JSON.stringify(reference)} is not a URI reference`);
  }
}

function withoutFragment(uri: string): string {
  return uri.replace(/#.*$/s, "");
}

/** Returns a fragment as the text that it stands for. */
export function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
