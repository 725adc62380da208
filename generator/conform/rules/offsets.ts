import { joinPointer } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
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
import { isMasked } from "../masked-fields.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const offsetWrong = defineFinding({
  id: "byte-offset-wrong",
  summary: "a piece of output has the wrong byte offset",
  explanation:
    "Readers detect missing output by the offset. It counts UTF-8 bytes, not characters, separately for each output of each source. If pieces may have been missed, the offset may be greater than what was seen, but never less. Nothing is reported after U+FFFD, which replaces bytes that are not UTF-8, or after a piece that was masked.",
  hint: "Count the UTF-8 bytes that were sent on this output so far; the first piece has 0.",
});

const totalWrong = defineFinding({
  id: "byte-total-wrong",
  summary: "the final number of bytes is not the number of bytes sent",
  explanation:
    "This is checked only if all pieces of the output were sent and seen, and the output was neither truncated nor masked. Writers may omit output, so readers must not rely on the number.",
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
  createMachines(declared, protocol) {
    const { type, key, start = [], end, totals = {}, unless } = declared;
    const id = m.payload(key[0]);
    const source = SOURCES.row("source", id);
    const checkTotal = ([name, field]: readonly [string, string]): m.Statement => {
      const output = OUTPUTS.row("output", id, m.literal(name));
      const { bytes, alternative, isExact } = output.cells;
      const total = m.payload(field);
      return output.find(
        m.reportIf(
          m.all(
            m.present(isExact),
            m.not(isMasked(protocol, field)),
            m.is("number", total),
            m.different(total, bytes),
            m.different(total, alternative),
          ),
          totalWrong,
          m.message`${m.NAME} has ${field} ${total}, but ${m.count(bytes, "byte")} of ${m.quote(m.literal(name))} of ${key[0]} ${m.quote(source.key)} were sent.`,
          field,
        ),
      );
    };
    const isComplete = m.all(
      source.isCurrent,
      ...(unless === undefined ? [] : [m.not(m.equal(m.payload(unless), m.TRUE))]),
    );
    return m.createMachine(
      [SOURCES, OUTPUTS],
      m.on(start, OUTPUTS.clear(id), source.find(source.set({ epoch: m.EPOCH }))),
      m.on([type], checkPiece(declared, protocol)),
      m.on(
        end === undefined ? [] : [end],
        source.find(
          m.when(isComplete, ...Object.entries(totals).map(checkTotal)),
          source.drop,
          OUTPUTS.clear(id),
        ),
      ),
    );
  },
});

const SOURCES = m.table("sources", 1, { epoch: "epoch" });

/** The bytes of each output of each source. */
const OUTPUTS = m.table(
  "outputs",
  2,
  { epoch: "epoch", bytes: "number", alternative: "number", isExact: "flag" },
  { grouped: true },
);

/**
 * Checks a piece of output. An output is remembered from its first piece on. After a wrong offset, another number is accepted
 * as well, so that one fault is reported only once. The bytes of a masked piece are unknown, but its offset is that of the
 * process.
 */
function checkPiece({ key, offset: field, data }: ByteOffsets, protocol: Protocol): m.Statement {
  const [offset, text] = [m.payload(field), m.payload(data)];
  const source = SOURCES.row("source", m.payload(key[0]));
  const output = OUTPUTS.row("output", m.payload(key[0]), m.payload(key[1]));
  const { bytes, alternative, isExact } = output.cells;
  const createSource = m.choose(
    [m.all(m.not(source.exists), m.SEEN_FROM_START), source.set({ epoch: m.EPOCH })],
    [m.not(source.exists), source.set({})],
  );
  const none = { bytes: m.literal(0), alternative: m.literal(0), isExact: m.TRUE };
  const createOutput = m.choose(
    [output.exists],
    [source.isCurrent, output.set({ ...none, epoch: m.EPOCH })],
    [true, output.set(none)],
  );
  const least: m.Value = { op: "minimum", of: [bytes, alternative] };
  const isWrong = m.all(
    m.present(isExact),
    m.any(
      m.all(output.isCurrent, m.different(offset, bytes), m.different(offset, alternative)),
      m.all(m.not(output.isCurrent), m.less(offset, least)),
    ),
  );
  const size = m.bytes(text);
  const record = m.choose(
    [
      isWrong,
      m.report(
        offsetWrong,
        m.message`${m.NAME} has ${field} ${offset}, but ${m.count(bytes, "byte")} of ${m.quote(output.key)} of ${key[0]} ${m.quote(source.key)} came before it.`,
        field,
      ),
      output.set({ alternative: m.add(bytes, size) }),
    ],
    [true, output.set({ alternative: m.add(offset, size) })],
  );
  const remember = m.choose(
    [m.any({ op: "hasReplacement", of: text }, isMasked(protocol, data)), output.set({ isExact: m.NOTHING })],
    [true, output.set({ isExact: m.TRUE })],
  );
  const setBytes = output.set({ bytes: m.add(offset, size), epoch: m.EPOCH });
  return m.when(
    m.all(m.is("number", offset), m.present(size)),
    source.find(
      output.find(
        ...createSource,
        ...createOutput,
        ...m.choose(
          [isMasked(protocol, field), output.set({ isExact: m.NOTHING })],
          [true, ...record, setBytes, ...remember],
        ),
      ),
    ),
  );
}
