/** Compiles a schema with Ajv's keywords into trees of code instead of running code. */
import type { Ajv2020, KeywordCxt, ValidateFunction } from "ajv/dist/2020.js";
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { readSubschema, type Schema } from "../schema/json-schema.js";
import { getTargetName } from "../schema/reference.js";
import { hasSchemaWith } from "../schema/walk.js";
import { makeAjv } from "./ajv.js";
import {
  type _Code,
  loadAjv,
  loadAjvInternals,
  type Name,
  type SchemaCxt,
  type SchemaEnv,
  type ValueScope,
  type ValueScopeName,
} from "./ajv-package.js";
import type { Statement } from "./code-tree.js";
import { dropErrorCounts } from "./error-count.js";
import { removeUnusedCode } from "./remove-unused-code.js";
import { ONCE } from "./repeated-definitions.js";
import { CALL } from "./share-definitions.js";
import { type PropertyPlace, type Template, TreeBuilder } from "./tree-builder.js";

/** The options of a compilation. Each one makes the code slower or larger, so it is set only for schemas that need it. */
export interface CompileOptions {
  /** True if the code distinguishes own properties from inherited ones such as `toString`. */
  readonly ownProperties: boolean;
  /** True if characters are counted as code points. */
  readonly unicode: boolean;
  /** True if a keyword depends on the fields or items that others have evaluated. */
  readonly unevaluated: boolean;
}

/** A function that validates, as a tree. */
export interface CompiledFunction {
  readonly name: Name;
  readonly statements: readonly Statement[];
  /** The number of times that its code reads each name. */
  readonly reads: ReadonlyMap<string, number>;
  /** The values outside of the function that its code names, by the prefix of their names. */
  readonly values: ReadonlyMap<string, ReadonlySet<ValueScopeName>>;
  /** True if the function calls another function or itself. */
  readonly callsValidators: boolean;
  /** True if the function remembers its results while a value is checked. */
  readonly isRepeated: boolean;
  /** The fields and items that the function always evaluates; absent if no keyword depends on them. */
  readonly evaluated?: object;
}

/** The functions that a schema becomes. */
interface Compilation {
  readonly root: CompiledFunction;
  /** All functions, the root among them. */
  readonly functions: readonly CompiledFunction[];
}

/** The compiled functions by the objects that Ajv passes on in their place. */
const COMPILED = new WeakMap<object, CompiledFunction>();

/** Returns the function in whose place Ajv passes `value`. */
export function getCompiledFunction(value: unknown): CompiledFunction {
  const found = COMPILED.get(Object(value));
  if (found === undefined) throw new Error("Ajv calls a function that was not compiled");
  return found;
}

/**
 * Compiles `schema`, whose references name its own `$defs`, with the keywords of `ajv`. Each compilation has its own
 * names, so its result depends on its arguments alone.
 */
export function compileFunctions(schema: Schema, ajv: Ajv2020, options: CompileOptions): Compilation {
  const { codegen, compile } = loadAjvInternals();
  const scope = new codegen.ValueScope({ scope: {}, prefixes: PREFIXES });
  const functions: CompiledFunction[] = [];
  const compileOne = (env: SchemaEnv): CompiledFunction => {
    const compiled = compileEnvironment(env, ajv, options, scope);
    functions.push(compiled);
    return compiled;
  };
  const root = new compile.SchemaEnv({ schema });
  const definitions = isObject(schema) && isObject(schema.$defs) ? Object.entries(schema.$defs) : [];
  for (const [name, definition] of definitions) {
    let env: SchemaEnv | undefined;
    const find = (): typeof definition | SchemaEnv => {
      if (isInlined(readSubschema(definition))) return definition;
      if (env === undefined) {
        env = new compile.SchemaEnv({ schema: readSubschema(definition), root });
        compileOne(env);
      }
      return env;
    };
    Object.defineProperty(root.refs, `#/$defs/${name}`, { get: find });
  }
  return { root: compileOne(root), functions };
}

/** The results of `isInlined`, which is called for each reference. */
const INLINED = new WeakMap<object, boolean>();

/** Returns whether a definition refers to no other definition. Its code is then written in place of each reference. */
function isInlined(definition: Schema): boolean {
  if (typeof definition === "boolean") return true;
  const cached = INLINED.get(definition);
  if (cached !== undefined) return cached;
  const result = loadAjvInternals().resolve.inlineRef(definition);
  INLINED.set(definition, result);
  return result;
}

/** The prefixes of the names that Ajv gives to values outside of a function. */
const PREFIXES = new Set(["validate", "wrapper", "root", "schema", "keyword", "pattern", "formats", "func"]);

/** Compiles one schema as `compileSchema` of Ajv does, but builds a tree of code instead of a function. */
function compileEnvironment(
  env: SchemaEnv,
  ajv: Ajv2020,
  options: CompileOptions,
  scope: ValueScope,
): CompiledFunction {
  const { codegen, names, validate } = loadAjvInternals();
  const builder = new TreeBuilder(scope, options.ownProperties);
  const name = builder.scopeName("validate");
  const { schema } = env;
  // Ajv calls the methods of its own builder of code, in whose place `TreeBuilder` stands.
  const gen: object = builder;
  const context = {
    gen,
    allErrors: true,
    data: names.data,
    parentData: names.parentData,
    parentDataProperty: names.parentDataProperty,
    dataNames: [names.data],
    dataPathArr: [codegen.nil],
    dataLevel: 0,
    dataTypes: [],
    definedProperties: new Set<string>(),
    topSchemaRef: builder.scopeValue("schema", { ref: schema }),
    validateName: name,
    schema,
    schemaEnv: env,
    rootId: "",
    baseId: "",
    schemaPath: codegen.nil,
    errSchemaPath: "#",
    errorPath: codegen._`""`,
    opts: { ...ajv.opts, ...options },
    self: ajv,
  } as SchemaCxt;
  env.validateName = name;
  validate.validateFunctionCode(context);
  const { statements, constants, values, callsValidators } = builder;
  const reads = removeUnusedCode(statements, constants);
  dropErrorCounts(statements);
  const evaluated = options.unevaluated ? describeEvaluated(context) : undefined;
  const isRepeated = isObject(schema) && schema[ONCE] === true;
  const compiled = {
    name,
    statements,
    reads,
    values,
    callsValidators,
    isRepeated,
    ...(evaluated && { evaluated }),
  };
  const refuse = (_value: unknown): _value is unknown => false;
  const standIn = Object.assign(refuse, { schema, schemaEnv: env, ...(evaluated && { evaluated }) });
  COMPILED.set(standIn, compiled);
  COMPILED.set(env, compiled);
  scope.value(name, { ref: standIn });
  env.validate = standIn;
  return compiled;
}

/** Describes what a function evaluates, as Ajv records it for the functions that call it. */
function describeEvaluated({ props, items }: SchemaCxt): NonNullable<ValidateFunction["evaluated"]> {
  const { Name } = loadAjvInternals().code;
  return {
    ...(props !== undefined && !(props instanceof Name) && { props }),
    ...(items !== undefined && !(items instanceof Name) && { items }),
    dynamicProps: props instanceof Name,
    dynamicItems: items instanceof Name,
  };
}

let codeAjv: Ajv2020 | undefined;

/** Returns the Ajv whose keywords write generated code. Compiling does not change it, so one is enough. */
export function getCodeAjv(): Ajv2020 {
  codeAjv ??= makeCodeAjv();
  return codeAjv;
}

/** Makes an Ajv for `compileFunctions`. Its references are found without resolving URIs. */
export function makeCodeAjv(): Ajv2020 {
  const uriResolver = {
    parse: (uri: string) => ({ fragment: uri.slice(1) }),
    resolve: (_base: string, uri: string) => uri,
    serialize: () => "",
  };
  const ajv = makeAjv({ uriResolver: uriResolver as never });
  for (const keyword of ["additionalProperties", "unevaluatedProperties", "propertyNames"])
    nameProperty(ajv, keyword);
  addCalls(ajv);
  copyProperties(ajv);
  shortenRequired(ajv);
  return ajv;
}

/** Makes the parameters of the errors of `keyword` the name of the property, which `TreeBuilder` looks for. */
function nameProperty(ajv: Ajv2020, keyword: string): void {
  const rule = ajv.RULES.all[keyword];
  if (typeof rule !== "object" || !rule.definition.error) throw new Error(`Ajv has no errors for ${keyword}`);
  rule.definition.error = {
    ...rule.definition.error,
    params: ({ params }) =>
      (params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName) as _Code,
  };
}

/** Adds the keyword that calls the function of another expression, as Ajv calls the functions that it makes itself. */
function addCalls(ajv: Ajv2020): void {
  const { _, Name, str } = loadAjv();
  const { names } = loadAjvInternals();
  const code = ({ gen, data, it, schema }: KeywordCxt): void => {
    const callee = new Name(schema);
    gen.if(_`!${callee}(${data}, {instancePath: ${str`${names.instancePath}${it.errorPath}`}})`, () => {
      const list = names.vErrors;
      const found = _`${callee}.errors`;
      gen.assign(list, _`${list} === null ? ${found} : ${list}.concat(${found})`);
      gen.assign(names.errors, _`${list}.length`);
    });
  };
  ajv.addKeyword({ keyword: CALL, schemaType: "string", code });
}

/** Makes `properties` copy the code of a property from that of an equal schema in another place, or another event. */
function copyProperties(ajv: Ajv2020): void {
  const rule = ajv.RULES.all.properties;
  if (typeof rule !== "object") throw new Error("Ajv has no keyword properties");
  const templates = new Map<string, Template | undefined>();
  const code = (cxt: KeywordCxt): void => {
    const { gen, schema, data, it } = cxt;
    const { util, vocabulary } = loadAjvInternals();
    const names = vocabulary.allSchemaProperties(schema);
    if (it.opts.unevaluated && names.length > 0 && it.props !== true)
      it.props = util.mergeEvaluated.props(gen, util.toHash(names), it.props);
    const properties = names.filter((name) => !util.alwaysValidSchema(it, schema[name]));
    if (properties.length === 0) return;
    const valid = gen.name("valid");
    for (const name of properties) {
      gen.if(vocabulary.propertyInData(gen, data, name, it.opts.ownProperties));
      copyProperty(cxt, name, valid, templates);
      if (!it.allErrors) gen.else().var(valid, true);
      gen.endIf();
      cxt.ok(valid);
    }
  };
  Object.assign(rule.definition, { code });
}

/** The greatest length of the JSON of a schema whose code is remembered. Longer schemas are rarely repeated. */
const MAX_TEMPLATE_SOURCE = 300;

function copyProperty(
  cxt: KeywordCxt,
  property: string,
  valid: Name,
  templates: Map<string, Template | undefined>,
): void {
  const { it } = cxt;
  const build = (): unknown =>
    cxt.subschema({ keyword: "properties", schemaProp: property, dataProp: property }, valid);
  const sub = cxt.schema[property];
  const text = JSON.stringify(sub);
  const place = findPlace(cxt, property);
  const { unevaluated, ownProperties, unicode } = it.opts;
  const inlined = listInlinedDefinitions(sub, it);
  // Code is copied only if it depends on nothing but the schema, the inlined definitions and the flags below.
  if (
    unevaluated ||
    !it.allErrors ||
    !place ||
    !inlined ||
    text.length > MAX_TEMPLATE_SOURCE ||
    text.includes(CALL)
  ) {
    build();
    return;
  }
  const flags = [ownProperties, unicode, it.compositeRule, it.createErrors];
  const key = `${flags.join()} ${text} ${inlined.length > 0 ? JSON.stringify(inlined) : ""}`;
  const builder: object = it.gen;
  if (!(builder instanceof TreeBuilder)) throw new Error("Ajv does not write code with the given builder");
  const template = templates.get(key);
  if (template !== undefined) builder.replay(template, place, inlined);
  else templates.set(key, builder.record(place, build, inlined));
}

/**
 * Returns the definitions whose code is part of the code of `schema`, each once. Returns undefined if the code calls the
 * function of a definition, because a copy could not do so.
 */
function listInlinedDefinitions(schema: Json, { schemaEnv }: SchemaCxt): JsonObject[] | undefined {
  const { schema: root } = schemaEnv.root;
  const definitions = isObject(root) ? (root as JsonObject).$defs : undefined;
  const inlined = new Set<JsonObject>();
  const onlyInlines = !hasSchemaWith(schema, (node) => {
    if (node.$ref === undefined) return false;
    const name = getTargetName(node);
    const target = name === undefined || !isObject(definitions) ? undefined : getOwn(definitions, name);
    if (!isObject(target) || !isInlined(readSubschema(target))) return true;
    inlined.add(target);
    return false;
  });
  return onlyInlines ? [...inlined] : undefined;
}

/** Returns the place of a property; undefined for a property of an item, or with a name that is not an identifier. */
function findPlace({ it, data }: KeywordCxt, property: string): PropertyPlace | undefined {
  const { code, codegen } = loadAjvInternals();
  const pointer = it.errorPath;
  const [start, ...rest] = pointer instanceof code._Code ? pointer._items : [];
  const [accessor, ...more] = (codegen.getProperty(property) as _Code)._items;
  if (rest.length > 0 || typeof start !== "string" || more.length > 0) return undefined;
  // `start` is a text in quotation marks, and so is `path` without its last one.
  return { data, accessor: String(accessor), path: `${start.slice(0, -1)}/${property}` };
}

/** Makes `required` name no variable for the missing field where no error names it, as in a condition. */
function shortenRequired(ajv: Ajv2020): void {
  const rule = ajv.RULES.all.required;
  if (typeof rule !== "object" || !("code" in rule.definition))
    throw new Error("Ajv has no keyword required");
  const { code: writeWithVariable } = rule.definition;
  const code = (cxt: KeywordCxt): void => {
    const { gen, data, it, schema } = cxt;
    if (it.createErrors !== false || it.allErrors || schema.length === 0) {
      writeWithVariable(cxt);
      return;
    }
    const { codegen, vocabulary } = loadAjvInternals();
    const isMissing = (name: string) => vocabulary.noPropertyInData(gen, data, name, it.opts.ownProperties);
    gen.if(codegen.or(...schema.map(isMissing)));
    cxt.error();
    gen.else();
  };
  Object.assign(rule.definition, { code });
}
