/** Removes secrets and sensitive values from recordings. Ids stay consistent, lengths stay the same, and events stay valid. */
import { findProtocol } from "../conform/find-protocol.js";
import { getItem } from "../get-item.js";
import { type Recording, type Replacement, replaceParts } from "../ingest/read-recording.js";
import {
  areEqual,
  getOwn,
  getValueAtPointer,
  isObject,
  type Json,
  joinPointer,
  splitPointer,
} from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { findSpan } from "../source/json-text.js";
import { setJsonValue } from "../source/jsonc-package.js";
import type { Validators } from "../validators/protocol-validators.js";
import { findSecrets, findSecretValues, mayHoldSecrets } from "./find-secrets.js";
import { joinTexts } from "./joined-texts.js";
import { createPseudonyms, type Pseudonyms } from "./pseudonyms.js";
import { TOKEN_FORMS } from "./secret-forms.js";
import { findSecretNames } from "./secret-names.js";
import { findSensitiveValues } from "./sensitive-values.js";

/** A place whose value was changed. */
interface RedactedPlace {
  readonly recording: string;
  /** The number of the event in its recording, from 1; undefined outside of events. */
  readonly event: number | undefined;
  readonly pointer: string;
  /** The form of the secret, or `x-sensitive`. */
  readonly reason: string;
}

/** Recordings without secrets and sensitive values. */
export interface Redaction {
  /** The texts of the recordings, in their order. Text outside of changed values is kept. */
  readonly texts: readonly string[];
  readonly places: readonly RedactedPlace[];
  /** Objects with a field whose name holds a secret. They stay as they are. */
  readonly secretNames: readonly RedactedPlace[];
  /** Events that were valid and are not valid any more. */
  readonly broken: readonly { readonly recording: string; readonly event: number }[];
}

/** A part of a string. Its ends count UTF-16 code units. */
interface Span {
  readonly start: number;
  readonly stop: number;
}

/** An event and the changes that it needs. */
interface MarkedEvent {
  readonly recording: Recording;
  readonly number: number;
  readonly value: Json;
  readonly text: string;
  readonly start: number;
  readonly validators: Validators | undefined;
  readonly protocol: Protocol | undefined;
  /** The parts to mask, by the pointer of a string. */
  readonly masks: Map<string, Span[]>;
  /** Replacements of whole values, by pointer. */
  readonly replacements: Map<string, Json>;
  readonly reasons: Map<string, string>;
}

/**
 * Redacts recordings together, so that an id has the same replacement in all of them.
 *
 * A secret is masked with as many `*` as it has bytes, so byte offsets and lengths stay right. Where a text or an
 * output was sent in pieces, a secret is found across them. A sensitive value of a given form, such as an id, gets a
 * replacement of that form, the same one wherever the value occurs. If the protocol declares `redactions`, the fields
 * that it names list the places in each payload.
 */
export function redactRecordings(recordings: readonly Recording[], all: readonly Validators[]): Redaction {
  const pseudonyms = createPseudonyms();
  const events = recordings.flatMap((recording) => markEvents(recording, all, pseudonyms));
  markJoinedTexts(events);
  for (const event of events) replaceKnownIds(event, pseudonyms);
  const broken = events.filter(isMadeInvalid);
  const changed = events.filter(({ reasons }) => reasons.size > 0);
  const outside = recordings.map(findSecretsOutsideEvents);
  return {
    texts: recordings.map((recording, index) =>
      replaceParts(recording, [
        ...changed
          .filter((event) => event.recording === recording)
          .map((event) => ({
            start: event.start,
            stop: event.start + event.text.length,
            text: editText(event),
          })),
        ...(outside[index] ?? []).map(({ replacement }) => replacement),
      ]),
    ),
    places: [
      ...changed.flatMap(({ recording, number, reasons }) =>
        [...reasons].map(([pointer, reason]) => ({
          recording: recording.name,
          event: number,
          pointer,
          reason,
        })),
      ),
      ...outside.flat().map(({ place }) => place),
    ],
    secretNames: recordings.flatMap(listSecretNames),
    broken: broken.map(({ recording, number }) => ({ recording: recording.name, event: number })),
  };
}

function listSecretNames({ name, events }: Recording): RedactedPlace[] {
  return events.flatMap(({ value }, index) =>
    findSecretNames(value).map(({ pointer, form }) => ({
      recording: name,
      event: index + 1,
      pointer,
      reason: form,
    })),
  );
}

/** Returns the secrets in what surrounds events, such as the other members of a list. */
function findSecretsOutsideEvents(
  recording: Recording,
): { readonly place: RedactedPlace; readonly replacement: Replacement }[] {
  return recording.units.flatMap(({ value, text, start, pointers }) => {
    if (pointers.includes("")) return [];
    const isEvent = (pointer: string): boolean =>
      pointers.some((each) => `${pointer}/`.startsWith(`${each}/`));
    return findSecretValues(value)
      .filter(({ pointer }) => !isEvent(pointer))
      .map(({ pointer, spans, form }) => {
        const span = findSpan(text, pointer);
        const masked = JSON.stringify(mask(getValueAtPointer(value, pointer) as string, spans));
        return {
          place: { recording: recording.name, event: undefined, pointer, reason: form },
          replacement: { start: start + span.start, stop: start + span.stop, text: masked },
        };
      });
  });
}

function markEvents(recording: Recording, all: readonly Validators[], pseudonyms: Pseudonyms): MarkedEvent[] {
  return recording.events.map(({ value, start, stop }, index) => {
    const validators = isObject(value) ? findProtocol(value, all, "reader") : undefined;
    const event: MarkedEvent = {
      recording,
      number: index + 1,
      value,
      text: recording.text.slice(start, stop),
      start,
      validators,
      protocol: validators?.protocol,
      masks: new Map(),
      replacements: new Map(),
      reasons: new Map(),
    };
    if (validators) markSensitiveValues(event, validators.protocol, pseudonyms);
    markSecrets(event);
    return event;
  });
}

function markSensitiveValues(event: MarkedEvent, protocol: Protocol, pseudonyms: Pseudonyms): void {
  for (const { pointer, value, hasForm } of findSensitiveValues(protocol, event.value)) {
    const replacement = typeof value === "string" && hasForm ? pseudonyms.replace(value) : blankValue(value);
    // A value that was redacted before has its replacement already.
    if (areEqual(value, replacement)) continue;
    event.replacements.set(pointer, replacement);
    event.reasons.set(pointer, "x-sensitive");
  }
}

/** Returns a value of the same shape without its content. */
function blankValue(value: Json): Json {
  if (typeof value === "string") return mask(value, [{ start: 0, stop: value.length }]);
  if (typeof value === "number") return 0;
  if (typeof value === "boolean") return false;
  if (Array.isArray(value)) return value.map(blankValue);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, blankValue(each)]))
    : value;
}

function markSecrets(event: MarkedEvent): void {
  if (!mayHoldSecrets(Buffer.from(event.text))) return;
  for (const { pointer, spans, form } of findSecretValues(event.value))
    for (const span of spans) addMask(event, pointer, span, form);
}

function addMask(event: MarkedEvent, pointer: string, span: Span, reason: string): void {
  const masks = event.masks.get(pointer) ?? [];
  event.masks.set(pointer, [...masks, span]);
  if (!event.reasons.has(pointer)) event.reasons.set(pointer, reason);
}

/** Marks the pieces of secrets that begin in one event and end in another one, in all deliveries of these events. */
function markJoinedTexts(events: readonly MarkedEvent[]): void {
  for (const pieces of joinTexts(events)) {
    let before = 0;
    const secrets = findSecrets(pieces.map(({ text }) => text).join(""));
    for (const { events: deliveries, pointer, text } of pieces) {
      if (pieces.length > 1) for (const event of deliveries) keepTokens(event, pointer, text);
      for (const { start, stop, form } of secrets) {
        const span = { start: Math.max(0, start - before), stop: Math.min(text.length, stop - before) };
        if (span.start < span.stop) for (const event of deliveries) addMask(event, pointer, span, form);
      }
      before += text.length;
    }
  }
}

/**
 * Keeps only those masks of a piece that hide tokens. What a label means is seen in the joined text: its value may be the
 * beginning of a name that goes on in the next piece.
 */
function keepTokens(event: MarkedEvent, pointer: string, text: string): void {
  const reason = event.reasons.get(pointer);
  if (reason === undefined || reason === "x-sensitive" || reason === "secret-field") return;
  event.masks.delete(pointer);
  event.reasons.delete(pointer);
  for (const secret of findSecrets(text))
    if (TOKEN_FORMS.has(secret.form)) addMask(event, pointer, secret, secret.form);
}

/** Replaces ids that were sensitive elsewhere wherever they occur as a whole value. */
function replaceKnownIds(event: MarkedEvent, pseudonyms: Pseudonyms): void {
  const visit = (value: Json, pointer: string): void => {
    if (typeof value === "string") {
      const known = pseudonyms.find(value);
      if (known === undefined || known === value || event.replacements.has(pointer)) return;
      event.replacements.set(pointer, known);
      event.reasons.set(pointer, "x-sensitive");
    } else if (Array.isArray(value))
      for (const [index, item] of value.entries()) visit(item, joinPointer(pointer, index));
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) visit(each, joinPointer(pointer, name));
  };
  visit(event.value, "");
}

/** Returns the event's JSON text with its changes; all other text is kept. */
function editText(event: MarkedEvent): string {
  let { text } = event;
  for (const [pointer, value] of listChanges(event))
    text = setJsonValue(text, createPath(event.value, pointer), value);
  return text;
}

function parseRedactedValue(event: MarkedEvent): Json {
  return JSON.parse(editText(event));
}

function listChanges(event: MarkedEvent): Map<string, Json> {
  const changes = new Map<string, Json>(event.replacements);
  for (const [pointer, spans] of event.masks)
    if (!changes.has(pointer))
      changes.set(pointer, mask(getValueAtPointer(event.value, pointer) as string, spans));
  for (const [pointer, names] of listPlaces(event)) changes.set(pointer, names);
  return changes;
}

/** Returns a string in which each byte of the spans is a `*`. */
function mask(text: string, spans: readonly Span[]): string {
  let result = "";
  let from = 0;
  for (const { start, stop } of [...spans].sort((a, b) => a.start - b.start)) {
    if (stop <= from) continue;
    result += text.slice(from, Math.max(from, start));
    result += "*".repeat(Buffer.byteLength(text.slice(Math.max(from, start), stop)));
    from = stop;
  }
  return result + text.slice(from);
}

/** Returns the values of the fields in which the payload lists its redacted places. */
function listPlaces({ value, validators, reasons, masks }: MarkedEvent): [pointer: string, names: Json][] {
  const declared = validators?.protocol.stream?.rules?.redactions;
  if (!declared || !validators || !isObject(value)) return [];
  const { envelope, events } = validators.protocol;
  const event = events.find(({ type }) => type === getOwn(value, envelope.discriminator));
  const carrier = findPayloadCarrier(envelope, event);
  const at = carrier === undefined ? "" : joinPointer("", carrier);
  const inside = [...reasons.keys()]
    .filter((pointer) => pointer.startsWith(`${at}/`))
    .map((pointer) => pointer.slice(at.length))
    .filter((pointer) => ![declared.keys, declared.paths].includes(splitPointer(pointer)[0] ?? ""));
  const keys = inside
    .filter((pointer) => splitPointer(pointer).length === 1)
    .map((pointer) => getItem(splitPointer(pointer), 0));
  const paths = inside.filter((pointer) => splitPointer(pointer).length > 1);
  const list = (field: string, names: readonly string[]): [string, Json][] => {
    const before = getValueAtPointer(value, joinPointer(at, field));
    const known = (Array.isArray(before) ? before : []).map((name: Json, index) => {
      const spans = masks.get(joinPointer(at, field, index));
      return typeof name === "string" && spans ? mask(name, spans) : name;
    });
    return names.length === 0 ? [] : [[joinPointer(at, field), [...new Set([...known, ...names])]]];
  };
  return [...list(declared.keys, keys), ...list(declared.paths, paths)];
}

/** Returns the path of a pointer as the editor takes it: indices of lists are numbers. */
function createPath(value: Json, pointer: string): (string | number)[] {
  let at: Json | undefined = value;
  return splitPointer(pointer).map((token) => {
    const inList = Array.isArray(at);
    at = getValueAtPointer(at ?? null, joinPointer("", token));
    return inList ? Number(token) : token;
  });
}

/** Returns whether a profile accepted the event before, and refuses it now. */
function isMadeInvalid(event: MarkedEvent): boolean {
  const { validators, value } = event;
  if (!validators || event.reasons.size === 0) return false;
  const redacted = parseRedactedValue(event);
  return (["reader", "writer"] as const).some((profile) => {
    const isValid = (each: Json): boolean => validators.decodeEvent(each, { profile }).kind !== "invalid";
    return isValid(value) && !isValid(redacted);
  });
}
