import { joinPointer } from "../../json.js";
import type { ByteOffsets } from "../../protocol/stream-rules.js";
import { formatReference } from "../../schema/reference.js";
import {
  type DeclarationPart,
  eventType,
  eventTypes,
  payloadField,
  payloadFieldByName,
} from "../declaration.js";
import * as m from "../machine/build.js";
import type { Condition, Machine, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

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
  createMachines: createOffsetMachine,
});

/**
 * Remembers the bytes of each output of each source. After a wrong offset, another number is accepted as well, so that one
 * fault is reported only once.
 */
function createOffsetMachine(declared: ByteOffsets): Machine {
  const { type, key, start = [], end, totals = {}, unless } = declared;
  const source = m.payload(key[0]);
  const findSource = (...body: Statement[]): Statement => m.find("source", "sources", [source], ...body);
  const checkTotal = ([name, field]: readonly [string, string]): Statement =>
    m.find(
      "output",
      "outputs",
      [source, m.literal(name)],
      m.when(
        m.all(
          m.present(m.cell("output", "isExact")),
          m.is("number", m.payload(field)),
          m.different(m.payload(field), BYTES),
          m.different(m.payload(field), ALTERNATIVE),
        ),
        m.report(
          totalWrong,
          m.message`${m.NAME} has ${field} ${m.plain(m.payload(field))}, but ${m.count(BYTES, "byte")} of ${m.quote(m.literal(name))} of ${key[0]} ${m.quote(m.keyOf("source"))} were sent.`,
          m.inPayload(field),
        ),
      ),
    );
  const isComplete = m.all(
    m.isCurrent("source", "epoch"),
    ...(unless === undefined ? [] : [m.not(m.equal(m.payload(unless), m.TRUE))]),
  );
  return m.createMachine(
    {
      sources: m.table(1, { epoch: "epoch" }),
      outputs: m.table(
        2,
        { epoch: "epoch", bytes: "number", alternative: "number", isExact: "flag" },
        { grouped: true },
      ),
    },
    [
      m.on(start, m.clear("outputs", source), findSource(m.set("source", { epoch: m.EPOCH }))),
      m.on([type], ...checkPiece(declared, findSource)),
      m.on(
        end === undefined ? [] : [end],
        findSource(
          m.when(isComplete, ...Object.entries(totals).map(checkTotal)),
          m.drop("source"),
          m.clear("outputs", source),
        ),
      ),
    ],
  );
}

const BYTES = m.cell("output", "bytes");
const ALTERNATIVE = m.cell("output", "alternative");

/** Checks a piece of output. An output is remembered from its first piece on. */
function checkPiece(
  { key, offset: field, data }: ByteOffsets,
  findSource: (...body: Statement[]) => Statement,
): Statement[] {
  const [source, output, offset, text] = [
    m.payload(key[0]),
    m.payload(key[1]),
    m.payload(field),
    m.payload(data),
  ];
  const create = m.choose(
    [m.all(m.not(m.exists("source")), m.SEEN_FROM_START), m.set("source", { epoch: m.EPOCH })],
    [m.not(m.exists("source")), m.set("source", {})],
  );
  const none = { bytes: m.literal(0), alternative: m.literal(0), isExact: m.TRUE };
  const createOutput = m.choose(
    [m.exists("output")],
    [m.isCurrent("source", "epoch"), m.set("output", { ...none, epoch: m.EPOCH })],
    [true, m.set("output", none)],
  );
  const isWrong = m.all(
    m.present(m.cell("output", "isExact")),
    m.any(
      m.all(m.isCurrent("output", "epoch"), m.different(offset, BYTES), m.different(offset, ALTERNATIVE)),
      m.all(
        m.not(m.isCurrent("output", "epoch")),
        m.less(offset, { op: "minimum", of: [BYTES, ALTERNATIVE] }),
      ),
    ),
  );
  const size = m.bytes(text);
  const record = m.choose(
    [
      isWrong,
      m.report(
        offsetWrong,
        m.message`${m.NAME} has ${field} ${m.plain(offset)}, but ${m.count(BYTES, "byte")} of ${m.quote(m.keyOf("output"))} of ${key[0]} ${m.quote(m.keyOf("source"))} came before it.`,
        m.inPayload(field),
      ),
      m.set("output", { alternative: m.add(BYTES, size) }),
    ],
    [true, m.set("output", { alternative: m.add(offset, size) })],
  );
  const isInexact: Condition = { op: "hasReplacement", of: text };
  return [
    m.when(
      m.all(m.is("number", offset), m.present(size)),
      findSource(
        m.find(
          "output",
          "outputs",
          [source, output],
          ...create,
          ...createOutput,
          ...record,
          m.set("output", { bytes: m.add(offset, size), epoch: m.EPOCH }),
          ...m.choose(
            [isInexact, m.set("output", { isExact: m.NOTHING })],
            [true, m.set("output", { isExact: m.TRUE })],
          ),
        ),
      ),
    ),
  ];
}
