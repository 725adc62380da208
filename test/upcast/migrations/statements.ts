/** Migrations by statements about fields, values and event types. */
import type { JsonObject } from "../../../generator/json.js";
import { SERVED } from "../../compat/tea.js";
import { at, data, keep, oneOfTexts, rename, replace, tagged } from "./changes.js";
import {
  fixed,
  integer,
  list,
  type Migration,
  map,
  object,
  oneOf,
  refer,
  renamed,
  text,
  tombstone,
} from "./migration.js";

const envelope = (properties: JsonObject, ...required: readonly string[]): JsonObject => ({
  properties: {
    type: text,
    id: { type: "string", minLength: 1, description: "Identifier." },
    data: { type: "object", description: "The payload." },
    ...properties,
  },
  required: ["type", "id", "data", ...required],
});
const event = (major: number, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  properties,
  "x-since": `${major}.0`,
  ...more,
});

const replacedBy = (place: string): JsonObject => ({
  ...integer,
  deprecated: true,
  "x-deprecated-since": "1.0",
  "x-replaced-by": place,
});
const note = { description: "Anything." };

/** Migrations by former names, tombstones, replacements and defaults. */
export const STATEMENTS: readonly Migration[] = [
  {
    name: "a tombstone names the new field",
    before: { properties: { x: integer } },
    after: { properties: { y: integer } },
    tombstones: [tombstone("field", "x", "y")],
    carry: data(rename({ x: "y" })),
  },
  {
    name: "a tombstone and a former name form a chain",
    before: { properties: { x: integer, y: integer } },
    after: { properties: { y: renamed(integer, "x"), z: integer } },
    tombstones: [],
    steps: [{ step: "move", from: "/data/y", to: "/data/z" }],
    carry: data(rename({ x: "y", y: "z" })),
  },
  {
    name: "a tombstone and a former name contradict each other",
    before: { properties: { x: integer } },
    after: { properties: { y: renamed(integer, "x"), z: integer } },
    tombstones: [tombstone("field", "x", "z")],
    verdict: "incomplete",
    carry: data(rename({ x: "y" })),
  },
  {
    name: "a deprecated field names its successor",
    before: {
      properties: {
        x: { ...integer, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "y" },
        y: renamed(integer, "x"),
      },
    },
    after: { properties: { y: renamed(integer, "x") } },
    tombstones: [tombstone("field", "x", "y")],
    carry: data(({ x, y }) => (y !== undefined ? { y } : x !== undefined ? { y: x } : {})),
  },
  {
    name: "a tombstone names a field that is not there",
    before: { properties: { x: integer } },
    after: { properties: { y: integer } },
    tombstones: [tombstone("field", "x", "nothing")],
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tombstone names a value that is not there",
    before: { properties: { s: oneOfTexts("m", "n") } },
    after: { properties: { s: { ...text, "x-extensible-enum": ["m"] } } },
    tombstones: [tombstone("value", "n", "o")],
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tombstone names an event type that is not there",
    before: { properties: { x: integer } },
    after: { properties: { y: integer } },
    tombstones: [tombstone("field", "x", "y", "tea.servd")],
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tombstone names a place that is not there",
    before: { properties: { x: integer } },
    after: { properties: { y: integer } },
    tombstones: [tombstone("field", "z", "y", "tea.served#/properties/o")],
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tombstone is about an event type that went before",
    before: { properties: { x: integer } },
    after: { properties: { x: integer } },
    tombstones: [
      { ...tombstone("field", "z", "y", "tea.spilled"), removedIn: "1.0" },
      { kind: "event", name: "tea.spilled", removedIn: "1.0", reason: "It is not needed." },
    ],
    carry: keep,
  },
  {
    name: "a value is replaced",
    before: { properties: { s: oneOfTexts("m", "n") } },
    after: { properties: { s: oneOfTexts("m", "o") } },
    tombstones: [tombstone("value", "n", "o", "tea.served#/properties/s")],
    carry: data(replace("s", { n: "o" })),
  },
  {
    name: "a renamed field has a replaced value",
    before: { properties: { s: oneOfTexts("m", "n") } },
    after: { properties: { t: renamed(oneOfTexts("m", "o"), "s") } },
    tombstones: [tombstone("value", "n", "o")],
    carry: data((payload) => rename({ s: "t" })(replace("s", { n: "o" })(payload))),
  },
  {
    name: "the only number of a field is another one",
    before: { properties: { v: fixed(1), x: integer } },
    after: { properties: { v: fixed(2), x: integer } },
    carry: data((payload) => (payload.v === 1 ? { ...payload, v: 2 } : payload)),
  },
  {
    name: "a required field has a default",
    before: { properties: { x: integer } },
    after: { properties: { x: integer, y: { ...integer, default: 3 } }, required: ["y"] },
    carry: data((payload) => ({ ...payload, y: 3 })),
  },
  {
    name: "a field is renamed and gets a default",
    before: { properties: { x: integer } },
    after: { properties: { y: { ...renamed(integer, "x"), default: 3 } }, required: ["y"] },
    carry: data(({ x = 3 }) => ({ y: x })),
  },
  {
    name: "a field moves into the envelope",
    before: {
      properties: { tenant: text, x: integer },
      required: ["tenant"],
      files: { "envelope.schema.json": envelope({}) },
    },
    after: {
      properties: { x: integer },
      files: { "envelope.schema.json": envelope({ tenant: text }, "tenant") },
    },
    tombstones: [tombstone("field", "tenant", "/tenant")],
    carry: ({ data: payload, ...rest }) => {
      const { tenant = "", ...others } = payload as JsonObject;
      return { ...rest, tenant, data: others };
    },
  },
  {
    name: "a field moves into the envelope, and another one gets its name",
    before: {
      properties: { tenant: text, x: integer },
      required: ["tenant", "x"],
      files: { "envelope.schema.json": envelope({}) },
    },
    after: {
      properties: { tenant: renamed(integer, "x") },
      files: { "envelope.schema.json": envelope({ tenant: text }, "tenant") },
    },
    tombstones: [],
    steps: [{ step: "move", from: "/data/tenant", to: "/tenant" }],
    carry: ({ data: payload, ...rest }) => {
      const { tenant = "", x = 0 } = payload as JsonObject;
      return { ...rest, tenant, data: { tenant: x } };
    },
  },
  {
    name: "a deprecated field moves to an inner object, and another one gets its name",
    before: { properties: { x: replacedBy("/data/o/x"), y: integer, o: object({ z: integer }) } },
    after: { properties: { x: renamed(integer, "y"), o: object({ x: integer, z: integer }) } },
    carry: data(({ x, y, o, ...rest }) => ({
      ...rest,
      ...(y !== undefined && { x: y }),
      ...((o !== undefined || x !== undefined) && { o: { ...Object(o), ...(x !== undefined && { x }) } }),
    })),
  },
  {
    name: "a deprecated field of one branch moves to another object, and that of the other one is replaced",
    before: {
      properties: {
        u: oneOf(tagged("p", { x: replacedBy("/data/u/o/x") }), tagged("q", { x: replacedBy("y") })),
      },
    },
    after: {
      properties: { u: oneOf(tagged("p", { o: object({ x: integer }) }), tagged("q", { y: integer })) },
    },
    carry: data(
      at("u", ({ x, ...u }) => {
        if (x === undefined) return u;
        return u.kind === "p" ? { ...u, o: { x } } : { ...u, y: x };
      }),
    ),
  },
  {
    name: "a field of the envelope is renamed",
    before: { properties: { x: integer }, files: { "envelope.schema.json": envelope({ run: text }, "run") } },
    after: {
      properties: { x: integer },
      files: { "envelope.schema.json": envelope({ session: renamed(text, "run") }, "session") },
    },
    carry: rename({ run: "session" }),
  },
  {
    name: "fields of the envelope are swapped",
    before: { properties: { x: integer }, files: { "envelope.schema.json": envelope({ p: text, q: text }) } },
    after: {
      properties: { x: integer },
      files: { "envelope.schema.json": envelope({ p: renamed(text, "q"), q: renamed(text, "p") }) },
    },
    carry: rename({ p: "q", q: "p" }),
  },
  {
    name: "an event type is renamed",
    before: {
      properties: {},
      files: { [SERVED]: null, "events/tea.a.schema.json": event(1, { x: integer }) },
    },
    after: {
      properties: { y: integer },
      files: {
        [SERVED]: null,
        "events/tea.b.schema.json": event(2, { y: renamed(integer, "x") }, { "x-renamed-from": "tea.a" }),
      },
    },
    carry: (original) => ({ ...data(rename({ x: "y" }))(original), type: "tea.b" }),
  },
  {
    name: "two event types are swapped",
    before: {
      properties: {},
      files: {
        [SERVED]: null,
        "events/tea.a.schema.json": event(1, { x: integer }),
        "events/tea.b.schema.json": event(1, { y: integer }),
      },
    },
    after: {
      properties: { x: integer, y: integer },
      files: {
        [SERVED]: null,
        "events/tea.a.schema.json": event(2, { y: integer }, { "x-renamed-from": "tea.b" }),
        "events/tea.b.schema.json": event(2, { x: integer }, { "x-renamed-from": "tea.a" }),
      },
    },
    carry: (original) => ({ ...original, type: original.type === "tea.a" ? "tea.b" : "tea.a" }),
  },
  {
    name: "two event types come from one",
    before: {
      properties: {},
      files: { [SERVED]: null, "events/tea.a.schema.json": event(1, { x: integer }) },
    },
    after: {
      properties: {},
      files: {
        [SERVED]: null,
        "events/tea.b.schema.json": event(2, { x: integer }, { "x-renamed-from": "tea.a" }),
        "events/tea.c.schema.json": event(2, { x: integer }, { "x-renamed-from": "tea.a" }),
      },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a former name stands below `contains`",
    before: { properties: { l: { ...list({}), contains: { type: "object", properties: { x: note } } } } },
    after: {
      properties: { l: { ...list({}), contains: { type: "object", properties: { y: renamed(note, "x") } } } },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a former name stands beside fields of a map",
    before: {
      properties: { m: { ...map(object({ x: integer })), properties: { n: object({ x: integer }) } } },
    },
    after: {
      properties: {
        m: { ...map(object({ y: renamed(integer, "x") })), properties: { n: object({ x: integer }) } },
      },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a list becomes a tuple with another name in it",
    before: { properties: { l: list(object({ x: integer })) } },
    after: { properties: { l: { ...list({}), prefixItems: [object({ y: renamed(integer, "x") })] } } },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tree becomes an object with one level",
    before: { properties: { o: refer("N") }, defs: { N: object({ x: integer, c: refer("N") }) } },
    after: {
      properties: {
        o: object({
          y: renamed(integer, "x"),
          c: { type: "object", additionalProperties: true, description: "Anything." },
        }),
      },
    },
    verdict: "incomplete",
    carry: keep,
  },
];
