/** If this fails, the message about an invalid value in protocol.json does not list the valid ones. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { checkManifest } from "../../generator/load/manifest.js";
import { parseSource } from "../../generator/source/source.js";

const VALID_MANIFEST = {
  name: "tea",
  major: 1,
  version: "1.0",
  title: "T",
  description: "D.",
  envelope: { discriminator: "type", payload: { placement: "keyed" } },
};
const createEnvelope = (placement: unknown, more: object = {}) => ({
  envelope: { discriminator: "type", payload: { placement, ...more } },
});
const createTombstone = (kind: unknown) => ({
  tombstones: [{ kind, name: "x", removedIn: "1.0", reason: "R." }],
});
const opening = { stream: { key: ["id"], rules: { openings: [{ type: "a", profile: "any" }] } } };

const FAULTS: readonly (readonly [about: string, over: object, messages: readonly string[]])[] = [
  ["a placement", createEnvelope("any"), ['"placement" must be one of nested, inline, keyed, not "any".']],
  [
    "a misspelt placement beside a property",
    createEnvelope("neested", { property: "data" }),
    ['"placement" must be one of nested, inline, keyed, not "neested"; did you mean "nested"?'],
  ],
  ["a kind of tombstone", createTombstone("any"), ['"kind" must be one of event, field, value, not "any".']],
  ["a number", createTombstone(1), ['"kind" must be one of event, field, value, not 1.']],
  ["an object", createTombstone({}), ['"kind" must be one of event, field, value, not an object.']],
  ["a list", createTombstone([]), ['"kind" must be one of event, field, value, not a list.']],
  ["a profile", opening, ['"profile" must be "writer", not "any".']],
  [
    "a property of a payload that is not nested",
    createEnvelope("inline", { property: "data" }),
    ['"payload" must not have the key "property" beside its other values.'],
  ],
];

it.each(FAULTS)("lists the valid values in place of %s", (_about, over, messages) => {
  const document = { ...VALID_MANIFEST, ...over } as JsonObject;
  const parsed = parseSource("protocol.json", Buffer.from(JSON.stringify(document)));
  if (!("source" in parsed)) throw new Error("no JSON");
  const { findings } = checkManifest(parsed.source, "tea/v1");
  expect(findings.map(({ message }) => message)).toEqual(messages);
});
