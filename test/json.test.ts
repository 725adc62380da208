/** If this fails, findings point to wrong values, or equal values have different fingerprints. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  areEqual,
  createObject,
  formatCanonicalJson,
  getOwn,
  getValueAtPointer,
  isObject,
  type Json,
  joinPointer,
  parseJson,
  splitPointer,
} from "../generator/json.js";

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

describe("a text of more than a million characters", () => {
  const nest = (levels: number): string =>
    `${"[".repeat(levels)}"${"[".repeat(1e6)}\\""${"]".repeat(levels)}`;

  it("is parsed if it does not nest deeper than 10,000 levels", () => {
    expect(parseJson(nest(10_000))).toBeDefined();
  });

  it("is not parsed if it does, because that needs memory for each level", () => {
    expect(() => JSON.parse(nest(10_001))).not.toThrow();
    expect(parseJson(nest(10_001))).toBeUndefined();
  });
});

describe("JSON pointers", () => {
  const table: readonly [readonly (string | number)[], string][] = [
    [[], ""],
    [[""], "/"],
    [["a", 0], "/a/0"],
    [["a/b", "m~n", "~1"], "/a~1b/m~0n/~01"],
    [["", "", " "], "/// "],
    [["__proto__", "é", "%25"], "/__proto__/é/%25"],
  ];

  it.each(table)("of the path %j is %j", (path, pointer) => {
    expect(joinPointer("", ...path)).toBe(pointer);
    expect(splitPointer(pointer)).toEqual(path.map(String));
  });

  it("are split into the tokens that were joined, also below another pointer", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme" })),
        fc.array(fc.constantFrom("~", "/", "~0", "~1", "")),
        (a, b) => {
          expect(splitPointer(joinPointer(joinPointer("", ...a), ...b))).toEqual([...a, ...b]);
        },
      ),
    );
  });

  const document = JSON.parse(
    '{"a":[{"b":null},7],"":{"":1},"0":"x","x/y":{"~":2},"__proto__":{"z":3},"s":"text"}',
  ) as Json;
  const found: readonly [string, Json | undefined][] = [
    ["", document],
    ["/a/0/b", null],
    ["/a/1", 7],
    ["/0", "x"],
    ["//", 1],
    ["/x~1y/~0", 2],
    ["/__proto__/z", 3],
    ...[
      "/a/2",
      "/a/-",
      "/a/01",
      "/a/+1",
      "/a/1e0",
      "/a/length",
      "/s/0",
      "/s/length",
      "/a/0/b/c",
      "/toString",
      "/constructor",
    ].map((pointer): [string, undefined] => [pointer, undefined]),
  ];

  it.each(found)("%j leads to its value", (pointer, value) =>
    expect(getValueAtPointer(document, pointer)).toEqual(value),
  );

  it("lead to every value of a document", () => {
    const check = (root: Json, value: Json, path: readonly (string | number)[]): void => {
      expect(getValueAtPointer(root, joinPointer("", ...path))).toBe(value);
      if (Array.isArray(value)) for (const [i, item] of value.entries()) check(root, item, [...path, i]);
      else if (isObject(value))
        for (const [key, below] of Object.entries(value)) check(root, below, [...path, key]);
    };
    fc.assert(fc.property(json, (root) => check(root, root, [])));
  });
});

describe("canonical text", () => {
  const table: readonly [Json, string][] = [
    [{ b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
    [{ "10": 1, "9": 2, a: 3, A: 4 }, '{"10":1,"9":2,"A":4,"a":3}'],
    [[{ z: "\u2028", y: '"' }], '[{"y":"\\"","z":"\u2028"}]'],
    [JSON.parse('{"__proto__":{"b":1,"a":2}}') as Json, '{"__proto__":{"a":2,"b":1}}'],
    [-0, "0"],
    [1e21, "1e+21"],
  ];

  it.each(table)("of %j", (value, text) => expect(formatCanonicalJson(value)).toBe(text));

  it("is JSON of the same value, whatever the order of members", () => {
    const reverseMembers = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(reverseMembers);
      return isObject(value)
        ? createObject(
            Object.entries(value)
              .reverse()
              .map(([k, v]) => [k, reverseMembers(v)]),
          )
        : value;
    };
    fc.assert(
      fc.property(json, (value) => {
        expect(formatCanonicalJson(reverseMembers(value))).toBe(formatCanonicalJson(value));
        expect(areEqual(JSON.parse(formatCanonicalJson(value)) as Json, value)).toBe(true);
      }),
    );
  });
});

describe("areEqual", () => {
  const table: readonly [Json, Json, boolean][] = [
    [1, 1.0, true],
    [0, -0, true],
    [[0], [-0], true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [1, "1", false],
    [0, false, false],
    ["", null, false],
    [null, {}, false],
    [[], {}, false],
    [{ a: null }, {}, false],
    [{ "0": 1 }, [1], false],
    [JSON.parse('{"__proto__":1}') as Json, {}, false],
    ["\u00e9", "e\u0301", false],
  ];

  it.each(table)("compares %j and %j: %s", (a, b, same) => {
    expect(areEqual(a, b)).toBe(same);
    expect(areEqual(b, a)).toBe(same);
  });

  it("is true exactly for values with the same canonical text", () => {
    const small = fc.jsonValue({ maxDepth: 1, stringUnit: fc.constantFrom("a", "b") }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(
        small,
        small,
        (a, b) => areEqual(a, b) === (formatCanonicalJson(a) === formatCanonicalJson(b)),
      ),
    );
  });
});

describe("JSON objects", () => {
  it("hold own properties only", () => {
    expect(getOwn({ a: 1 }, "a")).toBe(1);
    expect(getOwn({}, "toString")).toBe(undefined);
    const made = createObject([["__proto__", 1]]);
    expect([Object.keys(made), getOwn(made, "__proto__")]).toEqual([["__proto__"], 1]);
  });

  it.each<[Json | undefined, boolean]>([
    [{}, true],
    [null, false],
    [[], false],
    ["{}", false],
    [undefined, false],
  ])("are recognised: %j %s", (value, is) => expect(isObject(value)).toBe(is));
});
