/** Decides by messages alone whether a version of a protocol breaks another one, without any code of generator/compat. */
import {
  registerSchema,
  type SchemaObject,
  unregisterSchema,
  validate,
} from "@hyperjump/json-schema/draft-2020-12";
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { makeAjv } from "../../../generator/validators/ajv.js";
import { enumerateMessages } from "./enumerate-messages.js";
import { collectLabelledParts, hasValueAt, relaxPart, type Step } from "./labelled-parts.js";
import { getStability, listMessagePaths, type ProtocolFiles } from "./protocol-files.js";
import { applyReading, createMessageSchema, type Reading } from "./read-messages.js";

/** The kind of a break. "backward": writers may no longer send a message. "forward": old readers refuse a current message. */
export type Inclusion = "backward" | "forward";

/** A message that shows a break. */
export interface Break {
  /** The file of its event type or resource. */
  readonly path: string;
  readonly inclusion: Inclusion;
  readonly message: Json;
  /** The schema that accepts the message, as plain JSON Schema. */
  readonly accepting: Json;
  /** The schema that refuses the message, as plain JSON Schema. */
  readonly refusing: Json;
}

/** A compiled schema. */
export type Check = (value: Json) => boolean;

const MAX_COMPILED = 400;
let ajv = createAjv();
let compiled = new Map<string, Check>();

function createAjv() {
  // A schema checks about a hundred messages. Optimizing its code would take longer than these checks.
  return makeAjv({ ownProperties: true, allErrors: false, addUsedSchema: false, code: { optimize: false } });
}

/** Compiles a schema with Ajv. The cache is limited, because an Ajv instance never releases a schema. */
export function compileWithAjv(schema: Json): Check {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size === MAX_COMPILED) {
    ajv = createAjv();
    compiled = new Map();
  }
  const validate = ajv.compile(schema as object | boolean);
  const check: Check = (value) => validate(value) === true;
  compiled.set(key, check);
  return check;
}

/** Returns the schema of messages under a reading. It accepts nothing if the protocol does not have the file. */
export function buildReading(
  reading: Reading,
  files: ProtocolFiles,
  path: string,
  relaxed: readonly (readonly Step[])[] = [],
): Json {
  if (files[path] === undefined) return false;
  const schema = relaxed.reduce<Json>(
    (whole, steps) => relaxPart(whole, steps),
    createMessageSchema(files, path),
  );
  return applyReading(reading, schema);
}

/** Options that determine which breaks are found. */
export interface BreakSearch {
  readonly seed: number;
  /** A version between the two whose breaks were reviewed. Breaks that it shows are not found. */
  readonly reviewed?: ProtocolFiles;
}

/** The stabilities of contracts whose breaks are errors. */
const PROTECTED = ["stable", "candidate"];
/** The labels of parts that may change. A break that only such a part causes is not found. */
const EXCUSED = ["experimental"];

/** Yields at most one break for each inclusion of each stable or candidate event and resource of the baseline. */
export function* findBreaks(
  baseline: ProtocolFiles,
  current: ProtocolFiles,
  search: BreakSearch,
): Generator<Break> {
  for (const path of listMessagePaths(baseline)) {
    if (!PROTECTED.includes(getStability(baseline, path))) continue;
    const parts = collectLabelledParts(createMessageSchema(baseline, path), EXCUSED);
    for (const inclusion of ["backward", "forward"] as const) {
      const found = findBreak({ baseline, current, path, inclusion, parts, ...search });
      if (found) yield found;
    }
  }
}

interface Question extends BreakSearch {
  readonly baseline: ProtocolFiles;
  readonly current: ProtocolFiles;
  readonly path: string;
  readonly inclusion: Inclusion;
  readonly parts: readonly (readonly Step[])[];
}

/** Returns the side that sends messages and the side that must accept them. */
function selectSides({ baseline, current, inclusion }: Question) {
  return inclusion === "backward"
    ? ({ sender: baseline, receiver: current, reading: "emit" } as const)
    : ({ sender: current, receiver: baseline, reading: "read" } as const);
}

function findBreak(question: Question): Break | undefined {
  const { path, inclusion, parts, seed, reviewed } = question;
  const { sender, receiver, reading } = selectSides(question);
  if (sender[path] === undefined) return undefined;
  const accepting = buildReading("emit", sender, path);
  const refusing = buildReading(reading, receiver, path);
  // If writers of both versions may send the same messages, readers of both versions accept them.
  if (JSON.stringify(accepting) === JSON.stringify(buildReading("emit", receiver, path))) return undefined;
  const isSent = compileWithAjv(accepting);
  const isAccepted = compileWithAjv(refusing);
  const other = receiver[path] === undefined ? true : createMessageSchema(receiver, path);
  const messages = enumerateMessages(createMessageSchema(sender, path), other, seed);
  const isBreak: Check = (message) => isSent(message) && !isAccepted(message);
  const accepted = messages.find((message) => isSent(message) && isAccepted(message));
  const wasReviewed =
    reviewed &&
    createReviewCheck(question, { accepting, refusing, reviewed: buildReading(reading, reviewed, path) });
  const relaxed = new Map<string, Json>();
  for (const candidate of messages) {
    if (!isBreak(candidate)) continue;
    // A message may break for several reasons, some of which were reviewed.
    const message = wasReviewed ? reduceMessage(candidate, isBreak, accepted) : candidate;
    if (wasReviewed?.(message)) continue;
    const carried = parts.filter((steps) => hasValueAt(message, steps));
    if (carried.length === 0) return { path, inclusion, message, accepting, refusing };
    const key = carried.map((part) => parts.indexOf(part)).join();
    const schema = relaxed.get(key) ?? buildReading(reading, receiver, path, carried);
    relaxed.set(key, schema);
    if (!compileWithAjv(schema)(message)) return { path, inclusion, message, accepting, refusing: schema };
  }
  return undefined;
}

interface Readings {
  readonly accepting: Json;
  readonly refusing: Json;
  readonly reviewed: Json;
}

/**
 * Creates a check for breaks that the reviewed version shows as well. Its writers may not send the message, or may
 * already send it to the old readers. In a forward break, only the fields that cause it count: all versions are
 * compared without required fields.
 */
function createReviewCheck(question: Question, { accepting, refusing, reviewed }: Readings): Check {
  const isInReviewed = compileWithAjv(reviewed);
  if (question.inclusion === "backward") return (message) => !isInReviewed(message);
  const lacksReviewedField = createAbsenceCheck(question, compileWithAjv(refusing));
  const isSent = compileWithAjv(removeRequired(accepting));
  const isAccepted = compileWithAjv(removeRequired(refusing));
  const isReviewed = compileWithAjv(removeRequired(reviewed));
  const isBreak: Check = (message) => isSent(message) && !isAccepted(message);
  return (message) =>
    isInReviewed(message) ||
    lacksReviewedField(message) ||
    (isBreak(message) && isReviewed(reduceMessage(message, isBreak, undefined)));
}

/**
 * Creates a check for messages that break because one of their fields is missing, if messages of the reviewed version
 * break because the same field is missing. An example is a payload under another name: readers miss the old name,
 * whatever the payload contains.
 */
function createAbsenceCheck({ baseline, reviewed, path, seed }: Question, isAccepted: Check): Check {
  const listMessages = (files: ProtocolFiles | undefined): Json[] =>
    files?.[path] === undefined
      ? []
      : enumerateMessages(createMessageSchema(files, path), true, seed).filter(
          compileWithAjv(buildReading("emit", files, path)),
        );
  const fields = listMessages(baseline).flatMap((message) =>
    isObject(message) ? Object.entries(message) : [],
  );
  const isCured = (message: Json, [name, value]: readonly [string, Json]): boolean =>
    isObject(message) && !Object.hasOwn(message, name) && isAccepted({ ...message, [name]: value });
  const broken = listMessages(reviewed).filter((message) => !isAccepted(message));
  const cures = fields.filter((field) => broken.some((message) => isCured(message, field)));
  return (message) => cures.some((field) => isCured(message, field));
}

/** Keywords that require fields. */
const REQUIRING = ["required", "dependentRequired", "minProperties"];

/** Returns a copy of the schema that requires no fields. */
function removeRequired(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(removeRequired);
  if (!isObject(schema)) return schema;
  // If the value of `required` is an object, it is the schema of a property of this name.
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      !REQUIRING.includes(keyword) || (isObject(value) && keyword !== "dependentRequired"),
  );
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, removeRequired(value)]));
}

/** Removes all parts that the break does not need, or replaces them by parts of an accepted message. */
function reduceMessage(message: Json, isBreak: Check, accepted: Json | undefined): Json {
  /** Reduces one part of the message. `replace` returns the message with another value instead of this part. */
  const reducePart = (part: Json, model: Json | undefined, replace: (changed: Json) => Json): Json => {
    const value = model !== undefined && isBreak(replace(model)) ? model : part;
    if (Array.isArray(value)) return reduceItems(value, replace);
    if (!isObject(value)) return value;
    let object: JsonObject = value;
    for (const name of Object.keys(value)) {
      const { [name]: dropped = null, ...rest } = object;
      const around = object;
      const below = isObject(model) && Object.hasOwn(model, name) ? model[name] : undefined;
      const replaceMember = (changed: Json): Json => replace({ ...around, [name]: changed });
      object = isBreak(replace(rest))
        ? rest
        : { ...around, [name]: reducePart(dropped, below, replaceMember) };
    }
    return object;
  };
  const reduceItems = (value: readonly Json[], replace: (changed: Json) => Json): Json => {
    let items = value;
    for (let index = items.length - 1; index >= 0; index--) {
      const around = items;
      const shorter = items.toSpliced(index, 1);
      const replaceItem = (changed: Json): Json => replace(around.with(index, changed));
      items = isBreak(replace(shorter))
        ? shorter
        : around.with(index, reducePart(around[index] ?? null, undefined, replaceItem));
    }
    return items;
  };
  return reducePart(message, accepted, (changed) => changed);
}

let registeredSchemas = 0;

/** Returns true if the message is a break according to @hyperjump/json-schema as well. */
export async function isBreakForHyperjump({ message, accepting, refusing }: Break): Promise<boolean> {
  return (await isValidForHyperjump(accepting, message)) && !(await isValidForHyperjump(refusing, message));
}

async function isValidForHyperjump(schema: Json, message: Json): Promise<boolean> {
  if (typeof schema === "boolean") return schema;
  const uri = `https://fuzz.invalid/compat/${registeredSchemas++}`;
  registerSchema(schema as SchemaObject, uri, "https://json-schema.org/draft/2020-12/schema");
  try {
    const check = await validate(uri);
    return check(message as Parameters<typeof check>[0]).valid;
  } finally {
    unregisterSchema(uri);
  }
}
