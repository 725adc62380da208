import { isObject, type Json } from "../../json.js";
import type { Shape } from "./shape.js";

/** Whether the shape admits a value that was parsed already. */
export function admits(shape: Shape, value: Json): boolean {
  return (
    isOfType(shape, value) && (shape.also ?? []).every((group) => group.some((one) => admits(one, value)))
  );
}

function isOfType({ null: nothing, boolean, number, string, array, object }: Shape, value: Json): boolean {
  if (value === null) return nothing === true;
  if (typeof value === "boolean") return boolean?.includes(value) === true;
  if (typeof value === "number") {
    if (number === undefined || (number.whole && !Number.isInteger(value))) return false;
    return number.min <= value && value <= number.max;
  }
  if (typeof value === "string") {
    if (string === undefined) return false;
    const { min, max, patterns, among, except = [] } = string;
    const { length } = [...value];
    const isListed = (among === undefined || among.includes(value)) && !except.includes(value);
    return isListed && min <= length && length <= max && patterns.every((pattern) => pattern.test(value));
  }
  if (!isObject(value)) {
    if (array === undefined || value.length < array.min || value.length > array.max) return false;
    const { items } = array;
    return value.every((item) => admits(items(), item));
  }
  if (object === undefined) return false;
  const { members, required, others } = object;
  for (const name of required) if (!Object.hasOwn(value, name)) return false;
  return Object.entries(value).every(([name, member]) => admits((members.get(name) ?? others)(), member));
}
