import { envelopeField, envelopeValues } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const aliasDiffers = defineFinding({
  id: "alias-differs",
  summary: "a field that repeats another one has a different value, or is used where it may not be",
  explanation:
    "Readers of an earlier version still use the alias. They would assign the event to another stream.",
  hint: "Copy the value of the repeated field, or omit the alias.",
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
  createMachines({ field, of, where = {} }) {
    const [alias, original] = [m.envelope(field), m.envelope(of)];
    const report = (isWrong: m.Condition, message: readonly m.MessagePart[]) =>
      [isWrong, m.report(aliasDiffers, message, m.inEnvelope(field))] as const;
    const wrongPlaces = Object.entries(where).map(([name, value]) =>
      report(
        m.not(m.equal(m.envelope(name), m.literal(value))),
        m.message`${m.NAME} has ${field}, which is allowed only if ${name} is ${m.quote(m.literal(value))}, not ${m.quote(m.envelope(name))}.`,
      ),
    );
    const differs = report(
      m.not(m.equal(alias, original)),
      m.message`${m.NAME} has ${field} ${m.quote(alias)}, but ${of} ${m.quote(original)}.`,
    );
    return m.createEventMachine("every", m.when(m.present(alias), m.choose(...wrongPlaces, differs)));
  },
});
