/** If this fails, `accrete validate` stays silent about misspelt values of open lists, or warns of values that it should not. */
import { describe, expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, createTinySchemas, writeFiles } from "../folders.js";

const SORT = { description: "A sort.", type: ["string", "null"], "x-known-values": ["green", "black"] };

/** Returns the files of a protocol whose payload has open lists in its fields. */
function createSchemas(): { [relative: string]: string } {
  const files = createTinySchemas("tea");
  const change = (name: string, edit: (document: Record<string, unknown>) => object): void => {
    files[name] = JSON.stringify(edit(JSON.parse(files[name] ?? "{}")));
  };
  const names = { type: "array", items: { type: "string" }, description: "Masked fields." };
  change("tea/v1/protocol.json", (protocol) => ({
    ...protocol,
    stream: { key: ["pot"], rules: { redactions: { keys: "redacted_keys", paths: "redacted_paths" } } },
  }));
  change("tea/v1/envelope.schema.json", (envelope) => ({
    ...envelope,
    properties: { ...Object(envelope.properties), pot: { type: "string", description: "The pot." } },
    required: ["pot", "type", "data"],
  }));
  change("tea/v1/events/tea.served.schema.json", (payload) => ({
    ...payload,
    required: [],
    properties: {
      sort: { $ref: "../shared/sorts.schema.json#/$defs/Sort", description: "The sort." },
      more: {
        type: "array",
        items: { $ref: "../shared/sorts.schema.json#/$defs/Sort" },
        description: "Others.",
      },
      mixed: {
        anyOf: [{ type: "string", "x-known-values": ["milk"] }, { type: "integer" }],
        description: "What else.",
      },
      cups: { type: "integer", "x-known-values": [1, 2], description: "How many." },
      free: { type: "string", description: "Anything." },
      redacted_keys: names,
      redacted_paths: names,
    },
  }));
  files["tea/v1/shared/sorts.schema.json"] = JSON.stringify({ title: "Sorts", $defs: { Sort: SORT } });
  return files;
}

/** Validates events with this data in a JSON Lines file, and one more in a JSON list. */
async function validate(profile: string, ...data: readonly object[]) {
  const lines = data.map((each) => JSON.stringify({ pot: "p", type: "tea.served", data: each }));
  const root = createTemporaryFolder({ "run.jsonl": lines.join("\n"), "list.json": `[${lines[0]}]` });
  writeFiles(`${root}/schemas`, createSchemas());
  return await runAccrete([
    ...["validate", `${root}/run.jsonl`, `${root}/list.json`, "--schemas", `${root}/schemas`],
    ...["--profile", profile, "--limit", "0"],
  ]);
}

const IN_SORTS = "is not in the open list sorts.schema.json#/$defs/Sort/x-known-values";

/** The data of an event, and the findings for writers: places and parts of messages. */
const CASES: readonly (readonly [about: string, data: object, ...findings: string[]])[] = [
  ["a listed value", { sort: "green" }],
  ["null", { sort: null }],
  ["a field without a list", { free: "red" }],
  ["a new value", { sort: "oolong" }, `/data/sort "oolong" ${IN_SORTS} ("green", "black").`],
  [
    "a misspelt value",
    { sort: "grean" },
    `/data/sort "grean" ${IN_SORTS} ("green", "black"); did you mean "green"?`,
  ],
  ["an item", { more: ["green", "red"] }, `/data/more/1 "red" ${IN_SORTS}`],
  ["two values", { sort: "red", more: ["blue"] }, '/data/sort "red"', '/data/more/0 "blue"'],
  ["a number", { cups: 3 }, "/data/cups 3 is not in the open list tea.served.schema.json#/properties/cups"],
  ["a list of one alternative", { mixed: 7 }],
  ["a masked field", { sort: "***", redacted_keys: ["sort"] }],
  ["a masked item", { more: ["***"], redacted_paths: ["/more/0"] }],
];

describe("a value outside of an open list", () => {
  it("is a warning for writers, and nothing for readers", async () => {
    const all = CASES.map(([, data]) => data);
    const { exitCode, stdout, stderr } = await validate("writer", ...all);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const warnings = stdout.split("\n").filter((line) => line.includes("warning value-unlisted"));
    const texts = CASES.flatMap(([, , ...findings], index) =>
      findings.map((text) => [`run.jsonl:${index + 1}:`, text] as const),
    );
    expect(warnings).toHaveLength(texts.length);
    for (const [index, [line, text]] of texts.entries()) {
      expect(warnings[index]).toContain(line);
      expect(warnings[index]).toContain(text);
    }
    expect((await validate("reader", ...all)).stdout).toBe(`${all.length + 1} events, 0 invalid\n`);
  });

  it("is reported once for events that are recognised without parsing, and for parsed ones", async () => {
    const { stdout } = await validate("writer", { sort: "red" }, { sort: "red" }, { sort: "red" });
    const places = [...stdout.matchAll(/(\w+\.jsonl?:\d+):\d+: warning value-unlisted (\S+)/g)];
    expect(places.map(([, file, pointer]) => `${file} ${pointer}`)).toEqual([
      "run.jsonl:1 /data/sort",
      "run.jsonl:2 /data/sort",
      "run.jsonl:3 /data/sort",
      "list.json:1 /0/data/sort",
    ]);
  });
});
