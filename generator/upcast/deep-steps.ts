/** Treats steps that follow each other and change the same values at every depth as one, which needs far smaller conditions. */
import {
  ANYTHING,
  type Definitions,
  type Facts,
  listConjuncts,
  type Path,
} from "../contain/preimage/presence.js";
import { getMembers, type JsonObject, splitPointer } from "../json.js";
import {
  type DeepStep,
  enterList,
  isSelector,
  listPlaces,
  type NestedStep,
  type UpcastStep,
} from "../protocol/upcast.js";
import { readSubschema, type Schema } from "../schema/json-schema.js";

/** Returns the steps in groups. Each group with several steps changes the same values at every depth. */
export function groupDeepSteps(steps: readonly UpcastStep[]): readonly (readonly UpcastStep[])[] {
  const groups: UpcastStep[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    const previous = last?.at(-1);
    if (last !== undefined && previous !== undefined && changeSameValues(previous, step)) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** Returns the step of a group. */
export function mergeDeepSteps(group: readonly UpcastStep[]): NestedStep {
  const [first, ...others] = group.map(enterList);
  if (first === undefined) throw new Error("a group has a step");
  if (first.step !== "deep" || others.length === 0) return first;
  return {
    ...first,
    inner: [...first.inner, ...others.flatMap((each) => (each.step === "deep" ? each.inner : []))],
  };
}

/** Returns whether two steps change values at every depth of one place, and the first one leaves the way to them as the second one takes it. */
function changeSameValues(first: UpcastStep, second: UpcastStep): boolean {
  const [a, b] = [enterList(first), enterList(second)];
  if (a.step !== "deep" || b.step !== "deep" || a.list !== b.list) return false;
  if (Object.keys({ ...a.when, ...b.when }).length > 0 || leadsBelow(first, a) || leadsBelow(second, b))
    return false;
  const isCertain = first.step === "move" && Object.keys(first.when ?? {}).length === 0;
  const loops = a.loops.flatMap((loop) => {
    const place = `${a.list}/**${loop}`;
    if (first.step !== "move" || !`${place}/`.startsWith(`${first.from}/`)) return [loop];
    const moved = (first.to + place.slice(first.from.length)).slice(`${a.list}/**`.length);
    return isCertain ? [moved] : [loop, moved];
  });
  return areSame(loops, b.loops);
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
    return found?.length === own.length && found.every((schema) => own.includes(schema));
  });
  return isSame ? { ...value, presence: "always" } : ANYTHING;
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
  return found.length === 0 ? undefined : findSchemas([...new Set(found)], rest, definitions);
}
