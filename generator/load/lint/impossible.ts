/** Finds parts of schemas that no value satisfies. */
import { createErrorFinding, type Finding, type Location } from "../../finding.js";
import { isObject, type Json, type JsonObject, joinPointer } from "../../json.js";
import { findPayloadPlaceSchema } from "../../protocol/message-layout.js";
import { createBodyReading, createEnvelopeReading } from "../../protocol/message-readings.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { CONJUNCTION, listStatements } from "../../schema/describe.js";
import type { Definition, Schema } from "../../schema/json-schema.js";
import { filterKeywords } from "../../schema/keywords.js";
import { describeFamily } from "../../schema/object-family.js";
import { buildDocument, readAs } from "../../schema/readings.js";
import { findTarget } from "../../schema/reference.js";
import { listSubschemas, type Subschema } from "../../schema/walk.js";
import { type LintInput, listRootSchemas, locateInFiles } from "./input.js";
import { areDisjoint, createPlainTest, isPlainlyImpossible, listRestrictions } from "./plain-schemas.js";

/** The steps that all questions about one protocol may take together, and those of one question. */
const MAX_STEPS = 500_000;
const LIMITS = { maxSteps: 20_000, maxValues: 5_000, maxStates: 500, timeoutMs: 10_000 };
/** The number of questions that are asked about one protocol. */
const MAX_QUESTIONS = 500;

/** Keywords whose schemas describe values that can be sent: not `not`, `if`, `contains`, names of fields, or content of texts. */
const VALUE_KEYWORDS = filterKeywords(
  ({ subject, monotone }) => monotone === true && subject !== "content" && subject !== "definition",
);

/** A part of a schema that no value satisfies. */
interface ImpossiblePart {
  readonly schema: Json;
  readonly at: Location;
  readonly message: string;
  readonly hint: string;
}

/**
 * Reports each part of a schema that no value satisfies, at the deepest place that is the cause, and each event type that cannot
 * be sent. Whatever cannot be decided within the limits is not reported.
 */
export async function lintImpossible(input: LintInput): Promise<Finding[]> {
  const { protocol } = input;
  const questions = new Questions(protocol);
  const parts = await findParts(protocol, questions);
  const reached = new Map(parts.map((part) => [part, collectReached(part.schema, protocol)]));
  const isCause = (part: ImpossiblePart, index: number): boolean =>
    !parts.some((other, otherIndex) => {
      if (other === part || !reached.get(part)?.has(other.schema)) return false;
      // Of parts that refer to each other, the first one is reported.
      return !reached.get(other)?.has(part.schema) || otherIndex < index;
    });
  const causes = parts.filter(isCause);
  const blocked = await findBlockedEvents(causes, protocol, questions);
  const findings = causes.map(({ schema, at, message, hint }): Finding => {
    const event = blocked.find((each) => each.causes.some((cause) => cause.schema === schema))?.event;
    const place = locateInFiles(input, at);
    if (event === undefined)
      return { ...createErrorFinding("value-impossible", message, place, hint), severity: "warning" };
    const text = `${message} So no event ${event.type} can be sent.`;
    return createBlockedFinding(text, place, hint);
  });
  const otherBlocked = blocked.filter(({ causes }) => causes.length === 0);
  if (otherBlocked.length > 1 && otherBlocked.length === protocol.events.length)
    return [
      ...findings,
      createBlockedFinding(
        "No event can be sent: the envelope contradicts itself, or the schemas of all event types.",
        protocol.envelope.at,
        "Compare what the envelope and the events say about the same fields.",
      ),
    ];
  return [
    ...findings,
    ...otherBlocked.map(({ event: { type, at } }) =>
      createBlockedFinding(
        `No event ${type} can be sent: its schema and that of the envelope contradict each other.`,
        at,
        "Compare what both say about the same fields.",
      ),
    ),
  ];
}

/** Creates a finding about event types that cannot be sent. A published protocol may have some, so only a release refuses them. */
function createBlockedFinding(message: string, at: Location, hint: string): Finding {
  return { ...createErrorFinding("event-impossible", message, at, hint), severity: "warning" };
}

/** Returns the event types that cannot be sent, with the causes that they reach. */
async function findBlockedEvents(
  causes: readonly ImpossiblePart[],
  protocol: Protocol,
  questions: Questions,
): Promise<{ readonly event: EventType; readonly causes: readonly ImpossiblePart[] }[]> {
  const isEnvelopePlain = questions.isPlain(protocol.envelope.schema) && isPayloadPlacePlain(protocol);
  const reachedByEnvelope = collectReached(protocol.envelope.schema, protocol);
  const blocked = [];
  for (const event of protocol.events) {
    const reached = causes.length === 0 ? new Set<Json>() : collectReached(event.payload, protocol);
    const ownCauses = causes.filter(({ schema }) => reached.has(schema) || reachedByEnvelope.has(schema));
    if (isEnvelopePlain && ownCauses.length === 0) continue;
    if (await questions.isImpossibleEvent(event)) blocked.push({ event, causes: ownCauses });
  }
  return blocked;
}

/** Returns whether the envelope restricts payloads only to objects with fields of their own. */
function isPayloadPlacePlain({ envelope }: Protocol): boolean {
  const place = findPayloadPlaceSchema(envelope);
  if (!isObject(place)) return true;
  const others = listRestrictions(place).filter(
    (keyword) => !["type", "properties", "additionalProperties"].includes(keyword),
  );
  return others.length === 0 && [place.type ?? "object"].flat().includes("object");
}

/** Asks the engine of containment, which is loaded for the first question. */
class Questions {
  readonly isPlain: ReturnType<typeof createPlainTest>;
  private steps = 0;
  private count = 0;

  constructor(private readonly protocol: Protocol) {
    this.isPlain = createPlainTest(protocol.definitions);
  }

  /** Returns whether no value satisfies a schema of the protocol. Objects are not closed, because other schemas may add fields. */
  async isImpossible(schema: Schema): Promise<boolean> {
    return this.ask(buildDocument(readAs("writer", schema, this.protocol.definitions, "branch")));
  }

  async isImpossibleEvent(event: EventType): Promise<boolean> {
    const { discriminator } = this.protocol.envelope;
    const envelope = createEnvelopeReading("writer", this.protocol);
    const body = createBodyReading("writer", this.protocol, event);
    const type = { properties: { [discriminator]: { const: event.type } } };
    return this.ask({
      allOf: [{ type: "object" }, envelope.schema, body.schema, type],
      $defs: { ...envelope.$defs, ...body.$defs },
    });
  }

  private async ask(document: Json): Promise<boolean> {
    if (this.count >= MAX_QUESTIONS || this.steps >= MAX_STEPS) return false;
    this.count++;
    const { decideImpossibility } = await import("../../contain/solve/decide-impossibility.js");
    const { isImpossible, steps } = await decideImpossibility(document, LIMITS);
    this.steps += steps;
    return isImpossible;
  }
}

/** Returns the parts of a protocol that no value satisfies, each place once. */
async function findParts(protocol: Protocol, questions: Questions): Promise<ImpossiblePart[]> {
  const found: ImpossiblePart[] = [];
  const visited = new Set<Json>();
  const visit = async ({ schema, at }: Definition, keyword?: string): Promise<void> => {
    if (!isObject(schema) || visited.has(schema)) return;
    visited.add(schema);
    const target = findTarget(schema, protocol.definitions);
    if (target) await visit(target);
    for (const part of listValueParts(schema, at.pointer))
      await visit({ schema: part.schema as Schema, at: { ...at, pointer: part.pointer } }, part.keyword);
    if (isPlainlyImpossible(schema) || questions.isPlain(schema)) return;
    const forbidden = findForbiddenFields(schema, at);
    found.push(...forbidden);
    if (forbidden.length > 0 || listRestrictions(schema).join() === "$ref") return;
    if (await questions.isImpossible(schema)) {
      found.push({ schema, at, ...describePart(keyword) });
      return;
    }
    questions.isPlain.accept(schema);
    found.push(...(await findImpossibleInContext(schema, at, protocol, questions)));
  };
  // A definition is visited before the schemas that refer to it.
  for (const root of listRootSchemas(protocol)) await visit(root);
  return found;
}

function describePart(keyword: string | undefined): Pick<ImpossiblePart, "message" | "hint"> {
  const hint = "Correct the keywords that contradict each other, or remove this part.";
  if (keyword === "properties") return { message: "No value satisfies the schema of this field.", hint };
  if (keyword === "items" || keyword === "prefixItems")
    return { message: "No value satisfies the schema of these items.", hint };
  if (keyword === "anyOf" || keyword === "oneOf")
    return { message: "No value satisfies this alternative.", hint };
  return { message: "No value satisfies this schema.", hint };
}

/** Returns the subschemas that describe values, without those in which nothing is allowed on purpose. */
function listValueParts(schema: JsonObject, pointer: string): Subschema[] {
  return listSubschemas(schema, pointer).filter(
    (part) => VALUE_KEYWORDS.has(part.keyword) && !isPlainlyImpossible(part.schema),
  );
}

/** Returns the required fields of which the schema itself allows no value. */
function findForbiddenFields({ required, properties }: JsonObject, at: Location): ImpossiblePart[] {
  if (!Array.isArray(required) || !isObject(properties)) return [];
  return required.flatMap((name) => {
    if (typeof name !== "string" || !Object.hasOwn(properties, name)) return [];
    const schema = properties[name] ?? null;
    if (!isPlainlyImpossible(schema)) return [];
    return {
      schema,
      at: { ...at, pointer: joinPointer(at.pointer, "properties", name) },
      message: `The field ${JSON.stringify(name)} is required, but no value is allowed.`,
      hint: 'Remove the field from "required", or give it a schema that allows a value.',
    };
  });
}

/** Returns the alternatives and fields that are possible by themselves, but not together with what the schema says besides. */
async function findImpossibleInContext(
  schema: JsonObject,
  at: Location,
  protocol: Protocol,
  questions: Questions,
): Promise<ImpossiblePart[]> {
  const found: ImpossiblePart[] = [];
  const isAlone = listRestrictions(schema).length === 1;
  for (const keyword of ["anyOf", "oneOf"]) {
    const alternatives = schema[keyword];
    if (!Array.isArray(alternatives)) continue;
    if (isAlone && (keyword === "anyOf" || areDisjoint(alternatives, protocol.definitions))) continue;
    for (const [index, alternative] of alternatives.entries()) {
      if (!isObject(alternative) || isPlainlyImpossible(alternative)) continue;
      if (await questions.isImpossible({ allOf: [schema, alternative] }))
        found.push({
          schema: alternative,
          at: { ...at, pointer: joinPointer(at.pointer, keyword, index) },
          message: isAlone
            ? "No value satisfies this alternative of oneOf and none of the others."
            : "No value satisfies this alternative together with the keywords beside it.",
          hint: "Remove the alternative, or correct what contradicts it.",
        });
    }
  }
  const family = describeFamily(schema, protocol.definitions, at, CONJUNCTION);
  const places = new Map<string, { readonly schema: Schema; readonly at: Location }[]>();
  for (const { value, spot } of listStatements(family, "properties"))
    for (const [name, field] of Object.entries(isObject(value) ? value : {})) {
      const place = { file: spot.file, pointer: joinPointer(spot.pointer, name) };
      places.set(name, [...(places.get(name) ?? []), { schema: field as Schema, at: place }]);
    }
  for (const [name, spots] of places) {
    const [first] = spots;
    if (spots.length < 2 || first === undefined || spots.some((spot) => isPlainlyImpossible(spot.schema)))
      continue;
    const allOf = spots.map((spot) => spot.schema);
    if (!questions.isPlain({ allOf }) && (await questions.isImpossible({ allOf })))
      found.push({
        ...first,
        message: `No value satisfies all schemas that the field ${JSON.stringify(name)} has here and in allOf or a reference.`,
        hint: "Say the same about the field in all places, or declare it in one of them only.",
      });
  }
  return found;
}

/** Returns a schema and all schemas that describe values in it, also behind references. */
function collectReached(schema: Json, { definitions }: Protocol): ReadonlySet<Json> {
  const reached = new Set<Json>();
  const queue: Json[] = [schema];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    if (!isObject(next)) continue;
    const target = findTarget(next, definitions);
    if (target) queue.push(target.schema);
    queue.push(
      ...listSubschemas(next).flatMap((part) => (VALUE_KEYWORDS.has(part.keyword) ? [part.schema] : [])),
    );
  }
  return reached;
}
