/** If this fails, the site of a catalogue has links that lead nowhere, lacks types, or shows text of schemas as markup. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { renderCatalog } from "../../generator/emit/catalog/catalog.js";
import { readRecordings } from "../../generator/emit/catalog/recordings.js";
import { readFixtureStreams } from "../../generator/load/fixtures.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createHtmlConverter } from "../../generator/site/html.js";
import { emitSite } from "../../generator/site/site.js";
import { drawStates } from "../../generator/site/state-picture.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject } from "../commands/temporary-project.js";
import { chooseCases } from "../depth.js";
import { loadHostileProtocols } from "../emit/hostile-protocols.js";
import { createTinySchemas } from "../folders.js";

const emit = (protocols: readonly Protocol[]) =>
  new Map(
    emitSite(protocols.map((protocol) => ({ protocol, changelog: "# Changes\n" }))).map((file) => [
      file.path,
      file.content,
    ]),
  );

/** Returns the addresses of links that lead to no file, or to no element of the file. */
function findBrokenLinks(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([page, text]) =>
    [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, address = ""]) => {
      if (address === "data:,") return [];
      const [file = "", fragment] = address.split("#").map(decodeURIComponent);
      const target = path.posix.join(path.posix.dirname(page), file);
      const found = files.get(target);
      const isFound = found !== undefined && (fragment === undefined || found.includes(` id="${fragment}"`));
      return isFound ? [] : [`${page}: ${address}`];
    }),
  );
}

it("has a page for each event type, and links that lead somewhere", async () => {
  const { protocols } = await loadSchemas("schemas");
  const files = emit(protocols);
  for (const { id, events } of protocols)
    for (const { type } of events) {
      const page =
        files.get(`${id}/types/${type}.html`) ?? files.get(`${id}/types/${type.replaceAll(".", "")}.html`);
      expect(page).toContain(`<h1><code>${type}</code></h1>`);
    }
  expect(findBrokenLinks(files)).toEqual([]);
  expect([...files.keys()].filter((file) => file.toLowerCase() !== file)).toEqual([]);
});

it("draws runs and states as pictures, with the same as text", async () => {
  const { protocols } = await loadSchemas("schemas");
  for (const protocol of protocols) {
    const recordings = readRecordings(protocol, readFixtureStreams(`fixtures/${protocol.id}`));
    const files = emitSite([{ protocol, changelog: "# Changes\n", recordings }]);
    const page = files.find((file) => file.path === `${protocol.id}/index.html`)?.content ?? "";
    const catalog = renderCatalog(protocol, recordings);
    const expected = catalog.match(/^```mermaid$/gm)?.length ?? 0;
    expect(expected).toBeGreaterThan(1);
    expect(page.match(/<svg /g)).toHaveLength(expected);
    expect(page.match(/<details><summary>As text<\/summary>/g)).toHaveLength(expected);
    expect(page).not.toContain("mermaid");
    for (const { steps } of recordings.flows)
      for (const { type } of steps) expect(page).toMatch(new RegExp(`<text [^>]*>${type}( ×\\d+)?</text>`));
    for (const { moves } of recordings.states)
      for (const { from = "any state", to, cause = "" } of moves)
        expect(page).toContain(`${from} → ${to}: ${cause}`);
  }
});

it("lists the changes of a very large machine as text", () => {
  const moves = Array.from({ length: 1_000 }, (_, index) => ({
    from: `<${index}>`,
    to: "x",
    cause: "a & b",
  }));
  const html = drawStates({ name: "large", moves });
  expect(html).toContain("too many changes");
  expect(html).toContain("&lt;999&gt; → x: a &amp; b");
  expect(html).not.toContain("<svg");
});

it("finds a broken link", () => {
  const files = new Map([["a/b.html", '<a href="../c.html#x">']]);
  expect(findBrokenLinks(files)).toEqual(["a/b.html: ../c.html#x"]);
  expect(findBrokenLinks(new Map([...files, ["c.html", '<h1 id="x">']]))).toEqual([]);
});

it("shows hostile text of schemas as text", async () => {
  const ALLOWED =
    /^<(?:\/?(?:a|article|body|br|circle|code|dd|del|details|div|dl|dt|em|h1|h2|h3|head|header|hr|html|input|label|li|link|main|meta|nav|ol|p|path|pre|rect|script|search|strong|style|summary|svg|table|tbody|td|text|th|thead|title|tr|ul)|!doctype)\b|^<!--/;
  const protocols = chooseCases(await loadHostileProtocols(), 4);
  expect(protocols.length).toBeGreaterThan(2);
  for (const protocol of protocols) {
    const files = emit([protocol]);
    expect(findBrokenLinks(files)).toEqual([]);
    for (const [file, text] of files) {
      if (!file.endsWith(".html")) continue;
      const tags = [...text.matchAll(/<[^>]*>?/g)].map(([tag]) => tag);
      expect(tags.filter((tag) => !ALLOWED.test(tag) || / on\w+=|javascript:/i.test(tag))).toEqual([]);
      expect(text.match(/<script/g)).toHaveLength(1);
    }
  }
});

it.each([
  ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"],
  ["![a](b)", "![a](b)"],
  ["[a](javascript:alert(1))", "[a](javascript:alert(1))"],
  ["[a](https://b.example)", "[a](https://b.example)"],
  ["[a](#b)", '<a href="c.html">a</a>'],
  ["<code>&#92;&#124;<!-- --></code>", "<code>&#92;&#124;<!-- --></code>"],
  ['<code onclick="x">', "&lt;code onclick=&quot;x&quot;&gt;"],
])("converts %s", (markdown, html) => {
  expect(createHtmlConverter(() => "c.html").convertLine(markdown)).toBe(html);
});

it("is written by accrete site, which removes pages of its own only", async () => {
  const project = createTemporaryProject(
    Object.fromEntries(Object.entries(createTinySchemas()).map(([name, text]) => [`schemas/${name}`, text])),
  );
  const { exitCode, stdout } = await project.run("site --output @/site");
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^1 protocol: \d+ pages and files written, 0 unch/),
  ]);
  expect((await project.run("site --output @/site")).stdout).toMatch(
    /: 0 pages and files written, \d+ unchanged, 0 rem/,
  );
  const files = Object.keys(project.readFiles()).filter((name) => name.startsWith("site/"));
  expect(files).toEqual(
    expect.arrayContaining([
      "site/index.html",
      "site/search.js",
      "site/tiny/v1/index.html",
      "site/tiny/v1/changes.html",
    ]),
  );
});

it("shows the events that a version breaks", async () => {
  const project = createTemporaryProject();
  await runAccrete(["init", project.root, "--name", "notes"]);
  for (const line of ["generate", "release 1.0 notes/v1"]) await project.run(line);
  const file = "schemas/notes/v1/events/note.added.schema.json";
  writeFileSync(project.locateFile(file), project.read(file).replaceAll('"text"', '"note_text"'));
  expect(await project.run("site --output @/site")).toMatchObject({ exitCode: 0 });
  const page = project.read("site/notes/v1/changes.html");
  expect(page).toMatch(
    /<h2>unreleased<\/h2>[\s\S]*<strong>Breaking\.<\/strong>[\s\S]*<h2>Events that break in the unreleased version<\/h2>/,
  );
  expect(page).toContain("&quot;text&quot;: &quot;a&quot;");
});

it("keeps files of others, and writes nothing then", async () => {
  const project = createTemporaryProject({
    ...Object.fromEntries(
      Object.entries(createTinySchemas()).map(([name, text]) => [`schemas/${name}`, text]),
    ),
    "site/index.html": "mine",
  });
  const before = project.readFiles();
  expect(await project.run("site --output @/site")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/site\/index\.html: error output-foreign .*\n[\s\S]*nothing was written/),
  });
  expect(project.readFiles()).toEqual(before);
});

it("has a search whose data are a script of plain data", async () => {
  const { protocols } = await loadSchemas("schemas", ["frames/v2"]);
  const [, data = ""] = /searchEntries = (.*);\n$/.exec(emit(protocols).get("search-data.js") ?? "") ?? [];
  const entries = JSON.parse(data) as readonly string[][];
  expect(entries.length).toBeGreaterThan(protocols[0]?.events.length ?? 0);
  expect(readFileSync("generator/site/assets/search.js", "utf8")).not.toMatch(/innerHTML|document\.write/);
});
