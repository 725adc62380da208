import type { RuleTexts } from "../../finding.js";

/** What the rules of `accrete lint` mean: keywords, texts, names, the envelope, payloads, streams. */
export const LINT_RULES = {
  "keyword-unknown": {
    summary: "a keyword is unknown",
    explanation:
      "Validators pass over keywords that they do not know, so a misspelt one would check nothing. Annotations of other tools begin with x-.",
    repair: "Mend the spelling, or let the name begin with x-.",
  },
  "keyword-invalid": {
    summary: "the value of a keyword has the wrong shape",
    explanation: "Such a schema means nothing, or not what was meant.",
    repair: "Give the keyword a value of the kind that the finding names.",
  },
  "keyword-unsupported": {
    summary: "a keyword cannot be used in a protocol",
    explanation:
      "JSON Schema has it, but types, validators and the proof of compatibility cannot all honour it; honouring it in some of them only would be worse.",
    repair: "Say the same by other keywords; the finding says what stands in the way.",
  },
  "example-invalid": {
    summary: "an example is not what an emitter may send",
    explanation: "Examples are shown in the catalogue and copied from there.",
    repair: "Mend the example, or the schema if the example is right.",
  },
  "title-missing": {
    summary: "a schema has no title",
    explanation: "The title is the one line that the catalogue and the generated types have for it.",
    repair: 'Add "title".',
  },
  "description-missing": {
    summary: "a schema or a field has no description",
    explanation:
      "What a field means, in which unit, and when it is absent, stands nowhere else. An error for events, resources and the envelope, a warning for fields.",
    repair: 'Add "description".',
  },
  "stability-missing": {
    summary: "an event does not say how stable it is",
    explanation: "Whether a change of it is an error, needs a waiver or is free depends on that.",
    repair: 'Add "x-stability": "experimental", "candidate" or "stable".',
  },
  "name-case": {
    summary: "a name is in another case than protocol.json documents",
    explanation: "Names stay for ever once they were released, the one that looks different too.",
    repair: 'Rename it, or change "naming" in protocol.json.',
  },
  "event-duplicate": {
    summary: "an event type is defined twice",
    explanation: "The file name is the event type, in whichever folder below events it stands.",
    repair: "Keep one of the files.",
  },
  "type-name-collision": {
    summary: "two things get the same name in TypeScript",
    explanation:
      "Names of types are made of event types and definitions, each of its own: order.paid and order_paid both become OrderPaid.",
    repair: "Rename one of them.",
  },
  "field-unsafe": {
    summary: "a field has a name that code cannot carry",
    explanation:
      "`__proto__` is no field in JavaScript, and half of a surrogate pair is no character in any encoding.",
    repair: "Choose another name.",
  },
  "required-undeclared": {
    summary: "a field is required but not declared",
    explanation:
      "Emitters send declared fields only, so no event could be sent. Most often the name is misspelt.",
    repair: "Declare the field, or mend the spelling.",
  },
  "tombstone-reused": {
    summary: "a withdrawn name is in use",
    explanation: "Readers of before would take the new thing for the one that was withdrawn.",
    repair: "Choose a new name.",
  },
  "envelope-invalid": {
    summary: "the envelope is no object, or declares fields where nobody looks",
    explanation:
      "The fields of the envelope stand in its own properties: not in a branch, a reference or a pattern.",
    repair: "Declare them in the properties of envelope.schema.json.",
  },
  "envelope-field-missing": {
    summary: "protocol.json names an envelope field that there is not",
    explanation:
      "The discriminator, the payload's property and the fields that order a stream are fields of the envelope.",
    repair: "Declare the field in envelope.schema.json, or mend the name in protocol.json.",
  },
  "envelope-field-optional": {
    summary: "the envelope does not require the field that events are told apart by, or the payload's",
    explanation: "Without it no event could be told from another.",
    repair: 'Add the field to "required" in envelope.schema.json.',
  },
  "event-type-invalid": {
    summary: "the envelope refuses an event type",
    explanation:
      "The file name is the event type, and the envelope's own schema of the discriminator does not let it pass.",
    repair: "Rename the file, or widen the envelope's schema of that field.",
  },
  "field-reserved": {
    summary: "a payload takes the name of an envelope field",
    explanation: "Where payload and envelope lie in one object, one of the two would be lost.",
    repair: "Choose another name.",
  },
  "payload-not-object": {
    summary: "a payload is no object",
    explanation: "Only objects can grow: a text or a list has no room for a field that is added later.",
    repair: 'Say "type": "object", and put the value into a field.',
  },
  "payload-property-missing": {
    summary: "an event describes a payload but not which property carries it",
    explanation: "With keyed placement each event type has a property of its own for its payload.",
    repair: 'Add "x-payload-property", or leave out the payload for an event that has none.',
  },
  "payload-property-misplaced": {
    summary: "x-payload-property stands in a protocol whose payloads are not keyed",
    explanation: "It would have no effect: protocol.json says where the payload lies.",
    repair: "Remove it, or change the placement in protocol.json.",
  },
  "declared-type-unknown": {
    summary: "a declaration in protocol.json names an event type that does not exist",
    explanation: "A rule, role or fault of an event type that does not exist has no effect.",
    repair: "Correct the name in protocol.json.",
  },
  "declared-field-unknown": {
    summary: "a declaration in protocol.json names a field that does not exist",
    explanation: "A rule, role, path or fault of a field that does not exist has no effect.",
    repair: "Correct the name in protocol.json, or declare the field.",
  },
  "declared-state-unknown": {
    summary: "a stream rule names a state that `moves` does not list",
    explanation: "Every state is a key of `moves`, also a state that no other state follows.",
    repair: "Correct the name, or add the state to `moves`.",
  },
  "endpoint-key-missing": {
    summary: "the path of a stream lacks a field of the stream's key",
    explanation:
      "Several streams would have the same path, and `accrete serve` could serve one of them only.",
    repair: "Add each field of `stream.key` to `endpoints.stream`, in braces.",
  },
} satisfies RuleTexts;

declare module "../../finding.js" {
  interface RuleIds extends Record<keyof typeof LINT_RULES, true> {}
}
