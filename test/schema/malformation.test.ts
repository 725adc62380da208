/** If this fails, a malformed schema gets a proof, or a valid one is refused. */
import { describe, expect, it } from "vitest";
import { compileWithHyperjump } from "../../generator/contain/confirm/hyperjump-validator.js";
import type { Json } from "../../generator/json.js";
import { DIALECTS, type Dialect, SCHEMA_URI } from "../../generator/schema/dialects.js";
import { findMalformation } from "../../generator/schema/malformation.js";

/** Every keyword of any metaschema. */
const KEYWORDS =
  `id $id $schema $ref $anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary $comment $defs
  title description default examples readOnly writeOnly deprecated contentEncoding contentMediaType contentSchema
  format type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
  minItems maxItems uniqueItems minContains maxContains minProperties maxProperties required dependentRequired
  allOf anyOf oneOf not if then else dependentSchemas dependencies properties patternProperties additionalProperties
  propertyNames unevaluatedProperties prefixItems items additionalItems contains unevaluatedItems definitions`.split(
    /\s+/,
  );

/** Values of every kind that a metaschema distinguishes. */
const VALUES: readonly Json[] = JSON.parse(`[
  null, true, false, 0, -1, 1, 1.5, 1e300, 1e-300,
  "", "a", "a b", "#", "#a", "a#b", "_a", "a.b", "a:b", "1a", "string", "integer", "text",
  [], ["a"], ["a", "b"], ["a", "a"], ["string", "null"], ["string", "string"], ["string", "text"], [1], [1, 1],
  [{}], [true], [{}, 1], [{}, {}], [[]], [null], [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
  {}, {"a": {}}, {"a": true}, {"a": "x"}, {"a": 1}, {"a": null}, {"a": []}, {"a": ["x"]}, {"a": ["x", "x"]},
  {"a": [1]}, {"a": [{}]}, {"a": {}, "b": ["x", "y"]}
]`);

/** Keywords for which the metaschema and the specification differ. The engine follows the specification. */
const EXEMPT: { readonly [D in Dialect]: readonly string[] } = {
  draft4: ["$ref"], // JSON Reference, another specification, defines it
  draft6: [],
  draft7: [],
  "2019-09": ["dependencies"], // the name is only reserved
  "2020-12": ["dependencies"],
};

describe.each(DIALECTS)("the malformations of %s", (dialect) => {
  it("are those that its metaschema refuses", async () => {
    const uri = "https://shapes.invalid/schema";
    const reference = dialect === "2019-09" || dialect === "2020-12" ? "" : "#";
    const validate = await compileWithHyperjump({ $ref: SCHEMA_URI[dialect] + reference }, uri, dialect);
    const differing = KEYWORDS.filter((keyword) => !EXEMPT[dialect].includes(keyword)).flatMap((keyword) =>
      VALUES.flatMap((value) =>
        [{ [keyword]: value }, { [keyword]: value, minimum: 1, maximum: 1 }]
          .filter((schema) => validate(schema) !== (findMalformation(schema, dialect) === undefined))
          .map((schema) => JSON.stringify(schema)),
      ),
    );
    expect(differing).toEqual([]);
  });
});
