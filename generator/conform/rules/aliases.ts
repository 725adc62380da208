import { envelopeField, envelopeValues } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const aliasDiffers = defineFinding({
  id: "alias-differs",
  summary: "a field that repeats another one has a different value",
  explanation:
    "Readers of an earlier version still use the alias. They would assign the event to another stream.",
  hint: "Copy the value of the repeated field, or omit the alias.",
});

const aliasMisplaced = defineFinding({
  id: "alias-misplaced",
  summary: "a field that repeats another one is used where writers do not send it",
  explanation:
    "The alias serves readers of an earlier version, which know some streams only. Readers accept it on all streams.",
  hint: "Omit the alias.",
  severity: { reader: "off", writer: "error" },
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
      where: envelopeValues("Envelope fields and their values in events in which writers send the alias."),
    },
  },
  example: [{ field: "session_id", of: "stream_id", where: { stream_kind: "session" } }],
  findings: [aliasDiffers, aliasMisplaced],
  describe: ({ field, of, where = {} }, { code }) =>
    `${code(field)} has the same value as ${code(of)}${Object.entries(where)
      .map(([name, value]) => `, and writers send it only where ${code(name)} is ${code(value)}`)
      .join("")}.`,
  comparison: { identify: ({ field }) => field },
  createMachines({ field, of, where = {} }) {
    const [alias, original] = [m.envelope(field), m.envelope(of)];
    const place = m.inEnvelope(field);
    const misplaced = Object.entries(where).map(([name, value]) =>
      m.reportIf(
        m.not(m.equal(m.envelope(name), m.literal(value))),
        aliasMisplaced,
        m.message`${m.NAME} has ${field}, which writers send only if ${name} is ${m.quote(m.literal(value))}, not ${m.quote(m.envelope(name))}.`,
        place,
      ),
    );
    const differs = m.reportIf(
      m.not(m.equal(alias, original)),
      aliasDiffers,
      m.message`${m.NAME} has ${field} ${m.quote(alias)}, but ${of} ${m.quote(original)}.`,
      place,
    );
    return m.createEventMachine("every", m.when(m.present(alias), ...misplaced, differs));
  },
});
