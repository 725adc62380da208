/** From a schema document to its formula, with everything that makes a document unreadable told apart first. */
import { type Json, type JsonObject, own } from "../json.js";
import { Exhausted, type Limits, Unsupported } from "./budget.js";
import { Compiler } from "./compile.js";
import type { Dialect } from "./dialect.js";
import { formatPattern } from "./formats.js";
import type { Formula, Formulas } from "./formula.js";
import { metaschema } from "./judge-hyperjump.js";
import { dialectOfMetaschema, isMetaschema, Library, Missing } from "./resource.js";
import { rewriteSchemas } from "./rewrite.js";

/** How a document is read. `name` tells the recursions of two documents apart. */
export interface Reading extends Limits {
  readonly dialect: Dialect;
  readonly assertFormats: boolean;
  readonly name: string;
  readonly uri: string;
}

/** A document as it was understood. */
export interface Read {
  readonly formula: Formula;
  /** The schema as the validators are to judge it. */
  readonly judged: Json;
  /** How many schemas can be reached in it. */
  readonly schemas: number;
}

/** The formula of a schema document; throws `Unsupported` or `Exhausted` where it cannot be read. */
export async function readSchema(schema: Json, formulas: Formulas, reading: Reading): Promise<Read> {
  measure(schema, reading);
  // A copy, so that an object that the caller uses in two places stands in only one.
  const copy = JSON.parse(JSON.stringify(schema)) as Json;
  const judged = reading.assertFormats ? rewriteSchemas(copy, reading.dialect, spellFormats) : copy;
  const library = new Library();
  const root = library.add(copy, reading.uri, reading.dialect);
  for (let attempt = 0; ; attempt++) {
    try {
      const compiler = new Compiler(formulas, library, reading, `${reading.name}${attempt}`);
      const formula = compiler.compile(root);
      refuseLoops(formula);
      return { formula, judged, schemas: compiler.size };
    } catch (error) {
      if (!(error instanceof Missing) || !isMetaschema(error.uri)) throw error;
      library.add(await metaschema(error.uri), error.uri, dialectOfMetaschema(error.uri));
    }
  }
}

/** Formats as the patterns that they stand for, so that the validators assert the same. */
function spellFormats(schema: JsonObject): JsonObject {
  const format = own(schema, "format");
  const pattern = typeof format === "string" ? formatPattern(format) : undefined;
  if (pattern === undefined) return schema;
  const all = own(schema, "allOf");
  return { ...schema, allOf: [...(Array.isArray(all) ? all : []), { pattern }] };
}

/** Throws when a document is larger or deeper than the limits. */
function measure(document: Json, { maxDepth, maxValues }: Limits): void {
  let level: readonly Json[] = [document];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new Exhausted(`nested deeper than ${maxDepth}`);
    values += level.length;
    if (values > maxValues) throw new Exhausted(`more than ${maxValues} values in a schema`);
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
}

/** Throws when a schema refers to itself without going into a property or item: that has no meaning. */
function refuseLoops(root: Formula): void {
  const state = new Map<number, "open" | "done">();
  const visit = (formula: Formula): void => {
    if (formula.kind !== "and" && formula.kind !== "or" && formula.kind !== "lazy") return;
    const known = state.get(formula.id);
    if (known === "done") return;
    if (known === "open") throw new Unsupported("a schema refers to itself in place");
    state.set(formula.id, "open");
    if (formula.kind !== "lazy") formula.parts.forEach(visit);
    else if (formula.isReference) visit(formula.expand());
    state.set(formula.id, "done");
  };
  visit(root);
}
