/** If this fails, the catalogue describes a schema wrongly. */
import { describe, expect, it } from "vitest";
import {
  formatCode,
  formatCodeBlock,
  formatLink,
  formatParagraphs,
  formatProse,
  shorten,
} from "../../generator/emit/catalog/markdown.js";
import type { Sections } from "../../generator/emit/catalog/renderer.js";
import { formatFieldBlocks } from "../../generator/emit/catalog/table.js";
import type { Json } from "../../generator/json.js";
import type { Schema } from "../../generator/schema/json-schema.js";

const schemas: { readonly [name: string]: Schema } = {
  Id: { type: "string", minLength: 1, description: "An id." },
  A: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  Node: {
    properties: { next: { $ref: "#/$defs/Node" }, kids: { items: { allOf: [{ $ref: "#/$defs/Node" }] } } },
  },
};
const sections: Sections = {
  slugs: new Map([["definition Id", "id"]]),
  definitions: Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { schema, at: { file: "", pointer: "" } }]),
  ),
};

/** Returns the rows and rules that the catalogue has for `schema`. */
function formatRows(schema: Json): string[] {
  const all = formatFieldBlocks(schema, sections, "none").join("\n").split("\n");
  return all.filter((line) => line !== "" && !/^\| (Field|---) /.test(line));
}

/** Schemas of the field `x`, with the type, the constraints and the meaning in its row. */
const FIELDS: readonly (readonly [Json, string, string?, string?])[] = [
  [true, "any value"],
  [{ type: ["string", "null"] }, "string or null"],
  [{ $ref: "#/$defs/Id" }, "string ([`Id`](#id))", "at least 1 character", "An id."],
  [
    { anyOf: [{ $ref: "#/$defs/Id" }, { type: "null" }] },
    "string ([`Id`](#id)) or null",
    "at least 1 character",
    "An id.",
  ],
  [{ $ref: "#/$defs/A", description: "Mine." }, "object (`A`)", "", "Mine."],
  [{ items: { type: ["string", "null"] } }, "array of (string or null)"],
  [{ additionalProperties: { type: "null" } }, "object of null"],
  [{ prefixItems: [{ type: "string" }, true], items: false }, "array (string, any value)"],
  [{ const: 1 }, "integer", "always `1`"],
  [{ enum: ["a|b", null] }, "string or null", 'one of `"a\\|b"` or `null`'],
  [{ "x-extensible-enum": ["a"] }, "string", 'known value `"a"`; others may come'],
  [{ "x-extensible-enum": ["a", "b"] }, "string", 'known values `"a"` and `"b"`; others may come'],
  [{ type: "integer", minimum: 0, maximum: 9 }, "integer", "0 to 9"],
  [{ type: "number", exclusiveMinimum: 0, multipleOf: 2 }, "number", "above 0; a multiple of 2"],
  [{ type: "string", maxLength: 3, default: "x" }, "string", 'at most 3 characters; default `"x"`'],
  [{ type: "string", format: "uuid", pattern: "a|b" }, "string", "matches `a\\|b`; format `uuid`"],
  [{ type: "string", "x-writer": { pattern: "Z$" } }, "string", "writer: matches `Z$`"],
  [
    { type: "array", minItems: 2, maxItems: 2, uniqueItems: true },
    "array",
    "exactly 2 items; no equal items",
  ],
  [{ type: "array", contains: { const: 1 } }, "array", "at least 1 item such as this: `1`"],
  [{ type: "object", additionalProperties: true }, "object", "any field"],
  [
    { allOf: [{ $ref: "#/$defs/Id" }, { maxLength: 5 }] },
    "string ([`Id`](#id))",
    "1 to 5 characters",
    "An id.",
  ],
  [
    { oneOf: [{ type: "string", minLength: 2 }, { const: 0 }] },
    "string or integer",
    "exactly one of these: string, at least 2 characters; or `0`",
  ],
  [{ type: "string", not: { enum: ["a", "b"] } }, "string", 'never one of `"a"` or `"b"`'],
  [
    { deprecated: true, "x-deprecated-since": "1.1", "x-replaced-by": "y" },
    "any value",
    "",
    "**Deprecated** since 1.1, use `y`.",
  ],
  [{ deprecated: true, "x-replaced-by": null }, "any value", "", "**Deprecated**, nothing replaces it."],
  [{ deprecated: true }, "any value", "", "**Deprecated**."],
  [
    { description: "Hi.", "x-requires": "z", "x-since": "1.2" },
    "any value",
    "",
    "Hi. Requires `z`. Since 1.2.",
  ],
];

/** Schemas of payloads, with all rows and rules. */
const PAYLOADS: readonly (readonly [Json, ...string[]])[] = [
  [{ type: "object" }, "none"],
  [{ additionalProperties: true }, "| any field | any value | no |  |  |"],
  [
    {
      properties: { a: { items: { properties: { b: true, "c d": true }, required: ["b"] } } },
      additionalProperties: true,
    },
    "| `a` | array of object | no |  |  |",
    "| `a[].b` | any value | yes |  |  |",
    '| `a[]["c d"]` | any value | no |  |  |',
    "| any other field | any value | no |  |  |",
  ],
  [
    { patternProperties: { "^x-": { type: "null" } }, minProperties: 1 },
    "| `*` | null |  | field name matches `^x-` |  |",
    "- All together: at least 1 field.",
  ],
  [
    { properties: { a: true, b: true, c: true }, anyOf: [{ required: ["a"] }, { required: ["b", "c"] }] },
    ...["a", "b", "c"].map((name) => `| \`${name}\` | any value | see below |  |  |`),
    ...["- At least one of:", "  - `a`", "  - `b` and `c`"],
  ],
  [
    {
      properties: { k: { type: "string" }, a: true, b: true },
      if: { properties: { k: { const: "m" } }, required: ["k"] },
      then: { required: ["a", "b"] },
      else: { properties: { a: false, b: { minLength: 3 } } },
    },
    "| `k` | string | no |  |  |",
    ...["a", "b"].map((name) => `| \`${name}\` | any value | see below |  |  |`),
    '- When `k` is `"m"`: `a` and `b` required',
    "- Otherwise: `a` absent; `b` fits “at least 3 characters”",
  ],
  [
    {
      properties: { k: true },
      if: {
        properties: { k: { const: "m" } },
        anyOf: [{ required: ["a"] }, { properties: { b: { required: ["c"] } } }],
      },
      then: { oneOf: [{ required: ["d"] }, { required: ["e"], not: { required: ["f"] } }] },
    },
    "| `k` | any value | no |  |  |",
    '- When `k` is `"m"` (or absent) and (`a` or ((in `b`: `c` present) or `b` absent)):',
    "  - Exactly one of:",
    "    - `d`",
    "    - `e` present:",
    "      - Never: `f` present",
  ],
  [
    {
      oneOf: [
        { properties: { k: { const: "a" }, v: { type: "string" } }, required: ["k", "v"] },
        { properties: { k: { const: "b" } }, required: ["k"] },
      ],
    },
    '| `k` | string | yes | either `"a"`; or `"b"` |  |',
    "| `v` | string | see below |  |  |",
    ...["- Exactly one of:", '  - `k` is `"a"`; `v` is string', '  - `k` is `"b"`'],
  ],
  [
    {
      properties: { a: { anyOf: [{ required: ["b"] }, true] } },
      dependentRequired: { a: ["c"] },
      "x-writer": { required: ["a"] },
    },
    "| `a` | any value | see below |  |  |",
    ...["- In `a`, at least one of:", "  - `b`", "  - anything is valid"],
    "- With `a`: `c` required",
    "- Writers: `a` required",
  ],
  [
    { $ref: "#/$defs/Node" },
    "| `next` | object (`Node`) | no |  |  |",
    "| `kids` | array of object (`Node`) | no |  |  |",
  ],
];

describe("the words for schemas", () => {
  for (const [schema, type, constraints = "", meaning = ""] of FIELDS)
    it(`describe the field ${JSON.stringify(schema)}`, () => {
      const row = `| \`x\` | ${type} | no | ${constraints} | ${meaning} |`;
      expect(formatRows({ properties: { x: schema } })[0]).toBe(row);
    });

  it.each(PAYLOADS)("describe the payload %j", (schema, ...lines) => {
    expect(formatRows(schema)).toEqual(lines);
  });

  it("are shortened in the table, and complete below it", () => {
    const long = "word ".repeat(200).trim();
    const [row = "", note = ""] = formatRows({ properties: { x: { description: long, type: "string" } } });
    expect(row.length).toBeLessThan(500);
    expect(row).toContain("…");
    expect(note).toBe(`- \`x\` in full: string. ${long}`);
  });
});

/** Texts, and their Markdown. */
const PROSE: readonly (readonly [string, string])[] = [
  ["the `type` of snake_case (x)", "the `type` of snake_case (x)"],
  ["_a_ *b* ~c~ [d] <e> & `", "\\_a\\_ \\*b\\* \\~c\\~ \\[d\\] &lt;e&gt; &amp; &#96;"],
  ["see (http://e.vil), @you", "see (`http://e.vil`), `@you`"],
  ["`x`http://e.vil", "`xhttp://e.vil`"],
  ["- a", "\\- a"],
  ["1. a 1. b", "1\\. a 1. b"],
  ["1.5", "1.5"],
  [" a\n\n# b\t\u001b ", "a \\# b \\\\u001b"],
];

/** Names, and their code spans in text and in a table cell. */
const CODE: readonly (readonly [string, string, string])[] = [
  ["a|b", "`a|b`", "`a\\|b`"],
  ["a\\|b", "`a\\|b`", "<code>a&#92;<!-- -->&#124;<!-- -->b</code>"],
  ["`", "`` ` ``", "`` ` ``"],
  [" a ", "`  a  `", "`  a  `"],
  ["", '`""`', '`""`'],
  ["a\nb", "`a\\nb`", "`a\\nb`"],
];

describe("Markdown", () => {
  it.each(PROSE)("escapes the text %j", (text, markdown) => {
    expect(formatProse(text)).toBe(markdown);
  });

  it.each(CODE)("writes %j as a code span", (text, inText, inCell) => {
    expect([formatCode(text), formatCode(text, "cell")]).toEqual([inText, inCell]);
  });

  it("keeps paragraphs apart", () => {
    expect(formatParagraphs("a\nb\n \nc\n\n")).toEqual(["a b", "c"]);
  });

  it("fences with more backticks than there are inside", () => {
    expect(formatCodeBlock("````", "js")).toBe("`````js\n````\n`````");
    expect(formatCodeBlock("a\u202eb\nc", "")).toBe("```\na\\u202eb\nc\n```");
  });

  it("links to slugs of any letters", () => {
    expect(formatLink("a", "é_1-(x) y")).toBe("[a](#é_1-%28x%29%20y)");
  });

  it("shortens by characters", () => {
    expect(["abc", "abcd", "😀😀😀", "😀😀😀😀"].map((text) => shorten(text, 3))).toEqual([
      "abc",
      "ab…",
      "😀😀😀",
      "😀😀…",
    ]);
  });
});
