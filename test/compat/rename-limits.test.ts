/** If this fails, unrelated names are reported as renames, or renames and families are missed. */

import { expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { listOwnWords } from "../../generator/compat/renames/likeness.js";
import { areContrasts } from "../../generator/compat/renames/synonyms.js";
import type { JsonObject } from "../../generator/json.js";
import { chooseCases, quick } from "../depth.js";
import { createVersion, cups, findReportedRenames, text } from "./tea-history.js";

type Events = { readonly [type: string]: JsonObject | { readonly properties: JsonObject } };

const flag = { type: "boolean", description: "Whether." };
const list = { type: "array", items: { type: "string" }, description: "Which ones." };
const boundedText = { ...text, maxLength: 40, pattern: "^[a-z]*$" };
const createObject = (properties: JsonObject) => ({
  type: "object",
  description: "A thing.",
  properties,
});
const createSchema = (properties: JsonObject, more: JsonObject = {}) => ({ properties, ...more });
const threeFields = createSchema({ sort: boundedText, cups, flag });

function createVersionWithEvents(version: string, events: Events): ExampleFiles {
  const files = Object.entries(events).map(([type, schema]) => [`events/${type}.schema.json`, schema]);
  return createVersion(version, {}, {}, Object.fromEntries(files));
}

const EVENTS: readonly (readonly [
  about: string,
  before: Events,
  after: Events,
  expected: readonly string[],
])[] = [
  [
    "two event types whose subject has a new word are a family",
    { "steep.poured": threeFields, "steep.spilt": threeFields },
    { "infuse.poured": threeFields, "infuse.spilt": threeFields },
    ["steep.* → infuse.*, 2"],
  ],
  [
    "a declared and a suspected rename are not combined into a family",
    { "tea.poured": threeFields, "tea.spilt": threeFields },
    { "mate.poured": { ...threeFields, "x-renamed-from": "tea.poured" }, "mate.spilt": threeFields },
    ["tea.poured → mate.poured", "tea.spilt → mate.spilt"],
  ],
  [
    "a less similar event type joins the family of similar ones",
    {
      "tea.poured": threeFields,
      "tea.spilt": threeFields,
      "tea.mixed": createSchema({ sort: boundedText, a: cups }),
    },
    {
      "mate.poured": threeFields,
      "mate.spilt": threeFields,
      "mate.mixed": createSchema({ sort: boundedText, b: flag, c: list }),
    },
    ["tea.* → mate.*, 3"],
  ],
  [
    "a less similar event type alone is not reported as renamed",
    { "tea.mixed": createSchema({ sort: boundedText, a: cups }) },
    { "mate.mixed": createSchema({ sort: boundedText, b: flag, c: list }) },
    [],
  ],
  [
    "half of the name is too little for event types without fields",
    { "tea.poured": createSchema({}) },
    { "tea.ground": createSchema({}) },
    [],
  ],
  [
    "three of four words are enough for event types without fields",
    { "tea.pot.poured": createSchema({}) },
    { "tea.pot.poured.out": createSchema({}) },
    ["tea.pot.poured → tea.pot.poured.out"],
  ],
  [
    "two equal fields are too few for event types with another name",
    { "tea.poured": createSchema({ sort: boundedText, cups }) },
    { "mate.ground": createSchema({ sort: boundedText, cups }) },
    [],
  ],
  [
    "three equal fields that no other event type has are enough for a rename to another name",
    { "tea.poured": threeFields },
    { "mate.ground": threeFields },
    ["tea.poured → mate.ground"],
  ],
  [
    "three equal fields that another event type has as well are too few",
    { "tea.poured": threeFields, "cup.washed": threeFields },
    { "mate.ground": threeFields, "cup.washed": threeFields },
    [],
  ],
];

const ABSORBED_AND_AMBIGUOUS: typeof EVENTS = [
  [
    "an event type was absorbed, not renamed, if it is more similar to an event type of both versions",
    { "tea.signed.status": threeFields, "tea.status": createSchema({}) },
    { "tea.signed.status.of.pot": threeFields, "tea.status": threeFields },
    [],
  ],
  [
    "the same event type is renamed if no event type absorbed it",
    { "tea.signed.status": threeFields },
    { "tea.signed.status.of.pot": threeFields },
    ["tea.signed.status → tea.signed.status.of.pot"],
  ],
  [
    "no rename is reported if two new event types are equally similar",
    { "tea.poured": threeFields },
    { "tea.ground": threeFields, "tea.sieved": threeFields },
    [],
  ],
  [
    "three names that replace one word by a new one are a family, whatever their fields are",
    {
      "steep.poured": createSchema({ a: cups, b: flag }),
      "steep.spilt": createSchema({ a: list }),
      "steep.mixed": createSchema({ c: boundedText }),
    },
    {
      "infuse.poured": createSchema({ d: boundedText }),
      "infuse.spilt": createSchema({ e: cups, f: list }),
      "infuse.mixed": createSchema({ g: flag }),
    },
    ["steep.* → infuse.*, 3"],
  ],
];

const FIELDS: readonly (readonly [
  about: string,
  before: JsonObject,
  after: JsonObject,
  expected: readonly string[],
])[] = [
  [
    "another unit of two fields",
    { wait_ms: cups, run_ms: cups },
    { wait_seconds: cups, run_seconds: cups },
    ["run_ms → run_seconds", "wait_ms → wait_seconds"],
  ],
  [
    "two fields with the same change of name are not a family",
    { tea_sort: boundedText, pot_sort: boundedText },
    { tea_kind: boundedText, pot_kind: boundedText },
    ["pot_sort → pot_kind", "tea_sort → tea_kind"],
  ],
  [
    "three fields with the same change of name are a family",
    { wait_ms: cups, run_ms: cups, idle_ms: cups },
    { wait_seconds: cups, run_seconds: cups, idle_seconds: cups },
    ["*_ms → *_seconds, 3"],
  ],
  ...[
    ["conversation_id", "thread_id", text],
    ["num_turns", "turn_count", cups],
    ["ts", "timestamp", cups],
    ["mimeType", "mediaType", text],
  ].map(([from, to, schema]): (typeof FIELDS)[number] => [
    `synonyms, as ${from} and ${to}`,
    { [String(from)]: schema ?? null, flag },
    { [String(to)]: schema ?? null, flag },
    [`${from} → ${to}`],
  ]),
  [
    "of many fields with one word, none became the other",
    { html_url: text, api_url: text, git_url: text, cups },
    { url: text, api_url: text, git_url: text, cups },
    [],
  ],
  [
    "a word that only two fields have is enough",
    { html_url: text, api_key: text, git_ref: text, cups },
    { url: text, api_key: text, git_ref: text, cups },
    ["html_url → url"],
  ],
  [
    "one of four words of the name is too little for a schema with few keywords",
    { when_it_was_served: text },
    { who_had_been_served: text },
    [],
  ],
  [
    "one of four words of the name is enough for a schema with more keywords",
    { when_it_was_served: boundedText },
    { who_had_been_served: boundedText },
    ["when_it_was_served → who_had_been_served"],
  ],
  [
    "half of the name is too little for a schema with few keywords at another place",
    { tea_sort: text, cups, flag },
    { cups, flag, tea_kind: text },
    [],
  ],
  [
    "half of the name is enough for a schema with more keywords at another place",
    { tea_sort: boundedText, cups, flag },
    { cups, flag, tea_kind: boundedText },
    ["tea_sort → tea_kind"],
  ],
];

const twoFields = createSchema({ cups, flag, sort: boundedText });
const REQUEST =
  "A request that answers a heartbeat of the kettle and says that the window of the guest is still open.";

const RENAMED_EVENTS: typeof EVENTS = [
  [
    "a field of a renamed event type was renamed as well",
    { "tea.poured": createSchema({ cups, flag, tea_sort: boundedText }) },
    { "tea.poured.out": createSchema({ cups, flag, sort: boundedText }) },
    ["tea.poured → tea.poured.out", "tea_sort → sort"],
  ],
  [
    "a field of a renamed event type was moved",
    { "tea.poured": twoFields },
    {
      "tea.poured.out": createSchema({ cups, flag, pot: createObject({ sort: boundedText }) }),
    },
    ["/data/sort → /data/pot/sort", "tea.poured → tea.poured.out"],
  ],
  [
    "a removed and an unlike added field of a renamed event type are not reported",
    { "tea.poured": createSchema({ cups, flag, sort: boundedText, a: list }) },
    { "tea.poured.out": createSchema({ cups, flag, sort: boundedText, b: text }) },
    ["tea.poured → tea.poured.out"],
  ],
  [
    "long descriptions that are nearly equal stand for the fields",
    { "kettle.answered.beat": createSchema({ a: cups }, { description: REQUEST }) },
    {
      "kettle.acknowledged.beat": createSchema(
        { b: text },
        { description: REQUEST.replace("answers", "acknowledges") },
      ),
    },
    ["kettle.answered.beat → kettle.acknowledged.beat"],
  ],
];

const createNullable = (schema: JsonObject) => ({ anyOf: [schema, { type: "null" }], description: "Which." });

const MOVES: typeof FIELDS = [
  [
    "the words of a path are those of the old name",
    { target_value: text, cups },
    { target: createObject({ value: text }), cups },
    ["/data/target_value → /data/target/value"],
  ],
  [
    "three words of a path are enough although the type changed",
    { input_tea_format: text, cups },
    {
      tea: createObject({ input: createObject({ format: createObject({ a: cups }) }) }),
      cups,
    },
    ["/data/input_tea_format → /data/tea/input/format"],
  ],
  [
    "a field that may be null moved into an object that may be null",
    { voice: createNullable(boundedText), cups },
    {
      audio: createNullable(
        createObject({
          output: createNullable(createObject({ voice: createNullable(boundedText) })),
        }),
      ),
      cups,
    },
    ["/data/voice → /data/audio/output/voice"],
  ],
  [
    "each field moved into the new object beside it",
    {
      pot: createObject({ name: text, sort: boundedText }),
      cup: createObject({ name: text, sort: boundedText }),
    },
    {
      pot: createObject({ name: text, metric: createObject({ sort: boundedText }) }),
      cup: createObject({ name: text, metric: createObject({ sort: boundedText }) }),
    },
    ["/data/cup/sort → /data/cup/metric/sort", "/data/pot/sort → /data/pot/metric/sort"],
  ],
  [
    "a field did not become the object that another field moved into",
    { pot_name: text, pot_port: text, cups },
    { pot: createObject({ name: text, port: createObject({ a: cups, b: flag }) }), cups },
    ["/data/pot_name → /data/pot/name"],
  ],
  [
    "two letters are no abbreviation of a word that does not begin with them",
    { id: text, cups },
    { include: list, cups },
    [],
  ],
];

const time = { type: "string", format: "date-time", description: "When." };
const measure = { type: "number", minimum: 0, description: "How much." };
const identifier = { type: "string", minLength: 1, maxLength: 40, description: "Which." };
const colour = createSchema({ leaf: boundedText, shade: list, hot: flag });
const address = createObject({ street: text, city: text });

/** Two fields of one type with different meanings, of which one was removed and the other was added. */
const UNRELATED_FIELDS: readonly (readonly [from: string, to: string, schema: JsonObject])[] = [
  ["created_at", "shipped_at", time],
  ["issued_at", "revoked_at", time],
  ["from", "to", time],
  ["start", "end", time],
  ["sunrise", "sunset", time],
  ["width", "height", measure],
  ["min", "max", measure],
  ["cpu_usage", "memory_usage", measure],
  ["buy_price", "sell_price", measure],
  ["input", "output", text],
  ["source", "target", identifier],
  ["user_id", "order_id", identifier],
  ["run_id", "session_id", identifier],
  ["first_name", "last_name", identifier],
  ["signed_by", "witnessed_by", identifier],
  ["author", "editor", identifier],
  ["isOpen", "isClosed", flag],
  ["is_admin", "is_guest", flag],
  ["can_edit", "can_delete", flag],
  ["inputTokens", "outputTokens", cups],
  ["comment_count", "like_count", cups],
  ["include", "exclude", list],
  ["billing_address", "shipping_address", address],
  ["request", "response", createObject({ a: cups, b: flag, c: list })],
  ["prompt_tokens_of_the_last_run", "output_tokens_of_the_last_run", cups],
];

/** Two event types with equal fields and different meanings. */
const UNRELATED_EVENTS: readonly (readonly [from: string, to: string])[] = [
  ["task.started", "task.deleted"],
  ["file.created", "folder.created"],
  ["order.opened", "order.closed"],
  ["user.joined", "user.left"],
  ["message.sent", "message.received"],
  ["door.locked", "door.unlocked"],
  ["session.connected", "session.disconnected"],
  ["tool.enabled", "tool.disabled"],
  ["item.added", "item.removed"],
  ["request.accepted", "request.rejected"],
  ["step.input.delta", "step.output.delta"],
  ["invoice.paid", "invoice.voided"],
  ["pull_request.enqueued", "pull_request.closed"],
  ["team_access_revoked", "team_access_granted"],
  ["channel_left", "group_left"],
];

it.each(chooseCases([...EVENTS, ...RENAMED_EVENTS, ...ABSORBED_AND_AMBIGUOUS], 8))(
  "renames of event types: %s",
  async (_about, before, after, expected) => {
    const renames = await findReportedRenames(
      createVersionWithEvents("1.0", before),
      createVersionWithEvents("1.1", after),
    );
    expect(renames.sort()).toEqual(expected);
  },
);

it.each(chooseCases([...FIELDS, ...MOVES], 8))(
  "renames of fields: %s",
  async (_about, before, after, expected) => {
    const renames = await findReportedRenames(createVersion("1.0", before), createVersion("1.1", after));
    expect(renames.sort()).toEqual(expected);
  },
);

it.each(chooseCases(UNRELATED_FIELDS, 8))(
  "%s did not become %s, and a real rename beside it is found",
  async (from, to, schema) => {
    const describeField = (name: string) => ({
      ...schema,
      description: `The ${name} of the tea, in the kitchen of this house.`,
    });
    for (const [old, now] of [
      [schema, schema],
      [describeField(from), describeField(to)],
    ]) {
      const pot = (name: string) => createObject({ [name]: boundedText, flag });
      const renames = await findReportedRenames(
        createVersion("1.0", { sort: boundedText, [from]: old, flag, pot: pot("tea_sort") }),
        createVersion("1.1", { sort: boundedText, [to]: now, flag, pot: pot("sort") }),
      );
      expect(renames).toEqual(["tea_sort → sort"]);
    }
  },
);

it.each(chooseCases(UNRELATED_EVENTS, 8))("%s did not become %s", async (from, to) => {
  for (const schema of [createSchema({}), createSchema({ task: identifier }), threeFields]) {
    const renames = await findReportedRenames(
      createVersionWithEvents("1.0", { [from]: schema, "tea.colour": colour }),
      createVersionWithEvents("1.1", { [to]: schema, "tea.color": colour }),
    );
    expect(renames).toEqual(["tea.colour → tea.color"]);
  }
});

quick.it.each([
  ["min", "max", true],
  ["min", "minimum", false],
  ["source", "src", false],
  ["source", "target", true],
  ["prev", "previous", false],
  ["beta2", "beta1", true],
  ["beta1", "beta2", false],
])("knows whether `%s` and `%s` tell things apart", (word, other, expected) => {
  expect(areContrasts(...listOwnWords(word, other))).toBe(expected);
});
