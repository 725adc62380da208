/** Compiles schemas of all dialects into formulas, with a table of compilers by keyword. */
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { hidesSiblings } from "../../schema/dialects.js";
import { isKeywordOf } from "../../schema/keywords.js";
import { decodeFragment, type Library, type Resource, type SchemaPlace } from "../../schema/resolve.js";
import { UnsupportedSchema } from "../budget.js";
import type { Formula, Formulas } from "../formula.js";
import type { KeywordCompilers, KeywordContext, ReferenceTarget } from "./keyword-compiler.js";
import { ARRAY_KEYWORDS } from "./keywords-array.js";
import { LOGIC_KEYWORDS } from "./keywords-logic.js";
import { OBJECT_KEYWORDS } from "./keywords-object.js";
import { SCALAR_KEYWORDS } from "./keywords-scalar.js";
import { UNEVALUATED_KEYWORDS } from "./unevaluated.js";

const KEYWORD_COMPILERS: KeywordCompilers = {
  ...SCALAR_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...LOGIC_KEYWORDS,
  ...UNEVALUATED_KEYWORDS,
};

/** The dynamic anchors in force: for each name, the anchor of the outermost resource that has it. `key` identifies the scope. */
interface Scope {
  readonly key: string;
  readonly anchors: ReadonlyMap<string, SchemaPlace>;
}

/** Compiles the schemas of one library into the formulas of one question. */
export class SchemaCompiler {
  /** The formula of each schema in its scope; undefined while it is being compiled. */
  private readonly compiled = new Map<string, Formula | undefined>();
  private readonly numbers = new Map<JsonObject, number>();

  constructor(
    private readonly formulas: Formulas,
    private readonly library: Library,
    private readonly options: { readonly assertFormats: boolean },
    private readonly name: string,
  ) {}

  /** Returns the formula of the schema at a place. */
  compile(place: SchemaPlace): Formula {
    return this.compileAt(place, { key: "", anchors: new Map() });
  }

  /** Returns how many schemas were compiled. */
  get size(): number {
    return this.compiled.size;
  }

  /** Returns whether a schema was compiled. Then it can be reached from the root. */
  has(schema: JsonObject): boolean {
    return this.numbers.has(schema);
  }

  /** Returns the formulas of all schemas that were compiled. */
  listFormulas(): readonly Formula[] {
    return [...this.compiled.values()].filter((formula) => formula !== undefined);
  }

  private compileAt(place: SchemaPlace, outer: Scope): Formula {
    const { schema } = place;
    if (typeof schema === "boolean") return schema ? this.formulas.anything : this.formulas.nothing;
    if (!isObject(schema)) throw new UnsupportedSchema("a schema is neither an object nor a boolean");
    const scope = this.enterResource(place.resource, outer);
    const key = this.createKey(schema, scope);
    if (this.compiled.has(key)) return this.compiled.get(key) ?? this.createRecursiveReference(key);
    this.compiled.set(key, undefined);
    const formula = this.compileKeywords(this.createContext(schema, place, scope));
    this.compiled.set(key, formula);
    return formula;
  }

  private createKey(schema: JsonObject, scope: Scope): string {
    return `${this.getNumber(schema)} ${scope.key}`;
  }

  /** Returns a formula that is expanded after all schemas are compiled. */
  private createRecursiveReference(key: string): Formula {
    return this.formulas.lazy(`${this.name} ${key}`, () => this.compiled.get(key) as Formula, true);
  }

  private compileKeywords(context: KeywordContext): Formula {
    const { schema, dialect, formulas } = context;
    const hasOnlyReference = hidesSiblings(schema, dialect);
    const parts = Object.entries(schema).flatMap(([keyword, value]) => {
      if (hasOnlyReference && keyword !== "$ref") return [];
      const compileKeyword = isKeywordOf(dialect, keyword) ? getOwn(KEYWORD_COMPILERS, keyword) : undefined;
      return compileKeyword ? [compileKeyword(value as never, context)] : [];
    });
    return formulas.and(...parts);
  }

  private createContext(schema: JsonObject, place: SchemaPlace, scope: Scope): KeywordContext {
    const locateChild = (child: Json) => this.library.getPlace(child, place);
    return {
      key: this.createKey(schema, scope),
      schema,
      place,
      dialect: place.resource.dialect,
      formulas: this.formulas,
      assertFormats: this.options.assertFormats,
      compileChild: (child) => this.compileAt(locateChild(child), scope),
      enterChild: (child) => this.enterPlace(locateChild(child), scope),
      resolveTarget: (keyword, reference) => this.resolveTarget(keyword, reference, place, scope),
    };
  }

  private enterPlace(place: SchemaPlace, outer: Scope): KeywordContext | undefined {
    if (!isObject(place.schema)) return undefined;
    return this.createContext(place.schema, place, this.enterResource(place.resource, outer));
  }

  private resolveTarget(
    keyword: string,
    reference: string,
    from: SchemaPlace,
    scope: Scope,
  ): ReferenceTarget {
    const place = this.followDynamic(keyword, reference, this.library.resolve(reference, from), scope);
    return { compile: () => this.compileAt(place, scope), enter: () => this.enterPlace(place, scope) };
  }

  /** Follows a reference that leads to a dynamic anchor on to the outermost anchor of that name. */
  private followDynamic(keyword: string, reference: string, place: SchemaPlace, scope: Scope): SchemaPlace {
    if (keyword === "$ref") return place;
    const fragment = reference.replace(/^[^#]*#?/, "");
    const name = keyword === "$recursiveRef" ? "" : decodeFragment(fragment);
    if (keyword === "$dynamicRef" && (name === "" || name.startsWith("/"))) return place;
    const anchor = place.resource.dynamicAnchors.get(name);
    if (anchor?.schema !== place.schema) return place;
    return scope.anchors.get(name) ?? place;
  }

  private enterResource(resource: Resource, outer: Scope): Scope {
    const addedAnchors = [...resource.dynamicAnchors].filter(([name]) => !outer.anchors.has(name));
    if (addedAnchors.length === 0) return outer;
    const anchors = new Map([...outer.anchors, ...addedAnchors]);
    const anchorKeys = [...anchors].map(
      ([name, { schema }]) => `${name}=${isObject(schema) ? this.getNumber(schema) : ""}`,
    );
    return { key: anchorKeys.sort().join(" "), anchors };
  }

  private getNumber(schema: JsonObject): number {
    const knownNumber = this.numbers.get(schema);
    if (knownNumber !== undefined) return knownNumber;
    this.numbers.set(schema, this.numbers.size);
    return this.numbers.size - 1;
  }
}
