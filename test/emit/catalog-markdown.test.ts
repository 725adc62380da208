/** If this fails, texts of schemas become markup or links in the catalogue, or links of the catalogue lead nowhere. */
import { posix } from "node:path";
import GithubSlugger from "github-slugger";
import { describe, expect, it } from "vitest";
import { emitCatalog, renderCatalog } from "../../generator/emit/catalog/catalog.js";
import type { Recordings } from "../../generator/emit/catalog/recordings.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { EventType, Placement, Protocol } from "../../generator/protocol/protocol.js";
import { chooseCases, quick } from "../depth.js";

const NASTY = [
  ...[
    "",
    " ",
    "a|b",
    "|".repeat(9999),
    "a\\|b",
    "\\",
    "a\\",
    "\\`",
    "`",
    "``",
    "a`b``c```",
    " ` ",
    "`|\\".repeat(999),
  ],
  ...["`x`http://e.vil", "http://e.vil`x`", "x`y`@z", "$`x`$", "`$`", "``` js", "~~~\nx", "x".repeat(9999)],
  ...[
    "<script>alert(1)</script>",
    "\\<b>",
    "<!-- x",
    "--> x",
    "</code>",
    "&lt;b&gt;",
    "&#60;b>",
    "<a@b.example>",
  ],
  ...["a\nb\n\n# c\n\n<b>d</b>", "](javascript:alert(1))", "[x](http://e.vil)", "![img](http://e.vil/x.png)"],
  ...["[x]: http://e.vil", "<http://e.vil>", "http://e.vil", "www.e.vil", "(www.e.vil)", "a@b.example"],
  ...[
    "ftp://e.vil",
    "https://e.vil/x_y|w",
    "@octocat",
    "hi @octocat!",
    "fixes #123",
    "GH-12",
    "a/b#12",
    ":smile:",
  ],
  ...["$x^2$", "$$x$$", "[^1]", "[ ] x", "[!NOTE]", "# h", "x #", "* a", "- a", "+ a", "1. a", "2) a", "---"],
  ...[
    "===",
    "> q",
    "    code",
    "| a |\n| - |",
    "*a*",
    "_a_",
    "__a__",
    "~~a~~",
    "\u001b[31mred\u0007",
    "\u202ea",
  ],
  ...["a\u2028b", "\ud800", "\u0000", "__proto__", "é日本"],
];

const ownCatalogs = (await loadSchemas("schemas")).protocols.map((protocol) => ({
  name: protocol.id,
  protocol,
}));
const placements: readonly Placement[] = ["nested", "inline", "keyed"];
const hostileCatalogs = NASTY.flatMap((text) =>
  placements.map((placement) => ({
    name: `${placement} ${JSON.stringify(text.slice(0, 40))}`,
    protocol: createHostileProtocol(text, placement),
  })),
);

describe.each(chooseCases([...ownCatalogs, ...hostileCatalogs], 8))("catalogue of $name", ({ protocol }) => {
  const content = renderCatalog(protocol, createRecordings(protocol.name));

  it("shows text as text, without foreign links", () => {
    expect(findUnescapedText(content)).toEqual([]);
  });

  it("has a target for every link", () => {
    const [targets, known] = [listLinks(content), listSlugs(content)];
    expect(targets.length).toBeGreaterThan(protocol.events.length);
    expect(targets.filter((target) => !known.has(target))).toEqual([]);
  });
});

describe("a catalogue of several files", () => {
  const types = Array.from({ length: 60 }, (_, index) => `type.${index}`);
  const groups = [
    "con",
    "con.x",
    "../up",
    "a/b",
    "x".repeat(300),
    "é",
    "E\u0301",
    " ",
    "#",
    "](x)",
    "run",
    "Run",
  ];
  const hostile = createHostileProtocol("run", "nested", types);
  const protocol = {
    ...hostile,
    events: hostile.events.map((event, index) => ({ ...event, group: groups[index % groups.length] ?? "" })),
  };
  const files = emitCatalog(protocol, createRecordings("run"));

  quick.it("has a file for each family, whose name every system accepts", () => {
    const paths = files.map(({ path }) => path);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(groups.length);
    for (const path of paths.slice(1)) expect(path).toMatch(/^run\/catalog\/[a-z0-9_-]{1,60}\.md$/);
    expect(files.flatMap(({ content }) => findUnescapedText(content))).toEqual([]);
  });

  quick.it("has a target for every link between files", () => {
    const known = new Map(files.map(({ path, content }) => [path, listSlugs(content)]));
    const links = files.flatMap(({ path, content }) =>
      [...content.matchAll(/\]\(([^\s()#]*)#([^\s()]*)\)/g)].map(([, file = "", slug = ""]) => ({
        file: file === "" ? path : posix.join(posix.dirname(path), file),
        slug: decodeURIComponent(slug),
      })),
    );
    expect(links.length).toBeGreaterThan(2 * types.length);
    expect(links.filter(({ file, slug }) => known.get(file)?.has(slug) !== true)).toEqual([]);
  });
});

describe("slugs", () => {
  quick.it("differ for event types, groups and sections whose names have the same slug", () => {
    const types = ["a.b", "ab", "AB", "the-envelope", "run", "run-events"];
    const content = renderCatalog(createHostileProtocol("run", "nested", types));
    for (const type of types) {
      const row = content.split("\n").find((line) => line.startsWith(`| [\`${type}\`](#`)) ?? "";
      const target = /\(#(.*?)\)/.exec(row)?.[1] ?? "";
      expect(listSlugs(content).get(target), type).toBe(type);
    }
  });
});

/** Returns the lines outside of fenced blocks. */
function listLines(markdown: string): string[] {
  let open = 0;
  return markdown.split("\n").filter((line) => {
    const ticks = /^(`{3,})[^`]*$/.exec(line)?.[1]?.length ?? 0;
    if (open === 0 && ticks > 0) open = ticks;
    else if (open > 0 && ticks >= open && /^`+ *$/.test(line)) open = 0;
    else return open === 0;
    return false;
  });
}

/** Matches escapes, code and entities. */
const TOKENS =
  /\\([!-/:-@[-`{-~])|(?<!`)(`+)(?!`)(.*?)(?<!`)\2(?!`)|(<code>(?:[A-Za-z0-9 ]|&#\d+;<!-- -->)*<\/code>)|&(amp|lt|gt|#96|#124);/g;

/** Returns the text that a heading shows. */
function getShownText(heading: string): string {
  const entities: { readonly [name: string]: string } = {
    amp: "&",
    lt: "<",
    gt: ">",
    "#96": "`",
    "#124": "|",
  };
  return heading.replace(TOKENS, (_all, escaped, _ticks, code, _html, entity) => {
    if (code === undefined) return escaped ?? entities[entity] ?? "";
    return /^ .* $/.test(code) && code.trim() !== "" ? code.slice(1, -1) : code;
  });
}

/** Returns the text of each heading by its slug, as GitHub makes slugs. */
function listSlugs(markdown: string): Map<string, string> {
  const slugger = new GithubSlugger();
  const headings = listLines(markdown).flatMap((line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? []);
  return new Map(headings.map((heading) => [slugger.slug(getShownText(heading)), getShownText(heading)]));
}

/** Returns the targets of all links into the same file. */
function listLinks(markdown: string): string[] {
  return listLines(markdown).flatMap((line) =>
    [...line.matchAll(/\]\(#([^\s()]*)\)/g)].map(([, target = ""]) => decodeURIComponent(target)),
  );
}

/** Markup that a line must not contain, apart from escapes, code, entities, and the links and emphasis of the catalogue. */
const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
  ["HTML", /[<>]/],
  ["link or image", /[[\]]|!¤/],
  ["code or fence", /[`~]/],
  ["emphasis", /\*|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/],
  ["address, mention, emoji or formula", /:\/\/|www\.|@|#\d|GH-\d|\$|:[\w+-]+:/i],
  ["beginning of a block", /^(?:\s+(?!\s|- )|[+=]|--|#{4}|#+[^# ]|\d+[.)](?:\s|$))/],
];

const INVISIBLE = /[^\n\P{C}]|[\u2028\u2029]/u;

/** Returns what the catalogue contains that is not its own markup: unescaped text of schemas, and rows with wrong cells. */
function findUnescapedText(markdown: string): string[] {
  const found = INVISIBLE.test(markdown) ? ["an invisible character"] : [];
  const all = listLines(markdown);
  let columns = 0;
  for (const line of all.slice(2)) {
    const rest = line
      .replace(TOKENS, (_all, _escaped, ticks, _code, html) => ((ticks ?? html) === undefined ? "·" : "¤"))
      .replace(/\[([^[\]]*)\]\([a-z0-9_./-]*#[^\s()]*\)/g, "$1")
      .replace(/\*\*([^*]+)\*\*/g, "$1");
    for (const [what, pattern] of FORBIDDEN)
      if (pattern.test(rest)) found.push(`${what}: ${rest.slice(0, 200)}`);
    const bars = line.startsWith("|") ? line.replace(/\\[!-~]/g, "").split("|").length : 0;
    if (bars > 0 && columns > 0 && bars !== columns) found.push(`cells: ${line.slice(0, 200)}`);
    columns = bars;
  }
  return found;
}

/** Creates recordings that have `text` in the place of every name. */
function createRecordings(text: string): Recordings {
  const steps = [
    { type: text, count: 2, from: "Runtime", to: "Model" },
    { type: text, count: 1, from: "Runtime", to: "Runtime" },
  ] as const;
  return {
    flows: [{ name: text, steps, more: 1 }],
    states: [{ name: text, initial: text, moves: [{ from: text, to: "x", cause: text }] }],
  };
}

/** Creates a protocol that has `text` in the place of every name and text. */
function createHostileProtocol(
  text: string,
  placement: Placement,
  types = [text, `x${text}`, "a.b", "ab"],
): Protocol {
  const at = { file: "x", pointer: "" };
  const nameByText = <T>(value: T): { [key: string]: T } => Object.fromEntries([[text, value]]);
  const payload = createHostilePayload(text, nameByText);
  const createEvent = (type: string): EventType => ({
    type,
    group: text,
    summary: text,
    description: text,
    stability: "stable",
    since: text,
    requires: text,
    deprecated: { since: text, replacedBy: text },
    renamedFrom: text,
    payloadProperty: text,
    payload,
    examples: [nameByText(text), { "```": "```" }],
    sources: [text],
    at,
  });
  const data = { type: "object", properties: { common: { description: text } } };
  return {
    name: text,
    major: 1,
    id: text,
    version: text,
    title: text,
    description: text,
    groups: nameByText(text),
    guarantees: [text],
    evolution: [text],
    events: types.map(createEvent),
    waivers: [],
    at,
    envelope: {
      discriminator: text,
      placement,
      property: "data",
      payloadFields: ["common"],
      at,
      schema: {
        description: text,
        properties: { ...nameByText({ description: text }), data },
        required: [text],
      },
    },
    stream: {
      key: [text],
      sequence: text,
      first: 0,
      id: text,
      time: text,
      rules: {
        machines: [{ name: text, initial: text, changes: [{ types: [text], when: { x: text }, to: text }] }],
        lifecycles: [{ key: text, start: [text], end: [text] }],
      },
    },
    endpoints: { stream: `runs/{${text}}`, filters: [text] },
    actions: { post: [text] },
    resources: [{ name: text, summary: text, description: text, schema: payload, examples: [text], at }],
    definitions: nameByText({
      schema: { type: "string", description: text, pattern: text },
      at: { file: "x", pointer: "/$defs/x" },
    }),
    tombstones: [
      { kind: "event", name: text, in: text, removedIn: text, replacedBy: text, reason: text, at },
    ],
  };
}

function createHostilePayload(text: string, nameByText: (value: Json) => JsonObject): JsonObject {
  const strings = [
    "description",
    "pattern",
    "format",
    "default",
    "const",
    "contentEncoding",
    "contentMediaType",
  ];
  const notes = ["since", "deprecated-since", "replaced-by", "requires", "renamed-from", "stability"].map(
    (key) => `x-${key}`,
  );
  const field = {
    ...Object.fromEntries([...strings, ...notes].map((keyword) => [keyword, text])),
    enum: [text],
    "x-extensible-enum": [text, text],
    deprecated: true,
    "x-writer": { pattern: text },
  };
  const nested = {
    properties: { ...nameByText({ type: [text] }), ref: { $ref: `#/$defs/${text}` } },
    patternProperties: nameByText({ type: "null" }),
  };
  return {
    properties: { ...nameByText(field), nested, list: { items: { description: text } } },
    required: [text],
    anyOf: [{ required: [text] }, { required: [text, "list"] }],
    not: { required: [text] },
    if: { properties: nameByText({ const: text }) },
    then: { required: [text] },
    else: { properties: nameByText({ pattern: text }) },
    dependentRequired: nameByText([text]),
    "x-writer": { required: [text] },
    propertyNames: { pattern: text },
  };
}
