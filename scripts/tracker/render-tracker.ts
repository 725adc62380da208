/** Writes the site and the table of the tracker. Names and texts come out of packages of other people, and are shown as text. */
import type { OutputFile } from "../../generator/protocol/protocol.js";
import { escapeMarkdown } from "../../generator/report/markdown.js";
import { sha256Hex } from "../../generator/sha256.js";
import { type Page, renderSite, type SearchEntry } from "../../generator/site/site.js";
import { escapeXml, formatCount, formatJson, sanitizeLine } from "../../generator/text.js";
import {
  type LeftOut,
  REASONS,
  type TrackedBreak,
  type TrackedPackage,
  type TrackedPair,
} from "./tracked-package.js";

const TITLE = "Breaks in published event contracts";

/** The maximum number of lines and characters of an event that is shown. */
const MAX_LINES = 40;
const MAX_CHARACTERS = 3000;

const escapeLine = (text: string): string => escapeXml(sanitizeLine(text));

/** Returns the files of the site: a page with all packages, and one for each package. */
export function renderTracker(packages: readonly TrackedPackage[]): OutputFile[] {
  const sorted = sortByName(packages);
  return renderSite(
    [createHomePage(sorted), ...sorted.map(createPackagePage)],
    sorted.flatMap(listSearchEntries),
  );
}

/** Returns a table of Markdown with a row for each package. */
export function formatTrackerTable(packages: readonly TrackedPackage[]): string {
  const rows = sortByName(packages).map((each) => {
    const { name, pairs } = each;
    const newest = findNewestBreak(each);
    const words =
      newest === undefined ? "" : `${newest.pair.to}: ${shorten(describeEvents(newest.broken), 110)}`;
    const cells = [name, listVersions(pairs), countBreaks(pairs), countLeftOut(pairs), words];
    return `| ${cells.map((cell) => escapeMarkdown(String(cell))).join(" | ")} |`;
  });
  return [
    summarize(packages),
    "",
    ...listReasons(packages.flatMap(({ pairs }) => pairs)).map(({ text }) => `- ${text}`),
    "",
    "| package | versions | breaks | left out | newest break: which events it breaks |",
    "|---|---|---:|---:|---|",
    ...rows,
  ].join("\n");
}

/** Says how many packages, comparisons and breaks there are. */
function summarize(packages: readonly TrackedPackage[]): string {
  const pairs = packages.flatMap((each) => each.pairs);
  const counts = `${formatCount(packages.length, "package")}, ${formatCount(pairs.length, "comparison")} of two versions`;
  return `${counts}: ${formatCount(countBreaks(pairs), "break")} confirmed by Ajv and hyperjump. Left out are:`;
}

/** Returns each reason to leave errors out, with their number. */
function listReasons(pairs: readonly TrackedPair[]): { readonly count: number; readonly text: string }[] {
  const total = sumLeftOut(pairs);
  return Object.entries(REASONS).map(([reason, words]) => {
    const count = total[reason as keyof LeftOut];
    return { count, text: `${count} ${words}` };
  });
}

function sortByName(packages: readonly TrackedPackage[]): TrackedPackage[] {
  const key = ({ name }: TrackedPackage): string => name.replace(/^@/, "");
  return [...packages].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function countBreaks(pairs: readonly TrackedPair[]): number {
  return pairs.reduce((sum, { breaks }) => sum + breaks.length, 0);
}

function sumLeftOut(pairs: readonly TrackedPair[]): LeftOut {
  const sum = { refuted: 0, undecided: 0, unshown: 0, convention: 0 };
  for (const { leftOut } of pairs)
    for (const reason of Object.keys(sum) as (keyof LeftOut)[]) sum[reason] += leftOut[reason];
  return sum;
}

function countLeftOut(pairs: readonly TrackedPair[]): number {
  return Object.values(sumLeftOut(pairs)).reduce((sum, count) => sum + count, 0);
}

/** Returns the oldest and the newest version that were compared. */
function listVersions(pairs: readonly TrackedPair[]): string {
  const [newest, oldest] = [pairs[0]?.to, pairs.at(-1)?.from];
  return newest === undefined ? "" : `${oldest} to ${newest}`;
}

function findNewestBreak({
  pairs,
}: TrackedPackage): { readonly pair: TrackedPair; readonly broken: TrackedBreak } | undefined {
  const pair = pairs.find(({ breaks }) => breaks.length > 0);
  const [broken] = pair?.breaks ?? [];
  return pair && broken && { pair, broken };
}

/** Says which events a break breaks; what changed if there is no phrase for them, or the phrase is only "every event". */
function describeEvents({ breaks: [phrase = ""], message }: TrackedBreak): string {
  const [, subject] = /^(.+?): /.exec(message) ?? [];
  return subject === undefined || /^(every( new)? event)?$/.test(phrase)
    ? firstSentence(message)
    : `${subject}: ${phrase}`;
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
}

function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}

/** Returns the path of the page of a package. Two names never have the same path. */
function locatePackage({ name }: TrackedPackage): string {
  return `packages/${name.replace(/[^\w.-]/g, "-").toLowerCase()}-${sha256Hex(name).slice(0, 6)}.html`;
}

function createHomePage(packages: readonly TrackedPackage[]): Page {
  const rows = packages.map((each) => {
    const { name, pairs } = each;
    const newest = findNewestBreak(each);
    const words = newest && `${newest.pair.to}: ${firstSentence(newest.broken.message)}`;
    const link = `<a href="${escapeXml(locatePackage(each))}">${escapeLine(name)}</a>`;
    const cells = [listVersions(pairs), countBreaks(pairs), countLeftOut(pairs), shorten(words ?? "", 200)];
    return `<tr><td>${link}</td>${cells.map((cell) => `<td>${escapeLine(String(cell))}</td>`).join("")}</tr>`;
  });
  const reasons = listReasons(packages.flatMap(({ pairs }) => pairs));
  const content = `<h1>${TITLE}</h1>
<p>accrete compared versions of packages on npm that hold event contracts. A break is shown only if an event proves it: as
published, the schema of one version accepts the event, and that of the other refuses it, says Ajv and says hyperjump. Where a
package has types of TypeScript or zod, ts-json-schema-generator or zod made the schema.</p>
<p>A break is not always a mistake of the package: its readers may not validate, or a major version announced it.</p>
<p>${escapeLine(summarize(packages))}</p>
<ul>${reasons.map(({ text }) => `<li>${escapeLine(text)}</li>`).join("")}</ul>
<div class="table" tabindex="0"><table><thead><tr><th>package</th><th>versions</th><th>breaks</th><th>left out</th><th>newest break</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table></div>`;
  return { path: "index.html", title: TITLE, content, trail: [] };
}

function createPackagePage(each: TrackedPackage): Page {
  const { name, contract, pairs, skipped } = each;
  const content = [
    `<h1>${escapeLine(name)}</h1>`,
    `<p class="facts">${escapeLine(`Contract: ${contract}. ${formatCount(countBreaks(pairs), "break")}.`)}</p>`,
    ...pairs.map(renderPair),
    ...skipped.map((sentence) => `<p class="facts">${escapeLine(shorten(sentence, 300))}</p>`),
  ];
  return {
    path: locatePackage(each),
    title: sanitizeLine(name),
    content: content.join("\n"),
    trail: [[TITLE, "index.html"]],
  };
}

function renderPair(pair: TrackedPair): string {
  const { from, to, breaks } = pair;
  const others = listReasons([pair]).flatMap(({ count, text }) => (count === 0 ? [] : [text]));
  const note = others.length === 0 ? "" : ` Left out: ${others.join("; ")}.`;
  const facts = `${breaks.length === 0 ? "No confirmed break" : formatCount(breaks.length, "break")}.${note}`;
  return [
    `<h2>${escapeLine(from)} → ${escapeLine(to)}</h2>`,
    `<p class="facts">${escapeLine(facts)}</p>`,
    ...breaks.map(renderBreak),
  ].join("\n");
}

function renderBreak({ rule, message, breaks, events, issue }: TrackedBreak): string {
  const phrases = breaks.map((phrase) => `<li>breaks ${escapeLine(phrase)}</li>`);
  return [
    `<h3>${escapeLine(rule)}</h3>`,
    `<p>${escapeLine(message)}</p>`,
    ...(phrases.length === 0 ? [] : [`<ul>${phrases.join("")}</ul>`]),
    ...(issue === undefined
      ? []
      : [`<p>Users filed <a href="${escapeXml(locateIssue(issue))}">${escapeLine(issue)}</a>.</p>`]),
    ...events.map((event) => `<pre tabindex="0"><code>${escapeXml(formatEvent(event))}</code></pre>`),
  ].join("\n");
}

/** Returns the address of an issue that is written as `owner/name#1`. */
function locateIssue(issue: string): string {
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(issue) ?? [];
  if (repository === undefined) throw new Error(`${issue} is not an issue; write owner/name#1.`);
  return `https://github.com/${repository}/issues/${number}`;
}

/** Returns an event as JSON, which is cut if it is long. */
function formatEvent(event: unknown): string {
  const json = formatJson(event);
  const text = json.split("\n").slice(0, MAX_LINES).join("\n").slice(0, MAX_CHARACTERS);
  return text === json ? json : `${text}\n… (${json.length} characters)`;
}

/** Returns an entry for the package, and one for each event type that its breaks show. */
function listSearchEntries(each: TrackedPackage): SearchEntry[] {
  const path = locatePackage(each);
  const breaks = each.pairs.flatMap(({ to, breaks: all }) => all.map((broken) => ({ to, broken })));
  const summary = formatCount(breaks.length, "break");
  return [
    [path, each.name, "package", summary, each.name],
    ...breaks.map(({ to, broken: { rule, message } }): SearchEntry => {
      return [path, firstSentence(message), rule, `in ${to}`, each.name];
    }),
  ];
}
