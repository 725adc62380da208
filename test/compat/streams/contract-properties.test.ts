/** If this fails, the generated contracts do not try a property that a stream rule may have. */
import { expect, it } from "vitest";
import { STREAM_RULES } from "../../../generator/conform/stream-rules.js";
import { isObject, type Json, toJson } from "../../../generator/json.js";
import { FULL } from "../../../scripts/streams/contracts.js";

/** Returns the names of the properties that a description declares, at any depth. */
function listDeclared(description: Json | undefined): readonly string[] {
  if (Array.isArray(description)) return description.flatMap(listDeclared);
  if (!isObject(description)) return [];
  const { properties } = description;
  return [
    ...(isObject(properties) ? Object.keys(properties) : []),
    ...Object.values(description).flatMap(listDeclared),
  ];
}

function listNames(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listNames);
  return isObject(value) ? [...Object.keys(value), ...Object.values(value).flatMap(listNames)] : [];
}

it.each(STREAM_RULES.map(({ member, declaration }) => [member, declaration] as const))(
  "%s has all properties in a generated contract",
  (member, declaration) => {
    const tried = new Set(listNames(FULL[member]));
    expect(listDeclared(toJson(declaration)).filter((name) => !tried.has(name))).toEqual([]);
  },
);
