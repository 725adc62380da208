/** The expected findings of the examples of rules whose rows do not state them. */
import type { ExpectedFinding } from "../../generator/compat/change.js";
import type { ChangeKind } from "../../generator/compat/rules/rules.js";
import type { Json } from "../../generator/json.js";

/** Rules whose findings need more than two folders of schemas, and the test that covers them. */
export const WITHOUT_EXAMPLE: { readonly [id in ChangeKind]?: string } = {
  "release-altered": "release.test.ts",
  "version-bump-insufficient": "history.deep.test.ts",
  "stream-undecided": "streams/compare-stream-contracts.test.ts",
};

const createEvent = (type: string, data: Json): Json => ({ type, id: "a", data });
const createServedEvent = (data: Json): Json => createEvent("tea.served", data);

const CURRENT_READERS = ["current-readers"];
const BASELINE_READERS = ["baseline-readers"];
const BOTH_READERS = [...CURRENT_READERS, ...BASELINE_READERS];
const DATA_LOSS = ["data-loss", "senders"];

/** Formats the location of a part of the event's schema, or of its field "sort". */
const locatePart = (place: string): string => `tea.served#${place}`;
const locateSortPart = (place: string): string => locatePart(`/properties/sort${place}`);
const SORT = locateSortPart(' "sort": {');
const OPEN_LIST = locateSortPart('/x-extensible-enum "x-extensible-enum": [');
const CLOSED_LIST = locateSortPart('/enum "enum": [');

/** Returns the expected finding of a break with a witness. */
function expectBreak(
  at: string,
  baseline: string | undefined,
  affects: readonly string[],
  witness: Json,
  opposite?: Json,
): ExpectedFinding {
  return {
    at,
    affects,
    witness,
    ...(baseline !== undefined && { baseline }),
    ...(opposite !== undefined && { opposite }),
  };
}

/** Returns the expected finding of a break of the field "sort". The witnesses are events with these values. */
const expectNarrowing = (at: string, baseline: string | undefined, sort: Json): ExpectedFinding =>
  expectBreak(at, baseline, CURRENT_READERS, createServedEvent({ sort }));
const expectWidening = (at: string, baseline: string | undefined, sort: Json): ExpectedFinding =>
  expectBreak(at, baseline, BASELINE_READERS, createServedEvent({ sort }));
const expectChange = (at: string, baseline: string, old: Json, now: Json): ExpectedFinding =>
  expectBreak(at, baseline, BOTH_READERS, createServedEvent({ sort: old }), createServedEvent({ sort: now }));

/** Returns an expected finding without a witness. By default it points at the same text in both versions. */
const expectWithoutWitness = (
  verdict: NonNullable<ExpectedFinding["verdict"]>,
  at: string,
  baseline = at,
): ExpectedFinding => ({
  verdict,
  at,
  baseline,
});

/** The note about an experimental field that was removed without a deprecation. */
const REMOVAL: ExpectedFinding = {
  rule: "field-removed-optional",
  verdict: "note",
  ...expectBreak(locatePart(" {"), SORT, DATA_LOSS, createServedEvent({ sort: "black" })),
};
const ADDITION: ExpectedFinding = { rule: "field-added-optional", verdict: "addition", at: SORT };

/** Creates an event of a stream that shows a broken rule of streams. */
const createStreamEvent = (type: string, data: Json = {}): Json => ({ id: "ok", type, data });
const FIRST_PAIR = "protocol#/stream/rules/pairs/0";
const ORDER_FIELDS = "protocol#/stream/rules/ordered/0/fields [";
const pouredTwice = [createStreamEvent("tea.poured"), createStreamEvent("tea.poured")];
const orderedEvent = createEvent("tea.ordered", {});

/** The findings of each example, in order; `rule` is that of the example and `verdict` is "error" unless they are given. */
export const RULE_CASES: { readonly [id in ChangeKind]?: ExpectedFinding | readonly ExpectedFinding[] } = {
  "event-added": { verdict: "addition", at: "tea.ordered# {" },
  "event-removed": expectBreak(
    "tea.ordered# {",
    undefined,
    DATA_LOSS,
    createEvent("tea.ordered", { tray_id: "" }),
  ),
  "event-renamed": expectBreak("tea.order.placed# {", "tea.ordered# {", DATA_LOSS, orderedEvent),
  "event-split": expectBreak("tea.brewed# {", "tea.ordered# {", DATA_LOSS, orderedEvent),
  "event-merged": expectBreak("tea.ordered# {", "tea.brewed# {", DATA_LOSS, createEvent("tea.brewed", {})),
  "event-repurposed": expectBreak(
    locatePart(" {"),
    locatePart(" {"),
    BOTH_READERS,
    createServedEvent({ cups: 0 }),
    createServedEvent({ tray_id: "" }),
  ),
  "contract-narrowed": expectBreak(
    locatePart("/allOf ["),
    locatePart("/anyOf ["),
    CURRENT_READERS,
    createServedEvent({ cups: 0 }),
  ),
  "contract-widened": expectBreak(
    locatePart("/anyOf ["),
    locatePart("/allOf ["),
    BASELINE_READERS,
    createServedEvent({ cups: 0 }),
  ),
  "contract-undecided": expectWithoutWitness("error", locateSortPart("/oneOf ["), locateSortPart("/anyOf [")),
  "layout-changed": expectBreak(
    "protocol#/envelope {",
    "protocol#/envelope {",
    BOTH_READERS,
    createServedEvent({ cups: 0 }),
    { cups: 0, data: {}, id: "a", type: "tea.served" },
  ),
  "resource-added": { verdict: "addition", at: "resources/tea-list# {" },
  "resource-removed": expectBreak("resources/tea-list# {", undefined, DATA_LOSS, { teas: [] }),
  "resource-renamed": expectBreak("resources/tea-page# {", "resources/tea-list# {", DATA_LOSS, { teas: [] }),
  "stability-decreased": expectWithoutWitness("warning", locatePart(" {")),
  "stability-increased": expectWithoutWitness("note", locatePart(" {")),
  "stable-refers-to-experimental": {
    verdict: "warning",
    at: locatePart('/properties/leaf/$ref "../shared/leaves.schema.json#/$defs/Leaf"'),
  },
  "default-changed": expectWithoutWitness("note", SORT),
  "type-widened": expectWidening(locateSortPart("/type ["), locateSortPart('/type "string"'), 0),
  "type-narrowed": expectNarrowing(locateSortPart('/type "integer"'), locateSortPart('/type "number"'), 0.1),
  "type-changed": expectChange(locateSortPart('/type "integer"'), locateSortPart('/type "string"'), "", 0),
  "nullable-added": expectWidening(locateSortPart("/type ["), locateSortPart('/type "string"'), null),
  "nullable-removed": expectNarrowing(locateSortPart('/type "string"'), locateSortPart("/type ["), null),
  "enum-value-added": expectWithoutWitness("addition", OPEN_LIST),
  "enum-value-added-closed": expectWidening(CLOSED_LIST, CLOSED_LIST, "black"),
  "enum-value-removed": expectBreak(OPEN_LIST, OPEN_LIST, ["senders"], createServedEvent({ sort: "black" })),
  "enum-value-renamed": expectBreak(
    OPEN_LIST,
    OPEN_LIST,
    ["senders"],
    createServedEvent({ sort: "black_tea" }),
  ),
  "enum-opened": expectWithoutWitness("note", OPEN_LIST, CLOSED_LIST),
  "enum-closed": expectWithoutWitness("warning", CLOSED_LIST, OPEN_LIST),
  "value-list-added": expectNarrowing(locateSortPart("/enum ["), undefined, ""),
  "value-list-removed": expectWidening(SORT, locateSortPart("/enum ["), ""),
  "const-changed": expectChange(
    locateSortPart('/const "black"'),
    locateSortPart('/const "green"'),
    "green",
    "black",
  ),
  "bound-tightened": expectNarrowing(
    locateSortPart('/maxLength "maxLength": 10'),
    locateSortPart('/maxLength "maxLength": 20'),
    "aaaaaaaaaaa",
  ),
  "bound-loosened": expectWidening(SORT, locateSortPart('/maxLength "maxLength": 10'), "aaaaaaaaaaa"),
  "pattern-added": expectNarrowing(locateSortPart('/pattern "^[a-z]+$"'), undefined, ""),
  "pattern-removed": expectWidening(SORT, locateSortPart('/pattern "^[a-z]+$"'), ""),
  "pattern-changed": expectChange(
    locateSortPart('/pattern "^[A-Z]+$"'),
    locateSortPart('/pattern "^[a-z]+$"'),
    "a",
    "A",
  ),
  "format-added": expectNarrowing(locateSortPart('/format "date"'), undefined, ""),
  "format-removed": expectWidening(SORT, locateSortPart('/format "date"'), ""),
  "format-changed": expectChange(
    locateSortPart('/format "uuid"'),
    locateSortPart('/format "date"'),
    "2000-01-01",
    "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",
  ),
  "field-removed-optional": expectBreak(
    locatePart(" {"),
    SORT,
    DATA_LOSS,
    createServedEvent({ sort: "black" }),
  ),
  "field-removed-required": expectBreak(
    locatePart(" {"),
    SORT,
    [...DATA_LOSS, ...BASELINE_READERS],
    createServedEvent({ sort: "black" }),
    createServedEvent({}),
  ),
  "field-added-optional": { verdict: "addition", at: SORT },
  "field-added-required": expectBreak(SORT, undefined, CURRENT_READERS, createServedEvent({})),
  "field-renamed": expectBreak(
    SORT,
    locatePart('/properties/tea_sort "tea_sort": {'),
    DATA_LOSS,
    createServedEvent({ tea_sort: "black" }),
  ),
  "field-moved": expectBreak(
    locatePart('/properties/pot/properties/sort "sort": {'),
    SORT,
    DATA_LOSS,
    createServedEvent({ sort: "black" }),
  ),
  "field-became-required": expectBreak(
    locatePart('/required/0 "sort"'),
    SORT,
    CURRENT_READERS,
    createServedEvent({}),
  ),
  "field-became-optional": expectBreak(
    SORT,
    locatePart('/required/0 "sort"'),
    BASELINE_READERS,
    createServedEvent({}),
  ),
  "content-opened": { verdict: "note", at: locatePart("/properties/pot/additionalProperties true") },
  "content-closed": expectBreak(
    locatePart('/properties/pot "pot": {'),
    locatePart("/properties/pot/additionalProperties true"),
    ["senders"],
    createServedEvent({ pot: { "": null } }),
  ),
  "branch-added": expectWidening(locateSortPart("/anyOf/2 {"), locateSortPart("/anyOf/0 {"), true),
  "branch-removed": expectNarrowing(locateSortPart("/anyOf/0 {"), locateSortPart("/anyOf/2 {"), true),
  "branches-changed": expectChange(locateSortPart("/anyOf/1 {"), locateSortPart("/anyOf/1 {"), null, true),
  "condition-changed": expectChange(locateSortPart("/not {"), locateSortPart("/not {"), "water", "coffee"),
  "writer-rule-changed": expectBreak(
    locateSortPart("/x-writer {"),
    undefined,
    ["senders"],
    createServedEvent({ sort: "" }),
  ),
  "decoding-changed": expectWithoutWitness(
    "error",
    locateSortPart('/contentEncoding "base64url"'),
    locateSortPart('/contentEncoding "base64"'),
  ),
  "stream-promise-removed": {
    at: "protocol#/stream/rules {",
    baseline: `${FIRST_PAIR} {`,
    affects: BASELINE_READERS,
    stream: pouredTwice,
  },
  "stream-promise-added": {
    at: `${FIRST_PAIR} {`,
    baseline: "protocol#/stream/rules {",
    affects: CURRENT_READERS,
    stream: pouredTwice,
  },
  "stream-promise-changed": {
    at: ORDER_FIELDS,
    baseline: ORDER_FIELDS,
    affects: BASELINE_READERS,
    stream: [createStreamEvent("tea.served", { cups: 1, pots: 0 })],
  },
  "stream-frame-changed": {
    at: "protocol#/stream {",
    baseline: 'protocol#/stream/id "id"',
    affects: BASELINE_READERS,
    stream: [createStreamEvent("tea.poured"), createStreamEvent("tea.served")],
  },
  "stream-reliance-dropped": expectWithoutWitness(
    "warning",
    `${FIRST_PAIR}/profile "writer"`,
    `${FIRST_PAIR}/profile {`,
  ),
  "stream-end-changed": expectWithoutWitness("note", "protocol#/stream/rules/terminal/types ["),
  "stream-guarantee-removed": expectWithoutWitness("warning", "protocol#/guarantees ["),
  "stream-changed": expectWithoutWitness("note", "protocol#/stream {"),
  "tombstone-missing": [{ at: SORT }, REMOVAL],
  "tombstone-removed": { at: "protocol#/tombstones/0 {" },
  "tombstone-reused": [{ at: SORT }, ADDITION],
  "removed-without-deprecation": [{ verdict: "warning", at: SORT }, REMOVAL],
  "removed-too-early": [{ verdict: "warning", at: SORT }, REMOVAL],
  "deprecated-without-replacement": { verdict: "warning", at: SORT },
  "rename-unmatched": [{ at: SORT }, ADDITION],
  "rename-old-name-missing": [
    { at: SORT },
    {
      rule: "field-renamed",
      verdict: "note",
      ...expectBreak(
        SORT,
        locatePart('/properties/tea_sort "tea_sort": {'),
        DATA_LOSS,
        createServedEvent({ tea_sort: "black" }),
      ),
    },
  ],
  "rename-old-name-not-deprecated": [{ verdict: "warning", at: SORT }, ADDITION],
  "waiver-unused": { at: "protocol#/waivers/0 {" },
  "waiver-expired": { at: "protocol#/waivers/0 {" },
};
