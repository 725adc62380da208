/** Protocol folders at the border: what is refused, by which rule, or that the output is right all the same. */
import type { JsonObject } from "../../../generator/json.js";
import type { Folder } from "../../emit/hostile-folder.js";

export interface Borderline extends Partial<Omit<Folder, "name">> {
  readonly protocol?: string;
  /** The rule or rules that refuse it; without one it is emitted, type-checked and imported. */
  readonly refusedBy?: string | readonly string[];
}

const text = { description: "A field.", type: "string" };
const sets: JsonObject = { type: "object", properties: { a: text, b: text }, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
const plain: JsonObject = { type: "object", properties: { a: text } };
const refer = (name: string): JsonObject => ({ type: "object", properties: { v: { $ref: `../shared/x.schema.json#/$defs/${name}` }, ...(sets.properties as JsonObject) }, anyOf: sets.anyOf ?? [] });
const taken = (name: string): Borderline => ({ events: { "x.y": refer(name) }, $defs: { [name]: plain }, refusedBy: "type-name-collision" });

const EVIL = "@deprecated */ `x` ${1} | <b>\n@ts-ignore\u001b[31m\u2028\u202e{@link x}";

export const BORDERLINE: { readonly [what: string]: Borderline } = {
  "event types that differ in case conversion only": { events: { "a.b": plain, a_b: plain }, refusedBy: "type-name-collision" },
  "event types that differ in a dot": { events: { "1.2": plain, "12": plain }, refusedBy: "type-name-collision" },
  "event types without a letter": { events: { "*": plain, $: plain }, refusedBy: "type-name-collision" },
  "an event type called unknown": { events: { unknown: plain }, refusedBy: "type-name-collision" },
  "an event type called decode": { events: { decode: plain }, refusedBy: "type-name-collision" },
  "a protocol called unknown": { protocol: "unknown", events: { a: plain }, refusedBy: "type-name-collision" },
  "a protocol called like an event": { protocol: "a", events: { a: plain }, refusedBy: "type-name-collision" },
  "a definition called Required": taken("Required"),
  "a definition called Pick": taken("Pick"),
  "a definition called Issue": taken("Issue"),
  "a definition called Profile": taken("Profile"),
  "a definition called Validator": taken("Validator"),
  "a definition called DecodeResult": taken("DecodeResult"),
  "a definition called EventMetadata": taken("EventMetadata"),
  "a definition called like the fields of a payload": taken("XYPayloadFields"),
  "a definition called like a payload": taken("XYPayload"),
  "definitions that differ in case only": {
    events: { "x.y": { type: "object", properties: { a: { $ref: "../shared/x.schema.json#/$defs/string" }, b: { $ref: "../shared/x.schema.json#/$defs/String" } } } },
    $defs: { string: plain, String: plain },
    refusedBy: "definition-name-collision",
  },
  "a field called __proto__": { events: { a: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","description":"P."}}}') }, refusedBy: "field-unsafe" },
  "a field with half a surrogate pair": { events: { a: { type: "object", properties: { "\ud800": text } } }, refusedBy: "field-unsafe" },
  "a payload that is a string by reference": { events: { a: { $ref: "../shared/x.schema.json#/$defs/S" } }, $defs: { S: text }, refusedBy: "payload-not-object" },
  "a discriminator that lists other types": { fields: { type: { description: "Kind.", type: "string", enum: ["b"] } }, events: { a: plain }, refusedBy: "event-type-invalid" },
  "a discriminator that is a number": { fields: { type: { description: "Kind.", type: "integer" } }, events: { a: plain }, refusedBy: "event-type-invalid" },
  "a discriminator that is open": { fields: { type: { description: "Kind.", type: "string", "x-extensible-enum": ["a"] } }, events: { a: plain } },
  "an inline field that the envelope has": { placement: "inline", events: { a: { type: "object", properties: { seq: text } } }, refusedBy: "field-reserved" },
  "a payload property that the envelope has": { placement: "keyed", events: { a: { ...plain, "x-payload-property": "seq" } }, refusedBy: "field-reserved" },
  "payload properties of strange names": { placement: "keyed", events: { a: { ...plain, "x-payload-property": "constructor" }, b: { ...plain, "x-payload-property": "*/ `" } } },
  "an event without a payload": { placement: "keyed", manifest: {}, events: { a: { "x-payload-property": "A", ...plain } } },
  "an envelope of alternatives": { events: { a: plain, b: sets }, envelope: { anyOf: [{ properties: { p: text }, required: ["p"] }, { properties: { q: text }, required: ["q"] }] }, refusedBy: ["envelope-invalid"] },
  "an inline envelope of alternatives": { placement: "inline", events: { a: plain, b: sets }, envelope: { anyOf: [{ properties: { p: text }, required: ["p"] }, { properties: { q: text }, required: ["q"] }] }, refusedBy: ["envelope-invalid"] },
  "an envelope of required sets": { fields: { p: text, q: text }, events: { a: plain }, envelope: { anyOf: [{ required: ["p"] }, { required: ["q"] }] } },
  "an envelope that is a map": { events: { a: plain }, envelope: { additionalProperties: { type: "string" } } },
  "an inline envelope with patterns": { placement: "inline", events: { a: plain }, envelope: { patternProperties: { "^x-": { type: "string" } } }, refusedBy: "envelope-invalid" },
  "a common field that an event declares anew": { events: { a: { type: "object", properties: { common: { description: "Number.", type: "integer" } } } } },
  "a common field beside a map": { fields: { data: { type: "object", description: "P.", properties: { n: { description: "N.", type: "integer" } } } }, events: { a: { type: "object", additionalProperties: { type: "string" } } } },
  "an inline map by pattern": { placement: "inline", events: { a: { type: "object", patternProperties: { "^x": { type: "string" } } } } },
  "evil texts everywhere": {
    manifest: { title: EVIL, description: EVIL, groups: { [EVIL]: EVIL }, guarantees: [EVIL], evolution: [EVIL], tombstones: [{ kind: "event", name: EVIL, removedIn: "1.0", reason: EVIL }] },
    envelope: { title: EVIL, description: EVIL },
    events: { a: { ...plain, title: EVIL, description: EVIL, "x-group": EVIL, "x-requires": EVIL, examples: [{ a: EVIL }] } },
    resources: { r: { title: EVIL, description: EVIL, type: "object", properties: { [EVIL]: { description: EVIL, type: "string" } } } },
  },
  "evil names of envelope fields": {
    manifest: { envelope: { discriminator: EVIL, payload: { placement: "nested", property: "constructor" } }, stream: { key: ["hasOwnProperty"], sequence: EVIL } },
    fields: { [EVIL]: text, constructor: { description: "P.", type: "object" }, hasOwnProperty: text },
    envelope: { required: [EVIL, "constructor", "hasOwnProperty"] },
    events: { a: plain },
  },
  "no events": { events: {} },
  "resources of like names": { events: {}, resources: { "a.b": plain, a_b: plain }, refusedBy: "type-name-collision" },
  "a very long event type": { events: { ["a".repeat(230)]: plain } },
};
