/**
 * Reads a schema document into a formula. Refuses documents that are too large, that are not JSON, and in which a schema
 * refers to itself without entering a part of the value.
 */
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { createAppliedSchemaCounter } from "../../schema/applied-schemas.js";
import { type Dialect, findMetaschemaDialect, hidesSiblings } from "../../schema/dialects.js";
import { isKeywordOf } from "../../schema/keywords.js";
import { Library, MissingDocument, type SchemaPlace } from "../../schema/resolve.js";
import { LimitError, type Limits, UnsupportedSchema } from "../budget.js";
import type { Formula, Formulas } from "../formula.js";
import { type LimitedDocument, limitToKeys } from "./limit-to-keys.js";
import { prepareForValidators } from "./prepare-for-validators.js";
import { readMetaschema } from "./read-metaschema.js";
import { readStatedDialect } from "./rewrite-schemas.js";
import { SchemaCompiler } from "./schema-compiler.js";

/** Keywords that apply the schema to which they lead. */
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/** The options of `readSchema`. */
interface ReadOptions extends Limits {
  readonly dialect: Dialect;
  readonly assertFormats: boolean;
  /** The name of the document in messages and in recursive references. The documents of one question have different names. */
  readonly name: string;
  readonly uri: string;
}

/** A document that was read. */
export interface ReadSchema {
  /** The document as it was given. */
  readonly document: Json;
  readonly formula: Formula;
  /** Returns the schema for the two validators. */
  readonly prepareForValidators: () => Json;
  /** The number of schemas of the document that can be reached. */
  readonly schemaCount: number;
  /** Returns the greatest number of schemas that a validator may apply to one value. */
  readonly countApplied: () => number;
  /** Returns the schema for validators of values that have no other keys than these; undefined if there is none. */
  readonly limitToKeys: (keys: ReadonlySet<string>) => LimitedDocument | undefined;
  /** All strings and keys of the document. */
  readonly strings: readonly string[];
}

/** Returns the formula of a schema document; throws `UnsupportedSchema` or `LimitError` if it cannot be read. */
export async function readSchema(
  schema: Json,
  formulas: Formulas,
  options: ReadOptions,
): Promise<ReadSchema> {
  try {
    return await readDocument(schema, formulas, options);
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error;
    // Users do not know the URI of the document, so the message gives its name.
    const { name, uri } = options;
    const reason = error.reason.replaceAll(uri, name.toUpperCase());
    throw new UnsupportedSchema(reason.replaceAll(new URL(".", uri).href, ""));
  }
}

async function readDocument(schema: Json, formulas: Formulas, options: ReadOptions): Promise<ReadSchema> {
  const strings = collectStrings(schema, options);
  // The copy has a separate object at each place, so that an object identifies its place.
  const copy: Json = JSON.parse(JSON.stringify(schema));
  const library = new Library();
  const root = library.add(copy, options.uri, options.dialect);
  for (let attempt = 0; ; attempt++) {
    try {
      const compiler = new SchemaCompiler(formulas, library, options, `${options.name}${attempt}`);
      const formula = compiler.compile(root);
      rejectLoops(compiler.listFormulas());
      const isReached = (each: JsonObject) => compiler.has(each);
      const context = { ...options, library, isReached };
      return {
        document: schema,
        formula,
        prepareForValidators: () => prepareForValidators(copy, root, context),
        schemaCount: compiler.size,
        countApplied: () => countAppliedSchemas(root, library, isReached),
        limitToKeys: (keys) => limitToKeys(copy, root, context, keys),
        strings,
      };
    } catch (error) {
      const dialect = error instanceof MissingDocument ? findMetaschemaDialect(error.uri) : undefined;
      if (!(error instanceof MissingDocument) || !dialect) throw error;
      await addMetaschema(library, error.uri, dialect);
    }
  }
}

function countAppliedSchemas(
  root: SchemaPlace,
  library: Library,
  isReached: (schema: JsonObject) => boolean,
): number {
  const { dialect } = root.resource;
  const listTargets = (schema: JsonObject): Json[] =>
    REFERENCES.flatMap((keyword) => {
      const reference = schema[keyword];
      if (!isReached(schema) || typeof reference !== "string" || !isKeywordOf(dialect, keyword)) return [];
      return [library.resolve(reference, library.getPlace(schema, root)).schema];
    });
  return createAppliedSchemaCounter(dialect, listTargets)(root.schema);
}

/** Adds a metaschema, and the parts that it consists of. */
async function addMetaschema(library: Library, uri: string, dialect: Dialect): Promise<void> {
  if (library.has(uri)) return;
  const document = await readMetaschema(uri);
  library.add(document, uri, dialect);
  const parts = isObject(document) ? getOwn(document, "allOf") : undefined;
  for (const part of Array.isArray(parts) ? parts : []) {
    const reference = isObject(part) ? getOwn(part, "$ref") : undefined;
    if (typeof reference !== "string") continue;
    const target = new URL(reference, uri).href;
    if (findMetaschemaDialect(target) === dialect) await addMetaschema(library, target, dialect);
  }
}

/** Returns the strings and keys of a document; throws if it is larger or deeper than the limits. */
function collectStrings(document: Json, { maxDepth, maxValues }: Limits): readonly string[] {
  const strings = new Set<string>();
  let level: readonly Json[] = [document];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new LimitError(`nested deeper than ${maxDepth}`);
    values += level.length;
    if (!level.every(isJson))
      throw new UnsupportedSchema("a schema holds a number that is too large, or a value that is not JSON");
    if (values > maxValues) throw new LimitError(`more than ${maxValues} values in a schema`);
    for (const value of level) for (const text of listTexts(value)) strings.add(text);
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return [...strings];
}

/** Returns a string itself, or the keys of an object. */
function listTexts(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return isObject(value) ? Object.keys(value) : [];
}

/** Returns whether a value is of a JSON type. `Infinity` is not JSON; `JSON.parse` returns it for a number such as 1e400. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || ["boolean", "string", "object"].includes(typeof value);
}

/** Throws if a schema refers to itself without entering a property or item, because such a schema has no meaning. */
function rejectLoops(formulas: readonly Formula[]): void {
  const progress = new Map<number, "entered" | "left">();
  const visit = (formula: Formula): void => {
    if (formula.kind !== "and" && formula.kind !== "or" && formula.kind !== "lazy") return;
    const knownProgress = progress.get(formula.id);
    if (knownProgress === "left") return;
    if (knownProgress === "entered") throw new UnsupportedSchema("a schema refers to itself in place");
    progress.set(formula.id, "entered");
    if (formula.kind !== "lazy") formula.parts.forEach(visit);
    else if (formula.isReference) visit(formula.expand());
    progress.set(formula.id, "left");
  };
  formulas.forEach(visit);
}

/**
 * Returns all values that a schema may accept, if it lists them by `const`, `enum`, or an `anyOf` of such schemas. Its other
 * keywords may refuse some of them. Returns undefined if the schema lists no values, or more than `maxValues`.
 */
export function collectListedValues(
  schema: Json,
  outerDialect: Dialect,
  maxValues: number,
): readonly Json[] | undefined {
  if (!isObject(schema)) return undefined;
  const dialect = readStatedDialect(schema) ?? outerDialect;
  if (hidesSiblings(schema, dialect)) return undefined;
  const single = isKeywordOf(dialect, "const") ? getOwn(schema, "const") : undefined;
  if (single !== undefined) return [single];
  const listedValues = getOwn(schema, "enum");
  if (Array.isArray(listedValues)) return listedValues.length <= maxValues ? listedValues : undefined;
  const branches = getOwn(schema, "anyOf");
  if (!Array.isArray(branches) || branches.length > maxValues) return undefined;
  // The dialect that a branch states counts only if the branch has an identifier. This function does not decide that.
  if (branches.some((branch) => isObject(branch) && getOwn(branch, "$schema") !== undefined))
    return undefined;
  const lists = branches.map((branch: Json) => collectListedValues(branch, dialect, maxValues));
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}
