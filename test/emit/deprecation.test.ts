/** If this fails, doc comments of generated code do not say that a field or event is deprecated, or name a wrong replacement. */
import { expect, it } from "vitest";
import { createDoc } from "../../generator/emit/plan/doc.js";
import { formatEventDoc, formatSchemaDoc } from "../../generator/emit/typescript/doc.js";
import type { EventType } from "../../generator/protocol/protocol.js";

const CASES: readonly {
  readonly by: string | null | undefined;
  readonly tag: string;
  readonly go: string;
}[] = [
  { by: undefined, tag: "@deprecated since 1.1.", go: "It will be removed." },
  { by: "pots", tag: "@deprecated since 1.1; use pots.", go: "Use pots." },
  {
    by: null,
    tag: "@deprecated since 1.1; nothing replaces it.",
    go: "It will be removed, and nothing replaces it.",
  },
];

it.each(CASES)("doc comments of a deprecated field and event name the replacement $by", ({ by, tag, go }) => {
  const replacement = by === undefined ? {} : { "x-replaced-by": by };
  const field = { description: "Cups.", deprecated: true, "x-deprecated-since": "1.1", ...replacement };
  const event: EventType = {
    type: "tea.served",
    group: "tea",
    summary: "Tea",
    description: "Sent.",
    stability: "stable",
    since: "1.0",
    deprecated: { since: "1.1", ...(by !== undefined && { replacedBy: by }) },
    payload: {},
    examples: [],
    at: { file: "", pointer: "" },
  };
  expect(formatSchemaDoc(field).split("\n\n").at(-1)).toBe(tag);
  expect(formatEventDoc(event).split("\n\n").at(-1)).toBe(tag);
  expect(createDoc(field).deprecated).toBe(go);
});
