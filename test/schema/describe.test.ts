/** If this fails, emitters, the comparison and the kit use other types or bounds than the schema states. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import {
  BRANCHES,
  CONJUNCTION,
  type Coverage,
  type DescriptionOf,
  describeSchema,
  type EdgePolicy,
  FAMILY,
  findOmittedKeywords,
  listStatements,
  SELF,
} from "../../generator/schema/describe.js";
import type { Facet } from "../../generator/schema/keywords.js";
import {
  BOUNDS,
  deriveTypes,
  findFixedValue,
  findStrictestBound,
  findValueList,
  listAlternatives,
  mergeFields,
} from "../../generator/schema/merge.js";

const markUsed = <F extends string>(...facets: readonly F[]) =>
  Object.fromEntries(facets.map((facet) => [facet, "used"])) as { readonly [Name in F]: "used" };
const EVERYTHING: Coverage = markUsed<Facet>(
  ...(["types", "values", "bounds", "texts", "properties", "otherProperties", "items", "contains"] as const),
  ...(["references", "composition", "alternatives", "conditions", "writer", "annotations"] as const),
);
type Everything = DescriptionOf<Facet>;

const schemas: { readonly [name: string]: JsonObject } = {
  Money: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  Tea: { type: "object", properties: { kind: { const: "tea" }, leaf: true }, required: ["kind"] },
  Milk: { type: "object", properties: { kind: { enum: ["milk"] }, fat: true }, required: ["kind"] },
  Node: { type: "object", properties: { children: { items: { $ref: "#/$defs/Node" } } } },
};
const definitions = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, { schema, at: { file: name, pointer: "" } }]),
);
const referTo = (name: string) => ({ $ref: `#/$defs/${name}` });

function describeJson(schema: Json, edgePolicy: EdgePolicy): Everything {
  const node = { schema, file: "here", pointer: "" };
  return describeSchema(node, definitions, EVERYTHING, edgePolicy) as Everything;
}

const listParts = (schema: Json, edgePolicy: EdgePolicy) =>
  describeJson(schema, edgePolicy).parts.map(
    ({ file, pointer, isCertain }) => `${file}${pointer}${isCertain ? "" : "?"}`,
  );

describe("the schemas that apply to one value", () => {
  const composed = { allOf: [referTo("Money")], properties: { note: true, amount: { minimum: 0 } } };
  const tagged = { oneOf: [referTo("Tea"), referTo("Milk")] };
  const conditional = { if: { required: ["a"] }, then: { required: ["b"] }, not: { required: ["c"] } };
  it.each<[string, Json, EdgePolicy, readonly string[]]>([
    ["only itself", composed, SELF, ["here"]],
    ["a reference and allOf", composed, CONJUNCTION, ["here", "here/allOf/0", "Money"]],
    ["no branch", tagged, CONJUNCTION, ["here"]],
    [
      "branches, which are uncertain",
      tagged,
      BRANCHES,
      ["here", "here/oneOf/0?", "Tea?", "here/oneOf/1?", "Milk?"],
    ],
    ["no condition", conditional, BRANCHES, ["here", "here/then?"]],
    ["conditions, which are uncertain", conditional, FAMILY, ["here", "here/then?", "here/if?", "here/not?"]],
    ["a recursive definition only once", referTo("Node"), BRANCHES, ["here", "Node"]],
    [
      "a definition only once",
      { allOf: [referTo("Money"), referTo("Money")] },
      CONJUNCTION,
      ["here", "here/allOf/0", "Money", "here/allOf/1"],
    ],
    ["no target of a broken reference", referTo("Nobody"), CONJUNCTION, ["here"]],
  ])("include %s", (_title, schema, edgePolicy, expected) => {
    expect(listParts(schema, edgePolicy)).toEqual(expected);
  });

  it("accept nothing if a certain one is false", () => {
    expect(describeJson({ allOf: [false] }, CONJUNCTION).isNever).toBe(true);
    expect(describeJson({ anyOf: [false] }, BRANCHES).isNever).toBe(false);
  });
});

describe("types and values", () => {
  const listTypes = (schema: Json) => [...deriveTypes(describeJson(schema, CONJUNCTION)).set].sort();
  it.each<[Json, readonly string[]]>([
    [{ type: ["string", "null"] }, ["null", "string"]],
    [{ type: "number" }, ["integer", "number"]],
    [{ allOf: [{ type: ["string", "null"] }, { type: ["string", "object"] }] }, ["string"]],
    [{ enum: ["a", 1] }, ["integer", "string"]],
    [{ "x-extensible-enum": ["a"] }, ["string"]],
  ])("%j allows %j", (schema, expected) => expect(listTypes(schema)).toEqual(expected));

  it.each<[Json, "closed" | "open", readonly Json[] | undefined]>([
    [{ const: "on" }, "closed", ["on"]],
    [{ allOf: [{ enum: ["a", "b", null] }, { enum: ["b", "c"] }] }, "closed", ["b"]],
    [{ "x-extensible-enum": ["low"] }, "open", ["low"]],
    [{ "x-extensible-enum": ["low"] }, "closed", undefined],
  ])("%j lists, %s, %j", (schema, kind, expected) => {
    expect(findValueList(describeJson(schema, CONJUNCTION), kind)?.values).toEqual(expected);
  });

  it("are fixed by const and by an enum of one value", () => {
    expect(findFixedValue(describeJson({ const: 1 }, SELF))).toBe(1);
    expect(findFixedValue(describeJson({ enum: ["a"] }, SELF))).toBe("a");
    expect(findFixedValue(describeJson({ enum: ["a", "b"] }, SELF))).toBeUndefined();
  });
});

describe("fields", () => {
  const formatFields = (schema: Json, edgePolicy: EdgePolicy) =>
    [...mergeFields(describeJson(schema, edgePolicy)).values()].map(
      ({ name, spots, isRequired, isCertain }) =>
        `${name}${isRequired ? "!" : ""}${isCertain ? "" : "?"} ${spots.map(({ file, pointer }) => file + pointer)}`,
    );
  it("of a composition have the places of every part that declares them", () => {
    const schema = { allOf: [referTo("Money")], properties: { amount: { minimum: 0 } }, required: ["note"] };
    expect(formatFields(schema, CONJUNCTION)).toEqual([
      "amount! here/properties/amount,Money/properties/amount",
    ]);
  });

  it("of branches are uncertain and not required", () => {
    expect(
      formatFields({ properties: { id: true }, oneOf: [referTo("Tea"), referTo("Milk")] }, BRANCHES),
    ).toEqual([
      "id here/properties/id",
      "kind? Tea/properties/kind,Milk/properties/kind",
      "leaf? Tea/properties/leaf",
      "fat? Milk/properties/fat",
    ]);
  });
});

describe("bounds and alternatives", () => {
  it("are the strictest bound", () => {
    const [minimum] = BOUNDS;
    const schema = { minimum: 1, allOf: [{ exclusiveMinimum: 1 }, { minimum: 0 }] };
    expect(minimum && findStrictestBound(describeJson(schema, CONJUNCTION), minimum)).toMatchObject({
      value: 1,
      isExclusive: true,
      spot: { pointer: "/allOf/0/exclusiveMinimum" },
    });
  });

  it("lists the alternatives of every part with their places", () => {
    const found = listAlternatives(describeJson({ oneOf: [true], anyOf: [{ type: "null" }] }, SELF));
    expect(found.map(({ pointer }) => pointer)).toEqual(["/anyOf/0", "/oneOf/0"]);
  });
});

describe("a consumer of a description", () => {
  const omitted = { reason: "not said here", result: "wider" } as const;
  const TYPES_ONLY = {
    ...markUsed("types", "references", "composition", "annotations"),
    values: omitted,
    bounds: omitted,
    texts: omitted,
    properties: omitted,
    otherProperties: omitted,
    items: omitted,
    contains: omitted,
    alternatives: omitted,
    conditions: omitted,
    writer: omitted,
  } as const satisfies Coverage;
  const schema = { type: "string", title: "A", minLength: 1, "x-other": 1, $ref: "#/$defs/Tea", strange: 1 };
  const node = { schema, file: "", pointer: "" };
  const described = describeSchema(node, definitions, TYPES_ONLY, CONJUNCTION);

  it("gets a list of the keywords that it omits and of unknown ones", () => {
    const found = findOmittedKeywords(described).map(({ keyword, result }) => `${keyword}: ${result}`);
    expect(found).toEqual(["minLength: wider", "strange: wider", "properties: wider", "required: wider"]);
  });

  it("cannot ask for keywords of facets that it omits", () => {
    expect(listStatements(described, "type")).toHaveLength(2);
    // @ts-expect-error bounds are omitted
    listStatements(described, "minLength");
    // @ts-expect-error properties are omitted
    mergeFields(described);
  });

  it("must state every facet", () => {
    const { writer: _left, ...rest } = TYPES_ONLY;
    // @ts-expect-error writer is missing
    const incomplete: Coverage = rest;
    expect(incomplete).not.toHaveProperty("writer");
  });
});
