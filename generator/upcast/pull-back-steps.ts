/**
 * Pulls a condition on events back through a step of a plan: returns the condition that an event must meet so that the step
 * changes it to an event that meets the given one. The result is exact, except that a condition on a scaled number or on a
 * part of a text may be stricter than necessary. It is never weaker.
 */
import { acceptsMessage } from "../compat/proof/readings.js";
import { and, implies, not, Places } from "../contain/preimage/predicate.js";
import {
  ANYTHING,
  type Definitions,
  describeFacts,
  type Facts,
  findShape,
  type Path,
  wrapItem,
} from "../contain/preimage/presence.js";
import { holdsAtPositions, pullBackMembers, pullBackPositions } from "../contain/preimage/pull-back-items.js";
import { type Context, InexpressibleCondition } from "../contain/preimage/pull-back-keywords.js";
import { pullBackValue, type Source } from "../contain/preimage/pull-back-schema.js";
import { relateTexts } from "../contain/preimage/text-language.js";
import { getItem } from "../get-item.js";
import { type Json, type JsonObject, splitPointer } from "../json.js";
import {
  type DeepStep,
  type EachStep,
  enterList,
  ITEM,
  listDeepSteps,
  type NestedStep,
} from "../protocol/nested-steps.js";
import { EVERY_DEPTH, listPlaces, MEMBERS, readPositions } from "../protocol/step-places.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { readSubschema, type Schema } from "../schema/json-schema.js";
import { describeNode, describeSelectedValues, groupSteps, mergeSteps } from "./deep-steps.js";
import { applyStepToShape } from "./step-shape.js";
import type { PlacedSource, StepEffect } from "./steps/step-kind.js";
import { readStep } from "./steps/step-kinds.js";
import { describeSubstitution, mergeMoves, type Substitution } from "./substitution.js";

/** Returns the schema of those of the sent events that the steps change to accepted events. */
export function pullBackSteps(
  accepted: JsonObject,
  steps: readonly UpcastStep[],
  sent: JsonObject,
  discriminator: string,
): JsonObject {
  const conditional = mergeMoves(steps.filter(isConditionalAtEveryDepth).map(enterDepths));
  if (conditional.length > MAX_CONDITIONAL_DEEP_STEPS)
    throw new InexpressibleCondition("too many steps have conditions at every depth");
  const { $defs = {}, ...condition } = accepted;
  const { definitions, define } = collectDefinitions($defs as Definitions);
  const merged = mergeMoves(groupSteps(steps).map(mergeSteps));
  const shapes = [describeFacts(sent, (sent.$defs ?? {}) as Definitions)];
  for (const step of merged)
    shapes.push(changeShape(getItem(shapes, shapes.length - 1), step, discriminator));
  const accepts = (schema: Schema, value: Json) =>
    acceptsMessage({ allOf: [schema], $defs: { ...definitions } }, value);
  const pulled = merged.reduceRight<Schema>((later, step, index) => {
    const shape = getItem(shapes, index);
    const context: StepContext = {
      discriminator,
      definitions,
      accepts,
      relateTexts,
      shape,
      places: new Places(shape),
      define: (key, create) => define(`${index} ${key}`, create),
      sent: (sent.$defs ?? {}) as Definitions,
      isExact: false,
    };
    const pulled = pullBackStep(later, step, context);
    if (countValues(pulled, MAX_VALUES) >= MAX_VALUES)
      throw new InexpressibleCondition("the condition before the steps is too large");
    return pulled;
  }, readSubschema(condition));
  return { allOf: [pulled], $defs: { ...definitions } };
}

/** A step, or several that are pulled back as one. */
type PulledStep = NestedStep | Substitution;

function changeShape(shape: Facts, step: PulledStep, discriminator: string): Facts {
  const steps = step.step === "substitution" ? step.moves : [step];
  return steps.reduce<Facts>((result, each) => applyStepToShape(result, each, discriminator), shape);
}

/** Returns a step about one of the values at every depth. */
function enterDepths(step: UpcastStep): NestedStep {
  let [inner, ...others]: readonly NestedStep[] = [enterList(step)];
  while (inner !== undefined && others.length === 0 && (inner.step === "each" || inner.step === "deep"))
    [inner, ...others] = inner.inner.map(enterList);
  return inner ?? step;
}

/** The greatest number of steps with conditions at every depth. Each multiplies the condition before it. */
const MAX_CONDITIONAL_DEEP_STEPS = 3;

function isConditionalAtEveryDepth(step: UpcastStep): boolean {
  return step.when !== undefined && listPlaces(step).some((place) => place.split("/").includes(EVERY_DEPTH));
}

/** The greatest number of objects, lists and scalars in a condition. Steps with conditions of their own can double it. */
const MAX_VALUES = 200_000;

/** Returns the number of objects, lists and scalars of a value, at most `limit`. */
function countValues(value: Json, limit: number): number {
  let count = 1;
  if (value === null || typeof value !== "object") return count;
  for (const part of Object.values(value)) {
    if (count >= limit) return limit;
    count += countValues(part, limit - count);
  }
  return Math.min(count, limit);
}

/** The greatest number of conditions on values of recursive definitions. */
const MAX_CONDITIONS = 400;

/** Returns the definitions, to which `define` adds conditions. */
function collectDefinitions(given: Definitions): {
  readonly definitions: Definitions;
  readonly define: StepContext["define"];
} {
  const definitions: { [name: string]: Schema } = { ...given };
  const names = new Map<string, string>();
  const define = (key: string, create: () => Schema): Schema => {
    const known = names.get(key);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    if (names.size >= MAX_CONDITIONS)
      throw new InexpressibleCondition("the conditions at every depth are too many");
    const name = `pulled.${names.size}`;
    names.set(key, name);
    const condition = create();
    definitions[name] = condition;
    return typeof condition === "boolean" ? condition : { $ref: `#/$defs/${name}` };
  };
  return { definitions, define };
}

/** How a condition is pulled back through a step. */
interface StepContext extends Context {
  /** The field with the event type. */
  readonly discriminator: string;
  /** What is certain about the fields before the step. */
  readonly shape: Facts;
  /** Returns a reference to the condition with a key. If it is new, `create` returns it, which may ask for itself. */
  readonly define: (key: string, create: () => Schema) => Schema;
  /** The definitions of the events before all steps. */
  readonly sent: Definitions;
  /** The change at every depth of which the step is a part. */
  readonly enclosing?: { readonly inner: DeepStep["inner"]; readonly pull: PullValue };
}

/**
 * Returns the condition before a step from the condition after it. Both are about the event, or about the item of a list
 * that is the member `member` of the object that the step changes.
 */
function pullBackStep(
  condition: Schema,
  declared: PulledStep,
  context: StepContext,
  member?: typeof ITEM,
): Schema {
  const { places } = context;
  const step = declared.step === "substitution" ? declared : enterList(declared);
  const isSelected = and(
    ...Object.entries(step.when ?? {}).map(([pointer, values]) =>
      places.hasValueAt(splitPointer(pointer), { enum: values }),
    ),
  );
  const { domain, changes, isActive } = describeStep(step, context);
  if (step.step === "substitution") {
    const substituted = and(domain, pullBackValue(condition, createSource(changes, member), context));
    return and(implies(isSelected, substituted), implies(not(isSelected), condition));
  }
  const active = and(isSelected, isActive);
  // If a step removes a field, the field is absent whether it was there or not.
  const choose = (change: PlacedSource) =>
    chooseSource(change.source.kind === "absent" ? isSelected : active, change);
  const source = createSource(
    changes.map((change) => ({ path: change.path, source: choose(change) })),
    member,
  );
  return and(implies(active, domain), pullBackValue(condition, source, context));
}

/** Returns the event after changes, or its member. */
function createSource(changes: readonly PlacedSource[], member: typeof ITEM | undefined): Source {
  const root = changes.reduce<ObjectSource>(
    (source, change) => openSource(placeSource(source, [], change.path, change.source)),
    { kind: "object", path: [], members: new Map() },
  );
  return member === undefined ? root : (root.members.get(member) ?? { kind: "same", path: [member] });
}

function chooseSource(active: Schema, { path, source }: PlacedSource): Source {
  if (active === true) return source;
  const same: Source = { kind: "same", path };
  return active === false ? same : { kind: "choice", if: active, then: source, else: same };
}

function describeStep(step: PulledStep, context: StepContext): StepEffect {
  if (step.step === "substitution") return describeSubstitution(step, context.places);
  if (step.step === "each") return describeSelected(step, context);
  if (step.step === "deep") return describeDeep(step, context);
  return readStep(step).describeEffect(context.places, context.discriminator);
}

/** Returns the effect of changing items of a list, or the values of a map. */
function describeSelected({ list, selector, inner }: EachStep, context: StepContext): StepEffect {
  const path = splitPointer(list);
  const values = describeSelectedValues(findShape(context.shape, path), selector, context.sent);
  const pullItem = createItemPull(inner, values, context);
  const pull = (schema: Schema, { isExact }: Context): Schema => {
    const changed = { ...context, isExact };
    return selector === MEMBERS
      ? pullBackMembers(schema, changed, pullItem)
      : pullBackPositions(schema, readPositions(selector), changed, pullItem);
  };
  const domain = pullItem(true, context.isExact);
  const holds =
    selector === MEMBERS
      ? { additionalProperties: domain }
      : holdsAtPositions(readPositions(selector), domain);
  return {
    isActive: true,
    domain: domain === true ? true : context.places.holdsAt(path, holds),
    changes: [{ path, source: { kind: "computed", path, pull } }],
  };
}

/**
 * Returns the effect of changing a value and those below it. The condition on a value refers to itself, so each one is a
 * definition of its own.
 */
function describeDeep(step: DeepStep, context: StepContext): StepEffect {
  const path = splitPointer(step.list);
  // The values below a value are changed in the same way.
  const pull =
    context.enclosing?.inner === step.inner
      ? context.enclosing.pull
      : createDeepPull(step, findShape(context.shape, path), context);
  return {
    isActive: true,
    domain: context.places.holdsAt(path, pull(true, context.isExact)),
    changes: [
      { path, source: { kind: "computed", path, pull: (schema, { isExact }) => pull(schema, isExact) } },
    ],
  };
}

/** Returns how conditions are pulled back through steps that change a value with these facts. */
function createItemPull(inner: readonly NestedStep[], value: Facts, context: StepContext): PullValue {
  const steps = mergeMoves(groupSteps(inner).map(mergeSteps));
  const shapes = [wrapItem({ ...ANYTHING, items: value }, ITEM)];
  for (const each of steps)
    shapes.push(changeShape(getItem(shapes, shapes.length - 1), each, context.discriminator));
  return (schema, isExact) =>
    steps.reduceRight((later, each, index) => {
      const shape = getItem(shapes, index);
      return pullBackStep(later, each, { ...context, shape, places: new Places(shape, 1), isExact }, ITEM);
    }, schema);
}

/** Returns the condition on a value before a change from the one after it; exactly that one if `isExact`. */
type PullValue = (schema: Schema, isExact: boolean) => Schema;

/** Returns how conditions are pulled back through the change of a value with this shape and of those below it. */
function createDeepPull(step: DeepStep, shape: Facts, context: StepContext): PullValue {
  const node = describeNode(shape, step.loops, context.sent);
  const pull: PullValue = (schema, isExact) =>
    context.define(JSON.stringify([step, schema, isExact]), () => pullNode(schema, isExact));
  const enclosing = { inner: step.inner, pull };
  const pullNode = createItemPull(listDeepSteps(step), node, { ...context, enclosing });
  return pull;
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

type ObjectSource = Source & { readonly kind: "object" };

function openSource(source: Source): ObjectSource {
  if (source.kind === "object") return source;
  if (source.kind === "same") return { kind: "object", path: source.path, members: new Map() };
  if (source.kind === "absent") return { kind: "object", path: undefined, members: new Map() };
  throw new InexpressibleCondition("a step moves a value into itself");
}
