import type { JsonObject } from "../../json.js";
import type { TextParts } from "../../protocol/stream-rules.js";
import { formatCount } from "../../text.js";
import {
  type CheckerDescription,
  createFieldUses,
  isCurrentEpoch,
  MAX_COMPARED_LENGTH,
  sortEntries,
} from "../comparable.js";
import { eventType, eventTypes, payloadField, payloadFields } from "../declaration.js";
import { joinIds, nameEvent, remember } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  isSeenFromStart,
  type RuleChecker,
  type Scenario,
  type Step,
} from "../stream-rule.js";
import { computeSum, joinSums } from "../text-measure.js";

const textMismatch = defineFinding({
  id: "text-mismatch",
  summary: "the complete text differs from its joined pieces",
  explanation:
    "Readers replace the pieces that they have drawn by the complete text, so the two must be equal, character by character. A complete text without pieces is accepted. If the first pieces may have been missed, the complete text must end with the pieces that were seen. If a piece in between may have been missed, nothing is reported.",
  hint: "Send every piece of the text once and in order, and then the same text as a whole.",
  severity: { reader: "error", writer: "error" },
});

const deltaAfterText = defineFinding({
  id: "delta-after-text",
  summary: "a piece comes after the complete text",
  explanation:
    "The complete text ends its block. A block that restarts, for example because the turn is tried again, is accepted.",
  hint: "Send the pieces first, or give the next text its own index.",
  severity: { reader: "error", writer: "error" },
});

/** The pieces of one text, without the text itself. */
interface Pieces {
  /** The values of the key fields. */
  readonly key: readonly unknown[];
  readonly epoch: number;
  /** True if the first piece was seen. */
  readonly isFromStart: boolean;
  /** The number of pieces. */
  count: number;
  /** The length of all pieces in UTF-16 units. */
  length: number;
  /** The sum of all pieces, see `computeSum`. */
  sum: number;
}

/** The texts of a stream. */
interface StreamTexts {
  /** The text of the last piece. */
  current: Pieces | undefined;
  /** The texts that are not complete yet, by key. */
  open: Map<string, Pieces>;
  /** The complete texts by key, each with the name and the epoch of its event. */
  done: Map<string, { readonly event: string; readonly epoch: number }>;
  /** The epoch in which texts restarted last; -1 if they never did. */
  restartEpoch: number;
}

/** The map of a stream without texts. Most streams need no map of their own. */
const NO_TEXTS = new Map<string, never>();

/** Texts that are sent in pieces and then as a whole. */
export const texts = defineStreamRule({
  member: "texts",
  declaration: {
    description: "Texts that are sent in pieces and then as a whole.",
    required: ["delta", "part", "whole", "text", "key"],
    properties: {
      delta: eventType("The event type of a piece."),
      part: payloadField("Its field with the text.", "delta"),
      whole: eventType("The event type of the whole."),
      text: payloadField("Its field with the text.", "whole"),
      key: payloadFields("The fields of both that identify the text.", "delta", "whole"),
      restart: eventTypes("Event types after which texts start again."),
    },
  },
  example: [
    {
      delta: "assistant.text_delta",
      part: "delta",
      whole: "assistant.text_complete",
      text: "text",
      key: ["turn_index", "block_index"],
      restart: ["turn.started", "turn.failed"],
    },
  ],
  findings: [textMismatch, deltaAfterText],
  describe: ({ delta, part, whole, text, key }, { event, code, fields }) =>
    `${code(text)} of ${event(whole)} equals the joined ${code(part)} of every ${event(delta)} with the same ${fields(key)}; no ${event(delta)} follows it.`,
  comparison: { identify: ({ delta, whole }) => [delta, whole] },
  createCheckers: createTextChecker,
  generation: { listReservedTypes: ({ delta, whole }) => [delta, whole], createScenario: createTextScenario },
});

/** Pieces of generated texts: plain words, which tests can find in the output of a consumer. */
const PIECES = ["Hello ", "wörld ", "日本 ", "and 🙂 so ", "on.\n", "one more piece "] as const;

function createTextScenario({ delta, part, whole, text, key }: TextParts): Scenario {
  return {
    name: `text ${whole}`,
    types: [delta, whole],
    propose({ random, size, createUniqueValue, requiredType }) {
      const names = Object.fromEntries(key.map((field) => [field, createUniqueValue(whole, field)]));
      const pieces = Array.from({ length: size + 1 }, () => random.pick(PIECES));
      const hasWhole = random.chance(0.8) || requiredType === whole;
      return [
        ...pieces.map((piece) => ({ type: delta, fixedFields: { ...names, [part]: piece } })),
        ...(hasWhole ? [{ type: whole, fixedFields: { ...names, [text]: pieces.join("") } }] : []),
      ];
    },
  };
}

function createTextChecker(declared: TextParts): RuleChecker<StreamTexts> {
  const { delta, whole, restart = [] } = declared;
  return {
    start: () => ({ current: undefined, open: NO_TEXTS, done: NO_TEXTS, restartEpoch: -1 }),
    handlers: [
      { types: [delta], check: (texts, step) => recordPiece(texts, step, declared) },
      { types: [whole], check: (texts, step) => checkWhole(texts, step, declared) },
      {
        types: restart,
        check(texts, step) {
          if (texts.open.size > 0) texts.open = new Map();
          if (texts.done.size > 0) texts.done = new Map();
          texts.current = undefined;
          texts.restartEpoch = step.stream.epoch;
        },
      },
    ],
    comparable: describeTextChecker(declared),
  };
}

function describeTextChecker({
  delta,
  part,
  whole,
  text,
  key,
  restart = [],
}: TextParts): CheckerDescription<StreamTexts> {
  return {
    usesEpochs: true,
    refuses: [delta, whole],
    remembers: [delta, whole, ...restart],
    allows: restart,
    reads: [
      ...key.flatMap((field) => createFieldUses([delta, whole], field, { kind: "id" })),
      ...createFieldUses([delta], part, { kind: "listed", listed: ["x", "y"] }),
      ...createFieldUses([whole], text, { kind: "listed", listed: ["x", "y", "xy"] }),
    ],
    snapshot({ open, done, restartEpoch }, context) {
      if ([...open.values()].some(({ length }) => length > MAX_COMPARED_LENGTH)) return undefined;
      return [
        sortEntries(open, ({ epoch, isFromStart, length, sum }) =>
          isCurrentEpoch(epoch, context) ? [isFromStart, length, sum] : false,
        ),
        sortEntries(done, ({ epoch }) => isCurrentEpoch(epoch, context)),
        isCurrentEpoch(restartEpoch, context),
      ];
    },
  };
}

function recordPiece(texts: StreamTexts, step: Step, { key, part }: TextParts): void {
  const piece = step.measureSum(part);
  if (piece === undefined) return;
  const { current } = texts;
  // Pieces of one text mostly follow each other, which saves the look-up.
  const pieces =
    current !== undefined && current.epoch === step.stream.epoch && hasKey(current.key, step.payload, key)
      ? current
      : findText(texts, step, key, part);
  if (pieces === undefined) return;
  pieces.count++;
  pieces.length += piece.units;
  pieces.sum = joinSums(pieces.sum, piece);
}

/** Returns the text that a piece belongs to, and makes it the current one. */
function findText(texts: StreamTexts, step: Step, key: readonly string[], part: string): Pieces | undefined {
  const id = joinIds(step.payload, key);
  if (id === undefined) return undefined;
  const { epoch } = step.stream;
  const completeText = texts.done.get(id);
  if (completeText?.epoch === epoch) {
    step.report(
      deltaAfterText,
      `${nameEvent(step)} adds to a text that ${completeText.event} completed.`,
      step.locate(part),
    );
    texts.done.delete(id);
  }
  let pieces = texts.open.get(id);
  if (pieces?.epoch !== epoch) {
    const isFromStart =
      pieces === undefined && (isSeenFromStart(step.stream) || texts.restartEpoch === epoch);
    const values = key.map((field) => step.payload[field]);
    pieces = { key: values, epoch, isFromStart, count: 0, length: 0, sum: 0 };
    if (texts.open === NO_TEXTS) texts.open = new Map();
    remember(texts.open, id, pieces, step);
  }
  texts.current = pieces;
  return pieces;
}

function hasKey(values: readonly unknown[], payload: JsonObject, key: readonly string[]): boolean {
  for (let index = 0; index < key.length; index++)
    if (payload[key[index] as string] !== values[index]) return false;
  return true;
}

function checkWhole(texts: StreamTexts, step: Step, { key, text: field }: TextParts): void {
  const id = joinIds(step.payload, key);
  const text = step.measureSum(field);
  if (id === undefined || text === undefined) return;
  const { units, sum } = text;
  const { epoch } = step.stream;
  texts.current = undefined;
  const pieces = texts.open.get(id);
  texts.open.delete(id);
  if (texts.done === NO_TEXTS) texts.done = new Map();
  remember(texts.done, id, { event: nameEvent(step), epoch }, step);
  if (pieces?.epoch !== epoch) return;
  const excess = units - pieces.length;
  if (excess === 0 && sum === pieces.sum) return;
  const mayLackPieces = excess > 0 && !pieces.isFromStart;
  if (mayLackPieces && computeSum(step.payload[field] as string, excess, 0) === pieces.sum) return;
  const length = formatCount(units, "character");
  const verb = pieces.count === 1 ? "has" : "have";
  const pieceLength = `${formatCount(pieces.count, "piece")} ${verb} ${formatCount(pieces.length, "character")}`;
  const reportMismatch = (difference: string): void =>
    step.report(textMismatch, `The text of ${nameEvent(step)} ${difference}.`, step.locate(field));
  if (excess === 0) reportMismatch(`has the same length as its pieces, ${length}, but other characters`);
  else if (pieces.isFromStart) reportMismatch(`has ${length}, but its ${pieceLength}`);
  else reportMismatch(`with ${length} does not end with its last pieces: the ${pieceLength}`);
}
