/**
 * Pulls a condition on events back through a step of a plan: returns the condition that an event must meet so that the step
 * changes it to an event that meets the given one. The result is exact, except that a condition on a scaled number or on a
 * part of a text may be stricter than necessary. It is never weaker.
 */
import { acceptsMessage } from "../compat/proof/readings.js";
import { getOwn, isObject, type Json, type JsonObject, objectFrom, splitPointer } from "../json.js";
import type { UpcastStep } from "../protocol/upcast.js";
import type { Schema } from "../schema/json-schema.js";
import { filterKeywords } from "../schema/keywords.js";
import { getDefinitionName } from "../schema/reference.js";
import {
  applyStepToShape,
  type Definitions,
  describeShape,
  listFamilyNames,
  type Path,
  type Shape,
} from "./event-shape.js";
import { and, implies, not, or, Places } from "./predicate.js";
import {
  type Context,
  describeScalable,
  describeSplittable,
  InexpressibleCondition,
  pullBackPart,
  pullBackScale,
} from "./pull-back-values.js";

/** The value at a place after a step, in terms of the event before it. */
type Source =
  | { readonly kind: "same"; readonly path: Path }
  | { readonly kind: "absent" }
  | { readonly kind: "constant"; readonly value: Json }
  /** The value of `path`, of which a condition holds if the value before satisfies the schema that `pull` returns. */
  | {
      readonly kind: "computed";
      readonly path: Path;
      readonly pull: (schema: Schema, context: Context) => Schema;
    }
  | { readonly kind: "choice"; readonly if: Schema; readonly then: Source; readonly else: Source }
  /** The object at `path` with some members replaced. Without `path`, an object that has these members only. */
  | {
      readonly kind: "object";
      readonly path: Path | undefined;
      readonly members: ReadonlyMap<string, Source>;
    };

/** What is known about the event before a step, and about the condition after it. */
interface PullBackContext {
  readonly definitions: Definitions;
  /** The field with the event type. */
  readonly discriminator: string;
  readonly shape: Shape;
}

/** Returns the schema of those of the sent events that the steps change to accepted events. */
export function pullBackSteps(
  accepted: JsonObject,
  steps: readonly UpcastStep[],
  sent: JsonObject,
  discriminator: string,
): JsonObject {
  const { $defs = {}, ...condition } = accepted;
  const definitions = $defs as Definitions;
  const shapes = [describeShape(sent, (sent.$defs ?? {}) as Definitions)];
  for (const step of steps) shapes.push(applyStepToShape(shapes.at(-1) as Shape, step));
  const pulled = steps.reduceRight<Schema>((later, step, index) => {
    const shape = shapes[index] as Shape;
    return pullBackStep(later, step, { definitions, discriminator, shape });
  }, condition as Schema);
  return { allOf: [pulled as Json], $defs };
}

/** Returns the condition before a step from the condition after it. */
function pullBackStep(
  condition: Schema,
  step: UpcastStep,
  { definitions, discriminator, shape }: PullBackContext,
): Schema {
  const places = new Places(shape);
  const isSelected = and(
    ...Object.entries(step.when ?? {}).map(([pointer, values]) =>
      places.hasValueAt(splitPointer(pointer), { enum: values }),
    ),
  );
  const { domain, changes, isActive } = describeStep(step, discriminator, places);
  const active = and(isSelected, isActive);
  // If a step removes a field, the field is absent whether it was there or not.
  const choose = (change: PlacedSource) =>
    chooseSource(change.source.kind === "absent" ? isSelected : active, change);
  const root = changes.reduce<Source>(
    (source, change) => placeSource(source, [], change.path, choose(change)),
    { kind: "object", path: [], members: new Map() },
  );
  return and(
    implies(active, domain),
    pullBackValue(condition, root, { definitions, places, isExact: false }),
  );
}

/** A value that a step puts at a place. */
interface PlacedSource {
  readonly path: Path;
  readonly source: Source;
}

function chooseSource(active: Schema, { path, source }: PlacedSource): Source {
  if (active === true) return source;
  const same: Source = { kind: "same", path };
  return active === false ? same : { kind: "choice", if: active, then: source, else: same };
}

/** The effect of a step on events for which `isActive` holds. It fails for those for which `domain` does not hold. */
interface StepEffect {
  readonly isActive: Schema;
  readonly domain: Schema;
  readonly changes: readonly PlacedSource[];
}

function describeStep(step: UpcastStep, discriminator: string, places: Places): StepEffect {
  switch (step.step) {
    case "rename-type":
      return {
        isActive: true,
        domain: true,
        changes: [{ path: [discriminator], source: { kind: "constant", value: step.to } }],
      };
    case "move": {
      const path = splitPointer(step.from);
      const to = splitPointer(step.to);
      const source: Source = { kind: "same", path };
      return step.alias === true
        ? describeAlias(path, to, source, places)
        : describeMove(path, true, [{ path: to, source }], places);
    }
    case "split": {
      const path = splitPointer(step.from);
      const { separator, to } = step;
      const changes = to.map((pointer, index): PlacedSource => {
        const part = { separator, index, count: to.length };
        const pull = (schema: Schema, context: Context) => pullBackPart(schema, part, context);
        return { path: splitPointer(pointer), source: { kind: "computed", path, pull } };
      });
      return describeMove(path, describeSplittable(separator, to.length), changes, places);
    }
    case "map": {
      const path = splitPointer(step.at);
      const pull = (schema: Schema, context: Context) => pullBackMap(schema, step.values, context);
      return { isActive: true, domain: true, changes: [{ path, source: { kind: "computed", path, pull } }] };
    }
    case "scale": {
      const path = splitPointer(step.at);
      const pull = (schema: Schema, context: Context) => pullBackScale(schema, step.by, context);
      return {
        isActive: true,
        domain: places.holdsAt(path, describeScalable(step.by)),
        changes: [{ path, source: { kind: "computed", path, pull } }],
      };
    }
    case "constant": {
      const path = splitPointer(step.to);
      const { replaces } = step;
      const isFree = or(
        not(isBlocked(path, places)),
        replaces === undefined ? false : places.hasValueAt(path, { const: replaces }),
      );
      return {
        isActive: true,
        domain: isFree,
        changes: [{ path, source: { kind: "constant", value: step.value } }],
      };
    }
    case "default": {
      const path = splitPointer(step.to);
      return {
        isActive: not(places.isPresentAt(path)),
        domain: not(isBlocked(path, places)),
        changes: [{ path, source: { kind: "constant", value: step.value } }],
      };
    }
  }
}

/** Returns the effect of replacing the field at `from`, which must satisfy `schema`, by others. */
function describeMove(
  from: Path,
  schema: Schema,
  changes: readonly PlacedSource[],
  places: Places,
): StepEffect {
  const blockages = changes.map(({ path }) => {
    // The field itself is not in the way, because it is removed first.
    if (startsWith(path, from)) return false;
    return startsWith(from, path) ? true : isBlocked(path, places);
  });
  return {
    isActive: places.isPresentAt(from),
    domain: and(places.holdsAt(from, schema), not(or(...blockages))),
    changes: [
      { path: from, source: { kind: "absent" } },
      ...changes.filter(({ path }) => !isAncestor(path, from)),
    ],
  };
}

/** Returns the effect of moving a field to a place that may hold it already under its new name. */
function describeAlias(from: Path, to: Path, source: Source, places: Places): StepEffect {
  const hasBoth = places.isPresentAt(to);
  const { isActive, domain, changes } = describeMove(
    from,
    true,
    [{ path: to, source: { kind: "choice", if: hasBoth, then: { kind: "same", path: to }, else: source } }],
    places,
  );
  return { isActive, domain: or(hasBoth, domain), changes };
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((name, index) => path[index] === name);
}

function isAncestor(path: Path, of: Path): boolean {
  return path.length < of.length && startsWith(of, path);
}

function listParents(path: Path): Path[] {
  return path.slice(1).map((_, index) => path.slice(0, index + 1));
}

/** Returns the condition that a value prevents adding one at `path`. */
function isBlocked(path: Path, places: Places): Schema {
  return or(places.isPresentAt(path), ...listParents(path).map((each) => places.isNonObjectAt(each)));
}

/** Returns `source`, which is the value at `place`, with the value at `path` below it replaced. */
function placeSource(source: Source, place: Path, path: Path, value: Source): Source {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const object = openSource(source);
  const below = [...place, name];
  const member = object.members.get(name) ?? { kind: "same", path: below };
  const members = new Map(object.members).set(name, placeSource(member, below, rest, value));
  return { ...object, members };
}

function openSource(source: Source): Source & { readonly kind: "object" } {
  if (source.kind === "object") return source;
  if (source.kind === "same") return { kind: "object", path: source.path, members: new Map() };
  if (source.kind === "absent") return { kind: "object", path: undefined, members: new Map() };
  throw new InexpressibleCondition("a step moves a value into itself");
}

/** Returns the condition that there is a value. */
function isPresent(source: Source, places: Places): Schema {
  switch (source.kind) {
    case "same":
    case "computed":
      return places.isPresentAt(source.path);
    case "absent":
      return false;
    case "constant":
      return true;
    case "choice":
      return or(
        and(source.if, isPresent(source.then, places)),
        and(not(source.if), isPresent(source.else, places)),
      );
    case "object": {
      const base = source.path === undefined ? false : places.isPresentAt(source.path);
      return or(base, ...[...source.members.values()].map((each) => isPresent(each, places)));
    }
  }
}

/** Returns the condition that the value satisfies `schema` if there is one. */
function pullBackIfPresent(schema: Schema, source: Source, context: Context): Schema {
  if (schema === true) return true;
  switch (source.kind) {
    case "same":
      return context.places.holdsAt(source.path, schema);
    case "absent":
      return true;
    case "choice":
      return and(
        implies(source.if, pullBackIfPresent(schema, source.then, context)),
        implies(not(source.if), pullBackIfPresent(schema, source.else, context)),
      );
    case "computed":
    case "constant":
      return pullBackValue(schema, source, context);
    case "object":
      return implies(isPresent(source, context.places), pullBackValue(schema, source, context));
  }
}

/** Returns the condition that the value satisfies `schema`. It need not be right where there is no value. */
function pullBackValue(schema: Schema, source: Source, context: Context): Schema {
  if (typeof schema === "boolean") return schema;
  switch (source.kind) {
    case "constant":
      return acceptsValue(schema, source.value, context);
    case "computed":
      return context.places.holdsAt(source.path, source.pull(schema, context));
    case "object": {
      const { path = [] } = source;
      const rebuilt = and(
        ...Object.keys(schema).map((keyword) => pullBackKeyword(keyword, schema, source, context)),
      );
      // A value that is not an object stays as it is.
      if (path.length === 0) return rebuilt;
      const isKept = context.places.isNonObjectAt(path);
      if (schema.type === "object") return and(not(isKept), rebuilt);
      return and(implies(isKept, context.places.holdsAt(path, schema)), implies(not(isKept), rebuilt));
    }
    default:
      return pullBackIfPresent(schema, source, context);
  }
}

/** Returns whether a schema accepts a value. */
function acceptsValue(schema: Schema, value: Json, { definitions }: Context): boolean {
  return acceptsMessage({ allOf: [schema as Json], $defs: definitions as JsonObject }, value);
}

function pullBackMap(schema: Schema, values: { readonly [value: string]: Json }, context: Context): Schema {
  const accepted = Object.keys(values).filter((key) =>
    acceptsValue(schema, getOwn(values, key) as Json, context),
  );
  return or(
    accepted.length === 0 ? false : { enum: accepted },
    and({ not: { enum: Object.keys(values) } }, schema),
  );
}

type ObjectSource = Source & { readonly kind: "object" };

/** Keywords about values that are not objects. */
const OTHER_KEYWORDS = filterKeywords(
  ({ facet }, name) =>
    (facet === "bounds" && !name.endsWith("Properties")) ||
    facet === "texts" ||
    facet === "items" ||
    facet === "contains" ||
    name === "$defs" ||
    name === "then" ||
    name === "else",
);

/** Returns the condition that a keyword states about an object. */
function pullBackKeyword(
  keyword: string,
  schema: JsonObject,
  source: ObjectSource,
  context: Context,
): Schema {
  const value = schema[keyword] as Json;
  const apply = (sub: Json, inner = context): Schema => pullBackValue(sub as Schema, source, inner);
  const exact = { ...context, isExact: true };
  const list = (): readonly Json[] => value as readonly Json[];
  const has = (name: string): Schema => isPresent(getMember(source, name), context.places);
  if (OTHER_KEYWORDS.has(keyword)) return true;
  switch (keyword) {
    case "type":
      return [value].flat().includes("object");
    case "const":
    case "enum":
      if ((keyword === "const" ? [value] : list()).some(isObject))
        throw new InexpressibleCondition(`a changed object is compared by ${keyword}`);
      return false;
    case "$ref":
      return apply(context.definitions[getDefinitionName(String(value))] as Json);
    case "allOf":
      return and(...list().map((each) => apply(each)));
    case "anyOf":
      return or(...list().map((each) => apply(each)));
    case "oneOf":
      return { oneOf: list().map((each) => apply(each, exact) as Json) };
    case "not":
      return not(apply(value, exact));
    case "if": {
      const condition = apply(value, exact);
      return and(
        implies(condition, apply(schema.then ?? true)),
        implies(not(condition), apply(schema.else ?? true)),
      );
    }
    case "required":
      return and(...list().map((name) => has(String(name))));
    case "properties":
      return and(
        ...Object.entries(value as JsonObject).map(([name, sub]) =>
          pullBackIfPresent(sub as Schema, getMember(source, name), context),
        ),
      );
    case "dependentRequired":
      return and(
        ...Object.entries(value as JsonObject).map(([name, names]) =>
          implies(has(name), and(...(names as readonly string[]).map(has))),
        ),
      );
    case "dependentSchemas":
      return and(...Object.entries(value as JsonObject).map(([name, sub]) => implies(has(name), apply(sub))));
    case "patternProperties":
    case "additionalProperties":
      return pullBackOtherMembers(schema, keyword, source, context);
    case "unevaluatedProperties":
      return pullBackUnevaluated(schema, source, context);
    default:
      throw new InexpressibleCondition(`${keyword} constrains a changed object`);
  }
}

function getMember({ path, members }: ObjectSource, name: string): Source {
  return (
    members.get(name) ?? (path === undefined ? { kind: "absent" } : { kind: "same", path: [...path, name] })
  );
}

/** Returns the condition of `patternProperties` or `additionalProperties`. */
function pullBackOtherMembers(
  schema: JsonObject,
  keyword: "patternProperties" | "additionalProperties",
  source: ObjectSource,
  context: Context,
): Schema {
  const { path, members } = source;
  const declared = Object.keys((schema.properties ?? {}) as JsonObject);
  const patterns = (schema.patternProperties ?? {}) as JsonObject;
  const isMatched = (name: string) => Object.keys(patterns).some((each) => new RegExp(each, "u").test(name));
  if ([...members.keys()].some(isMatched))
    throw new InexpressibleCondition("patternProperties describe a changed field");
  if (keyword === "patternProperties")
    return path === undefined ? true : context.places.holdsAt(path, { patternProperties: patterns });
  const rest = schema.additionalProperties as Schema;
  const others = [...members].filter(([name]) => !declared.includes(name));
  const changed = others.map(([, member]) => limitMember(rest, member, context));
  return and(keepOthers(context, path, [...declared, ...members.keys()], patterns, rest), ...changed);
}

/** Returns the condition that a member satisfies the schema of other members. */
function limitMember(rest: Schema, member: Source, context: Context): Schema {
  return rest === false ? not(isPresent(member, context.places)) : pullBackIfPresent(rest, member, context);
}

/** Returns the condition that the members that a step leaves alone satisfy `rest`, except those with these names. */
function keepOthers(
  context: Context,
  path: Path | undefined,
  names: readonly string[],
  patterns: JsonObject,
  rest: Schema,
): Schema {
  if (path === undefined) return true;
  const accepted = (list: readonly string[]) => objectFrom(list.map((name) => [name, true] as const));
  return context.places.holdsAt(path, {
    properties: accepted([...new Set(names)]),
    ...(Object.keys(patterns).length > 0 && { patternProperties: accepted(Object.keys(patterns)) }),
    additionalProperties: rest as Json,
  });
}

/** Returns the condition of `unevaluatedProperties`: every other member belongs to a part of the schema that holds. */
function pullBackUnevaluated(schema: JsonObject, source: ObjectSource, context: Context): Schema {
  const { unevaluatedProperties: rest, ...family } = schema;
  const declared = listFamilyNames(family, context.definitions);
  if (declared === undefined)
    throw new InexpressibleCondition("unevaluatedProperties stand beside patterns of names");
  const names = new Set([...declared, ...source.members.keys()]);
  const conditions = [...names].map((name) => {
    const member = getMember(source, name);
    const isEvaluated = pullBackEvaluation(family, name, source, { ...context, isExact: true });
    return isEvaluated === true ? true : or(isEvaluated, limitMember(rest as Schema, member, context));
  });
  return and(keepOthers(context, source.path, [...names], {}, rest as Schema), ...conditions);
}

/** Returns the condition that a schema, which holds, evaluates the member `name`. */
function pullBackEvaluation(
  schema: Json | undefined,
  name: string,
  source: ObjectSource,
  context: Context,
): Schema {
  if (!isObject(schema)) return false;
  if (Object.hasOwn((schema.properties ?? {}) as JsonObject, name)) return true;
  if (schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined) return true;
  const evaluates = (part: Json | undefined) => pullBackEvaluation(part, name, source, context);
  const evaluatesIfValid = (part: Json | undefined): Schema => {
    const evaluated = evaluates(part);
    return evaluated === false ? false : and(pullBackValue(part as Schema, source, context), evaluated);
  };
  const evaluatesByCondition = (): Schema[] => {
    if (schema.if === undefined) return [];
    const condition = pullBackValue(schema.if as Schema, source, context);
    return [
      and(condition, or(evaluates(schema.if), evaluates(schema.then))),
      and(not(condition), evaluates(schema.else)),
    ];
  };
  const list = (keyword: string) => (schema[keyword] ?? []) as readonly Json[];
  const target =
    typeof schema.$ref === "string" ? context.definitions[getDefinitionName(schema.$ref)] : undefined;
  return or(
    evaluates(target as Json | undefined),
    ...list("allOf").map(evaluates),
    ...[...list("anyOf"), ...list("oneOf")].map(evaluatesIfValid),
    ...evaluatesByCondition(),
    ...Object.entries((schema.dependentSchemas ?? {}) as JsonObject).map(([key, part]) =>
      and(isPresent(getMember(source, key), context.places), evaluates(part)),
    ),
  );
}
