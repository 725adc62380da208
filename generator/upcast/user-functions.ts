/** Calls functions of users, and checks what they give. */
import { areEqual, type Json, type JsonObject, parseJson } from "../json.js";
import type { FunctionStep } from "../protocol/upcast.js";
import { getErrorMessage } from "../text.js";
import { makeAjv } from "../validators/ajv.js";
import type { CallFunction, ConvertedValue } from "./steps/step-kind.js";

/** The functions of a file by their names. */
export type UserFunctions = { readonly [name: string]: unknown };

/**
 * Returns a function that calls functions of the user. A call fails if there is no such function, if it throws, if it gives
 * different results for equal values, if the result is no JSON or not what the step declares, or if the inverse of the step
 * does not give the old value back.
 */
export function createFunctionCaller(functions: UserFunctions): CallFunction {
  const checks = new Map<JsonObject, (value: Json) => boolean>();
  const call = (name: string, value: Json): ConvertedValue => {
    const named = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (typeof named !== "function") return { message: `There is no function ${name} in the file.` };
    try {
      const results = [structuredClone(value), structuredClone(value)].map((argument) =>
        readJson(named(argument)),
      );
      const [first, second] = results;
      if (first === undefined || second === undefined)
        return { message: `The function ${name} gives no JSON.` };
      return areEqual(first, second)
        ? { value: first }
        : { message: `The function ${name} gives different results for ${JSON.stringify(value)}.` };
    } catch (error) {
      return { message: `The function ${name} fails: ${getErrorMessage(error)}` };
    }
  };
  return ({ name, gives, inverse }: FunctionStep, value) => {
    const result = call(name, value);
    if ("message" in result) return result;
    const check = checks.get(gives) ?? compileCheck(gives);
    checks.set(gives, check);
    const text = JSON.stringify(result.value);
    if (!check(result.value))
      return { message: `The function ${name} gives ${text}, which the step does not declare.` };
    if (inverse === undefined) return result;
    const old = call(inverse, result.value);
    if ("message" in old) return old;
    if (areEqual(old.value, value)) return result;
    return {
      message: `The inverse ${inverse} gives ${JSON.stringify(old.value)} for ${text}, instead of ${JSON.stringify(value)}.`,
    };
  };
}

function compileCheck(gives: JsonObject): (value: Json) => boolean {
  const validate = makeAjv({ ownProperties: true }).compile(gives);
  return (value) => validate(value);
}

/** Returns a value as JSON; undefined if it is none. */
function readJson(value: unknown): Json | undefined {
  const text = JSON.stringify(value);
  const json = text === undefined ? undefined : parseJson(text);
  return json !== undefined && isSame(value, json) ? json : undefined;
}

/** Returns whether the text of a value has all of it. */
function isSame(value: unknown, json: Json): boolean {
  if (typeof value !== "object" || value === null) return Object.is(value, json) || value === json;
  // Other objects, such as promises and dates, are not JSON.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false;
  const entries = Object.entries(value);
  if (typeof json !== "object" || json === null || Array.isArray(value) !== Array.isArray(json)) return false;
  const members = new Map<string, Json>(Object.entries(json));
  return (
    entries.length === members.size &&
    entries.every(([name, each]) => {
      const member = members.get(name);
      return member !== undefined && isSame(each, member);
    })
  );
}
