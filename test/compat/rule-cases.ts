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

/** The findings of each example, in order; `rule` is that of the example and `is` is "error" unless they are given. */
export const RULE_CASES: { readonly [id in ChangeKind]?: ExpectedFinding | readonly ExpectedFinding[] } = {
  "event-added": { is: "addition", at: "tea.ordered# {" },
  "event-removed": {
    at: "tea.ordered# {",
    affects: ["data-loss", "senders"],
    witness: event("tea.ordered", { tray_id: "" }),
  },
  "event-renamed": {
    at: "tea.requested# {",
    baseline: "tea.ordered# {",
    affects: ["data-loss", "senders"],
    witness: event("tea.ordered", {}),
  },
  "event-split": {
    at: "tea.brewed# {",
    baseline: "tea.ordered# {",
    affects: ["data-loss", "senders"],
    witness: event("tea.ordered", {}),
  },
  "event-merged": {
    at: "tea.ordered# {",
    baseline: "tea.brewed# {",
    affects: ["data-loss", "senders"],
    witness: event("tea.brewed", {}),
  },
  "event-repurposed": {
    at: "tea.served# {",
    baseline: "tea.served# {",
    affects: ["current-readers", "baseline-readers"],
    witness: served({ cups: 0 }),
    opposite: served({ tray_id: "" }),
  },
  "contract-narrowed": {
    at: "tea.served#/allOf [",
    baseline: "tea.served#/anyOf [",
    affects: ["current-readers"],
    witness: served({ cups: 0 }),
  },
  "contract-widened": {
    at: "tea.served#/anyOf [",
    baseline: "tea.served#/allOf [",
    affects: ["baseline-readers"],
    witness: served({ cups: 0 }),
  },
  "contract-undecided": {
    at: "tea.served#/properties/sort/oneOf [",
    baseline: "tea.served#/properties/sort/anyOf [",
  },
  "layout-changed": {
    at: "protocol#/envelope {",
    baseline: "protocol#/envelope {",
    affects: ["current-readers", "baseline-readers"],
    witness: served({ cups: 0 }),
    opposite: { cups: 0, data: {}, id: "a", type: "tea.served" },
  },
  "resource-added": { is: "addition", at: "resources/tea-list# {" },
  "resource-removed": {
    at: "resources/tea-list# {",
    affects: ["data-loss", "senders"],
    witness: { teas: [] },
  },
  "resource-renamed": {
    at: "resources/tea-page# {",
    baseline: "resources/tea-list# {",
    affects: ["data-loss", "senders"],
    witness: { teas: [] },
  },
  "stability-decreased": { is: "warning", at: "tea.served# {", baseline: "tea.served# {" },
  "stability-increased": { is: "note", at: "tea.served# {", baseline: "tea.served# {" },
  "stable-refers-to-experimental": {
    is: "warning",
    at: 'tea.served#/properties/leaf/$ref "../shared/leaves.schema.json#/$defs/Leaf"',
  },
  "default-changed": {
    is: "note",
    at: 'tea.served#/properties/sort "sort": {',
    baseline: 'tea.served#/properties/sort "sort": {',
  },
  "type-widened": {
    at: "tea.served#/properties/sort/type [",
    baseline: 'tea.served#/properties/sort/type "string"',
    affects: ["baseline-readers"],
    witness: served({ sort: 0 }),
  },
  "type-narrowed": {
    at: 'tea.served#/properties/sort/type "integer"',
    baseline: 'tea.served#/properties/sort/type "number"',
    affects: ["current-readers"],
    witness: served({ sort: 0.1 }),
  },
  "type-changed": {
    at: 'tea.served#/properties/sort/type "integer"',
    baseline: 'tea.served#/properties/sort/type "string"',
    affects: ["current-readers", "baseline-readers"],
    witness: served({ sort: "" }),
    opposite: served({ sort: 0 }),
  },
  "nullable-added": {
    at: "tea.served#/properties/sort/type [",
    baseline: 'tea.served#/properties/sort/type "string"',
    affects: ["baseline-readers"],
    witness: served({ sort: null }),
  },
  "nullable-removed": {
    at: 'tea.served#/properties/sort/type "string"',
    baseline: "tea.served#/properties/sort/type [",
    affects: ["current-readers"],
    witness: served({ sort: null }),
  },
  "enum-value-added": {
    is: "addition",
    at: 'tea.served#/properties/sort/x-extensible-enum "x-extensible-enum": [',
    baseline: 'tea.served#/properties/sort/x-extensible-enum "x-extensible-enum": [',
  },
  "enum-value-added-closed": {
    at: 'tea.served#/properties/sort/enum "enum": [',
    baseline: 'tea.served#/properties/sort/enum "enum": [',
    affects: ["baseline-readers"],
    witness: served({ sort: "black" }),
  },
  "enum-value-removed": {
    at: 'tea.served#/properties/sort/x-extensible-enum "x-extensible-enum": [',
    baseline: 'tea.served#/properties/sort/x-extensible-enum "x-extensible-enum": [',
    affects: ["senders"],
    witness: served({ sort: "black" }),
  },
  "enum-value-renamed": {
    at: 'tea.served#/properties/sort/x-extensible-enum "x-extensible-enum": [',
    baseline: 'tea.served#/properties/sort/x-extensible-enum "x-extensible-enum": [',
    affects: ["senders"],
    witness: served({ sort: "black_tea" }),
  },
  "enum-opened": {
    is: "note",
    at: 'tea.served#/properties/sort/x-extensible-enum "x-extensible-enum": [',
    baseline: 'tea.served#/properties/sort/enum "enum": [',
  },
  "enum-closed": {
    is: "warning",
    at: 'tea.served#/properties/sort/enum "enum": [',
    baseline: 'tea.served#/properties/sort/x-extensible-enum "x-extensible-enum": [',
  },
  "value-list-added": {
    at: "tea.served#/properties/sort/enum [",
    affects: ["current-readers"],
    witness: served({ sort: "" }),
  },
  "value-list-removed": {
    at: 'tea.served#/properties/sort "sort": {',
    baseline: "tea.served#/properties/sort/enum [",
    affects: ["baseline-readers"],
    witness: served({ sort: "" }),
  },
  "const-changed": {
    at: 'tea.served#/properties/sort/const "black"',
    baseline: 'tea.served#/properties/sort/const "green"',
    affects: ["current-readers", "baseline-readers"],
    witness: served({ sort: "green" }),
    opposite: served({ sort: "black" }),
  },
  "bound-tightened": {
    at: 'tea.served#/properties/sort/maxLength "maxLength": 10',
    baseline: 'tea.served#/properties/sort/maxLength "maxLength": 20',
    affects: ["current-readers"],
    witness: served({ sort: "aaaaaaaaaaa" }),
  },
  "bound-loosened": {
    at: 'tea.served#/properties/sort "sort": {',
    baseline: 'tea.served#/properties/sort/maxLength "maxLength": 10',
    affects: ["baseline-readers"],
    witness: served({ sort: "aaaaaaaaaaa" }),
  },
  "pattern-added": {
    at: 'tea.served#/properties/sort/pattern "^[a-z]+$"',
    affects: ["current-readers"],
    witness: served({ sort: "" }),
  },
  "pattern-removed": {
    at: 'tea.served#/properties/sort "sort": {',
    baseline: 'tea.served#/properties/sort/pattern "^[a-z]+$"',
    affects: ["baseline-readers"],
    witness: served({ sort: "" }),
  },
  "pattern-changed": {
    at: 'tea.served#/properties/sort/pattern "^[A-Z]+$"',
    baseline: 'tea.served#/properties/sort/pattern "^[a-z]+$"',
    affects: ["current-readers", "baseline-readers"],
    witness: served({ sort: "a" }),
    opposite: served({ sort: "A" }),
  },
  "format-added": {
    at: 'tea.served#/properties/sort/format "date"',
    affects: ["current-readers"],
    witness: served({ sort: "" }),
  },
  "format-removed": {
    at: 'tea.served#/properties/sort "sort": {',
    baseline: 'tea.served#/properties/sort/format "date"',
    affects: ["baseline-readers"],
    witness: served({ sort: "" }),
  },
  "format-changed": {
    at: 'tea.served#/properties/sort/format "uuid"',
    baseline: 'tea.served#/properties/sort/format "date"',
    affects: ["current-readers", "baseline-readers"],
    witness: served({ sort: "2000-01-01" }),
    opposite: served({ sort: "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa" }),
  },
  "field-removed-optional": {
    at: "tea.served# {",
    baseline: 'tea.served#/properties/sort "sort": {',
    affects: ["data-loss", "senders"],
    witness: served({ sort: "black" }),
  },
  "field-removed-required": {
    at: "tea.served# {",
    baseline: 'tea.served#/properties/sort "sort": {',
    affects: ["data-loss", "senders", "baseline-readers"],
    witness: served({ sort: "black" }),
    opposite: served({}),
  },
  "field-added-optional": { is: "addition", at: 'tea.served#/properties/sort "sort": {' },
  "field-added-required": {
    at: 'tea.served#/properties/sort "sort": {',
    affects: ["current-readers"],
    witness: served({}),
  },
  "field-renamed": {
    at: 'tea.served#/properties/sort "sort": {',
    baseline: 'tea.served#/properties/tea_sort "tea_sort": {',
    affects: ["data-loss", "senders"],
    witness: served({ tea_sort: "black" }),
  },
  "field-moved": {
    at: 'tea.served#/properties/pot/properties/sort "sort": {',
    baseline: 'tea.served#/properties/sort "sort": {',
    affects: ["data-loss", "senders"],
    witness: served({ sort: "black" }),
  },
  "field-became-required": {
    at: 'tea.served#/required/0 "sort"',
    baseline: 'tea.served#/properties/sort "sort": {',
    affects: ["current-readers"],
    witness: served({}),
  },
  "field-became-optional": {
    at: 'tea.served#/properties/sort "sort": {',
    baseline: 'tea.served#/required/0 "sort"',
    affects: ["baseline-readers"],
    witness: served({}),
  },
  "content-opened": { is: "note", at: "tea.served#/properties/pot/additionalProperties true" },
  "content-closed": {
    at: 'tea.served#/properties/pot "pot": {',
    baseline: "tea.served#/properties/pot/additionalProperties true",
    affects: ["senders"],
    witness: served({ pot: { "": null } }),
  },
  "branch-added": {
    at: "tea.served#/properties/sort/anyOf/2 {",
    baseline: "tea.served#/properties/sort/anyOf/0 {",
    affects: ["baseline-readers"],
    witness: served({ sort: true }),
  },
  "branch-removed": {
    at: "tea.served#/properties/sort/anyOf/0 {",
    baseline: "tea.served#/properties/sort/anyOf/2 {",
    affects: ["current-readers"],
    witness: served({ sort: true }),
  },
  "branches-changed": {
    at: "tea.served#/properties/sort/anyOf/1 {",
    baseline: "tea.served#/properties/sort/anyOf/1 {",
    affects: ["current-readers", "baseline-readers"],
    witness: served({ sort: null }),
    opposite: served({ sort: true }),
  },
  "condition-changed": {
    at: "tea.served#/properties/sort/not {",
    baseline: "tea.served#/properties/sort/not {",
    affects: ["current-readers", "baseline-readers"],
    witness: served({ sort: "water" }),
    opposite: served({ sort: "coffee" }),
  },
  "writer-rule-changed": {
    at: "tea.served#/properties/sort/x-writer {",
    affects: ["senders"],
    witness: served({ sort: "" }),
  },
  "decoding-changed": {
    at: 'tea.served#/properties/sort/contentEncoding "base64url"',
    baseline: 'tea.served#/properties/sort/contentEncoding "base64"',
  },
  "stream-promise-removed": {
    at: "protocol#/stream/rules {",
    baseline: "protocol#/stream/rules/pairs/0 {",
    affects: ["baseline-readers"],
    stream: [
      { id: "ok", type: "tea.poured", data: {} },
      { id: "ok", type: "tea.poured", data: {} },
    ],
  },
  "stream-promise-added": {
    at: "protocol#/stream/rules/pairs/0 {",
    baseline: "protocol#/stream/rules {",
    affects: ["current-readers"],
    stream: [
      { id: "ok", type: "tea.poured", data: {} },
      { id: "ok", type: "tea.poured", data: {} },
    ],
  },
  "stream-promise-changed": {
    at: "protocol#/stream/rules/ordered/0/fields [",
    baseline: "protocol#/stream/rules/ordered/0/fields [",
    affects: ["baseline-readers"],
    stream: [{ id: "ok", type: "tea.served", data: { cups: 1, pots: 0 } }],
  },
  "stream-frame-changed": {
    at: "protocol#/stream {",
    baseline: 'protocol#/stream/id "id"',
    affects: ["baseline-readers"],
    stream: [
      { id: "ok", type: "tea.poured", data: {} },
      { id: "ok", type: "tea.served", data: {} },
    ],
  },
  "stream-reliance-dropped": {
    is: "warning",
    at: 'protocol#/stream/rules/pairs/0/profile "writer"',
    baseline: "protocol#/stream/rules/pairs/0/profile {",
  },
  "stream-end-changed": {
    is: "note",
    at: "protocol#/stream/rules/terminal/types [",
    baseline: "protocol#/stream/rules/terminal/types [",
  },
  "stream-guarantee-removed": {
    is: "warning",
    at: "protocol#/guarantees [",
    baseline: "protocol#/guarantees [",
  },
  "stream-changed": { is: "note", at: "protocol#/stream {", baseline: "protocol#/stream {" },
  "tombstone-missing": [
    { at: 'tea.served#/properties/sort "sort": {' },
    {
      rule: "field-removed-optional",
      is: "note",
      at: "tea.served# {",
      baseline: 'tea.served#/properties/sort "sort": {',
      affects: ["data-loss", "senders"],
      witness: served({ sort: "black" }),
    },
  ],
  "tombstone-removed": { at: "protocol#/tombstones/0 {" },
  "tombstone-reused": [
    { at: 'tea.served#/properties/sort "sort": {' },
    { rule: "field-added-optional", is: "addition", at: 'tea.served#/properties/sort "sort": {' },
  ],
  "removed-without-deprecation": [
    { is: "warning", at: 'tea.served#/properties/sort "sort": {' },
    {
      rule: "field-removed-optional",
      is: "note",
      at: "tea.served# {",
      baseline: 'tea.served#/properties/sort "sort": {',
      affects: ["data-loss", "senders"],
      witness: served({ sort: "black" }),
    },
  ],
  "removed-too-early": [
    { is: "warning", at: 'tea.served#/properties/sort "sort": {' },
    {
      rule: "field-removed-optional",
      is: "note",
      at: "tea.served# {",
      baseline: 'tea.served#/properties/sort "sort": {',
      affects: ["data-loss", "senders"],
      witness: served({ sort: "black" }),
    },
  ],
  "deprecated-without-replacement": { is: "warning", at: 'tea.served#/properties/sort "sort": {' },
  "rename-unmatched": [
    { at: 'tea.served#/properties/sort "sort": {' },
    { rule: "field-added-optional", is: "addition", at: 'tea.served#/properties/sort "sort": {' },
  ],
  "rename-old-name-missing": [
    { at: 'tea.served#/properties/sort "sort": {' },
    {
      rule: "field-renamed",
      is: "note",
      at: 'tea.served#/properties/sort "sort": {',
      baseline: 'tea.served#/properties/tea_sort "tea_sort": {',
      affects: ["data-loss", "senders"],
      witness: served({ tea_sort: "black" }),
    },
  ],
  "rename-old-name-not-deprecated": [
    { is: "warning", at: 'tea.served#/properties/sort "sort": {' },
    { rule: "field-added-optional", is: "addition", at: 'tea.served#/properties/sort "sort": {' },
  ],
  "waiver-unused": { at: "protocol#/waivers/0 {" },
  "waiver-expired": { at: "protocol#/waivers/0 {" },
};
