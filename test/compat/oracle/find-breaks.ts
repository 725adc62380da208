/** The verdict on two versions of a protocol by their messages alone; nothing here comes from generator/compat. */
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

/** `backward`: a baseline message that may not be sent any more. `forward`: a current one that old readers refuse. */
export type Inclusion = "backward" | "forward";

/** A message that breaks. */
export interface Break {
  /** The file of its event type or resource. */
  readonly path: string;
  readonly inclusion: Inclusion;
  readonly message: Json;
  /** The schemas that take and refuse it, as plain JSON Schema. */
  readonly taken: Json;
  readonly refused: Json;
}

/** A compiled schema. */
export type Check = (value: Json) => boolean;

const MAX_COMPILED = 400;
let ajv = createAjv();
let compiled = new Map<string, Check>();

function createAjv() {
  // Each schema judges a hundred messages: to make its code small would take longer than they do.
  return makeAjv({ ownProperties: true, allErrors: false, addUsedSchema: false, code: { optimize: false } });
}

/** Compiles a schema with Ajv, once while it is in use; an instance keeps every schema that it has seen, so it is given up. */
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

const UNKNOWN: Json = false;

/** The schema of messages under a reading; nothing passes where the protocol does not have the file. */
export function buildReading(
  reading: Reading,
  files: ProtocolFiles,
  path: string,
  relaxed: readonly (readonly Step[])[] = [],
): Json {
  if (files[path] === undefined) return UNKNOWN;
  const schema = relaxed.reduce<Json>(
    (whole, steps) => relaxPart(whole, steps),
    createMessageSchema(files, path),
  );
  return applyReading(reading, schema);
}

/** What decides which breaks count. */
export interface BreakSearch {
  readonly seed: number;
  /** A version between the two whose breaks were reviewed: only those count that it does not show. */
  readonly reviewed?: ProtocolFiles;
}

/** Contracts whose breaks are errors, and labels of parts that excuse a break which they alone are at fault of. */
const PROTECTED = ["stable", "candidate"];
const EXCUSED = ["experimental"];

/** The breaks of stable and candidate events and resources of the baseline, one for each and inclusion, if a message shows them. */
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

/** The smaller and the larger side of an inclusion. */
function selectSides({ baseline, current, inclusion }: Question) {
  return inclusion === "backward"
    ? ({ small: baseline, large: current, reading: "emit" } as const)
    : ({ small: current, large: baseline, reading: "read" } as const);
}

function findBreak(question: Question): Break | undefined {
  const { path, inclusion, parts, seed, reviewed } = question;
  const { small, large, reading } = selectSides(question);
  if (small[path] === undefined) return undefined;
  const taken = buildReading("emit", small, path);
  const refused = buildReading(reading, large, path);
  // What writers may send as before, readers accept as before.
  if (JSON.stringify(taken) === JSON.stringify(buildReading("emit", large, path))) return undefined;
  const [isTaken, isAccepted] = [compileWithAjv(taken), compileWithAjv(refused)];
  const other = large[path] === undefined ? true : createMessageSchema(large, path);
  const messages = enumerateMessages(createMessageSchema(small, path), other, seed);
  const isBreak: Check = (message) => isTaken(message) && !isAccepted(message);
  const accepted = messages.find((message) => isTaken(message) && isAccepted(message));
  const wasReviewed =
    reviewed &&
    createReviewCheck(question, { taken, refused, reviewed: buildReading(reading, reviewed, path) });
  const relaxed = new Map<string, Json>();
  for (const candidate of messages) {
    if (!isBreak(candidate)) continue;
    // A message may break in several ways, some of them reviewed.
    const message = wasReviewed ? reduceMessage(candidate, isBreak, accepted) : candidate;
    if (wasReviewed?.(message)) continue;
    const carried = parts.filter((steps) => hasValueAt(message, steps));
    if (carried.length === 0) return { path, inclusion, message, taken, refused };
    const key = carried.map((part) => parts.indexOf(part)).join();
    const schema = relaxed.get(key) ?? buildReading(reading, large, path, carried);
    relaxed.set(key, schema);
    if (!compileWithAjv(schema)(message)) return { path, inclusion, message, taken, refused: schema };
  }
  return undefined;
}

interface Readings {
  readonly taken: Json;
  readonly refused: Json;
  readonly reviewed: Json;
}

/**
 * Whether the reviewed version shows a break, too: it could not send the message any more, or its readers accept it. A
 * forward break that is not about an absent field is one of the fields that break alone, whatever fields the current and
 * the reviewed version require beside them.
 */
function createReviewCheck(question: Question, { taken, refused, reviewed }: Readings): Check {
  const isInReviewed = compileWithAjv(reviewed);
  if (question.inclusion === "backward") return (message) => !isInReviewed(message);
  const lacksReviewedField = findAbsences(question, compileWithAjv(refused));
  const isTaken = compileWithAjv(removeRequired(taken));
  const isAccepted = compileWithAjv(removeRequired(refused));
  const isReviewed = compileWithAjv(removeRequired(reviewed));
  const isBreak: Check = (message) => isTaken(message) && !isAccepted(message);
  return (message) =>
    isInReviewed(message) ||
    lacksReviewedField(message) ||
    (isBreak(message) && isReviewed(reduceMessage(message, isBreak, undefined)));
}

/**
 * Returns a check for messages that break for lack of one field of the message itself, if messages of the reviewed
 * version break for lack of the same field. A payload under another name is an example: whatever it holds, readers miss
 * the old name.
 */
function findAbsences({ baseline, reviewed, path, seed }: Question, isAccepted: Check): Check {
  const messagesOf = (files: ProtocolFiles | undefined): Json[] =>
    files?.[path] === undefined
      ? []
      : enumerateMessages(createMessageSchema(files, path), true, seed).filter(
          compileWithAjv(buildReading("emit", files, path)),
        );
  const fields = messagesOf(baseline).flatMap((message) =>
    isObject(message) ? Object.entries(message) : [],
  );
  const isCured = (message: Json, [name, value]: readonly [string, Json]): boolean =>
    isObject(message) && !Object.hasOwn(message, name) && isAccepted({ ...message, [name]: value });
  const broken = messagesOf(reviewed).filter((message) => !isAccepted(message));
  const cures = fields.filter((field) => broken.some((message) => isCured(message, field)));
  return (message) => cures.some((field) => isCured(message, field));
}

/** Keywords that ask for fields. */
const REQUIRING = ["required", "dependentRequired", "minProperties"];

/** A schema that requires no fields. */
function removeRequired(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(removeRequired);
  if (!isObject(schema)) return schema;
  // A property may be called like a keyword: its value is a schema then.
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      !REQUIRING.includes(keyword) || (isObject(value) && keyword !== "dependentRequired"),
  );
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, removeRequired(value)]));
}

/** The message with everything left out, or taken from an accepted message, that it does not need to be a break. */
function reduceMessage(message: Json, isBreak: Check, accepted: Json | undefined): Json {
  const reduceAt = (given: Json, model: Json | undefined, put: (changed: Json) => Json): Json => {
    const value = model !== undefined && isBreak(put(model)) ? model : given;
    if (Array.isArray(value)) return reduceItems(value, put);
    if (!isObject(value)) return value;
    let object: JsonObject = value;
    for (const name of Object.keys(value)) {
      const { [name]: dropped = null, ...rest } = object;
      const around = object;
      const below = isObject(model) && Object.hasOwn(model, name) ? model[name] : undefined;
      object = isBreak(put(rest))
        ? rest
        : { ...around, [name]: reduceAt(dropped, below, (changed) => put({ ...around, [name]: changed })) };
    }
    return object;
  };
  const reduceItems = (value: readonly Json[], put: (changed: Json) => Json): Json => {
    let items = value;
    for (let index = items.length - 1; index >= 0; index--) {
      const around = items;
      const shorter = items.toSpliced(index, 1);
      items = isBreak(put(shorter))
        ? shorter
        : around.with(
            index,
            reduceAt(around[index] ?? null, undefined, (changed) => put(around.with(index, changed))),
          );
    }
    return items;
  };
  return reduceAt(message, accepted, (changed) => changed);
}

let registeredSchemas = 0;

/** Whether @hyperjump/json-schema takes and refuses the message where Ajv does. */
export async function isBreakForHyperjump({ message, taken, refused }: Break): Promise<boolean> {
  return (await isValidForHyperjump(taken, message)) && !(await isValidForHyperjump(refused, message));
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
