import type { RuleTexts } from "../../finding.js";

/** The texts of the rules of `accrete lint`: keywords, texts, names, the envelope, payloads, streams. */
export const LINT_RULES = {
  "keyword-unknown": {
    summary: "a keyword is unknown",
    explanation:
      "Validators ignore unknown keywords, so a misspelt keyword would check nothing. Annotations of other tools begin with x-.",
    hint: "Correct the spelling, or begin the name with x-.",
  },
  "keyword-invalid": {
    summary: "the value of a keyword has the wrong form",
    explanation: "Such a schema has no meaning, or a different one than intended.",
    hint: "Give the keyword a value of the kind that the finding names.",
  },
  "keyword-unsupported": {
    summary: "a keyword cannot be used in a protocol",
    explanation:
      "JSON Schema defines it, but types, validators and the proof of compatibility cannot all support it. Support in only some of them would be worse.",
    hint: "Use other keywords; the finding states what prevents this one.",
  },
  "example-invalid": {
    summary: "a writer may not send an example",
    explanation: "The catalogue shows examples, and people copy them from there.",
    hint: "Correct the example, or the schema if the example is right.",
  },
  "value-excluded": {
    summary: "a schema lists a value that its other keywords refuse",
    explanation:
      "Validators refuse the value, but types and the catalogue show it. After a release, repairing the schema may be a breaking change.",
    hint: "Remove the value, write it with the right type, or correct the keyword that refuses it.",
  },
  "value-repeated": {
    summary: "a list of values has a value twice",
    explanation: "The second one has no effect. Usually another value was meant.",
    hint: "Remove the second one, or write what was meant.",
  },
  "bounds-crossed": {
    summary: "a lower bound is above the upper bound",
    explanation: "No value is between the two, so nothing that they restrict can be sent.",
    hint: "Correct one of the two bounds.",
  },
  "default-invalid": {
    summary: "a schema refuses its own default",
    explanation: "Readers that fill in the default would use a value that nobody may send.",
    hint: "Correct the default, or the schema if the default is right.",
  },
  "closed-needlessly": {
    summary: "an object is closed by additionalProperties: false",
    explanation:
      "Every object is closed for writers: they may send declared fields only. Readers accept other fields, also where a schema forbids them, so that an optional field can be added later. The keyword changes neither. It is reported once for each protocol.",
    hint: "Remove additionalProperties: false.",
  },
  "since-later": {
    summary: "x-since names a version after that of the protocol",
    explanation: "The catalogue would say that a part was introduced by a release that does not exist yet.",
    hint: "Name the version in protocol.json, which the next release gets, or an earlier one.",
  },
  "value-impossible": {
    summary: "no value satisfies a field, an item or an alternative",
    explanation:
      "It can never be sent, and allowing it after a release is a breaking change. The engine that compares versions proves it; what it cannot decide within its limits is not reported. `false` and `not` of everything forbid a value on purpose.",
    hint: "Correct the keywords that contradict each other, or remove the part.",
  },
  "event-impossible": {
    summary: "no event of a type can be sent",
    explanation:
      "Required parts of the event contradict each other, so no event satisfies its schema. The engine that compares versions proves it. Code can be generated, but `accrete release` refuses the protocol: to allow the events after a release is a breaking change.",
    hint: "Correct the part that the finding names.",
  },
  "title-missing": {
    summary: "a schema has no title",
    explanation: "The catalogue and the generated types show the title as a one-line summary.",
    hint: 'Add "title".',
  },
  "description-missing": {
    summary: "a schema or a field has no description",
    explanation:
      "The description is the only place for the meaning of a field, its unit, and when it is absent. Events, resources and the envelope get an error, fields a warning.",
    hint: 'Add "description".',
  },
  "stability-missing": {
    summary: "an event has no stability",
    explanation:
      "The stability decides whether a change of the event is an error, needs a waiver, or is free.",
    hint: 'Add "x-stability": "experimental", "candidate" or "stable".',
  },
  "name-case": {
    summary: "a name has another letter case than protocol.json states",
    explanation: "A released name stays forever, also if it looks different from all others.",
    hint: 'Rename it, or change "naming" in protocol.json.',
  },
  "event-duplicate": {
    summary: "an event type is defined twice",
    explanation: "The file name is the event type, in every folder below events.",
    hint: "Keep one of the files.",
  },
  "type-name-collision": {
    summary: "two definitions get the same name in TypeScript",
    explanation:
      "The names of types follow from event types and definitions: order.paid and order_paid both become OrderPaid.",
    hint: "Rename one of them.",
  },
  "upcast-major-invalid": {
    summary: "upcasts of protocol.json name a wrong major version",
    explanation:
      "Events are carried over from an earlier major version to this one, and each earlier version has one list of steps.",
    hint: "Name an earlier major version, and put all its steps into one list.",
  },
  "field-unsafe": {
    summary: "a field has a name that generated code cannot use",
    explanation:
      "`__proto__` is not an ordinary field in JavaScript, and half of a surrogate pair is not a character in any encoding.",
    hint: "Choose another name.",
  },
  "alternatives-excessive": {
    summary: "too many schemas apply to one value",
    explanation:
      "Validators apply a schema each time that another one refers to it. Twenty definitions that refer twice to the next one let a reader spend seconds on an event.",
    hint: "Refer to each definition once, and merge equal alternatives.",
  },
  "pattern-slow": {
    summary: "a matcher may run for a very long time on a pattern",
    explanation:
      "The matchers of JavaScript, Python and others try all ways in which a pattern can read a text. If it can read the same part in two ways, each repetition of the part multiplies the ways, and a text of thirty characters may hold a reader for minutes.",
    hint: "Write the pattern so that each character can be read in one way only. A maxLength does not help, because validators report both.",
  },
  "required-undeclared": {
    summary: "a field is required but not declared",
    explanation:
      "Writers send declared fields only, so they could not send any event. Usually the name is misspelt.",
    hint: "Declare the field, or correct the spelling.",
  },
  "tombstone-reused": {
    summary: "a withdrawn name is in use",
    explanation: "Older readers would mistake the new part for the withdrawn one.",
    hint: "Choose a new name.",
  },
  "envelope-invalid": {
    summary: "the envelope is not an object, or declares fields in the wrong place",
    explanation:
      "The fields of the envelope must be in its own properties, not in a branch, a reference or a pattern.",
    hint: "Declare them in the properties of envelope.schema.json.",
  },
  "envelope-field-missing": {
    summary: "protocol.json names an envelope field that does not exist",
    explanation:
      "The discriminator, the payload property and the fields that order a stream are fields of the envelope.",
    hint: "Declare the field in envelope.schema.json, or correct the name in protocol.json.",
  },
  "envelope-field-optional": {
    summary: "the envelope does not require the discriminator or the payload property",
    explanation: "Without it, the type of an event is unknown.",
    hint: 'Add the field to "required" in envelope.schema.json.',
  },
  "version-field-invalid": {
    summary: "the declared version field does not tell major versions apart",
    explanation:
      "Readers of several major versions choose by this field, so the envelope must fix its value, and the value must belong to the major version.",
    hint: "Correct envelope.version in protocol.json, or the schema of the field.",
  },
  "requirement-unmet": {
    summary: "an event type or its protocol requires something that is not met",
    explanation:
      "Readers of a candidate or stable event type expect that it can be sent. What it requires outside of the protocol must exist first. A stable event type also needs all conditions of promotion in protocol.json.",
    hint: "Leave the event type experimental or candidate, or add what is met to promotion.met in protocol.json.",
  },
  "event-type-invalid": {
    summary: "the envelope refuses an event type, or no encoding can carry it",
    explanation:
      "The event type is the file name, or what x-type states. The schema of the discriminator in the envelope does not accept it, or it has half of a surrogate pair.",
    hint: "Rename the file, correct x-type, or widen the schema of the discriminator.",
  },
  "field-reserved": {
    summary: "a payload uses the name of an envelope field",
    explanation: "Payload and envelope are one object here, so one of the two values would be lost.",
    hint: "Choose another name.",
  },
  "payload-not-object": {
    summary: "a payload is not an object",
    explanation: "Only objects can grow: a string or a list has no room for a new field.",
    hint: 'Write "type": "object", and put the value into a field.',
  },
  "payload-property-missing": {
    summary: "an event describes a payload but not the property that holds it",
    explanation: "With keyed placement, each event type has its own property for the payload.",
    hint: 'Add "x-payload-property", or remove the payload if the event has none.',
  },
  "payload-property-misplaced": {
    summary: "x-payload-property is used in a protocol whose payloads are not keyed",
    explanation: "It would have no effect: protocol.json states where the payload is.",
    hint: "Remove it, or change the placement in protocol.json.",
  },
  "declared-type-unknown": {
    summary: "a declaration in protocol.json names an event type that does not exist",
    explanation: "A rule, role or fault of an event type that does not exist has no effect.",
    hint: "Correct the name in protocol.json.",
  },
  "declared-field-unknown": {
    summary: "a declaration in protocol.json names a field that does not exist",
    explanation: "A rule, role, path or fault of a field that does not exist has no effect.",
    hint: "Correct the name in protocol.json, or declare the field.",
  },
  "declared-state-unknown": {
    summary: "a stream rule names a state that its declaration does not have",
    explanation:
      "The states of `transitions` are the keys of `moves`. Those of a machine are `initial` and the states `to` which its changes lead.",
    hint: "Correct the name, or declare the state.",
  },
  "declared-value-unknown": {
    summary: "a declaration in protocol.json asks for a value that a field never has",
    explanation:
      "No event has such a value, so the declaration has no effect. Types and lists of values are checked, other keywords are not.",
    hint: "Correct the value in protocol.json, or add it to the field.",
  },
  "declaration-unused": {
    summary: "a part of a stream rule never has an effect",
    explanation:
      "Earlier parts already decide each event that this part is about, or no event can bring about what it asks for.",
    hint: "Remove the part, or correct it or the order.",
  },
  "declared-name-repeated": {
    summary: "two declarations of a stream rule have the same name",
    explanation: "Findings, diagrams and comparisons of versions tell declarations apart by their names.",
    hint: "Give each declaration a name of its own.",
  },
  "declared-name-unknown": {
    summary: "protocol.json names a resource or transitions that do not exist",
    explanation:
      "`accrete serve` could not answer requests about artifacts or states. Resources are files in the folder resources, transitions have a name in `stream.rules`.",
    hint: "Correct the name, or add the resource or the transitions.",
  },
  "endpoint-key-missing": {
    summary: "the path of a stream lacks a field of the stream's key",
    explanation:
      "Several streams would have the same path, and `accrete serve` could serve one of them only.",
    hint: "Add each field of `stream.key` to `endpoints.stream`, in braces.",
  },
} satisfies RuleTexts;

declare module "../../finding.js" {
  interface RuleIds extends Record<keyof typeof LINT_RULES, true> {}
}
