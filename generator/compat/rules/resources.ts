import type { JsonObject } from "../../json.js";
import type { ExampleFiles } from "../change.js";
import { describeDeclaration, describeRename, quoteList } from "../phrases.js";
import { defineRules } from "./rule.js";

const LIST = "resources/tea-list.schema.json";
const PAGE = "resources/tea-page.schema.json";

/** An answer with a list of teas. */
const list: JsonObject = {
  title: "A page of teas",
  description: "Answer of the list endpoint.",
  "x-stability": "candidate",
  type: "object",
  properties: { teas: { type: "array", items: { type: "string" }, description: "The teas." } },
  required: ["teas"],
};

function createListFiles(name: string): ExampleFiles {
  return { [name]: list };
}

/** Rules about resources as a whole. The rules for fields, values and lists compare their contents. */
export const RESOURCE_RULES = defineRules({
  "resource-added": {
    effect: "adds",
    isReportedUnbroken: true,
    summary: "a resource was added",
    explanation: "Readers of the baseline do not know the resource, so it breaks none of them.",
    hint: "No action is needed.",
    reverse: { rule: "resource-removed" },
    example: { before: {}, after: createListFiles(LIST) },
    describe: ({ name }) => `The resource ${quoteList(name)} is new.`,
  },
  "resource-removed": {
    effect: "withdraws",
    summary: "a resource was removed",
    explanation:
      "Endpoints of the baseline send it and clients read it; the current contract has no schema for it.",
    hint: "Restore the file, and remove it with the next major version.",
    reverse: { rule: "resource-added" },
    example: { before: createListFiles(LIST), after: {} },
    describe: ({ name }) => `The resource ${quoteList(name)} was removed.`,
  },
  "resource-renamed": {
    effect: "withdraws",
    summary: "a resource was renamed",
    explanation:
      "Generated types and validators carry the name of a resource, so clients that use them no longer compile. The rename is declared by x-renamed-from, or suspected because a new resource has the same shape; if it is only suspected, the finding says so and has the same severity.",
    hint: "Keep the old file together with the new one, and remove it with the next major version.",
    reverse: { description: "a rename, reported by the same rule" },
    example: { before: createListFiles(LIST), after: createListFiles(PAGE) },
    describe: (change) => `The resource ${describeRename(change, "resources")}${describeDeclaration(change)}`,
  },
});
