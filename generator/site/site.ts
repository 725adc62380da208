/** Writes the catalogues of protocols as a static site, which browsers also open from a disk. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { type CatalogPart, listCatalogParts } from "../emit/catalog/catalog.js";
import { NO_RECORDINGS, type Recordings } from "../emit/catalog/recordings.js";
import { isObject } from "../json.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { sha256Hex } from "../sha256.js";
import { createBanner, escapeXml, formatCount, formatLiteral, sanitizeLine } from "../text.js";
import { createHtmlConverter } from "./html.js";
import { createPictures, type Pictures } from "./pictures.js";

/** A protocol, its changelog as Markdown, and what its recordings show. */
export interface SiteProtocol {
  readonly protocol: Protocol;
  readonly changelog: string;
  readonly recordings?: Recordings;
}

/** A page of a site. */
export interface Page {
  readonly path: string;
  readonly title: string;
  /** The HTML of the main part. */
  readonly content: string;
  /** Links above the content: names with their paths. */
  readonly trail: readonly (readonly [name: string, path: string])[];
}

/** An entry of the search: address, name, kind, summary, and other words, of which the first names what the entry belongs to. */
export type SearchEntry = readonly [path: string, name: string, kind: string, summary: string, words: string];

/** The largest number of characters of a file name without its extension. */
const MAX_FILE_NAME = 100;

/** Returns the files of a site: a page for each protocol, and one for each event type, resource and definition. */
export function emitSite(protocols: readonly SiteProtocol[]): OutputFile[] {
  const pictures = createPictures();
  const parts = protocols.map((each) => ({
    ...each,
    parts: listCatalogParts(each.protocol, each.recordings ?? NO_RECORDINGS, pictures),
  }));
  const entries = parts.flatMap(({ protocol, parts: all }) => listSearchEntries(protocol, all));
  const pages = [
    createHomePage(protocols),
    ...parts.flatMap((each) => createProtocolPages(each, each.parts, pictures)),
  ];
  return renderSite(pages, entries);
}

/** Returns the files of a site with these pages and a search. */
export function renderSite(pages: readonly Page[], entries: readonly SearchEntry[]): OutputFile[] {
  return [
    ...pages.map((page) => ({ path: page.path, content: renderPage(page) })),
    createAsset("style.css", "/*", "*/"),
    createAsset("search.js", "//", ""),
    {
      path: "search-data.js",
      content: `// ${createBanner()}\nsearchEntries = ${formatLiteral(entries)};\n`,
    },
  ];
}

function createAsset(name: string, start: string, end: string): OutputFile {
  const text = readFileSync(new URL(`../site/assets/${name}`, import.meta.url), "utf8");
  return { path: name, content: `${start} ${createBanner()} ${end}\n${text}` };
}

/** Returns whether a section is about one event type, resource or definition, and has a page. */
function hasOwnPage({ id }: CatalogPart): boolean {
  return /^(event|resource|definition) /.test(id);
}

/** Returns the path of the page with a section. */
function locatePart({ id }: Pick<Protocol, "id">, part: CatalogPart): string {
  if (!hasOwnPage(part)) return `${id}/index.html#${part.slug}`;
  // Dots make the names of event types readable, and no slug has one.
  const [, type = ""] = part.id.split(" ");
  const slug = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(type) ? type : part.slug;
  const name = slug.length > MAX_FILE_NAME ? `${slug.slice(0, 60)}-${sha256Hex(slug).slice(0, 16)}` : slug;
  return `${id}/types/${name}.html`;
}

function listSearchEntries(protocol: Protocol, parts: readonly CatalogPart[]): SearchEntry[] {
  const events = new Map(protocol.events.map((event) => [`event ${event.type}`, event]));
  return parts.filter(hasOwnPage).map((part) => {
    const event = events.get(part.id);
    const fields = isObject(event?.payload.properties) ? Object.keys(event.payload.properties) : [];
    const [kind = ""] = part.id.split(" ");
    const words = [protocol.id, event?.group ?? "", ...fields].join(" ");
    return [locatePart(protocol, part), part.plainTitle, kind, event?.summary ?? "", words];
  });
}

function createHomePage(protocols: readonly SiteProtocol[]): Page {
  const items = protocols.map(({ protocol: { id, title, version, events, description } }) =>
    [
      `<h2><a href="${escapeXml(`${id}/index.html`)}">${escapeXml(sanitizeLine(title))}</a></h2>`,
      `<p class="facts"><code>${escapeXml(id)}</code> · version ${escapeXml(sanitizeLine(version))} · ${formatCount(events.length, "event type")}</p>`,
      `<p>${escapeXml(sanitizeLine(description))}</p>`,
    ].join("\n"),
  );
  const content = ["<h1>Event contracts</h1>", ...items].join("\n");
  return { path: "index.html", title: "Event contracts", content, trail: [] };
}

function createProtocolPages(
  { protocol, changelog }: SiteProtocol,
  parts: readonly CatalogPart[],
  pictures: Pictures,
): Page[] {
  const paths = new Map(parts.map((part) => [part.slug, locatePart(protocol, part)]));
  const createConverter = (page: string) =>
    createHtmlConverter(
      (slug) => makeRelative(page, paths.get(slug) ?? `${protocol.id}/index.html#${slug}`),
      pictures.find,
    );
  const home = `${protocol.id}/index.html`;
  const changes = `${protocol.id}/changes.html`;
  const trail = [["Event contracts", "index.html"]] as const;
  const title = sanitizeLine(protocol.title);
  const { convert, convertLine } = createConverter(home);
  const sections = parts.map((part, index) => {
    const { slug, depth, title: heading, formatBody } = part;
    if (!hasOwnPage(part))
      return `<h${depth} id="${escapeXml(slug)}">${convertLine(heading)}</h${depth}>\n${convert(formatBody())}`;
    // A list of links stands in place of the sections that have pages.
    const item = `<li><a href="${escapeXml(makeRelative(home, locatePart(protocol, part)))}">${convertLine(heading)}</a></li>`;
    const [before, after] = [parts[index - 1], parts[index + 1]];
    const isFirst = before === undefined || !hasOwnPage(before);
    const isLast = after === undefined || !hasOwnPage(after);
    return `${isFirst ? '<ul class="names">\n' : ""}${item}${isLast ? "\n</ul>" : ""}`;
  });
  const link = `<p><a href="changes.html">Changes from version to version</a></p>`;
  const [first = "", ...others] = sections;
  const own = parts.filter(hasOwnPage).map((part): Page => {
    const page = locatePart(protocol, part);
    const converter = createConverter(page);
    const content = `<h1>${converter.convertLine(part.title)}</h1>\n${converter.convert(part.formatBody())}`;
    return { path: page, title: part.plainTitle, content, trail: [...trail, [title, home]] };
  });
  return [
    { path: home, title, content: [first, link, ...others].join("\n"), trail },
    {
      path: changes,
      title: `Changes of ${title}`,
      content: createConverter(changes).convert(changelog),
      trail: [...trail, [title, home]],
    },
    ...own,
  ];
}

/** Returns the address of a file of the site for a page, with characters that have a meaning in addresses encoded. */
function makeRelative(page: string, target: string): string {
  const [file = "", fragment] = target.split("#");
  const relative = path.posix.relative(path.posix.dirname(page), file) || path.posix.basename(file);
  const address = relative.split("/").map(encodeURIComponent).join("/");
  return fragment === undefined ? address : `${address}#${encodeURIComponent(fragment)}`;
}

function renderPage({ path: page, title, content, trail }: Page): string {
  const locate = (target: string): string => escapeXml(makeRelative(page, target));
  const links = trail.map(([name, target]) => `<a href="${locate(target)}">${escapeXml(name)}</a> › `);
  const root = "../".repeat(page.split("/").length - 1);
  return `<!doctype html>
<!-- ${createBanner()} -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src data:">
<link rel="icon" href="data:,">
<title>${escapeXml(title)}</title>
<link rel="stylesheet" href="${root}style.css">
<script src="${root}search.js" data-root="${root}" defer></script>
</head>
<body>
<header>
<nav aria-label="Path">${links.join("")}${escapeXml(title)}</nav>
<search><label for="search">Search</label> <input id="search" type="search" autocomplete="off"><ul id="found"></ul></search>
</header>
<main>
${content}
</main>
</body>
</html>
`;
}
