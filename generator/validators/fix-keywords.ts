/**
 * Corrects how Ajv's keywords record evaluated fields and items, which `unevaluatedProperties` and `unevaluatedItems`
 * depend on.
 *
 * Ajv keeps the evaluated fields in one object and the items in one number, which keywords share by name. As a result,
 * fields of a failed alternative stay recorded, earlier records are lost where an alternative does not apply, and the
 * keywords beside a reference write into the object of the schema that is referred to, which affects all later values.
 * Here alternatives and references have variables of their own.
 */
import type { Ajv2020, KeywordCxt } from "ajv/dist/2020.js";
import type { Json } from "../json.js";
import type { Tag } from "../schema/tags.js";
import { hasSchemaWith } from "../schema/walk.js";
import { loadAjv, loadAjvInternals } from "./ajv-package.js";
import { readTag } from "./recursive-unions.js";

type Code = (cxt: KeywordCxt) => void;

/** Functions that replace the `code` with which Ajv writes a keyword. Some of them call that `code`. */
const CORRECTIONS: { readonly [keyword: string]: (cxt: KeywordCxt, code: Code) => void } = {
  $ref: separateReference,
  anyOf: separateAlternatives,
  oneOf: separateAlternatives,
  dependentSchemas: separateDependents,
  if: writeCondition,
  prefixItems: writePrefixItems,
  patternProperties: writePatternProperties,
  unevaluatedItems: countFromFirstItem,
};

/** Corrects the keywords of `ajv` and of no other instance. Each correction looks at its own keyword alone. */
export function fixKeywords(ajv: Ajv2020): void {
  for (const [keyword, correct] of Object.entries(CORRECTIONS)) {
    const rule = ajv.RULES.all[keyword];
    if (typeof rule !== "object" || !("code" in rule.definition))
      throw new Error(`Ajv has no code for ${keyword}: check CORRECTIONS against the new version of Ajv`);
    const code = rule.definition.code;
    Object.assign(rule.definition, { code: (cxt: KeywordCxt) => correct(cxt, code) });
  }
}

const FIELDS = ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "$ref"];
const ITEMS = ["prefixItems", "items", "contains", "unevaluatedItems", "$ref"];

function separateAlternatives(cxt: KeywordCxt, code: Code): void {
  separateEvaluated(cxt, Object.values(cxt.schema), ITEMS);
  const tag = readTag(cxt.parentSchema);
  if (tag) writeTaggedUnion(cxt, tag);
  else code(cxt);
}

/** Writes a union that tries only the alternative whose tag the value has. */
function writeTaggedUnion(cxt: KeywordCxt, { property, values }: Tag): void {
  const { gen, data, keyword } = cxt;
  const { _, or } = loadAjvInternals().codegen;
  const valid = gen.let("valid", false);
  const isTagged = gen.let("tagged", false);
  const isObject = _`${data} && typeof ${data} == "object" && !Array.isArray(${data})`;
  gen.if(isObject, () => {
    const found = gen.const("tag", _`${data}[${property}]`);
    for (const [index, list] of values.entries())
      gen.if(or(...list.map((value) => _`${found} === ${value as string | number}`)), () => {
        const isFitting = gen.name("_valid");
        gen.assign(isTagged, true);
        const alternative = cxt.subschema({ keyword, schemaProp: index, compositeRule: true }, isFitting);
        gen.assign(valid, isFitting);
        cxt.mergeValidEvaluated(alternative, isFitting);
      });
  });
  cxt.result(
    valid,
    () => cxt.reset(),
    () => {
      // Without a tag, the error names the values that are known.
      gen.if(isTagged, () => cxt.error(true));
      gen.if(loadAjvInternals().codegen.not(isTagged), () => {
        cxt.setParams({ tag: { property, values: values.flat() } as never });
        cxt.error(true);
      });
    },
  );
}

/** Separates the records as for alternatives, and restores that of items, because dependent schemas apply to objects only. */
function separateDependents(cxt: KeywordCxt, code: Code): void {
  const { items } = cxt.it;
  separateEvaluated(cxt, Object.values(cxt.schema), []);
  code(cxt);
  Object.assign(cxt.it, { items });
}

/** Copies the current records into variables, if one of the alternatives may add to them. */
function separateEvaluated(
  { it, gen }: KeywordCxt,
  alternatives: readonly Json[],
  itemKeywords: readonly string[],
): void {
  if (!it.opts.unevaluated) return;
  const { _, Name } = loadAjv();
  const mayEvaluate = (keywords: readonly string[]) =>
    alternatives.some((alternative) => usesKeyword(alternative, keywords));
  if (it.props !== true && !(it.props instanceof Name) && mayEvaluate(FIELDS))
    it.props = loadAjvInternals().util.evaluatedPropsToName(gen, it.props);
  if (it.items !== true && !(it.items instanceof Name) && mayEvaluate(itemKeywords))
    it.items = gen.var("items", _`${it.items ?? 0}`);
}

function usesKeyword(schema: Json, keywords: readonly string[]): boolean {
  return hasSchemaWith(schema, (sub) => keywords.some((keyword) => Object.hasOwn(sub, keyword)));
}

/** Counts the fields of a condition as evaluated only if the value fits it. Ajv counts them always. */
function writeCondition(cxt: KeywordCxt): void {
  const { gen, parentSchema, it } = cxt;
  const branches = (["then", "else"] as const).filter(
    (keyword) =>
      parentSchema[keyword] !== undefined &&
      !loadAjvInternals().util.alwaysValidSchema(it, parentSchema[keyword]),
  );
  separateEvaluated(cxt, [cxt.schema, parentSchema.then, parentSchema.else], ITEMS);
  if (branches.length === 0) return;
  const valid = gen.let("valid", true);
  const fits = gen.name("_valid");
  const withoutErrors = { compositeRule: true, createErrors: false, allErrors: false } as const;
  cxt.mergeValidEvaluated(cxt.subschema({ keyword: "if", ...withoutErrors }, fits), fits);
  cxt.reset();
  const createBranch = (keyword: "then" | "else") => () => {
    const branchContext = cxt.subschema({ keyword }, fits);
    gen.assign(valid, fits);
    cxt.mergeValidEvaluated(branchContext, valid);
  };
  const [first, second] = branches;
  if (second !== undefined) gen.if(fits, createBranch("then"), createBranch("else"));
  else if (first !== undefined)
    gen.if(first === "then" ? fits : loadAjvInternals().codegen.not(fits), createBranch(first));
  cxt.pass(valid, () => cxt.error(true));
}

/** Copies the record of the referenced schema before anything is added to it. */
function separateReference(cxt: KeywordCxt, code: Code): void {
  const { it, gen } = cxt;
  const { _, Name } = loadAjv();
  const { mergeEvaluated } = loadAjvInternals().util;
  const { props, items } = it;
  if (props !== true) delete it.props;
  if (items !== true) delete it.items;
  code(cxt);
  if (it.props instanceof Name)
    it.props = gen.var("props", _`${it.props} === true ? true : Object.assign({}, ${it.props})`);
  if (props !== true && props !== undefined)
    it.props = it.props === true ? true : mergeEvaluated.props(gen, props, it.props);
  if (items !== true && items !== undefined)
    it.items = it.items === true ? true : mergeEvaluated.items(gen, items, it.items);
}

/**
 * Replaces the record of items by their number. Ajv would compare the length of the list with `undefined` if no alternative
 * recorded an item, and with `true` if one recorded all.
 */
function countFromFirstItem(cxt: KeywordCxt, code: Code): void {
  const { it, gen, data } = cxt;
  const { _, Name } = loadAjv();
  if (it.items instanceof Name)
    it.items = gen.const("count", _`${it.items} === true ? ${data}.length : ${it.items} ?? 0`);
  code(cxt);
}

/** Makes `valid` true at the beginning. Otherwise Ajv refuses an empty list if it stops at the first error. */
function writePrefixItems(cxt: KeywordCxt): void {
  const { gen, data, it, keyword } = cxt;
  const { _ } = loadAjv();
  const { alwaysValidSchema, mergeEvaluated } = loadAjvInternals().util;
  const itemSchemas = cxt.schema;
  if (it.opts.unevaluated && itemSchemas.length > 0 && it.items !== true)
    it.items = mergeEvaluated.items(gen, itemSchemas.length, it.items);
  const valid = gen.name("valid");
  gen.code(_`var ${valid} = true`);
  const length = gen.const("len", _`${data}.length`);
  for (const [index, itemSchema] of itemSchemas.entries()) {
    if (alwaysValidSchema(it, itemSchema)) continue;
    gen.if(_`${length} > ${index}`, () =>
      cxt.subschema({ keyword, schemaProp: index, dataProp: index }, valid),
    );
    cxt.ok(valid);
  }
}

/** Records evaluated fields only in an object. Ajv also writes into the variable if it holds `undefined` or `true`. */
function writePatternProperties(cxt: KeywordCxt): void {
  const { gen, data, it, schema } = cxt;
  const { _, Name, nil } = loadAjv();
  const { util, vocabulary } = loadAjvInternals();
  const patterns = vocabulary.allSchemaProperties(schema);
  const alwaysValid = new Set(patterns.filter((pattern) => util.alwaysValidSchema(it, schema[pattern])));
  const isRecording = it.opts.unevaluated && it.props !== true;
  if (patterns.length === 0 || (alwaysValid.size === patterns.length && !isRecording)) return;
  const valid = gen.name("valid");
  if (it.props !== true && !(it.props instanceof Name)) it.props = util.evaluatedPropsToName(gen, it.props);
  const { props } = it;
  for (const pattern of patterns) {
    if (!it.allErrors) gen.var(valid, true);
    gen.forIn("key", data, (key) => {
      gen.if(_`${vocabulary.usePattern(cxt, pattern)}.test(${key})`, () => {
        const place = { schemaProp: pattern, dataProp: key, dataPropType: util.Type.Str };
        if (!alwaysValid.has(pattern)) cxt.subschema({ keyword: cxt.keyword, ...place }, valid);
        if (isRecording)
          gen.if(_`${props ?? nil} !== true`, () => gen.assign(_`(${props ?? nil} ??= {})[${key}]`, true));
        else if (!alwaysValid.has(pattern) && !it.allErrors)
          gen.if(loadAjvInternals().codegen.not(valid), () => gen.break());
      });
    });
    if (!it.allErrors) gen.if(valid);
  }
}
