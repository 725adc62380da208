/** The verdict on two versions of a protocol by their messages alone; nothing here comes from generator/compat. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { enumerateMessages } from "./enumerate-messages.js";
import { carries, collectLabelledParts, relaxPart, type Step } from "./labelled-parts.js";
import { eventPath, eventTypes, type ProtocolFiles } from "./protocol-files.js";
import { applyReading, messageSchema, type Reading } from "./read-messages.js";

/** `backward`: a baseline message that may not be sent any more. `forward`: a current one that old readers refuse. */
export type Inclusion = "backward" | "forward";

/** A message of an event type that breaks. */
export interface Break {
  readonly type: string;
  readonly inclusion: Inclusion;
  readonly message: Json;
  /** The schemas that take and refuse it, as plain JSON Schema. */
  readonly taken: Json;
  readonly refused: Json;
}

/** A compiled schema. */
export type Check = (value: Json) => boolean;

const MAX_COMPILED = 400;
let ajv = newAjv();
let compiled = new Map<string, Check>();

function newAjv(): Ajv2020 {
  return new Ajv2020({
    ...{ strict: false, ownProperties: true, validateSchema: false, addUsedSchema: false, logger: false },
    // Each schema judges a hundred messages: to make its code small would take longer than they do.
    code: { optimize: false },
  });
}

/** Compiles a schema with Ajv, once while it is in use; an instance keeps every schema that it has seen, so it is given up. */
export function compileWithAjv(schema: Json): Check {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size === MAX_COMPILED) {
    ajv = newAjv();
    compiled = new Map();
  }
  const validate = ajv.compile(schema as object | boolean);
  const check: Check = (value) => validate(value) === true;
  compiled.set(key, check);
  return check;
}

const UNKNOWN: Json = false;

/** The schema of messages of a type under a reading; nothing passes where the protocol does not have the type. */
export function readingOf(
  reading: Reading,
  files: ProtocolFiles,
  type: string,
  relaxed: readonly (readonly Step[])[] = [],
): Json {
  if (files[eventPath(type)] === undefined) return UNKNOWN;
  const schema = relaxed.reduce<Json>((whole, steps) => relaxPart(whole, steps), messageSchema(files, type));
  return applyReading(reading, schema);
}

/** What decides which breaks count. */
export interface BreakSearch {
  readonly seed: number;
  /** A version between the two whose breaks were reviewed: only those count that it does not show. */
  readonly reviewed?: ProtocolFiles;
}

/** Event types whose breaks are errors, and labels of parts that excuse a break which they alone are at fault of. */
const PROTECTED = ["stable", "candidate"];
const EXCUSED = ["experimental"];

/** The breaks of stable and candidate events of the baseline, one for each type and inclusion, if a message shows them. */
export function* findBreaks(
  baseline: ProtocolFiles,
  current: ProtocolFiles,
  search: BreakSearch,
): Generator<Break> {
  for (const type of eventTypes(baseline)) {
    if (!PROTECTED.includes(String(baseline[eventPath(type)]?.["x-stability"]))) continue;
    const parts = collectLabelledParts(messageSchema(baseline, type), EXCUSED);
    for (const inclusion of ["backward", "forward"] as const) {
      const found = findBreak({ baseline, current, type, inclusion, parts, ...search });
      if (found) yield found;
    }
  }
}

interface Question extends BreakSearch {
  readonly baseline: ProtocolFiles;
  readonly current: ProtocolFiles;
  readonly type: string;
  readonly inclusion: Inclusion;
  readonly parts: readonly (readonly Step[])[];
}

/** The smaller and the larger side of an inclusion. */
function sidesOf({ baseline, current, inclusion }: Question) {
  return inclusion === "backward"
    ? ({ small: baseline, large: current, reading: "emit" } as const)
    : ({ small: current, large: baseline, reading: "read" } as const);
}

function findBreak(question: Question): Break | undefined {
  const { type, inclusion, parts, seed, reviewed } = question;
  const { small, large, reading } = sidesOf(question);
  if (small[eventPath(type)] === undefined) return undefined;
  const taken = readingOf("emit", small, type);
  const refused = readingOf(reading, large, type);
  // What writers may send as before, readers accept as before.
  if (JSON.stringify(taken) === JSON.stringify(readingOf("emit", large, type))) return undefined;
  const [isTaken, isAccepted] = [compileWithAjv(taken), compileWithAjv(refused)];
  const other = large[eventPath(type)] === undefined ? true : messageSchema(large, type);
  const messages = enumerateMessages(messageSchema(small, type), other, seed);
  const isBreak: Check = (message) => isTaken(message) && !isAccepted(message);
  const isNew = reviewed
    ? newBreakCheck(
        question,
        reviewed,
        isBreak,
        messages.find((m) => isTaken(m) && isAccepted(m)),
      )
    : () => true;
  const relaxed = new Map<string, Json>();
  for (const message of messages) {
    if (!isBreak(message)) continue;
    if (!isNew(message)) continue;
    const carried = parts.filter((steps) => carries(message, steps));
    if (carried.length === 0) return { type, inclusion, message, taken, refused };
    const key = carried.map((part) => parts.indexOf(part)).join();
    const schema = relaxed.get(key) ?? readingOf(reading, large, type, carried);
    relaxed.set(key, schema);
    if (!compileWithAjv(schema)(message)) return { type, inclusion, message, taken, refused: schema };
  }
  return undefined;
}

/**
 * Whether a break was not to be seen in the reviewed version: what it still sent is gone now, or what is sent now is new
 * to its readers, too, where the message is reduced to the part that breaks.
 */
function newBreakCheck(
  { type, inclusion }: Question,
  reviewed: ProtocolFiles,
  isBreak: Check,
  accepted: Json | undefined,
): Check {
  const check = compileWithAjv(readingOf(inclusion === "backward" ? "emit" : "read", reviewed, type));
  return inclusion === "backward" ? check : (message) => !check(reduce(message, isBreak, accepted));
}

/** The message with everything left out, or taken from an accepted message, that it does not need to be a break. */
function reduce(message: Json, isBreak: Check, accepted: Json | undefined): Json {
  const step = (value: Json, model: Json | undefined, put: (changed: Json) => Json): Json => {
    if (model !== undefined && isBreak(put(model))) return model;
    if (Array.isArray(value)) {
      let items: readonly Json[] = value;
      for (let index = items.length - 1; index >= 0; index--) {
        const shorter = items.toSpliced(index, 1);
        if (isBreak(put(shorter))) items = shorter;
      }
      return items;
    }
    if (!isObject(value)) return value;
    let object: JsonObject = value;
    for (const name of Object.keys(value)) {
      const { [name]: dropped = null, ...rest } = object;
      if (isBreak(put(rest))) object = rest;
      else {
        const below = isObject(model) && Object.hasOwn(model, name) ? model[name] : undefined;
        const around = object;
        object = {
          ...around,
          [name]: step(dropped, below, (changed) => put({ ...around, [name]: changed })),
        };
      }
    }
    return object;
  };
  return step(message, accepted, (changed) => changed);
}
