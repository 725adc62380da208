/** Defines the dialects of JSON Schema, and the error for schemas that have no defined meaning in them. */
import { getOwn, type JsonObject } from "../json.js";

/** The supported dialects, oldest first. */
export const DIALECTS = ["draft4", "draft6", "draft7", "2019-09", "2020-12"] as const;
/** A dialect by its short name. */
export type Dialect = (typeof DIALECTS)[number];

/** The `$schema` of each dialect, without the empty fragment. */
export const SCHEMA_URI: { readonly [D in Dialect]: string } = {
  draft4: "http://json-schema.org/draft-04/schema",
  draft6: "http://json-schema.org/draft-06/schema",
  draft7: "http://json-schema.org/draft-07/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

/** Thrown if a schema has no defined meaning, or one that is not supported. `reason` is a clause without a full stop. */
export class UnsupportedSchema extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** Matches the path of the metaschema of accrete in its package. Editors read it; it describes JSON Schema 2020-12. */
const OWN_METASCHEMA = /(^|\/)accrete-cli\/(.*\/)?event\.schema\.json$/;

/** Returns whether a `$schema` names the dialect of protocol schemas: 2020-12, or the metaschema of accrete. */
export function isProtocolDialect(name: string): boolean {
  return name === SCHEMA_URI["2020-12"] || OWN_METASCHEMA.test(name);
}

/** Returns whether `dialect` is as new as `first` or newer. */
export function isAtLeast(dialect: Dialect, first: Dialect): boolean {
  return DIALECTS.indexOf(dialect) >= DIALECTS.indexOf(first);
}

/** Returns whether the schema has a `$ref` that hides the keywords beside it, as in the dialects up to draft-07. */
export function hidesSiblings(schema: JsonObject, dialect: Dialect): boolean {
  return !isAtLeast(dialect, "2019-09") && getOwn(schema, "$ref") !== undefined;
}

/** Returns the name of the keyword that identifies a schema resource. */
export function getIdKeyword(dialect: Dialect): "id" | "$id" {
  return dialect === "draft4" ? "id" : "$id";
}

/**
 * Returns the dialect that a `$schema` or an option names. The scheme may be `http` or `https`, and a `#` may follow. The
 * metaschema of accrete names 2020-12. Throws `UnsupportedSchema` if the name is not known.
 */
export function parseDialectName(name: string): Dialect {
  if (isProtocolDialect(name)) return "2020-12";
  const dropSchemeAndFragment = (uri: string) => uri.replace(/^https?:/, "").replace(/#$/, "");
  // `draft-07` and `draft7`, `draft-2019-09` and `2019-09` name the same dialects.
  const shortName = name.replace(/^draft-?0?(?=\d$)/, "draft").replace(/^draft-?(?=20)/, "");
  const dialect = DIALECTS.find(
    (each) => each === shortName || dropSchemeAndFragment(SCHEMA_URI[each]) === dropSchemeAndFragment(name),
  );
  if (!dialect) throw new UnsupportedSchema(`the dialect ${JSON.stringify(name)} is not known`);
  return dialect;
}

/** The parts of the metaschemas of the newer dialects. */
const METASCHEMA_PARTS: { readonly [dialect: string]: readonly string[] } = {
  "2019-09": ["core", "applicator", "validation", "meta-data", "format", "content"],
  "2020-12": ["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"],
};

/** Returns the dialect whose metaschema, or a part of it, has this URI. These documents are available offline. */
export function findMetaschemaDialect(uri: string): Dialect | undefined {
  return DIALECTS.find((dialect) => {
    const parts = (METASCHEMA_PARTS[dialect] ?? []).map((part) => `meta/${part}`);
    return ["schema", ...parts].some((name) => uri === SCHEMA_URI[dialect].replace(/schema$/, name));
  });
}
