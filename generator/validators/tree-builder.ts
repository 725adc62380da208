import type { _Code, Name } from "ajv/dist/compile/codegen/code.js";
import type { ValueScope, ValueScopeName } from "ajv/dist/compile/codegen/index.js";
import { ajvInternals } from "./ajv-package.js";
import type {
  Block,
  Condition,
  Expression,
  Failure,
  FunctionStatement,
  Loop,
  Statement,
} from "./code-tree.js";

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
  readonly constants = new Map<string, Expression>();
  readonly #root: Block = { kind: "block", body: [] };
  readonly #scope: ValueScope;
  readonly #ownProperties: boolean;
  readonly #names;
  /** The blocks that are open, and the numbers of those that were open where a self-closing block began. */
  #open: (Block | Condition | Loop | FunctionStatement)[] = [this.#root];
  readonly #starts: number[] = [];
  readonly #errors = new WeakMap<object, NonNullable<Failure["fields"]>>();
  #callsValidators = false;

  constructor(scope: ValueScope, ownProperties: boolean) {
    this.#scope = scope;
    this.#ownProperties = ownProperties;
    this.#names = new (ajvInternals().codegen.Scope)({ parent: scope });
  }

  /** What was built: one function. */
  get statements(): Statement[] {
    return this.#root.body;
  }

  /** Whether the function calls another one, or itself. */
  get callsValidators(): boolean {
    return this.#callsValidators;
  }

  name(prefix: string): Name {
    return this.#names.name(prefix);
  }

  scopeName(prefix: string): ValueScopeName {
    return this.#scope.name(prefix);
  }

  scopeValue(prefix: ValueScopeName | string, value: ScopeValue): ValueScopeName {
    const name = this.#scope.value(prefix, value);
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

  var(name: Key, value?: Expression, mayMove?: boolean): Name {
    return this.#define("var", name, value, mayMove);
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
    else if (part !== ajvInternals().codegen.nil) this.#add({ kind: "code", code: part, end: ";" });
    return this;
  }

  object(...entries: readonly Entry[]): _Code {
    const { code, codegen } = ajvInternals();
    const [, second] = entries;
    if (String(second?.[0]) === "schemaPath") return this.#errorObject(entries);
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
    return this.#otherwise({ kind: "if", condition, body: [], otherwise: undefined });
  }

  else(): this {
    return this.#otherwise({ kind: "block", body: [] });
  }

  endIf(): this {
    this.#open.pop();
    return this;
  }

  for(header: _Code, body: () => void): this {
    this.#enter({ kind: "for", header, body: [] });
    this.code(body);
    this.#open.pop();
    return this;
  }

  forRange(variable: Key, from: Expression, to: Expression, body: (name: Name) => void): this {
    const { _ } = ajvInternals().codegen;
    const name = this.#names.toName(variable);
    return this.for(_`let ${name}=${from}; ${name}<${to}; ${name}++`, () => body(name));
  }

  forOf(variable: Key, list: Expression, body: (name: Name) => void): this {
    const name = this.#names.toName(variable);
    return this.for(ajvInternals().codegen._`const ${name} of ${list}`, () => body(name));
  }

  forIn(variable: Key, object: Expression, body: (name: Name) => void): this {
    const { _ } = ajvInternals().codegen;
    if (this.#ownProperties) return this.forOf(variable, _`Object.keys(${object})`, body);
    const name = this.#names.toName(variable);
    return this.for(_`const ${name} in ${object}`, () => body(name));
  }

  label(label: Name): this {
    return this.#add({ kind: "code", code: label, end: ":" });
  }

  break(label?: Name): this {
    const { _ } = ajvInternals().codegen;
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

  #define(keyword: "const" | "let" | "var", key: Key, value?: Expression, mayMove?: boolean): Name {
    const name = this.#names.toName(key);
    if (value !== undefined && mayMove) this.constants.set(name.str, value);
    this.#add({ kind: "define", keyword, name, value });
    // The last of the variables that a function begins with.
    if (name === ajvInternals().names.errors) this.#add({ kind: "define fail" });
    return name;
  }

  get #current(): Block | Condition | Loop | FunctionStatement {
    return this.#open[this.#open.length - 1] as Block;
  }

  #add(statement: Statement): this {
    this.#current.body.push(statement);
    return this;
  }

  #enter(block: Condition | Loop | FunctionStatement): void {
    this.#add(block);
    this.#open.push(block);
  }

  #otherwise(block: Condition | Block): this {
    const condition = this.#open.pop();
    if (condition?.kind !== "if") throw new Error("Ajv writes an else without an if");
    condition.otherwise = block;
    this.#open.push(block);
    return this;
  }

  /** Keeps the fields of an error; the object itself is never printed. */
  #errorObject(entries: readonly Entry[]): _Code {
    const { code, codegen } = ajvInternals();
    // The path in the schema, which is second, is of no use to generated code.
    const [[, pointer], , [, keyword], [, params], [, message]] = entries as [
      Entry,
      Entry,
      Entry,
      Entry,
      Entry,
    ];
    const object = new code._Code("{error}");
    this.#errors.set(object, {
      pointer: pointer as Expression,
      keyword: String(keyword),
      message: codegen._`${message as Expression}`,
      name: params instanceof code.Name ? params : undefined,
    });
    return object;
  }

  /** Whether `part` is the last of the statements by which Ajv adds an error to its list: `errors++`. */
  #endsError(part: Expression): boolean {
    const { code, names } = ajvInternals();
    return part instanceof code._Code && part._items[2] === "++" && part._items[1] === names.errors;
  }

  /** Puts one statement in place of the definition of an error and the condition that adds it to the list. */
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
