import { getItem } from "../get-item.js";
import { FORBIDDEN } from "./ajv.js";
import {
  type _Code,
  loadAjvInternals,
  type Name,
  type ValueScope,
  type ValueScopeName,
} from "./ajv-package.js";
import {
  type Block,
  type Condition,
  countNames,
  type Expression,
  type Failure,
  type FunctionStatement,
  hasPropertyNames,
  type Loop,
  type Piece,
  printPieces,
  ROOT_PREFIX,
  type Statement,
} from "./code-tree.js";
import { removeUnusedCode } from "./remove-unused-code.js";

/** A piece of a template: code, or a placeholder for code that depends on the place of the schema. */
type TemplatePiece =
  | Piece
  /** The variable that holds the object. */
  | { readonly data: true }
  /** The code that reads the property, after this variable. */
  | { readonly accessor: true }
  /** The name of the value with this index in `Template.values`. */
  | { readonly value: number }
  /** A variable: its prefix, and its number among the variables of the template with this prefix. */
  | { readonly prefix: string; readonly offset: number }
  /** A pointer below that of the property. */
  | { readonly tail: string };

/** A value outside of the function: the same everywhere, or a definition, by its index among those that are inlined. */
type TemplateValue =
  | { readonly prefix: string; readonly value: ScopeValue }
  | { readonly prefix: string; readonly definition: number };

/** Code for a schema, without the names and pointers that depend on the place of the schema. */
export interface Template {
  readonly pieces: readonly TemplatePiece[];
  /** The number of names that building the code takes, by prefix, with unused names. */
  readonly names: readonly (readonly [prefix: string, count: number])[];
  readonly values: readonly TemplateValue[];
  readonly dataReads: number;
  readonly hasPropertyNames: boolean;
}

/** A property that is validated. */
export interface PropertyPlace {
  /** The variable that holds the object. */
  readonly data: Name;
  /** The code after the variable that reads the value: `.name`. */
  readonly accessor: string;
  /** The pointer of the property as a JSON string without the closing quote. */
  readonly path: string;
}

/** Cuts `path` from the beginning of a piece of a pointer; undefined if the piece does not begin with it. */
function cutPath(piece: Piece, path: string): TemplatePiece | undefined {
  return typeof piece === "string" && piece.startsWith(path) ? { tail: piece.slice(path.length) } : undefined;
}

type Part = _Code | (() => void);
type Key = string | Name;
/** A member of an object literal. */
type Entry = readonly [key: Name, value: Expression | string];
type ScopeValue = Parameters<ValueScope["value"]>[1];

/**
 * Takes the place of Ajv's `CodeGen`: Ajv calls these methods while it compiles one function, and the code becomes a
 * tree of statements. Only what Ajv calls for synchronous schemas exists. The statements by which Ajv adds an error to
 * its list become one statement each.
 */
export class TreeBuilder {
  /** Values outside of the function that its code names, by the prefix of their names, in order of their first use. */
  readonly values = new Map<string, Set<ValueScopeName>>();
  /** Values of variables that may be written in place of the variable if it is read once. */
  constants = new Map<string, Expression>();
  readonly #root: Block = { kind: "block", body: [] };
  readonly #scope: ValueScope;
  readonly #ownProperties: boolean;
  /** The number of the next name by prefix. */
  readonly #counters = new Map<string, number>();
  /** The prefixes and numbers of names. */
  readonly #numbers = new Map<string, readonly [prefix: string, number: number]>();
  #usedValues: { readonly name: ValueScopeName; readonly value: ScopeValue }[] = [];
  /** The open blocks, the outermost first. */
  #open: (Block | Condition | Loop | FunctionStatement)[] = [this.#root];
  /** The number of blocks that were open before each call of `block` that has not ended. */
  readonly #starts: number[] = [];
  readonly #errors = new WeakMap<object, NonNullable<Failure["fields"]>>();
  /** The variables for evaluated fields and items, in the order of their definitions. */
  readonly #evaluated: Name[] = [];
  #callsValidators = false;

  constructor(scope: ValueScope, ownProperties: boolean) {
    this.#scope = scope;
    this.#ownProperties = ownProperties;
  }

  /** The statements of the function that was built. */
  get statements(): Statement[] {
    return this.#root.body;
  }

  /** True if the function calls another validator or itself. */
  get callsValidators(): boolean {
    return this.#callsValidators;
  }

  name(prefix: string): Name {
    const number = this.#counters.get(prefix) ?? 0;
    this.#counters.set(prefix, number + 1);
    return this.#createName(prefix, number);
  }

  scopeName(prefix: string): ValueScopeName {
    return this.#scope.name(prefix);
  }

  scopeValue(prefix: ValueScopeName | string, value: ScopeValue): ValueScopeName {
    const name = this.#scope.value(prefix, value);
    this.#usedValues.push({ name, value });
    const names = this.values.get(name.prefix);
    if (names) names.add(name);
    else this.values.set(name.prefix, new Set([name]));
    return name;
  }

  const(name: Key, value?: Expression, mayMove?: boolean): Name {
    return this.#define("const", name, value, mayMove);
  }

  let(name: Key, value?: Expression, mayMove?: boolean): Name {
    return this.#define("let", name, value, mayMove);
  }

  var(key: Key, value?: Expression, mayMove?: boolean): Name {
    const name = this.#define("var", key, value, mayMove);
    if (key === "props" || key === "items") this.#evaluated.push(name);
    return name;
  }

  assign(target: Name | _Code, value: Expression, sideEffects = false): this {
    return this.#add({ kind: "assign", target, operator: "=", value, sideEffects });
  }

  add(target: Name | _Code, value: Expression): this {
    return this.#add({ kind: "assign", target, operator: "+=", value, sideEffects: false });
  }

  code(part: Part | Expression): this {
    if (typeof part === "function") part();
    else if (this.#endsError(part)) this.#joinError();
    else if (part !== loadAjvInternals().codegen.nil) this.#add({ kind: "code", code: part, end: ";" });
    return this;
  }

  object(...entries: readonly Entry[]): _Code {
    const { code, codegen } = loadAjvInternals();
    const [, second] = entries;
    if (String(second?.[0]) === "schemaPath") return this.#createErrorObject(entries);
    this.#callsValidators = true;
    const members = entries.map(([key, value]) =>
      key === value ? codegen._`${key}` : codegen._`${key}:${value}`,
    );
    return new code._Code(["{", ...members.flatMap(({ _items }, i) => [i === 0 ? "" : ",", ..._items]), "}"]);
  }

  if(condition: Expression, then?: Part, otherwise?: Part): this {
    this.#enter({ kind: "if", condition, body: [], otherwise: undefined });
    if (then) this.code(then);
    if (otherwise) this.else().code(otherwise);
    return then ? this.endIf() : this;
  }

  elseIf(condition: Expression): this {
    return this.#addElse({ kind: "if", condition, body: [], otherwise: undefined });
  }

  else(): this {
    return this.#addElse({ kind: "block", body: [] });
  }

  endIf(): this {
    this.#open.pop();
    return this;
  }

  /**
   * Makes each round begin without evaluated fields and items. Ajv keeps them in `var`s, which a loop does not renew, so
   * that the fields of one item would count for the next.
   */
  for(header: _Code, body: () => void): this {
    const { _ } = loadAjvInternals().codegen;
    const loop: Loop = { kind: "for", header, body: [] };
    const countBefore = this.#evaluated.length;
    this.#enter(loop);
    this.code(body);
    this.#open.pop();
    const resets = this.#evaluated.slice(countBefore).map(
      (target): Statement => ({
        kind: "assign",
        target,
        operator: "=",
        value: _`undefined`,
        sideEffects: false,
      }),
    );
    loop.body.unshift(...resets);
    return this;
  }

  forRange(variable: Key, from: Expression, to: Expression, body: (name: Name) => void): this {
    const { _ } = loadAjvInternals().codegen;
    const name = this.#toName(variable);
    return this.for(_`let ${name}=${from}; ${name}<${to}; ${name}++`, () => body(name));
  }

  forOf(variable: Key, list: Expression, body: (name: Name) => void): this {
    const name = this.#toName(variable);
    return this.for(loadAjvInternals().codegen._`const ${name} of ${list}`, () => body(name));
  }

  forIn(variable: Key, object: Expression, body: (name: Name) => void): this {
    const { _ } = loadAjvInternals().codegen;
    if (this.#ownProperties) return this.forOf(variable, _`Object.keys(${object})`, body);
    const name = this.#toName(variable);
    return this.for(_`const ${name} in ${object}`, () => body(name));
  }

  label(label: Name): this {
    return this.#add({ kind: "code", code: label, end: ":" });
  }

  break(label?: Name): this {
    const { _ } = loadAjvInternals().codegen;
    return this.#add({ kind: "code", code: label ? _`break ${label}` : _`break`, end: ";" });
  }

  return(value: Expression): this {
    return this.#add({ kind: "return", value });
  }

  block(body?: Part): this {
    this.#starts.push(this.#open.length);
    if (body) this.code(body).endBlock();
    return this;
  }

  /** Ends the last block, and the conditions in it that Ajv left open. */
  endBlock(): this {
    this.#open.length = this.#starts.pop() ?? 1;
    return this;
  }

  func(name: Name, parameters: _Code, isAsync: boolean | undefined, body: Part): this {
    if (isAsync) throw new Error("Validators are synchronous: remove $async from the schema");
    this.#enter({ kind: "function", name, parameters, body: [] });
    this.code(body);
    this.#open.pop();
    return this;
  }

  /**
   * Calls `build`, which builds the code for the property at `place`. Returns a template of this code, so that it need not be
   * built again in other places. Returns undefined if the code depends on its place. `inlined` are the definitions whose code
   * is part of it.
   */
  record(place: PropertyPlace, build: () => void, inlined: readonly object[]): Template | undefined {
    const counters = new Map(this.#counters);
    const constants = this.constants;
    const values = this.#usedValues;
    const block: Block = { kind: "block", body: [] };
    this.constants = new Map();
    this.#usedValues = [];
    this.#open.push(block);
    build();
    this.#open.pop();
    const ownConstants = this.constants;
    const ownValues = this.#usedValues;
    this.constants = constants;
    this.#usedValues = [...values, ...ownValues];
    const { body } = block;
    const { data, path, accessor } = place;
    removeUnusedCode(body, ownConstants, ["vErrors", "errors"]);
    if (!this.#isIndependentOfPlace(body, data, counters)) {
      for (const [name, value] of ownConstants) constants.set(name, value);
      this.#current.body.push(...body);
      return undefined;
    }
    const pieces = printPieces(body);
    const hasNames = hasPropertyNames(body);
    const dataReads = pieces.filter((piece) => piece === data).length;
    if (pieces.length > 0)
      this.#add({ kind: "printed", pieces, data, dataReads, hasPropertyNames: hasNames });
    const templatePieces = pieces.map((piece, i) => {
      if (pieces[i - 1] === data) return piece === accessor ? { accessor: true as const } : undefined;
      return pieces[i - 1] === ROOT_PREFIX
        ? cutPath(piece, path)
        : this.#toTemplatePiece(piece, data, counters, ownValues);
    });
    if (templatePieces.includes(undefined)) return undefined;
    return {
      pieces: templatePieces as TemplatePiece[],
      names: [...this.#counters].map(([prefix, count]) => [prefix, count - (counters.get(prefix) ?? 0)]),
      values: ownValues.map(({ name: { prefix }, value }) => {
        const definition = inlined.indexOf(value.ref as object);
        return definition < 0 ? { prefix, value } : { prefix, definition };
      }),
      dataReads,
      hasPropertyNames: hasNames,
    };
  }

  /** Adds the code of `template` for another property. `inlined` are the definitions of this schema whose code it holds. */
  replay(template: Template, { data, path, accessor }: PropertyPlace, inlined: readonly object[]): void {
    const firstNumbers = new Map(template.names.map(([prefix]) => [prefix, this.#counters.get(prefix) ?? 0]));
    for (const [prefix, count] of template.names)
      this.#counters.set(prefix, (firstNumbers.get(prefix) ?? 0) + count);
    const values = template.values.map((item) =>
      this.scopeValue(item.prefix, "value" in item ? item.value : { ref: inlined[item.definition] }),
    );
    const pieces = template.pieces.map((piece): Piece => {
      if (typeof piece !== "object" || piece === null || piece instanceof loadAjvInternals().code.Name)
        return piece;
      if ("pointer" in piece) return piece;
      if ("tail" in piece) return path + piece.tail;
      if ("value" in piece) return getItem(values, piece.value);
      if ("prefix" in piece)
        return this.#createName(piece.prefix, (firstNumbers.get(piece.prefix) ?? 0) + piece.offset);
      return "accessor" in piece ? accessor : data;
    });
    const { dataReads, hasPropertyNames } = template;
    if (pieces.length > 0) this.#add({ kind: "printed", pieces, data, dataReads, hasPropertyNames });
  }

  /**
   * Returns whether the code of `body` is the same in any place: it reads no schema, and of the variables that were created
   * before `counters` it reads `data` only.
   */
  #isIndependentOfPlace(
    body: readonly Statement[],
    data: Name,
    counters: ReadonlyMap<string, number>,
  ): boolean {
    const reads = new Map<string, number>();
    countNames(body, reads, 1);
    return [...reads.keys()].every((name) => {
      const [prefix, number = 0] = this.#numbers.get(name) ?? [];
      if (prefix === undefined) return !name.startsWith("schema");
      return name === data.str || number >= (counters.get(prefix) ?? 0);
    });
  }

  /** Returns the piece of a template for `piece`; undefined if no placeholder can replace it. */
  #toTemplatePiece(
    piece: Piece,
    data: Name,
    counters: ReadonlyMap<string, number>,
    values: readonly { readonly name: Name }[],
  ): TemplatePiece | undefined {
    const { Name } = loadAjvInternals().code;
    if (!(piece instanceof Name)) return piece;
    if (piece === data) return { data: true };
    const value = values.findIndex(({ name }) => name === piece);
    if (value >= 0) return piece.str.startsWith("schema") ? undefined : { value };
    const [prefix, number] = this.#numbers.get(piece.str) ?? [];
    if (prefix === undefined || number === undefined) return piece;
    const offset = number - (counters.get(prefix) ?? 0);
    return offset < 0 ? undefined : { prefix, offset };
  }

  #createName(prefix: string, number: number): Name {
    const name = new (loadAjvInternals().code.Name)(`${prefix}${number}`);
    this.#numbers.set(name.str, [prefix, number]);
    return name;
  }

  #toName(key: Key): Name {
    return typeof key === "string" ? this.name(key) : key;
  }

  #define(keyword: "const" | "let" | "var", key: Key, value?: Expression, mayMove?: boolean): Name {
    const name = this.#toName(key);
    if (value !== undefined && mayMove) this.constants.set(name.str, value);
    this.#add({ kind: "define", keyword, name, value });
    // `errors` is the last of the variables with which Ajv begins a function.
    if (name === loadAjvInternals().names.errors) this.#add({ kind: "define fail", counts: true });
    return name;
  }

  get #current(): Block | Condition | Loop | FunctionStatement {
    return getItem(this.#open, this.#open.length - 1);
  }

  #add(statement: Statement): this {
    this.#current.body.push(statement);
    return this;
  }

  #enter(block: Condition | Loop | FunctionStatement): void {
    this.#add(block);
    this.#open.push(block);
  }

  #addElse(block: Condition | Block): this {
    const condition = this.#open.pop();
    if (condition?.kind !== "if") throw new Error("Ajv writes an else without an if");
    condition.otherwise = block;
    this.#open.push(block);
    return this;
  }

  /** Keeps the fields of an error. The returned object itself is never printed. */
  #createErrorObject(entries: readonly Entry[]): _Code {
    const { code, codegen } = loadAjvInternals();
    // The second value is the path in the schema, which generated code does not need.
    const [pointer, , keyword, params, message] = entries.map(([, value]) => value);
    const object = new code._Code("{error}");
    this.#errors.set(object, {
      pointer: pointer as Expression,
      keyword: String(keyword),
      message: keyword === "false schema" ? codegen._`${FORBIDDEN}` : codegen._`${message as Expression}`,
      name: params instanceof code.Name ? params : undefined,
    });
    return object;
  }

  /** Returns whether `part` is the last of the statements by which Ajv adds an error to its list: `errors++`. */
  #endsError(part: Expression): boolean {
    const { code, names } = loadAjvInternals();
    return part instanceof code._Code && part._items[2] === "++" && part._items[1] === names.errors;
  }

  /** Replaces the definition of an error and the condition that adds it to the list with one statement. */
  #joinError(): void {
    const condition = this.#current.body.pop();
    const definition = this.#current.body.pop();
    if (condition?.kind !== "if" || definition?.kind !== "define" || !definition.name.str.startsWith("err"))
      throw new Error("Ajv reports an error in an unknown way");
    const fields = this.#errors.get(Object(definition.value));
    if (fields === undefined && String(definition.value) !== "{}")
      throw new Error(`Ajv reports an unknown error: ${definition.value}`);
    this.#add({ kind: "fail", ...(fields && { fields }) });
  }
}
