/** Treats steps that follow each other and change the same selected values as one, which needs far smaller conditions. */
import {
  ANYTHING,
  type Definitions,
  describeFacts,
  type Facts,
  listConjuncts,
  type Path,
} from "../contain/preimage/presence.js";
import { getMembers, isObject, type Json, type JsonObject, listItems, splitPointer } from "../json.js";
import { type DeepStep, enterList, type NestedStep } from "../protocol/nested-steps.js";
import { isSelector, listPlaces, MEMBERS, readPositions } from "../protocol/step-places.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { readSubschema, type Schema } from "../schema/json-schema.js";

/** Returns the steps in groups. Each group with several steps changes the same selected values. */
export function groupSteps<S extends NestedStep>(steps: readonly S[]): readonly (readonly S[])[] {
  const groups: S[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    const previous = last?.at(-1);
    if (last !== undefined && previous !== undefined && changeSameValues(previous, step)) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** Returns the step of a group. */
export function mergeSteps(group: readonly NestedStep[]): NestedStep {
  const [first, ...others] = group.map(enterList);
  if (first === undefined) throw new Error("a group has a step");
  // A step inside of another one is recognised by its inner steps.
  if (others.length === 0 || (first.step !== "deep" && first.step !== "each")) return first;
  const inner = others.flatMap((each) => (each.step === "deep" || each.step === "each" ? each.inner : []));
  return { ...first, inner: [...first.inner, ...inner] };
}

/** Returns whether two steps change the same selected values, and the first one leaves the way to them as the second one takes it. */
function changeSameValues(first: NestedStep, second: NestedStep): boolean {
  const [a, b] = [enterList(first), enterList(second)];
  const isUnconditional = (step: NestedStep) => Object.keys(step.when ?? {}).length === 0;
  if (a.step === "each" && b.step === "each")
    return a.list === b.list && a.selector === b.selector && isUnconditional(a) && isUnconditional(b);
  if (a.step !== "deep" || b.step !== "deep" || a.list !== b.list) return false;
  if (!isDeclared(first) || !isDeclared(second)) return false;
  if (!isUnconditional(a) || !isUnconditional(b) || leadsBelow(first, a) || leadsBelow(second, b))
    return false;
  const isCertain = first.step === "move" && isUnconditional(first);
  const loops = a.loops.flatMap((loop) => {
    const place = `${a.list}/**${loop}`;
    if (first.step !== "move" || !`${place}/`.startsWith(`${first.from}/`)) return [loop];
    const moved = (first.to + place.slice(first.from.length)).slice(`${a.list}/**`.length);
    return isCertain ? [moved] : [loop, moved];
  });
  return areSame(loops, b.loops);
}

/** Returns whether a step has places of its own. */
function isDeclared(step: NestedStep): step is UpcastStep {
  return step.step !== "each" && step.step !== "deep";
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify([...new Set(a)].sort()) === JSON.stringify([...new Set(b)].sort());
}

/** Returns whether a step changes a part of a value that is one of the values itself. */
function leadsBelow(step: UpcastStep, { list, loops }: DeepStep): boolean {
  return listPlaces(step).some((place) => loops.some((loop) => place.startsWith(`${list}/**${loop}/`)));
}

/** Returns what is certain about a value and the same ones below it, if all of them satisfy the same schemas. */
export function describeNode(value: Facts, loops: readonly string[], definitions: Definitions): Facts {
  const { schemas } = value;
  if (schemas === undefined) return ANYTHING;
  const own = listStatingSchemas(schemas);
  const isSame = loops.every((loop) => {
    const below = findSchemas(schemas, splitPointer(loop), definitions);
    const found = below && listStatingSchemas(below);
    return found !== undefined && areSameSchemas(found, own);
  });
  return isSame ? { ...value, presence: "always" } : ANYTHING;
}

/** Returns what is certain about the values of a list or a map that a selector selects. */
export function describeSelectedValues(value: Facts, selector: string, definitions: Definitions): Facts {
  if (selector === "*") return value.items ?? ANYTHING;
  const { schemas = [] } = value;
  const selected = schemas.flatMap((schema): Schema[] => {
    const { additionalProperties, properties, patternProperties, prefixItems, items } = schema;
    if (selector === MEMBERS)
      return isObject(additionalProperties) && properties === undefined && patternProperties === undefined
        ? [additionalProperties]
        : [];
    const { start, isOpen } = readPositions(selector);
    const positions = listItems(prefixItems);
    if (!isOpen && start < positions.length) return [readSubschema(positions[start])];
    return isObject(items) && start >= positions.length ? [items] : [];
  });
  return selected.length === 0 ? ANYTHING : describeFacts({ allOf: selected.map(toSchema) }, definitions);
}

function toSchema(schema: Schema): Json {
  return schema;
}

/** Returns the schemas without those that only refer to another one. */
function listStatingSchemas(schemas: readonly JsonObject[]): readonly JsonObject[] {
  const isReference = (schema: JsonObject) =>
    Object.keys(schema).every(
      (keyword) => keyword === "$ref" || keyword === "description" || keyword === "title",
    );
  return schemas.filter((schema) => !isReference(schema));
}

/** Returns the schemas of the value to which a path leads; undefined if they are not certain. */
function findSchemas(
  schemas: readonly JsonObject[],
  [token, ...rest]: Path,
  definitions: Definitions,
): readonly JsonObject[] | undefined {
  if (token === undefined) return schemas;
  const members = schemas.flatMap((schema): Schema[] => {
    if (token === "*" && schema.prefixItems === undefined)
      return schema.items === undefined ? [] : [readSubschema(schema.items)];
    const member = isSelector(token) ? undefined : getMembers(schema.properties)[token];
    return member === undefined ? [] : [readSubschema(member)];
  });
  const found = members.flatMap((member) => listConjuncts(member, definitions));
  const distinct = found.length > 0 ? [...new Set(found)] : findBranchMember(schemas, token, definitions);
  return distinct && findSchemas(distinct, rest, definitions);
}

/**
 * Returns the schemas of a member that branches of one union declare, if all these branches declare the same ones, and if no
 * object of another branch may have the member.
 */
function findBranchMember(
  schemas: readonly JsonObject[],
  name: string,
  definitions: Definitions,
): readonly JsonObject[] | undefined {
  const unions = schemas.filter(({ anyOf, oneOf }) => (anyOf ?? oneOf) !== undefined);
  const [union, ...others] = unions;
  if (union === undefined || others.length > 0 || union.unevaluatedProperties !== false) return undefined;
  if (Object.keys(union).some((keyword) => OTHER_PARTS.has(keyword))) return undefined;
  const branches = [...listItems(union.anyOf), ...listItems(union.oneOf)].map((branch) =>
    listConjuncts(readSubschema(branch), definitions),
  );
  if (branches.some((parts) => parts.some((part) => Object.keys(part).some(isPartOfUnion)))) return undefined;
  const members = branches.flatMap((parts) => {
    const declared = parts.flatMap(({ properties }) => getMembers(properties)[name] ?? []);
    return declared.length === 0
      ? []
      : [declared.flatMap((each) => listConjuncts(readSubschema(each), definitions))];
  });
  const [first] = members;
  return members.every((each) => areSameSchemas(each, first ?? [])) ? first : undefined;
}

/** Keywords that describe members beside the branches of a union. */
const OTHER_PARTS = new Set([
  "$ref",
  "allOf",
  "if",
  "dependentSchemas",
  "patternProperties",
  "additionalProperties",
]);

/** Returns whether a keyword of a branch may describe members in some objects only. */
function isPartOfUnion(keyword: string): boolean {
  return (
    ["anyOf", "oneOf", "unevaluatedProperties"].includes(keyword) ||
    (OTHER_PARTS.has(keyword) && keyword !== "$ref" && keyword !== "allOf")
  );
}

function areSameSchemas(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return a.length === b.length && a.every((schema) => b.includes(schema));
}
