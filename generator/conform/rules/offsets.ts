import { type JsonObject, joinPointer } from "../../json.js";
import type { ByteOffsets } from "../../protocol/stream-rules.js";
import { formatReference } from "../../schema/reference.js";
import { formatCount } from "../../text.js";
import {
  type CheckerDescription,
  createFieldUses,
  isCurrentEpoch,
  MAX_COMPARED_LENGTH,
  sortEntries,
} from "../comparable.js";
import {
  type DeclarationPart,
  eventType,
  eventTypes,
  payloadField,
  payloadFieldByName,
} from "../declaration.js";
import { nameEvent, quoteValue, readId, remember } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  isSeenFromStart,
  type PayloadAdjuster,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";
import { countUtf8Bytes } from "../text-measure.js";

const offsetWrong = defineFinding({
  id: "byte-offset-wrong",
  summary: "a piece of output has the wrong byte offset",
  explanation:
    "Readers detect missing output by the offset. It counts UTF-8 bytes, not characters, separately for each output of each source. If pieces may have been missed, the offset may be greater than what was seen, but never less. Nothing is reported after U+FFFD, which replaces bytes that are not UTF-8.",
  hint: "Count the UTF-8 bytes that were sent on this output so far; the first piece has 0.",
  severity: { reader: "error", writer: "error" },
});

const totalWrong = defineFinding({
  id: "byte-total-wrong",
  summary: "the final number of bytes is not the number of bytes sent",
  explanation:
    "This is checked only if all pieces of the output were sent and seen, and the output was not truncated. Writers may omit output, so readers must not rely on the number.",
  hint: "Send all pieces before the source ends, or mark its output as truncated.",
  severity: { reader: "off", writer: "error" },
});

interface Output {
  epoch: number;
  bytes: number;
  /** After a wrong offset, another number that is accepted, so that one fault is reported only once. */
  alternative: number;
  /** True if the number of bytes is certain. */
  exact: boolean;
}

interface Source {
  /** The epoch of its start, or -1 if the start may have been missed. */
  readonly since: number;
  /** Absent until the first piece. */
  outputs: Map<string, Output> | undefined;
}

type Sources = Map<string, Source>;

const KEY_FIELDS = [payloadField("", "type", "start", "end"), payloadField("", "type")] as const;

const KEY: DeclarationPart = {
  schema: {
    type: "array",
    minItems: 2,
    maxItems: 2,
    items: { $ref: formatReference("name") },
    description: "The field that names the source, and the field that names its output.",
  },
  findMentions: (value, pointer, owners) =>
    KEY_FIELDS.flatMap(
      (part, index) =>
        part.findMentions?.((value as readonly string[])[index] ?? "", joinPointer(pointer, index), owners) ??
        [],
    ),
};

/** Pieces of output with the number of bytes before them. */
export const offsets = defineStreamRule({
  member: "offsets",
  declaration: {
    description: "Pieces of output with the number of bytes before them.",
    required: ["type", "key", "offset", "data"],
    properties: {
      type: eventType("The event type of a piece."),
      key: KEY,
      offset: payloadField("The field with the number of bytes.", "type"),
      data: payloadField("The field with the text.", "type"),
      start: eventTypes("Event types that restart a source."),
      end: eventType("The event type that ends a source."),
      totals: payloadFieldByName(
        "For each output, the field of the ending event with its number of bytes.",
        "end",
      ),
      unless: payloadField(
        "The field of the ending event that is true if the totals count more than was sent.",
        "end",
      ),
    },
  },
  example: [
    {
      type: "tool.shell.output_chunk",
      key: ["tool_call_id", "stream"],
      offset: "byte_offset",
      data: "data",
      start: ["tool.invoked", "tool.shell.command"],
      end: "tool.shell.exited",
      totals: { stdout: "stdout_bytes", stderr: "stderr_bytes" },
      unless: "truncated",
    },
  ],
  findings: [offsetWrong, totalWrong],
  describe: ({ type, key: [source, output], offset, data }, { event, code }) =>
    `${code(offset)} of ${event(type)} counts the UTF-8 bytes sent in ${code(data)} before it, separately for each ${code(output)} of each ${code(source)}.`,
  comparison: { identify: ({ type }) => type, ordered: ["key"] },
  createCheckers: createOffsetChecker,
  generation: { createAdjuster: createOffsetAdjuster },
});

function createOffsetAdjuster(declared: ByteOffsets): PayloadAdjuster {
  const { type, key, offset, data, start = [], end, totals = {}, unless } = declared;
  const [source, output] = key;
  /** The bytes sent so far, by source and output. */
  const sent = new Map<string, Map<string, number>>();
  const findOutputs = (payload: JsonObject): Map<string, number> =>
    sent.get(String(payload[source])) ?? new Map();
  return {
    adjust(sentType, payload) {
      if (sentType !== type && sentType !== end) return;
      const outputs = findOutputs(payload);
      if (sentType === type) payload[offset] = outputs.get(String(payload[output])) ?? 0;
      if (sentType !== end) return;
      if (unless !== undefined && Object.hasOwn(payload, unless)) payload[unless] = false;
      for (const [name, field] of Object.entries(totals))
        if (Object.hasOwn(payload, field)) payload[field] = outputs.get(name) ?? 0;
    },
    record(sentType, payload) {
      if (start.includes(sentType)) sent.delete(String(payload[source]));
      if (sentType !== type) return;
      const text = payload[data];
      if (typeof text !== "string") return;
      const name = String(payload[output]);
      const outputs = findOutputs(payload);
      sent.set(String(payload[source]), outputs.set(name, (outputs.get(name) ?? 0) + countUtf8Bytes(text)));
    },
  };
}

function createOffsetChecker(declared: ByteOffsets): RuleChecker<Sources> {
  const { type, key, start = [], end } = declared;
  const recordStart = (sources: Sources, step: Step): void => {
    const id = readId(step.payload[key[0]]);
    if (id !== undefined) remember(sources, id, { since: step.stream.epoch, outputs: undefined }, step);
  };
  return {
    start: () => new Map(),
    handlers: [
      { types: start, check: recordStart },
      { types: [type], check: (sources, step) => checkPiece(sources, step, declared) },
      {
        types: end === undefined ? [] : [end],
        check: (sources, step) => checkTotals(sources, step, declared),
      },
    ],
    comparable: describeOffsetChecker(declared),
  };
}

function describeOffsetChecker(declared: ByteOffsets): CheckerDescription<Sources> {
  const { type, key, offset, data, start = [], end, totals = {}, unless } = declared;
  const ends = end === undefined ? [] : [end];
  const byteNumbers = [0, 1, 2];
  return {
    usesEpochs: true,
    refuses: [type, ...ends],
    remembers: [type, ...start, ...ends],
    allows: [type, ...start],
    reads: [
      ...createFieldUses([type, ...start, ...ends], key[0], { kind: "id" }),
      ...createFieldUses([type], key[1], { kind: "listed", listed: Object.keys(totals), others: true }),
      ...createFieldUses([type], offset, { kind: "listed", listed: byteNumbers }),
      ...createFieldUses([type], data, { kind: "listed", listed: ["x"] }),
      ...Object.values(totals).flatMap((field) =>
        createFieldUses(ends, field, { kind: "listed", listed: byteNumbers }),
      ),
      ...(unless === undefined
        ? []
        : createFieldUses(ends, unless, { kind: "listed", listed: [false, true] })),
    ],
    snapshot(sources, context) {
      const outputs = [...sources.values()].flatMap((source) => [...(source.outputs?.values() ?? [])]);
      if (outputs.some(({ bytes }) => bytes > MAX_COMPARED_LENGTH)) return undefined;
      return sortEntries(sources, (source) => [
        isCurrentEpoch(source.since, context),
        sortEntries(source.outputs ?? new Map<string, Output>(), ({ epoch, bytes, alternative, exact }) => [
          isCurrentEpoch(epoch, context),
          bytes,
          alternative,
          exact,
        ]),
      ]);
    },
  };
}

function checkPiece(sources: Sources, step: Step, { key, offset: field, data: text }: ByteOffsets): void {
  const { payload, stream } = step;
  const [id, name] = [readId(payload[key[0]]), readId(payload[key[1]])];
  const offset = payload[field];
  const size = step.measureSize(text);
  if (id === undefined || name === undefined || typeof offset !== "number" || size === undefined) return;
  const output = findOutput(sources, step, id, name);
  const { epoch, bytes, alternative, exact } = output;
  const isCorrect =
    epoch === stream.epoch
      ? offset === bytes || offset === alternative
      : offset >= Math.min(bytes, alternative);
  const isWrong = exact && !isCorrect;
  if (isWrong) {
    const message = `${nameEvent(step)} has ${field} ${offset}, but ${formatCount(bytes, "byte")} of ${quoteValue(name)} of ${key[0]} ${quoteValue(id)} came before it.`;
    step.report(offsetWrong, message, step.locate(field));
  }
  output.bytes = offset + size.bytes;
  output.alternative = (isWrong ? bytes : offset) + size.bytes;
  output.epoch = stream.epoch;
  output.exact = !size.hasReplacement;
}

/** Returns an output of a source. Both are remembered from their first piece on. */
function findOutput(sources: Sources, step: Step, id: string, name: string): Output {
  const { stream } = step;
  let source = sources.get(id);
  if (!source) {
    source = { since: isSeenFromStart(stream) ? stream.epoch : -1, outputs: undefined };
    remember(sources, id, source, step);
  }
  source.outputs ??= new Map();
  const known = source.outputs.get(name);
  if (known) return known;
  const epoch = source.since === stream.epoch ? stream.epoch : -1;
  const output = { epoch, bytes: 0, alternative: 0, exact: true };
  if (source.outputs.size < MAX_OUTPUTS) source.outputs.set(name, output);
  return output;
}

/** The greatest number of outputs of one source that are remembered. */
const MAX_OUTPUTS = 16;

function checkTotals(sources: Sources, step: Step, { key, totals = {}, unless }: ByteOffsets): void {
  const { payload, stream } = step;
  const id = readId(payload[key[0]]);
  const source = id === undefined ? undefined : sources.get(id);
  if (id === undefined || !source) return;
  sources.delete(id);
  if (source.since !== stream.epoch || (unless !== undefined && payload[unless] === true)) return;
  for (const [name, field] of Object.entries(totals)) {
    const output = source.outputs?.get(name);
    const total = payload[field];
    if (!output?.exact || typeof total !== "number" || total === output.bytes || total === output.alternative)
      continue;
    step.report(
      totalWrong,
      `${nameEvent(step)} has ${field} ${total}, but ${formatCount(output.bytes, "byte")} of ${quoteValue(name)} of ${key[0]} ${quoteValue(id)} were sent.`,
      step.locate(field),
    );
  }
}
