import type { Alias } from "../../protocol/stream-rules.js";
import { envelopeField, envelopeValues } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const aliasDiffers = defineFinding({
  id: "alias-differs",
  summary: "a field that repeats another one has a different value, or is used where it may not be",
  explanation:
    "Readers of an earlier version still use the alias. They would assign the event to another stream.",
  hint: "Copy the value of the repeated field, or omit the alias.",
  severity: { reader: "error", writer: "error" },
});

/** Optional envelope fields that repeat another one. */
export const aliases = defineStreamRule({
  member: "aliases",
  declaration: {
    description: "Optional envelope fields that repeat another one.",
    required: ["field", "of"],
    properties: {
      field: envelopeField("The envelope field that repeats."),
      of: envelopeField("The envelope field that is repeated."),
      where: envelopeValues("Envelope fields and their values in events that may have the alias."),
    },
  },
  example: [{ field: "session_id", of: "stream_id", where: { stream_kind: "session" } }],
  findings: [aliasDiffers],
  describe: ({ field, of, where = {} }, { code }) =>
    `${code(field)} has the same value as ${code(of)}${Object.entries(where)
      .map(([name, value]) => `, and is present only where ${code(name)} is ${code(value)}`)
      .join("")}.`,
  comparison: { identify: ({ field }) => field },
  createMachines: createAliasMachine,
});

function createAliasMachine({ field, of, where = {} }: Alias): Machine {
  const wrongPlaces = Object.entries(where).map(
    ([name, value]) =>
      [
        m.not(m.equal(m.envelope(name), m.literal(value))),
        m.report(
          aliasDiffers,
          m.message`${m.NAME} has ${field}, which is allowed only if ${name} is ${m.quote(m.literal(value))}, not ${m.quote(m.envelope(name))}.`,
          m.inEnvelope(field),
        ),
      ] as const,
  );
  const differs = [
    m.not(m.equal(m.envelope(field), m.envelope(of))),
    m.report(
      aliasDiffers,
      m.message`${m.NAME} has ${field} ${m.quote(m.envelope(field))}, but ${of} ${m.quote(m.envelope(of))}.`,
      m.inEnvelope(field),
    ),
  ] as const;
  return m.createMachine({}, [
    m.on("every", m.when(m.present(m.envelope(field)), m.choose(...wrongPlaces, differs))),
  ]);
}
