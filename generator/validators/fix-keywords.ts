/**
 * Faults of Ajv in what it notes as evaluated, mended where it makes code of a keyword; `mend.ts` mends what only its
 * text shows.
 *
 * Ajv keeps the evaluated fields in one object, the items in one number, and hands them on by name. So what an
 * alternative noted before it failed stays noted, what was noted before it is lost where it does not apply, and what
 * stands beside a reference is noted in the object of the schema that is referred to, for all values to come. Here
 * alternatives and references note in a place of their own.
 */
import { createRequire } from "node:module";
import type { Ajv2020, KeywordCxt } from "ajv/dist/2020.js";
import type util from "ajv/dist/compile/util.js";
import type { Json } from "../json.js";
import { walk } from "../schema/walk.js";
import { ajvPackage } from "./ajv-package.js";

type Code = (cxt: KeywordCxt) => void;

/** By keyword what is done instead of running Ajv's own `code`. */
const MENDED: { readonly [keyword: string]: (cxt: KeywordCxt, code: Code) => void } = {
  $ref: referenceApart,
  anyOf: alternativesApart,
  oneOf: alternativesApart,
  dependentSchemas: dependentApart,
  if: conditionApart,
  prefixItems: untilOneFails,
  unevaluatedItems: fromTheFirst,
};

/** Mends the keywords of `ajv`. */
export function mendKeywords(ajv: Ajv2020): void {
  for (const [keyword, mend] of Object.entries(MENDED)) {
    const rule = ajv.RULES.all[keyword];
    if (typeof rule !== "object" || !("code" in rule.definition)) continue;
    const code = rule.definition.code as Code;
    Object.assign(rule.definition, { code: (cxt: KeywordCxt) => mend(cxt, code) });
  }
}

const FIELDS = ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "$ref"];
const ITEMS = ["prefixItems", "items", "contains", "unevaluatedItems", "$ref"];

function alternativesApart(cxt: KeywordCxt, code: Code): void {
  const { schema, parentSchema, keyword } = cxt;
  const held = keyword === "if" ? [schema, parentSchema.then, parentSchema.else] : Object.values(schema);
  ownPlace(cxt, held as readonly Json[], ITEMS);
  code(cxt);
}

/** Ajv looks at dependent schemas of objects only: what they note of items is nothing to a list. */
function dependentApart(cxt: KeywordCxt, code: Code): void {
  const { items } = cxt.it;
  ownPlace(cxt, Object.values(cxt.schema), []);
  code(cxt);
  Object.assign(cxt.it, { items });
}

/** Gives what was noted so far variables that alternatives can add to, as far as one of them may. */
function ownPlace(
  { it, gen }: KeywordCxt,
  alternatives: readonly Json[],
  itemKeywords: readonly string[],
): void {
  if (!it.opts.unevaluated) return;
  const { _, Name } = ajvPackage();
  const may = (keywords: readonly string[]) => alternatives.some((one) => holdsOneOf(one, keywords));
  if (it.props !== true && !(it.props instanceof Name) && may(FIELDS))
    it.props = ajvUtil().evaluatedPropsToName(gen, it.props);
  if (it.items !== true && !(it.items instanceof Name) && may(itemKeywords))
    it.items = gen.var("items", _`${it.items ?? 0}`);
}

function holdsOneOf(schema: Json, keywords: readonly string[]): boolean {
  let found = false;
  walk(schema, (sub) => {
    found ||= keywords.some((keyword) => Object.hasOwn(sub, keyword));
  });
  return found;
}

/** Ajv takes what a condition looks at for evaluated even where the value does not fit it: here it has to fit. */
function conditionApart(cxt: KeywordCxt, code: Code): void {
  const { subschema, mergeEvaluated } = cxt;
  cxt.subschema = (applied, fits) => {
    // The condition is the first that is asked about; what follows merges for itself.
    Object.assign(cxt, { subschema });
    cxt.mergeEvaluated = (inside) => {
      Object.assign(cxt, { mergeEvaluated });
      cxt.mergeValidEvaluated(inside, fits);
    };
    return cxt.subschema(applied, fits);
  };
  alternativesApart(cxt, code);
}

/** What a reference noted is copied before anything is added to it. */
function referenceApart(cxt: KeywordCxt, code: Code): void {
  const { it, gen } = cxt;
  const { _, Name } = ajvPackage();
  const { mergeEvaluated } = ajvUtil();
  const { props, items } = it;
  Object.assign(it, {
    ...(props !== true && { props: undefined }),
    ...(items !== true && { items: undefined }),
  });
  code(cxt);
  if (it.props instanceof Name)
    it.props = gen.var("props", _`${it.props} === true ? true : Object.assign({}, ${it.props})`);
  if (props !== true && props !== undefined)
    it.props = it.props === true ? true : mergeEvaluated.props(gen, props, it.props);
  if (items !== true && items !== undefined)
    it.items = it.items === true ? true : mergeEvaluated.items(gen, items, it.items);
}

/** Where no alternative noted an item, Ajv compares the length with undefined, and where one noted all, with true. */
function fromTheFirst(cxt: KeywordCxt, code: Code): void {
  const { it, gen, data } = cxt;
  const { _, Name } = ajvPackage();
  if (it.items instanceof Name)
    it.items = gen.const("count", _`${it.items} === true ? ${data}.length : ${it.items} ?? 0`);
  code(cxt);
}

/** Where Ajv stops at the first fault, it takes a list that is too short for its first place for one. */
function untilOneFails(cxt: KeywordCxt, code: Code): void {
  const { gen } = cxt;
  const { _ } = ajvPackage();
  const { name } = gen;
  // The first name is that of the verdict on a place.
  gen.name = (prefix) => {
    Object.assign(gen, { name });
    const valid = gen.name(prefix);
    gen.code(_`var ${valid} = true`);
    return valid;
  };
  code(cxt);
}

function ajvUtil(): typeof util {
  return createRequire(import.meta.url)("ajv/dist/compile/util.js");
}
