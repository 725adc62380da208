import { type Json, join } from "../../json.js";
import type { ByteOffsets } from "../../protocol/stream-rules.js";
import { referenceTo } from "../../schema/reference.js";
import {
  type CheckerDescription,
  entriesOf,
  isCurrent,
  MAX_COMPARED_LENGTH,
  readField,
} from "../comparable.js";
import {
  type DeclarationPart,
  eventType,
  eventTypes,
  payloadField,
  payloadFieldByName,
} from "../declaration.js";
import { count, idOf, named, quote, remember } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  type PayloadAdjuster,
  type RuleChecker,
  type Step,
  seenFromStart,
} from "../stream-rule.js";
import { utf8Length } from "../text-measure.js";

const offsetWrong = defineFinding({
  id: "byte-offset-wrong",
  summary: "a piece of output has the wrong byte offset",
  explanation:
    "Readers detect missing output by the offset. It counts UTF-8 bytes, not characters, separately for each output of each source. If pieces may have been missed, the offset may be greater than what was seen, but never less. Nothing is reported after text that replaces bytes which are not UTF-8.",
  hint: "Count the UTF-8 bytes that were sent on this output so far; the first piece has 0.",
  severity: { reader: "error", writer: "error" },
});

const totalWrong = defineFinding({
  id: "byte-total-wrong",
  summary: "the final number of bytes is not the number of bytes sent",
  explanation:
    "This is checked for outputs whose pieces were sent and all seen, and that were not truncated. Writers may send less to readers than there was, so readers do not rely on it.",
  hint: "Send all pieces before the source ends, or mark its output as truncated.",
  severity: { reader: "off", writer: "error" },
});

interface Output {
  epoch: number;
  bytes: number;
  /** The other number that is right after a wrong offset, so that one fault is reported once. */
  other: number;
  /** Whether the bytes can be counted. */
  exact: boolean;
}

interface Source {
  /** The epoch in which its beginning was seen, or -1. */
  readonly since: number;
  /** Absent until the first piece. */
  outputs: Map<string, Output> | undefined;
}

type Sources = Map<string, Source>;

const KEY_FIELDS = [payloadField("", "type", "start", "end"), payloadField("", "type")] as const;

const KEY: DeclarationPart = {
  schema: {
    ...{ type: "array", minItems: 2, maxItems: 2, items: { $ref: referenceTo("name") } },
    description: "The field that names the source, and the field that names its output.",
  },
  mentions: (value, pointer, owners) =>
    KEY_FIELDS.flatMap(
      (part, index) =>
        part.mentions?.((value as readonly string[])[index] ?? "", join(pointer, index), owners) ?? [],
    ),
};

/** Output that says how many bytes came before. */
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
  sentence: ({ type, key: [source, output], offset, data }, { event, code }) =>
    `${code(offset)} of ${event(type)} counts the UTF-8 bytes sent in ${code(data)} before it, separately for each ${code(output)} of each ${code(source)}.`,
  comparison: { identify: ({ type }) => type, ordered: ["key"] },
  createCheckers: createOffsetChecker,
  generation: { adjust: offsetAdjuster },
});

function offsetAdjuster(declared: readonly ByteOffsets[]): PayloadAdjuster {
  const sent = new Map<string, number>();
  const keyOf = (index: number, source: Json | undefined, output: Json | undefined): string =>
    JSON.stringify([index, source, output]);
  return {
    adjust(type, payload) {
      for (const [index, rule] of declared.entries()) {
        const [source, output] = rule.key;
        if (type === rule.type)
          payload[rule.offset] = sent.get(keyOf(index, payload[source], payload[output])) ?? 0;
        if (type !== rule.end) continue;
        if (rule.unless !== undefined && Object.hasOwn(payload, rule.unless)) payload[rule.unless] = false;
        for (const [name, field] of Object.entries(rule.totals ?? {}))
          if (Object.hasOwn(payload, field))
            payload[field] = sent.get(keyOf(index, payload[source], name)) ?? 0;
      }
    },
    record(type, payload) {
      for (const [index, { key, type: piece, data, start = [] }] of declared.entries()) {
        const [source, output] = key;
        if (start.includes(type))
          for (const name of [...sent.keys()])
            if (name.startsWith(`[${index},${JSON.stringify(payload[source])},`)) sent.delete(name);
        const text = payload[data];
        if (type !== piece || typeof text !== "string") continue;
        const name = keyOf(index, payload[source], payload[output]);
        sent.set(name, (sent.get(name) ?? 0) + utf8Length(text));
      }
    },
  };
}

function createOffsetChecker(declared: ByteOffsets): RuleChecker<Sources> {
  const { type, key, start = [], end } = declared;
  const begin = (sources: Sources, step: Step): void => {
    const id = idOf(step.payload[key[0]]);
    if (id !== undefined) remember(sources, id, { since: step.stream.epoch, outputs: undefined }, step);
  };
  return {
    start: () => new Map(),
    handlers: [
      { types: start, check: begin },
      { types: [type], check: (sources, step) => takePiece(sources, step, declared) },
      { types: end === undefined ? [] : [end], check: (sources, step) => takeEnd(sources, step, declared) },
    ],
    comparable: compareOffsets(declared),
  };
}

function compareOffsets(declared: ByteOffsets): CheckerDescription<Sources> {
  const { type, key, offset, data, start = [], end, totals = {}, unless } = declared;
  const ends = end === undefined ? [] : [end];
  const figures = [0, 1, 2];
  return {
    usesEpochs: true,
    judges: [type, ...ends],
    remembers: [type, ...start, ...ends],
    allows: [type, ...start],
    reads: [
      ...readField([type, ...start, ...ends], key[0], { kind: "id" }),
      ...readField([type], key[1], { kind: "listed", listed: Object.keys(totals), others: true }),
      ...readField([type], offset, { kind: "listed", listed: figures }),
      ...readField([type], data, { kind: "listed", listed: ["x"] }),
      ...Object.values(totals).flatMap((field) =>
        readField(ends, field, { kind: "listed", listed: figures }),
      ),
      ...(unless === undefined ? [] : readField(ends, unless, { kind: "listed", listed: [false, true] })),
    ],
    snapshot(sources, context) {
      const outputs = [...sources.values()].flatMap((source) => [...(source.outputs?.values() ?? [])]);
      if (outputs.some(({ bytes }) => bytes > MAX_COMPARED_LENGTH)) return undefined;
      return entriesOf(sources, (source) => [
        isCurrent(source.since, context),
        entriesOf(source.outputs ?? new Map<string, Output>(), ({ epoch, bytes, other, exact }) => [
          isCurrent(epoch, context),
          bytes,
          other,
          exact,
        ]),
      ]);
    },
  };
}

function takePiece(sources: Sources, step: Step, { key, offset: field, data: text }: ByteOffsets): void {
  const { payload, stream } = step;
  const id = idOf(payload[key[0]]);
  const name = idOf(payload[key[1]]);
  const offset = payload[field];
  const data = step.size(text);
  if (id === undefined || name === undefined || typeof offset !== "number" || data === undefined) return;
  const { bytes: length, replaced } = data;
  let source = sources.get(id);
  if (!source) {
    source = { since: seenFromStart(stream) ? stream.epoch : -1, outputs: undefined };
    remember(sources, id, source, step);
  }
  source.outputs ??= new Map();
  let output = source.outputs.get(name);
  if (!output) {
    const first = source.since === stream.epoch;
    output = { epoch: first ? stream.epoch : -1, bytes: 0, other: 0, exact: true };
    if (source.outputs.size < MAX_OUTPUTS) source.outputs.set(name, output);
  }
  const { epoch, bytes, other, exact } = output;
  const right =
    epoch === stream.epoch ? offset === bytes || offset === other : offset >= Math.min(bytes, other);
  const wrong = exact && !right;
  if (wrong)
    step.report(
      offsetWrong,
      step.at(field),
      `${named(step)} has ${field} ${offset}, but ${count(bytes, "byte")} of ${quote(name)} of ${key[0]} ${quote(id)} came before it.`,
    );
  output.bytes = offset + length;
  output.other = (wrong ? bytes : offset) + length;
  output.epoch = stream.epoch;
  output.exact = !replaced;
}

/** How many outputs of one source are followed. */
const MAX_OUTPUTS = 16;

function takeEnd(sources: Sources, step: Step, { key, totals = {}, unless }: ByteOffsets): void {
  const { payload, stream } = step;
  const id = idOf(payload[key[0]]);
  const source = id === undefined ? undefined : sources.get(id);
  if (id === undefined || !source) return;
  sources.delete(id);
  if (source.since !== stream.epoch || (unless !== undefined && payload[unless] === true)) return;
  for (const [name, field] of Object.entries(totals)) {
    const [output, total] = [source.outputs?.get(name), payload[field]];
    if (!output?.exact || typeof total !== "number" || total === output.bytes || total === output.other)
      continue;
    step.report(
      totalWrong,
      step.at(field),
      `${named(step)} has ${field} ${total}, but ${count(output.bytes, "byte")} of ${quote(name)} of ${key[0]} ${quote(id)} were sent.`,
    );
  }
}
