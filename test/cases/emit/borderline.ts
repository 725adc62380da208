/** Unusual protocol folders, each with the rules that refuse it, or none if the output must be correct. */
import type { JsonObject } from "../../../generator/json.js";
import type { Folder } from "../../emit/hostile-folder.js";

/** A protocol folder, and the rules that refuse it. */
export interface Borderline extends Partial<Omit<Folder, "name">> {
  readonly protocol?: string;
  /** The rules that refuse the folder. Without one, the test emits it, and type-checks and imports the output. */
  readonly refusedBy?: string | readonly string[];
}

const text = { description: "A field.", type: "string" };
const alternatives: JsonObject = { type: "object", properties: { a: text, b: text }, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
const plain: JsonObject = { type: "object", properties: { a: text } };
const createReferringPayload = (name: string): JsonObject => ({ type: "object", properties: { v: { $ref: `../shared/x.schema.json#/$defs/${name}` }, ...(alternatives.properties as JsonObject) }, anyOf: alternatives.anyOf ?? [] });
const createTakenName = (name: string): Borderline => ({ events: { "x.y": createReferringPayload(name) }, $defs: { [name]: plain }, refusedBy: "type-name-collision" });

/** A text that ends comments and strings, and has line ends and escape codes. */
const HOSTILE_TEXT = "@deprecated */ `x` ${1} | <b>\n@ts-ignore\u001b[31m\u2028\u202e{@link x}";

/** The cases by name. */
export const BORDERLINE: { readonly [name: string]: Borderline } = {
  "event types that differ in case conversion only": { events: { "a.b": plain, a_b: plain }, refusedBy: "type-name-collision" },
  "event types that differ in a dot": { events: { "1.2": plain, "12": plain }, refusedBy: "type-name-collision" },
  "event types without a letter": { events: { "*": plain, $: plain }, refusedBy: "type-name-collision" },
  "an event type called unknown": { events: { unknown: plain }, refusedBy: "type-name-collision" },
  "an event type called decode": { events: { decode: plain }, refusedBy: "type-name-collision" },
  "a protocol called unknown": { protocol: "unknown", events: { a: plain }, refusedBy: "type-name-collision" },
  "a protocol called like an event": { protocol: "a", events: { a: plain }, refusedBy: "type-name-collision" },
  "a definition called Required": createTakenName("Required"),
  "a definition called Pick": createTakenName("Pick"),
  "a definition called Issue": createTakenName("Issue"),
  "a definition called Profile": createTakenName("Profile"),
  "a definition called Validator": createTakenName("Validator"),
  "a definition called DecodeResult": createTakenName("DecodeResult"),
  "a definition called EventMetadata": createTakenName("EventMetadata"),
  "a definition called like the fields of a payload": createTakenName("XYPayloadFields"),
  "a definition called like a payload": createTakenName("XYPayload"),
  "definitions that differ in case only": {
    events: { "x.y": { type: "object", properties: { a: { $ref: "../shared/x.schema.json#/$defs/string" }, b: { $ref: "../shared/x.schema.json#/$defs/String" } } } },
    $defs: { string: plain, String: plain },
    refusedBy: "definition-name-collision",
  },
  "a field called __proto__": { events: { a: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","description":"P."}}}') }, refusedBy: "field-unsafe" },
  "a field with a lone surrogate": { events: { a: { type: "object", properties: { "\ud800": text } } }, refusedBy: "field-unsafe" },
  "a payload that is a string by reference": { events: { a: { $ref: "../shared/x.schema.json#/$defs/S" } }, $defs: { S: text }, refusedBy: "payload-not-object" },
  "a discriminator that lists other types": { fields: { type: { description: "Kind.", type: "string", enum: ["b"] } }, events: { a: plain }, refusedBy: "event-type-invalid" },
  "a discriminator that is a number": { fields: { type: { description: "Kind.", type: "integer" } }, events: { a: plain }, refusedBy: "event-type-invalid" },
  "a discriminator that is open": { fields: { type: { description: "Kind.", type: "string", "x-extensible-enum": ["a"] } }, events: { a: plain } },
  "an inline field that the envelope has": { placement: "inline", events: { a: { type: "object", properties: { seq: text } } }, refusedBy: "field-reserved" },
  "a payload property that the envelope has": { placement: "keyed", events: { a: { ...plain, "x-payload-property": "seq" } }, refusedBy: "field-reserved" },
  "payload properties with unusual names": { placement: "keyed", events: { a: { ...plain, "x-payload-property": "constructor" }, b: { ...plain, "x-payload-property": "*/ `" } } },
  "an event without a payload": { placement: "keyed", manifest: {}, events: { a: { "x-payload-property": "A", ...plain } } },
  "an envelope of alternatives": { events: { a: plain, b: alternatives }, envelope: { anyOf: [{ properties: { p: text }, required: ["p"] }, { properties: { q: text }, required: ["q"] }] }, refusedBy: ["envelope-invalid"] },
  "an inline envelope of alternatives": { placement: "inline", events: { a: plain, b: alternatives }, envelope: { anyOf: [{ properties: { p: text }, required: ["p"] }, { properties: { q: text }, required: ["q"] }] }, refusedBy: ["envelope-invalid"] },
  "an envelope of required sets": { fields: { p: text, q: text }, events: { a: plain }, envelope: { anyOf: [{ required: ["p"] }, { required: ["q"] }] } },
  "an envelope that is a map": { events: { a: plain }, envelope: { additionalProperties: { type: "string" } } },
  "an inline envelope with patterns": { placement: "inline", events: { a: plain }, envelope: { patternProperties: { "^x-": { type: "string" } } }, refusedBy: "envelope-invalid" },
  "a common field that an event declares anew": { events: { a: { type: "object", properties: { common: { description: "Number.", type: "integer" } } } } },
  "a common field beside a map": { fields: { data: { type: "object", description: "P.", properties: { n: { description: "N.", type: "integer" } } } }, events: { a: { type: "object", additionalProperties: { type: "string" } } } },
  "an inline map by pattern": { placement: "inline", events: { a: { type: "object", patternProperties: { "^x": { type: "string" } } } } },
  "hostile texts everywhere": {
    manifest: { title: HOSTILE_TEXT, description: HOSTILE_TEXT, groups: { [HOSTILE_TEXT]: HOSTILE_TEXT }, guarantees: [HOSTILE_TEXT], evolution: [HOSTILE_TEXT], tombstones: [{ kind: "event", name: HOSTILE_TEXT, removedIn: "1.0", reason: HOSTILE_TEXT }] },
    envelope: { title: HOSTILE_TEXT, description: HOSTILE_TEXT },
    events: { a: { ...plain, title: HOSTILE_TEXT, description: HOSTILE_TEXT, "x-group": HOSTILE_TEXT, "x-requires": HOSTILE_TEXT, examples: [{ a: HOSTILE_TEXT }] } },
    resources: { r: { title: HOSTILE_TEXT, description: HOSTILE_TEXT, type: "object", properties: { [HOSTILE_TEXT]: { description: HOSTILE_TEXT, type: "string" } } } },
  },
  "hostile names of envelope fields": {
    manifest: { envelope: { discriminator: HOSTILE_TEXT, payload: { placement: "nested", property: "constructor" } }, stream: { key: ["hasOwnProperty"], sequence: HOSTILE_TEXT } },
    fields: { [HOSTILE_TEXT]: text, constructor: { description: "P.", type: "object" }, hasOwnProperty: text },
    envelope: { required: [HOSTILE_TEXT, "constructor", "hasOwnProperty"] },
    events: { a: plain },
  },
  "no events": { events: {} },
  "resources whose names differ in case conversion only": { events: {}, resources: { "a.b": plain, a_b: plain }, refusedBy: "type-name-collision" },
  "a very long event type": { events: { ["a".repeat(230)]: plain } },
};
