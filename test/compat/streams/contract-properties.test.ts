/** If this fails, the generated contracts do not try a property that a stream rule may have. */
import { expect, it } from "vitest";
import { STREAM_RULES } from "../../../generator/conform/stream-rules.js";
import { isObject, type Json, toJson } from "../../../generator/json.js";
import { FULL_DECLARATIONS } from "../../../scripts/streams/contracts.js";

/** Returns the paths of the properties that a description declares, such as `until.types`. */
function listDeclared(description: Json | undefined, path = ""): readonly string[] {
  if (Array.isArray(description)) return description.flatMap((each) => listDeclared(each, path));
  if (!isObject(description)) return [];
  return Object.entries(description).flatMap(([key, value]) =>
    key === "properties" && isObject(value)
      ? Object.entries(value).flatMap(([name, part]) => [
          `${path}${name}`,
          ...listDeclared(part, `${path}${name}.`),
        ])
      : listDeclared(value, path),
  );
}

function listPaths(value: Json | undefined, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listPaths(each, path));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => [
    `${path}${name}`,
    ...listPaths(part, `${path}${name}.`),
  ]);
}

it.each(STREAM_RULES.map(({ member, declaration }) => [member, declaration] as const))(
  "%s has all properties in a generated contract",
  (member, declaration) => {
    const tried = new Set(listPaths(FULL_DECLARATIONS[member]));
    expect(listDeclared(toJson(declaration)).filter((path) => !tried.has(path))).toEqual([]);
  },
);
