/** From a schema document to its formula, with everything that makes a document unreadable told apart first. */
import { isObject, type Json, own } from "../../json.js";
import { type Dialect, dialectOfMetaschema } from "../../schema/dialects.js";
import { Library, Missing } from "../../schema/resolve.js";
import { Exhausted, type Limits, Unsupported } from "../budget.js";
import { metaschema } from "../confirm/judge-hyperjump.js";
import type { Formula, Formulas } from "../formula.js";
import { Compiler } from "./compile.js";
import { judgeable } from "./judgeable.js";

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
  /** The strings and keys that stand anywhere in it. */
  readonly strings: readonly string[];
}

/** The formula of a schema document; throws `Unsupported` or `Exhausted` where it cannot be read. */
export async function readSchema(schema: Json, formulas: Formulas, reading: Reading): Promise<Read> {
  try {
    return await read(schema, formulas, reading);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    const { name, uri } = reading; // nobody has seen the address that the document was given
    const named = error.reason.replaceAll(uri, name.toUpperCase());
    throw new Unsupported(named.replaceAll(new URL(".", uri).href, ""));
  }
}

async function read(schema: Json, formulas: Formulas, reading: Reading): Promise<Read> {
  const strings = measure(schema, reading);
  // A copy, so that an object that the caller uses in two places stands in only one.
  const copy = JSON.parse(JSON.stringify(schema)) as Json;
  const library = new Library();
  const root = library.add(copy, reading.uri, reading.dialect);
  for (let attempt = 0; ; attempt++) {
    try {
      const compiler = new Compiler(formulas, library, reading, `${reading.name}${attempt}`);
      const formula = compiler.compile(root);
      refuseLoops(compiler.all());
      const judged = judgeable(copy, root, { library, isReached: (each) => compiler.has(each), ...reading });
      return { formula, judged, schemas: compiler.size, strings };
    } catch (error) {
      const dialect = error instanceof Missing ? dialectOfMetaschema(error.uri) : undefined;
      if (!(error instanceof Missing) || !dialect) throw error;
      await addMetaschema(library, error.uri, dialect);
    }
  }
}

/** Adds a metaschema, and at once the parts that it is put together from. */
async function addMetaschema(library: Library, uri: string, dialect: Dialect): Promise<void> {
  if (library.has(uri)) return;
  const document = await metaschema(uri);
  library.add(document, uri, dialect);
  const parts = isObject(document) ? own(document, "allOf") : undefined;
  for (const part of Array.isArray(parts) ? parts : []) {
    const reference = isObject(part) ? own(part, "$ref") : undefined;
    if (typeof reference !== "string") continue;
    const target = new URL(reference, uri).href;
    if (dialectOfMetaschema(target) === dialect) await addMetaschema(library, target, dialect);
  }
}

/** The strings of a document, keys among them; throws when it is larger or deeper than the limits. */
function measure(document: Json, { maxDepth, maxValues }: Limits): readonly string[] {
  const strings = new Set<string>();
  let level: readonly Json[] = [document];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new Exhausted(`nested deeper than ${maxDepth}`);
    values += level.length;
    if (!level.every(isJson))
      throw new Unsupported("a schema holds a number that is too large, or no JSON at all");
    if (values > maxValues) throw new Exhausted(`more than ${maxValues} values in a schema`);
    for (const value of level) for (const text of textsOf(value)) strings.add(text);
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return [...strings];
}

/** The strings that stand directly in a value: itself, or its keys. */
function textsOf(value: Json): readonly string[] {
  return typeof value === "string" ? [value] : isObject(value) ? Object.keys(value) : [];
}

/** Whether a value is of a JSON type. A number too large for a double, such as 1e400, is read as infinity, and is not. */
function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || ["boolean", "string", "object"].includes(typeof value);
}

/** Throws when a schema refers to itself without going into a property or item: that has no meaning. */
function refuseLoops(formulas: readonly Formula[]): void {
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
  formulas.forEach(visit);
}
