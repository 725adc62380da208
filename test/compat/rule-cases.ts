/** The findings of the examples of rules that do not state them in their rows. */
import type { ExpectedFinding } from "../../generator/compat/change.js";
import type { ChangeKind } from "../../generator/compat/rules/rules.js";
import type { Json } from "../../generator/json.js";

/** Rules whose findings need more than two folders of schemas, and the test that covers them. */
export const WITHOUT_EXAMPLE: { readonly [id in ChangeKind]?: string } = {
  "release-altered": "release.test.ts",
  "version-bump-insufficient": "history.test.ts",
  "stream-undecided": "streams/compare-stream-contracts.test.ts",
};

const event = (type: string, data: Json): Json => ({ type, id: "a", data });
const served = (data: Json): Json => event("tea.served", data);

const CURRENT_READERS = ["current-readers"];
const BASELINE_READERS = ["baseline-readers"];
const BOTH_READERS = [...CURRENT_READERS, ...BASELINE_READERS];
const LOST = ["data-loss", "senders"];

/** The place and the text of a part of the event's schema, and of its field "sort". */
const part = (place: string): string => `tea.served#${place}`;
const sortPart = (place: string): string => part(`/properties/sort${place}`);
const SORT = sortPart(' "sort": {');
const OPEN_LIST = sortPart('/x-extensible-enum "x-extensible-enum": [');
const CLOSED_LIST = sortPart('/enum "enum": [');

/** A break that nobody can miss: its places, who is affected and the witnesses. */
function broken(
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

/** A break of the field "sort": an event with this value is refused by current readers, or by those of the baseline. */
const narrowed = (at: string, baseline: string | undefined, sort: Json): ExpectedFinding =>
  broken(at, baseline, CURRENT_READERS, served({ sort }));
const widened = (at: string, baseline: string | undefined, sort: Json): ExpectedFinding =>
  broken(at, baseline, BASELINE_READERS, served({ sort }));
const changed = (at: string, baseline: string, old: Json, now: Json): ExpectedFinding =>
  broken(at, baseline, BOTH_READERS, served({ sort: old }), served({ sort: now }));

/** A finding without a witness, which points at the same text in both versions. */
const unwitnessed = (is: NonNullable<ExpectedFinding["is"]>, at: string, baseline = at): ExpectedFinding => ({
  is,
  at,
  baseline,
});

/** The note about an experimental field that was removed without a deprecation. */
const removal: ExpectedFinding = {
  rule: "field-removed-optional",
  is: "note",
  ...broken(part(" {"), SORT, LOST, served({ sort: "black" })),
};
const addition: ExpectedFinding = { rule: "field-added-optional", is: "addition", at: SORT };

const teaEvent = (type: string, data: Json = {}): Json => ({ id: "ok", type, data });
const PAIRS = "protocol#/stream/rules/pairs/0";
const ORDER = "protocol#/stream/rules/ordered/0/fields [";
const poured = [teaEvent("tea.poured"), teaEvent("tea.poured")];
const orderedEvent = event("tea.ordered", {});

/** The findings of each example, in order; `rule` is that of the example and `is` is "error" unless they are given. */
export const RULE_CASES: { readonly [id in ChangeKind]?: ExpectedFinding | readonly ExpectedFinding[] } = {
  "event-added": { is: "addition", at: "tea.ordered# {" },
  "event-removed": broken("tea.ordered# {", undefined, LOST, event("tea.ordered", { tray_id: "" })),
  "event-renamed": broken("tea.requested# {", "tea.ordered# {", LOST, orderedEvent),
  "event-split": broken("tea.brewed# {", "tea.ordered# {", LOST, orderedEvent),
  "event-merged": broken("tea.ordered# {", "tea.brewed# {", LOST, event("tea.brewed", {})),
  "event-repurposed": broken(
    part(" {"),
    part(" {"),
    BOTH_READERS,
    served({ cups: 0 }),
    served({ tray_id: "" }),
  ),
  "contract-narrowed": broken(part("/allOf ["), part("/anyOf ["), CURRENT_READERS, served({ cups: 0 })),
  "contract-widened": broken(part("/anyOf ["), part("/allOf ["), BASELINE_READERS, served({ cups: 0 })),
  "contract-undecided": unwitnessed("error", sortPart("/oneOf ["), sortPart("/anyOf [")),
  "layout-changed": broken(
    "protocol#/envelope {",
    "protocol#/envelope {",
    BOTH_READERS,
    served({ cups: 0 }),
    { cups: 0, data: {}, id: "a", type: "tea.served" },
  ),
  "resource-added": { is: "addition", at: "resources/tea-list# {" },
  "resource-removed": broken("resources/tea-list# {", undefined, LOST, { teas: [] }),
  "resource-renamed": broken("resources/tea-page# {", "resources/tea-list# {", LOST, { teas: [] }),
  "stability-decreased": unwitnessed("warning", part(" {")),
  "stability-increased": unwitnessed("note", part(" {")),
  "stable-refers-to-experimental": {
    is: "warning",
    at: part('/properties/leaf/$ref "../shared/leaves.schema.json#/$defs/Leaf"'),
  },
  "default-changed": unwitnessed("note", SORT),
  "type-widened": widened(sortPart("/type ["), sortPart('/type "string"'), 0),
  "type-narrowed": narrowed(sortPart('/type "integer"'), sortPart('/type "number"'), 0.1),
  "type-changed": changed(sortPart('/type "integer"'), sortPart('/type "string"'), "", 0),
  "nullable-added": widened(sortPart("/type ["), sortPart('/type "string"'), null),
  "nullable-removed": narrowed(sortPart('/type "string"'), sortPart("/type ["), null),
  "enum-value-added": unwitnessed("addition", OPEN_LIST),
  "enum-value-added-closed": widened(CLOSED_LIST, CLOSED_LIST, "black"),
  "enum-value-removed": broken(OPEN_LIST, OPEN_LIST, ["senders"], served({ sort: "black" })),
  "enum-value-renamed": broken(OPEN_LIST, OPEN_LIST, ["senders"], served({ sort: "black_tea" })),
  "enum-opened": unwitnessed("note", OPEN_LIST, CLOSED_LIST),
  "enum-closed": unwitnessed("warning", CLOSED_LIST, OPEN_LIST),
  "value-list-added": narrowed(sortPart("/enum ["), undefined, ""),
  "value-list-removed": widened(SORT, sortPart("/enum ["), ""),
  "const-changed": changed(sortPart('/const "black"'), sortPart('/const "green"'), "green", "black"),
  "bound-tightened": narrowed(
    sortPart('/maxLength "maxLength": 10'),
    sortPart('/maxLength "maxLength": 20'),
    "aaaaaaaaaaa",
  ),
  "bound-loosened": widened(SORT, sortPart('/maxLength "maxLength": 10'), "aaaaaaaaaaa"),
  "pattern-added": narrowed(sortPart('/pattern "^[a-z]+$"'), undefined, ""),
  "pattern-removed": widened(SORT, sortPart('/pattern "^[a-z]+$"'), ""),
  "pattern-changed": changed(sortPart('/pattern "^[A-Z]+$"'), sortPart('/pattern "^[a-z]+$"'), "a", "A"),
  "format-added": narrowed(sortPart('/format "date"'), undefined, ""),
  "format-removed": widened(SORT, sortPart('/format "date"'), ""),
  "format-changed": changed(
    sortPart('/format "uuid"'),
    sortPart('/format "date"'),
    "2000-01-01",
    "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",
  ),
  "field-removed-optional": broken(part(" {"), SORT, LOST, served({ sort: "black" })),
  "field-removed-required": broken(
    part(" {"),
    SORT,
    [...LOST, ...BASELINE_READERS],
    served({ sort: "black" }),
    served({}),
  ),
  "field-added-optional": { is: "addition", at: SORT },
  "field-added-required": broken(SORT, undefined, CURRENT_READERS, served({})),
  "field-renamed": broken(
    SORT,
    part('/properties/tea_sort "tea_sort": {'),
    LOST,
    served({ tea_sort: "black" }),
  ),
  "field-moved": broken(
    part('/properties/pot/properties/sort "sort": {'),
    SORT,
    LOST,
    served({ sort: "black" }),
  ),
  "field-became-required": broken(part('/required/0 "sort"'), SORT, CURRENT_READERS, served({})),
  "field-became-optional": broken(SORT, part('/required/0 "sort"'), BASELINE_READERS, served({})),
  "content-opened": { is: "note", at: part("/properties/pot/additionalProperties true") },
  "content-closed": broken(
    part('/properties/pot "pot": {'),
    part("/properties/pot/additionalProperties true"),
    ["senders"],
    served({ pot: { "": null } }),
  ),
  "branch-added": widened(sortPart("/anyOf/2 {"), sortPart("/anyOf/0 {"), true),
  "branch-removed": narrowed(sortPart("/anyOf/0 {"), sortPart("/anyOf/2 {"), true),
  "branches-changed": changed(sortPart("/anyOf/1 {"), sortPart("/anyOf/1 {"), null, true),
  "condition-changed": changed(sortPart("/not {"), sortPart("/not {"), "water", "coffee"),
  "writer-rule-changed": broken(sortPart("/x-writer {"), undefined, ["senders"], served({ sort: "" })),
  "decoding-changed": unwitnessed(
    "error",
    sortPart('/contentEncoding "base64url"'),
    sortPart('/contentEncoding "base64"'),
  ),
  "stream-promise-removed": {
    at: "protocol#/stream/rules {",
    baseline: `${PAIRS} {`,
    affects: BASELINE_READERS,
    stream: poured,
  },
  "stream-promise-added": {
    at: `${PAIRS} {`,
    baseline: "protocol#/stream/rules {",
    affects: CURRENT_READERS,
    stream: poured,
  },
  "stream-promise-changed": {
    at: ORDER,
    baseline: ORDER,
    affects: BASELINE_READERS,
    stream: [teaEvent("tea.served", { cups: 1, pots: 0 })],
  },
  "stream-frame-changed": {
    at: "protocol#/stream {",
    baseline: 'protocol#/stream/id "id"',
    affects: BASELINE_READERS,
    stream: [teaEvent("tea.poured"), teaEvent("tea.served")],
  },
  "stream-reliance-dropped": unwitnessed("warning", `${PAIRS}/profile "writer"`, `${PAIRS}/profile {`),
  "stream-end-changed": unwitnessed("note", "protocol#/stream/rules/terminal/types ["),
  "stream-guarantee-removed": unwitnessed("warning", "protocol#/guarantees ["),
  "stream-changed": unwitnessed("note", "protocol#/stream {"),
  "tombstone-missing": [{ at: SORT }, removal],
  "tombstone-removed": { at: "protocol#/tombstones/0 {" },
  "tombstone-reused": [{ at: SORT }, addition],
  "removed-without-deprecation": [{ is: "warning", at: SORT }, removal],
  "removed-too-early": [{ is: "warning", at: SORT }, removal],
  "deprecated-without-replacement": { is: "warning", at: SORT },
  "rename-unmatched": [{ at: SORT }, addition],
  "rename-old-name-missing": [
    { at: SORT },
    {
      rule: "field-renamed",
      is: "note",
      ...broken(SORT, part('/properties/tea_sort "tea_sort": {'), LOST, served({ tea_sort: "black" })),
    },
  ],
  "rename-old-name-not-deprecated": [{ is: "warning", at: SORT }, addition],
  "waiver-unused": { at: "protocol#/waivers/0 {" },
  "waiver-expired": { at: "protocol#/waivers/0 {" },
};
