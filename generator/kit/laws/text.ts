import { listLifecycleMembers } from "../../conform/rules/lifecycles.js";
import { areEqual, type Json } from "../../json.js";
import type { Lifecycle, StreamRules } from "../../protocol/stream-rules.js";
import { findRole } from "../../protocol/view-roles.js";
import type { FixedFields, SampleEvent } from "../../sample/event-maker.js";
import { listPayloadFields } from "../../sample/merged-schema.js";
import { isAllowed, listKnownValues } from "../facts.js";
import { getModel } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { getPayload, setPayloadFields } from "../payload.js";
import type { ProposedEvent } from "../rule-scenarios.js";
import { makeScene } from "../scene.js";
import type { Steps } from "../steps.js";
import { listTextFields, type TextField } from "../text-fields.js";
import type { Trial } from "../trial.js";
import { collectTexts } from "../view.js";
import { repeatEvent } from "./content.js";
import { propose } from "./ends.js";

/** Laws about texts that come in pieces and then as a whole. */
export const textLaws: readonly Law[] = [
  {
    id: "pieces-joined",
    dependsOn: ["texts-separate"],
    law: "A text that comes in pieces is shown with all of them, wherever it was cut: before a blank, after one, or between any two characters. After an event with which texts begin again, it has the new pieces alone, and it never has the pieces of another text, whatever was lost between them. Nothing that comes between two pieces takes one away.",
    findSkipReason: (protocol) =>
      listTextFields(getModel(protocol)).length === 0 ? "no payload of this protocol has a text" : undefined,
    makesStreams: true,
    *check(trial) {
      const { types } = yield* trial.inferShown();
      for (const source of listPieceFields(trial))
        if (types.has(source.type)) yield* checkPieces(trial, source);
    },
  },
  {
    id: "complete-text-replaces",
    law: "The complete text replaces the earlier pieces: it is shown once and in full, whichever pieces were missed.",
    needs: "texts",
    excludesTerminalEvents: true,
    *check(trial) {
      for (const rule of trial.rules.texts ?? []) {
        const events = sendText(trial, rule);
        if (events !== undefined) yield* checkText(trial, events, rule.whole);
      }
    },
  },
];

const PIECES = ["qzalpha one ", "qzbeta two ", "qzgamma three"] as const;
const WHOLE = PIECES.join("");

/** Sends a text in pieces, and then the complete text. Returns undefined if an event cannot be made. */
function sendText(trial: Trial, rule: NonNullable<StreamRules["texts"]>[number]): SampleEvent[] | undefined {
  const { delta, part, whole, text, key } = rule;
  const names = Object.fromEntries(key.map((field) => [field, trial.makeUnusedValue(whole, field)]));
  return trial.sendAll([
    ...PIECES.map((piece) => ({ type: delta, fixedFields: { ...names, [part]: piece } })),
    { type: whole, fixedFields: { ...names, [text]: WHOLE } },
  ]);
}

function* checkText(trial: Trial, events: readonly SampleEvent[], type: string): Steps<void> {
  const alone = yield* trial.tryView([...trial.events, ...events.slice(-1)]);
  // A consumer that does not show such texts unchanged is not checked.
  if (alone === undefined || !collectTexts(alone).some((text) => text.includes(WHOLE))) return;
  // Without sequence numbers, a consumer cannot know that a piece is missing.
  const omissible = trial.protocol.stream?.sequence === undefined ? [] : PIECES.keys();
  // At first, no event is left out.
  for (const omitted of [undefined, ...omissible]) {
    const receivedEvents = events.filter((_, index) => index !== omitted);
    const texts = collectTexts(yield* trial.view([...trial.events, ...receivedEvents]));
    if (!texts.some((text) => text.includes(WHOLE)))
      trial.fail(`The text of ${type} is not shown in full: "${WHOLE}" is missing in the snapshot`);
    const isTwice = (text: string, piece: string): boolean => text.indexOf(piece) !== text.lastIndexOf(piece);
    const repeatedText = texts.find((text) => PIECES.some((piece) => isTwice(text, piece.trim())));
    if (repeatedText !== undefined)
      trial.fail(`A piece of the text of ${type} is shown twice: "${repeatedText.slice(0, 200)}"`);
  }
}

/** A field that holds pieces of a text, and the event type that must come before them. */
interface PieceField extends TextField {
  readonly name: FixedFields;
  /** The fields that tell declared texts apart. */
  readonly key: readonly string[];
  readonly startType: string | undefined;
  /** The field with the number of bytes before a piece. */
  readonly offset?: string;
  /** The field that says in which of the thing's outputs a piece is. */
  readonly channel?: string;
  /** Types of other events about the same thing that may come between two pieces. */
  readonly between: readonly string[];
  /** True if the protocol declares that the field holds pieces. */
  readonly isDeclared: boolean;
  /** Event types after which the text begins again. */
  readonly restart: readonly string[];
}

/** Returns the text fields of which a consumer may join the values. */
function listPieceFields(trial: Trial): readonly PieceField[] {
  const { rules, protocol } = trial;
  return listTextFields(trial.model).map(({ type, field }) => {
    const text = rules.texts?.find(({ delta, part }) => delta === type && part === field);
    const output = rules.offsets?.find((each) => each.type === type && each.data === field);
    const role = protocol.view && findRole(protocol.view.roles, type);
    const isPart =
      role?.as === "text"
        ? role.part === true && role.field === field
        : role?.as === "tool" && role.output === field;
    const isOutput =
      isPart && role?.as === "tool" && !(rules.lifecycles ?? []).some(({ end }) => end.includes(type));
    const rule = rules.lifecycles?.find(({ key, end }) => hasField(trial, type, key) && !end.includes(type));
    const startType = rule?.start[0];
    const channel = output?.key[1] ?? (role?.as === "tool" ? role.channel : undefined);
    const makeName = (name: string): FixedFields => ({
      [name]: trial.makeUnusedValue(startType ?? type, name),
    });
    const names = [
      ...(text?.key ?? output?.key.slice(0, 1) ?? (role && "key" in role ? [role.key ?? []].flat() : [])),
      ...(rule ? [rule.key] : []),
    ];
    const name = Object.assign(
      {},
      ...[...new Set(names)].filter((each) => hasField(trial, type, each)).map(makeName),
    );
    return {
      type,
      field,
      name,
      key: text?.key ?? [],
      startType: startType === type ? undefined : startType,
      ...(output && { offset: output.offset }),
      ...(channel !== undefined && { channel }),
      between: rule === undefined ? [] : listMembersBetween(trial, rule, type),
      isDeclared: text !== undefined || output !== undefined || (role?.as === "text" ? isPart : isOutput),
      restart: text?.restart ?? [],
    };
  });
}

/** Returns the types of events about a thing that neither start nor end it, and do not change its state. */
function listMembersBetween({ model, protocol }: Trial, rule: Lifecycle, type: string): readonly string[] {
  const hasState = (each: string): boolean => {
    const role = protocol.view && findRole(protocol.view.roles, each);
    return role !== undefined && ["state", "stateField", "tone"].some((name) => name in role);
  };
  const others = [...rule.start, ...rule.end, type];
  return listLifecycleMembers(model, rule).filter((each) => !others.includes(each) && !hasState(each));
}

function hasField({ model }: Trial, type: string, field: string): boolean {
  return listPayloadFields(model).some((each) => each.type === type && each.field === field);
}

/** A plain text, and a text with characters and blanks that consumers may lose. Both have no blanks at their ends. */
const PLAIN = "qzonetwo";
const SPACED_HALVES = /qzone\s+two/;
const UNUSUAL = "déjà vu: 日本 🙂";
const DIFFICULT = "déjà vu: 日本 🙂 ok\n  two  ha ha ha";

function* checkPieces(trial: Trial, source: PieceField): Steps<void> {
  const { type, field, isDeclared } = source;
  const subject = `${field} of ${type}`;
  const show = function* (pieces: readonly string[]): Steps<string[] | undefined> {
    const events = makePieces(trial, source, pieces);
    return events && collectTexts(yield* trial.view(events));
  };
  const whole = yield* show([PLAIN]);
  if (whole === undefined || !whole.some((text) => text.includes(PLAIN))) return;

  const single = yield* show([UNUSUAL]);
  // A consumer may show single words, such as those of an index.
  const words = UNUSUAL.match(/\p{L}+/gu) ?? [];
  if (single !== undefined && words.every((word) => single.includes(word))) return;
  if (single !== undefined && !single.some((text) => text.includes(UNUSUAL)))
    trial.fail(`${JSON.stringify(UNUSUAL)} in ${subject} is not shown as it is. ${JSON.stringify(PLAIN)} is`);
  const halves = yield* show([PLAIN.slice(0, 5), PLAIN.slice(5)]);
  if (halves === undefined) return;
  const isJoined = halves.some((text) => text.includes(PLAIN));
  // A consumer that shows each event for itself has a piece in each.
  if (!isJoined && isDeclared && !halves.some((text) => text.includes(PLAIN.slice(0, 5))))
    trial.fail(
      `Of a text in pieces, the first one is not shown: "${PLAIN.slice(0, 5)}" in ${subject} is missing after the next piece`,
    );
  if (!isJoined && isDeclared && halves.some((text) => SPACED_HALVES.test(text)))
    trial.fail(
      `Two pieces of the text ${JSON.stringify(PLAIN)} in ${subject} are shown with a blank between them`,
    );
  if (!isJoined) return;
  if (isDeclared) yield* checkEventsBetween(trial, source);
  const characters = [...DIFFICULT];
  const cuts = [
    characters,
    DIFFICULT.split(/(?= )/),
    DIFFICULT.split(/(?<= )/),
    [DIFFICULT.slice(0, 7), DIFFICULT.slice(7)],
  ];
  const complete = yield* show([DIFFICULT]);
  // A consumer may begin each line with a word of its own.
  const isPlain = complete?.some((text) => text.includes(DIFFICULT)) === true;
  for (const pieces of cuts) {
    const texts = yield* show(pieces);
    if (texts === undefined || texts.some((text) => text.includes(DIFFICULT))) continue;
    if (!isPlain && complete !== undefined && areEqual(texts, complete)) continue;
    trial.fail(
      `The text ${JSON.stringify(DIFFICULT)} in ${pieces.length} pieces in ${subject} is not shown as it is`,
      [DIFFICULT],
      texts.slice(-3),
    );
  }
  for (const restart of source.restart) {
    yield* checkRestart(trial, source, restart);
    yield* checkLostRestart(trial, source, restart);
  }
}

/** Fails if an event between two pieces takes the first one away, or if a piece of another output is not shown between them. */
function* checkEventsBetween(trial: Trial, source: PieceField): Steps<void> {
  const { type, field, name, channel, offset, startType } = source;
  const starts = startType === undefined ? [] : [propose(startType, fit(trial, startType, name))];
  const show = function* (...proposals: readonly ProposedEvent[]): Steps<string[] | undefined> {
    const scene = makeScene(trial.context, [...starts, ...proposals]);
    return scene && collectTexts(yield* trial.view(scene.events));
  };
  const has = (texts: readonly string[] | undefined, text: string): boolean =>
    texts?.some((each) => each.includes(text)) === true;
  const outputs = channel === undefined ? [] : listKnownValues(trial.model, type, [channel]);
  for (const output of outputs.length === 0 ? [undefined] : outputs) {
    const makePiece = (text: string, bytes: number, value = output): ProposedEvent =>
      propose(
        type,
        name,
        channel === undefined || value === undefined ? {} : { [channel]: value },
        { [field]: text },
        offset === undefined ? {} : { [offset]: bytes },
      );
    const [first, second] = [makePiece(OLD_PIECE, 0), makePiece(NEW_PIECE, OLD_PIECE.length)];
    const plain = yield* show(first, second);
    if (!has(plain, OLD_PIECE.trim()) || !has(plain, NEW_PIECE)) continue;
    const others = [
      ...outputs.filter((each) => each !== output).map((each) => makePiece(OTHER_PIECE, 0, each)),
      ...source.between.map((each) => propose(each, fit(trial, each, name))),
    ];
    for (const other of others) {
      const texts = yield* show(first, other, second);
      if (texts === undefined) continue;
      const isPiece = other.type === type && has(yield* show(other), OTHER_PIECE);
      const expected = [OLD_PIECE.trim(), NEW_PIECE, ...(isPiece ? [OTHER_PIECE] : [])];
      const lost = expected.find((text) => !has(texts, text));
      const between = other.type === type ? `a piece with another ${channel}` : other.type;
      if (lost !== undefined)
        trial.fail(`"${lost}" in ${field} of ${type} is not shown if ${between} comes between two pieces`);
    }
  }
}

/** Two pieces, and a stream that has them. */
interface PiecePair {
  readonly events: readonly SampleEvent[];
  readonly first: SampleEvent;
  readonly second: SampleEvent;
}

const [OLD_PIECE, NEW_PIECE, OTHER_PIECE] = ["qzold ", "qznew", "qzother"];

function joinsPieces(view: Json): boolean {
  return collectTexts(view).some((text) => text.includes(`${OLD_PIECE}${NEW_PIECE}`));
}

/**
 * Makes a stream with an opening event, a piece, an event with which texts begin again, and another piece. The values of the two
 * pieces in the key fields are equal, but for the field `different`. Returns undefined if the rules do not allow it.
 */
function makePiecePair(
  trial: Trial,
  { type, field, key }: PieceField,
  types: { readonly opening: string; readonly restart: string },
  different?: string,
): PiecePair | undefined {
  const makePiece = (text: string): ProposedEvent => ({ type, fixedFields: { [field]: text } });
  const opening = { type: types.opening, fixedFields: {} };
  const restart = { type: types.restart, fixedFields: {} };
  const scene = makeScene(trial.context, [opening, makePiece(OLD_PIECE), restart, makePiece(NEW_PIECE)]);
  const [, first, , last] = scene?.sent ?? [];
  if (scene === undefined || first === undefined || last === undefined) return undefined;
  const payload = getPayload(trial.protocol, first);
  const equal = key
    .filter((name) => name !== different)
    .map((name) => [name, payload[name] ?? null] as const);
  const second = setPayloadFields(trial.protocol, last, Object.fromEntries(equal));
  const events = scene.events.map((event) => (event === last ? second : event));
  return isAllowed(trial, events) ? { events, first, second } : undefined;
}

/** Fails if the pieces before an event with which texts begin again are joined with those after it. */
function* checkRestart(trial: Trial, source: PieceField, restart: string): Steps<void> {
  const { field, type } = source;
  let events = makeScene(
    trial.context,
    listPieceProposals(trial, source, [OLD_PIECE, NEW_PIECE], restart),
  )?.events;
  // The end of a turn, for example, may need its start.
  for (const opening of source.restart) events ??= makePiecePair(trial, source, { opening, restart })?.events;
  if (events !== undefined && joinsPieces(yield* trial.view(events)))
    trial.fail(`The text in ${field} of ${type} goes on after ${restart}, with which it begins again`);
}

/** Fails if the pieces of two texts that differ in one key field are joined because the events between them were lost. */
function* checkLostRestart(trial: Trial, source: PieceField, restart: string): Steps<void> {
  if (trial.protocol.stream?.sequence === undefined) return;
  for (const name of source.key) {
    const pair = makePiecePair(trial, source, { opening: restart, restart }, name);
    if (pair === undefined) continue;
    const { events, first, second } = pair;
    const [payload, other] = [getPayload(trial.protocol, first), getPayload(trial.protocol, second)];
    if (areEqual(payload[name] ?? null, other[name] ?? null)) continue;
    if (joinsPieces(yield* trial.view(events))) continue;
    const [start, end] = [events.indexOf(first), events.indexOf(second)];
    if (joinsPieces(yield* trial.view(events.filter((_, index) => index <= start || index >= end))))
      trial.fail(
        `Two texts in ${source.field} of ${source.type} that differ in ${name} are joined, because the events between them were lost`,
      );
  }
}

/** Returns the fields of a name that an event type has. */
function fit(trial: Trial, type: string, name: FixedFields): FixedFields {
  return Object.fromEntries(Object.entries(name).filter(([field]) => hasField(trial, type, field)));
}

function listPieceProposals(
  trial: Trial,
  { type, field, name, startType, offset }: PieceField,
  pieces: readonly string[],
  restart?: string,
): readonly ProposedEvent[] {
  const start =
    startType === undefined ? [] : [{ type: startType, fixedFields: fit(trial, startType, name) }];
  let bytes = 0;
  const events = pieces.flatMap((piece, index): ProposedEvent[] => {
    const fixedFields = { ...name, [field]: piece, ...(offset !== undefined && { [offset]: bytes }) };
    bytes += new TextEncoder().encode(piece).length;
    const before =
      index > 0 && restart !== undefined ? [{ type: restart, fixedFields: fit(trial, restart, name) }] : [];
    return [...before, { type, fixedFields }];
  });
  return [...start, ...events];
}

/** Makes a stream with a text in pieces; undefined if the rules do not allow it. All pieces have the same other values. */
function makePieces(
  trial: Trial,
  source: PieceField,
  pieces: readonly string[],
): readonly SampleEvent[] | undefined {
  const { protocol } = trial;
  const scene = makeScene(trial.context, listPieceProposals(trial, source, [""]));
  const piece = scene?.sent.at(-1);
  if (scene === undefined || piece === undefined) return undefined;
  const { offset, field } = source;
  let bytes = 0;
  const events = pieces.map((text, index) => {
    const event = setPayloadFields(protocol, index === 0 ? piece : repeatEvent(trial, piece, index), {
      [field]: text,
      ...(offset !== undefined && { [offset]: bytes }),
    });
    bytes += new TextEncoder().encode(text).length;
    return event;
  });
  if (events.some((event) => protocol.decodeEvent(event).kind !== "known")) return undefined;
  return [...scene.events.filter((event) => event !== piece), ...events];
}
