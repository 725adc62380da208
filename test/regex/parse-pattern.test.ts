/** If this fails, patterns of older schemas, which are legal only without the u flag, are refused or get another meaning. */
import { expect, it } from "vitest";
import { toUnicodeSource } from "../../generator/regex/parse-pattern.js";

it.each([
  ["^a-z$", "^a-z$"],
  ["\\-", "-"],
  ["[a\\-z]\\-", "[a\\-z]-"],
  ["\\_[\\_]", "_[_]"],
  ["^{a}$", "^\\{a\\}$"],
  ["a{2}\\:{1,3}", "a{2}:{1,3}"],
  ["\\.\\-", "\\.-"],
  ["\\p{L}\\-", undefined],
  ["(", undefined],
])("spells %s in u mode as %s", (source, spelled) => {
  expect(toUnicodeSource(source)).toBe(spelled);
});
