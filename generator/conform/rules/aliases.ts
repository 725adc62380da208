import { joinPointer } from "../../json.js";
import type { Alias } from "../../protocol/stream-rules.js";
import { createConditionUses, createEnvelopeUses } from "../comparable.js";
import { envelopeField, envelopeValues } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

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
  createCheckers: createAliasChecker,
  generation: {
    adjustEnvelope({ field }, fields) {
      delete fields[field];
    },
  },
});

function createAliasChecker({ field, of, where = {} }: Alias): RuleChecker {
  const conditions = Object.entries(where);
  const check = (step: Step): void => {
    const alias = step.event[field];
    if (alias === undefined) return;
    for (const [name, value] of conditions)
      if (step.event[name] !== value) {
        const message = `${nameEvent(step)} has ${field}, which is allowed only if ${name} is ${quoteValue(value)}, not ${quoteValue(step.event[name])}.`;
        step.report(aliasDiffers, message, joinPointer("", field));
        return;
      }
    if (alias !== step.event[of])
      step.report(
        aliasDiffers,
        `${nameEvent(step)} has ${field} ${quoteValue(alias)}, but ${of} ${quoteValue(step.event[of])}.`,
        joinPointer("", field),
      );
  };
  return createEventChecker("every", check, [
    ...createEnvelopeUses(field, { kind: "copy", of }),
    ...createConditionUses(undefined, where),
  ]);
}
