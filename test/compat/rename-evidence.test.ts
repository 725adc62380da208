/**
 * If this fails, descriptions, schemas or repeated changes that speak for or against the rename of a field are not read.
 * Each case differs from the one before it in one piece of evidence.
 */
import { expect, it } from "vitest";
import { createTranslation } from "../../generator/compat/renames/word-replacements.js";
import type { JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { checkHistory, createVersion, cups, findReportedRenames, text } from "./tea-history.js";

const describeText = (description: string): JsonObject => ({ ...text, description });
const bell = { type: "string", pattern: "^[a-z]*$", description: "Which." };
const sort = { type: "string", enum: ["black", "green"], description: "Which." };

/** A removed and an added field between two kept ones. Further fields are in both versions. */
type Case = readonly [
  about: string,
  from: readonly [name: string, schema: JsonObject],
  to: readonly [name: string, schema: JsonObject],
  isRenamed: boolean,
  others?: JsonObject,
];

const DESCRIPTIONS: readonly Case[] = [
  [
    "like descriptions of names without a common word",
    ["brews", describeText("Number of pots the guest took today.")],
    ["serving_total", describeText("Number of pots the guest took.")],
    true,
  ],
  [
    "descriptions that are less alike",
    ["brews", describeText("Number of pots the guest took today.")],
    ["serving_total", describeText("Number of pots the guest broke.")],
    false,
  ],
  [
    "an added word in both descriptions",
    ["margin_colour", describeText("The shape around the margin, filled by the kettle.")],
    ["shape_margin_colour", describeText("The shape around the margin, filled by the kettle now.")],
    true,
  ],
  [
    "an added word that only the new description has",
    ["margin_colour", describeText("The colour around the margin, filled by the kettle.")],
    ["shape_margin_colour", describeText("The colour around the shape margin, filled by the kettle.")],
    false,
  ],
  [
    "a lost word that only the old description has",
    ["shape_margin_colour", describeText("The colour around the shape margin, filled by the kettle.")],
    ["margin_colour", describeText("The colour around the margin, filled by the kettle.")],
    false,
  ],
  [
    "an old description that mentions a word of the new name",
    ["prompt_leaves", describeText("The input leaves.")],
    ["input_leaves", describeText("The leaves.")],
    true,
  ],
  [
    "an old description that refers to the new field",
    ["prompt_leaves", describeText("Like input_leaves.")],
    ["input_leaves", describeText("The leaves.")],
    false,
  ],
  [
    "descriptions that say nothing",
    ["footer", describeText("Some text.")],
    ["footer_icon", describeText("Something.")],
    true,
  ],
  [
    "long descriptions of different things",
    ["footer", describeText("Some brief words which help guests identify leaves.")],
    ["footer_icon", describeText("A valid picture file displayed beneath everything else.")],
    false,
  ],
  [
    "long descriptions of which one states the rename",
    ["footer", describeText("Some brief words which help guests. Deprecated: use `footer_icon` instead.")],
    ["footer_icon", describeText("A valid picture file displayed beneath everything else.")],
    true,
  ],
  [
    "a new description that refers to the old field",
    ["footer", describeText("Some text.")],
    ["footer_icon", describeText("Shown beside `footer`.")],
    false,
  ],
];

const SCHEMAS: readonly Case[] = [
  ["a schema that no other field has", ["bell_tone", bell], ["hour_tone", bell], true],
  ["a schema that another field has", ["bell_tone", bell], ["hour_tone", bell], false, { call: bell }],
  ["a list of values that no other field has", ["leaf_sort", sort], ["herb_sort", sort], true],
  [
    "a list of values that another field has",
    ["leaf_sort", sort],
    ["herb_sort", sort],
    false,
    { cake_sort: sort },
  ],
];

const TYPES: readonly Case[] = [
  ["another type under other forms of the same words", ["created_at", cups], ["creation_time", text], true],
  ["another type under one of two words", ["created_at", cups], ["created_by", text], false],
  [
    "another type with like descriptions and names",
    ["pot_brews", { ...cups, description: "Number of pots the guest took today." }],
    ["pot_total", describeText("Number of pots the guest took.")],
    true,
  ],
  [
    "another type with unlike descriptions",
    ["pot_brews", { ...cups, description: "Number of pots the guest took today." }],
    ["pot_total", describeText("Which shop sold every kettle here.")],
    false,
  ],
];

it.each([...DESCRIPTIONS, ...SCHEMAS, ...TYPES].map((each) => ({ about: each[0], each })))(
  "reads $about",
  async ({ each }) => {
    const [, from, to, isRenamed, others = {}] = each;
    const createFields = ([name, schema]: readonly [string, JsonObject]): JsonObject => ({
      first: cups,
      [name]: schema,
      last: { type: "boolean", description: "Whether." },
      ...others,
    });
    const renames = await findReportedRenames(
      createVersion("1.0", createFields(from)),
      createVersion("1.1", createFields(to)),
    );
    expect(renames).toEqual(isRenamed ? [`${from[0]} → ${to[0]}`] : []);
  },
);

const FRAME = { description: "The wooden frame around the leaves of this kitchen." };

it.each([
  ["each field", FRAME, { description: "A frame." }, ["parent_frame → blocked_frame"]],
  ["the definition of both fields", {}, FRAME, []],
])("reads the description of %s", async (_about, own, shared, expected) => {
  const createFields = (name: string): JsonObject => ({
    first: cups,
    [name]: { $ref: "../shared/parts.schema.json#/$defs/Frame", ...own },
  });
  const $defs = { Frame: { type: "object", properties: { size: cups }, ...shared } };
  const files = { "shared/parts.schema.json": { title: "Parts", description: "Parts.", $defs } };
  const renames = await findReportedRenames(
    createVersion("1.0", createFields("parent_frame"), {}, files),
    createVersion("1.1", createFields("blocked_frame"), {}, files),
  );
  expect(renames).toEqual(expected);
});

/** Objects that all have the same changed fields, and each a field of its own. */
function createObjects(count: number, fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `object${index}`,
      { type: "object", description: "A thing.", properties: { [`own${index}`]: cups, ...fields } },
    ]),
  );
}

it.each<
  readonly [about: string, count: number, old: JsonObject, now: JsonObject, expected: readonly string[]]
>([
  ["three objects", 3, { kettle: text }, { guest: text }, ["kettle → guest"]],
  ["two objects", 2, { kettle: text }, { guest: text }, []],
  [
    "three objects with descriptions of different things",
    3,
    { kettle: describeText("Which large kettle boiled the water.") },
    { guest: describeText("Who drank all cups here.") },
    [],
  ],
  ["three objects with another schema", 3, { kettle: text }, { guest: bell }, []],
  [
    "three objects with another type",
    3,
    { tea_kettle: text },
    { hot_kettle: cups },
    ["tea_kettle → hot_kettle"],
  ],
  [
    "three objects with an object that has one of its words",
    3,
    { tea_kettle: text },
    { hot_kettle: { type: "object", description: "A thing.", properties: { cups } } },
    [],
  ],
  ["three objects that lost one more", 3, { kettle: text, pan: text }, { guest: text }, []],
  ["five objects with another schema", 5, { kettle: text }, { guest: bell }, ["kettle → guest"]],
  ["four objects with another schema", 4, { kettle: text }, { guest: bell }, []],
  ["five objects that lost one more", 5, { kettle: text, pan: text }, { guest: bell }, []],
  ["five objects that got one more", 5, { kettle: text }, { guest: bell, pan: bell }, []],
])("reads that %s replaced a field by one of another name", async (_about, count, old, now, expected) => {
  const renames = await findReportedRenames(
    createVersion("1.0", createObjects(count, old)),
    createVersion("1.1", createObjects(count, now)),
  );
  expect([...new Set(renames)]).toEqual(expected);
});

const WAITS = ["brew", "rest", "pour"];
it.each([
  ["three fields lost a suffix", WAITS, "*_wait_seconds", "*_wait", ["*_seconds → *, 3"]],
  ["two fields lost a suffix", WAITS.slice(1), "*_wait_seconds", "*_wait", []],
  ["three fields lost a word inside", WAITS, "wait_seconds_*", "wait_*", []],
])("reads that %s and changed their type", async (_about, names, from, to, expected) => {
  const createFields = (pattern: string, schema: JsonObject): JsonObject =>
    Object.fromEntries(names.map((name) => [pattern.replace("*", name), schema]));
  const renames = await findReportedRenames(
    createVersion("1.0", createFields(from, cups)),
    createVersion("1.1", createFields(to, text)),
  );
  expect(renames).toEqual(expected);
});

const SHARED = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`shared${index}`, cups]));
it("counts objects with nearly the same fields once", async () => {
  const renames = await findReportedRenames(
    createVersion("1.0", createObjects(3, { ...SHARED, kettle: text })),
    createVersion("1.1", createObjects(3, { ...SHARED, guest: text })),
  );
  expect(renames).toEqual([]);
});

it.each([
  [5, ["kettle", "pan", "jug", "urn", "mug"], ["kettle", "pan", "jug", "urn", "mug"]],
  [5, ["kettle", "pan"], []],
  [7, ["kettle", "pan", "jug"], []],
])("reads in %i objects which of them keep the end of %j", async (count, kinds, expected) => {
  const createPots = (getNames: (index: number) => readonly string[]): JsonObject =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `pot${index}`,
        {
          type: "object",
          description: "A pot.",
          properties: {
            [`own${index}`]: cups,
            ...Object.fromEntries(getNames(index).map((name) => [name, bell])),
          },
        },
      ]),
    );
  const renames = await findReportedRenames(
    createVersion(
      "1.0",
      createPots((index) => (kinds[index] ? [`${kinds[index]}_guest`] : [])),
    ),
    createVersion(
      "1.1",
      createPots(() => ["guest"]),
    ),
  );
  expect(renames).toEqual(expected.map((kind) => `${kind}_guest → guest`));
});

/** Returns a protocol with event types that have these names. */
const createNames = (...types: readonly string[]): Protocol =>
  JSON.parse(JSON.stringify({ events: types.map((type) => ({ type, payload: {} })), definitions: {} }));

it.each<
  readonly [about: string, old: readonly string[], now: readonly string[], name: string, translated: string]
>([
  [
    "three names replaced",
    ["KettleSize", "KettleShade", "hot_kettle"],
    ["PotSize", "PotShade", "hot_pot"],
    "kettle",
    "pot",
  ],
  [
    "three names replaced, in the plural",
    ["KettleSize", "KettleShade", "hot_kettle"],
    ["PotSize", "PotShade", "hot_pot"],
    "kettles",
    "pot",
  ],
  ["two names replaced", ["KettleSize", "KettleShade"], ["PotSize", "PotShade"], "kettle", "kettle"],
  [
    "three names replaced, and many others have",
    ["KettleSize", "KettleShade", "hot_kettle", "KettleA", "KettleB", "KettleC", "KettleD"],
    ["PotSize", "PotShade", "hot_pot", "KettleA", "KettleB", "KettleC", "KettleD"],
    "kettle",
    "kettle",
  ],
  [
    "three names replaced by one that many old names have",
    ["KettleSize", "KettleShade", "hot_kettle", "PotA", "PotB", "PotC", "PotD"],
    ["PotSize", "PotShade", "hot_pot"],
    "kettle",
    "kettle",
  ],
  [
    "three names among many replaced",
    ["KettleSize", "KettleShade", "hot_kettle", ..."ABCDEFGHIJ".split("").map((end) => `Kettle${end}`)],
    ["PotSize", "PotShade", "hot_pot"],
    "kettle",
    "kettle",
  ],
  [
    "names replaced that differ from many others as well",
    ["KettleSize", "PanSize", "JugSize", "KettleShade", "PanShade", "JugShade", "hot_kettle"],
    ["PotSize", "UrnSize", "MugSize", "PotShade", "UrnShade", "MugShade", "hot_pot"],
    "kettle",
    "kettle",
  ],
  [
    "three names replaced, and a name that both versions have",
    ["KettleSize", "KettleShade", "hot_kettle", "kettle"],
    ["PotSize", "PotShade", "hot_pot", "kettle"],
    "kettle",
    "kettle",
  ],
])("reads a word that %s", (_about, old, now, name, translated) => {
  const translation = createTranslation(createNames(...old), createNames(...now));
  expect(translation.translateName(name)).toBe(translated);
  if (name === "kettle" && translated === "pot")
    expect(translation.translateText("Both kettles, the Kettle of a kettleful.")).toBe(
      "Both pots, the pot of a kettleful.",
    );
});

it("prefers a replaced word to a lost one", async () => {
  const createShelf = (part: string): JsonObject => ({
    [`${part}_name`]: text,
    [`${part}_size`]: cups,
    [`${part}_tone`]: bell,
  });
  const renames = await findReportedRenames(
    createVersion("1.0", { first: sort, ...createShelf("shop_shelf") }),
    createVersion("1.1", { first: sort, shop_name: text, ...createShelf("shelf_box") }),
  );
  expect(renames).toEqual(["shop_shelf_* → shelf_box_*, 3"]);
});

it.each([
  ["a replaced word", "kettle", ["lid_kettle_note → lid_note"]],
  ["another word", "saucer", []],
])("reads descriptions that differ in %s", async (_about, word, expected) => {
  const createPots = (pot: string): JsonObject => ({
    [`${pot}_size`]: cups,
    [`${pot}_shade`]: bell,
    [`hot_${pot}`]: sort,
  });
  const tellNote = (pot: string) => describeText(`The short note about each ${pot} of guests.`);
  const renames = await findReportedRenames(
    createVersion("1.0", { ...createPots("kettle"), last: cups, [`lid_${word}_note`]: tellNote(word) }),
    createVersion("1.1", { ...createPots("pot"), last: cups, lid_note: tellNote("pot") }),
  );
  expect(renames.filter((rename) => /note/.test(rename))).toEqual(expected);
});

const createFiles = (events: { readonly [type: string]: JsonObject }) =>
  Object.fromEntries(
    Object.entries(events).map(([type, properties]) => [`events/${type}.schema.json`, { properties }]),
  );
/** Event types that both versions have. */
const KEPT = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [`kept${index}.done`, { [`mine${index}`]: cups }]),
);
const createCup = (properties: JsonObject): JsonObject => ({
  type: "object",
  description: "A cup.",
  properties,
});
const OTHER_WORDS = { kettle_code: text, boils_at: cups, guest_name: text };
const WORDS = { ...OTHER_WORDS, jug: cups };
const NEW_WORDS = { kettle_code: bell, boils_at: text, guest_name: bell, jug: text };
const RARE = { colour: bell, weight: cups, sort, origin: text };

it.each<
  readonly [
    about: string,
    old: { readonly [type: string]: JsonObject },
    now: { readonly [type: string]: JsonObject },
    expected: readonly string[],
  ]
>([
  [
    "three rare fields of an event type that got others",
    { leaf: { ...RARE, a: cups } },
    { herb: { ...RARE, x: text, y: text, z: bell, w: cups } },
    ["leaf → herb"],
  ],
  [
    "rare fields that are few among those of the old type",
    { leaf: { ...RARE, a: cups, b: cups, c: cups, d: cups, e: cups, f: cups, g: cups } },
    { herb: { ...RARE, x: text, y: text, z: bell, w: cups } },
    [],
  ],
  [
    "two rare fields of an event type that got others",
    { leaf: { colour: bell, weight: cups, a: cups } },
    { herb: { colour: bell, weight: cups, x: text, y: text, z: bell, w: cups } },
    [],
  ],
  [
    "rare fields that two new types have",
    { leaf: { ...RARE, a: cups } },
    { herb: { ...RARE, x: text, y: text, z: bell, w: cups }, root: { ...RARE, q: text } },
    [],
  ],
  [
    "rare fields that one new type has more of than another",
    { leaf: { ...RARE, a: cups } },
    {
      herb: { ...RARE, x: text, y: text, z: bell, w: cups },
      root: { colour: bell, weight: cups, sort, q: text },
    },
    [],
  ],
  [
    "the compound of a renamed event type",
    { leaf: { ...RARE, a: cups }, leafs: { many: sort, a: cups } },
    { herb: { ...RARE, x: text, y: text, z: bell, w: cups }, herbs: { many: sort, x: text } },
    ["leaf → herb", "leafs → herbs"],
  ],
  [
    "a compound with other fields",
    { leaf: { ...RARE, a: cups }, leafs: { many: sort, a: cups } },
    { herb: { ...RARE, x: text, y: text, z: bell, w: cups }, herbs: { x: text, y: bell } },
    ["leaf → herb"],
  ],
  [
    "the first word that replaced the name of another event type",
    { leaf: { ...RARE, a: cups }, leaf_tray: { many: sort, a: cups } },
    {
      herb_bundle: { ...RARE, x: text, y: text, z: bell, w: cups },
      herb_tray: { many: sort, x: text },
    },
    ["leaf → herb_bundle", "leaf_tray → herb_tray"],
  ],
  [
    "a word that is not the first of the new name",
    { leaf: { ...RARE, a: cups }, leaf_tray: { many: sort, a: cups } },
    {
      herb_bundle: { ...RARE, x: text, y: text, z: bell, w: cups },
      bundle_tray: { many: sort, x: text },
    },
    ["leaf → herb_bundle"],
  ],
  [
    "words of fields that no other type has, and a name without one word",
    { "kettle.begins": { kettle_code: text, boils_at: cups } },
    { begin: { code: bell, boils_at: text } },
    ["kettle.begins → begin", "kettle_code → code"],
  ],
  [
    "words of fields that no other type has, and a name with another word",
    { "kettle.begins": { kettle_code: text, boils_at: cups } },
    { "begin.pan": { code: bell, boils_at: text } },
    [],
  ],
  [
    "two words that no other type has",
    { "kettle.begins": { kettle_code: text } },
    { begin: { code: bell } },
    [],
  ],
  [
    "words of fields that a type of both versions has as well",
    { "kettle.begins": WORDS, "pan.ended": OTHER_WORDS },
    { begin: { ...NEW_WORDS }, "pan.ended": OTHER_WORDS },
    [],
  ],
  [
    "words of fields that another new type has as well",
    { "kettle.begins": { kettle_code: text, boils_at: cups } },
    { begin: { code: bell, boils_at: text }, begins: { code: cups, boils_at: text } },
    [],
  ],
  [
    "two names of which the fields of one prove the pattern",
    { "stream.open": { a: cups }, "stream.shut": { leaf: createCup({ colour: bell, weight: cups }) } },
    { "flow.open": { b: text }, "flow.shut": { herb: createCup({ colour: bell, weight: cups }) } },
    ["stream.* → flow.*, 2"],
  ],
  [
    "two names of which no fields prove the pattern",
    { "stream.open": { a: cups }, "stream.shut": { leaf: cups } },
    { "flow.open": { b: text }, "flow.shut": { herb: text } },
    [],
  ],
  [
    "the more alike of two patterns",
    { "teacup.full": {}, "teacup.cold": {}, "teacup.done": {}, "teapot.full": {}, "teapot.cold": {} },
    {
      ...{ "teacuprun.full": {}, "teacuprun.cold": {}, "teacuprun.done": {} },
      ...{ "teapotrun.full": {}, "teapotrun.cold": {}, "teapotrun.done": {} },
    },
    ["teacup.* → teacuprun.*, 3", "teapot.* → teapotrun.*, 2"],
  ],
])("reads %s", async (_about, old, now, expected) => {
  const renames = await findReportedRenames(
    createVersion("1.0", {}, {}, createFiles({ ...KEPT, ...old })),
    createVersion("1.1", {}, {}, createFiles({ ...KEPT, ...now })),
  );
  expect(renames).toEqual(expected);
});

it.each<readonly [about: string, old: readonly string[], now: string, fields: JsonObject, isMerged: boolean]>(
  [
    ["two event types that one replaced", ["start.brew", "stop.brew"], "brew.event", { guest: bell }, true],
    ["a new type without their word", ["start.brew", "stop.brew"], "pot.event", { guest: bell }, false],
    ["a new type without fields of both", ["start.brew", "stop.brew"], "brew.event", { early: cups }, false],
    ["types without contrasting words", ["hot.brew", "strong.brew"], "brew.event", { guest: bell }, false],
  ],
)("reads the merge of %s", async (_about, [first = "", second = ""], now, fields, isMerged) => {
  const old = { [first]: { guest: bell, early: cups }, [second]: { guest: bell, late: sort } };
  const { findings } = await checkHistory([
    createVersion("1.0", {}, {}, createFiles({ ...KEPT, ...old })),
    createVersion("1.1", {}, {}, createFiles({ ...KEPT, [now]: { ...fields, seats: cups, phase: text } })),
  ]);
  expect(findings.some(({ rule }) => rule === "event-merged")).toBe(isMerged);
});

const MAKER = { type: "object", description: "A maker.", properties: { maker_code: bell, town: text } };

it.each<readonly [about: string, uses: number, expected: readonly string[]]>([
  ["one field", 1, ["/data/maker_code → /data/shop/maker_code"]],
  ["three fields", 3, []],
])("reads that a definition of %s already had the field", async (_about, uses, expected) => {
  const maker = { $ref: "../shared/parts.schema.json#/$defs/Maker", description: "Who." };
  const files = {
    "shared/parts.schema.json": { title: "Parts", description: "Parts.", $defs: { Maker: MAKER } },
  };
  const others = Object.fromEntries(Array.from({ length: uses }, (_, index) => [`other${index}`, maker]));
  const renames = await findReportedRenames(
    createVersion("1.0", { first: cups, maker_code: bell, ...others }, {}, files),
    createVersion("1.1", { first: cups, shop: maker, ...others }, {}, files),
  );
  expect(renames).toEqual(expected);
});

it.each([
  ["has", { code: bell }, []],
  ["lacks", {}, ["/data/maker_code → /data/shop/code"]],
])("reads that the object %s a field with the shorter name", async (_about, kept, expected) => {
  const shop = { type: "object", description: "A shop.", properties: { code: bell, town: text } };
  const renames = await findReportedRenames(
    createVersion("1.0", { first: cups, ...kept, maker_code: bell }),
    createVersion("1.1", { first: cups, ...kept, shop }),
  );
  expect(renames).toEqual(expected);
});

const OLD_SHOP = { street_name: text, seats: cups, doors: cups, lamps: cups, bins: cups };

it.each<
  readonly [about: string, old: JsonObject, now: JsonObject, others: JsonObject, expected: readonly string[]]
>([
  [
    "whose name is nowhere else",
    { shop: createCup(OLD_SHOP) },
    { place: createCup({ street_name: text, storey: sort }) },
    {},
    ["/data/shop/street_name → /data/place/street_name"],
  ],
  [
    "whose name is one word",
    { shop: createCup({ ...OLD_SHOP, street_name: cups, street: text }) },
    { place: createCup({ street: text, storey: sort }) },
    {},
    [],
  ],
  [
    "whose name another object has",
    { shop: createCup(OLD_SHOP) },
    { place: createCup({ street_name: text, storey: sort }) },
    { park: createCup({ street_name: text }) },
    [],
  ],
  [
    "with another type",
    { shop: createCup(OLD_SHOP) },
    { place: createCup({ street_name: cups, storey: sort }) },
    {},
    [],
  ],
  [
    "with most fields of the object",
    { shop: createCup({ street_name: text, seats: cups, doors: cups, bins: bell }) },
    { place: createCup({ street_name: text, seats: text, doors: text, storey: sort, a: cups, b: cups }) },
    {},
    [],
  ],
])(
  "reads that a field %s left a removed object for an added one",
  async (_about, old, now, others, expected) => {
    const renames = await findReportedRenames(
      createVersion("1.0", { first: cups, ...others, ...old }),
      createVersion("1.1", { first: cups, ...others, ...now }),
    );
    expect(renames.filter((rename) => rename.includes("street"))).toEqual(expected);
  },
);

it.each<readonly [about: string, values: JsonObject, expected: readonly string[]]>([
  ["like values", { type: "object", properties: { a: cups, c: cups } }, ["/data/shop/prices → /data/prices"]],
  ["other values", text, []],
])("reads maps with %s", async (_about, values, expected) => {
  const createMap = (additionalProperties: JsonObject): JsonObject => ({
    type: "object",
    description: "Prices.",
    additionalProperties,
  });
  const prices = createMap({ type: "object", properties: { a: cups, b: cups } });
  const renames = await findReportedRenames(
    createVersion("1.0", { first: cups, shop: createCup({ prices }) }),
    createVersion("1.1", { first: cups, prices: createMap(values) }),
  );
  expect(renames).toEqual(expected);
});

it.each<readonly [about: string, others: JsonObject, expected: readonly string[]]>([
  ["no other field", {}, []],
  ["another field", { street: bell }, ["/data/id → /data/shop/id", "/data/street → /data/shop/street"]],
])("reads that %s moved together with an identifier", async (_about, others, expected) => {
  const renames = await findReportedRenames(
    createVersion("1.0", { first: cups, id: text, ...others }),
    createVersion("1.1", { first: cups, shop: createCup({ id: text, seats: cups, ...others }) }),
  );
  expect(renames).toEqual(expected);
});
