/** If this fails, a sentence of a document is kept by nothing, or a rule of a protocol comes from no sentence. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { STREAM_FINDINGS, STREAM_RULES } from "../../../generator/conform/stream-rules.js";
import { getMembers } from "../../../generator/json.js";
import { loadSchemas } from "../../../generator/load/load.js";
import { collectEventFields } from "../../../generator/protocol/event-fields.js";
import { nameRules } from "./name-rules.js";

/** A sentence of a document, or the fields that one of its tables or examples describes, with what keeps it. */
interface Requirement {
  readonly place: string;
  readonly says?: string;
  /** Fields by the id of their protocol and their event type, or `envelope`. */
  readonly fields?: { readonly [type: string]: readonly string[] };
  readonly rules?: readonly string[];
  readonly findings?: readonly string[];
  readonly schemas?: readonly string[];
  readonly pages?: readonly string[];
  /** Texts that docs/serving.md has. */
  readonly endpoints?: readonly string[];
  readonly tests?: readonly string[];
  /** Why nothing can keep it. */
  readonly notCheckable?: string;
  /** The section of docs/documents.md that says how the sentence is read. */
  readonly choice?: string;
  readonly cases?: readonly string[];
}

const FOLDER = "docs/requirements";
const readText = (path: string): string => readFileSync(path, "utf8");
const documents = readdirSync(FOLDER).map((file) => ({
  file,
  ...(JSON.parse(readText(`${FOLDER}/${file}`)) as {
    readonly document: string;
    readonly requirements: readonly Requirement[];
  }),
}));
const all = documents.flatMap(({ requirements }) => requirements);

/** Returns the short name of a document: RFC, REF, FRM or GO. */
const readShortName = (document: string): string => /"([A-Z]+)"$/.exec(document)?.[1] ?? "";

const { protocols } = await loadSchemas("schemas");
const rules = protocols.flatMap((protocol) => nameRules(protocol).map((name) => `${protocol.id} ${name}`));
const schemas = protocols.flatMap(({ id, events, resources }) =>
  ["envelope", ...events.map(({ type }) => type), ...resources.map(({ name }) => name)].map(
    (name) => `${id} ${name}`,
  ),
);
/** The fields in the schemas, as `protocol type field`. The envelope declares some fields of all payloads. */
const fields = protocols.flatMap((protocol) => {
  const { id, envelope, events } = protocol;
  const common = envelope.payloadFields;
  const own = [...Object.keys(getMembers(envelope.schema.properties)), ...common];
  return [
    ...own.map((name) => `${id} envelope ${name}`),
    ...events.flatMap((event) =>
      [...collectEventFields(protocol, event)]
        .filter((name) => !common.includes(name))
        .map((name) => `${id} ${event.type} ${name}`),
    ),
  ];
});
const cases = readdirSync("test/cases/documents").flatMap((file) =>
  readText(`test/cases/documents/${file}`)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `${file.replace(/\.jsonl$/, "").replace("-", "/")} ${JSON.parse(line).name}`),
);
const page = readText("docs/documents.md");
const choices = [...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
const serving = readText("docs/serving.md");

/** The sources that each schema names, by its id as the lists write it. */
const sources = new Map(
  protocols.flatMap(({ id, envelope, events, resources }) => [
    [`${id} envelope`, envelope.sources] as const,
    ...events.map((event) => [`${id} ${event.type}`, event.sources] as const),
    ...resources.map((resource) => [`${id} ${resource.name}`, resource.sources] as const),
  ]),
);

/** The sources that each stream rule names. */
const ruleSources = new Map(
  protocols.flatMap((protocol) => {
    const texts = STREAM_RULES.flatMap(({ member }) => protocol.ruleSources?.[member] ?? []);
    return nameRules(protocol).map((name, index) => [`${protocol.id} ${name}`, texts[index]] as const);
  }),
);

/** Returns the places of the sentences that name each schema or rule. */
const collectPlaces = (read: (each: Requirement) => readonly string[]): Map<string, Set<string>> => {
  const places = new Map<string, Set<string>>();
  for (const { document, requirements } of documents)
    for (const each of requirements)
      for (const name of read(each))
        places.set(name, (places.get(name) ?? new Set()).add(`${readShortName(document)}: ${each.place}`));
  return places;
};
const readSets = (named: ReadonlyMap<string, readonly string[] | undefined>): Map<string, Set<string>> =>
  new Map([...named].flatMap(([name, texts]) => (texts === undefined ? [] : [[name, new Set(texts)]])));

const listFields = ({ fields: listed = {} }: Requirement): string[] =>
  Object.entries(listed).flatMap(([type, names]) => names.map((name) => `${type} ${name}`));
/** Returns the values that are in the first list, but not in the second one. */
const subtract = (some: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others);
  return [...new Set(some)].filter((each) => !known.has(each));
};

describe.each(documents)("the sentences of $file", ({ file, requirements }) => {
  it("are as many as docs/documents.md says", () => {
    expect(page).toMatch(new RegExp(`\\(requirements/${file}\\) \\|.*\\| ${requirements.length} \\|`));
  });

  it("are kept by something, or say why nothing can keep them", () => {
    const kept = ({ notCheckable, rules, findings, schemas, pages, endpoints, tests, fields }: Requirement) =>
      [rules, findings, schemas, pages, endpoints, tests, fields && Object.values(fields)].some(
        (list) => (list ?? []).length > 0,
      ) !==
      (notCheckable !== undefined);
    expect(requirements.filter((each) => !kept(each))).toEqual([]);
    expect(
      requirements.filter(({ says, fields }) => (says === undefined) === (fields === undefined)),
    ).toEqual([]);
  });

  it("name rules, findings, schemas, fields, pages, tests, streams and choices that exist", () => {
    const collect = (read: (each: Requirement) => readonly string[] | undefined) =>
      requirements.flatMap((each) => read(each) ?? []);
    expect(
      subtract(
        collect((each) => each.rules),
        rules,
      ),
    ).toEqual([]);
    expect(
      subtract(
        collect((each) => each.findings),
        STREAM_FINDINGS.map(({ id }) => id),
      ),
    ).toEqual([]);
    expect(
      subtract(
        collect((each) => each.schemas),
        schemas,
      ),
    ).toEqual([]);
    expect(subtract(collect(listFields), fields)).toEqual([]);
    expect(
      collect((each) => [...(each.pages ?? []), ...(each.tests ?? [])]).filter((path) => !existsSync(path)),
    ).toEqual([]);
    expect(collect((each) => each.endpoints).filter((text) => !serving.includes(text))).toEqual([]);
    expect(
      subtract(
        collect((each) => each.cases),
        cases,
      ),
    ).toEqual([]);
    expect(
      subtract(
        collect((each) => (each.choice === undefined ? [] : [each.choice])),
        choices,
      ),
    ).toEqual([]);
  });
});

it("each rule, field and decided stream of the protocols comes from a sentence", () => {
  expect(
    subtract(
      rules,
      all.flatMap((each) => each.rules ?? []),
    ),
  ).toEqual([]);
  expect(subtract(fields, all.flatMap(listFields))).toEqual([]);
  expect(
    subtract(
      cases,
      all.flatMap((each) => each.cases ?? []),
    ),
  ).toEqual([]);
});

it("each schema and each rule names the places of its sentences as its sources", () => {
  const named = collectPlaces(({ schemas = [], fields = {} }) => [...schemas, ...Object.keys(fields)]);
  expect(readSets(sources)).toEqual(named);
  expect(readSets(ruleSources)).toEqual(collectPlaces(({ rules = [] }) => rules));
});

it("each choice that docs/documents.md explains is one of a sentence", () => {
  expect(
    subtract(
      choices,
      all.flatMap(({ choice }) => (choice === undefined ? [] : [choice])),
    ),
  ).toEqual([]);
});
