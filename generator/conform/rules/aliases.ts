import { join } from "../../json.js";
import type { Alias } from "../../protocol/stream-rules.js";
import { type Comparable, readEnvelope } from "../comparable.js";
import { nameOf, PROFILE } from "../declaration-schema.js";
import { mentionEnvelope } from "../mention.js";
import { named, quote } from "../step-text.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";

const aliasDiffers = defineFinding({
  id: "alias-differs",
  summary: "a field that repeats another one has a different value, or is used where it may not be",
  explanation:
    "Readers of an earlier version still use the alias. They would assign the event to another stream.",
  hint: "Copy the value of the repeated field, or omit the alias.",
  severity: { reader: "error", writer: "error" },
});

/** Envelope fields that repeat another one. */
export const aliases = defineStreamRule({
  member: "aliases",
  declaration: {
    description: "Optional envelope fields that repeat another one.",
    required: ["field", "of"],
    properties: {
      field: nameOf("The envelope field that repeats."),
      of: nameOf("The envelope field that is repeated."),
      where: {
        type: "object",
        description: "Envelope fields and their values in events that may have the alias.",
        additionalProperties: { type: "string" },
      },
      profile: PROFILE,
    },
  },
  example: [{ field: "session_id", of: "stream_id", where: { stream_kind: "session" } }],
  findings: [aliasDiffers],
  mentions: ({ field, of, where = {} }) => [
    ...mentionEnvelope([field], "field"),
    ...mentionEnvelope([of], "of"),
    ...Object.keys(where).flatMap((name) => mentionEnvelope([name], "where", name)),
  ],
  sentence: ({ field, of, where = {} }, { code }) =>
    `${code(field)} has the same value as ${code(of)}${Object.entries(where)
      .map(([name, value]) => `, and is present only where ${code(name)} is ${code(value)}`)
      .join("")}.`,
  comparison: { identify: ({ field }) => field },
  createCheckers: (declared) => declared.map(createAliasChecker),
  generation: {
    adjustEnvelope({ field }, fields) {
      delete fields[field];
    },
  },
});

function createAliasChecker({ field, of, where = {}, profile }: Alias): RuleChecker<null> {
  const conditions = Object.entries(where);
  const check = (_state: null, step: Step): void => {
    const alias = step.event[field];
    if (alias === undefined) return;
    for (const [name, value] of conditions)
      if (step.event[name] !== value) {
        const message = `${named(step)} has ${field}, which stands only where ${name} is ${quote(value)}; here it is ${quote(step.event[name])}.`;
        step.report(aliasDiffers, join("", field), message);
        return;
      }
    if (alias !== step.event[of])
      step.report(
        aliasDiffers,
        join("", field),
        `${named(step)} has ${field} ${quote(alias)}, but ${of} ${quote(step.event[of])}.`,
      );
  };
  const comparable: Comparable<null> = {
    madeOf: ["aliases", field, of, where],
    usesEpochs: false,
    judges: "every",
    remembers: [],
    allows: [],
    reads: [
      ...readEnvelope(field, { kind: "copy", of }),
      ...conditions.flatMap(([name, value]) =>
        readEnvelope(name, { kind: "listed", listed: [value], others: true }),
      ),
    ],
    snapshot: () => null,
  };
  return {
    findings: [aliasDiffers],
    profile,
    start: () => null,
    handlers: [{ types: "every", check }],
    comparable,
  };
}
